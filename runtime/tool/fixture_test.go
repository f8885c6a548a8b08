package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// fixture is a tool of tests: q is a required string, token a secret one.
type fixture struct {
	name    string
	safe    bool
	timeout time.Duration
	more    []schema.Field // parameters that nobody reads
	run     func(ctx context.Context, q string) (tool.Output, error)
}

type fixtureArgs struct {
	Q, Token string
}

func (f fixture) contract() *tool.Contract {
	str := &schema.Type{Kind: schema.String}
	v := tool.Variant{
		Description: []tool.Clause{{Text: tool.Text{{Lit: "Does "}, {Tool: f.name}, {Lit: "."}}}},
		Schema:      tool.Text{{Lit: `{"type":"object"}`}},
		Params: &schema.Schema{Root: &schema.Type{Kind: schema.Object, Fields: []schema.Field{
			{Name: "q", Slot: 0, Type: str, Required: true},
			{Name: "token", Slot: 1, Type: str, Default: `""`, Secret: true},
		}}},
		Safe: f.safe,
	}
	v.Params.Root.Fields = append(v.Params.Root.Fields, f.more...)
	if f.timeout > 0 {
		v.Limits.Timeout = f.timeout.String()
	}
	return &tool.Contract{Package: "example.com/p", Name: f.name, Mounted: f.name,
		Combinations: []tool.Combination{{}}, Variants: []tool.Variant{v}}
}

func (f fixture) mount(t testing.TB, reg *tool.Registry, opts ...tool.MountOption) {
	t.Helper()
	err := tool.Mount(reg, tool.Binding{
		Contract: f.contract(),
		Decode: func(d *decode.Decoder) any {
			var a fixtureArgs
			o := d.Object()
			for d.NextField(&o) {
				switch o.Slot {
				case 0:
					a.Q = d.String()
				case 1:
					a.Token = d.String()
				}
			}
			return &a
		},
		Run: func(ctx context.Context, _ tool.Call, args any) (tool.Output, error) {
			return f.run(ctx, args.(*fixtureArgs).Q)
		},
	}, opts...)
	if err != nil {
		t.Fatal(err)
	}
}

// scope mounts fixtures and shows them all.
func scopeWith(t testing.TB, fs ...fixture) *tool.Scope {
	t.Helper()
	reg := tool.NewRegistry()
	for _, f := range fs {
		f.mount(t, reg)
	}
	s, err := reg.Scope()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// calls makes calls of "<tool> <q>", with the ids 1, 2 and so on.
func calls(of ...string) []tool.Call {
	out := make([]tool.Call, len(of))
	for i, s := range of {
		name, q, _ := strings.Cut(s, " ")
		out[i] = tool.Call{ID: fmt.Sprint(i + 1), Name: name, Arguments: json.RawMessage(fmt.Sprintf(`{"q":%q}`, q))}
	}
	return out
}

// echo answers with its argument.
func echo(_ context.Context, q string) (tool.Output, error) { return tool.Plain(q), nil }

// nap takes as long as its argument says, or until its context ends.
func nap(ctx context.Context, q string) (tool.Output, error) {
	d, err := time.ParseDuration(q)
	if err != nil {
		return nil, err
	}
	select {
	case <-time.After(d):
		return tool.Plain("slept " + q), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// deaf takes as long as its argument says, whatever its context does.
func deaf(_ context.Context, q string) (tool.Output, error) { return nap(context.Background(), q) }

// texts are the results' texts.
func texts(results []tool.CallResult) []string {
	out := make([]string, len(results))
	for i, r := range results {
		out[i] = r.Text
	}
	return out
}
