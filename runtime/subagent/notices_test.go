package subagent_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
)

// A child's last message, and a report, are capped in what the parent is told; the store keeps all of it.
func TestNoticesAreCapped(t *testing.T) {
	bubble(t, func(t *testing.T) {
		long := strings.Repeat("ä", 5000)
		w := newWorld(t, map[string]brain{"": delegating(start("c")), "c": func(r turnOf) (*agent.Response, error) {
			if r.n == 0 {
				return do(report(long))
			}
			return say(long)
		}}, func(w *world) { w.cfg.NoticeBytes = 101 })
		defer w.close()
		w.begin("go")
		require.NoError(t, w.root.Wait(t.Context()))
		for _, m := range w.inbox("a1")[1:] {
			text := content(t, m).Text
			require.Less(t, len(text), 300)
			require.Contains(t, text, "ä\n[9900 bytes were left out here]\nä")
			require.True(t, utf8.ValidString(text))
		}
		require.Equal(t, long, w.conv("a2").Text)
	})
}

// A conversation that turns out to be damaged only when it has its lease settles as failed, with its notice; its place is free,
// and the message is kept.
func TestResumedAndDamaged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		reads, parks := -1, 0
		w := newWorld(t, map[string]brain{"": obeying(map[string]agent.Call{"start": start("c"), "send": send("a2", "again")}), "*": saying("c")},
			func(w *world) {
				w.store = &hooked{Store: w.store, before: func(step string, of store.ID, _ string) error {
					if step == "park" && parks < 3 {
						parks++
						return errDisk // it is tried again
					}
					if step != "log" || of != "a2" || reads < 0 {
						return nil
					}
					if reads++; reads == 2 {
						return store.ErrDamaged
					}
					return nil
				}}
			})
		defer w.close()
		w.create()
		prompt(t, w, "start")
		require.NoError(t, w.root.Wait(t.Context()))
		reads = 0
		require.Contains(t, prompt(t, w, "send"), "is damaged")
		reads = -1
		require.NoError(t, w.root.Wait(t.Context()))
		require.Equal(t, []string{"a2/1 completed", "a2/2 failed"}, w.notices("a1"))
		require.Len(t, w.probs, 1+parks)
		require.Equal(t, 3, parks)
		require.Len(t, unclaimed(w, "a2"), 1)
		require.Contains(t, prompt(t, w, "send"), "Resumed")
		require.NoError(t, w.root.Wait(t.Context()))
		require.Equal(t, []string{"a2/1 completed", "a2/2 failed", "a2/3 completed"}, w.notices("a1"))
		require.Empty(t, unclaimed(w, "a2"))
	})
}
