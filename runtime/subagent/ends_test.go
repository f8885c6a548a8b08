package subagent_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
)

// Whoever is told of residencies hears of the end of one before the beginning of the next, also where the parent resumes a child
// whose agent has not yet come back from the step that settled it.
func TestEndsComeBeforeBeginnings(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var heard []string
		w := newWorld(t, map[string]brain{
			"": func(r turnOf) (*agent.Response, error) {
				switch {
				case r.n == 0:
					return do(start("c"))
				case r.has(agent.Settlement, "turn 0"):
					return do(send("a2", "again"))
				}
				return say("ok")
			},
			"c": func(r turnOf) (*agent.Response, error) { return say(fmt.Sprint("turn ", r.n)) },
		}, func(w *world) {
			acquired, first := make(chan struct{}), true
			w.store = &hooked{Store: w.store, after: func(step string, of store.ID, _ string) error {
				switch {
				case step == "acquire" && of == "a2":
					close(acquired)
				case step == "settle" && of == "a2" && first:
					first = false
					<-acquired
					time.Sleep(time.Second) // of the bubble's time: until nothing else can go on
				}
				return nil
			}}
			started, settled := w.cfg.Observer.Started, w.cfg.Observer.Settled
			note := func(what string, id agent.Identity) {
				w.mu.Lock()
				defer w.mu.Unlock()
				if id.ID == "a2" {
					heard = append(heard, what)
				}
			}
			w.cfg.Observer.Started = func(id agent.Identity, resumed bool) {
				started(id, resumed)
				note("started", id)
			}
			w.cfg.Observer.Settled = func(id agent.Identity, e agent.End) {
				settled(id, e)
				note(fmt.Sprint("settled ", e.Activation), id)
			}
		})
		defer w.close()
		w.begin("go")
		require.NoError(t, w.root.Wait(t.Context()))
		w.mu.Lock()
		got := slices.Clone(heard)
		w.mu.Unlock()
		require.Equal(t, []string{"started", "settled 1", "started", "settled 2"}, got)
	})
}
