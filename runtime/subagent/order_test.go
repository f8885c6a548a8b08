package subagent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// Children that are started in one message are listed in the order of its calls, and have their ids and places in it, at every
// interleaving: whatever else the message calls, however many calls run together, and whichever of them fail.
func TestOrderOfChildren(t *testing.T) {
	foreground := args{"run_in_background": false}
	for seed := range seeds(t, 1000) {
		bubble(t, func(t *testing.T) {
			w := newWorld(t, map[string]brain{
				"": func(r turnOf) (*agent.Response, error) {
					switch r.n {
					case 0:
						return do(start("one"), call("look", args{}), start("two", foreground), call("work", args{"description": "three", "prompt": "p"}),
							call("subagent", args{"description": "nothing"}), agent.Call{Name: "functions.subagent", Arguments: start("four").Arguments},
							start("five"), call("nothing", args{}), start("six"), start("too many"))
					case 1:
						return do(start("seven"), list("children"))
					}
					return say("ok")
				},
				"two": saying("two"), "three": saying("three"),
				"*": func(r turnOf) (*agent.Response, error) { <-r.ctx.Done(); return nil, r.ctx.Err() },
			}, scheduled(seed), limited(subagent.Limits{Children: 6}), func(w *world) {
				w.cfg.Delegations = []subagent.Delegation{{Options: continuable[0].Options, Primary: true}, {Name: "work"}}
				w.cfg.Dispatch = []tool.DispatchOption{tool.WithParallel(1 + int(seed%16))}
			}, withTool("look", true, func(context.Context) (string, error) { return "", nil }))
			defer w.close()
			w.begin("go")
			w.sched.run()
			children, err := w.store.Children(t.Context(), "a1", "", 0)
			require.NoError(t, err)
			var got []string
			for _, c := range children {
				got = append(got, string(c.ID)+" "+c.Label)
			}
			want := []string{"a2 one", "a3 two", "a4 three", "a5 four", "a6 five", "a7 six"}
			// The foreground children are done some time; whether before the last start is the schedule's affair.
			require.GreaterOrEqual(t, len(got), len(want), "seed %d:\n%s", seed, w.trace())
			require.Equal(t, want, got[:len(want)], "seed %d:\n%s", seed, w.trace())
			if rest := got[len(want):]; len(rest) > 0 {
				require.True(t, slices.IsSortedFunc(rest, strings.Compare), "seed %d: %v", seed, rest)
			}
		})
	}
}

// A start waits for earlier starts of its message only: not for the work of a foreground child, nor for another tool.
func TestStartsDoNotWaitForWork(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var w *world
		held := func(r turnOf) (*agent.Response, error) { return &agent.Response{Text: "done"}, w.at(r, "go") }
		w = newWorld(t, map[string]brain{
			"": delegating(start("waits", args{"run_in_background": false}), call("slow", args{}), start("last")), "*": held,
		}, withTool("slow", true, func(ctx context.Context) (string, error) { <-w.fence("go"); return "slow", nil }))
		defer w.close()
		w.begin("go")
		synctest.Wait()
		require.Equal(t, 1, w.started("waits"))
		require.Equal(t, 1, w.started("last"))
		w.open("go")
		require.NoError(t, w.root.Wait(t.Context()))
	})
}

// A start whose message is cancelled while it waits for an earlier one starts nothing.
func TestWaitingStartIsCancelled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, map[string]brain{"": delegating(call("work", args{"description": "first", "prompt": "p"}), start("second")), "*": saying("ok")},
			func(w *world) {
				models := w.cfg.Models
				w.cfg.Models = func(name string) (agent.Model, error) {
					if name == "slow" {
						<-w.fence("go")
					}
					return models(name)
				}
				w.cfg.Delegations = []subagent.Delegation{{Options: continuable[0].Options, Primary: true}, {Name: "work", Model: "slow"}}
			})
		defer w.close()
		w.begin("go")
		synctest.Wait()
		require.Zero(t, w.started("second"), "it waits for the first one")
		_, stopped, err := w.root.Interrupt(t.Context())
		require.NoError(t, err)
		require.True(t, stopped)
		w.open("go")
		synctest.Wait()
		children, err := w.svc.Children(t.Context(), "a1")
		require.NoError(t, err)
		require.Empty(t, children)
		log := w.log("a1")
		require.Contains(t, log[3].Text, "cancelled")
	})
}

// When Prompt has returned, no listing says that the turn runs: not the service's, not the store's, at every interleaving, of a
// turn that has ended, was interrupted, or never began since its message was parked.
func TestPromptReturnsAtRest(t *testing.T) {
	ends := map[string]int{}
	for seed := range seeds(t, 500) {
		bubble(t, func(t *testing.T) {
			w := newWorld(t, map[string]brain{"": func(r turnOf) (*agent.Response, error) { return say("ok") }}, scheduled(seed))
			defer w.close()
			w.create()
			synctest.Wait()
			w.sched.hold()
			done := make(chan struct{})
			go func() {
				defer close(done)
				c, err := w.root.Prompt(t.Context(), "go")
				require.NoError(t, err)
				ends[fmt.Sprint(c.End.Outcome, c.Parked)]++
				require.False(t, w.conv("a1").Driving, "seed %d:\n%s", seed, w.trace())
				entries, err := w.svc.Children(context.Background(), "")
				require.NoError(t, err)
				require.Equal(t, agents.AgentActivityRunning, entries[0].Activity)
				require.False(t, entries[0].Driving, "seed %d:\n%s", seed, w.trace())
			}()
			for n := uint64(0); w.sched.step(); n++ {
				if n == seed%16 {
					go func() { _, _, _ = w.root.Interrupt(t.Context()) }()
				}
			}
			<-done
		})
	}
	require.NotZero(t, ends["completedfalse"])
	require.NotZero(t, ends["interruptedfalse"])
}
