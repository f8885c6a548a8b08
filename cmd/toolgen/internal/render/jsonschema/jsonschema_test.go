package jsonschema

import (
	"encoding/json"
	"testing"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
)

func n(i int64) *int64 { return &i }

func TestParameters(t *testing.T) {
	str := &contract.Type{Kind: contract.KindString}
	for name, c := range map[string]struct {
		typ  *contract.Type
		want string
	}{
		"string": {&contract.Type{Kind: contract.KindString, MinLen: n(1), MaxLen: n(5), Patterns: []string{"^a"}},
			`{"type":"string","minLength":1,"maxLength":5,"pattern":"^a"}`},
		"two patterns": {&contract.Type{Kind: contract.KindString, Patterns: []string{"a", "b"}},
			`{"type":"string","allOf":[{"pattern":"a"},{"pattern":"b"}]}`},
		"format":        {&contract.Type{Kind: contract.KindString, Format: "date-time"}, `{"type":"string","format":"date-time"}`},
		"enum":          {&contract.Type{Kind: contract.KindString, Enum: []string{"a", `q"`}}, `{"type":"string","enum":["a","q\""]}`},
		"nullable enum": {&contract.Type{Kind: contract.KindInt, Nullable: true, Enum: []string{"1", "2"}}, `{"type":["integer","null"],"enum":[1,2,null]}`},
		"excluded":      {&contract.Type{Kind: contract.KindString, Not: []string{""}}, `{"type":"string","not":{"enum":[""]}}`},
		"big bounds": {&contract.Type{Kind: contract.KindInt, Min: "-9007199254740993", Max: "9223372036854775807", ExclusiveMax: true},
			`{"type":"integer","minimum":-9007199254740993,"exclusiveMaximum":9223372036854775807}`},
		"number":           {&contract.Type{Kind: contract.KindNumber, Min: "0", ExclusiveMin: true, MultipleOf: "0.5"}, `{"type":"number","exclusiveMinimum":0,"multipleOf":0.5}`},
		"list":             {&contract.Type{Kind: contract.KindArray, Elem: str, MinLen: n(1), Unique: true}, `{"type":"array","items":{"type":"string"},"minItems":1,"uniqueItems":true}`},
		"list of anything": {&contract.Type{Kind: contract.KindArray, Elem: &contract.Type{Kind: contract.KindAny}}, `{"type":"array","items":true}`},
		"tuple": {&contract.Type{Kind: contract.KindTuple, Items: []*contract.Type{str, {Kind: contract.KindBool}}},
			`{"type":"array","prefixItems":[{"type":"string"},{"type":"boolean"}],"items":false,"minItems":2}`},
		"map": {&contract.Type{Kind: contract.KindObject, Rest: str}, `{"type":"object","additionalProperties":{"type":"string"}}`},
		"pattern map": {&contract.Type{Kind: contract.KindObject, PatternRest: []*contract.PatternRest{{Pattern: "^x", Type: str}}},
			`{"type":"object","patternProperties":{"^x":{"type":"string"}},"additionalProperties":false}`},
		"object": {&contract.Type{Kind: contract.KindObject, Fields: []*contract.Param{
			{Name: "b", Type: str}, {Name: "a", Type: str, Optional: true, Doc: contract.Literal("Is <b>.")}, {Name: "c", Type: str, Default: json.RawMessage(`"x"`)}}},
			`{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"string","description":"Is <b>."},"c":{"type":"string","default":"x"}},"required":["b"],"additionalProperties":false}`},
		"empty object": {&contract.Type{Kind: contract.KindObject}, `{"type":"object","properties":{},"additionalProperties":false}`},
		"open object":  {&contract.Type{Kind: contract.KindObject, Rest: &contract.Type{Kind: contract.KindAny}}, `{"type":"object","additionalProperties":true}`},
		"nullable any of": {&contract.Type{Kind: contract.KindUnion, Nullable: true, Cases: []*contract.Case{{Type: str}, {Type: &contract.Type{Kind: contract.KindInt}}}},
			`{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}`},
		"nullable reference": {&contract.Type{Kind: contract.KindRef, Ref: "X", Nullable: true}, `{"anyOf":[{"$ref":"#/$defs/X"},{"type":"null"}]}`},
		"any":                {&contract.Type{Kind: contract.KindAny}, `{}`},
	} {
		v := &contract.Variant{Params: []*contract.Param{{Name: "p", Type: c.typ}}}
		got := Parameters(v, func(string, string) *contract.Def { return nil }).Render(nil)
		want := `{"type":"object","properties":{"p":` + c.want + `},"required":["p"],"additionalProperties":false}`
		if got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, want)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("%s: no JSON", name)
		}
	}
}

// A definition is written once, however often it is referred to, and may refer to itself.
func TestDefinitions(t *testing.T) {
	ref := &contract.Type{Kind: contract.KindRef, Ref: "Node"}
	node := &contract.Def{Name: "Node", Doc: "A node.", Type: &contract.Type{Kind: contract.KindObject, Fields: []*contract.Param{
		{Name: "kids", Optional: true, Type: &contract.Type{Kind: contract.KindArray, Elem: ref}}}}}
	v := &contract.Variant{Params: []*contract.Param{{Name: "a", Type: ref}, {Name: "b", Type: ref, Optional: true}}}
	got := Parameters(v, func(_, name string) *contract.Def {
		if name == "Node" {
			return node
		}
		return nil
	}).Render(nil)
	want := `{"type":"object","properties":{"a":{"$ref":"#/$defs/Node"},"b":{"$ref":"#/$defs/Node"}},"required":["a"],"additionalProperties":false,` +
		`"$defs":{"Node":{"type":"object","description":"A node.","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/Node"}}},"additionalProperties":false}}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// References to tools stay references; what they stand between is escaped as JSON wants it.
func TestReferences(t *testing.T) {
	v := &contract.Variant{Params: []*contract.Param{{Name: "p", Type: &contract.Type{Kind: contract.KindBool},
		Doc: contract.Text{{Lit: "\"Of\n"}, {Tool: "find"}, {Lit: " "}, {Tool: "find", Param: "q"}, {Lit: " "}, {Enum: "e", Word: "w"}}}}}
	text := Parameters(v, func(string, string) *contract.Def { return nil })
	if refs := text.Refs(); len(refs) != 1 || refs[0].Tool != "find" || refs[0].Param != "" {
		t.Errorf("references %v, want the tool alone: a parameter and a word are never renamed", refs)
	}
	got := text.Render(func(string) string { return "look_up" })
	want := `{"type":"object","properties":{"p":{"type":"boolean","description":"\"Of\nlook_up q w"}},"required":["p"],"additionalProperties":false}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
