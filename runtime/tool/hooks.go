package tool

import (
	"context"
	"log/slog"
	"strings"
)

// Hooks are functions that a [Dispatcher] calls as calls come and go; each may be nil. Every call is told of by Refused, or
// by Start and then Finish or Abandoned. They are called on several goroutines, with the context of Dispatch, and Dispatch
// waits for them, except for Returned. A panic of Start fails its call; one of Returned is logged where there is a logger;
// one of the others becomes a part of the result's Err.
type Hooks struct {
	// Refused: a call has its result without having had its turn, since there is no such tool, its arguments were refused,
	// or it was cancelled while it waited.
	Refused func(ctx context.Context, inv *Invocation, res CallResult)

	// Start: a call has its turn. Middleware comes next.
	Start func(ctx context.Context, inv *Invocation)

	// Finish: a call that had its turn has its result.
	Finish func(ctx context.Context, inv *Invocation, res CallResult)

	// Abandoned: a call has its result, and its handler is still running.
	Abandoned func(ctx context.Context, inv *Invocation, res CallResult)

	// Returned: an abandoned handler has returned after all, with this error. Dispatch may have returned long before.
	Returned func(ctx context.Context, inv *Invocation, err error)
}

// log writes the line of one call.
func (d *Dispatcher) log(ctx context.Context, inv *Invocation, res CallResult) {
	level := slog.LevelInfo
	switch {
	case res.Outcome == Panicked || res.Abandoned:
		level = slog.LevelError
	case res.Outcome == Failed || res.Outcome == TimedOut:
		level = slog.LevelWarn
	}
	if !d.set.logger.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("tool", res.Name), slog.String("call", res.ID), slog.String("outcome", string(res.Outcome)),
		slog.Bool("started", res.Started), slog.Duration("duration", res.Duration),
		slog.Int("argument_bytes", len(inv.call.Arguments)), slog.Int("result_bytes", len(res.Text)),
	}
	if res.Abandoned {
		attrs = append(attrs, slog.Bool("abandoned", true))
	}
	if n := len(res.Arguments.Repairs); n > 0 {
		codes := make([]string, n)
		for i, r := range res.Arguments.Repairs {
			codes[i] = r.Code
		}
		attrs = append(attrs, slog.String("repairs", strings.Join(codes, " ")))
	}
	if n := len(res.Arguments.Problems); n > 0 {
		codes := make([]string, n)
		for i, p := range res.Arguments.Problems {
			codes[i] = string(p.Code)
		}
		attrs = append(attrs, slog.String("problems", strings.Join(codes, " ")))
	}
	if d.set.logContent {
		attrs = append(attrs, d.content(inv, res)...)
	}
	d.set.logger.LogAttrs(ctx, level, "tool call", attrs...)
}

// content is what WithLogContent adds.
func (d *Dispatcher) content(inv *Invocation, res CallResult) []slog.Attr {
	var attrs []slog.Attr
	if args := inv.Redacted(); args != nil {
		attrs = append(attrs, slog.String("arguments", string(args)))
	}
	if !res.Arguments.OK() {
		attrs = append(attrs, slog.String("problem_list", res.Arguments.String()))
	}
	if res.Err != nil {
		attrs = append(attrs, slog.String("error", inv.Scrub(res.Err.Error())))
	}
	return attrs
}
