package subagent_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// delegating is the brain of a root that starts children, ends its turn, and answers each time that something comes.
func delegating(calls ...agent.Call) brain {
	return func(r turnOf) (*agent.Response, error) {
		switch r.n {
		case 0:
			return do(calls...)
		case 1:
			return say("I wait")
		}
		return say(fmt.Sprintf("got %d", len(r.fresh())))
	}
}

// saying is the brain of a child that answers at once.
func saying(text string) brain {
	return func(turnOf) (*agent.Response, error) { return say(text) }
}

// Fact "polling": with children running and no event, the parent makes no model call.
func TestPolling(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var w *world
		held := func(r turnOf) (*agent.Response, error) { return &agent.Response{Text: "done"}, w.at(r, "go") }
		w = newWorld(t, map[string]brain{"": delegating(start("a"), start("b")), "*": held})
		defer w.close()
		w.begin("go")
		synctest.Wait()
		require.Equal(t, 2, w.asked(w.root.ID()))
		require.Error(t, w.root.Wait(canceled(t))) // it wakes the loop, and is no event
		time.Sleep(9 * time.Minute)                // less than what counts as a stall
		require.Equal(t, 2, w.asked(w.root.ID()))
		w.open("go")
		require.NoError(t, w.root.Wait(t.Context()))
		require.Contains(t, w.root.Last().Text, "got ")
	})
}

// Facts "never told, told late", "stuck running" and "failure as empty success": each ending writes a notice with its
// outcome and wakes an idle parent, and nothing but an answer is completed.
func TestEachEnding(t *testing.T) {
	var w *world
	loop := func(turnOf) (*agent.Response, error) { return do(call("list_agents", args{})) }
	hang := withTool("hang", false, func(context.Context) (string, error) { <-w.fence("hang"); return "late", nil })
	endings := []struct {
		name    string
		child   brain
		outcome agent.Outcome
		reason  agent.Reason
		text    string // of the child in its notice
		edit    []func(*world)
	}{
		{name: "answer", child: saying("an answer"), outcome: agent.Completed, text: "an answer"},
		{name: "provider error", outcome: agent.Failed, reason: agent.ModelFailed,
			child: func(turnOf) (*agent.Response, error) { return nil, errors.New("503 with a key sk-1") }},
		{name: "empty text", outcome: agent.Failed, reason: agent.NoAnswer, child: saying(" \n")},
		{name: "no response", outcome: agent.Failed, reason: agent.ModelFailed,
			child: func(turnOf) (*agent.Response, error) { return nil, nil }},
		{name: "token limit", outcome: agent.TokenLimit, text: "half an ans",
			child: func(turnOf) (*agent.Response, error) {
				return &agent.Response{Text: "half an ans", Stop: agent.StopTokenLimit}, nil
			}},
		{name: "token limit within a call", outcome: agent.TokenLimit,
			child: func(turnOf) (*agent.Response, error) {
				return &agent.Response{Stop: agent.StopTokenLimit, Calls: []agent.Call{{ID: "1", Name: "list_agents", Arguments: `{"sco`}}}, nil
			}},
		{name: "refusal", outcome: agent.Refused, text: "I will not",
			child: func(turnOf) (*agent.Response, error) {
				return &agent.Response{Text: "I will not", Stop: agent.StopRefused}, nil
			}},
		{name: "panic of the model", outcome: agent.Failed, reason: agent.ModelFailed,
			child: func(turnOf) (*agent.Response, error) { panic("no") }},
		{name: "exit of the model", outcome: agent.Failed, reason: agent.ModelFailed,
			child: func(turnOf) (*agent.Response, error) { runtime.Goexit(); return nil, nil }},
		{name: "stall of the model", outcome: agent.Failed, reason: agent.Stalled,
			child: func(r turnOf) (*agent.Response, error) { <-r.ctx.Done(); return nil, r.ctx.Err() }},
		{name: "a model that does not listen", outcome: agent.Failed, reason: agent.Stalled,
			child: func(turnOf) (*agent.Response, error) { <-w.fence("hang"); return say("late") }},
		{name: "a tool that does not listen", outcome: agent.Failed, reason: agent.Stalled, edit: []func(*world){hang},
			child: func(turnOf) (*agent.Response, error) { return do(call("hang", args{})) }},
		{name: "too many steps", outcome: agent.Failed, reason: agent.TooManySteps, child: loop,
			edit: []func(*world){func(w *world) { w.cfg.Settings.MaxSteps = 5 }}},
	}
	for _, e := range endings {
		t.Run(e.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w = newWorld(t, map[string]brain{"": delegating(start("c")), "c": func(r turnOf) (*agent.Response, error) {
					<-w.fence("the parent is idle")
					return e.child(r)
				}}, e.edit...)
				defer w.close()
				w.begin("go")
				synctest.Wait()
				w.open("the parent is idle")
				require.NoError(t, w.root.Wait(t.Context()))
				require.Equal(t, []string{"a2/1 " + string(e.outcome)}, w.notices(w.root.ID()))
				require.Equal(t, "got 1", w.root.Last().Text)
				log := w.log(w.root.ID())
				notice := log[len(log)-2]
				require.Equal(t, agent.Settlement, notice.Author)
				require.Equal(t, store.ID("a2"), notice.From)
				want := agents.SettlementNotice{ID: "a2", Label: "c", Outcome: agents.RunOutcome(e.outcome)}
				if e.reason != "" {
					want.Reason = tool.Some(string(e.reason)) // and not the provider's text, which holds a key
				}
				if e.text != "" {
					want.Message = tool.Some(e.text)
				}
				require.Equal(t, rendered(want), notice.Text)
				require.Len(t, w.ends, 1)
				require.Equal(t, e.reason, w.ends[0].Reason)
				if strings.Contains(e.name, "listen") {
					require.Equal(t, 1, w.ends[0].Abandoned)
				}
				w.open("hang")
			})
		})
	}
}

// The words of outcomes are those of the notices' spec.
func TestOutcomesAreTheSpecs(t *testing.T) {
	ours := []agent.Outcome{agent.Completed, agent.Failed, agent.TokenLimit, agent.Refused, agent.Interrupted, agent.Lost}
	for i, word := range agents.RunOutcomeValues() {
		require.Equal(t, string(word), string(ours[i]))
	}
	require.Len(t, ours, len(agents.RunOutcomeValues()))
}

// Fact "lost wake-up": N settlements at any instants, mid-turn ones too, give N notices.
func TestLostWakeUp(t *testing.T) {
	for seed := range seeds(t, 500) {
		bubble(t, func(t *testing.T) {
			w := newWorld(t, map[string]brain{
				"": func(r turnOf) (*agent.Response, error) {
					switch r.n {
					case 0:
						return do(start("c0"), start("c1"))
					case 1:
						return do(start("c2"), start("c3"))
					}
					return say("go on")
				},
				"*": func(r turnOf) (*agent.Response, error) { return say("I am " + r.Agent.Label) },
			}, scheduled(seed))
			defer w.close()
			w.begin("go")
			w.sched.run()
			require.Len(t, w.notices(w.root.ID()), 4, "seed %d:\n%s", seed, w.trace())
			require.Empty(t, unclaimed(w, w.root.ID()), "seed %d:\n%s", seed, w.trace())
		})
	}
}

// Fact "later turns are silent": every Activation, resumed ones too, settles with its own notice.
func TestLaterTurnsSettle(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sent := 0
		w := newWorld(t, map[string]brain{
			"": func(r turnOf) (*agent.Response, error) {
				switch {
				case r.n == 0:
					return do(start("c"))
				case r.from(agent.Settlement, "c") && sent < 3:
					sent++
					return do(call("send_message", args{"subagent_id": "a2", "message": "again"}))
				}
				return say("ok")
			},
			"c": func(r turnOf) (*agent.Response, error) { return say(fmt.Sprintf("turn %d", r.n)) },
		})
		defer w.close()
		w.begin("go")
		synctest.Wait()
		require.Equal(t, []string{"a2/1 completed", "a2/2 completed", "a2/3 completed", "a2/4 completed"}, w.notices(w.root.ID()))
		require.NoError(t, w.root.Wait(t.Context()))
	})
}

// Facts "nested parents" and "misrouted": a parent that is itself a child gets the root's guarantees, and a notice goes to
// the direct parent only, with its author's id. Settlement goes from the leaves up; children with living children stay
// resident.
func TestNestedParents(t *testing.T) {
	for seed := range seeds(t, 200) {
		bubble(t, func(t *testing.T) {
			middle := func(r turnOf) (*agent.Response, error) {
				switch {
				case r.n == 0:
					return do(start("leaf"))
				case r.from(agent.Settlement, "leaf"):
					return say("my leaf said it")
				}
				return say("my leaf works")
			}
			w := newWorld(t, map[string]brain{"": delegating(start("middle")), "middle": middle, "leaf": saying("leaf")}, scheduled(seed))
			defer w.close()
			w.begin("go")
			w.sched.run()
			require.Equal(t, []string{string(w.id("middle")) + "/1 completed"}, w.notices(w.root.ID()))
			require.Equal(t, []string{string(w.id("leaf")) + "/1 completed"}, w.notices(w.id("middle")))
			require.Equal(t, "leaf", w.ends[0].Label, "leaves first")
			log := w.log(w.root.ID())
			require.Contains(t, log[len(log)-2].Text, "my leaf said it", "seed %d: it settles with what it said at the end", seed)
		})
	}
}

// Facts "delivery failed once" and "doubled": whatever step fails, before it happens or after, each notice is in the parent's
// log once, and so is a report.
func TestDeliveryFailedOnce(t *testing.T) {
	for _, step := range []string{"start", "append", "send", "claim", "settle", "acquire"} {
		for nth := range 6 {
			for _, how := range []fault{failsBefore, failsAfter} {
				t.Run(fmt.Sprintf("%s %d %d", step, nth, how), func(t *testing.T) {
					bubble(t, func(t *testing.T) {
						n := 0
						w := newWorld(t, map[string]brain{
							"": func(r turnOf) (*agent.Response, error) {
								switch {
								case r.n == 0:
									return do(start("c"))
								case r.has(agent.Settlement, "answer 1"):
									return do(call("send_message", args{"subagent_id": "a2", "message": "again"}))
								}
								return say("ok")
							},
							"c": func(r turnOf) (*agent.Response, error) {
								if r.n%2 == 0 {
									return do(call("report", args{"output": fmt.Sprintf("finding %d", r.n)}))
								}
								return say(fmt.Sprintf("answer %d", r.n))
							},
						}, failing(func(s string, _ store.ID) fault {
							if s != step {
								return works
							}
							n++
							if n == nth+1 {
								return how
							}
							return works
						}))
						defer w.close()
						w.begin2("go")
						time.Sleep(time.Hour)
						require.Equal(t, []string{"a2/1 completed", "a2/2 completed"}, w.notices(w.root.ID()))
						require.Equal(t, []string{"finding 0", "finding 2"}, w.reports(w.root.ID()))
						require.NoError(t, w.root.Wait(t.Context()))
						require.Empty(t, unclaimed(w, w.root.ID()))
						for _, e := range w.turns {
							require.Equal(t, agent.Completed, e.Outcome, "%+v", e)
						}
					})
				})
			}
		}
	}
}

// Fact "doubled": a report and the notice may both come, the report first, and the final content twice is no fault.
func TestReportAndSettlement(t *testing.T) {
	for seed := range seeds(t, 200) {
		bubble(t, func(t *testing.T) {
			w := newWorld(t, map[string]brain{
				"": delegating(start("c")),
				"c": func(r turnOf) (*agent.Response, error) {
					if r.n == 0 {
						return do(call("report", args{"output": "42"}))
					}
					return say("42")
				},
			}, scheduled(seed))
			defer w.close()
			w.begin("go")
			w.sched.run()
			var kinds []store.MessageKind
			for _, m := range w.inbox(w.root.ID())[1:] {
				kinds = append(kinds, m.Kind)
				require.Contains(t, content(t, m).Text, "42")
			}
			require.Equal(t, []store.MessageKind{store.FromChild, store.FromSettlement}, kinds, "seed %d", seed)
		})
	}
}

// Notices that arrive while the parent is busy join its nearest step; four that settle together cost one step.
func TestSettledTogether(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var w *world
		w = newWorld(t, map[string]brain{
			"": func(r turnOf) (*agent.Response, error) {
				switch r.n {
				case 0:
					return do(start("a"), start("b"), start("c"), start("d"))
				case 1:
					return do(call("work", args{}))
				}
				return say(fmt.Sprintf("%d messages", len(r.fresh())))
			},
			"*": func(r turnOf) (*agent.Response, error) { return &agent.Response{Text: "done"}, w.at(r, "together") },
		}, withTool("work", false, func(context.Context) (string, error) {
			w.open("together")
			<-w.fence("worked")
			return "worked", nil
		}))
		defer w.close()
		w.begin("go")
		synctest.Wait()
		require.Len(t, w.notices(w.root.ID()), 4)
		require.Equal(t, 2, w.asked(w.root.ID()), "a busy parent is not disturbed")
		w.open("worked")
		require.NoError(t, w.root.Wait(t.Context()))
		require.Equal(t, 3, w.asked(w.root.ID()))
		require.Equal(t, "5 messages", w.root.Last().Text, "the result and four notices")
		require.Len(t, w.turns, 5, "one turn each")
	})
}

// An idle parent is woken once for what comes together.
func TestWokenOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var w *world
		held := func(r turnOf) (*agent.Response, error) { return &agent.Response{Text: "done"}, w.at(r, "together") }
		w = newWorld(t, map[string]brain{"": delegating(start("a"), start("b"), start("c"), start("d")), "*": held}, scheduled(1))
		defer w.close()
		w.begin("go")
		w.sched.run()
		w.open("together")
		// Everything of the children, and nothing of the root.
		for w.sched.stepOf(func(what string) bool { return !strings.HasSuffix(what, " "+string(w.root.ID())) }) {
		}
		require.Len(t, w.notices(w.root.ID()), 4)
		w.sched.run()
		require.Equal(t, 3, w.asked(w.root.ID()))
		require.Equal(t, "got 4", w.root.Last().Text)
	})
}

// A parent that is being torn down is not woken, and every child has written its notice all the same.
func TestTornDownParent(t *testing.T) {
	for seed := range seeds(t, 200) {
		bubble(t, func(t *testing.T) {
			middle := delegating(start("x"), start("y"))
			w := newWorld(t, map[string]brain{"": delegating(start("middle")), "middle": middle, "*": func(r turnOf) (*agent.Response, error) {
				<-r.ctx.Done()
				return nil, r.ctx.Err()
			}}, scheduled(seed))
			defer w.close()
			w.begin("go")
			w.sched.run()
			asked := w.asked(w.id("middle"))
			go func() { _ = w.svc.Stop(context.Background(), w.id("middle")) }()
			w.sched.run()
			require.Equal(t, asked, w.asked(w.id("middle")), "seed %d: it is not woken", seed)
			require.ElementsMatch(t, []string{string(w.id("x")) + "/1 interrupted", string(w.id("y")) + "/1 interrupted"}, w.notices(w.id("middle")))
			require.Equal(t, []string{string(w.id("middle")) + "/1 interrupted"}, w.notices(w.root.ID()))
			require.Equal(t, "middle", w.ends[2].Label, "leaves first")
			require.Equal(t, 2, w.ends[2].Parked, "the notices wait for its next turn")
		})
	}
}

// Fact "ghosts": nothing follows a terminal notice without a new Activation, not even from a handler that goes on.
func TestGhosts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var w *world
		late := make(chan error, 1)
		w = newWorld(t, map[string]brain{"": delegating(start("c")), "c": func(turnOf) (*agent.Response, error) { return do(call("ghost", args{})) }},
			withTool("ghost", false, func(ctx context.Context) (string, error) {
				<-w.fence("wake the dead")
				caller, _ := agent.CallerOf(ctx)
				late <- caller.Send(store.Message{ID: "ghost", To: "a1", Kind: store.FromChild, Lane: store.Step, Data: agent.Content{Text: "boo"}.Encode()})
				return "", nil
			}))
		defer w.close()
		w.begin("go")
		require.NoError(t, w.root.Wait(t.Context()))
		require.Equal(t, []string{"a2/1 failed"}, w.notices("a1"), "it stalled")
		w.open("wake the dead")
		require.ErrorIs(t, <-late, agent.ErrCallEnded)
		// The store refuses it, too: the author is not resident in the Activation that it writes in.
		err := w.store.Send(t.Context(), store.Message{ID: "ghost", To: "a1", From: "a2", Activation: 1, Kind: store.FromChild, Lane: store.Step, Data: agent.Content{Text: "boo"}.Encode()})
		require.ErrorIs(t, err, store.ErrFenced)
		require.Empty(t, unclaimed(w, "a1"))
	})
}
