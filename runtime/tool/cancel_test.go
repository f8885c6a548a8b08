package tool_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// events records what hooks are told.
type events struct {
	mu   sync.Mutex
	list []string
}

func (e *events) add(format string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, fmt.Sprintf(format, args...))
}

func (e *events) hooks() tool.Hooks {
	return tool.Hooks{
		Refused: func(_ context.Context, inv *tool.Invocation, res tool.CallResult) {
			e.add("refused %s %s", inv.Call().ID, res.Outcome)
		},
		Start: func(_ context.Context, inv *tool.Invocation) { e.add("start %s", inv.Call().ID) },
		Finish: func(_ context.Context, inv *tool.Invocation, res tool.CallResult) {
			e.add("finish %s %s", inv.Call().ID, res.Outcome)
		},
		Abandoned: func(_ context.Context, inv *tool.Invocation, res tool.CallResult) {
			e.add("abandoned %s %s", inv.Call().ID, res.Outcome)
		},
		Returned: func(_ context.Context, inv *tool.Invocation, err error) { e.add("returned %s %v", inv.Call().ID, err) },
	}
}

// want compares what hooks were told since the last time. What several calls do at once has no order.
func (e *events) want(t *testing.T, list ...string) {
	t.Helper()
	synctest.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	slices.Sort(e.list)
	slices.Sort(list)
	if !cmp.Equal(list, e.list) {
		t.Errorf("hooks were told otherwise:\n%s", cmp.Diff(list, e.list))
	}
	e.list = nil
}

// A cancelled message has a result for each call, and says which had started.
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e events
		d := scopeWith(t, fixture{name: "s", safe: true, run: nap}, fixture{name: "x", run: nap}).Dispatcher(tool.WithHooks(e.hooks()))
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("the user said stop")
		time.AfterFunc(2*time.Second, func() { cancel(stop) })
		results := d.Dispatch(ctx, append(calls("s 1s", "s 1h", "x 1s", "nowhere "), tool.Call{ID: "5", Name: "x", Arguments: []byte(`{}`)}))
		const (
			before = "the call was cancelled before the tool started; nothing was done"
			during = "the call was cancelled after the tool had started; part of its work may be done"
		)
		for i, want := range []struct {
			outcome tool.Outcome
			started bool
			text    string
		}{
			{tool.Done, true, "slept 1s"}, {tool.Cancelled, true, during}, {tool.Cancelled, false, before},
			{tool.Unknown, false, `there is no tool "nowhere"; the tools are s, x`}, {tool.Refused, false, ""},
		} {
			r := results[i]
			if r.Outcome != want.outcome || r.Started != want.started || want.text != "" && r.Text != want.text || r.Abandoned {
				t.Errorf("call %d: %+v", i+1, r)
			}
			if cancelled := r.Outcome == tool.Cancelled; cancelled != errors.Is(r.Err, context.Canceled) || cancelled && !r.Started != errors.Is(r.Err, stop) {
				t.Errorf("call %d: error %v", i+1, r.Err)
			}
		}
		if got := results[0].Duration; got != time.Second {
			t.Errorf("the first call took %s", got)
		}
		e.list = e.list[2:] // those of the refused calls come first, in order
		e.want(t, "start 1", "start 2", "finish 1 done", "refused 3 cancelled", "finish 2 cancelled")
	})
}

// After its context has ended nothing starts, and what completes all the same counts.
func TestCancelledBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := scopeWith(t, fixture{name: "s", safe: true, run: deaf}).Dispatcher()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if r := d.Dispatch(ctx, calls("s 1500ms"))[0]; r.Text != "slept 1500ms" || r.Outcome != tool.Done {
			t.Errorf("%+v", r)
		}
		if r := d.Dispatch(ctx, calls("s 0s"))[0]; r.Started || r.Outcome != tool.Cancelled || !errors.Is(r.Err, context.DeadlineExceeded) {
			t.Errorf("%+v", r)
		}
	})
}

// What waits when its message is cancelled leaves its place at once, and keeps nobody waiting.
func TestCancelOfWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e events
		d := scopeWith(t, fixture{name: "s", safe: true, run: deaf}, fixture{name: "x", run: deaf}).Dispatcher(tool.WithHooks(e.hooks()))
		send := func(ctx context.Context, id, of string) (wait func() tool.CallResult) {
			list := calls(of)
			list[0].ID = id
			done := make(chan tool.CallResult, 1)
			go func() { done <- d.Dispatch(ctx, list)[0] }()
			synctest.Wait()
			return func() tool.CallResult { return <-done }
		}
		ctx, cancel := context.WithCancel(t.Context())
		first := send(t.Context(), "first", "s 1h")
		waits := send(ctx, "waits", "x 1h")
		behind := send(t.Context(), "behind", "s 1s")
		e.want(t, "start first")
		cancel()
		if r := waits(); r.Started || r.Abandoned || r.Outcome != tool.Cancelled {
			t.Errorf("%+v", r)
		}
		e.want(t, "start behind", "refused waits cancelled")
		behind()
		first()

		// Behind a handler that does not listen.
		ctx, cancel = context.WithCancel(t.Context())
		begun := time.Now()
		time.AfterFunc(time.Second, cancel)
		results := d.Dispatch(ctx, calls("x 1h", "x 1s", "s 1s"))
		if took := time.Since(begun); took != time.Second+tool.DefaultGrace || d.Abandoned() != 1 || !results[0].Abandoned {
			t.Errorf("after %s: %+v", took, results)
		}
		for _, r := range results[1:] {
			if r.Started || r.Abandoned || r.Outcome != tool.Cancelled {
				t.Errorf("%+v", r)
			}
		}
		must(t, d.Wait(t.Context()))
	})
}

// A handler that does not listen is abandoned: its result comes, and it is counted until it returns.
func TestAbandon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e events
		d := scopeWith(t, fixture{name: "s", safe: true, run: deaf}).Dispatcher(tool.WithGrace(3*time.Second), tool.WithHooks(e.hooks()))
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		begun := time.Now()
		results := d.Dispatch(ctx, calls("s 1m", "s 4s"))
		if took := time.Since(begun); took != 5*time.Second {
			t.Errorf("the results came after %s", took)
		}
		r := results[0]
		if !r.Abandoned || r.Outcome != tool.Cancelled || !r.Started || r.Duration != 5*time.Second ||
			!strings.HasSuffix(r.Text, "it has not stopped, and may still be at work") {
			t.Errorf("%+v", r)
		}
		if results[1].Text != "slept 4s" {
			t.Errorf("%+v", results[1])
		}
		if n := d.Abandoned(); n != 1 {
			t.Errorf("%d abandoned", n)
		}
		e.want(t, "start 1", "start 2", "finish 2 done", "abandoned 1 cancelled")
		short, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if err := d.Wait(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait: %v", err)
		}
		if err := d.Wait(t.Context()); err != nil || time.Since(begun) != time.Minute || d.Abandoned() != 0 {
			t.Errorf("Wait: %v after %s, %d abandoned", err, time.Since(begun), d.Abandoned())
		}
		e.want(t, "returned 1 <nil>")
	})
}

// The deadline is the tool's own: the other calls of the message go on.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := scopeWith(t,
			fixture{name: "listens", safe: true, timeout: 2 * time.Second, run: nap},
			fixture{name: "deaf", safe: true, timeout: 2 * time.Second, run: deaf},
			fixture{name: "free", safe: true, run: nap},
		).Dispatcher(tool.WithParallel(2), tool.WithGrace(time.Second))
		begun := time.Now()
		results := d.Dispatch(t.Context(), calls("deaf 1h", "free 1m", "listens 1h", "deaf 2500ms", "free 10s"))
		want := []string{
			"the tool did not finish within 2s; part of its work may be done; it has not stopped, and may still be at work", "slept 1m",
			"the tool did not finish within 2s; part of its work may be done", "slept 2500ms", "slept 10s",
		}
		if got := texts(results); !cmp.Equal(got, want) {
			t.Error(cmp.Diff(want, got))
		}
		for _, i := range []int{0, 2} {
			var late *tool.DeadlineError
			if r := results[i]; r.Outcome != tool.TimedOut || !errors.As(r.Err, &late) || late.Limit != 2*time.Second || !errors.Is(r.Err, context.DeadlineExceeded) ||
				(late.Err == nil) != r.Abandoned {
				t.Errorf("%+v", r)
			}
		}
		if took := time.Since(begun); took != time.Minute { // the abandoned call takes no place from the others
			t.Errorf("it took %s", took)
		}
		if err := d.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A deployment's deadline takes the place of the contract's.
func TestDeadlineOfMount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := tool.NewRegistry()
		f := fixture{name: "s", timeout: time.Second, run: nap}
		f.mount(t, reg, tool.Deadline(time.Minute))
		scope, err := reg.Scope()
		must(t, err)
		if got := texts(scope.Dispatcher().Dispatch(t.Context(), calls("s 59s", "s 61s"))); got[0] != "slept 59s" || !strings.Contains(got[1], "within 1m0s") {
			t.Errorf("%q", got)
		}
	})
}

// An abandoned handler still counts for exclusivity, until it returns or the hold is over.
func TestHold(t *testing.T) {
	for _, c := range []struct {
		abandoned, first, second string
		hold, begins             time.Duration
	}{
		// The deadline of 1s and the grace of 1s end at 2s.
		{"x 10s", "x 0s", "s 0s", time.Minute, 10 * time.Second},
		{"x 1h", "x 0s", "s 0s", time.Minute, 62 * time.Second},
		{"x 1h", "s 0s", "x 0s", time.Minute, 62 * time.Second},
		{"x 1h", "s 0s", "s 0s", 0, 2 * time.Second},
		{"s 10s", "x 0s", "s 0s", time.Minute, 10 * time.Second},
		{"s 1h", "x 0s", "s 0s", time.Minute, 62 * time.Second},
		{"s 1h", "s 0s", "s 0s", time.Minute, 2 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			var began time.Duration
			d := scopeWith(t, fixture{name: "x", timeout: time.Second, run: deaf}, fixture{name: "s", safe: true, timeout: time.Second, run: deaf}).
				Dispatcher(tool.WithParallel(1), tool.WithHold(c.hold), tool.WithHooks(tool.Hooks{Start: func(_ context.Context, inv *tool.Invocation) {
					if inv.Call().Meta != nil {
						began = time.Since(begun)
					}
				}}))
			if r := d.Dispatch(t.Context(), calls(c.abandoned)); !r[0].Abandoned {
				t.Fatalf("%+v: %+v", c, r)
			}
			list := calls(c.first, c.second)
			list[0].Meta = "the first"
			for _, r := range d.Dispatch(t.Context(), list) {
				if r.Outcome != tool.Done {
					t.Errorf("%+v: %+v", c, r)
				}
			}
			if began != c.begins {
				t.Errorf("%+v: the next call began after %s", c, began)
			}
			must(t, d.Wait(t.Context()))
			begun = time.Now()
			for _, r := range d.Dispatch(t.Context(), calls("s 500ms", "x 500ms", "s 500ms", "s 500ms")) {
				if r.Outcome != tool.Done {
					t.Errorf("%+v: afterwards %+v", c, r)
				}
			}
			if took := time.Since(begun); took != 2*time.Second { // the limit is 1, as before
				t.Errorf("%+v: afterwards four calls took %s", c, took)
			}
		})
	}
}

// Whatever handlers do and whenever messages are cancelled: every call has its result by the end of the grace, and the
// dispatcher comes to rest. A goroutine that stays would fail the test.
func TestCancelAtAnyTime(t *testing.T) {
	for seed := range uint64(300) {
		synctest.Test(t, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 3))
			const grace = 7 * time.Millisecond
			var kinds []fixture
			for i, run := range []func(context.Context, string) (tool.Output, error){nap, deaf, wild} {
				kinds = append(kinds, fixture{name: fmt.Sprintf("s%d", i), safe: true, run: run, timeout: 15 * time.Millisecond},
					fixture{name: fmt.Sprintf("x%d", i), run: run})
			}
			var started, ended sync.Map
			d := scopeWith(t, kinds...).Dispatcher(tool.WithGrace(grace), tool.WithParallel(1+rnd.IntN(3)), tool.WithHold(time.Duration(rnd.IntN(30))*time.Millisecond),
				tool.WithHooks(tool.Hooks{
					Start:     func(_ context.Context, inv *tool.Invocation) { started.Store(inv, true) },
					Finish:    func(_ context.Context, inv *tool.Invocation, _ tool.CallResult) { ended.Store(inv, true) },
					Abandoned: func(_ context.Context, inv *tool.Invocation, _ tool.CallResult) { ended.Store(inv, true) },
				}))
			var wg sync.WaitGroup
			for range 1 + rnd.IntN(4) {
				var list []string
				for range 1 + rnd.IntN(6) {
					q := fmt.Sprintf("%dms", rnd.IntN(40))
					if rnd.IntN(6) == 0 {
						q = "exit"
					}
					list = append(list, kinds[rnd.IntN(len(kinds))].name+" "+q)
				}
				limit := time.Duration(rnd.IntN(60)) * time.Millisecond
				wg.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), limit)
					defer cancel()
					begun := time.Now()
					results := d.Dispatch(ctx, calls(list...))
					if took := time.Since(begun); took > limit+grace {
						t.Errorf("seed %d: it took %s, with %s to do it in", seed, took, limit)
					}
					for i, r := range results {
						if r.ID != fmt.Sprint(i+1) || r.Outcome == "" || r.Text == "" || r.Abandoned && !r.Started && r.Outcome != tool.Cancelled {
							t.Errorf("seed %d: %+v", seed, r)
						}
					}
				})
			}
			wg.Wait()
			must(t, d.Wait(t.Context()))
			if n := d.Abandoned(); n != 0 {
				t.Errorf("seed %d: %d abandoned", seed, n)
			}
			started.Range(func(inv, _ any) bool {
				if _, ok := ended.Load(inv); !ok {
					t.Errorf("seed %d: a call started and has not ended", seed)
				}
				return true
			})
			if r := d.Dispatch(t.Context(), calls("x0 0s")); r[0].Outcome != tool.Done {
				t.Errorf("seed %d: afterwards %+v", seed, r)
			}
		})
	}
}
