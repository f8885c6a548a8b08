package gotypes

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
)

// spot is where a type is declared: the name that the place gives it, how a doc speaks of the place, and the definition
// whose struct a value there is part of, where it is part of one.
type spot struct {
	name   string
	place  string // "SearchArgs.Filter", "an item of SearchArgs.Points"
	holder string
}

// doc is the doc of the type declared at a spot.
func (s spot) doc(more string) string {
	verb := " is "
	if !strings.HasPrefix(s.place, "an item of ") && !strings.HasPrefix(s.place, "a value of ") {
		verb = " is the type of "
	}
	return strings.TrimSpace(s.name + verb + s.place + ". " + more)
}

// declare writes the declarations that a type needs, at any depth.
func (g *gen) declare(t *contract.Type, s spot, more string) {
	switch {
	case t.Kind == contract.KindArray:
		g.declare(t.Elem, spot{name: contract.ItemType(s.name), place: "an item of " + s.place}, t.Elem.Doc.Render(nil))
	case isMap(t):
		if elem, name := mapElem(t, s.name); elem != nil {
			g.declare(elem, spot{name: name, place: "a value of " + s.place}, elem.Doc.Render(nil))
		}
	case t.IsEnum() && t.EnumRef != nil, !named(t):
	default:
		g.declareNamed(t, s, s.doc(more))
	}
}

// declareNamed writes the declaration of a type under a doc of its own.
func (g *gen) declareNamed(t *contract.Type, s spot, doc string) {
	if g.nullable(t) {
		s.holder = "" // what may be null is behind a pointer
	}
	switch t.Kind {
	case contract.KindObject:
		g.declareStruct(s, doc, t, "")
	case contract.KindTuple:
		g.tuple(s, doc, t)
	case contract.KindTagged:
		g.tagged(s, doc, t)
	case contract.KindUnion:
		g.union(s, doc, t)
	default:
		g.enumeration(t, s.name, doc)
	}
}

// declareStruct declares an object with its properties as fields, without the one called tag.
func (g *gen) declareStruct(s spot, doc string, t *contract.Type, tag string) {
	g.doc(doc)
	var fields []jen.Code
	for _, p := range t.Fields {
		if p.Name == tag {
			continue
		}
		name := contract.FieldType(s.name, p.Name)
		f := g.propertyForm(p, name, s.holder)
		fields = append(fields, g.structField(contract.GoName(p.Name), g.fieldType(p.Type, name, f), g.propertyDoc(p, f))...)
	}
	if isOpen(t) {
		fields = append(fields, g.structField(contract.RestField, rawMap(), contract.RestField+" holds the properties that are not declared.")...)
	}
	g.file.Type().Id(s.name).Struct(fields...)
	g.file.Line()
	for _, p := range t.Fields {
		if p.Name != tag {
			g.declare(p.Type, g.inside(s, p.Type, contract.FieldType(s.name, p.Name), contract.GoName(p.Name), absentable(p)), "")
		}
	}
}

// inside is the spot of a field's type. The holder stays the same only for what the struct holds by value.
func (g *gen) inside(s spot, t *contract.Type, name, goField string, opt bool) spot {
	in := spot{name: name, place: s.name + "." + goField}
	if g.formOf(t, name, opt) == formValue && t.Kind != contract.KindUnion && t.Kind != contract.KindTagged {
		in.holder = s.holder
	}
	return in
}

func (g *gen) propertyForm(p *contract.Param, name, holder string) form {
	f := g.formOf(p.Type, name, absentable(p))
	if f == formValue && g.endless(p.Type, holder) {
		return formPointer
	}
	return f
}

// structField writes a field of a struct under its doc.
func (g *gen) structField(name string, typ jen.Code, doc string) []jen.Code {
	var out []jen.Code
	if doc != "" {
		out = append(out, comment(doc))
	}
	return append(out, jen.Id(name).Add(typ))
}

// tuple declares a list of fixed length as a struct, whose fields count from 0 as JSON Pointers do.
func (g *gen) tuple(s spot, doc string, t *contract.Type) {
	g.doc(doc)
	var fields []jen.Code
	for i, item := range t.Items {
		name := contract.TupleItemType(s.name, i+1)
		f := g.itemForm(item, name, s.holder)
		fields = append(fields, g.structField(itemField(i), g.fieldType(item, name, f), strings.TrimSpace(item.Doc.Render(nil)+nullNote(f)))...)
	}
	g.file.Type().Id(s.name).Struct(fields...)
	g.file.Line()
	for i, item := range t.Items {
		g.declare(item, g.inside(s, item, contract.TupleItemType(s.name, i+1), itemField(i), false), item.Doc.Render(nil))
	}
}

func itemField(i int) string { return fmt.Sprintf("Item%d", i) }

func (g *gen) itemForm(t *contract.Type, name, holder string) form {
	f := g.formOf(t, name, false)
	if f == formValue && g.endless(t, holder) {
		return formPointer
	}
	return f
}

// tagged declares objects told apart by a property as a sealed interface with a struct for each. The property is no field
// of them, since the type says what it is; a definition keeps it, because it may be used by itself too.
func (g *gen) tagged(s spot, doc string, t *contract.Type) {
	seal := "is" + s.name
	names := make([]string, len(t.Cases))
	for i, c := range t.Cases {
		names[i] = g.caseType(s.name, c)
	}
	g.doc(doc + "\nIt is " + either(names) + ", by the property " + t.Tag + ".")
	g.file.Type().Id(s.name).Interface(jen.Id(seal).Params())
	g.file.Line()
	for i, c := range t.Cases {
		if c.Type.Kind != contract.KindRef {
			g.declareStruct(spot{name: names[i], place: s.name}, fmt.Sprintf("%s is the %s whose %s is %q.", names[i], s.name, t.Tag, c.Tag), c.Type, t.Tag)
		}
		g.file.Func().Params(jen.Id(names[i])).Id(seal).Params().Block()
		g.file.Line()
	}
}

// caseType is the struct of an alternative of a tagged union: of its own, or of the definition that the alternative is.
func (g *gen) caseType(union string, c *contract.Case) string {
	to, name, _ := g.follow(c.Type, contract.CaseType(union, c.Tag))
	if to.Kind != contract.KindObject || isMap(to) {
		g.fail("the alternative %q of %s is no object with properties", c.Tag, union)
	}
	return name
}

// union declares alternatives as a struct with a field for each.
func (g *gen) union(s spot, doc string, t *contract.Type) {
	g.doc(doc + "\nExactly one field is set: that of the first alternative that fits.")
	var fields []jen.Code
	for i, c := range t.Cases {
		if c.Type.Kind == contract.KindNull {
			continue // the union is nullable instead
		}
		fields = append(fields, g.structField(contract.CaseField(t, i), g.unionField(t, i, s.name), c.Type.Doc.Render(nil))...)
	}
	g.file.Type().Id(s.name).Struct(fields...)
	g.file.Line()
	for i, c := range t.Cases {
		name := contract.CaseField(t, i)
		g.declare(c.Type, spot{name: contract.FieldType(s.name, name), place: s.name + "." + name}, c.Type.Doc.Render(nil))
	}
}

// unionField is the type of the field of an alternative: a pointer, or an interface.
func (g *gen) unionField(t *contract.Type, i int, union string) *jen.Statement {
	c := t.Cases[i].Type
	typ := g.bareType(c, contract.FieldType(union, contract.CaseField(t, i)))
	if to, _, _ := g.follow(c, ""); to.Kind == contract.KindTagged {
		return typ
	}
	return jen.Op("*").Add(typ)
}

// def declares a definition: its type and, where arguments reach it, its decoder and its table.
func (g *gen) def(d *contract.Def) {
	name := contract.DefType(d.Name)
	s := spot{name: name, place: "#" + d.Name, holder: d.Name}
	doc := isDoc(name, d.Doc, "the definition #"+d.Name)
	t := d.Type
	g.follow(t, name) // fails where the definition is only itself
	switch {
	case t.Kind == contract.KindArray || isMap(t):
		g.doc(doc)
		g.file.Type().Id(name).Add(g.bareType(t, name)) // a type of its own, since it may hold itself
		g.file.Line()
		s.place = name
		g.declare(t, s, "")
	case named(t) && t.EnumRef == nil:
		g.declareNamed(t, s, doc)
		if t.IsEnum() {
			g.values(name, contract.ValuesFunc(d.Name), t.Enum)
		}
	default:
		g.doc(doc)
		g.file.Type().Id(name).Op("=").Add(g.bareType(t, name))
		g.file.Line()
	}
	if g.reached[d.Name] {
		if t.Kind == contract.KindArray || isMap(t) {
			g.readerOf(t, name)
		}
		g.decoders(t, name, d.Name)
		g.doc(tableVar(d.Name) + " is #" + d.Name + " as data. Nothing modifies it.")
		g.file.Var().Id(tableVar(d.Name)).Op("=").Add(g.tableLiteral(t))
		g.file.Line()
	}
}

// reachedDefs are the definitions that the arguments of a package's tools refer to, directly or through others.
func reachedDefs(p *contract.Package) map[string]bool {
	out := map[string]bool{}
	for _, t := range p.Tools {
		for _, a := range t.Args {
			reach(p, a.Type, out)
		}
	}
	return out
}

// reach adds the definitions that a type refers to, directly or through others.
func reach(p *contract.Package, t *contract.Type, out map[string]bool) {
	if t == nil {
		return
	}
	if t.Kind == contract.KindRef && !out[t.Ref] {
		out[t.Ref] = true
		for _, d := range p.Defs {
			if d.Name == t.Ref {
				reach(p, d.Type, out)
			}
		}
	}
	reach(p, t.Elem, out)
	reach(p, t.Rest, out)
	for _, i := range t.Items {
		reach(p, i, out)
	}
	for _, f := range t.Fields {
		reach(p, f.Type, out)
	}
	for _, r := range t.PatternRest {
		reach(p, r.Type, out)
	}
	for _, c := range t.Cases {
		reach(p, c.Type, out)
	}
}
