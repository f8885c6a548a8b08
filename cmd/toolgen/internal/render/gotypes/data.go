package gotypes

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/render/jsonschema"
)

// contract writes a tool's contract as data: every variant with its texts, its schema and its tables.
func (g *gen) contract(t *contract.Tool, index int) {
	g.texts = newTextPool(t, g.m.Defs(g.p))
	items := []jen.Code{
		field("Package", jen.Lit(g.p.Path)),
		field("Index", jen.Lit(index)),
		field("Name", jen.Lit(t.Name)),
		field("Mounted", jen.Lit(t.Mounted())),
	}
	if t.Title != "" {
		items = append(items, field("Title", jen.Lit(t.Title)))
	}
	if finite := t.Finite(); len(finite) > 0 {
		var opts []jen.Code
		for _, o := range finite {
			opts = append(opts, jen.Values(field("Name", jen.Lit(o.Name)), field("Values", stringSlice(o.Values))))
		}
		items = append(items, field("Options", jen.Index().Qual(runtimePath, "Option").Add(block(opts...))))
	}
	var combos []jen.Code
	for _, c := range t.Combinations {
		switch {
		case c.Variant < 0:
			combos = append(combos, jen.Values(field("Rejected", jen.Lit(c.Rejected))))
		default:
			combos = append(combos, jen.Values(field("Variant", jen.Lit(c.Variant))))
		}
	}
	items = append(items, field("Combinations", jen.Index().Qual(runtimePath, "Combination").Values(combos...)))
	tables := g.tables(t)
	var variants []jen.Code
	for i, v := range t.Variants {
		variants = append(variants, g.variant(t, v, tables.of(i)))
	}
	items = append(items, field("Variants", jen.Index().Qual(runtimePath, "Variant").Add(block(variants...))))
	var settings []jen.Code
	for _, o := range t.Options {
		if o.Kind == contract.OptionOpen {
			settings = append(settings, jen.Values(field("Name", jen.Lit(o.Name)), field("Slot", jen.Lit(len(settings))),
				field("Type", g.tableType(o.Type)), field("Default", jen.Lit(string(o.Default)))))
		}
	}
	if len(settings) > 0 {
		items = append(items, field("Settings", jen.Index().Qual(schemaPath, "Field").Add(block(settings...))))
	}
	if t.Retired != nil && len(t.Retired.Names) > 0 {
		items = append(items, field("RetiredNames", stringSlice(t.Retired.Names)))
	}
	g.doc(contractVar(t) + " is the contract of " + t.Name + " as data. Nothing modifies it.")
	g.file.Var().Id(contractVar(t)).Op("=").Qual(runtimePath, "Contract").Add(block(items...))
	g.file.Line()
	if shared := append(g.texts.vars(), tables.vars()...); len(shared) > 0 {
		g.doc("What several variants of " + t.Name + " have in common.")
		g.file.Var().Defs(shared...)
		g.file.Line()
	}
}

func stringSlice(list []string) jen.Code {
	items := make([]jen.Code, len(list))
	for i, s := range list {
		items[i] = jen.Lit(s)
	}
	return jen.Index().String().Values(items...)
}

func (g *gen) variant(t *contract.Tool, v *contract.Variant, table jen.Code) jen.Code {
	var clauses []jen.Code
	for _, c := range v.Clauses {
		var f []jen.Code
		if c.ID != "" {
			f = append(f, field("ID", jen.Lit(c.ID)))
		}
		clauses = append(clauses, jen.Values(append(f, field("Text", g.texts.code(c.Text)))...))
	}
	items := []jen.Code{
		field("Description", jen.Index().Qual(runtimePath, "Clause").Add(block(clauses...))),
		field("Schema", g.texts.code(jsonschema.Parameters(v, g.m.Defs(g.p)))),
		field("Params", table),
	}
	if len(v.Sections) > 0 {
		main := t.MainSection()
		var secs []jen.Code
		for _, s := range v.Sections {
			f := []jen.Code{field("Label", jen.Lit(s.Label))}
			if s.Label == main {
				f = append(f, field("Main", jen.True()))
			}
			f = append(f, field("Order", jen.Op(string(s.Order))), field("Text", g.texts.code(s.Text)))
			secs = append(secs, block(f...))
		}
		items = append(items, field("Sections", jen.Index().Qual(runtimePath, "Section").Add(block(secs...))))
	}
	for _, l := range []struct {
		name string
		list []string
	}{{"Needs", v.Needs}, {"Enums", t.UsedEnums(v)}, {"Results", v.Results}} {
		if len(l.list) > 0 {
			items = append(items, field(l.name, stringSlice(l.list)))
		}
	}
	if v.Concurrency == "safe" {
		items = append(items, field("Safe", jen.True()))
	}
	if h := hints(v.Hints); h != nil {
		items = append(items, field("Hints", h))
	}
	if l := v.Limits; l != nil {
		items = append(items, field("Limits", jen.Qual(runtimePath, "Limits").Values(
			field("ArgumentBytes", jen.Lit(int(l.ArgumentBytes))), field("ResultBytes", jen.Lit(int(l.ResultBytes))), field("Timeout", jen.Lit(l.Timeout)))))
	}
	return block(items...)
}

func hints(h *contract.Hints) jen.Code {
	if h == nil {
		return nil
	}
	var f []jen.Code
	for _, x := range []struct {
		name string
		v    *bool
	}{{"ReadOnly", h.ReadOnly}, {"Destructive", h.Destructive}, {"Idempotent", h.Idempotent}, {"OpenWorld", h.OpenWorld}} {
		if x.v != nil {
			word := "No"
			if *x.v {
				word = "Yes"
			}
			f = append(f, field(x.name, jen.Qual(runtimePath, word)))
		}
	}
	if f == nil {
		return nil
	}
	return jen.Qual(runtimePath, "Hints").Values(f...)
}

// text writes a text as data. Neighbouring literals become one, words of enums literals with their reference.
func text(t contract.Text) jen.Code {
	var segs []jen.Code
	lit := ""
	flush := func() {
		if lit != "" {
			segs = append(segs, jen.Values(field("Lit", jen.Lit(lit))))
			lit = ""
		}
	}
	for _, s := range t {
		if !s.IsRef() {
			lit += s.Lit
			continue
		}
		flush()
		switch {
		case s.Param != "":
			segs = append(segs, jen.Values(field("Tool", jen.Lit(s.Tool)), field("Param", jen.Lit(s.Param))))
		case s.Tool != "":
			segs = append(segs, jen.Values(field("Tool", jen.Lit(s.Tool))))
		default:
			segs = append(segs, jen.Values(field("Enum", jen.Lit(s.Enum)), field("Word", jen.Lit(s.Word))))
		}
	}
	flush()
	if len(segs) == 1 {
		return jen.Qual(runtimePath, "Text").Values(segs...)
	}
	return jen.Qual(runtimePath, "Text").Add(block(segs...))
}

// textPool finds the texts that several variants have, which are declared once: compiling composite literals is what
// variants cost.
type textPool struct {
	prefix string
	seen   map[string]*pooled
	order  []*pooled
}

type pooled struct {
	text  contract.Text
	count int
	name  string
}

// pooledFrom is from how many characters on a text is shared. What is shorter is shorter than the name of a variable.
const pooledFrom = 40

func newTextPool(t *contract.Tool, defs func(pkg, name string) *contract.Def) *textPool {
	p := &textPool{prefix: "text" + contract.GoName(t.Name), seen: map[string]*pooled{}}
	for _, v := range t.Variants {
		for _, c := range v.Clauses {
			p.count(c.Text)
		}
		p.count(jsonschema.Parameters(v, defs))
		for _, s := range v.Sections {
			p.count(s.Text)
		}
	}
	n := 0
	for _, e := range p.order {
		if e.count > 1 && (len(e.text) > 1 || utf8.RuneCountInString(e.text.Render(nil)) >= pooledFrom) {
			n++
			e.name = fmt.Sprintf("%s_%d", p.prefix, n)
		}
	}
	return p
}

func textKey(t contract.Text) string {
	b, err := json.Marshal(t)
	if err != nil {
		return t.Render(nil) // a text always has a JSON form
	}
	return string(b)
}

func (p *textPool) count(t contract.Text) {
	key := textKey(t)
	e := p.seen[key]
	if e == nil {
		e = &pooled{text: t}
		p.seen[key] = e
		p.order = append(p.order, e)
	}
	e.count++
}

// code is a text as an expression.
func (p *textPool) code(t contract.Text) jen.Code {
	if e := p.seen[textKey(t)]; e != nil && e.name != "" {
		return jen.Id(e.name)
	}
	return text(t)
}

func (p *textPool) vars() []jen.Code {
	var out []jen.Code
	for _, e := range p.order {
		if e.name != "" {
			out = append(out, jen.Id(e.name).Op("=").Add(text(e.text)))
		}
	}
	return out
}
