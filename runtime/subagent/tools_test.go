package subagent_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// mountTool puts a tool without parameters into a registry.
func mountTool(t testing.TB, reg *tool.Registry, name string, safe bool, handle func(ctx context.Context) (string, error)) {
	t.Helper()
	require.NoError(t, tool.Mount(reg, tool.Binding{
		Contract: &tool.Contract{
			Package: "example.com/p", Name: name, Mounted: name, Combinations: []tool.Combination{{}},
			Variants: []tool.Variant{{
				Description: []tool.Clause{{Text: tool.Text{{Lit: "Does something."}}}},
				Schema:      tool.Text{{Lit: `{"type":"object"}`}},
				Params:      &schema.Schema{Root: &schema.Type{Kind: schema.Object}},
				Safe:        safe,
			}},
		},
		Decode: func(d *decode.Decoder) any {
			o := d.Object()
			for d.NextField(&o) {
			}
			return &struct{}{}
		},
		Run: func(ctx context.Context, _ tool.Call, _ any) (tool.Output, error) {
			text, err := handle(ctx)
			return tool.Plain(text), err
		},
	}))
}

// withTool adds a tool to a world.
func withTool(name string, safe bool, handle func(ctx context.Context) (string, error)) func(*world) {
	return func(w *world) { mountTool(w.t, w.cfg.Tools, name, safe, handle) }
}
