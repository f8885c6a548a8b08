package contracts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
	"github.com/toolgen-dev/toolgen/runtime/tool/jsonscan"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// builder makes contracts of a model, exactly as the generator writes them as Go.
type builder struct {
	model *model
	errs  []error

	pkg  *filePackage
	tool *fileTool
	defs []schema.Def // of the package
}

func (b *builder) fail(pointer, format string, args ...any) {
	b.errs = append(b.errs, &Error{pointer, fmt.Sprintf(format, args...)})
}

// under is the pointer to a member of a list.
func under(pointer, list string, index int) string {
	return pointer + "/" + list + "/" + strconv.Itoa(index)
}

func (b *builder) list() List {
	var out List
	labels := map[string]string{}
	for i, p := range b.model.Packages {
		b.pkg, b.defs = p, nil
		at := under("", "packages", i)
		for j, d := range p.Defs {
			b.defs = append(b.defs, schema.Def{Name: d.Name, Type: b.typeOf(under(at, "defs", j)+"/type", d.Type)})
		}
		for j, t := range p.Tools {
			at := under(at, "tools", j)
			if other, twice := labels[t.Name]; twice {
				b.fail(at+"/name", "the tool %q stands at %s already", t.Name, other)
			}
			labels[t.Name] = at
			b.tool = t
			out = append(out, b.contract(at, j))
		}
	}
	return out
}

func (b *builder) contract(at string, index int) *tool.Contract {
	t := b.tool
	c := &tool.Contract{Package: b.pkg.Path, Index: index, Name: t.Name, Mounted: t.Name, Title: t.Title, RetiredNames: some(t.Retired.Names)}
	if t.Wire != "" {
		c.Mounted = t.Wire
	}
	before := len(b.errs)
	b.options(at, c)
	args := map[string]bool{}
	for i, a := range t.Args {
		if args[a.Name] {
			b.fail(under(at, "args", i)+"/name", "the parameter %q stands twice", a.Name)
		}
		args[a.Name] = true
	}
	if len(b.errs) > before || !b.combinations(at, c) {
		return c // without them, variants cannot be told apart
	}
	main := mainSection(t)
	for i, v := range t.Variants {
		c.Variants = append(c.Variants, b.variant(under(at, "variants", i), i, v, main))
	}
	if len(b.errs) == before {
		b.check(at, c)
	}
	return c
}

func (b *builder) options(at string, c *tool.Contract) {
	seen := map[string]bool{}
	for i, o := range b.tool.Options {
		at := under(at, "options", i)
		if seen[o.Name] {
			b.fail(at+"/name", "the option %q stands twice", o.Name)
		}
		seen[o.Name] = true
		switch {
		case o.Kind != "open" && len(o.Values) == 0:
			b.fail(at+"/values", "the option %q has no values", o.Name)
		case o.Kind != "open":
			c.Options = append(c.Options, tool.Option{Name: o.Name, Values: o.Values})
		case o.Type == nil:
			b.fail(at+"/type", "the option %q has no type", o.Name)
		default:
			c.Settings = append(c.Settings, schema.Field{
				Name: o.Name, Slot: len(c.Settings), Type: b.typeOf(at+"/type", o.Type), Default: compact(o.Default),
			})
		}
	}
}

// maxCombinations is how many choices of the finite options a spec may have.
const maxCombinations = 256

// combinations reads which variant each choice selects. It is false where the variants cannot be found by them.
func (b *builder) combinations(at string, c *tool.Contract) bool {
	want := 1
	for _, o := range c.Options {
		if want *= len(o.Values); want > maxCombinations {
			b.fail(at+"/options", "there are more than %d choices of the options", maxCombinations)
			return false
		}
	}
	if got := len(b.tool.Combinations); got != want {
		b.fail(at+"/combinations", "there are %d, and %d choices of the options", got, want)
		return false
	}
	ok := true
	for i, x := range b.tool.Combinations {
		switch at := under(at, "combinations", i); {
		case x.Variant >= len(b.tool.Variants):
			b.fail(at+"/variant", "there is no variant %d", x.Variant)
			ok = false
		case x.Variant < 0 && x.Rejected == "":
			b.fail(at, "the choice selects no variant, and gives no reason")
			ok = false
		case x.Variant < 0:
			c.Combinations = append(c.Combinations, tool.Combination{Rejected: x.Rejected})
		default:
			c.Combinations = append(c.Combinations, tool.Combination{Variant: x.Variant})
		}
	}
	return ok
}

func (b *builder) variant(at string, index int, v *fileVariant, main string) tool.Variant {
	out := tool.Variant{
		Schema:  textOf(v.Schema),
		Params:  b.params(at, index, v),
		Needs:   some(v.Needs),
		Enums:   b.enums(v),
		Results: some(v.Results),
		Safe:    v.Concurrency == "safe",
		Hints: tool.Hints{
			ReadOnly: hint(v.Hints.ReadOnly), Destructive: hint(v.Hints.Destructive),
			Idempotent: hint(v.Hints.Idempotent), OpenWorld: hint(v.Hints.OpenWorld),
		},
		Limits: tool.Limits{ArgumentBytes: v.Limits.ArgumentBytes, ResultBytes: v.Limits.ResultBytes, Timeout: v.Limits.Timeout},
	}
	for _, c := range v.Clauses {
		out.Description = append(out.Description, tool.Clause{ID: c.ID, Text: textOf(c.Text)})
	}
	for i, s := range v.Sections {
		order, err := s.Order.Float64()
		if err != nil {
			b.fail(under(at, "sections", i)+"/order", "%s is no order", s.Order)
		}
		out.Sections = append(out.Sections, tool.Section{Label: s.Label, Main: s.Label == main, Order: order, Text: textOf(s.Text)})
	}
	for i, r := range v.Results {
		if !slices.ContainsFunc(b.tool.Results, func(m *fileMessage) bool { return m.Name == r }) {
			b.fail(under(at, "results", i), "the tool has no result %q", r)
		}
	}
	if t := v.Limits.Timeout; t != "" {
		if d, err := time.ParseDuration(t); err != nil || d <= 0 {
			b.fail(at+"/limits/timeout", "%q is no time after which a call could end", t)
		}
	}
	return out
}

// mainSection is the label of the tool's first section over all variants, whose id carries no label.
func mainSection(t *fileTool) string {
	for _, v := range t.Variants {
		if len(v.Sections) > 0 {
			return v.Sections[0].Label
		}
	}
	return ""
}

// check compiles what was read, as mounting it will.
func (b *builder) check(at string, c *tool.Contract) {
	if err := ready(&schema.Schema{Root: &schema.Type{Kind: schema.Object, Fields: c.Settings}}); err != nil {
		b.fail(at+"/options", "%s", oneLine(err))
	}
	for i := range c.Variants {
		v := &c.Variants[i]
		at := under(at, "variants", i)
		if err := ready(v.Params); err != nil {
			b.fail(at, "%s", oneLine(err))
		}
		if why := notShowable(v.Schema, c.Name); why != "" {
			b.fail(at+"/schema", "%s", why)
		}
	}
}

// ready compiles tables and verifies their defaults.
func ready(s *schema.Schema) error {
	program, err := schema.Compile(s)
	if err != nil {
		return err
	}
	_, err = decode.New(program)
	return err
}

// notShowable says why a text is no schema that a provider could be sent; it is empty where it is one. The only thing that
// it may refer to is its own tool.
func notShowable(t tool.Text, label string) string {
	var text []byte
	for _, s := range t {
		if s.Param != "" || s.Enum != "" || s.Tool != "" && s.Tool != label {
			return "the schema refers to something else than its tool"
		}
		text = append(append(text, s.Lit...), s.Tool...)
	}
	if err := jsonscan.Check(string(text)); err != nil {
		return "the schema is not JSON: " + err.Error()
	}
	var root struct{ Type string }
	if err := json.Unmarshal(text, &root); err != nil || root.Type != "object" {
		return `the schema is not that of an object: its "type" must be "object"`
	}
	return ""
}

// textOf makes one segment of neighbouring literals.
func textOf(t fileText) tool.Text {
	out := tool.Text{}
	for _, s := range t {
		last := len(out) - 1
		switch {
		case s.Param != "":
			out = append(out, tool.Segment{Tool: s.Tool, Param: s.Param})
		case s.Tool != "":
			out = append(out, tool.Segment{Tool: s.Tool})
		case s.Enum != "":
			out = append(out, tool.Segment{Enum: s.Enum, Word: s.Word})
		case s.Lit == "":
		case last >= 0 && out[last].Tool == "" && out[last].Enum == "":
			out[last].Lit += s.Lit
		default:
			out = append(out, tool.Segment{Lit: s.Lit})
		}
	}
	return out
}

func hint(b *bool) tool.Hint {
	switch {
	case b == nil:
		return tool.Unsaid
	case *b:
		return tool.Yes
	}
	return tool.No
}

// some is a list, or nil where it is empty.
func some(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return list
}

// compact is JSON text without the white space with which the file is laid out.
func compact(text json.RawMessage) string {
	var out bytes.Buffer
	if json.Compact(&out, text) != nil {
		return string(text) // it was read as JSON before
	}
	return out.String()
}
