package tool_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// wild is a handler that does what its argument says.
func wild(ctx context.Context, q string) (tool.Output, error) {
	switch q {
	case "nil":
		return nil, nil
	case "error":
		return nil, errors.New("no luck")
	case "panic":
		panic("secret place")
	case "panic nil":
		panic(nil) //nolint:govet // on purpose
	case "exit":
		runtime.Goexit()
	case "bad text":
		return outputFunc(func([]byte) []byte { panic("no text") }), nil
	case "bad error":
		return nil, badError{}
	}
	return nap(ctx, q)
}

type outputFunc func(b []byte) []byte

func (outputFunc) ResultName() string           { return "" }
func (f outputFunc) AppendText(b []byte) []byte { return f(b) }

type badError struct{}

func (badError) Error() string { panic("no error") }

// I6: each call has one result, in call order, whatever happens to it and to the others.
func TestOneResultPerCall(t *testing.T) {
	outcomes := map[string]tool.Outcome{
		"nil": tool.Failed, "error": tool.Failed, "panic": tool.Panicked, "panic nil": tool.Panicked, "exit": tool.Panicked,
		"bad text": tool.Panicked, "bad error": tool.Panicked, "1s": tool.Done, "3s": tool.Done, "0s": tool.Done,
	}
	var kinds []string
	for k := range outcomes {
		kinds = append(kinds, k)
	}
	for seed := range uint64(200) {
		synctest.Test(t, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			d := scopeWith(t, fixture{name: "together", safe: true, run: wild}, fixture{name: "alone", run: wild}).
				Dispatcher(tool.WithParallel(1 + rnd.IntN(4)))
			var list []tool.Call
			var want []tool.Outcome
			for range rnd.IntN(20) {
				switch rnd.IntN(10) {
				case 0:
					list = append(list, tool.Call{ID: "x", Name: "nowhere"})
					want = append(want, tool.Unknown)
				case 1:
					list = append(list, tool.Call{Name: "alone", Arguments: []byte(`{"q":`)})
					want = append(want, tool.Refused)
				default:
					k := kinds[rnd.IntN(len(kinds))]
					list = append(list, calls([]string{"together ", "alone "}[rnd.IntN(2)]+k)...)
					want = append(want, outcomes[k])
				}
			}
			results := d.Dispatch(t.Context(), list)
			if len(results) != len(list) {
				t.Fatalf("%d results of %d calls", len(results), len(list))
			}
			ids := map[string]bool{}
			for i, r := range results {
				if r.Outcome != want[i] || r.IsError != (want[i] != tool.Done) || r.Text == "" || r.Name != list[i].Name || ids[r.ID] || r.ID == "" {
					t.Errorf("seed %d, call %d, %s %s: %+v, want %s", seed, i, list[i].Name, list[i].Arguments, r, want[i])
				}
				if (r.Outcome == tool.Unknown || r.Outcome == tool.Refused) != (r.Err == nil && !r.Started && r.IsError) {
					t.Errorf("seed %d, call %d: %+v", seed, i, r)
				}
				if strings.Contains(r.Text, "secret") {
					t.Errorf("a panic's value reached the model: %s", r.Text)
				}
				ids[r.ID] = true
			}
			if err := d.Wait(t.Context()); err != nil || d.Abandoned() != 0 {
				t.Errorf("seed %d: %v, %d abandoned", seed, err, d.Abandoned())
			}
		})
	}
}

// watch is a handler that records who runs beside whom.
type watch struct {
	mu          sync.Mutex
	safe, alone int
	most        int      // safe calls that ran together
	order       []string // in which calls began
	faults      []string
}

func (w *watch) handler(alone bool) func(context.Context, string) (tool.Output, error) {
	return func(ctx context.Context, q string) (tool.Output, error) {
		w.mu.Lock()
		if alone && w.safe+w.alone > 0 || w.alone > 0 {
			w.faults = append(w.faults, fmt.Sprintf("%s runs beside %d safe and %d exclusive calls", q, w.safe, w.alone))
		}
		w.order = append(w.order, q)
		if alone {
			w.alone++
		} else {
			w.safe++
			w.most = max(w.most, w.safe)
		}
		w.mu.Unlock()
		_, err := nap(ctx, q[strings.Index(q, ":")+1:])
		w.mu.Lock()
		if alone {
			w.alone--
		} else {
			w.safe--
		}
		w.mu.Unlock()
		return tool.Plain(q), err
	}
}

// Exclusive calls overlap with nothing, safe ones with each other up to the limit, and every call has its turn in the order
// of the calls: over many random messages, sent at once and one after another.
func TestTurns(t *testing.T) {
	overlapped := false
	for seed := range uint64(300) {
		synctest.Test(t, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 2))
			limit := 1 + rnd.IntN(5)
			var w watch
			d := scopeWith(t, fixture{name: "together", safe: true, run: w.handler(false)}, fixture{name: "alone", run: w.handler(true)}).
				Dispatcher(tool.WithParallel(limit))
			var wg sync.WaitGroup
			var want []string
			for message := range 1 + rnd.IntN(4) {
				var list []string
				for i := range 1 + rnd.IntN(8) {
					q := fmt.Sprintf("%d.%d:%dms", message, i, rnd.IntN(20))
					list = append(list, []string{"together ", "alone "}[rnd.IntN(3)/2]+q)
					want = append(want, q)
				}
				wg.Go(func() {
					results := d.Dispatch(t.Context(), calls(list...))
					for i, r := range results {
						if _, q, _ := strings.Cut(list[i], " "); r.Text != q || r.IsError {
							t.Errorf("seed %d: %+v, want %s", seed, r, q)
						}
					}
				})
				synctest.Wait() // the message is in the queue
			}
			wg.Wait()
			if w.most > limit || len(w.faults) > 0 {
				t.Errorf("seed %d: %d safe calls at once, of %d; %q", seed, w.most, limit, w.faults)
			}
			overlapped = overlapped || w.most > 1
			if limit == 1 && !cmp.Equal(want, w.order) {
				t.Errorf("seed %d: %s", seed, cmp.Diff(want, w.order))
			}
		})
	}
	if !overlapped {
		t.Error("no two safe calls ever ran together")
	}
}

// Fences in place of chance: what runs when, step by step, over several messages.
func TestTurnsStepByStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gates := map[string]chan struct{}{}
		for _, q := range []string{"a", "b", "c", "X", "d", "Y", "e"} {
			gates[q] = make(chan struct{})
		}
		running := map[string]bool{}
		var mu sync.Mutex
		hold := func(_ context.Context, q string) (tool.Output, error) {
			mu.Lock()
			running[q] = true
			mu.Unlock()
			<-gates[q]
			mu.Lock()
			delete(running, q)
			mu.Unlock()
			return tool.Plain(q), nil
		}
		d := scopeWith(t, fixture{name: "s", safe: true, run: hold}, fixture{name: "x", run: hold}).Dispatcher(tool.WithParallel(2))
		want := func(names ...string) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if len(running) != len(names) {
				t.Fatalf("%v run, want %v", running, names)
			}
			for _, n := range names {
				if !running[n] {
					t.Fatalf("%v run, want %v", running, names)
				}
			}
		}
		var wg sync.WaitGroup
		send := func(of ...string) {
			wg.Go(func() { d.Dispatch(t.Context(), calls(of...)) })
			synctest.Wait()
		}
		send("s a", "s b", "s c", "x X", "s d")
		want("a", "b") // the limit is 2
		send("x Y")
		send("s e")
		close(gates["b"])
		want("a", "c")
		close(gates["a"])
		want("c") // X waits for c, and nothing overtakes it
		close(gates["c"])
		want("X")
		close(gates["X"])
		want("d") // Y, of a later message, waits for d
		close(gates["d"])
		want("Y")
		close(gates["Y"])
		want("e")
		close(gates["e"])
		wg.Wait()
	})
}

func TestEmptyMessage(t *testing.T) {
	d := scopeWith(t).Dispatcher(nil)
	if r := d.Dispatch(t.Context(), nil); r == nil || len(r) != 0 {
		t.Errorf("%#v", r)
	}
	if err := d.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	if r := d.Dispatch(t.Context(), calls("find x")); r[0].Text != `there is no tool "find", nor any other` || r[0].Outcome != tool.Unknown {
		t.Errorf("%+v", r)
	}
}

// The same call several times in a message is several calls.
func TestRepeatedCalls(t *testing.T) {
	n := 0
	d := scopeWith(t, fixture{name: "count", run: func(context.Context, string) (tool.Output, error) {
		n++
		return tool.Plain(fmt.Sprint(n)), nil
	}}).Dispatcher()
	list := calls("count a", "count a", "count a")
	for i := range list {
		list[i].ID = "same"
	}
	results := d.Dispatch(t.Context(), list)
	if got := texts(results); !cmp.Equal(got, []string{"1", "2", "3"}) {
		t.Errorf("%q", got)
	}
	for i, id := range []string{"same", "same_1", "same_2"} {
		if results[i].ID != id {
			t.Errorf("id %q, want %q", results[i].ID, id)
		}
	}
}

// What the caller adds to a call reaches the handler's side, and the options of its mount too.
func TestMeta(t *testing.T) {
	var got any
	d := scopeWith(t, fixture{name: "s", safe: true, run: echo}).Dispatcher(tool.WithMiddleware(
		tool.Before(func(_ context.Context, inv *tool.Invocation) error { got = inv.Call().Meta; return nil })))
	list := calls("s x")
	list[0].Meta = time.Minute
	d.Dispatch(t.Context(), list)
	if got != time.Minute {
		t.Errorf("meta %v", got)
	}
}
