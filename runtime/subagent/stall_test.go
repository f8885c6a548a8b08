package subagent_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/agent"
)

// A turn in which something happens does not stall, however long it takes: a piece of an answer, the result of a call, a child for
// which a call waits. One in which nothing happens does, after the bound.
func TestStall(t *testing.T) {
	const bound, most = 10 * time.Minute, 6 * time.Minute
	slow := withTool("slow", false, func(context.Context) (string, error) {
		time.Sleep(most)
		return "done", nil
	})
	pieces := func(w *world) {
		w.cfg.Models = func(string) (agent.Model, error) {
			return agent.ModelFunc(func(_ context.Context, _ *agent.Request, delta func(agent.Delta)) (*agent.Response, error) {
				for range 5 {
					time.Sleep(most)
					delta(agent.Delta{Thought: "hm"})
				}
				return say("ok")
			}), nil
		}
	}
	for name, c := range map[string]struct {
		root, child brain
		edit        func(*world)
		outcome     agent.Outcome
		took        time.Duration
	}{
		"pieces":  {edit: pieces, outcome: agent.Completed, took: 5 * most},
		"results": {root: delegating(call("slow", args{}), call("slow", args{}), call("slow", args{})), edit: slow, outcome: agent.Completed, took: 3 * most},
		"a child": {root: delegating(start("c", args{"run_in_background": false})), edit: slow, outcome: agent.Completed, took: 3 * most,
			child: delegating(call("slow", args{}), call("slow", args{}), call("slow", args{}))},
		"nothing": {root: func(r turnOf) (*agent.Response, error) { <-r.ctx.Done(); return nil, r.ctx.Err() }, edit: slow, outcome: agent.Failed, took: bound},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w := newWorld(t, map[string]brain{"": c.root, "c": c.child}, c.edit)
				defer w.close()
				began := time.Now()
				w.begin("go")
				require.NoError(t, w.root.Wait(t.Context()))
				require.Equal(t, c.outcome, w.root.Last().Outcome, "%+v", w.root.Last())
				require.Equal(t, c.took, time.Since(began), "of the bubble's time")
				if c.outcome == agent.Failed {
					require.Equal(t, agent.Stalled, w.root.Last().Reason)
					require.ErrorIs(t, w.root.Last().Err, agent.ErrStalled)
				}
			})
		})
	}
}
