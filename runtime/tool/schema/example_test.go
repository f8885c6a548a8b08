package schema

import (
	"encoding/json"
	"testing"
)

func TestExample(t *testing.T) {
	str := &Type{Kind: String}
	req := func(name string, typ *Type) Field { return Field{Name: name, Type: typ, Required: true} }
	s := &Schema{
		Root: obj(
			req("s", str), Field{Name: "optional", Type: str}, Field{Name: "gone", Gone: true},
			req("enum", &Type{Kind: String, Enum: []string{"b", "a"}}),
			req("long", &Type{Kind: String, Len: Range{Min: 6}}), req("short", &Type{Kind: String, Len: Range{Max: 2, Bounded: true}}),
			req("pat", &Type{Kind: String, Patterns: []string{`^[a-z]{2}-\d+(x|y)?$`}}), req("when", &Type{Kind: String, Format: "date-time"}),
			req("i", &Type{Kind: Int}), req("low", &Type{Kind: Int, Min: "7", ExclusiveMin: true}), req("high", &Type{Kind: Number, Max: "-1.5"}),
			req("step", &Type{Kind: Int, Min: "3", MultipleOf: "10"}), req("num", &Type{Kind: Int, Enum: []string{"4"}}), req("not", &Type{Kind: Int, Not: []string{"1"}}),
			req("b", &Type{Kind: Bool}), req("list", &Type{Kind: Array, Elem: str, Len: Range{Min: 2}}), req("pair", &Type{Kind: Tuple, Items: []*Type{str, {Kind: Int}}}),
			req("o", obj(req("k", str), Field{Name: "z", Type: str})), req("any", &Type{Kind: Any}), req("nil", &Type{Kind: Null}),
			req("un", &Type{Kind: Union, Cases: []Case{{Type: &Type{Kind: Ref, Ref: "Endless"}}, {Type: str}}}), req("q\"", str),
		),
		Defs: []Def{{Name: "Endless", Type: obj(req("more", &Type{Kind: Ref, Ref: "Endless"}))}},
	}
	p, err := Compile(s)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"s":"text","enum":"b","long":"textxx","short":"te","pat":"aa-1","when":"2026-01-31T09:30:00Z","i":1,"low":8,"high":-1.5,"step":10,"num":4,"not":0,` +
		`"b":true,"list":["text","text"],"pair":["text",1],"o":{"k":"text"},"any":{},"nil":null,"un":"text","q\"":"text"}`
	if got := p.Root().Example(); got != want || !json.Valid([]byte(got)) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	p, err = Compile(&Schema{Root: obj(req("x", &Type{Kind: Ref, Ref: "Endless"})), Defs: s.Defs})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Root().Example(); got != "" {
		t.Errorf("a type without end has the example %s", got)
	}
}
