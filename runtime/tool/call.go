package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
)

// Call is one call of a model.
type Call struct {
	ID        string
	Name      string          // the mounted name
	Arguments json.RawMessage // as the model wrote them

	// Meta is the caller's own. Middleware, hooks and the handler see it; the model does not.
	Meta any

	options any
}

// Options returns the resolved options of the call's tool: the generated options struct with every default filled in,
// or nil where the tool has none.
func (c Call) Options() any { return c.options }

// CallResult is what goes back to the model for one call.
type CallResult struct {
	ID        string
	Name      string
	Text      string // valid UTF-8 without NUL, and of limited length: see [DefaultResultBytes] and [MaxErrorBytes]
	IsError   bool
	Outcome   Outcome
	Arguments decode.Report // what was wrong with the arguments, and what was repaired in them

	// Started tells whether the handler was called: where not, nothing was done.
	Started bool

	// Abandoned tells that the handler was still running when its result had to come: see [WithGrace].
	Abandoned bool

	// Duration is how long the call had its turn in a [Dispatcher], middleware included.
	Duration time.Duration

	// Err is why the call failed, for the program's own logs: the handler's error, a *PanicError, a *DeadlineError, or the
	// context's. It is nil where the model's call was at fault (an unknown name, refused arguments). The model sees Text
	// alone. Unlike Text, it may hold whatever the handler put into it, the value of a secret parameter too.
	Err error

	stored json.RawMessage // what HistoryCall stores in place of arguments that were repaired into an object
}

// Outcome is how a call ended. Its words are stable: logs and traces use them.
type Outcome string

// The outcomes.
const (
	Done      Outcome = "done"      // the handler returned a result
	Failed    Outcome = "failed"    // it returned an error, or nothing that its contract has
	Panicked  Outcome = "panicked"  // it panicked, or ended its goroutine
	Unknown   Outcome = "unknown"   // there is no such tool here
	Refused   Outcome = "refused"   // the arguments were refused
	TimedOut  Outcome = "timed-out" // the tool's deadline passed
	Cancelled Outcome = "cancelled" // the context of the call ended
)

// PanicError is a handler's panic.
type PanicError struct {
	Value any
	Stack []byte
}

// Error gives the panic's value.
func (e *PanicError) Error() string { return fmt.Sprintf("tool: the handler panicked: %v", e.Value) }

func newPanicError(value any) *PanicError { return &PanicError{Value: value, Stack: debug.Stack()} }

// errGoexit is why a handler failed that ended its goroutine.
var errGoexit = errors.New("tool: the handler ended its goroutine with runtime.Goexit")

// DeadlineError says that a tool's deadline passed. It is a context.DeadlineExceeded.
type DeadlineError struct {
	Limit time.Duration
	Err   error // what the handler returned; nil where it was abandoned
}

// Error gives the deadline, and what the handler returned.
func (e *DeadlineError) Error() string {
	s := "tool: the handler had " + e.Limit.String()
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns context.DeadlineExceeded and what the handler returned.
func (e *DeadlineError) Unwrap() []error {
	if e.Err == nil {
		return []error{context.DeadlineExceeded}
	}
	return []error{context.DeadlineExceeded, e.Err}
}

// Call runs one call and returns its one result, whatever the arguments are and the handler does: an error, a panic and
// no result at all are results too. A tool that is not visible here does not exist. Arguments are parsed strictly, and
// names are taken as they are. For all calls of a message, middleware and repairs there is [Scope.Dispatcher].
//
// The handler runs on the caller's goroutine. So there are two things that Call cannot turn into a result: a handler that
// goes on when its context has ended, and a handler, or what it calls, that ends this goroutine by [runtime.Goexit], as
// the FailNow and Fatal methods of a test do. [Dispatcher.Dispatch] has a result even then.
func (s *Scope) Call(ctx context.Context, call Call) (res CallResult) {
	m := s.find(call.Name).mounted
	if m == nil {
		return call.failed(Unknown, s.unknown(call.Name))
	}
	defer func() {
		if p := recover(); p != nil {
			// A handler's panic must not take the other calls of the turn with it.
			res = m.failed(ctx, call, newPanicError(p), true)
		}
	}()
	call.options = m.options
	args, report := decode.Decode(m.strict, string(call.Arguments), m.decode)
	if !report.OK() {
		return call.refused(report)
	}
	out, err := m.handle(ctx, call, args)
	if err != nil {
		res = m.failed(ctx, call, err, true)
	} else {
		res = m.finished(call, out)
	}
	res.Arguments = report
	return res
}

// handle runs the handler under the tool's deadline.
func (m *mounted) handle(ctx context.Context, call Call, args any) (Output, error) {
	if m.overdue == nil {
		return m.run(ctx, call, args)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, m.overdue.Limit, m.overdue)
	defer cancel()
	out, err := m.run(ctx, call, args)
	if err != nil && context.Cause(ctx) == error(m.overdue) && errors.Is(err, context.DeadlineExceeded) {
		return nil, &DeadlineError{Limit: m.overdue.Limit, Err: err}
	}
	return out, err
}
