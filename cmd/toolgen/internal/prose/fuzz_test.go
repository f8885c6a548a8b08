package prose_test

import (
	"encoding/json"
	"testing"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/prose"
)

// Whatever a text is, checking it ends, and every finding stands at a byte of it.
func FuzzText(f *testing.F) {
	for _, s := range []string{
		"Use `send_order` | `open`, one of open, shipped or `gone`.", "defaults to (default) default: [1, `x`", "```\n`\n``` ~~~ https://`x",
		"`limit: 5` (default 10) [shipped] \"shipped\" 'open'", "Default is\xff “full” 默认 default", "a_b default: 1e999999999 | | `|` |", "(the default) (default", "one of: a, or b/ c and \n\n- d",
	} {
		f.Add(s, "`default")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		m := model(contract.Text{{Lit: a, Pos: diag.Position{File: "a", Line: 1, Column: 1}},
			{Tool: "find", Param: "limit", Pos: diag.Position{File: "ref", Line: 1, Column: 1}}, {Lit: b, Pos: diag.Position{File: "b", Line: 1, Column: 1}}})
		for _, f := range prose.Check(m) {
			if f.Pos.File == "" || f.Pos.File == "a" && a == "" || f.Pos.File == "b" && b == "" {
				t.Errorf("%q %q: the finding %v stands nowhere", a, b, f)
			}
		}
	})
}

// model has one tool with a text as clause, section, doc and result.
func model(text contract.Text) *contract.Model {
	e := &contract.Enum{Name: "status", Values: []*contract.Word{{Word: "open"}, {Word: "gone"}}, Retired: []*contract.Retired{{Word: "shipped", Use: "gone", Why: "x"}},
		Pos: diag.Position{File: "e"}}
	params := []*contract.Param{
		{Name: "limit", Type: &contract.Type{Kind: contract.KindInt}, Default: json.RawMessage("10"), Doc: text, Pos: diag.Position{File: "p"}},
		{Name: "mode", Type: &contract.Type{Kind: contract.KindString, Enum: []string{"fast", "full"}}, Default: json.RawMessage(`"fast"`), Pos: diag.Position{File: "p"}},
		{Name: "status", Type: &contract.Type{Kind: contract.KindString, Enum: []string{"open", "gone"}, EnumRef: &contract.EnumRef{Package: "x/shop", Name: "status"}},
			Optional: true, Pos: diag.Position{File: "p"}},
	}
	v := &contract.Variant{Clauses: []*contract.Clause{{Text: text, Pos: diag.Position{File: "c"}}}, Params: params,
		Sections: []*contract.Section{{Label: "use", Text: text, Pos: diag.Position{File: "s"}}}, Results: []string{"done"}}
	tool := &contract.Tool{Name: "find", Variants: []*contract.Variant{v}, Combinations: []*contract.Combination{{}}, Pos: diag.Position{File: "t"},
		Results: []*contract.Message{{Name: "done", Render: "x", RenderText: text, Pos: diag.Position{File: "r"}, RenderPos: diag.Position{File: "r"}}},
		Retired: &contract.RetiredNames{Params: []*contract.Retired{{Word: "max_count", Use: "limit", Why: "x"}}}}
	other := &contract.Tool{Name: "send_order", Variants: []*contract.Variant{{}}, Combinations: []*contract.Combination{{}}, Pos: diag.Position{File: "o"}}
	p := &contract.Package{Name: "shop", Path: "x/shop", Tools: []*contract.Tool{tool, other}, Enums: []*contract.Enum{e}}
	tool.Package, other.Package, e.Package = p, p, p
	return &contract.Model{Packages: []*contract.Package{p}}
}
