package subagent_test

import (
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
)

func send(id any, message string) agent.Call {
	return call("send_message", args{"subagent_id": id, "message": message})
}

// Fact "lost at the finish line": each accepted message is processed once, first in first out, at every interleaving with
// becoming idle.
func TestFinishLine(t *testing.T) {
	resumed, queued, delivered := 0, 0, 0
	for seed := range seeds(t, 1500) {
		bubble(t, func(t *testing.T) {
			w := newWorld(t, map[string]brain{
				"": func(r turnOf) (*agent.Response, error) {
					for _, text := range r.results() {
						resumed += strings.Count(text, "Resumed")
						queued += strings.Count(text, "Queued")
						delivered += strings.Count(text, "Delivered")
					}
					switch r.n {
					case 0:
						return do(start("c"))
					case 1:
						return do(send("a2", "m1"))
					case 2:
						return do(send("a2", "m2"), send("a2", "m3"))
					}
					return say("done")
				},
				"c": func(r turnOf) (*agent.Response, error) {
					last := r.Messages[len(r.Messages)-1]
					return say("saw " + last.Text)
				},
			}, scheduled(seed), limited(subagent.Limits{Children: int(seed % 2)})) // a limit, or none: its place is kept for it
			defer w.close()
			w.begin("go")
			w.sched.run()
			var got, saw []string
			for _, m := range w.log("a2") {
				switch m.Author {
				case agent.Coordinator:
					got = append(got, m.Text)
				case agent.Assistant:
					saw = append(saw, m.Text)
				}
			}
			require.Equal(t, []string{"do c", "m1", "m2", "m3"}, got, "seed %d:\n%s", seed, w.trace())
			require.Equal(t, []string{"saw do c", "saw m1", "saw m2", "saw m3"}, saw, "a turn each, seed %d", seed)
			require.Empty(t, unclaimed(w, "a2"))
			require.Len(t, w.notices("a1"), int(w.conv("a2").Activation))
		})
	}
	require.NotZero(t, resumed, "some came after the end")
	require.NotZero(t, queued, "some came during a turn")
	require.NotZero(t, delivered, "some came between turns")
}

// Fact "sent to nobody": send_message says delivered, queued or resumed.
func TestSendSaysWhatHappened(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var w *world
		w = newWorld(t, map[string]brain{
			"": func(r turnOf) (*agent.Response, error) {
				switch {
				case r.n == 0:
					return do(start("c"))
				case r.has(agent.User, "send"):
					return do(send("a2", "more"))
				case len(r.results()) > 0:
					return say(r.results()[0])
				}
				return say("ok")
			},
			"c": func(r turnOf) (*agent.Response, error) {
				if r.n == 0 {
					return do(start("leaf"))
				}
				return &agent.Response{Text: "c"}, w.at(r, fmt.Sprintf("c%d", r.n))
			},
			"leaf": func(r turnOf) (*agent.Response, error) { return &agent.Response{Text: "leaf"}, w.at(r, "leaf") },
		})
		defer w.close()
		w.begin("go")
		synctest.Wait() // the child is in its first turn

		claimed, err := w.root.Prompt(t.Context(), "send")
		require.NoError(t, err)
		require.Equal(t, rendered(agents.SendMessageQueued{ID: "a2"}), claimed.End.Text)
		w.open("c1")
		synctest.Wait()
		w.open("c2")
		synctest.Wait() // the child is idle, since its own one runs

		claimed, err = w.root.Prompt(t.Context(), "send")
		require.NoError(t, err)
		require.Equal(t, rendered(agents.SendMessageDelivered{ID: "a2"}), claimed.End.Text)
		w.open("c3")
		w.open("leaf")
		synctest.Wait()
		w.open("c4")
		synctest.Wait() // both have settled

		claimed, err = w.root.Prompt(t.Context(), "send")
		require.NoError(t, err)
		require.Equal(t, rendered(agents.SendMessageResumed{ID: "a2"}), claimed.End.Text)
		w.open("c5")
		require.NoError(t, w.root.Wait(t.Context()))
		require.Equal(t, []string{"a2/1 completed", "a2/2 completed"}, w.notices("a1"))
	})
}

// Facts "sent to nobody" and "authority": an id that is unknown, somebody else's, or of a one-shot child is an error that
// lists the valid ids; nobody gets the message.
func TestSendToNobody(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var targets []string
		w := newWorld(t, map[string]brain{
			"": func(r turnOf) (*agent.Response, error) {
				switch {
				case r.n == 0:
					return do(start("c"))
				case r.n == 1:
					return do(start("f", args{"run_in_background": false}))
				case r.n == 2:
					return do(call("work", args{"description": "j", "prompt": "p", "run_in_background": true}))
				case r.has(agent.User, "try"):
					var calls []agent.Call
					for _, id := range targets {
						calls = append(calls, send(id, "hello"))
					}
					return do(calls...)
				}
				return say(strings.Join(r.results(), "\n"))
			},
			"c": func(r turnOf) (*agent.Response, error) {
				if r.n == 0 {
					return do(start("leaf"))
				}
				return say("c")
			},
			"*": saying("ok"),
		}, func(w *world) {
			w.cfg.Delegations = append([]subagent.Delegation{}, w.cfg.Delegations...)
			w.cfg.Delegations[0].Primary = true
			w.cfg.Delegations = append(w.cfg.Delegations, subagent.Delegation{Name: "work"})
		})
		defer w.close()
		w.begin("go")
		require.NoError(t, w.root.Wait(t.Context()))
		root, c, leaf, f, job := string(w.root.ID()), string(w.id("c")), string(w.id("leaf")), string(w.id("f")), string(w.id("j"))
		none := ` is none of the subagents that you started and can continue, which are: ` + c + " — c"
		targets = []string{"nobody", root, leaf, f, job}
		want := []string{
			`"nobody"` + none, fmt.Sprintf("%q", root) + none, fmt.Sprintf("%q", leaf) + none,
			f + " ran in the foreground: it cannot be continued", job + " is a job: it runs once and takes no messages",
		}
		claimed, err := w.root.Prompt(t.Context(), "try")
		require.NoError(t, err)
		require.Equal(t, want, strings.Split(claimed.End.Text, "\n"))
		for _, id := range []store.ID{w.id("leaf"), w.id("f"), w.id("j")} {
			require.Len(t, w.inbox(id), 1, "only its prompt")
		}
	})
}

// Fact "name against id": what list_agents prints of direct children, send_message accepts; ids are never used again.
func TestListedIDsAreAccepted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		line := regexp.MustCompile(`(?m)^(\S+) \[(running|idle|ready)\] — (.+)$`)
		w := newWorld(t, map[string]brain{
			"": func(r turnOf) (*agent.Response, error) {
				switch {
				case r.n == 0:
					return do(start("one"), start("two"), start("three"))
				case r.has(agent.User, "try"):
					return do(call("list_agents", args{}))
				case len(r.results()) == 1 && line.MatchString(r.results()[0]):
					var calls []agent.Call
					for _, m := range line.FindAllStringSubmatch(r.results()[0], -1) {
						calls = append(calls, send(m[1], "hello "+m[3]))
					}
					return do(calls...)
				}
				return say(strings.Join(r.results(), "\n"))
			},
			"*": func(r turnOf) (*agent.Response, error) { return say("hello") },
		})
		defer w.close()
		w.begin("go")
		require.NoError(t, w.root.Wait(t.Context()))
		claimed, err := w.root.Prompt(t.Context(), "try")
		require.NoError(t, err)
		require.Equal(t, 3, strings.Count(claimed.End.Text, "Resumed: "), claimed.End.Text)
		require.NoError(t, w.root.Wait(t.Context()))
		ids := map[store.ID]bool{}
		for _, label := range []string{"one", "two", "three"} {
			ids[w.id(label)] = true
			require.Equal(t, "hello "+label, w.log(w.id(label))[2].Text)
		}
		require.Len(t, ids, 3)
	})
}

// An id that is taken is not used: ids come from a source that may repeat itself.
func TestIDsAreNotReused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, map[string]brain{"": delegating(start("a"), start("b")), "*": saying("ok")}, func(w *world) {
			n := 0
			w.cfg.NewID = func(store.NewConversation) store.ID {
				w.mu.Lock()
				defer w.mu.Unlock()
				n++
				return store.ID(fmt.Sprintf("a%d", n/3)) // each one three times
			}
		})
		defer w.close()
		w.begin("go")
		require.NoError(t, w.root.Wait(t.Context()))
		require.NotEqual(t, w.id("a"), w.id("b"))
		require.Len(t, w.notices(w.root.ID()), 2)
	})
}

// A child is resumed with the composition that it was created with, whatever the deployment says by then.
func TestResumedAsCreated(t *testing.T) {
	bubble(t, func(t *testing.T) {
		root := func(r turnOf) (*agent.Response, error) {
			switch {
			case r.has(agent.User, "start"):
				return do(start("c"))
			case r.has(agent.User, "send"):
				return do(send("a2", "again"))
			}
			return say("ok")
		}
		type shown struct{ system, model, tools string }
		var saw []shown
		child := func(r turnOf) (*agent.Response, error) {
			var names []string
			for _, d := range r.Tools {
				names = append(names, d.Name)
			}
			saw = append(saw, shown{r.System, r.Model, strings.Join(names, " ")})
			return say(fmt.Sprintf("knows %d messages", len(r.Messages)))
		}
		first := newWorld(t, map[string]brain{"": root, "c": child}, func(w *world) {
			w.cfg.Delegations = []subagent.Delegation{{Options: continuable[0].Options, Persona: "You are the first.", Model: "one", Deny: []string{"list_agents"}}}
		})
		first.begin("start")
		require.NoError(t, first.root.Wait(t.Context()))
		id := first.root.ID()
		first.close()

		second := newWorld(t, map[string]brain{"": root, "c": child}, func(w *world) {
			w.store, w.cfg.Process = first.store, "q"
			w.cfg.Delegations = []subagent.Delegation{{Options: continuable[0].Options, Persona: "You are the second.", Model: "two", Deny: []string{"interrupt_agent"}}}
		})
		defer second.close()
		var err error
		second.root, err = second.svc.Open(t.Context(), id)
		require.NoError(t, err)
		_, err = second.root.Prompt(t.Context(), "send")
		require.NoError(t, err)
		require.NoError(t, second.root.Wait(t.Context()))
		require.Len(t, saw, 2)
		require.Equal(t, saw[0], saw[1])
		require.Contains(t, saw[0].system, "You are the first.")
		require.Equal(t, "one", saw[0].model)
		require.NotContains(t, saw[0].tools, "list_agents")
		require.Equal(t, "knows 3 messages", second.log("a2")[3].Text)
		require.Equal(t, []string{"a2/1 completed", "a2/2 completed"}, second.notices(id))
	})
}

// Fact "twins": at most one live Activation per id, over all processes that share a store: who comes second leaves the message to
// whoever has it.
func TestTwins(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, map[string]brain{
			"": func(r turnOf) (*agent.Response, error) {
				switch {
				case r.n == 0:
					return do(start("c"))
				case r.has(agent.User, "send"):
					return do(send("a2", "again"))
				case len(r.results()) > 0:
					return say(r.results()[0])
				}
				return say("ok")
			},
			"c": saying("c"),
		})
		defer w.close()
		w.begin("go")
		require.NoError(t, w.root.Wait(t.Context()))
		other, err := w.store.Acquire(t.Context(), "other", "a2")
		require.NoError(t, err)
		claimed, err := w.root.Prompt(t.Context(), "send")
		require.NoError(t, err)
		require.Contains(t, claimed.End.Text, "Delivered: a2")
		synctest.Wait()
		require.Equal(t, 1, w.asked("a2"), "it does not run here")
		messages, last, err := w.store.Claim(t.Context(), other, other.Last, store.AtTurn)
		require.NoError(t, err)
		require.Len(t, messages, 1)
		require.NoError(t, w.store.Settle(t.Context(), other, last, store.Settlement{Outcome: "completed", Activation: 2, Notice: &store.Message{
			ID: "n", To: "a1", From: "a2", Kind: store.FromSettlement, Lane: store.Step, Activation: 2, Data: agent.Content{Text: "done elsewhere"}.Encode()}}))
		require.NoError(t, w.root.Wait(t.Context()))
		require.Len(t, w.notices("a1"), 2)

		// A root has one live process, too.
		twin := newWorld(t, nil, func(v *world) { v.store, v.cfg.Process = w.store, "q" })
		defer twin.close()
		_, err = twin.svc.Open(t.Context(), "a1")
		require.ErrorIs(t, err, store.ErrHeld)
		require.ErrorContains(t, err, "by p")
	})
}

// A message sent from one process reaches a root that lives in another.
func TestSendFromElsewhere(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, map[string]brain{"": func(r turnOf) (*agent.Response, error) { return say(r.fresh()[0].Text) }})
		defer w.close()
		w.create()
		twin := newWorld(t, nil, func(v *world) { v.store, v.cfg.Process = w.store, "q" })
		defer twin.close()
		require.NoError(t, twin.svc.Send(t.Context(), "a1", "hello from q"))
		synctest.Wait()
		require.NoError(t, w.root.Wait(t.Context()))
		require.Equal(t, "hello from q", w.root.Last().Text)
		require.ErrorIs(t, twin.svc.Send(t.Context(), "nobody", "hello"), store.ErrUnknown)
	})
}

// When the store fails in the middle of a delivery, the error says what is known of the message: nothing, that it is kept, or that
// it has arrived. What has arrived is processed once, in order, when the store is back.
func TestSendWhenTheStoreFails(t *testing.T) {
	for name, c := range map[string]struct {
		step     string
		resident bool
		how      fault
		says     string
		got      []string
	}{
		"refused":  {step: "send", how: failsBefore, says: "whether the message has reached a2 is not known: the disk has failed", got: []string{"do c", "m2"}},
		"accepted": {step: "send", how: failsAfter, says: "whether the message has reached a2 is not known: the disk has failed", got: []string{"do c", "m1", "m2"}},
		"no lease": {step: "acquire", how: failsBefore, says: "a2 has stopped, and could not be resumed; the message is kept for its next turn: the disk has failed",
			got: []string{"do c", "m1", "m2"}},
		"no answer": {step: "waiting", resident: true, how: failsBefore, says: "the message has reached a2; whether it has begun a turn is not known: the disk has failed",
			got: []string{"do c", "m1", "m2"}},
		"no index": {step: "get", resident: true, how: failsBefore, says: "the disk has failed", got: []string{"do c", "m2"}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var down atomic.Bool
				var w *world
				w = newWorld(t, map[string]brain{
					"": obeying(map[string]agent.Call{"start": start("c"), "first": send("a2", "m1"), "second": send("a2", "m2")}),
					"c": func(r turnOf) (*agent.Response, error) {
						if c.resident && r.n == 0 {
							return &agent.Response{Text: "c"}, w.at(r, "go")
						}
						return say("ok")
					},
				}, failing(func(step string, id store.ID) fault {
					if down.Load() && step == c.step && id == "a2" {
						return c.how
					}
					return works
				}))
				defer w.close()
				w.create()
				prompt(t, w, "start")
				synctest.Wait()
				down.Store(true)
				require.Equal(t, c.says, prompt(t, w, "first"))
				down.Store(false)
				if c.resident {
					w.open("go")
				}
				prompt(t, w, "second")
				require.NoError(t, w.root.Wait(t.Context()))
				var got []string
				for _, m := range w.log("a2") {
					if m.Author == agent.Coordinator {
						got = append(got, m.Text)
					}
				}
				require.Equal(t, c.got, got)
				require.Len(t, w.notices("a1"), int(w.conv("a2").Activation))
			})
		})
	}
}
