package subagent_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
)

// Fact "cancel stops half way": cancelling a child cancels every descendant and its running tools, and leaves its parent and
// siblings running. No goroutine is left: the bubble would say so.
func TestCancelTree(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var cancelled atomic.Int32
		var w *world
		tree := func(r turnOf) (*agent.Response, error) {
			if r.Agent.Depth < 3 && r.n == 0 {
				return do(start(r.Agent.Label+"x"), start(r.Agent.Label+"y"))
			}
			return do(call("slow", args{}))
		}
		w = newWorld(t, map[string]brain{
			"": delegating(start("c"), start("sibling")), "*": tree,
			"sibling": func(r turnOf) (*agent.Response, error) { return &agent.Response{Text: "well"}, w.at(r, "sibling") },
		}, withTool("slow", true, func(ctx context.Context) (string, error) {
			<-ctx.Done()
			if errors.Is(context.Cause(ctx), agent.ErrStopped) {
				cancelled.Add(1)
			}
			return "", ctx.Err()
		}))
		defer w.close()
		w.begin("go")
		synctest.Wait()
		require.NoError(t, w.svc.Stop(t.Context(), w.id("c")))
		require.EqualValues(t, 7, cancelled.Load(), "the child, its two and their four")
		require.Len(t, w.ends, 7)
		depth := 3
		for _, e := range w.ends {
			require.Equal(t, agent.Interrupted, e.Outcome)
			require.LessOrEqual(t, e.Depth, depth, "leaves first")
			depth = min(depth, e.Depth+1)
		}
		synctest.Wait()
		require.True(t, w.conv(w.id("sibling")).Resident)
		require.True(t, w.conv("a1").Resident)
		require.Equal(t, []string{string(w.id("c")) + "/1 interrupted"}, w.notices("a1"), "the parent is told")
		w.open("sibling")
		require.NoError(t, w.root.Wait(t.Context()))
		require.Equal(t, 4, w.asked("a1"), "woken for each of the two")
	})
}

// Fact "late child": at every interleaving of a start and a stop, the child is refused, or starts cancelled; nothing is left
// running, and whoever was started settles.
func TestLateChild(t *testing.T) {
	refused, cancelled := 0, 0
	for seed := range seeds(t, 1000) {
		bubble(t, func(t *testing.T) {
			w := newWorld(t, map[string]brain{
				"": delegating(start("c")),
				"c": func(r turnOf) (*agent.Response, error) {
					if r.n == 0 {
						return do(start("x"), start("y", args{"run_in_background": false}))
					}
					return say("c")
				},
				"*": func(r turnOf) (*agent.Response, error) { <-r.ctx.Done(); return nil, r.ctx.Err() },
			}, scheduled(seed))
			defer w.close()
			w.begin("go")
			for n := 0; w.sched.step(); {
				if w.started("c") == 0 {
					continue
				}
				if n == int(seed%31) {
					go func() { _ = w.svc.Stop(context.Background(), "a2") }()
				}
				n++
			}
			if w.conv("a2").Resident { // the seed's number of steps was never reached
				go func() { _ = w.svc.Stop(context.Background(), "a2") }()
				w.sched.run()
			}
			w.sched.open()
			time.Sleep(time.Minute)
			started := len(w.starts["x"]) + len(w.starts["y"])
			refused += 2 - started
			cancelled += started
			residents, err := w.store.Residents(t.Context(), "a1")
			require.NoError(t, err)
			require.Empty(t, residents, "seed %d:\n%s", seed, w.trace())
			require.Len(t, w.ends, started+1, "seed %d", seed)
			require.Equal(t, []string{"a2/1 interrupted"}, w.notices("a1"), "seed %d:\n%s", seed, w.trace())
		})
	}
	require.NotZero(t, refused)
	require.NotZero(t, cancelled)
}

// A handler that does not honour its context is abandoned, counted and reported; it holds up neither the turn's end nor, for
// longer than a bound, a later exclusive call.
func TestAbandonedHandler(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var w *world
		w = newWorld(t, map[string]brain{"": obeying(map[string]agent.Call{
			"deaf": call("deaf", args{}), "quick": call("quick", args{}),
		})}, withTool("deaf", false, func(context.Context) (string, error) { <-w.fence("deaf"); return "late", nil }),
			withTool("quick", false, func(context.Context) (string, error) { return "quick", nil }))
		defer w.close()
		w.create()
		require.NoError(t, w.root.Send(t.Context(), "deaf", false))
		synctest.Wait()
		_, stopped, err := w.root.Interrupt(t.Context())
		require.NoError(t, err)
		require.True(t, stopped)
		require.Equal(t, 1, w.root.Last().Abandoned)
		require.Len(t, w.probs, 1)
		require.ErrorContains(t, w.probs[0], "the handler of deaf goes on although its context has ended")
		require.Equal(t, "quick", prompt(t, w, "quick"), "the exclusive call waits for the bound only")
		w.open("deaf")
	})
}

// Closing the service ends every agent, leaves before their parents, and loses nothing: the notices wait, and the root can be
// opened again.
func TestClose(t *testing.T) {
	bubble(t, func(t *testing.T) {
		held := func(r turnOf) (*agent.Response, error) { <-r.ctx.Done(); return nil, r.ctx.Err() }
		w := newWorld(t, map[string]brain{"": delegating(start("a"), start("b")), "*": held})
		w.begin("go")
		synctest.Wait()
		w.close()
		residents, err := w.store.Residents(t.Context(), "")
		require.NoError(t, err)
		require.Empty(t, residents)
		require.Len(t, w.notices("a1"), 2)
		_, err = w.svc.Create(t.Context(), rootSpec)
		require.Error(t, err)
		_, err = w.root.Prompt(t.Context(), "too late")
		require.ErrorIs(t, err, agent.ErrStopped)

		again := newWorld(t, map[string]brain{"": func(r turnOf) (*agent.Response, error) {
			var got []string
			for _, m := range r.fresh() {
				got = append(got, string(m.Author))
			}
			return say(strings.Join(got, " "))
		}}, func(v *world) { v.store, v.cfg.Process = w.store, "q" })
		defer again.close()
		again.root, err = again.svc.Open(t.Context(), "a1")
		require.NoError(t, err)
		synctest.Wait()
		require.Zero(t, again.asked("a1"), "what waits begins no turn by itself")
		require.Equal(t, "settlement settlement user", prompt(t, again, "hello"))
	})
}

// A service whose store does not answer any more can still be closed: its agents are abandoned.
func TestCloseWithoutStore(t *testing.T) {
	bubble(t, func(t *testing.T) {
		down := false
		w := newWorld(t, map[string]brain{"": delegating(start("a")), "*": func(r turnOf) (*agent.Response, error) {
			<-r.ctx.Done()
			return nil, r.ctx.Err()
		}}, failing(func(string, store.ID) fault {
			if down {
				return failsBefore
			}
			return works
		}))
		w.begin("go")
		synctest.Wait()
		down = true
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.ErrorIs(t, w.svc.Close(ctx), context.DeadlineExceeded)
		synctest.Wait()
		for _, e := range w.ends {
			require.True(t, e.LeaseLost)
			require.Equal(t, agent.Lost, e.Outcome)
		}
		require.Len(t, w.ends, 2)
	})
}

// Closing ends with its context even where the store hangs, and does not answer at all.
func TestCloseWhileTheStoreHangs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hang := make(chan struct{})
		w := newWorld(t, nil, func(w *world) {
			w.cfg.Heartbeat = 0
			w.store = &hooked{Store: w.store, before: func(step string, _ store.ID, _ string) error {
				if step == "heartbeat" {
					<-hang
				}
				return nil
			}}
		})
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := w.svc.Close(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "the store does not answer")
		close(hang)
	})
}

// Fact "headless exit": a run that ends while children are resident names them.
func TestWaitNamesThoseLeft(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var w *world
		w = newWorld(t, map[string]brain{"": delegating(start("a"), start("b")),
			"a": saying("a"), "b": func(r turnOf) (*agent.Response, error) { return &agent.Response{Text: "b"}, w.at(r, "b") }})
		defer w.close()
		w.begin("go")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := w.root.Wait(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		left, err := w.root.Left(t.Context())
		require.NoError(t, err)
		require.Len(t, left, 1)
		require.Equal(t, "b", left[0].Label)
		w.open("b")
		require.NoError(t, w.root.Wait(t.Context()))
		left, err = w.root.Left(t.Context())
		require.NoError(t, err)
		require.Empty(t, left)
	})
}
