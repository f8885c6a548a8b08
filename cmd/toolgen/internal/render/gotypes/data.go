package gotypes

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/render/jsonschema"
)

// contract writes a tool's contract as data: every variant with its texts, its schema and its tables.
func (g *gen) contract(t *contract.Tool, index int) {
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
	var variants []jen.Code
	for i, v := range t.Variants {
		variants = append(variants, g.variant(t, i, v))
	}
	items = append(items, field("Variants", jen.Index().Qual(runtimePath, "Variant").Add(block(variants...))))
	if t.Retired != nil && len(t.Retired.Names) > 0 {
		items = append(items, field("RetiredNames", stringSlice(t.Retired.Names)))
	}
	g.doc(contractVar(t) + " is the contract of " + t.Name + " as data. Nothing modifies it.")
	g.file.Var().Id(contractVar(t)).Op("=").Qual(runtimePath, "Contract").Add(block(items...))
	g.file.Line()
}

func stringSlice(list []string) jen.Code {
	items := make([]jen.Code, len(list))
	for i, s := range list {
		items[i] = jen.Lit(s)
	}
	return jen.Index().String().Values(items...)
}

func (g *gen) variant(t *contract.Tool, index int, v *contract.Variant) jen.Code {
	var clauses []jen.Code
	for _, c := range v.Clauses {
		var f []jen.Code
		if c.ID != "" {
			f = append(f, field("ID", jen.Lit(c.ID)))
		}
		clauses = append(clauses, jen.Values(append(f, field("Text", text(c.Text)))...))
	}
	items := []jen.Code{
		field("Description", jen.Index().Qual(runtimePath, "Clause").Add(block(clauses...))),
		field("Schema", text(jsonschema.Parameters(v, g.m.Def))),
		field("Params", g.table(t, index, v)),
	}
	if len(v.Sections) > 0 {
		main := t.MainSection()
		var secs []jen.Code
		for _, s := range v.Sections {
			f := []jen.Code{field("Label", jen.Lit(s.Label))}
			if s.Label == main {
				f = append(f, field("Main", jen.True()))
			}
			f = append(f, field("Order", jen.Op(string(s.Order))), field("Text", text(s.Text)))
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

// table writes the parameters as the tables that decoding runs over. A parameter's slot is its position over all
// variants, so that one decoder serves them all.
func (g *gen) table(t *contract.Tool, index int, v *contract.Variant) jen.Code {
	slots := map[string]int{}
	for i, a := range t.Args {
		slots[a.Name] = i
	}
	var fields []jen.Code
	for _, p := range v.Params {
		fields = append(fields, g.tableField(p, slots[p.Name]))
	}
	for _, a := range t.Args {
		if v.Param(a.Name) != nil {
			continue
		}
		f := []jen.Code{field("Name", jen.Lit(a.Name)), field("Slot", jen.Lit(slots[a.Name])),
			field("Type", g.tableType(a.Type)), field("Gone", jen.True())}
		if fixed := v.FixedValue(a.Name); fixed != nil {
			f = append(f, field("Fixed", jen.Lit(string(fixed))))
		}
		if by := t.RemovedBy(index, a.Name); by != "" {
			f = append(f, field("By", jen.Lit(by)))
		}
		fields = append(fields, jen.Values(f...))
	}
	root := jen.Op("&").Qual(schemaPath, "Type").Values(field("Kind", jen.Qual(schemaPath, "Object")),
		field("Fields", jen.Index().Qual(schemaPath, "Field").Add(block(fields...))))
	if len(fields) == 0 {
		root = jen.Op("&").Qual(schemaPath, "Type").Values(field("Kind", jen.Qual(schemaPath, "Object")))
	}
	items := []jen.Code{field("Root", root)}
	if t.Retired != nil && len(t.Retired.Params) > 0 {
		var r []jen.Code
		for _, x := range t.Retired.Params {
			r = append(r, jen.Values(field("Name", jen.Lit(x.Word)), field("Use", jen.Lit(x.Use)), field("Why", jen.Lit(x.Why))))
		}
		items = append(items, field("Retired", jen.Index().Qual(schemaPath, "Retired").Values(r...)))
	}
	return jen.Op("&").Qual(schemaPath, "Schema").Values(items...)
}

func (g *gen) tableField(p *contract.Param, slot int) jen.Code {
	f := []jen.Code{field("Name", jen.Lit(p.Name)), field("Slot", jen.Lit(slot)), field("Type", g.tableType(p.Type))}
	if p.Required() {
		f = append(f, field("Required", jen.True()))
	}
	if p.Default != nil {
		f = append(f, field("Default", jen.Lit(string(p.Default))))
	}
	for _, b := range []struct {
		name string
		v    bool
	}{{"Secret", p.Secret}, {"Wrap", p.Wrap}, {"Unwrap", p.Unwrap}} {
		if b.v {
			f = append(f, field(b.name, jen.True()))
		}
	}
	if len(p.Aliases) > 0 {
		f = append(f, field("Aliases", stringSlice(p.Aliases)))
	}
	return jen.Values(f...)
}

// tableType writes a type as data.
func (g *gen) tableType(t *contract.Type) jen.Code {
	kinds := map[contract.Kind]string{contract.KindAny: "Any", contract.KindNull: "Null", contract.KindBool: "Bool", contract.KindInt: "Int",
		contract.KindNumber: "Number", contract.KindString: "String", contract.KindArray: "Array", contract.KindObject: "Object"}
	kind, ok := kinds[t.Kind]
	if !ok {
		g.fail("the type %s has no table", t.Kind)
		return jen.Nil()
	}
	f := []jen.Code{field("Kind", jen.Qual(schemaPath, kind))}
	flag := func(name string, v bool) {
		if v {
			f = append(f, field(name, jen.True()))
		}
	}
	str := func(name, v string) {
		if v != "" {
			f = append(f, field(name, jen.Lit(v)))
		}
	}
	list := func(name string, v []string) {
		if len(v) > 0 {
			f = append(f, field(name, stringSlice(v)))
		}
	}
	flag("Nullable", t.Nullable)
	list("Enum", t.Enum)
	list("Not", t.Not)
	str("Min", t.Min)
	str("Max", t.Max)
	flag("ExclusiveMin", t.ExclusiveMin)
	flag("ExclusiveMax", t.ExclusiveMax)
	str("MultipleOf", t.MultipleOf)
	if t.MinLen != nil || t.MaxLen != nil {
		var r []jen.Code
		if t.MinLen != nil {
			r = append(r, field("Min", jen.Lit(int(*t.MinLen))))
		}
		if t.MaxLen != nil {
			r = append(r, field("Max", jen.Lit(int(*t.MaxLen))), field("Bounded", jen.True()))
		}
		f = append(f, field("Len", jen.Qual(schemaPath, "Range").Values(r...)))
	}
	list("Patterns", t.Patterns)
	str("Format", t.Format)
	flag("Unique", t.Unique)
	if t.Elem != nil {
		f = append(f, field("Elem", g.tableType(t.Elem)))
	}
	if len(t.Fields) > 0 {
		var inner []jen.Code
		for i, p := range t.Fields {
			inner = append(inner, g.tableField(p, i))
		}
		f = append(f, field("Fields", jen.Index().Qual(schemaPath, "Field").Add(block(inner...))))
	}
	if t.Rest != nil {
		f = append(f, field("Rest", g.tableType(t.Rest)))
	}
	return jen.Op("&").Qual(schemaPath, "Type").Values(f...)
}

// goLiteral is a JSON string or boolean as Go source.
func goLiteral(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil && strings.HasPrefix(string(raw), `"`) {
		return strconv.Quote(s)
	}
	return string(raw)
}
