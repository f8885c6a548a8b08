package contract

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFits(t *testing.T) {
	str, integer := &Type{Kind: KindString}, &Type{Kind: KindInt}
	object := func(fields ...*Param) *Type { return &Type{Kind: KindObject, Fields: fields} }
	types := map[string]*Type{
		"any": {Kind: KindAny}, "null": {Kind: KindNull}, "bool": {Kind: KindBool}, "true": {Kind: KindBool, Enum: []string{"true"}},
		"int": integer, "string": str, "string?": {Kind: KindString, Nullable: true},
		"bounded":   {Kind: KindInt, Min: "0", Max: "10", ExclusiveMin: true, ExclusiveMax: true, MultipleOf: "3", Not: []string{"6"}},
		"number":    {Kind: KindNumber, Min: "0.1", Max: "9007199254740993.5", MultipleOf: "0.1"},
		"numbers":   {Kind: KindNumber, Enum: []string{"1", "2.5"}},
		"words":     {Kind: KindString, Enum: []string{"a", "b"}},
		"runes":     {Kind: KindString, MinLen: ptr(2), MaxLen: ptr(3), Not: []string{"no"}},
		"pattern":   {Kind: KindString, Patterns: []string{"^a", "z$"}},
		"date-time": {Kind: KindString, Format: "date-time"}, "uuid": {Kind: KindString, Format: "uuid"}, "ipv4": {Kind: KindString, Format: "ipv4"},
		"set": {Kind: KindArray, Elem: &Type{Kind: KindAny}, Unique: true}, "date": {Kind: KindString, Format: "date"},
		"uri": {Kind: KindString, Format: "uri"}, "ipv6": {Kind: KindString, Format: "ipv6"},
		"list":   {Kind: KindArray, Elem: integer, MinLen: ptr(1), MaxLen: ptr(3), Unique: true},
		"tuple":  {Kind: KindTuple, Items: []*Type{integer, str}},
		"object": object(&Param{Name: "a/b", Type: integer}, &Param{Name: "o", Type: str, Optional: true}, &Param{Name: "d", Type: str, Default: json.RawMessage(`"x"`)}),
		"open":   {Kind: KindObject, Fields: []*Param{{Name: "a", Type: integer}}, Rest: str, MaxLen: ptr(2)},
		"map":    {Kind: KindObject, PatternRest: []*PatternRest{{Pattern: "^x", Type: integer}}},
		"tagged": {Kind: KindTagged, Tag: "kind", Cases: []*Case{
			{Tag: "a", Type: object(&Param{Name: "n", Type: integer})},
			{Tag: "b", Type: object(&Param{Name: "kind", Type: &Type{Kind: KindString, Enum: []string{"b"}}})}}},
		"union":   {Kind: KindUnion, Cases: []*Case{{Type: integer}, {Type: &Type{Kind: KindArray, Elem: str}}, {Type: &Type{Kind: KindNull}}}},
		"tree":    {Kind: KindRef, Ref: "Tree"},
		"loop":    {Kind: KindRef, Ref: "Loop"},
		"nothing": {Kind: KindRef, Ref: "Gone"},
		"far":     {Kind: KindRef, Ref: "Near", RefPackage: "q"},
	}
	tree := object(&Param{Name: "v", Type: integer}, &Param{Name: "kids", Type: &Type{Kind: KindArray, Elem: types["tree"]}, Optional: true})
	loop := &Type{Kind: KindUnion, Cases: []*Case{{Type: types["loop"]}, {Type: types["loop"]}, {Type: str}}}
	m := &Model{Packages: []*Package{
		{Path: "p", Defs: []*Def{{Name: "Tree", Type: tree}, {Name: "Loop", Type: loop}}},
		{Path: "q", Defs: []*Def{{Name: "Near", Type: &Type{Kind: KindRef, Ref: "Leaf"}}, {Name: "Leaf", Type: str}}},
	}}
	defs := m.Definitions(m.Packages[0])

	good := []string{
		"any 1", "any null", `any {"a":[1]}`, "null null", "bool true", "true true", "int 5", "int 5.0", "int 1e3", "int -9223372036854775808",
		`string ""`, "string? null", "bounded 3", "bounded 9.0", "number 0.3", "number 9007199254740993.5", "numbers 1.0", "numbers 25e-1",
		`words "a"`, `runes "日本"`, `pattern "abz"`, `date-time "2024-02-29T23:59:60Z" -`, `date-time "2024-02-29T23:59:59.5+02:00"`,
		`uuid "00000000-0000-0000-0000-00000000000f"`, `ipv4 "10.0.0.1"`, `date "2024-02-29"`, `uri "https://a.b/c"`, `ipv6 "::1"`, `set [1,"1",true,"true",[],{}]`, "list [1,2,3]", `tuple [1,"a"]`, `object {"a/b":1}`, `object {"a/b":1,"o":"","d":"y"}`,
		`open {"a":1,"z":"s"}`, `map {"x1":1,"x2":2}`, `map {}`, `tagged {"kind":"a","n":1}`, `tagged {"kind":"b"}`, "union 1", `union ["a"]`, "union null",
		`tree {"v":1,"kids":[{"v":2,"kids":[]}]}`, `loop "s"`, "nothing 1", `far "s"`,
	}
	for _, c := range good {
		if strings.HasSuffix(c, " -") {
			continue // leap seconds: Go's clock has none
		}
		name, raw, _ := strings.Cut(c, " ")
		require.Empty(t, fits(json.RawMessage(raw), types[name], defs), c)
	}
	for c, want := range map[string]string{
		"null 0": "expected null, got 0", "bool 1": "expected a boolean, got 1", "true false": "expected one of true, got false",
		"int 5.5": "expected an integer, got 5.5", `int "5"`: `got "5"`, "int null": "got null", "int 9223372036854775808": "beyond 64 bits",
		"int 1e9999999": "out of range", "bounded 0": "too small, expected more than 0", "bounded 12": "too large, expected less than 10",
		"bounded 4": "no multiple of 3", "bounded 6": "excluded", "number 0.05": "at least 0.1", "number 9007199254740993.6": "at most 9007199254740993.5",
		"number 0.35": "no multiple of 0.1", "numbers 2": "expected one of 1, 2.5, got 2", `words "c"`: `expected one of a, b, got "c"`, "string null": "got null",
		`runes "日"`: "at least 2 characters, got 1", `runes "abcd"`: "at most 3 characters, got 4", `runes "no"`: "excluded", `pattern "ab"`: "z$",
		`date-time "2024-02-30T00:00:00Z"`: "no date-time", `uuid "x"`: "no uuid", `ipv4 "::1"`: "no ipv4",
		"list []": "at least 1 item, got 0", "list [1,1.0]": "at /1: is equal to item 0", `list ["a"]`: "at /0: expected an integer", "list {}": "expected a list, got {}",
		"tuple [1]": "expected 2 items, got 1", `tuple ["a","a"]`: "at /0: expected an integer", `object {}`: `lacks the required a/b`,
		`object {"a/b":"x"}`: "at /a~1b: expected an integer", `object {"a/b":1,"op":"x"}`: "at /op: is unknown", `open {"a":1,"z":2}`: "at /z: expected a string",
		`open {"a":1,"y":"","z":""}`: "at most 2 properties, got 3", `map {"y":1}`: "at /y: is unknown", `map {"x":"1"}`: "at /x: expected an integer",
		`tagged {"kind":"c"}`: `at /kind: expected one of a, b, got "c"`, `tagged {"n":1}`: "lacks kind, which tells the kinds apart", `tagged {"kind":"a"}`: "lacks the required n",
		`tagged {"kind":"a","n":1,"x":2}`: "at /x: is unknown", "tagged []": "expected an object", `union "a"`: `expected an integer or a list or null, got "a"`,
		`tree {"v":1,"kids":[{"w":2}]}`: "at /kids/0", "loop 1": "got 1", "far 1": "expected a string", "int 1 2": "something follows", "int {": "is not JSON",
	} {
		name, raw, _ := strings.Cut(c, " ")
		got := fits(json.RawMessage(raw), types[name], defs)
		require.NotEmpty(t, got, c)
		require.Contains(t, got[0].String(), want, c)
	}
	require.Len(t, fits(json.RawMessage(`{"z":1,"y":2}`), types["object"], defs), 3, "every problem is reported")
}

// Alternatives of alternatives would multiply without end.
func TestFitsIsBounded(t *testing.T) {
	m := &Model{Packages: []*Package{{Path: "p"}}}
	var all []*Case
	for _, n := range "ABCDEFGHIJKL" {
		all = append(all, &Case{Type: &Type{Kind: KindRef, Ref: string(n)}})
	}
	for _, n := range "ABCDEFGHIJKL" {
		m.Packages[0].Defs = append(m.Packages[0].Defs, &Def{Name: string(n), Type: &Type{Kind: KindUnion, Cases: all}})
	}
	require.NotPanics(t, func() { fits(json.RawMessage("1"), all[0].Type, m.Definitions(m.Packages[0])) })
}

func TestCheckPattern(t *testing.T) {
	for _, p := range []string{
		"", "^a+b*?c{2,3}$", `[a-z\-\]]+`, `\d\D\w\W\s\S\b`, `(?:a|b)(?<n>c)`, `\x41\.\\\/\{`, `[^a-z_-]`, `[+\-*]`, `[[]`, `日本+`, `[\d-]`, `a{3}?`, `^(?:^)*$`, `\n\t`,
	} {
		require.Nil(t, checkPattern(p), p)
	}
	for p, want := range map[string]string{
		`(?i)a`: "(?i)", `(?s:.)`: "(?s)", `(?P<n>a)`: "(?P<name>", `\Aa`: `\A`, `a\z`: `\z`, `\pL`: `\p`, `\p{Greek}`: `\p`, `\PN`: `\P`, `\Qa.b\E`: `\Q`,
		`[[:alpha:]]`: "[:alpha:]", `[^[:^digit:]]`: "[:^digit:]", `\x{1F600}`: `\x{`, `\a`: `\a`, `\07`: `\0`, `\-`: `\-`, `\@`: `\@`, `[\@]`: `\@`, `[]a]`: "start of a class",
		`a{,5}`: "{", `a{`: "{", `a}`: "}", `a]`: "]", `^*`: "repeated", `\b+`: "repeated", `[\d-z]`: "between a set", `(?<1a>b)`: "digit",
		`(a`: "cannot read", `(?=a)`: "cannot read", `a**`: "cannot read", `\1`: "cannot read",
	} {
		got := checkPattern(p)
		require.NotNil(t, got, p)
		require.Contains(t, got.why, want, p)
		require.NotEmpty(t, got.fix, p)
	}
}
