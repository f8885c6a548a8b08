package main

import (
	"context"
	"strconv"

	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// dispatch is what a dispatcher says to a call's name.
func (p *program) dispatch(q query, opts ...tool.DispatchOption) reading {
	res := p.scope.Dispatcher(opts...).Dispatch(context.Background(), []tool.Call{{ID: "1", Name: q.Tool, Arguments: q.Args}})[0]
	r := reading{Text: q.Args, Report: res.Arguments}
	if res.IsError {
		r.Said = res.Text
	}
	return r
}

// rare is an engine for what contracts do not lead to.
func rare(t *schema.Type) *decode.Engine {
	compiled, err := schema.Compile(&schema.Schema{Root: &schema.Type{Kind: schema.Object, Fields: []schema.Field{{Name: "x", Type: t}}}})
	if err != nil {
		panic(err)
	}
	engine, err := decode.New(compiled, decode.WithMode(decode.Tolerant))
	if err != nil {
		panic(err)
	}
	return engine
}

// tooComplex reads by a union of so many cases that a long value cannot be tried by all of them.
func tooComplex(args []byte) reading {
	union := &schema.Type{Kind: schema.Union}
	for i := range 100 {
		union.Cases = append(union.Cases, schema.Case{Type: &schema.Type{Kind: schema.Object, Fields: []schema.Field{
			{Name: "list", Type: &schema.Type{Kind: schema.Array, Elem: &schema.Type{Kind: schema.Int}}, Required: true},
			{Name: "k" + strconv.Itoa(i), Slot: 1, Type: &schema.Type{Kind: schema.Int}, Required: true},
		}}})
	}
	report := rare(union).Validate(string(args))
	return reading{Text: args, Report: report, Said: report.String()}
}

// badTable reads a string where the table has an integer.
func badTable(args []byte) reading {
	report := rare(&schema.Type{Kind: schema.Int}).Read(string(args), func(d *decode.Decoder) {
		o := d.Object()
		for d.NextField(&o) {
			_ = d.String()
		}
	})
	return reading{Text: args, Report: report, Said: report.String()}
}
