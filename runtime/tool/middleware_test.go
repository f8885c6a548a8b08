package tool_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// trace is middleware that records what it sees before and after.
func (e *events) trace(name string) tool.Middleware {
	return func(next tool.Invoke) tool.Invoke {
		return func(ctx context.Context, inv *tool.Invocation) (tool.Output, error) {
			e.add("%s before, started %v", name, inv.Started())
			out, err := next(ctx, inv)
			e.add("%s after, started %v: %v %v", name, inv.Started(), out, err)
			return out, err
		}
	}
}

func (e *events) wantInOrder(t *testing.T, list ...string) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	if !cmp.Equal(list, e.list) {
		t.Error(cmp.Diff(list, e.list))
	}
	e.list = nil
}

// The first middleware is the outermost, hooks stand around all of it, and calls that are refused reach hooks alone.
func TestMiddlewareOrder(t *testing.T) {
	var e events
	d := scopeWith(t, fixture{name: "s", run: echo}).Dispatcher(
		tool.WithMiddleware(e.trace("a"), nil, e.trace("b")), tool.WithHooks(tool.Hooks{}), tool.WithHooks(e.hooks()), tool.WithMiddleware(e.trace("c")))
	d.Dispatch(t.Context(), calls("s x"))
	e.wantInOrder(t, "start 1", "a before, started false", "b before, started false", "c before, started false",
		"c after, started true: x <nil>", "b after, started true: x <nil>", "a after, started true: x <nil>", "finish 1 done")
	list := calls("t x", "s y")
	list[1].Arguments = nil
	d.Dispatch(t.Context(), list)
	e.wantInOrder(t, "refused 1 unknown", "refused 2 refused")
}

// Middleware has the contract, the typed arguments, the effective ones, and the repairs.
func TestInvocation(t *testing.T) {
	checked := 0
	d := scopeWith(t, fixture{name: "s", safe: true, run: echo}).Dispatcher(tool.WithMiddleware(tool.Before(func(_ context.Context, inv *tool.Invocation) error {
		checked++
		c, v := inv.Contract()
		if c.Name != "s" || c.Package != "example.com/p" || v != &c.Variants[0] || !v.Safe || inv.Description() != "Does s." {
			t.Errorf("contract %+v", c)
		}
		if call := inv.Call(); call.Name != "s" || call.ID != "7" {
			t.Errorf("call %+v", call)
		}
		args := inv.Args().(*fixtureArgs)
		if *args != (fixtureArgs{Q: "a", Token: "hunter22"}) {
			t.Errorf("arguments %+v", args)
		}
		if got := string(inv.Arguments()); got != `{"token":"hunter22","q":"a"}` {
			t.Errorf("effective arguments %s", got)
		}
		if got := string(inv.Redacted()); got != `{"token":"[secret]","q":"a"}` {
			t.Errorf("redacted arguments %s", got)
		}
		if r := inv.Report().Repairs; len(r) != 1 || r[0].Code != tool.RepairCallName {
			t.Errorf("repairs %+v", r)
		}
		args.Q = "changed"
		return nil
	})), tool.WithHooks(tool.Hooks{Refused: func(_ context.Context, inv *tool.Invocation, res tool.CallResult) {
		checked++
		c, v := inv.Contract()
		if inv.Args() != nil || inv.Arguments() != nil || inv.Redacted() != nil || (c == nil) != (res.Outcome == tool.Unknown) || (v == nil) != (c == nil) ||
			inv.Scrub("x") != "x" || inv.Started() {
			t.Errorf("a refused call: %+v", res)
		}
		if (inv.Description() == "") != (c == nil) {
			t.Errorf("description %q", inv.Description())
		}
	}}))
	results := d.Dispatch(t.Context(), []tool.Call{
		{ID: "7", Name: "functions.s", Arguments: []byte(` {"token":"hunter22", "q":"a"}`)}, {Name: "t"}, {Name: "s", Arguments: []byte(`{"q":1}`)}})
	if results[0].Text != "changed" || checked != 3 {
		t.Errorf("%d checks, %+v", checked, results[0])
	}
}

// The effective arguments hold the defaults.
func TestEffectiveArguments(t *testing.T) {
	d := scopeWith(t, fixture{name: "s", run: echo}).Dispatcher(tool.WithMiddleware(tool.Before(func(_ context.Context, inv *tool.Invocation) error {
		if got := string(inv.Arguments()); got != `{"q":"a","token":""}` {
			t.Errorf("effective arguments %s", got)
		}
		return errors.New("not today")
	})))
	r := d.Dispatch(t.Context(), calls("s a"))[0]
	if r.Text != "not today" || r.Started || r.Outcome != tool.Failed {
		t.Errorf("a call that middleware ended: %+v", r)
	}
}

// What middleware returns takes the place of the handler's output; its context is the handler's.
func TestMiddlewareReplaces(t *testing.T) {
	type key struct{}
	around := func(next tool.Invoke) tool.Invoke {
		return func(ctx context.Context, inv *tool.Invocation) (tool.Output, error) {
			return next(context.WithValue(ctx, key{}, "from outside"), inv)
		}
	}
	shout := tool.After(func(_ context.Context, _ *tool.Invocation, out tool.Output, err error) (tool.Output, error) {
		if err != nil {
			return tool.Plain("never mind"), nil
		}
		return tool.Plain(strings.ToUpper(string(out.(tool.Plain)))), nil
	})
	d := scopeWith(t, fixture{name: "s", run: func(ctx context.Context, q string) (tool.Output, error) {
		if q == "fail" {
			return nil, errors.New("failed")
		}
		return tool.Plain(ctx.Value(key{}).(string)), nil
	}}).Dispatcher(tool.WithMiddleware(shout, around))
	if got := texts(d.Dispatch(t.Context(), calls("s x", "s fail"))); !cmp.Equal(got, []string{"FROM OUTSIDE", "never mind"}) {
		t.Errorf("%q", got)
	}
}

// A panic of the handler is an error that middleware sees; one of middleware, or the end of its goroutine, is its call's.
func TestMiddlewareFails(t *testing.T) {
	for name, m := range map[string]tool.Middleware{
		"sees": tool.After(func(_ context.Context, _ *tool.Invocation, out tool.Output, err error) (tool.Output, error) {
			var p *tool.PanicError
			if !errors.As(err, &p) || p.Value != "secret place" || len(p.Stack) == 0 || out != nil {
				t.Errorf("%v %v", out, err)
			}
			return nil, err
		}),
		"panics": tool.Before(func(context.Context, *tool.Invocation) error { panic("secret place") }),
		"exits":  tool.Before(func(context.Context, *tool.Invocation) error { runtime.Goexit(); return nil }),
		"nil":    func(tool.Invoke) tool.Invoke { return nil },
	} {
		d := scopeWith(t, fixture{name: "s", run: wild}).Dispatcher(tool.WithMiddleware(m))
		r := d.Dispatch(t.Context(), calls("s panic"))[0]
		if r.Outcome != tool.Panicked || r.Text != "the tool failed unexpectedly" || r.Err == nil || r.Started != (name == "sees") {
			t.Errorf("%s: %+v", name, r)
		}
		must(t, d.Wait(t.Context()))
	}
}

// OnResult is told of the result that goes to the model, in every case, once, the last one first.
func TestOnResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e events
		listen := func(name string) tool.Middleware {
			return tool.Before(func(_ context.Context, inv *tool.Invocation) error {
				inv.OnResult(func(res tool.CallResult) { e.add("%s %s %s %v", name, inv.Call().ID, res.Outcome, res.Abandoned) })
				return nil
			})
		}
		var late []*tool.Invocation
		d := scopeWith(t, fixture{name: "s", run: wild}, fixture{name: "deaf", timeout: time.Second, run: deaf}).Dispatcher(
			tool.WithMiddleware(listen("a"), listen("b"), tool.Before(func(_ context.Context, inv *tool.Invocation) error { late = append(late, inv); return nil })))
		d.Dispatch(t.Context(), calls("s 0s", "s panic", "s exit", "deaf 1h"))
		e.wantInOrder(t, "b 1 done false", "a 1 done false", "b 2 panicked false", "a 2 panicked false", "b 3 panicked false", "a 3 panicked false",
			"b 4 timed-out true", "a 4 timed-out true")
		for _, inv := range late {
			inv.OnResult(func(res tool.CallResult) { e.add("late %s", res.Outcome) })
		}
		e.wantInOrder(t, "late done", "late panicked", "late panicked", "late timed-out")
		must(t, d.Wait(t.Context()))
	})
}

// A call that is cancelled while middleware keeps it has not started, and does not start any more.
func TestCancelInMiddleware(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		around := func(next tool.Invoke) tool.Invoke {
			return func(ctx context.Context, inv *tool.Invocation) (tool.Output, error) {
				switch inv.Call().ID {
				case "1": // listens
					<-ctx.Done()
					return nil, ctx.Err()
				case "2": // goes on when it is too late
					<-ctx.Done()
					return next(ctx, inv)
				case "3": // does not listen
					time.Sleep(time.Hour)
					return next(ctx, inv)
				default: // nor does it let the handler listen
					time.Sleep(time.Hour)
					return next(context.WithoutCancel(ctx), inv)
				}
			}
		}
		ran := false
		d := scopeWith(t, fixture{name: "s", safe: true, timeout: time.Second, run: func(context.Context, string) (tool.Output, error) {
			ran = true
			return tool.Plain("done"), nil
		}}).Dispatcher(tool.WithMiddleware(around))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		results := d.Dispatch(ctx, calls("s a", "s b", "s c", "s d"))
		for i, r := range results {
			if r.Started || r.Text != "the call was cancelled before the tool started; nothing was done" || r.Abandoned != (i >= 2) {
				t.Errorf("%+v", r)
			}
		}
		must(t, d.Wait(t.Context()))
		if ran {
			t.Error("the handler ran after its call was given up")
		}
	})
}

// Middleware may call the handler again; the deadline is each one's own, and an abandoned call is not tried again.
func TestRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		retry := func(next tool.Invoke) tool.Invoke {
			return func(ctx context.Context, inv *tool.Invocation) (out tool.Output, err error) {
				for range 3 {
					if out, err = next(ctx, inv); err == nil {
						break
					}
				}
				return out, err
			}
		}
		scope := scopeWith(t, fixture{name: "s", timeout: time.Second, run: func(ctx context.Context, q string) (tool.Output, error) {
			if tries++; q == "deaf" {
				time.Sleep(time.Hour)
				return nil, errors.New("too late")
			}
			if tries < 3 {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return tool.Plain("done"), nil
		}})
		d := scope.Dispatcher(tool.WithMiddleware(retry))
		if r := d.Dispatch(t.Context(), calls("s x"))[0]; r.Text != "done" || tries != 3 || r.Duration != 2*time.Second {
			t.Errorf("%d tries, %+v", tries, r)
		}
		tries = 3
		slow := tool.After(func(_ context.Context, _ *tool.Invocation, out tool.Output, err error) (tool.Output, error) {
			time.Sleep(time.Minute) // after the handler: its deadline does not count
			return out, err
		})
		if r := scope.Dispatcher(tool.WithMiddleware(slow)).Dispatch(t.Context(), calls("s x"))[0]; r.Text != "done" || r.Duration != time.Minute {
			t.Errorf("%+v", r)
		}
		tries = 0
		if r := d.Dispatch(t.Context(), calls("s deaf"))[0]; !r.Abandoned || r.Outcome != tool.TimedOut {
			t.Errorf("%+v", r)
		}
		must(t, d.Wait(t.Context()))
		if tries != 1 {
			t.Errorf("%d tries", tries)
		}
	})
}

// A panic in a hook takes no result away, and does not get lost.
func TestHooksFail(t *testing.T) {
	boom := func() { panic("hook") }
	check := func(name string, h tool.Hooks, list []tool.Call, want tool.Outcome) {
		t.Helper()
		d := scopeWith(t, fixture{name: "s", run: echo}).Dispatcher(tool.WithHooks(h))
		r := d.Dispatch(t.Context(), list)[0]
		var p *tool.PanicError
		if r.Outcome != want || !errors.As(r.Err, &p) || p.Value != "hook" {
			t.Errorf("%s: %+v", name, r)
		}
		must(t, d.Wait(t.Context()))
	}
	check("Refused", tool.Hooks{Refused: func(context.Context, *tool.Invocation, tool.CallResult) { boom() }}, calls("t x"), tool.Unknown)
	check("Start", tool.Hooks{Start: func(context.Context, *tool.Invocation) { boom() }}, calls("s x"), tool.Panicked)
	check("Finish", tool.Hooks{Finish: func(context.Context, *tool.Invocation, tool.CallResult) { boom() }}, calls("s x"), tool.Done)
}

// A panic of Returned, which no result can hold any more, is logged.
func TestReturnedFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		d := scopeWith(t, fixture{name: "s", timeout: time.Second, run: deaf}).Dispatcher(tool.WithLogger(slog.New(slog.NewTextHandler(&b, nil))),
			tool.WithHooks(tool.Hooks{Returned: func(context.Context, *tool.Invocation, error) { panic("hook") }}))
		d.Dispatch(t.Context(), calls("s 1h"))
		b.Reset()
		must(t, d.Wait(t.Context()))
		if !strings.Contains(b.String(), `msg="tool: a hook panicked" panic=hook`) {
			t.Errorf("logged %s", b.String())
		}
	})
}

// An output whose text does not come is abandoned like a handler that does not return.
func TestTextWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		d := scopeWith(t, fixture{name: "s", run: func(context.Context, string) (tool.Output, error) {
			return outputFunc(func(b []byte) []byte { <-gate; return b }), nil
		}}).Dispatcher()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if r := d.Dispatch(ctx, calls("s x"))[0]; !r.Abandoned || r.Outcome != tool.Cancelled || !r.Started {
			t.Errorf("%+v", r)
		}
		close(gate)
		must(t, d.Wait(t.Context()))
	})
}

// Hooks are called from several goroutines, each call's in its own order.
func TestHooksOfOneCall(t *testing.T) {
	var mu sync.Mutex
	state := map[*tool.Invocation]string{}
	step := func(inv *tool.Invocation, s string) { mu.Lock(); defer mu.Unlock(); state[inv] += s }
	d := scopeWith(t, fixture{name: "s", safe: true, run: echo}).Dispatcher(tool.WithHooks(tool.Hooks{
		Start:  func(_ context.Context, inv *tool.Invocation) { step(inv, "start ") },
		Finish: func(_ context.Context, inv *tool.Invocation, _ tool.CallResult) { step(inv, "finish") },
	}))
	d.Dispatch(t.Context(), calls(strings.Split(strings.Repeat("s x,", 99)+"s x", ",")...))
	if len(state) != 100 {
		t.Errorf("%d calls", len(state))
	}
	for _, s := range state {
		if s != "start finish" {
			t.Errorf("hooks %q", s)
		}
	}
}
