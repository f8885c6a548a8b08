package contract

import (
	"encoding/json"
	"go/token"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGoName(t *testing.T) {
	for wire, want := range map[string]string{
		"run_in_background": "RunInBackground", "backgroundMode": "BackgroundMode", "enableRunInBackground": "EnableRunInBackground",
		"agent_id": "AgentID", "agent_ids": "AgentIDs", "userId": "UserID", "userIDs": "UserIDs", "userIDsList": "UserIDsList",
		"HTTPServer": "HTTPServer", "https_url": "HTTPSURL", "api-key": "APIKey", "ipv4": "IPv4", "json_uuid_ip": "JSONUUIDIP",
		"$expand": "Expand", "page[size]": "PageSize", "date-min": "DateMin", "a.b/c d": "ABCD", "type": "Type", "func": "Func",
		"GET": "Get", "NOT_RUNNING": "NotRunning", "ID": "ID", "XMLish": "XMLish", "ABTest": "ABTest",
		"+1": "Plus1", "-1": "Minus1", "-created": "MinusCreated", "!done": "NotDone", "c++": "CPlusPlus", "C#": "CSharp", "A-": "AMinus",
		"": "Empty", "2fa": "N2fa", "1.5": "N1_5", "2024-01-02": "N2024_01_02", "sha256Sum": "Sha256Sum", "next-step": "NextStep",
		"<=": "LessEqual", "!=": "NotEqual", "*": "Star", " ": "Space", "_": "Underscore", "👍": "XU1F44D", "\xff": "XUFFFD",
		"größe": "Größe", "été": "Été", "日本": "X日本", "ß": "Xß", "e\u0301te": "Ete", "token_limit": "TokenLimit",
	} {
		if wire == "👍" || wire == "\xff" {
			want = want[1:] // U is a capital already
		}
		require.Equal(t, want, GoName(wire), "%q", wire)
	}
}

func TestGoNames(t *testing.T) {
	require.Equal(t, "SubagentArgs", ArgsType("subagent"))
	require.Equal(t, "SubagentOptions", OptionsType("subagent"))
	require.Equal(t, "SubagentOptionsOf", OptionsFunc("subagent"))
	require.Equal(t, "SubagentBackgroundMode", OptionType("subagent", "backgroundMode"))
	require.Equal(t, "SubagentBackgroundModeOneShot", ConstName(OptionType("subagent", "backgroundMode"), "one-shot"))
	require.Equal(t, "ListAgentsScope", ParamType("list_agents", "scope"))
	require.Equal(t, "SubagentResult", ResultInterface("subagent"))
	require.Equal(t, "SubagentForeground", ResultType("subagent", "foreground"))
	require.Equal(t, "MountSubagent", MountFunc("subagent"))
	require.Equal(t, "AgentStatus", EnumType("agent_status"))
	require.Equal(t, "AgentStatusRunning", ConstName(EnumType("agent_status"), "running"))
	require.Equal(t, "AgentStatusFrom", MappingFunc("agent_status"))
	require.Equal(t, "AgentStatusValues", ValuesFunc("agent_status"))
	require.Equal(t, "SettlementNotice", NoticeType("settlement"))
	require.Equal(t, "ListAgentsListingAgentsItem", ItemType(FieldType(ResultType("list_agents", "listing"), "agents")))
	require.Equal(t, "PriorityPlus1", ConstName("Priority", "+1"))
	require.Equal(t, "Priority1", ConstName("Priority", "1"))
	require.Equal(t, "V2_1", ConstName("V2", "1"))
	require.Equal(t, "PairItem2", TupleItemType("Pair", 2))
	require.Equal(t, "ShapeRoundBox", CaseType("Shape", "round-box"))
	union := &Type{Kind: KindUnion, Cases: []*Case{{Type: &Type{Kind: KindString}}, {Type: &Type{Kind: KindRef, Ref: "node"}}, {Type: &Type{Kind: KindString}}, {}}}
	require.Equal(t, []string{"String", "Node", "String2", "Any"}, []string{CaseField(union, 0), CaseField(union, 1), CaseField(union, 2), CaseField(union, 3)})
}

func FuzzGoName(f *testing.F) {
	for _, s := range []string{"", "a", "+1", "page[size]", "日本", "ǅ", "ŉx", "İD", "a\u0301", "\xff", "_id", "IDs", "²", "٣", "1٣", "-", "x++", "ª"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n := GoName(s)
		require.True(t, token.IsIdentifier(n), "%q becomes %q", s, n)
		require.True(t, token.IsExported(n), "%q becomes %q", s, n)
		require.Equal(t, n, GoName(s))
		require.True(t, token.IsIdentifier(ConstName("T", s)), "%q", s)
		require.True(t, token.IsIdentifier(FieldType("T1", s)), "%q", s)
	})
}

func TestGoCollisions(t *testing.T) {
	str := &Type{Kind: KindString}
	words := func(w ...string) *Type { return &Type{Kind: KindString, Enum: w} }
	param := func(line int, name string, typ *Type) *Param {
		return &Param{Name: name, Doc: lit("D."), Type: typ, Optional: true, Pos: on(line)}
	}
	runValidate(t, []validateCase{
		{"parameters", func(s shop) { s.deep.Params = append(s.deep.Params, param(30, "_q", str)) },
			"go-name", 30, "tools.find.params._q", []string{`"q" and "_q" both become Q`}, "rename"},
		{"parameters of different variants", func(s shop) { s.flat.Params = append(s.flat.Params, param(30, "Depth", str)) },
			"go-name", 30, "tools.find.params.Depth", []string{`"depth" and "Depth"`}, "rename"},
		{"properties", func(s shop) {
			s.deep.Params = append(s.deep.Params, param(30, "o", &Type{Kind: KindObject, Fields: []*Param{param(31, "a_b", str), param(32, "aB", str)}}))
		}, "go-name", 32, "tools.find.params.o.fields.aB", []string{"AB"}, "rename"},
		{"rest of an open object", func(s shop) {
			s.deep.Params = append(s.deep.Params, param(30, "o", &Type{Kind: KindObject, Fields: []*Param{param(31, "rest", str)}, Rest: &Type{Kind: KindAny}}))
		}, "reserved", 31, "tools.find.params.o.fields.rest", []string{"Rest", "needs itself"}, "rename"},
		{"words of an enum", func(s shop) {
			s.status.Values = append(s.status.Values, &Word{Word: "Open", Doc: lit("O."), Pos: on(63)})
		},
			"go-name", 63, "enums.status.values.Open", []string{"StatusOpen", `"open"`}, "rename"},
		{"words of a parameter over variants", func(s shop) {
			s.deep.Params = append(s.deep.Params, param(30, "mode", words("a-b")))
			s.flat.Params = append(s.flat.Params, param(31, "mode", words("a_b")))
		}, "go-name", 31, "tools.find.params.mode.a_b", []string{"FindModeAB"}, "rename"},
		{"options", func(s shop) {
			s.find.Options = append(s.find.Options, &Option{Name: "Deep", Kind: OptionOpen, Type: str, Pos: on(34)})
		}, "go-name", 34, "tools.find.options.Deep", []string{`"deep" and "Deep"`}, "rename"},
		{"option that is a method", func(s shop) {
			s.find.Options = append(s.find.Options, &Option{Name: "resolved", Kind: OptionOpen, Type: str, Pos: on(34)})
		}, "reserved", 34, "tools.find.options.resolved", []string{"Resolved"}, "rename"},
		{"tools", func(s shop) {
			s.p.Tools = append(s.p.Tools, &Tool{Name: "Find", Pos: on(80), Combinations: []*Combination{{}}, Variants: []*Variant{{Clauses: []*Clause{{Text: lit("F.")}}}}})
		}, "go-name", 80, "tools.Find", []string{`"find" and "Find"`}, "rename"},
		{"results", func(s shop) {
			s.find.Results = append(s.find.Results, &Message{Name: "Found", Render: "F.", Pos: on(35)})
		}, "go-name", 35, "tools.find.results.Found", []string{"Found"}, "rename"},
		{"result like the arguments", func(s shop) {
			s.find.Results = append(s.find.Results, &Message{Name: "args", Render: "F.", Pos: on(35)})
		}, "reserved", 35, "tools.find.results.args", []string{"FindArgs", "the arguments of find"}, "rename"},
		{"result like a parameter", func(s shop) {
			s.find.Results = append(s.find.Results, &Message{Name: "sort", Render: "F.", Pos: on(35)})
		}, "reserved", 35, "tools.find.results.sort", []string{"FindSort", "the parameter sort"}, "rename"},
		{"field like a method", func(s shop) {
			s.p.Notices[0].Fields = []*Param{param(61, "append_text", str)}
		}, "reserved", 61, "notices.moved.fields.append_text", []string{"AppendText"}, "rename"},
		{"definition like an enum", func(s shop) { s.p.Defs = []*Def{{Name: "Status", Type: str, Pos: on(70)}} },
			"reserved", 70, "#Status", []string{"the enum status"}, "rename"},
	})
}

func TestGoIdentifiers(t *testing.T) {
	s := newShop()
	s.p.Notices[0].List = true
	s.find.Options = append(s.find.Options, &Option{Name: "mode", Kind: OptionEnum, Values: []string{"a", "b"}, Default: json.RawMessage(`"a"`)})
	s.stateOf.Variants[0].Params[0].Type = &Type{Kind: KindArray, Elem: &Type{Kind: KindTagged, Tag: "k", Cases: []*Case{
		{Tag: "x", Type: &Type{Kind: KindObject, Fields: []*Param{{Name: "m", Type: &Type{Kind: KindObject, Rest: &Type{Kind: KindInt, Enum: []string{"1", "-1"}}}}}}}}}}
	decls, collisions := GoIdentifiers(s.p)
	require.Empty(t, collisions)
	want := map[string]string{}
	for path, names := range map[string][]string{
		"tools.find":                                               {"FindArgs", "FindOptions", "FindOptionsOf", "FindResult", "MountFind"},
		"tools.find.options.mode":                                  {"FindMode"},
		"tools.find.options.mode.a":                                {"FindModeA"},
		"tools.find.options.mode.b":                                {"FindModeB"},
		"tools.find.params.sort":                                   {"FindSort"},
		"tools.find.params.sort.price":                             {"FindSortPrice"},
		"tools.find.params.sort.name":                              {"FindSortName"},
		"tools.find.results.found":                                 {"FindFound"},
		"tools.state_of":                                           {"StateOfArgs", "StateOfOptions", "StateOfOptionsOf", "StateOfResult", "MountStateOf"},
		"tools.state_of.params.id.items":                           {"StateOfIDItem"},
		"tools.state_of.params.id.items.cases.x":                   {"StateOfIDItemX"},
		"tools.state_of.params.id.items.cases.x.fields.m.items":    {"StateOfIDItemXMItem"},
		"tools.state_of.params.id.items.cases.x.fields.m.items.1":  {"StateOfIDItemXMItem1"},
		"tools.state_of.params.id.items.cases.x.fields.m.items.-1": {"StateOfIDItemXMItemMinus1"},
		"enums.status":                                             {"Status", "StatusValues"},
		"enums.status.from":                                        {"StatusFrom"},
		"enums.status.values.open":                                 {"StatusOpen"},
		"enums.status.values.shut":                                 {"StatusShut"},
		"notices.moved":                                            {"MovedNotice", "MovedNoticeItem"},
	} {
		for _, n := range names {
			want[n] = path
		}
	}
	require.Equal(t, want, decls)
}
