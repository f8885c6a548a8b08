package subagent_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/agent"
)

// Fact "polling": with children running and no event, the parent makes no model call.
func TestPolling(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var w *world
		w = newWorld(t, map[string]brain{
			"": func(r turnOf) (*agent.Response, error) {
				switch r.n {
				case 0:
					return do(start("a"), start("b"))
				case 1:
					return say("waiting")
				}
				return say("done")
			},
			"a": func(r turnOf) (*agent.Response, error) { return &agent.Response{Text: "a"}, w.at(r, "go") },
			"b": func(r turnOf) (*agent.Response, error) { return &agent.Response{Text: "b"}, w.at(r, "go") },
		})
		defer w.close()
		w.begin("go")
		synctest.Wait()
		require.Equal(t, 2, w.asked(w.root.ID()))
		w.root.Wait(canceled(t)) // asks, and wakes the loop, but is no event
		synctest.Wait()
		require.Equal(t, 2, w.asked(w.root.ID()))
		w.open("go")
		require.NoError(t, w.root.Wait(t.Context()))
		require.Equal(t, "done", w.root.Last().Text)
	})
}

// Fact "lost wake-up": N settlements at any instants, mid-turn ones too, give N notices.
func TestLostWakeUp(t *testing.T) {
	for seed := range seeds(t, 300) {
		bubble(t, func(t *testing.T) {
			const children = 4
			w := newWorld(t, map[string]brain{
				"": func(r turnOf) (*agent.Response, error) {
					switch r.n {
					case 0:
						return do(start("c0"), start("c1"))
					case 1:
						return do(start("c2"), start("c3"))
					}
					return say(fmt.Sprintf("saw %d", len(r.fresh())))
				},
				"*": func(r turnOf) (*agent.Response, error) { return say("I am " + r.Agent.Label) },
			}, scheduled(seed))
			defer w.close()
			w.begin("go")
			w.sched.run()
			require.Len(t, w.notices(w.root.ID()), children, "seed %d: %v", seed, w.sched.trace)
			require.Empty(t, unclaimed(w, w.root.ID()), "seed %d", seed)
		})
	}
}
