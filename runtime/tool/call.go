package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
)

// Call is one call of a model.
type Call struct {
	ID        string
	Name      string          // the mounted name
	Arguments json.RawMessage // as the model wrote them

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
	Arguments decode.Report // what was wrong with the arguments, and what was repaired in them

	// Err is why the call failed, for the program's own logs: the handler's error, a *PanicError, or the context's. It is
	// nil where the model's call was at fault (an unknown name, refused arguments). The model sees Text alone.
	Err error
}

// PanicError is a handler's panic.
type PanicError struct {
	Value any
	Stack []byte
}

// Error gives the panic's value.
func (e *PanicError) Error() string { return fmt.Sprintf("tool: the handler panicked: %v", e.Value) }

// Limits of the texts that go to a model, in bytes. A longer text keeps its head and its tail, with a note between them of
// how much was left out; the note comes on top of the limit.
const (
	// DefaultResultBytes bounds the text of a result whose contract sets no limit. A contract may set a larger one.
	DefaultResultBytes = 1 << 20
	// MaxErrorBytes bounds the text of every error: the handler's, and what is said of arguments that were refused.
	MaxErrorBytes = 16 << 10
)

// Call runs one call and returns its one result, whatever the arguments are and the handler does: an error, a panic and
// no result at all are results too. A tool that is not visible here does not exist. Arguments are parsed strictly.
//
// The handler runs on the caller's goroutine. There is one thing that Call cannot turn into a result: a handler, or what
// it calls, that ends this goroutine by [runtime.Goexit], as the FailNow and Fatal methods of a test do. Go has no way to
// stop that. Deferred functions run, the handler's context ends if it has a timeout, and the scope stays good for other
// calls, but Call does not return, and its caller's goroutine ends as well. Who must have a result even then, runs Call on
// a goroutine of its own, with the result for that case ready before:
//
//	go func() {
//		res := tool.CallResult{ID: call.ID, Name: call.Name, Text: "the tool failed unexpectedly", IsError: true}
//		defer func() { results <- res }()
//		res = scope.Call(ctx, call)
//	}()
func (s *Scope) Call(ctx context.Context, call Call) (res CallResult) {
	m := s.find(call.Name)
	if m == nil {
		return call.failed(s.unknown(call.Name))
	}
	defer func() {
		if p := recover(); p != nil {
			// A handler's panic must not take the other calls of the turn with it. The model gets no details of it.
			res = call.failed("the tool failed unexpectedly")
			res.Err = &PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	call.options = m.options
	return m.run(ctx, call)
}

// unknown is the text for a name that does not exist: what a former name is now, else the visible tools, nearest first.
func (s *Scope) unknown(name string) string {
	for _, t := range s.tools {
		if slices.Contains(t.contract.RetiredNames, name) {
			return fmt.Sprintf("the tool %s is called %s now", preview(name), t.name)
		}
	}
	if len(s.tools) == 0 {
		return fmt.Sprintf("there is no tool %s, nor any other", preview(name))
	}
	names := make([]string, len(s.tools))
	for i, t := range s.tools {
		names[i] = t.name
	}
	const far = 1 << 10
	slices.SortStableFunc(names, func(a, b string) int { return distance(name, a, far) - distance(name, b, far) })
	return fmt.Sprintf("there is no tool %s; the tools are %s", preview(name), strings.Join(names, ", "))
}

// preview quotes at most 64 bytes of a model's text.
func preview(s string) string {
	const most = 64
	if len(s) > most {
		n := most
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n] + "…"
	}
	return fmt.Sprintf("%q", s)
}

func (c Call) failed(text string) CallResult {
	return CallResult{ID: c.ID, Name: c.Name, Text: forModel(text, MaxErrorBytes), IsError: true}
}

// refused lists what is wrong with the arguments, one line each.
func (c Call) refused(report decode.Report) CallResult {
	res := c.failed("The arguments were refused; nothing was done.\n" + report.String())
	res.Arguments = report
	return res
}

// error is the result of a handler's error. An error without a text must not look like an empty success.
func (c Call) error(err error) CallResult {
	text := err.Error()
	if text == "" {
		text = "the tool failed and did not say why"
	}
	res := c.failed(text)
	res.Err = err
	return res
}

// broken is the result of a handler that did not do what a handler has to.
func (c Call) broken(text string) CallResult {
	res := c.failed(text)
	res.Err = errors.New("tool: " + c.Name + ": " + text)
	return res
}

// finished renders a handler's result.
func (c Call) finished(out Output, v *Variant, report decode.Report) CallResult {
	if out == nil {
		return c.broken("the tool returned no result")
	}
	if name := out.ResultName(); name == "" && len(v.Results) > 0 || name != "" && !slices.Contains(v.Results, name) {
		return c.broken(fmt.Sprintf("the tool returned the result %q, which it does not have under its options", name))
	}
	limit := v.Limits.ResultBytes
	if limit <= 0 {
		limit = DefaultResultBytes
	}
	return CallResult{ID: c.ID, Name: c.Name, Text: forModel(string(out.AppendText(nil)), limit), Arguments: report}
}

// forModel makes a text fit to be sent: bytes that are not UTF-8, and NUL, become U+FFFD, since providers refuse a whole
// request for one of them; then the text is cut to the limit. They are replaced and not dropped so that the model sees
// that something was there.
func forModel(s string, limit int64) string {
	const replacement = "\uFFFD"
	s = strings.ToValidUTF8(s, replacement)
	return capText(strings.ReplaceAll(s, "\x00", replacement), limit)
}

// capText shortens a text to limit bytes and a note: its head and its tail stay, cut between runes, with the note of what
// was cut between them.
func capText(s string, limit int64) string {
	if int64(len(s)) <= limit {
		return s
	}
	head := int(limit) * 3 / 4
	tail := len(s) - (int(limit) - head)
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return fmt.Sprintf("%s\n[%d bytes were left out here]\n%s", s[:head], tail-head, s[tail:])
}

// Plain is the result of a tool whose spec declares none: its text as it is.
type Plain string

// ResultName returns an empty name: a plain result has none.
func (Plain) ResultName() string { return "" }

// AppendText appends the text.
func (p Plain) AppendText(b []byte) []byte { return append(b, p...) }
