package subagent_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/tool"
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

// Whatever number of notices joins one step, the model is shown a bounded part of them, the first line of each, the same in each
// request; the conversation keeps all.
func TestManyNoticesFit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const n = 200
		long := strings.Repeat("x", 10_000)
		var w *world
		var joined []string
		w = newWorld(t, map[string]brain{
			"": func(r turnOf) (*agent.Response, error) {
				switch r.n {
				case 0:
					var calls []agent.Call
					for range n {
						calls = append(calls, start("c"))
					}
					return do(calls...)
				case 1: // busy until all have settled
					if err := w.at(r, "settled"); err != nil {
						return nil, err
					}
					return do(list("children"))
				}
				got := ""
				for _, m := range r.Messages {
					if m.Author == agent.Settlement {
						require.Contains(t, m.Text, "Settlement notice of subagent "+string(m.From)+" — c. Outcome: completed.")
						require.Contains(t, m.Text, " bytes were left out here, since much came at once; the author has them]\n")
						got += m.UserText()
					}
				}
				joined = append(joined, got)
				if r.n == 2 {
					return do(list("children"))
				}
				return say("all")
			}, "*": func(r turnOf) (*agent.Response, error) { return &agent.Response{Text: long}, w.at(r, "free") },
		}, func(w *world) { w.cfg.Settings.TogetherBytes = 150_000 })
		defer w.close()
		w.begin("go")
		synctest.Wait()
		w.open("free")
		synctest.Wait()
		require.Len(t, w.notices("a1"), n)
		w.open("settled")
		require.NoError(t, w.root.Wait(t.Context()))
		require.Len(t, joined, 2)
		require.Equal(t, joined[0], joined[1])
		require.Equal(t, n, strings.Count(joined[0], "</message"))
		require.Less(t, len(joined[0]), 150_000+n*200)
		for _, m := range w.inbox("a1")[1:] {
			require.Contains(t, content(t, m).Text, long)
		}
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

// The notice counts the earlier turns of its Activation that did not end well, and not those of an Activation before; its outcome is
// that of the last turn.
func TestNoticeCountsFailedTurns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var w *world
		w = newWorld(t, map[string]brain{
			"": obeying(map[string]agent.Call{"start": start("c"), "one": send("a2", "m1"), "two": send("a2", "m2"), "three": send("a2", "m3"), "again": send("a2", "m4")}),
			"c": func(r turnOf) (*agent.Response, error) {
				if err := w.at(r, "go"); err != nil {
					return nil, err
				}
				switch r.n {
				case 0:
					return nil, errDisk
				case 1:
					return &agent.Response{Text: "cut", Stop: agent.StopTokenLimit}, nil
				case 2:
					return &agent.Response{Text: "no", Stop: agent.StopRefused}, nil
				}
				return say("well")
			},
		})
		defer w.close()
		w.create()
		prompt(t, w, "start")
		synctest.Wait()
		for _, text := range []string{"one", "two", "three"} {
			require.Contains(t, prompt(t, w, text), "Queued")
		}
		w.open("go")
		require.NoError(t, w.root.Wait(t.Context()))
		want := agents.SettlementNotice{ID: "a2", Label: "c", Outcome: agents.RunOutcomeCompleted, FailedTurns: 3, Message: tool.Some("well")}
		require.Equal(t, rendered(want), content(t, last(w.inbox("a1"))).Text)
		require.Equal(t, 3, last(w.ends).FailedTurns)
		prompt(t, w, "again")
		require.NoError(t, w.root.Wait(t.Context()))
		want.FailedTurns = 0
		require.Equal(t, rendered(want), content(t, last(w.inbox("a1"))).Text)
	})
}

// Wait returns when all is quiet, and not before the root has heard of the last end, at every interleaving.
func TestWaitIsQuiet(t *testing.T) {
	for seed := range seeds(t, 500) {
		bubble(t, func(t *testing.T) {
			w := newWorld(t, map[string]brain{"": delegating(start("a"), start("b")), "*": saying("done")}, scheduled(seed))
			defer w.close()
			w.create()
			synctest.Wait()
			w.sched.hold()
			done := make(chan struct{})
			go func() {
				defer close(done)
				require.NoError(t, w.root.Send(t.Context(), "go", false))
				require.NoError(t, w.root.Wait(t.Context()))
				require.Empty(t, unclaimed(w, "a1"), "seed %d:\n%s", seed, w.trace())
				require.Len(t, w.notices("a1"), 2, "seed %d:\n%s", seed, w.trace())
				require.Len(t, w.ends, 2, "seed %d:\n%s", seed, w.trace())
				require.False(t, w.conv("a1").Driving, "seed %d:\n%s", seed, w.trace())
			}()
			w.sched.run()
			<-done
		})
	}
}
