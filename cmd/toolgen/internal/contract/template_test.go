package contract

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// testMessage has a field of every kind that a text can use, and some that it cannot print.
func testMessage(render string) *Message {
	str, integer := &Type{Kind: KindString}, &Type{Kind: KindInt}
	item := &Type{Kind: KindObject, Fields: []*Param{{Name: "a", Type: str}, {Name: "n", Type: integer}, {Name: "tags", Type: &Type{Kind: KindArray, Elem: str}}}}
	return &Message{Name: "listing", Render: render, Pos: on(1), RenderPos: on(2), Fields: []*Param{
		{Name: "s", Type: str}, {Name: "n", Type: integer}, {Name: "b", Type: &Type{Kind: KindBool}},
		{Name: "xs", Type: &Type{Kind: KindArray, Elem: str}},
		{Name: "items", Type: &Type{Kind: KindArray, Elem: &Type{Kind: KindRef, Ref: "Item"}}},
		{Name: "o", Type: &Type{Kind: KindObject, Fields: []*Param{{Name: "p", Type: str}, {Name: "in", Type: item}}}},
		{Name: "rows", Type: &Type{Kind: KindArray, Elem: &Type{Kind: KindArray, Elem: integer}}},
		{Name: "m", Type: &Type{Kind: KindObject, Rest: str}}, {Name: "any", Type: &Type{Kind: KindAny}},
		{Name: "u", Type: &Type{Kind: KindUnion}}, {Name: "page[size]", Type: integer},
	}}
}

func testDefs() *Definitions {
	m := testMessage("")
	item := m.Fields[5].Type.Fields[1].Type
	model := &Model{Packages: []*Package{{Path: testPath, Defs: []*Def{{Name: "Item", Type: item}}}}}
	return model.Definitions(model.Packages[0])
}

func TestParseRenderNodes(t *testing.T) {
	m := testMessage("Hi {{- /* note */ -}} {{.s}}{{range .items}}{{.a}}{{range .tags}}{{.}}{{$.n}}{{end}}{{else}}none{{end}}{{if .o.in.n}}1{{else if .b}}2{{else}}3{{end}}")
	nodes, findings := ParseRender(m, testDefs())
	require.Empty(t, findings)
	require.Len(t, nodes, 4)
	require.Equal(t, Node{Kind: NodeText, Text: "Hi"}, nodes[0])
	require.Equal(t, Node{Kind: NodeField, Path: []string{"s"}, Param: m.Fields[0], Type: m.Fields[0].Type}, nodes[1])

	loop := nodes[2]
	require.Equal(t, NodeRange, loop.Kind)
	require.Equal(t, m.Fields[4], loop.Param)
	require.Equal(t, "a", loop.Then[0].Param.Name)
	inner := loop.Then[1]
	require.Equal(t, []string{"tags"}, inner.Path)
	require.Equal(t, Node{Kind: NodeField, Type: &Type{Kind: KindString}}, inner.Then[0])
	require.Equal(t, Node{Kind: NodeField, Path: []string{"n"}, Root: true, Param: m.Fields[1], Type: m.Fields[1].Type}, inner.Then[1])
	require.Equal(t, []Node{{Kind: NodeText, Text: "none"}}, loop.Else)

	cond := nodes[3]
	require.Equal(t, NodeIf, cond.Kind)
	require.Equal(t, []string{"o", "in", "n"}, cond.Path)
	require.Equal(t, KindInt, cond.Type.Kind)
	require.Equal(t, NodeIf, cond.Else[0].Kind)
	require.Equal(t, "3", cond.Else[0].Else[0].Text)
}

func TestParseRenderRefuses(t *testing.T) {
	for text, want := range map[string][2]string{
		"{{.t}}":                              {"no field t", "the fields are s, n"},
		"{{.itms}}":                           {"{{.itms}}, but listing has no field itms"[10:], "did you mean {{.items}}?"},
		"{{range .items}}{{.s}}{{end}}":       {"an item has no field s", "the fields are a, n, tags"},
		"{{.s.x}}":                            {"s is a string and has no field x", "use text"},
		"{{.o.q}}":                            {"o has no field q", "the fields are p, in"},
		"{{.}}":                               {"prints listing, which is an object", "{{.s}}"},
		"{{$}}":                               {"an object", ""},
		"{{.xs}}":                             {"prints xs, which is a list", "{{range .xs}}..{{end}}"},
		"{{.o}}":                              {"an object", "{{.p}}"},
		"{{.m}}":                              {"a map", "print strings"},
		"{{.m.k}}":                            {"m has no field k", "declare the field"},
		"{{.any}}":                            {"any value", ""},
		"{{.u}}":                              {"a union", ""},
		"{{range .s}}{{end}}":                 {"goes over s, which is a string", "use range for lists"},
		"{{range .m}}{{end}}":                 {"a map and no list", ""},
		"{{len .xs}}":                         {"len, which is a function", "only"},
		"{{if eq .n 1}}x{{end}}":              {"eq, which is a function", ""},
		"{{nosuch}}":                          {"nosuch, which is a function", ""},
		"{{.s | html}}":                       {".s | html, which is a pipeline", ""},
		"{{.s .n}}":                           {".s .n, which is a call", ""},
		"{{$x := .s}}{{$x}}":                  {"which is a variable", ""},
		"{{range $i, $x := .xs}}{{end}}":      {"which is a variable", ""},
		"{{with .o}}{{.p}}{{end}}":            {"{{with .o}}, which is not supported", ""},
		"{{define \"text\"}}x{{end}}y":        {"text", ""},
		"{{define \"a\"}}{{end}}":             {"{{define a}}, which is a template of its own", ""},
		"{{template \"a\"}}":                  {"{{template \"a\"}}", ""},
		"{{block \"a\" .}}x{{end}}":           {"{{define a}}", ""},
		"{{range .xs}}{{break}}{{end}}":       {"{{break}}", ""},
		"{{range .xs}}{{continue}}{{end}}":    {"{{continue}}", ""},
		"{{\"a\"}}":                           {`"a", which is a constant`, ""},
		"{{1}}":                               {"1, which is a constant", ""},
		"{{(.o).p}}":                          {"an expression", ""},
		"{{if (.b)}}x{{end}}":                 {"an expression", ""},
		"{{if .s}}":                           {"cannot be read: line 1: unexpected EOF", ""},
		"a\n{{.s":                             {"line 2", ""},
		"{{end}}":                             {"unexpected {{end}}", ""},
		"{{$y}}":                              {"undefined variable", ""},
		"{{.page[size]}}":                     {"cannot be read", ""},
		strings.Repeat("x", templateMax+1):    {"bytes long", "shorten"},
		"{{range .gone}}{{.x}}{{.y}}{{end}}":  {"no field gone", ""},
		"{{range .rows}}{{.}}{{end}}":         {"an item, which is a list", ""},
		"{{range .items}}{{.}}{{end}}":        {"an item, which is an object", "{{.a}}"},
		"{{range .items}}{{$.o.in.m}}{{end}}": {"in has no field m", ""},
		"{{if .s}}{{else}}{{.zz}}{{end}}":     {"no field zz", ""},
		"{{range .xs}}{{else}}{{.zz}}{{end}}": {"no field zz", ""},
		"{{if .zz}}{{end}}":                   {"no field zz", ""},
		"{{if .s}}{{end}}{{if .s}}{{nil}}{{end}}": {"", ""},
	} {
		t.Run(preview(text), func(t *testing.T) {
			nodes, findings := ParseRender(testMessage(text), testDefs())
			require.Nil(t, nodes)
			require.NotEmpty(t, findings)
			f := findings[0]
			require.Equal(t, "result-template", f.Rule)
			require.Equal(t, on(2), f.Pos)
			require.Equal(t, "listing.render", f.Path)
			require.Contains(t, f.Message, want[0])
			require.Contains(t, f.Fix, want[1])
		})
	}
	_, findings := ParseRender(testMessage("{{.t}}{{if .v}}{{.s | html}}{{end}}"), testDefs())
	require.Len(t, findings, 3, "everything is reported at once")
	_, findings = ParseRender(&Message{Render: "{{.x}}", Pos: on(1), Fields: []*Param{{Name: "x", Type: &Type{Kind: KindRef, Ref: "Gone"}}}}, nil)
	require.Len(t, findings, 1)
	require.Equal(t, on(1), findings[0].Pos, "without a position of the text, that of the message")
}

func testData(full bool) map[string]any {
	if !full {
		in := map[string]any{"a": "", "n": int64(0), "tags": []any{}}
		return map[string]any{"s": "", "n": int64(0), "b": false, "xs": []any{}, "items": []any{}, "rows": []any{},
			"o": map[string]any{"p": "", "in": in}, "m": map[string]any{}, "any": nil, "u": nil}
	}
	in := map[string]any{"a": "<α>", "n": int64(-7), "tags": []any{"t1", ""}}
	return map[string]any{"s": "text", "n": int64(3), "b": true, "xs": []any{"x", "y"}, "items": []any{in, map[string]any{"a": "", "n": int64(0), "tags": []any{}}},
		"rows": []any{[]any{int64(1), int64(2)}, []any{}}, "o": map[string]any{"p": "q", "in": in}, "m": map[string]any{"k": "v"}, "any": "z", "u": "w"}
}

// render is what nodes mean, over data as text/template takes it.
func render(nodes []Node, root, dot any) string {
	var b strings.Builder
	for _, n := range nodes {
		v := dot
		if n.Root {
			v = root
		}
		for _, step := range n.Path {
			object, _ := v.(map[string]any)
			v = object[step]
		}
		zero := v == nil || v == "" || v == false || v == int64(0)
		list, _ := v.([]any)
		if object, ok := v.(map[string]any); ok {
			zero = len(object) == 0
		} else if _, ok := v.([]any); ok {
			zero = len(list) == 0
		}
		switch {
		case n.Kind == NodeText:
			b.WriteString(n.Text)
		case n.Kind == NodeField && v != nil:
			fmt.Fprint(&b, v)
		case n.Kind == NodeRange && len(list) > 0:
			for _, x := range list {
				b.WriteString(render(n.Then, root, x))
			}
		case n.Kind == NodeIf && !zero:
			b.WriteString(render(n.Then, root, dot))
		case n.Kind == NodeIf || n.Kind == NodeRange:
			b.WriteString(render(n.Else, root, dot))
		}
	}
	return b.String()
}

// sameAsTemplate compares what a text renders to with text/template, where the text is accepted.
func sameAsTemplate(t *testing.T, text string) diag.Findings {
	t.Helper()
	nodes, findings := ParseRender(testMessage(text), testDefs())
	if len(findings) > 0 {
		return findings
	}
	tmpl, err := template.New("").Parse(text)
	require.NoError(t, err, "%q", text)
	for _, full := range []bool{true, false} {
		data := testData(full)
		var want strings.Builder
		require.NoError(t, tmpl.Execute(&want, data), "%q", text)
		require.Equal(t, want.String(), render(nodes, data, data), "%q", text)
	}
	return nil
}

// randomText makes a text that is accepted.
func randomText(r *rand.Rand, dot string, depth int) string {
	var b strings.Builder
	fields := map[string][]string{"": {"s", "n", "b", "o.p", "o.in.n"}, "items": {"a", "n"}}
	lists := map[string][]string{"": {"xs", "items", "rows", "o.in.tags"}, "items": {"tags"}}
	field := func() string {
		switch {
		case r.IntN(4) == 0:
			return "$." + fields[""][r.IntN(len(fields[""]))]
		case len(fields[dot]) == 0:
			return "."
		}
		return "." + fields[dot][r.IntN(len(fields[dot]))]
	}
	trim := func(s string) string {
		if r.IntN(5) == 0 {
			s = strings.Replace(s, "{{", "{{- ", 1)
		}
		if r.IntN(5) == 0 {
			s = strings.Replace(s, "}}", " -}}", 1)
		}
		return s
	}
	for range 1 + r.IntN(4) {
		switch k := r.IntN(6); {
		case k < 2:
			b.WriteString([]string{" a ", "\n", "é{ ", "}", " – \n\n"}[r.IntN(5)])
		case k == 2 && dot != "rows":
			b.WriteString(trim("{{" + field() + "}}"))
		case k == 3 && depth > 0:
			b.WriteString(trim("{{if "+field()+"}}") + randomText(r, dot, depth-1))
			if r.IntN(2) == 0 {
				b.WriteString("{{else if " + field() + "}}" + randomText(r, dot, depth-1))
			}
			if r.IntN(2) == 0 {
				b.WriteString("{{else}}" + randomText(r, dot, depth-1))
			}
			b.WriteString(trim("{{end}}"))
		case k == 4 && depth > 0:
			list := "$.xs"
			inner := "xs"
			if l := lists[dot]; len(l) > 0 {
				inner = l[r.IntN(len(l))]
				list = "." + inner
			} else if dot == "rows" {
				list, inner = ".", "row"
			}
			b.WriteString(trim("{{range "+list+"}}") + randomText(r, inner, depth-1))
			if r.IntN(2) == 0 {
				b.WriteString("{{else}}" + randomText(r, dot, depth-1))
			}
			b.WriteString("{{end}}")
		default:
			b.WriteString("{{/* a note */}}")
		}
	}
	return b.String()
}

func TestParseRenderRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		text := randomText(r, "", 3)
		require.Empty(t, sameAsTemplate(t, text), "%q", text)
	}
}

func FuzzParseRender(f *testing.F) {
	for _, s := range []string{
		"", "plain", "{{.s}}", "{{range .items}}{{.a}}{{range .tags}}{{.}}{{$.s}}{{end}}{{else}}none{{end}}", "{{if .n}}a{{else if .b}}b{{else}}c{{end}}",
		"a {{- .s -}} b", "{{/* c */}}", "{{define \"x\"}}{{end}}", "{{with .o}}{{end}}", "{{.s | printf \"%s\"}}", "{{$x := .s}}", "{{", "}}", "{{.o.in.a}}", "{{range .rows}}{{range .}}{{.}}{{end}}{{end}}",
		"{{break}}", "{{template \"text\"}}", "{{define \"text\"}}x{{end}}y", "{{if .m}}m{{end}}{{if .any}}a{{end}}{{if .o}}o{{end}}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, finding := range sameAsTemplate(t, text) {
			require.Equal(t, "result-template", finding.Rule)
			require.NotEmpty(t, finding.Message)
			require.NotEmpty(t, finding.Fix)
		}
	})
}
