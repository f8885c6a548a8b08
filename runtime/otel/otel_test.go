package otel_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolgen-dev/toolgen/runtime/otel"
	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

const secret = "hunter22"

type args struct{ Do, Token string }

type typed struct{}

func (typed) Error() string     { return "no such file for " + secret }
func (typed) ErrorType() string { return "not_found" }

// rig is a dispatcher with one tool, and what was recorded of its calls.
type rig struct {
	*tool.Dispatcher
	spans   *tracetest.SpanRecorder
	metrics *sdkmetric.ManualReader
	tracer  trace.Tracer
}

func newRig(t *testing.T, opts ...otel.Option) *rig {
	t.Helper()
	r := &rig{spans: tracetest.NewSpanRecorder(), metrics: sdkmetric.NewManualReader()}
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(r.spans))
	r.tracer = tracers.Tracer("test")
	str := &schema.Type{Kind: schema.String}
	reg := tool.NewRegistry()
	err := tool.Mount(reg, tool.Binding{
		Contract: &tool.Contract{Package: "example.com/p", Name: "act", Mounted: "act", Combinations: []tool.Combination{{}}, Variants: []tool.Variant{{
			Description: []tool.Clause{{Text: tool.Text{{Lit: "Acts."}}}},
			Schema:      tool.Text{{Lit: `{"type":"object"}`}},
			Params: &schema.Schema{Root: &schema.Type{Kind: schema.Object, Fields: []schema.Field{
				{Name: "do", Slot: 0, Type: str, Required: true}, {Name: "token", Slot: 1, Type: str, Default: `""`, Secret: true},
			}}},
			Limits: tool.Limits{Timeout: "10s"},
		}}},
		Decode: func(d *decode.Decoder) any {
			var a args
			o := d.Object()
			for d.NextField(&o) {
				switch o.Slot {
				case 0:
					a.Do = d.String()
				case 1:
					a.Token = d.String()
				}
			}
			return &a
		},
		Run: func(ctx context.Context, _ tool.Call, a any) (tool.Output, error) {
			switch do := a.(*args).Do; do {
			case "fail":
				return nil, fmt.Errorf("no login with %s", secret)
			case "typed":
				return nil, fmt.Errorf("wrapped: %w", typed{})
			case "panic":
				panic(secret)
			case "wait":
				<-ctx.Done()
				return nil, ctx.Err()
			case "deaf":
				time.Sleep(time.Hour)
				return nil, nil
			case "child":
				_, span := r.tracer.Start(ctx, "inside")
				span.End()
				return tool.Plain("done"), nil
			default:
				time.Sleep(30 * time.Millisecond)
				return tool.Plain("did " + do + " with " + secret), nil
			}
		},
	}, tool.As("perform"))
	if err != nil {
		t.Fatal(err)
	}
	scope, err := reg.Scope()
	if err != nil {
		t.Fatal(err)
	}
	telemetry, err := otel.New(append([]otel.Option{otel.WithTracerProvider(tracers),
		otel.WithMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(r.metrics)))}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	r.Dispatcher = scope.Dispatcher(tool.WithMiddleware(telemetry.Middleware), tool.WithHooks(telemetry.Hooks()))
	return r
}

func call(id, do string) tool.Call {
	return tool.Call{ID: id, Name: "perform", Arguments: json.RawMessage(fmt.Sprintf(`{"do":%q,"token":%q}`, do, secret))}
}

// attributes of a span, as text.
func attributes(s sdktrace.ReadOnlySpan) map[string]string {
	out := map[string]string{}
	for _, a := range s.Attributes() {
		out[string(a.Key)] = a.Value.String()
	}
	return out
}

// What every kind of call leaves: a span by the conventions, with its outcome.
func TestSpans(t *testing.T) {
	known := map[string]string{"gen_ai.tool.name": "perform", "gen_ai.tool.description": "Acts.", "toolgen.contract.package": "example.com/p", "toolgen.contract.name": "act"}
	for _, c := range []struct {
		call  tool.Call
		known bool
		name  string
		want  map[string]string
	}{
		{call("1", "x"), true, "execute_tool perform", map[string]string{"gen_ai.tool.call.id": "1", "toolgen.outcome": "done", "toolgen.started": "true"}},
		{call("2", "fail"), true, "execute_tool perform", map[string]string{"gen_ai.tool.call.id": "2", "toolgen.outcome": "failed", "toolgen.started": "true", "error.type": "failed"}},
		{call("3", "typed"), true, "execute_tool perform", map[string]string{"gen_ai.tool.call.id": "3", "toolgen.outcome": "failed", "toolgen.started": "true", "error.type": "not_found"}},
		{call("4", "panic"), true, "execute_tool perform", map[string]string{"gen_ai.tool.call.id": "4", "toolgen.outcome": "panicked", "toolgen.started": "true", "error.type": "panicked"}},
		{call("5", "wait"), true, "execute_tool perform", map[string]string{"gen_ai.tool.call.id": "5", "toolgen.outcome": "timed-out", "toolgen.started": "true", "error.type": "timed-out"}},
		{tool.Call{ID: "6", Name: "no such tool"}, false, "execute_tool", map[string]string{"gen_ai.tool.call.id": "6", "gen_ai.tool.name": "no_such_tool", "toolgen.outcome": "unknown", "toolgen.started": "false", "error.type": "unknown"}},
		{tool.Call{ID: "7", Name: "tools.perform", Arguments: []byte(`{"do":7}`)}, true, "execute_tool perform", map[string]string{"gen_ai.tool.call.id": "7", "toolgen.outcome": "refused",
			"toolgen.started": "false", "error.type": "refused", "toolgen.problems": `["wrong-type"]`, "toolgen.repairs": `["call-name"]`}},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, otel.WithAttributes(attribute.String("gen_ai.agent.name", "tester")))
			ctx, parent := r.tracer.Start(t.Context(), "turn")
			res := r.Dispatch(ctx, []tool.Call{c.call})[0]
			spans := r.spans.Ended()
			if len(spans) != 1 {
				t.Fatalf("%s: %d spans", c.call.ID, len(spans))
			}
			s := spans[0]
			want := map[string]string{"gen_ai.agent.name": "tester", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.type": "function"}
			if c.known {
				maps.Copy(want, known)
			}
			maps.Copy(want, c.want)
			if got := attributes(s); !cmp.Equal(want, got) {
				t.Errorf("%s: %s", c.call.ID, cmp.Diff(want, got))
			}
			status := sdktrace.Status{Code: codes.Unset}
			if res.IsError {
				status = sdktrace.Status{Code: codes.Error, Description: string(res.Outcome)}
			}
			if s.Name() != c.name || s.SpanKind() != trace.SpanKindInternal || s.Status() != status || s.Parent().SpanID() != parent.SpanContext().SpanID() {
				t.Errorf("%s: span %q, %v, %+v", c.call.ID, s.Name(), s.SpanKind(), s.Status())
			}
			if got := s.EndTime().Sub(s.StartTime()); got != res.Duration {
				t.Errorf("%s: the span took %s, the call %s", c.call.ID, got, res.Duration)
			}
		})
	}
}

// The spans of a handler are children of its call's.
func TestChildren(t *testing.T) {
	r := newRig(t)
	r.Dispatch(t.Context(), []tool.Call{call("1", "child")})
	spans := r.spans.Ended()
	if len(spans) != 2 || spans[0].Name() != "inside" || spans[0].Parent().SpanID() != spans[1].SpanContext().SpanID() {
		t.Errorf("%d spans", len(spans))
	}
}

// The span of an abandoned call ends with its result, not with its handler.
func TestAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		res := r.Dispatch(t.Context(), []tool.Call{call("1", "deaf")})[0]
		spans := r.spans.Ended()
		if !res.Abandoned || len(spans) != 1 || attributes(spans[0])["toolgen.abandoned"] != "true" || spans[0].EndTime().Sub(spans[0].StartTime()) != 11*time.Second {
			t.Errorf("%+v, %d spans", res, len(spans))
		}
		if err := r.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		if n := len(r.spans.Ended()); n != 1 {
			t.Errorf("%d spans in the end", n)
		}
	})
}

// The histogram has the calls that had their turn, by tool and error, with the buckets of the conventions.
func TestDuration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.Dispatch(t.Context(), []tool.Call{call("1", "x"), call("2", "y"), call("3", "fail"), call("4", "wait"),
			{ID: "5", Name: "nowhere"}, {ID: "6", Name: "perform"}})
		var rm metricdata.ResourceMetrics
		if err := r.metrics.Collect(t.Context(), &rm); err != nil {
			t.Fatal(err)
		}
		m := rm.ScopeMetrics[0].Metrics[0]
		if len(rm.ScopeMetrics[0].Metrics) != 1 || otel.DurationMetric != "gen_ai.execute_tool.duration" || m.Name != otel.DurationMetric || m.Unit != "s" {
			t.Fatalf("%+v", rm)
		}
		got := map[string]string{}
		for _, p := range m.Data.(metricdata.Histogram[float64]).DataPoints {
			name, _ := p.Attributes.Value("gen_ai.tool.name")
			kind, _ := p.Attributes.Value("error.type")
			got[name.AsString()+" "+kind.AsString()] = fmt.Sprintf("%d of %.2f s", p.Count, p.Sum)
			if len(p.Bounds) != 14 || p.Bounds[0] != 0.01 || p.Bounds[13] != 81.92 || p.Attributes.Len() > 2 {
				t.Errorf("%+v", p)
			}
		}
		want := map[string]string{"perform ": "2 of 0.06 s", "perform failed": "1 of 0.00 s", "perform timed-out": "1 of 10.00 s"}
		if !cmp.Equal(want, got) {
			t.Error(cmp.Diff(want, got))
		}
	})
}

// Contents are there when they are asked for, and the values of secret parameters never.
func TestContent(t *testing.T) {
	for _, content := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var opts []otel.Option
			if content {
				opts = append(opts, otel.WithContent())
			}
			r := newRig(t, opts...)
			r.Dispatch(t.Context(), []tool.Call{call("1", "bottle"), call("2", "fail"), call("3", "typed"), call("4", "panic"), call("5", "wait"),
				{ID: "6", Name: "perform", Arguments: []byte(`{"do":"x","token":["` + secret + `"]}`)}})
			spans := r.spans.Ended()
			if len(spans) != 6 {
				t.Fatalf("%d spans", len(spans))
			}
			for _, s := range spans {
				a := attributes(s)
				all := fmt.Sprint(s.Name(), a, s.Status(), s.Events())
				if strings.Contains(all, secret) {
					t.Errorf("the secret is in %s", all)
				}
				if !content && (strings.Contains(all, "bottle") || a["gen_ai.tool.call.arguments"] != "") {
					t.Errorf("content is in %s", all)
				}
				if content && a["gen_ai.tool.call.id"] == "1" && (a["gen_ai.tool.call.arguments"] != `{"do":"bottle","token":"[secret]"}` ||
					a["gen_ai.tool.call.result"] != "did bottle with [secret]") {
					t.Errorf("%v", a)
				}
				if content && a["gen_ai.tool.call.id"] == "2" && s.Status().Description != "no login with [secret]" {
					t.Errorf("%+v", s.Status())
				}
			}
		})
	}
}

// A meter that makes no histogram is an error, and without providers the global ones serve.
func TestNew(t *testing.T) {
	if _, err := otel.New(otel.WithMeterProvider(brokenMeters{})); err == nil || !strings.Contains(err.Error(), "otel: the histogram gen_ai.execute_tool.duration: no room") {
		t.Errorf("error %v", err)
	}
	if _, err := otel.New(); err != nil {
		t.Error(err)
	}
}

type brokenMeters struct{ metric.MeterProvider }

func (brokenMeters) Meter(string, ...metric.MeterOption) metric.Meter { return brokenMeter{} }

type brokenMeter struct{ metric.Meter }

func (brokenMeter) Float64Histogram(string, ...metric.Float64HistogramOption) (metric.Float64Histogram, error) {
	return nil, errors.New("no room")
}
