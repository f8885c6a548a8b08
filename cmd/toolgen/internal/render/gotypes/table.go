package gotypes

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
)

// tableSet holds the tables of a tool's variants. Those that several variants have are declared once.
type tableSet struct {
	names []string // by variant; empty: used once
	codes []jen.Code
}

func (s tableSet) of(variant int) jen.Code {
	if name := s.names[variant]; name != "" {
		return jen.Op("&").Id(name)
	}
	return jen.Op("&").Add(s.codes[variant])
}

func (s tableSet) vars() []jen.Code {
	var out []jen.Code
	done := map[string]bool{}
	for i, name := range s.names {
		if name != "" && !done[name] {
			done[name] = true
			out = append(out, jen.Id(name).Op("=").Add(s.codes[i]))
		}
	}
	return out
}

func (g *gen) tables(t *contract.Tool) tableSet {
	n := len(t.Variants)
	s := tableSet{names: make([]string, n), codes: make([]jen.Code, n)}
	keys := make([]string, n)
	count := map[string]int{}
	for i, v := range t.Variants {
		keys[i] = tableKey(t, i, v)
		count[keys[i]]++
	}
	names := map[string]string{}
	for i, v := range t.Variants {
		if count[keys[i]] > 1 {
			if names[keys[i]] == "" {
				names[keys[i]] = fmt.Sprintf("params%s_%d", contract.GoName(t.Name), len(names)+1)
				s.codes[i] = g.table(t, i, v)
			}
			s.names[i] = names[keys[i]]
			continue
		}
		s.codes[i] = g.table(t, i, v)
	}
	return s
}

// tableKey is the same for variants that have the same table.
func tableKey(t *contract.Tool, index int, v *contract.Variant) string {
	type gone struct{ Name, Fixed, By string }
	var key struct {
		Params []contract.Param
		Gone   []gone
	}
	for _, p := range v.Params {
		bare := *p
		bare.Doc = nil
		key.Params = append(key.Params, bare)
	}
	for _, a := range t.Args {
		if v.Param(a.Name) == nil {
			key.Gone = append(key.Gone, gone{a.Name, string(v.FixedValue(a.Name)), removedBy(t, index, a.Name)})
		}
	}
	b, err := json.Marshal(key)
	if err != nil {
		return fmt.Sprint("variant ", index) // defaults that are no JSON are found elsewhere
	}
	return string(b)
}

// table writes the parameters as the tables that decoding runs over. A parameter's slot is its position over all
// variants, so that one decoder serves them all.
func (g *gen) table(t *contract.Tool, index int, v *contract.Variant) jen.Code {
	slots := map[string]int{}
	for i, a := range t.Args {
		slots[a.Name] = i
	}
	var fields []jen.Code
	var used []*contract.Type
	for _, p := range v.Params {
		fields = append(fields, g.tableField(p, slots[p.Name]))
		used = append(used, p.Type)
	}
	for _, a := range t.Args {
		if v.Param(a.Name) != nil {
			continue
		}
		f := []jen.Code{field("Name", jen.Lit(a.Name)), field("Slot", jen.Lit(slots[a.Name])), field("Gone", jen.True())}
		if fixed := v.FixedValue(a.Name); fixed != nil {
			f = append(f, field("Fixed", jen.Lit(string(fixed))), field("Type", g.tableType(a.Type)))
			used = append(used, a.Type)
		}
		if by := removedBy(t, index, a.Name); by != "" {
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
	if defs := g.tableDefs(used); len(defs) > 0 {
		items = append(items, field("Defs", jen.Index().Qual(schemaPath, "Def").Add(block(defs...))))
	}
	if t.Retired != nil && len(t.Retired.Params) > 0 {
		items = append(items, field("Retired", retired(t.Retired.Params)))
	}
	return jen.Qual(schemaPath, "Schema").Values(items...)
}

// retired writes former names or words.
func retired(words []*contract.Retired) jen.Code {
	var out []jen.Code
	for _, w := range words {
		f := []jen.Code{field("Name", jen.Lit(w.Word))}
		if w.Use != "" {
			f = append(f, field("Use", jen.Lit(w.Use)))
		}
		out = append(out, jen.Values(append(f, field("Why", jen.Lit(w.Why)))...))
	}
	return jen.Index().Qual(schemaPath, "Retired").Values(out...)
}

// retiredWords are the former words of the enum that a type's words are from.
func (g *gen) retiredWords(t *contract.Type) []*contract.Retired {
	if t.EnumRef == nil || t.Kind != contract.KindString {
		return nil
	}
	for _, p := range g.m.Packages {
		if p.Path != t.EnumRef.Package {
			continue
		}
		for _, e := range p.Enums {
			if e.Name == t.EnumRef.Name {
				return e.Retired
			}
		}
	}
	return nil
}

func removedBy(t *contract.Tool, variant int, param string) string {
	return strings.Join(t.RemovedBy(variant, param), " and ")
}

// tableDefs are the definitions that types reach. Their tables are the package's, and the same for all its tools.
func (g *gen) tableDefs(types []*contract.Type) []jen.Code {
	reached := map[string]bool{}
	for _, t := range types {
		reach(g.p, t, reached)
	}
	var out []jen.Code
	for _, d := range g.p.Defs {
		if reached[d.Name] {
			out = append(out, jen.Values(field("Name", jen.Lit(d.Name)), field("Type", jen.Op("&").Id(tableVar(d.Name)))))
		}
	}
	return out
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

var tableKinds = map[contract.Kind]string{
	contract.KindAny: "Any", contract.KindNull: "Null", contract.KindBool: "Bool", contract.KindInt: "Int",
	contract.KindNumber: "Number", contract.KindString: "String", contract.KindArray: "Array", contract.KindTuple: "Tuple",
	contract.KindObject: "Object", contract.KindTagged: "Tagged", contract.KindUnion: "Union", contract.KindRef: "Ref",
}

// tableType writes a type as a pointer to data.
func (g *gen) tableType(t *contract.Type) jen.Code { return jen.Op("&").Add(g.tableLiteral(t)) }

// tableLiteral writes a type as data.
func (g *gen) tableLiteral(t *contract.Type) jen.Code {
	kind, ok := tableKinds[t.Kind]
	if !ok {
		g.fail("the type %s has no table", t.Kind)
		return jen.Nil()
	}
	if t.Kind == contract.KindBool && t.IsEnum() {
		g.fail("a boolean that can only be %s has no table: use a string with one word", t.Enum[0])
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
	union := t.Kind == contract.KindTagged || t.Kind == contract.KindUnion
	flag("Nullable", t.Nullable || union && g.nullable(t)) // null is read before the alternatives are looked at
	list("Enum", t.Enum)
	list("Not", t.Not)
	if words := g.retiredWords(t); len(words) > 0 {
		f = append(f, field("Retired", retired(words)))
	}
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
	if len(t.Items) > 0 {
		var items []jen.Code
		for _, i := range t.Items {
			items = append(items, g.tableType(i))
		}
		f = append(f, field("Items", jen.Index().Op("*").Qual(schemaPath, "Type").Add(block(items...))))
	}
	if len(t.PatternRest) > 0 {
		var rest []jen.Code
		for _, r := range t.PatternRest {
			rest = append(rest, jen.Values(field("Pattern", jen.Lit(r.Pattern)), field("Type", g.tableType(r.Type))))
		}
		f = append(f, field("PatternRest", jen.Index().Qual(schemaPath, "PatternRest").Add(block(rest...))))
	}
	str("Tag", t.Tag)
	if len(t.Cases) > 0 {
		var cases []jen.Code
		for _, c := range t.Cases {
			k := []jen.Code{field("Type", g.tableType(c.Type))}
			if t.Kind == contract.KindTagged {
				k = append([]jen.Code{field("Tag", jen.Lit(c.Tag))}, k...)
			}
			cases = append(cases, jen.Values(k...))
		}
		f = append(f, field("Cases", jen.Index().Qual(schemaPath, "Case").Add(block(cases...))))
	}
	str("Ref", t.Ref)
	return jen.Qual(schemaPath, "Type").Values(f...)
}
