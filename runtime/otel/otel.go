// Package otel traces and measures the calls of a [tool.Dispatcher], by OpenTelemetry's conventions for generative AI:
//
//	telemetry, err := otel.New()
//	...
//	d := scope.Dispatcher(tool.WithMiddleware(telemetry.Middleware), tool.WithHooks(telemetry.Hooks()))
//
// A call that has its turn is a span `execute_tool {name}`, which the handler's own spans are children of, and a value of
// the histogram gen_ai.execute_tool.duration. A call that is refused is a span without a length, and no value. The
// middleware belongs outermost: first of all.
//
// What models and handlers wrote is left out unless [WithContent] asks for it, and the values of secret parameters are even
// then. The conventions are not stable yet (they moved to a repository of their own, whose state of summer 2026 this
// follows), so the names that this package uses may change with them. Attributes that they do not have begin with
// `toolgen.`.
//
// The package is a leaf, and the only one that imports OpenTelemetry.
package otel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// Keys of the conventions, and of ours.
const (
	operationKey   = attribute.Key("gen_ai.operation.name")
	toolNameKey    = attribute.Key("gen_ai.tool.name")
	toolTypeKey    = attribute.Key("gen_ai.tool.type")
	descriptionKey = attribute.Key("gen_ai.tool.description")
	callIDKey      = attribute.Key("gen_ai.tool.call.id")
	argumentsKey   = attribute.Key("gen_ai.tool.call.arguments")
	resultKey      = attribute.Key("gen_ai.tool.call.result")
	errorTypeKey   = attribute.Key("error.type")

	packageKey   = attribute.Key("toolgen.contract.package")
	contractKey  = attribute.Key("toolgen.contract.name")
	outcomeKey   = attribute.Key("toolgen.outcome")
	startedKey   = attribute.Key("toolgen.started")
	abandonedKey = attribute.Key("toolgen.abandoned")
	repairsKey   = attribute.Key("toolgen.repairs")
	problemsKey  = attribute.Key("toolgen.problems")
)

// DurationMetric is the histogram of how long calls had their turn, in seconds, by tool and error.
const DurationMetric = "gen_ai.execute_tool.duration"

const (
	scopeName = "github.com/toolgen-dev/toolgen/runtime/otel"
	operation = "execute_tool"
)

// Telemetry traces and measures calls. It is safe for concurrent use, by any number of dispatchers.
type Telemetry struct {
	tracer   trace.Tracer
	duration metric.Float64Histogram
	set      settings
}

// Option is a setting of a [Telemetry].
type Option func(*settings)

type settings struct {
	tracers    trace.TracerProvider
	meters     metric.MeterProvider
	attributes []attribute.KeyValue
	content    bool
}

// WithTracerProvider says where spans go: by default to the global provider.
func WithTracerProvider(p trace.TracerProvider) Option { return func(s *settings) { s.tracers = p } }

// WithMeterProvider says where the histogram goes: by default to the global provider.
func WithMeterProvider(p metric.MeterProvider) Option { return func(s *settings) { s.meters = p } }

// WithAttributes adds attributes to each span, such as gen_ai.agent.name or gen_ai.conversation.id.
func WithAttributes(a ...attribute.KeyValue) Option {
	return func(s *settings) { s.attributes = append(s.attributes, a...) }
}

// WithContent adds to spans the effective arguments, the text of results and that of errors, without the values of secret
// parameters.
func WithContent() Option { return func(s *settings) { s.content = true } }

// New returns a Telemetry. The error is the meter provider's.
func New(opts ...Option) (*Telemetry, error) {
	t := &Telemetry{set: settings{tracers: otel.GetTracerProvider(), meters: otel.GetMeterProvider()}}
	for _, o := range opts {
		o(&t.set)
	}
	t.tracer = t.set.tracers.Tracer(scopeName)
	var err error
	t.duration, err = t.set.meters.Meter(scopeName).Float64Histogram(DurationMetric, metric.WithUnit("s"),
		metric.WithDescription("How long the execution of a tool took."),
		metric.WithExplicitBucketBoundaries(0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92))
	if err != nil {
		return nil, fmt.Errorf("otel: the histogram %s: %w", DurationMetric, err)
	}
	return t, nil
}

// Middleware is a [tool.Middleware] that traces and measures the calls that have their turn.
func (t *Telemetry) Middleware(next tool.Invoke) tool.Invoke {
	return func(ctx context.Context, inv *tool.Invocation) (tool.Output, error) {
		begun := time.Now()
		ctx, span := t.start(ctx, inv, begun)
		inv.OnResult(func(res tool.CallResult) {
			took := time.Since(begun)
			t.end(span, inv, res, begun.Add(took))
			measured := []attribute.KeyValue{toolNameKey.String(res.Name)}
			if res.IsError {
				measured = append(measured, errorTypeKey.String(errorType(res)))
			}
			t.duration.Record(ctx, took.Seconds(), metric.WithAttributes(measured...))
		})
		return next(ctx, inv)
	}
}

// Hooks traces the calls that are refused, which middleware does not see.
func (t *Telemetry) Hooks() tool.Hooks {
	return tool.Hooks{Refused: func(ctx context.Context, inv *tool.Invocation, res tool.CallResult) {
		now := time.Now()
		_, span := t.start(ctx, inv, now)
		t.end(span, inv, res, now)
	}}
}

// start starts a span with what is known before: samplers see it.
func (t *Telemetry) start(ctx context.Context, inv *tool.Invocation, at time.Time) (context.Context, trace.Span) {
	name, call := operation, inv.Call()
	attrs := []attribute.KeyValue{operationKey.String(operation), toolTypeKey.String("function"), callIDKey.String(call.ID)}
	if c, _ := inv.Contract(); c != nil { // a name that is no tool's is the model's text, and no name for a span
		name += " " + call.Name
		attrs = append(attrs, toolNameKey.String(call.Name), descriptionKey.String(inv.Description()),
			packageKey.String(c.Package), contractKey.String(c.Name))
	}
	return t.tracer.Start(ctx, name, trace.WithTimestamp(at), trace.WithSpanKind(trace.SpanKindInternal),
		trace.WithAttributes(attrs...), trace.WithAttributes(t.set.attributes...))
}

func (t *Telemetry) end(span trace.Span, inv *tool.Invocation, res tool.CallResult, at time.Time) {
	defer span.End(trace.WithTimestamp(at))
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(outcomeKey.String(string(res.Outcome)), startedKey.Bool(res.Started))
	if c, _ := inv.Contract(); c == nil {
		span.SetAttributes(toolNameKey.String(res.Name))
	}
	if res.Abandoned {
		span.SetAttributes(abandonedKey.Bool(true))
	}
	if n := len(res.Arguments.Repairs); n > 0 {
		list := make([]string, n)
		for i, r := range res.Arguments.Repairs {
			list[i] = r.Code
		}
		span.SetAttributes(repairsKey.StringSlice(list))
	}
	if n := len(res.Arguments.Problems); n > 0 {
		list := make([]string, n)
		for i, p := range res.Arguments.Problems {
			list[i] = string(p.Code)
		}
		span.SetAttributes(problemsKey.StringSlice(list))
	}
	if t.set.content {
		if args := inv.Redacted(); args != nil {
			span.SetAttributes(argumentsKey.String(string(args)))
		}
		if !res.IsError {
			span.SetAttributes(resultKey.String(inv.Scrub(res.Text)))
		}
	}
	if res.IsError {
		text := string(res.Outcome)
		if t.set.content {
			text = inv.Scrub(res.Text)
		}
		span.SetStatus(codes.Error, text)
		span.SetAttributes(errorTypeKey.String(errorType(res)))
	}
}

// errorType is a word of few: how the call ended, or what the handler's error says of itself by a method
// `ErrorType() string`, as elsewhere in OpenTelemetry.
func errorType(res tool.CallResult) string {
	var e interface{ ErrorType() string }
	if res.Outcome == tool.Failed && errors.As(res.Err, &e) {
		if word := e.ErrorType(); word != "" {
			return word
		}
	}
	return string(res.Outcome)
}
