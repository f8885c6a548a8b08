package subagent_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
)

// A step that began a residency, and of which the store said for longer than there is patience that it had failed, leaves no lease
// without an agent: the residency ends as failed, with its notice, as soon as the store is back, and the parent comes to rest. The
// message is kept for the next turn.
func TestNoResidencyWithoutAgent(t *testing.T) {
	for name, c := range map[string]struct {
		step    string
		before  []string // what is said before the store fails
		fails   string   // what is said while it does
		notices []string
	}{
		"start":  {step: "start", fails: "start", notices: []string{"a2/1 failed"}},
		"resume": {step: "acquire", before: []string{"start"}, fails: "send", notices: []string{"a2/1 completed", "a2/2 failed"}},
	} {
		for _, ends := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					var down, began atomic.Bool
					w := newWorld(t, map[string]brain{
						"": obeying(map[string]agent.Call{"start": start("c"), "send": send("a2", "again")}), "c": saying("done"),
					}, func(w *world) {
						w.store = &hooked{Store: w.store,
							before: func(step string, _ store.ID, _ string) error {
								if down.Load() && step == c.step && began.Load() {
									return errDisk
								}
								return nil
							},
							after: func(step string, _ store.ID, _ string) error {
								if down.Load() && step == c.step {
									began.Store(true)
									return errDisk
								}
								return nil
							}}
					})
					defer w.close()
					w.create()
					for _, text := range c.before {
						prompt(t, w, text)
						require.NoError(t, w.root.Wait(t.Context()))
					}
					w.mu.Lock()
					calls := w.calls["a2"]
					w.mu.Unlock()
					down.Store(true)
					require.Contains(t, prompt(t, w, c.fails), "the disk has failed")
					down.Store(false)
					if ends {
						w.close() // nor does it keep the service from ending
					} else {
						require.NoError(t, w.root.Wait(t.Context()))
					}
					require.Equal(t, c.notices, w.notices("a1"))
					require.Len(t, unclaimed(w, "a2"), 1)
					require.Equal(t, calls, w.calls["a2"], "no turn of it ran")
					if ends {
						return
					}
					require.Contains(t, prompt(t, w, "send"), "Resumed")
					require.NoError(t, w.root.Wait(t.Context()))
					require.Empty(t, unclaimed(w, "a2"))
					require.Equal(t, calls+1, w.calls["a2"])
				})
			})
		}
	}
}

// A root whose lease was given while the store seemed to fail can be opened all the same, and by its own process.
func TestOpenAfterFailure(t *testing.T) {
	for _, step := range []string{"acquire", "park"} {
		bubble(t, func(t *testing.T) {
			var fails atomic.Bool
			w := newWorld(t, map[string]brain{"": saying("hello")}, func(w *world) {
				w.store = &hooked{Store: w.store, after: func(s string, _ store.ID, _ string) error {
					if s == step && fails.CompareAndSwap(true, false) {
						return errDisk
					}
					return nil
				}}
			})
			defer w.close()
			w.create()
			require.NoError(t, w.root.Close(t.Context()))
			fails.Store(true)
			_, err := w.svc.Open(t.Context(), "a1")
			require.ErrorIs(t, err, errDisk)
			w.root, err = w.svc.Open(t.Context(), "a1")
			require.NoError(t, err)
			require.Equal(t, "hello", prompt(t, w, "hello"))
		})
	}
}
