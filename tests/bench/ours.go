package main

import (
	"embed"
	"encoding/json"
	"errors"

	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/contracts"
	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"

	"github.com/toolgen-dev/toolgen/tests/bench/gen/bench"
)

//go:generate go tool toolgen generate

//go:embed gen/contracts.json gen/bench/*.go
var generated embed.FS

// refused is a report as an error, without making a text of it: a program does that once it needs one.
type refused struct{ decode.Report }

func (r *refused) Error() string { return r.String() }

// problems are how many faults ours tells of.
func problems(err error) int {
	var r *refused
	if errors.As(err, &r) {
		return len(r.Problems)
	}
	return 0
}

// contract is the contract of a shape, from the file.
func contract(s shape) (*tool.Contract, error) {
	data, err := generated.ReadFile("gen/contracts.json")
	if err != nil {
		return nil, err
	}
	list, err := contracts.Load(data)
	if err != nil {
		return nil, err
	}
	return list.Find(s.name), nil
}

func engine(c *tool.Contract, opts ...decode.Option) (*decode.Engine, error) {
	program, err := schema.Compile(c.Variants[0].Params)
	if err != nil {
		return nil, err
	}
	return decode.New(program, opts...)
}

func openGenerated(s shape) (read, error) { return openTyped(s) }

func openTolerant(s shape) (read, error) { return openTyped(s, decode.WithMode(decode.Tolerant)) }

// openTyped reads as a mounted tool does: by the table and the generated assignments. The loaded table is equal to the
// generated one, which generated packages do not export.
func openTyped(s shape, opts ...decode.Option) (read, error) {
	c, err := contract(s)
	if err != nil {
		return nil, err
	}
	e, err := engine(c, opts...)
	if err != nil {
		return nil, err
	}
	into := decodeSix
	if s.name == tiny.name {
		into = decodeTiny
	}
	return func(args []byte) error {
		var v any
		if r := e.Read(string(args), func(d *decode.Decoder) { v = into(d) }); !r.OK() {
			return &refused{r}
		}
		sink = v
		return nil
	}, nil
}

// sink keeps what was read, as a handler would.
var sink any

// openCheck makes nothing of what it reads: what the table alone costs.
func openCheck(s shape) (read, error) {
	c, err := contract(s)
	if err != nil {
		return nil, err
	}
	e, err := engine(c)
	if err != nil {
		return nil, err
	}
	return func(args []byte) error {
		if r := e.Validate(string(args)); !r.OK() {
			return &refused{r}
		}
		return nil
	}, nil
}

func openLoaded(s shape) (read, error) {
	c, err := contract(s)
	if err != nil {
		return nil, err
	}
	return openJSON(c)
}

func openBare(s shape) (read, error) {
	c, err := contracts.FromDefinition("bench", tool.Definition{Name: s.name, Parameters: json.RawMessage(s.schema)})
	if err != nil {
		return nil, err
	}
	return openJSON(c)
}

// openJSON reads as a tool does that contracts.Mount mounted.
func openJSON(c *tool.Contract) (read, error) {
	e, err := engine(c)
	if err != nil {
		return nil, err
	}
	return func(args []byte) error {
		var v json.RawMessage
		if r := e.Read(string(args), func(d *decode.Decoder) { v = d.Normalize() }); !r.OK() {
			return &refused{r}
		}
		sink = &v
		return nil
	}, nil
}

// What follows are the functions of the generated mount functions, which keep them to themselves. A test demands that they
// are the same, letter by letter.

func decodeSix(d *decode.Decoder) any {
	// One allocation: the arguments, what they point to, and lists while they are short.
	var all struct {
		args     bench.SixArgs
		ofMode   bench.SixMode
		ofTags   [4]string
		ofFilter bench.SixFilter
	}
	args := &all.args
	d.SkipZero()
	o := d.Object()
	for d.NextField(&o) {
		switch o.Slot {
		case 0:
			args.Query = d.String()
		case 1:
			all.ofMode = bench.SixMode(d.String())
			args.Mode = &all.ofMode
		case 2:
			args.Limit = d.Int()
		case 3:
			args.IncludeArchived = d.Bool()
		case 4:
			l := d.Array()
			list := all.ofTags[:0]
			for d.NextItem(&l) {
				if len(list) == cap(list) {
					list = append(make([]string, 0, d.Room(&l)), list...)
				}
				list = append(list, d.String())
			}
			args.Tags = tool.Some(list)
		case 5:
			all.ofFilter = decodeSixFilter(d)
			args.Filter = &all.ofFilter
		}
	}
	return args
}

func decodeSixFilter(d *decode.Decoder) bench.SixFilter {
	var v bench.SixFilter
	o := d.Object()
	for d.NextField(&o) {
		switch o.Slot {
		case 0:
			v.Field = d.String()
		case 1:
			v.Max = tool.Some(d.Int())
		}
	}
	return v
}

func decodeTiny(d *decode.Decoder) any {
	var args bench.TinyArgs
	o := d.Object()
	for d.NextField(&o) {
		switch o.Slot {
		case 0:
			args.City = d.String()
		case 1:
			args.Unit = d.String()
		}
	}
	return &args
}
