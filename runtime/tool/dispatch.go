package tool

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Dispatcher runs the calls of one agent, message by message. It is safe for concurrent use.
//
// Calls whose tools are `safe` run together, up to a limit. An `exclusive` call runs alone in its dispatcher: it waits for
// everything before it, of earlier messages too, and what comes after it waits for it. Calls get their turns in the order
// in which they came. A handler must not wait for calls of the dispatcher that runs it.
type Dispatcher struct {
	scope  *Scope
	set    dispatchSettings
	invoke Invoke

	mu    sync.Mutex
	queue []*turn // what waits, in the order of the calls
	safe  int     // safe calls that run, abandoned ones not counted
	busy  int     // calls that an exclusive call waits for
	alone bool    // one of them is exclusive
	lost  int     // abandoned handlers that still run
	live  int     // calls that wait or run, abandoned ones not counted
	idle  chan struct{}
}

// DispatchOption is a setting of a [Dispatcher].
type DispatchOption func(*dispatchSettings)

type dispatchSettings struct {
	strict      bool
	parallel    int
	grace, hold time.Duration
	middleware  []Middleware
	hooks       []Hooks
	logger      *slog.Logger
	logContent  bool
}

// Defaults of a [Dispatcher].
const (
	DefaultParallel = 16
	DefaultGrace    = time.Second
	DefaultHold     = 30 * time.Second
)

// Strict turns the repairs of names and arguments off, except those that JSON Schema itself grants.
func Strict() DispatchOption { return func(s *dispatchSettings) { s.strict = true } }

// WithParallel is how many safe calls run at once. Without it, or with n below one, it is [DefaultParallel].
func WithParallel(n int) DispatchOption {
	return func(s *dispatchSettings) {
		if s.parallel = n; n < 1 {
			s.parallel = DefaultParallel
		}
	}
}

// WithGrace is how long a handler may go on after its context has ended. Then it is abandoned: its call gets a result, and
// what the handler returns later counts for nothing. Without it, it is [DefaultGrace].
func WithGrace(d time.Duration) DispatchOption {
	return func(s *dispatchSettings) { s.grace = max(d, 0) }
}

// WithHold is how long an abandoned handler that does not return still counts for exclusivity: an exclusive call waits for
// it, and calls wait for an exclusive one. Without it, it is [DefaultHold].
func WithHold(d time.Duration) DispatchOption {
	return func(s *dispatchSettings) { s.hold = max(d, 0) }
}

// WithMiddleware wraps the calls that run. The first is the outermost; a further option adds inside of those before.
func WithMiddleware(m ...Middleware) DispatchOption {
	return func(s *dispatchSettings) { s.middleware = append(s.middleware, m...) }
}

// WithHooks has functions called as calls come and go. A further option adds to those before.
func WithHooks(h Hooks) DispatchOption {
	return func(s *dispatchSettings) { s.hooks = append(s.hooks, h) }
}

// WithLogger logs one line for each call, with the tool's name, the call's id, how it ended, how long it took, the codes
// of repairs and problems, and sizes. What the model or the handler wrote is not logged: see [WithLogContent].
func WithLogger(l *slog.Logger) DispatchOption { return func(s *dispatchSettings) { s.logger = l } }

// WithLogContent adds to the logger's lines the effective arguments, the problems of refused ones and the errors of
// handlers, without the values of secret parameters.
func WithLogContent() DispatchOption { return func(s *dispatchSettings) { s.logContent = true } }

// Dispatcher returns a dispatcher over the scope's tools. An agent has one for as long as it lives: what is exclusive is
// so among the calls of one dispatcher. A nil option is none, and so is a nil middleware.
func (s *Scope) Dispatcher(opts ...DispatchOption) *Dispatcher {
	d := &Dispatcher{scope: s, set: dispatchSettings{parallel: DefaultParallel, grace: DefaultGrace, hold: DefaultHold}, invoke: invoke}
	for _, o := range opts {
		if o != nil {
			o(&d.set)
		}
	}
	for _, m := range slices.Backward(d.set.middleware) {
		if m != nil {
			d.invoke = m(d.invoke)
		}
	}
	return d
}

// Dispatch runs the calls of one message and returns one result for each, in their order, whatever the arguments are and
// the handlers do: fail, panic, end their goroutines, or go on for ever. Calls get unique ids, as [UniqueIDs] makes them,
// and no two are merged. One that fails does not touch the others.
//
// When the context ends, calls that wait do not start any more, and those that run have [WithGrace] to return; their
// results say which had started.
func (d *Dispatcher) Dispatch(ctx context.Context, calls []Call) []CallResult {
	turns := make([]turn, len(calls))
	b := &batch{ctx: ctx}
	waiting := make([]*turn, 0, len(calls))
	for i, call := range UniqueIDs(calls, nil) {
		t := &turns[i]
		t.d, t.batch = d, b
		t.inv.call, t.inv.turn = call, t
		if res := t.read(); res.Outcome != "" {
			t.settle(res)
		} else {
			waiting = append(waiting, t)
		}
	}
	if len(waiting) > 0 {
		b.done = make(chan struct{})
		d.enter(b, waiting)
		d.await(b, waiting)
	}
	results := make([]CallResult, len(turns))
	for i := range turns {
		results[i] = turns[i].final()
	}
	return results
}

// await returns when all calls of a message have their results.
func (d *Dispatcher) await(b *batch, turns []*turn) {
	select {
	case <-b.done:
		return
	case <-b.ctx.Done():
	}
	d.withdraw(b)
	timer := time.NewTimer(d.set.grace)
	defer timer.Stop()
	select {
	case <-b.done:
		return
	case <-timer.C:
	}
	err := cancelled(b.ctx)
	for _, t := range turns {
		t.abandon(err)
	}
	<-b.done
}

// Abandoned returns how many abandoned handlers have not returned yet.
func (d *Dispatcher) Abandoned() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lost
}

// Wait returns when no call waits or runs, abandoned handlers included, or with the context's error when that ends first.
func (d *Dispatcher) Wait(ctx context.Context) error {
	d.mu.Lock()
	if d.live+d.lost == 0 {
		d.mu.Unlock()
		return nil
	}
	if d.idle == nil {
		d.idle = make(chan struct{})
	}
	idle := d.idle
	d.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return cancelled(ctx)
	}
}
