package decode

import (
	"testing"

	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// The shapes that figures are measured on, and decoders as they are generated for them.

const (
	sixValid    = `{"query":"quarterly revenue report","mode":"thorough","limit":25,"tags":["finance","2026","draft"],"filter":{"field":"owner","max":3}}`
	sixInvalid  = `{"query":"quarterly revenue report","mode":"thorough","limit":500,"tags":["finance","2026","draft"],"filter":{"field":"owner","max":3}}`
	sixWrong    = `{"query":"quarterly revenue report","mode":"quick","limit":true,"tags":["finance",2026,"draft"],"filter":{"field":"","max":3}}`
	tinyValid   = `{"city":"San Francisco","unit":"celsius"}`
	tinyInvalid = `{"city":"San Francisco","unit":""}`
)

func nonEmpty() *schema.Type { return &schema.Type{Kind: schema.String, Len: schema.Range{Min: 1}} }

func sixSchema() *schema.Schema {
	return &schema.Schema{Root: &schema.Type{Kind: schema.Object, Fields: []schema.Field{
		{Name: "query", Slot: 0, Required: true, Type: nonEmpty()},
		{Name: "mode", Slot: 1, Type: &schema.Type{Kind: schema.String, Enum: []string{"fast", "thorough", "exact"}}},
		{Name: "limit", Slot: 2, Default: "10", Type: &schema.Type{Kind: schema.Int, Min: "1", Max: "100"}},
		{Name: "include_archived", Slot: 3, Default: "false", Type: &schema.Type{Kind: schema.Bool}},
		{Name: "tags", Slot: 4, Type: &schema.Type{Kind: schema.Array, Elem: &schema.Type{Kind: schema.String}}},
		{Name: "filter", Slot: 5, Type: &schema.Type{Kind: schema.Object, Fields: []schema.Field{
			{Name: "field", Slot: 0, Required: true, Type: nonEmpty()},
			{Name: "max", Slot: 1, Type: &schema.Type{Kind: schema.Int, Min: "0"}},
		}}},
	}}}
}

func tinySchema() *schema.Schema {
	return &schema.Schema{Root: &schema.Type{Kind: schema.Object, Fields: []schema.Field{
		{Name: "city", Slot: 0, Required: true, Type: nonEmpty()},
		{Name: "unit", Slot: 1, Required: true, Type: nonEmpty()},
	}}}
}

type opt[T any] struct {
	v  T
	ok bool
}

func some[T any](v T) opt[T] { return opt[T]{v, true} }

type sixFilter struct {
	Field string
	Max   opt[int64]
}

type sixArgs struct {
	Query           string
	Mode            opt[string]
	Limit           int64
	IncludeArchived bool
	Tags            []string
	Filter          opt[sixFilter]
}

func decodeSix(d *Decoder) sixArgs {
	var a sixArgs
	o := d.Object()
	for d.NextField(&o) {
		switch o.Slot {
		case 0:
			a.Query = d.String()
		case 1:
			a.Mode = some(d.String())
		case 2:
			a.Limit = d.Int()
		case 3:
			a.IncludeArchived = d.Bool()
		case 4:
			a.Tags = decodeStrings(d)
		case 5:
			a.Filter = some(decodeSixFilter(d))
		}
	}
	return a
}

func decodeStrings(d *Decoder) []string {
	l := d.Array()
	list := []string{}
	for d.NextItem(&l) {
		if len(list) == cap(list) {
			list = append(make([]string, 0, d.Room(&l)), list...)
		}
		list = append(list, d.String())
	}
	return list
}

func decodeSixFilter(d *Decoder) sixFilter {
	var a sixFilter
	o := d.Object()
	for d.NextField(&o) {
		switch o.Slot {
		case 0:
			a.Field = d.String()
		case 1:
			a.Max = some(d.Int())
		}
	}
	return a
}

type tinyArgs struct{ City, Unit string }

func decodeTiny(d *Decoder) tinyArgs {
	var a tinyArgs
	o := d.Object()
	for d.NextField(&o) {
		switch o.Slot {
		case 0:
			a.City = d.String()
		case 1:
			a.Unit = d.String()
		}
	}
	return a
}

func engine(t testing.TB, s *schema.Schema, opts ...Option) *Engine {
	t.Helper()
	p, err := schema.Compile(s)
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(p, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
