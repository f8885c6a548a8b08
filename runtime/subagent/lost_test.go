package subagent_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/memory"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

var looking = withTool("look", true, func(context.Context) (string, error) { return "seen", nil })

// saysAndLooks is an answer with a text and a call.
func saysAndLooks(text string) (*agent.Response, error) {
	return &agent.Response{Text: text, Calls: []agent.Call{call("look", args{})}}, nil
}

// What was lost is told as it was: the turns that had failed, and the last message that was a text, in the notice and in the index. A
// job that is lost gives no notice, and its output says what became of it.
func TestLostSaysWhatWas(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := memory.New()
		var first *process
		first = newProcess(t, s, "p", map[string]brain{
			"": obeying(map[string]agent.Call{"start": start("c"), "more": send("a2", "more"), "job": call("work", args{"description": "job", "prompt": "x", "run_in_background": true})}),
			"c": func(r turnOf) (*agent.Response, error) {
				switch r.n {
				case 0:
					<-first.fence("fail")
					return nil, errDisk
				case 1:
					return saysAndLooks("so far")
				case 2:
					return saysAndLooks(" \n")
				}
				<-r.ctx.Done()
				return nil, r.ctx.Err()
			},
			"job": func(r turnOf) (*agent.Response, error) {
				if r.n == 0 {
					return saysAndLooks("half")
				}
				<-r.ctx.Done()
				return nil, r.ctx.Err()
			},
		}, looking, func(w *world) {
			w.cfg.Delegations = []subagent.Delegation{{Options: continuable[0].Options, Primary: true}, {Name: "work"}}
		})
		first.create()
		prompt(t, first.world, "start")
		synctest.Wait()
		require.Contains(t, prompt(t, first.world, "more"), "Queued")
		first.open("fail")
		prompt(t, first.world, "job")
		synctest.Wait()
		first.kill()
		second := newProcess(t, s, "q", nil)
		defer second.close()
		time.Sleep(40 * time.Second)
		require.Equal(t, []string{"a2/1 lost"}, second.notices("a1"))
		want := agents.SettlementNotice{ID: "a2", Label: "c", Outcome: agents.RunOutcomeLost, FailedTurns: 1, Message: tool.Some("so far")}
		require.Equal(t, rendered(want), content(t, last(second.inbox("a1"))).Text)
		require.Equal(t, "so far", second.conv("a2").Text)
		require.Equal(t, "lost. Its last message:\nhalf", second.conv("a3").Text)
		require.Equal(t, "lost", second.conv("a3").Outcome)
		first.revive()
		require.NoError(t, first.svc.Close(t.Context()))
	})
}

// Whoever finds a dead process that another one has ended meanwhile has nothing to do, which is no error; one whose end is damaged
// keeps no other, and is in the error; an inbox that cannot be read keeps nobody from being told.
func TestRecoverAfterOthers(t *testing.T) {
	for name, damaged := range map[string]string{"another one was faster": "", "one is damaged": "lose", "an inbox is damaged": "waiting"} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := memory.New()
				first := newProcess(t, s, "p", map[string]brain{"": delegating(start("a"), start("b")), "*": func(r turnOf) (*agent.Response, error) {
					<-r.ctx.Done()
					return nil, r.ctx.Err()
				}})
				first.begin("go")
				synctest.Wait()
				first.kill()
				time.Sleep(time.Minute)
				faster := newWorld(t, nil, func(w *world) { w.store, w.cfg.Process = s, "q" })
				defer faster.close()
				slower := newWorld(t, nil, func(w *world) {
					w.cfg.Process = "r"
					w.store = &hooked{Store: s,
						before: func(step string, of store.ID, _ string) error {
							if step == damaged && of == "a2" {
								return store.ErrDamaged
							}
							return nil
						},
						after: func(step string, _ store.ID, _ string) error {
							if step == "dead" && damaged == "" {
								return faster.svc.Recover(t.Context())
							}
							return nil
						}}
				})
				defer slower.close()
				err := slower.svc.Recover(t.Context())
				if damaged == "lose" {
					require.ErrorIs(t, err, store.ErrDamaged)
					require.ErrorContains(t, err, "a2 cannot be ended")
					require.Equal(t, []string{"a3/1 lost"}, slower.notices("a1"))
				} else {
					require.NoError(t, err)
					require.Equal(t, []string{"a2/1 lost", "a3/1 lost"}, slower.notices("a1"))
				}
				first.revive()
				require.NoError(t, first.svc.Close(t.Context()))
			})
		})
	}
}

// Whoever opens a root whose process has died need not wait for a heartbeat: the dead are ended first. The call that had started a job
// has its result again.
func TestOpenOfTheDead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := memory.New()
		stuck := withTool("stuck", true, func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() })
		first := newProcess(t, s, "p", map[string]brain{
			"": func(turnOf) (*agent.Response, error) {
				return do(start("job", args{"run_in_background": true}), call("stuck", args{}))
			}, "job": saying("done"),
		}, oneShot, stuck)
		first.begin("go")
		synctest.Wait()
		first.kill()
		time.Sleep(time.Minute)
		second := newWorld(t, map[string]brain{"": func(r turnOf) (*agent.Response, error) { return say(r.results()[0]) }},
			oneShot, stuck, func(w *world) { w.store, w.cfg.Process = s, "q" })
		defer second.close()
		var err error
		second.root, err = second.svc.Open(t.Context(), "a1")
		require.NoError(t, err)
		require.Equal(t, rendered(agents.SubagentJob{ID: "a2", Label: "job"}), prompt(t, second, "hello"))
		first.revive()
		require.NoError(t, first.svc.Close(t.Context()))
	})
}

// A process that was paused, and that nobody has found dead, goes on: it does not find itself dead.
func TestPausedAlone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var p *process
		p = newProcess(t, memory.New(), "p", map[string]brain{
			"": delegating(start("c")), "c": func(r turnOf) (*agent.Response, error) { return &agent.Response{Text: "c"}, p.at(r, "go") },
		})
		defer p.close()
		p.begin("go")
		synctest.Wait()
		p.kill()
		time.Sleep(time.Minute)
		p.revive()
		time.Sleep(time.Minute)
		p.open("go")
		require.NoError(t, p.root.Wait(t.Context()))
		require.Equal(t, []string{"a2/1 completed"}, p.notices("a1"))
	})
}

// An Activation that was stopped after a turn of it had failed says both: it is interrupted, and counts the turn.
func TestStoppedAfterAFailure(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, map[string]brain{
			"": delegating(start("c")),
			"c": func(r turnOf) (*agent.Response, error) {
				if r.n == 0 {
					return do(start("leaf"))
				}
				return nil, errDisk
			},
			"leaf": func(r turnOf) (*agent.Response, error) { <-r.ctx.Done(); return nil, r.ctx.Err() },
		})
		defer w.close()
		w.begin("go")
		synctest.Wait()
		require.True(t, slices.ContainsFunc(w.turns, func(x turned) bool { return x.ID == "a2" && x.Outcome == agent.Failed }))
		require.NoError(t, w.svc.Stop(t.Context(), "a2"))
		synctest.Wait()
		want := agents.SettlementNotice{ID: "a2", Label: "c", Outcome: agents.RunOutcomeInterrupted, FailedTurns: 1, Parked: 1}
		require.Equal(t, rendered(want), content(t, last(w.inbox("a1"))).Text)
	})
}

// The last message of a turn is its last text, also where an answer with a call has none after it; reports and notices carry the
// child's label for programs that show them.
func TestLastTextAndLabels(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, map[string]brain{
			"": delegating(start("c")),
			"c": func(r turnOf) (*agent.Response, error) {
				switch r.n {
				case 0:
					return &agent.Response{Text: "found", Calls: []agent.Call{report("it")}}, nil
				case 1:
					return saysAndLooks(" ")
				}
				return say("")
			},
		}, looking)
		defer w.close()
		w.begin("go")
		require.NoError(t, w.root.Wait(t.Context()))
		want := agents.SettlementNotice{ID: "a2", Label: "c", Outcome: agents.RunOutcomeFailed, Reason: tool.Some(string(agent.NoAnswer)), Message: tool.Some("found")}
		told := 0
		for _, m := range w.log("a1") {
			switch m.Author {
			case agent.Settlement:
				require.Equal(t, rendered(want), m.Text)
			case agent.Report:
			default:
				continue
			}
			told++
			require.Equal(t, "c", m.Label)
		}
		require.Equal(t, 2, told)
	})
}
