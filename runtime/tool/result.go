package tool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
)

// Limits of the texts that go to a model, in bytes. A longer text keeps its head and its tail, with a note between them of
// how much was left out; the note comes on top of the limit.
const (
	// DefaultResultBytes bounds the text of a result whose contract and mount set no limit. They may set a larger one.
	DefaultResultBytes = 1 << 20
	// MaxErrorBytes bounds the text of every error: the handler's, and what is said of arguments that were refused.
	MaxErrorBytes = 16 << 10
)

// Plain is the result of a tool whose spec declares none: its text as it is.
type Plain string

// ResultName returns an empty name: a plain result has none.
func (Plain) ResultName() string { return "" }

// AppendText appends the text.
func (p Plain) AppendText(b []byte) []byte { return append(b, p...) }

// failed is an error for the model.
func (c Call) failed(how Outcome, text string) CallResult {
	return CallResult{ID: c.ID, Name: c.Name, Text: forModel(text, MaxErrorBytes), IsError: true, Outcome: how}
}

// refused lists what is wrong with the arguments, one line each.
func (c Call) refused(report decode.Report) CallResult {
	res := c.failed(Refused, "The arguments were refused; nothing was done.\n"+report.String())
	res.Arguments = report
	return res
}

// failed is the result of a call that ended in an error. started tells whether the handler was called.
func (m *mounted) failed(ctx context.Context, call Call, err error, started bool) CallResult {
	how, text := Failed, err.Error()
	var panicked *PanicError
	var overdue *DeadlineError
	switch {
	case errors.As(err, &panicked) || errors.Is(err, errGoexit):
		how, text = Panicked, "the tool failed unexpectedly" // no details of the program for the model
	case errors.As(err, &overdue):
		how, text = TimedOut, fmt.Sprintf("the tool did not finish within %s; part of its work may be done", overdue.Limit)
	case ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx))):
		how, text = Cancelled, "the call was cancelled after the tool had started; part of its work may be done"
		if !started {
			text = "the call was cancelled before the tool started; nothing was done"
		}
	case text == "":
		text = "the tool failed and did not say why" // it must not look like an empty success
	}
	if m.secrets {
		text = m.scrub(call, text)
	}
	res := call.failed(how, text)
	res.Err, res.Started = err, started
	return res
}

// abandoned is the result of a call whose handler went on after its context had ended.
func (m *mounted) abandoned(ctx context.Context, call Call, err error, started bool) CallResult {
	res := m.failed(ctx, call, err, started)
	if started {
		res.Text += "; it has not stopped, and may still be at work"
	}
	res.Abandoned = true
	return res
}

// finished renders a handler's result.
func (m *mounted) finished(call Call, out Output) CallResult {
	broken := func(text string) CallResult {
		res := call.failed(Failed, text)
		res.Err, res.Started = errors.New("tool: "+call.Name+": "+text), true
		return res
	}
	if out == nil {
		return broken("the tool returned no result")
	}
	results := m.variant.Results
	if name := out.ResultName(); name == "" && len(results) > 0 || name != "" && !slices.Contains(results, name) {
		return broken(fmt.Sprintf("the tool returned the result %q, which it does not have under its options", name))
	}
	return CallResult{ID: call.ID, Name: call.Name, Text: forModel(string(out.AppendText(nil)), m.resultBytes), Outcome: Done, Started: true}
}

// cancelled is the error of a context that has ended: the context's own, and its cause where that says more.
func cancelled(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
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
