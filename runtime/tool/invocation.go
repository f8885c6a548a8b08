package tool

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
)

// Invocation is one call on its way through a [Dispatcher], for middleware and hooks. Its methods are safe for concurrent
// use, and good for as long as it is kept.
type Invocation struct {
	call    Call
	tool    scoped // its mounted part is nil where there is no such tool
	args    any
	report  decode.Report
	started atomic.Bool // the handler was called
	turn    *turn

	mu       sync.Mutex
	result   *CallResult // once there is one
	onResult []func(CallResult)
}

// Call returns the call, under its unique id and the name that its tool is mounted under.
func (inv *Invocation) Call() Call { return inv.call }

// Contract returns the contract of the call's tool, and the variant under which it is mounted. Both are nil where there is
// no such tool. Nothing may modify them.
func (inv *Invocation) Contract() (*Contract, *Variant) {
	if inv.tool.mounted == nil {
		return nil, nil
	}
	return inv.tool.contract, inv.tool.variant
}

// Description returns what the model was told of the tool: nothing where there is no such tool.
func (inv *Invocation) Description() string {
	if inv.tool.mounted == nil {
		return ""
	}
	return inv.tool.description
}

// Args returns the decoded arguments, a pointer to the generated arguments struct, or nil where there are none: because
// they were refused, or there is no such tool. What a middleware changes in them reaches the handler unchecked.
func (inv *Invocation) Args() any { return inv.args }

// Report returns what was wrong with the arguments, and what was repaired in them.
func (inv *Invocation) Report() decode.Report { return inv.report }

// Arguments returns the effective arguments as a JSON object: the model's, with repairs made, and defaults and fixed
// values applied. They hold the values of secret parameters. It is nil where Args is.
func (inv *Invocation) Arguments() json.RawMessage {
	if inv.args == nil {
		return nil
	}
	text, _ := inv.tool.tolerant.Normalize(string(inv.call.Arguments))
	return text
}

// Redacted returns the effective arguments as Arguments does, with "[secret]" in place of each value of a secret
// parameter: the form for logs and traces.
func (inv *Invocation) Redacted() json.RawMessage {
	if inv.args == nil {
		return nil
	}
	text, _, _ := inv.tool.tolerant.Redact(string(inv.call.Arguments))
	return text
}

// Scrub takes the values of secret parameters out of a text: of an error, or of a result that is to be traced. Values of
// less than 4 bytes stay.
func (inv *Invocation) Scrub(text string) string {
	if inv.args == nil || !inv.tool.secrets {
		return text
	}
	return inv.tool.scrub(inv.call, text)
}

// Started reports whether the handler was called.
func (inv *Invocation) Started() bool { return inv.started.Load() }

// OnResult has f called once with the call's result, as it goes to the model: also where the handler panics, or is
// abandoned and has not returned. Functions are called in the reverse of the order in which they were given, before
// Dispatch returns; one that comes when there is a result already is called at once.
func (inv *Invocation) OnResult(f func(CallResult)) {
	inv.mu.Lock()
	res := inv.result
	if res == nil {
		inv.onResult = append(inv.onResult, f)
	}
	inv.mu.Unlock()
	if res != nil {
		f(*res)
	}
}

// settle notes the result and returns who waits for it.
func (inv *Invocation) settle(res *CallResult) []func(CallResult) {
	inv.mu.Lock()
	defer inv.mu.Unlock()
	inv.result = res
	fs := inv.onResult
	inv.onResult = nil
	return fs
}

// Invoke carries out a call that has its turn.
type Invoke func(ctx context.Context, inv *Invocation) (Output, error)

// Middleware wraps the calls of a [Dispatcher] that have their turn: what comes before next happens before the handler,
// what comes after it after. It sees calls whose arguments were accepted, and no others; hooks see all. It may end a call
// by returning an error, which the model reads, may give the handler another context, and may return another output, of a
// name that the contract has. A handler's panic is a *[PanicError] that next returns, a passed deadline a *[DeadlineError].
// It runs within the turn of its call, and has to return when its context ends.
type Middleware func(next Invoke) Invoke

// Before is middleware that calls f before the handler. An error ends the call.
func Before(f func(ctx context.Context, inv *Invocation) error) Middleware {
	return func(next Invoke) Invoke {
		return func(ctx context.Context, inv *Invocation) (Output, error) {
			if err := f(ctx, inv); err != nil {
				return nil, err
			}
			return next(ctx, inv)
		}
	}
}

// After is middleware that calls f after the handler, with what it returned. What f returns takes its place.
func After(f func(ctx context.Context, inv *Invocation, out Output, err error) (Output, error)) Middleware {
	return func(next Invoke) Invoke {
		return func(ctx context.Context, inv *Invocation) (Output, error) {
			out, err := next(ctx, inv)
			return f(ctx, inv, out, err)
		}
	}
}

// invoke calls the handler; it is what middleware wraps.
func invoke(ctx context.Context, inv *Invocation) (out Output, err error) {
	defer func() {
		if p := recover(); p != nil {
			out, err = nil, newPanicError(p)
		}
	}()
	if ctx.Err() != nil {
		return nil, cancelled(ctx)
	}
	if !inv.turn.begin() {
		return nil, context.Canceled // the call has been abandoned, and was said not to have started
	}
	if late := inv.tool.overdue; late != nil {
		timer := time.AfterFunc(late.Limit+inv.turn.d.set.grace, func() { inv.turn.abandon(&DeadlineError{Limit: late.Limit}) })
		defer timer.Stop()
	}
	return inv.tool.handle(ctx, inv.call, inv.args)
}
