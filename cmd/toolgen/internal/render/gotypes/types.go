package gotypes

import (
	"go/token"

	"github.com/dave/jennifer/jen"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
)

func goKeyword(s string) bool { return token.IsKeyword(s) }

// goType is the Go type of a value. name is the type that is declared for it where it needs a declaration.
func (g *gen) goType(t *contract.Type, name string) *jen.Statement {
	if t.Nullable && t.Kind != contract.KindAny && t.Kind != contract.KindNull {
		bare := *t
		bare.Nullable = false
		return jen.Op("*").Add(g.goType(&bare, name))
	}
	if t.IsEnum() {
		if t.EnumRef != nil {
			return g.enumRef(t.EnumRef)
		}
		if t.Kind != contract.KindBool {
			return jen.Id(name)
		}
	}
	switch t.Kind {
	case contract.KindBool:
		return jen.Bool()
	case contract.KindInt:
		return jen.Int64()
	case contract.KindNumber:
		return jen.Float64()
	case contract.KindString:
		if t.Format == "date-time" {
			return jen.Qual("time", "Time")
		}
		return jen.String()
	case contract.KindArray:
		return jen.Index().Add(g.goType(t.Elem, contract.ItemType(name)))
	case contract.KindObject:
		if isMap(t) {
			return jen.Map(jen.String()).Add(g.goType(t.Rest, contract.ItemType(name)))
		}
		return jen.Id(name)
	case contract.KindAny, contract.KindNull:
		return jen.Qual("encoding/json", "RawMessage")
	}
	g.fail("the type %s has no Go form", t.Kind)
	return jen.Null()
}

// isMap reports whether an object has computed names only.
func isMap(t *contract.Type) bool {
	return t.Kind == contract.KindObject && len(t.Fields) == 0 && t.Rest != nil && len(t.PatternRest) == 0
}

// declare writes the declarations that a type needs: named enumerations and structs, at any depth.
func (g *gen) declare(t *contract.Type, name, doc string) {
	switch {
	case t.IsEnum() && t.EnumRef == nil && t.Kind != contract.KindBool:
		g.declareEnum(t, name, doc)
	case t.Kind == contract.KindArray:
		doc := t.Elem.Doc.Render(nil)
		if doc == "" {
			doc = "One item of " + name + "."
		}
		g.declare(t.Elem, contract.ItemType(name), doc)
	case isMap(t):
		g.declare(t.Rest, contract.ItemType(name), "One value of "+name+".")
	case t.Kind == contract.KindObject:
		g.declareStruct(name, doc, t)
	}
}

func (g *gen) declareEnum(t *contract.Type, name, doc string) {
	g.doc(name + " is " + orElse(doc, "a closed list of constants."))
	switch t.Kind {
	case contract.KindString:
		g.file.Type().Id(name).String()
		g.file.Line()
		g.constants(name, t.Enum, nil)
	case contract.KindInt:
		g.file.Type().Id(name).Int64()
		g.numbers(name, t.Enum)
	default:
		g.file.Type().Id(name).Float64()
		g.numbers(name, t.Enum)
	}
}

func (g *gen) numbers(name string, values []string) {
	g.file.Line()
	g.doc("The values of " + name + ".")
	defs := make([]jen.Code, len(values))
	for i, v := range values {
		defs[i] = jen.Id(contract.ConstName(name, v)).Id(name).Op("=").Op(v)
	}
	g.file.Const().Defs(defs...)
	g.file.Line()
}

func (g *gen) declareStruct(name, doc string, t *contract.Type) {
	g.doc(name + " is " + orElse(doc, "an object of the arguments."))
	var fields []jen.Code
	for _, p := range t.Fields {
		fields = append(fields, g.structField(p.Name, p.Type, p.Optional && p.Default == nil, contract.FieldType(name, p.Name), p.Doc.Render(nil))...)
	}
	if t.Rest != nil {
		fields = append(fields, jen.Comment("// Rest holds the properties that are not declared."),
			jen.Id("Rest").Map(jen.String()).Qual("encoding/json", "RawMessage"))
	}
	g.file.Type().Id(name).Struct(fields...)
	g.file.Line()
	for _, p := range t.Fields {
		g.declare(p.Type, contract.FieldType(name, p.Name), p.Doc.Render(nil))
	}
}

func (g *gen) structField(wire string, t *contract.Type, opt bool, typeName, doc string) []jen.Code {
	typ := jen.Code(g.goType(t, typeName))
	if opt {
		typ = jen.Qual(runtimePath, "Opt").Types(typ)
	}
	out := []jen.Code{}
	if doc != "" {
		out = append(out, comment(doc))
	}
	return append(out, jen.Id(contract.GoName(wire)).Add(typ))
}

// decoder writes the function that reads an object, and one for every object inside it. base is what the names of inner
// types start with.
func (g *gen) decoder(name, base string, t *contract.Type, opt func(*contract.Param) bool) {
	var cases []jen.Code
	for slot, p := range t.Fields {
		target := jen.Id("v").Dot(contract.GoName(p.Name))
		body := g.assign(target, p.Type, contract.FieldType(base, p.Name), opt(p), 0)
		cases = append(cases, jen.Case(jen.Lit(slot)).Block(body...))
	}
	if t.Rest != nil {
		cases = append(cases, jen.Case(jen.Qual(schemaPath, "SlotRest")).Block(
			jen.If(jen.Id("v").Dot("Rest").Op("==").Nil()).Block(
				jen.Id("v").Dot("Rest").Op("=").Map(jen.String()).Qual("encoding/json", "RawMessage").Values()),
			jen.Id("v").Dot("Rest").Index(jen.Id("o").Dot("Key")).Op("=").Id("d").Dot("Raw").Call()))
	}
	body := []jen.Code{jen.Var().Id("v").Id(name), jen.Id("o").Op(":=").Id("d").Dot("Object").Call()}
	loop := jen.For(jen.Id("d").Dot("NextField").Call(jen.Op("&").Id("o")))
	if len(cases) > 0 {
		body = append(body, loop.Block(jen.Switch(jen.Id("o").Dot("Slot")).Block(cases...)))
	} else {
		body = append(body, loop.Block())
	}
	body = append(body, jen.Return(jen.Id("v")))
	g.file.Func().Id("decode" + name).Params(jen.Id("d").Op("*").Qual(decodePath, "Decoder")).Id(name).Block(body...)
	g.file.Line()
	for _, p := range t.Fields {
		g.innerDecoders(p.Type, contract.FieldType(base, p.Name))
	}
}

func (g *gen) innerDecoders(t *contract.Type, name string) {
	switch {
	case t.Kind == contract.KindArray:
		g.innerDecoders(t.Elem, contract.ItemType(name))
	case isMap(t):
		g.innerDecoders(t.Rest, contract.ItemType(name))
	case t.Kind == contract.KindObject:
		g.decoder(name, name, t, func(p *contract.Param) bool { return p.Optional && p.Default == nil })
	}
}

// assign reads one value into target.
func (g *gen) assign(target *jen.Statement, t *contract.Type, name string, opt bool, depth int) []jen.Code {
	if opt {
		return g.read(t, name, depth, func(x jen.Code) jen.Code { return target.Clone().Op("=").Qual(runtimePath, "Some").Call(x) })
	}
	return g.read(t, name, depth, func(x jen.Code) jen.Code { return target.Clone().Op("=").Add(x) })
}

// read writes the statements that read one value and hand it to set. depth keeps the names of nested loops apart.
func (g *gen) read(t *contract.Type, name string, depth int, set func(jen.Code) jen.Code) []jen.Code {
	d := func(method string) *jen.Statement { return jen.Id("d").Dot(method).Call() }
	if t.Nullable && t.Kind != contract.KindAny && t.Kind != contract.KindNull {
		bare := *t
		bare.Nullable = false
		x := local("x", depth)
		inner := g.read(&bare, name, depth+1, func(v jen.Code) jen.Code { return jen.Id(x).Op(":=").Add(v) })
		typ := g.goType(t, name)
		return []jen.Code{jen.If(d("Null")).Block(set(jen.Parens(typ).Call(jen.Nil()))).
			Else().Block(append(inner, set(jen.Op("&").Id(x)))...)}
	}
	if t.IsEnum() && t.Kind != contract.KindBool {
		method := map[contract.Kind]string{contract.KindString: "String", contract.KindInt: "Int", contract.KindNumber: "Float"}[t.Kind]
		return []jen.Code{set(g.goType(t, name).Call(d(method)))}
	}
	switch t.Kind {
	case contract.KindBool:
		return []jen.Code{set(d("Bool"))}
	case contract.KindInt:
		return []jen.Code{set(d("Int"))}
	case contract.KindNumber:
		return []jen.Code{set(d("Float"))}
	case contract.KindString:
		if t.Format == "date-time" {
			return []jen.Code{set(d("Time"))}
		}
		return []jen.Code{set(d("String"))}
	case contract.KindAny, contract.KindNull:
		return []jen.Code{set(d("Raw"))}
	case contract.KindArray:
		l, list := local("l", depth), local("list", depth)
		item := g.read(t.Elem, contract.ItemType(name), depth+1, func(v jen.Code) jen.Code {
			return jen.Id(list).Op("=").Append(jen.Id(list), v)
		})
		// The first item makes room for four: most lists are short, and an empty one costs nothing.
		first := jen.If(jen.Cap(jen.Id(list)).Op("==").Lit(0)).Block(
			jen.Id(list).Op("=").Make(g.goType(t, name), jen.Lit(0), jen.Lit(4)))
		return []jen.Code{
			jen.Id(l).Op(":=").Add(d("Array")),
			jen.Id(list).Op(":=").Add(g.goType(t, name)).Values(),
			jen.For(jen.Id("d").Dot("NextItem").Call(jen.Op("&").Id(l))).Block(append([]jen.Code{first}, item...)...),
			set(jen.Id(list)),
		}
	case contract.KindObject:
		if !isMap(t) {
			return []jen.Code{set(jen.Id("decode" + name).Call(jen.Id("d")))}
		}
		o, m := local("m", depth), local("byName", depth)
		item := g.read(t.Rest, contract.ItemType(name), depth+1, func(v jen.Code) jen.Code {
			return jen.Id(m).Index(jen.Id(o).Dot("Key")).Op("=").Add(v)
		})
		return []jen.Code{
			jen.Id(o).Op(":=").Add(d("Object")),
			jen.Id(m).Op(":=").Add(g.goType(t, name)).Values(),
			jen.For(jen.Id("d").Dot("NextField").Call(jen.Op("&").Id(o))).Block(item...),
			set(jen.Id(m)),
		}
	}
	g.fail("the type %s cannot be decoded", t.Kind)
	return nil
}

func local(name string, depth int) string {
	if depth == 0 {
		return name
	}
	return name + string(rune('0'+depth%10))
}
