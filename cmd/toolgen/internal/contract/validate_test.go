package contract

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

const (
	testFile = "spec/shop/shop.cue"
	testPath = "example.com/shop/spec/shop"
)

func on(line int) diag.Position { return diag.Position{File: testFile, Line: line, Column: 2} }

func lit(s string) Text { return Literal(s) }

func ref(line int, tool, param string) Text {
	return Text{{Lit: "See "}, {Tool: tool, Param: param, Pos: on(line)}, {Lit: "."}}
}

func word(line int, enum, w string) Text { return Text{{Enum: enum, Word: w, Pos: on(line)}} }

func ptr(n int64) *int64 { return &n }

// clean is a model without a fault. Tool find has two variants by the option deep, of which only the first has depth;
// tool state_of has none.
func clean() *Model {
	status := &EnumRef{Package: testPath, Name: "status"}
	q := &Param{Name: "q", Doc: lit("What to find."), Type: &Type{Kind: KindString, MinLen: ptr(1)}, Pos: on(11)}
	sort := &Param{Name: "sort", Doc: lit("The order."), Type: &Type{Kind: KindString, Enum: []string{"price", "name"}},
		Default: json.RawMessage(`"price"`), Pos: on(12), DefaultPos: on(13)}
	depth := &Param{Name: "depth", Doc: ref(14, "find", "q"), Type: &Type{Kind: KindInt, Min: "0", Max: "9"}, Optional: true, Pos: on(14)}
	find := &Tool{
		Name: "find", Pos: on(10),
		Options: []*Option{{Name: "deep", Kind: OptionBool, Values: []string{"true", "false"}, Default: json.RawMessage("true"), Pos: on(15)}},
		Args:    []*Arg{{Name: "q", Type: q.Type}, {Name: "sort", Type: sort.Type}, {Name: "depth", Type: depth.Type, Opt: true}},
		Results: []*Message{{Name: "found", Pos: on(16), RenderPos: on(17), Render: "{{.state}}",
			Fields: []*Param{{Name: "state", Doc: lit("Its state."), Pos: on(18), Type: &Type{Kind: KindString, Enum: []string{"open"}, EnumRef: status}}}}},
		Combinations: []*Combination{{Select: []string{"true"}}, {Select: []string{"false"}, Variant: 1}},
		Variants: []*Variant{
			{Clauses: []*Clause{{ID: "purpose", Text: ref(20, "find", "depth")}}, Params: []*Param{q, sort, depth}, Results: []string{"found"},
				Options: []OptionValue{{"deep", "true"}}, Needs: []string{"state_of"}, Limits: &Limits{Timeout: "30s"},
				Sections: []*Section{{Label: "usage", Order: "110.5", Text: word(21, "status", "open"), Pos: on(21)}},
				Examples: []*Example{{Args: json.RawMessage(`{"q": "tea", "depth": 2}`), Pos: on(22)}}},
			{Clauses: []*Clause{{ID: "purpose", Text: ref(20, "state_of", "id")}}, Params: []*Param{q, sort}, Results: []string{"found"},
				Options: []OptionValue{{"deep", "false"}}, Fixed: []*Fixed{{Name: "depth", Value: json.RawMessage("0"), Pos: on(23)}}},
		},
		Retired: &RetiredNames{Names: []string{"search"}, Params: []*Retired{{Word: "query", Use: "q", Pos: on(24)}}},
	}
	stateOf := &Tool{
		Name: "state_of", Pos: on(40), Combinations: []*Combination{{}},
		Variants: []*Variant{{Clauses: []*Clause{{Text: lit("Tells a state.")}},
			Params: []*Param{{Name: "id", Doc: lit("Of what."), Type: &Type{Kind: KindString}, Pos: on(41)}}}},
	}
	enum := &Enum{
		Name: "status", Pos: on(50), Values: []*Word{{Word: "open", Doc: lit("Open."), Pos: on(51)}, {Word: "shut", Doc: lit("Shut."), Pos: on(52)}},
		Retired: []*Retired{{Word: "closed", Use: "shut", Why: "it sounded final", Pos: on(53)}},
		From: &Mapping{Pos: on(54), Facts: []*Fact{{Name: "day", Values: []string{"work", "rest"}, Pos: on(55)}, {Name: "lit", Bool: true, Values: []string{"true", "false"}, Pos: on(56)}},
			Rules: []*MappingRule{
				{When: []OptionValue{{"day", "work"}, {"lit", "true"}}, Value: "open", Pos: on(57)},
				{When: []OptionValue{{"day", "work"}, {"lit", "false"}}, Value: "shut", Pos: on(58)},
				{When: []OptionValue{{"day", "rest"}}, Value: "shut", Pos: on(59)},
			}},
	}
	return &Model{Format: Format, Packages: []*Package{{Name: "shop", Path: testPath, Tools: []*Tool{find, stateOf}, Enums: []*Enum{enum},
		Notices: []*Message{{Name: "moved", Render: "Moved.", Pos: on(60)}}, Pos: on(1)}}}
}

// parts of the clean model, for the cases to change
type shop struct {
	m             *Model
	p             *Package
	find, stateOf *Tool
	deep, flat    *Variant
	status        *Enum
}

func newShop() shop {
	m := clean()
	p := m.Packages[0]
	return shop{m, p, p.Tools[0], p.Tools[1], p.Tools[0].Variants[0], p.Tools[0].Variants[1], p.Enums[0]}
}

func TestValidateClean(t *testing.T) {
	require.Empty(t, Validate(clean()))
}

type validateCase struct {
	name   string
	change func(s shop)
	rule   string
	line   int
	path   string
	words  []string // in the message
	fix    string   // part of the fix
}

func runValidate(t *testing.T, cases []validateCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newShop()
			c.change(s)
			got := Validate(s.m)
			require.Len(t, got, 1, "%v", got)
			f := got[0]
			require.Equal(t, c.rule, f.Rule, f.Message)
			require.Equal(t, on(c.line), f.Pos, f.Message)
			require.Equal(t, c.path, f.Path)
			for _, w := range c.words {
				require.Contains(t, f.Message, w)
			}
			require.NotEmpty(t, f.Fix)
			require.Contains(t, f.Fix, c.fix)
		})
	}
}

func TestValidateNames(t *testing.T) {
	tool := func(name, wire string) *Tool {
		return &Tool{Name: name, Wire: wire, Pos: on(90), Combinations: []*Combination{{}}, Variants: []*Variant{{Clauses: []*Clause{{Text: lit("Does it.")}}}}}
	}
	other := func(t *Tool) *Package { return &Package{Name: "other", Path: "example.com/other", Tools: []*Tool{t}} }
	runValidate(t, []validateCase{
		{"label in another package", func(s shop) { s.m.Packages = append(s.m.Packages, other(tool("find", "find2"))) },
			"tool-duplicate", 90, "tools.find", []string{"find", "another tool"}, "rename"},
		{"label of an enum", func(s shop) { s.m.Packages = append(s.m.Packages, other(tool("status", ""))) },
			"tool-duplicate", 90, "tools.status", []string{"status", "another enum"}, ""},
		{"label in an external package", func(s shop) {
			x := tool("state_of", "")
			x.Pos = diag.Position{File: "elsewhere.cue", Line: 3}
			s.m.External = []*Package{other(x)}
		}, "tool-duplicate", 40, "tools.state_of", []string{"another tool"}, ""},
		{"enum of a tool's label", func(s shop) {
			s.m.Packages = append(s.m.Packages, &Package{Path: "example.com/b", Enums: []*Enum{{Name: "find", Pos: on(91), Values: []*Word{{Word: "a", Doc: lit("A.")}}}}})
		}, "enum-duplicate", 91, "enums.find", []string{"another tool"}, ""},
		{"mounted name", func(s shop) { s.stateOf.Wire = "find" },
			"tool-duplicate", 40, "tools.state_of", []string{"both mounted as find"}, "wire"},
		{"name that no provider takes", func(s shop) { s.stateOf.Wire = "find/more" }, "name-invalid", 40, "tools.state_of", []string{"find/more", "1 to 64"}, "wire"},
		{"names that read alike", func(s shop) { s.stateOf.Wire = "FI-ND" }, "tool-duplicate", 40, "tools.state_of", []string{"find and FI-ND", "read alike"}, "wire"},
		{"needs nobody", func(s shop) { s.deep.Needs = []string{"stat_of"} },
			"needs-unknown", 10, "tools.find.needs", []string{"stat_of", "deep=true"}, "tools.state_of.name"},
		{"needs itself", func(s shop) { s.stateOf.Variants[0].Needs = []string{"state_of"} },
			"needs-unknown", 40, "tools.state_of.needs", []string{"itself"}, "drop"},
		{"retired name is a tool", func(s shop) { s.find.Retired.Names = []string{"state_of"} },
			"tool-retired", 10, "tools.find.retired.names", []string{"state_of", "former name"}, "drop"},
		{"retired parameter still there", func(s shop) { s.find.Retired.Params[0].Word = "depth" },
			"tool-retired", 24, "tools.find.retired.params.depth", []string{"still a parameter"}, "drop"},
		{"retired parameter without successor", func(s shop) { s.find.Retired.Params[0].Use = "sorts" },
			"tool-retired", 24, "tools.find.retired.params.query", []string{"sorts", "no parameter"}, `use: "sort"`},
		{"alias is a parameter", func(s shop) { s.find.Variants[0].Params[0].Aliases = []string{"depth"} },
			"alias-collision", 11, "tools.find.params.q.aliases", []string{"depth", "name of a parameter"}, "drop"},
		{"alias of two", func(s shop) {
			s.deep.Params[0].Aliases, s.deep.Params[1].Aliases = []string{"a"}, []string{"b", "a"}
		}, "alias-collision", 12, "tools.find.params.sort.aliases", []string{"alias of q already"}, "drop"},
		{"timeout", func(s shop) { s.deep.Limits.Timeout = "30" },
			"limit-invalid", 10, "tools.find.limits.timeout", []string{`"30"`, "positive duration"}, `"30s"`},
		{"negative timeout", func(s shop) { s.deep.Limits.Timeout = "-1s" },
			"limit-invalid", 10, "tools.find.limits.timeout", []string{"-1s"}, ""},
		{"order", func(s shop) { s.deep.Sections[0].Order = "" },
			"section-text", 21, "tools.find.sections.usage.order", []string{"finite number"}, "order: 110"},
	})
}

func TestValidateTexts(t *testing.T) {
	clause := func(v *Variant, t Text) { v.Clauses = append(v.Clauses, &Clause{ID: "x", Text: t}) }
	const at = "tools.find.clauses.x"
	runValidate(t, []validateCase{
		{"unknown tool", func(s shop) { clause(s.deep, ref(30, "stateof", "")) }, "ref-unknown", 30, at, []string{"stateof", "deep=true"}, "state_of"},
		{"unknown tool in all variants", func(s shop) { clause(s.deep, ref(30, "nobody", "")); clause(s.flat, ref(30, "nobody", "")) },
			"ref-unknown", 30, at, []string{"nobody"}, "declare"},
		{"unknown own parameter", func(s shop) { clause(s.deep, ref(30, "find", "dept")) }, "ref-unknown", 30, at, []string{"dept of find"}, "depth"},
		{"unknown parameter of another", func(s shop) { clause(s.deep, ref(30, "state_of", "name")) }, "ref-unknown", 30, at, []string{"name of state_of"}, "are id"},
		{"absent own parameter", func(s shop) { clause(s.flat, ref(30, "find", "depth")) },
			"ref-absent", 30, at, []string{"depth", "absent", "(in the variant deep=false)"}, "options.deep"},
		{"absent own parameter in a section", func(s shop) {
			s.flat.Sections = []*Section{{Label: "usage", Order: "110", File: "a.md", Text: ref(31, "find", "depth"), Pos: on(21)}}
		}, "ref-absent", 31, "tools.find.sections.usage", []string{"deep=false"}, "file of its own"},
		{"absent parameter of another", func(s shop) {
			s.find.Combinations[0].Variant = 1 // the default variant lacks depth
			s.stateOf.Variants[0].Clauses[0].Text = ref(42, "find", "depth")
		}, "ref-absent", 42, "tools.state_of.description", []string{"depth of find", "default variant lacks"}, "without the parameter"},
		{"unknown enum", func(s shop) { clause(s.deep, word(30, "statu", "open")) }, "ref-unknown", 30, at, []string{"enum statu"}, "status"},
		{"unknown word", func(s shop) { clause(s.deep, word(30, "status", "opn")) }, "ref-unknown", 30, at, []string{"opn", "none of its words"}, "open"},
		{"retired word", func(s shop) { clause(s.deep, word(30, "status", "closed")) }, "ref-unknown", 30, at, []string{"closed"}, "did you mean shut? closed is retired: it sounded final"},
		{"enum that nothing uses", func(s shop) {
			s.p.Enums = append(s.p.Enums, &Enum{Name: "color", Values: []*Word{{Word: "red", Doc: lit("Red.")}}, Pos: on(95)})
			clause(s.deep, word(30, "color", "red"))
		}, "ref-absent", 30, at, []string{"color", "no parameter or result"}, "enums.color.type"},
		{"doc names another tool", func(s shop) { s.deep.Params[0].Doc = ref(32, "state_of", "id") },
			"ref-foreign", 32, "tools.find.params.q.doc", []string{"state_of", "own tool only"}, "clause"},
		{"nested doc names another tool", func(s shop) {
			s.deep.Params[2].Type = &Type{Kind: KindArray, Elem: &Type{Kind: KindObject, Fields: []*Param{{Name: "x", Doc: ref(33, "state_of", ""), Type: &Type{Kind: KindAny}, Pos: on(33)}}}}
			s.deep.Examples, s.flat.Fixed = nil, nil
		}, "ref-foreign", 33, "tools.find.params.depth.items.fields.x.doc", []string{"state_of"}, ""},
		{"enum doc names a tool", func(s shop) { s.status.Values[0].Doc = ref(51, "find", "") },
			"ref-foreign", 51, "enums.status.values.open.doc", []string{"an enum", "find"}, ""},
		{"field doc names a tool", func(s shop) { s.find.Results[0].Fields[0].Doc = ref(18, "find", "") },
			"result-tool", 18, "tools.find.results.found.fields.state.doc", []string{"a result", "find"}, ""},
		{"no description", func(s shop) { s.flat.Clauses = nil }, "text-missing", 10, "tools.find", []string{"no description", "deep=false"}, "description:"},
		{"blank description", func(s shop) { s.stateOf.Variants[0].Clauses[0].Text = lit(" \n") }, "text-missing", 40, "tools.state_of", []string{"no description"}, ""},
		{"empty clause", func(s shop) { clause(s.deep, nil) }, "text-missing", 10, at, []string{"clause is empty", "deep=true"}, ""},
		{"empty section", func(s shop) { s.deep.Sections[0].Text = nil }, "section-text", 21, "tools.find.sections.usage", []string{"no text"}, "text:"},
		{"no doc", func(s shop) { s.deep.Params[0].Doc = nil }, "param-doc", 11, "tools.find.params.q", []string{"q has no doc"}, "doc:"},
		{"no render", func(s shop) { s.p.Notices[0].Render = "" }, "text-missing", 60, "notices.moved", []string{"no text"}, "render:"},
		{"template", func(s shop) { s.find.Results[0].Render = "{{.stat}}" }, "result-template", 17, "tools.find.results.found.render", []string{"no field stat"}, "{{.state}}"},
	})
}

func TestValidateValues(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	runValidate(t, []validateCase{
		{"default", func(s shop) { s.deep.Params[1].Default = raw(`"pric"`) }, "default-invalid", 13, "tools.find.params.sort.default", []string{"sort", "one of price, name", `"pric"`}, `default: "price"`},
		{"default in a field", func(s shop) {
			s.p.Notices[0].Fields = []*Param{{Name: "n", Doc: lit("N."), Type: &Type{Kind: KindInt}, Default: raw("1.5"), Pos: on(61)}}
		}, "default-invalid", 61, "notices.moved.fields.n.default", []string{"integer", "1.5"}, "default"},
		{"default in a definition", func(s shop) {
			s.p.Defs = []*Def{{Name: "Opt", Pos: on(70), Type: &Type{Kind: KindObject, Fields: []*Param{{Name: "n", Type: &Type{Kind: KindBool}, Default: raw("0"), Pos: on(71)}}}}}
		}, "default-invalid", 71, "#Opt.fields.n.default", []string{"a boolean", "got 0"}, ""},
		{"fixed unknown", func(s shop) { s.flat.Fixed[0].Name = "deptj" }, "fixed-unknown", 23, "tools.find.fixed.deptj", []string{"deptj", "deep=false"}, "depth"},
		{"fixed type", func(s shop) { s.flat.Fixed[0].Value = raw(`"0"`) }, "fixed-type", 23, "tools.find.fixed.depth", []string{"depth", "integer"}, ""},
		{"fixed bound", func(s shop) { s.flat.Fixed[0].Value = raw("10") }, "fixed-type", 23, "tools.find.fixed.depth", []string{"at most 9"}, ""},
		{"fixed beside", func(s shop) { s.deep.Fixed = []*Fixed{{Name: "depth", Value: raw("1"), Pos: on(26)}} }, "fixed-param", 26, "tools.find.fixed.depth", []string{"beside its own parameter", "deep=true"}, "conditions"},
		{"example unknown", func(s shop) { s.deep.Examples[0].Args = raw(`{"q":"a","sorts":"name"}`) }, "example-invalid", 22, "tools.find.examples.0.args", []string{"/sorts", "did you mean sort?"}, ""},
		{"example missing", func(s shop) { s.deep.Examples[0].Args = raw(`{}`) }, "example-invalid", 22, "tools.find.examples.0.args", []string{"required q"}, ""},
		{"example type", func(s shop) { s.deep.Examples[0].Args = raw(`{"q":""}`) }, "example-invalid", 22, "tools.find.examples.0.args", []string{"/q", "at least 1 character"}, ""},
		{"pattern", func(s shop) { s.deep.Params[0].Type = &Type{Kind: KindString, Patterns: []string{`(?i)^t`}} },
			"pattern-unsupported", 11, "tools.find.params.q", []string{"(?i)", "ECMA"}, "[Aa]"},
	})
}

func TestValidateReportsEverything(t *testing.T) {
	s := newShop()
	s.deep.Params[0].Doc = nil
	s.deep.Needs = []string{"x"}
	s.flat.Clauses = nil
	s.status.Retired[0].Use = "gone"
	s.p.Notices[0].Render = "{{template \"x\"}}"
	var rules []string
	for _, f := range Validate(s.m) {
		rules = append(rules, f.Rule)
	}
	require.Equal(t, "needs-unknown text-missing param-doc enum-retired result-template", strings.Join(rules, " "))
}

func TestValidateEmptyModel(t *testing.T) {
	require.Empty(t, Validate(&Model{}))
	require.Empty(t, Validate(&Model{Packages: []*Package{{Tools: []*Tool{{Name: "x", Options: []*Option{{Name: "o", Kind: OptionEnum}}}}}}}))
}

// A word may be named where its enum is used inside a definition, also of another package, and by texts that name no
// tools.
func TestValidateUsedEnums(t *testing.T) {
	s := newShop()
	far := &Package{Path: "example.com/far", Enums: []*Enum{{Name: "color", Values: []*Word{{Word: "red", Doc: word(1, "color", "red")}}}},
		Defs: []*Def{{Name: "Paint", Type: &Type{Kind: KindObject, Fields: []*Param{
			{Name: "c", Type: &Type{Kind: KindString, Enum: []string{"red"}, EnumRef: &EnumRef{Package: "example.com/far", Name: "color"}}},
			{Name: "under", Optional: true, Type: &Type{Kind: KindRef, Ref: "Paint"}},
		}}}}}
	s.m.Packages = append(s.m.Packages, far)
	s.stateOf.Variants[0].Clauses[0].Text = word(43, "color", "red")
	require.Len(t, Validate(s.m), 2, "the clause, and the enum's own doc")

	// Where a definition of another package is used, the loader gives the user's package one of its own.
	s.p.Defs, far.Defs = append(s.p.Defs, far.Defs...), nil
	s.stateOf.Package = s.p
	s.stateOf.Variants[0].Params[0].Type = &Type{Kind: KindArray, Doc: word(44, "color", "red"), Elem: &Type{Kind: KindRef, Ref: "Paint"}}
	require.Empty(t, Validate(s.m))

	s.stateOf.Variants[0].Params[0].Type.Doc = word(44, "color", "rad")
	got := Validate(s.m)
	require.Len(t, got, 1)
	require.Equal(t, "ref-unknown", got[0].Rule)
	require.Equal(t, on(44), got[0].Pos)
	require.Equal(t, "tools.state_of.params.id.doc", got[0].Path)
}

// A parameter's doc is part of the schema, which no scope shortens, so it may use words of its own tool's enums only; a
// clause, which a scope can leave out, may use those of any tool that is there.
func TestValidateForeignWords(t *testing.T) {
	color := &Enum{Name: "color", Values: []*Word{{Word: "red", Doc: Literal("Red.")}}}
	typ := &Type{Kind: KindString, Enum: []string{"red"}, EnumRef: &EnumRef{Package: "p", Name: "color"}}
	tool := func(name string, clause, doc Text, typ *Type) *Tool {
		v := &Variant{Clauses: []*Clause{{Text: clause}}, Params: []*Param{{Name: "q", Type: typ, Doc: doc, Pos: on(2)}}, Concurrency: "safe"}
		return &Tool{Name: name, Variants: []*Variant{v}, Combinations: []*Combination{{}}, Args: []*Arg{{Name: "q", Type: typ}}}
	}
	says := Text{{Lit: "Not "}, {Enum: "color", Word: "red"}}
	str := &Type{Kind: KindString}
	validate := func(clause, doc Text) diag.Findings {
		return Validate(&Model{Packages: []*Package{{Path: "p", Name: "p", Enums: []*Enum{color},
			Tools: []*Tool{tool("a", clause, doc, str), tool("b", Literal("B."), Literal("B."), typ)}}}})
	}
	require.Empty(t, validate(says, Literal("Q.")))
	got := validate(Literal("A."), says)
	require.Len(t, got, 1)
	require.Equal(t, "ref-foreign", got[0].Rule)
	require.Equal(t, on(2), got[0].Pos)
}
