package gotypes

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
)

// member is a field of a Go struct and the property or item that it is read from. Without a goName it is read by nobody.
type member struct {
	goName string
	typ    *contract.Type
	name   string // of the type that is declared for it
	form   form
	room   *jen.Statement // where the value is kept that the field points to, or a list's first items; nil: nowhere
}

// decoders writes the functions that a type and the types inside it are read by: one for each declared type that is no
// enumeration. holder is as in [gen.endless].
func (g *gen) decoders(t *contract.Type, name, holder string) {
	if g.nullable(t) {
		holder = ""
	}
	switch {
	case t.Kind == contract.KindArray:
		g.decoders(t.Elem, contract.ItemType(name), "")
	case isMap(t):
		if elem, item := mapElem(t, name); elem != nil {
			g.decoders(elem, item, "")
		}
	case t.Kind == contract.KindObject:
		g.structDecoder(t, name, holder, "")
	case t.Kind == contract.KindTuple:
		g.tupleDecoder(t, name, holder)
	case t.Kind == contract.KindTagged:
		g.taggedDecoder(t, name)
	case t.Kind == contract.KindUnion:
		g.unionDecoder(t, name)
	}
}

// decodeFn writes func decodeX(d *decode.Decoder) X.
func (g *gen) decodeFn(name string, body ...jen.Code) {
	g.file.Func().Id(decodeFunc(name)).Params(jen.Id("d").Op("*").Qual(decodePath, "Decoder")).Id(name).Block(body...)
	g.file.Line()
}

func d(method string, args ...jen.Code) *jen.Statement { return jen.Id("d").Dot(method).Call(args...) }

// readerOf is the decoder of a definition that is a list or a map.
func (g *gen) readerOf(t *contract.Type, name string) {
	g.decodeFn(name, g.readPlain(t, name, jen.Id(name), 0, func(x jen.Code) jen.Code { return jen.Return(x) })...)
}

func (g *gen) structDecoder(t *contract.Type, name, holder, tag string) {
	members := make([]member, len(t.Fields))
	for i, p := range t.Fields {
		if p.Name == tag {
			continue
		}
		typ := contract.FieldType(name, p.Name)
		members[i] = member{contract.GoName(p.Name), p.Type, typ, g.propertyForm(p, typ, holder), nil}
	}
	body := append([]jen.Code{jen.Var().Id("v").Id(name)}, g.readObject("v", members, isOpen(t))...)
	g.decodeFn(name, append(body, jen.Return(jen.Id("v")))...)
	for i, p := range t.Fields {
		if members[i].goName != "" {
			in := g.inside(spot{name: name, holder: holder}, p.Type, members[i].name, "", absentable(p))
			g.decoders(p.Type, in.name, in.holder)
		}
	}
}

// readObject writes the loop that reads an object into the struct v. The index of a member is its slot.
func (g *gen) readObject(v string, members []member, open bool) []jen.Code {
	var cases []jen.Code
	for slot, m := range members {
		if m.goName != "" {
			cases = append(cases, jen.Case(jen.Lit(slot)).Block(g.assign(jen.Id(v).Dot(m.goName), m)...))
		}
	}
	if open {
		rest := jen.Id(v).Dot(contract.RestField)
		cases = append(cases, jen.Case(jen.Qual(schemaPath, "SlotRest")).Block(
			jen.If(rest.Clone().Op("==").Nil()).Block(rest.Clone().Op("=").Add(rawMap()).Values()),
			rest.Clone().Index(jen.Id("o").Dot("Key")).Op("=").Add(d("Raw"))))
	}
	loop := jen.For(d("NextField", jen.Op("&").Id("o")))
	if len(cases) == 0 {
		loop.Block()
	} else {
		loop.Block(jen.Switch(jen.Id("o").Dot("Slot")).Block(cases...))
	}
	return []jen.Code{jen.Id("o").Op(":=").Add(d("Object")), loop}
}

func (g *gen) tupleDecoder(t *contract.Type, name, holder string) {
	var cases []jen.Code
	for i, item := range t.Items {
		typ := contract.TupleItemType(name, i+1)
		m := member{itemField(i), item, typ, g.itemForm(item, typ, holder), nil}
		cases = append(cases, jen.Case(jen.Lit(i)).Block(g.assign(jen.Id("v").Dot(m.goName), m)...))
	}
	g.decodeFn(name,
		jen.Var().Id("v").Id(name),
		jen.Id("o").Op(":=").Add(d("Array")),
		jen.For(d("NextItem", jen.Op("&").Id("o"))).Block(jen.Switch(jen.Id("o").Dot("Index")).Block(cases...)),
		jen.Return(jen.Id("v")))
	for i, item := range t.Items {
		in := g.inside(spot{name: name, holder: holder}, item, contract.TupleItemType(name, i+1), "", false)
		g.decoders(item, in.name, in.holder)
	}
}

// taggedDecoder chooses by the tag. What no alternative takes is a problem of the call, and the nil is never seen.
func (g *gen) taggedDecoder(t *contract.Type, name string) {
	var cases []jen.Code
	for i, c := range t.Cases {
		cases = append(cases, jen.Case(jen.Lit(i)).Block(jen.Return(jen.Id(decodeFunc(g.caseType(name, c))).Call(jen.Id("d")))))
	}
	g.decodeFn(name, jen.Switch(d("Case")).Block(cases...), jen.Return(jen.Nil()))
	for _, c := range t.Cases {
		if c.Type.Kind != contract.KindRef {
			g.structDecoder(c.Type, contract.CaseType(name, c.Tag), "", t.Tag)
		}
	}
}

func (g *gen) unionDecoder(t *contract.Type, name string) {
	var cases []jen.Code
	for i, c := range t.Cases {
		if c.Type.Kind == contract.KindNull {
			continue
		}
		bare := *c.Type
		bare.Nullable = false
		field := contract.CaseField(t, i)
		target := jen.Id("v").Dot(field)
		to, _, _ := g.follow(&bare, "")
		cases = append(cases, jen.Case(jen.Lit(i)).Block(g.readPlain(&bare, contract.FieldType(name, field),
			g.bareType(&bare, contract.FieldType(name, field)), 0, g.store(target, to.Kind != contract.KindTagged, 0))...))
	}
	g.decodeFn(name, jen.Var().Id("v").Id(name), jen.Switch(d("Case")).Block(cases...), jen.Return(jen.Id("v")))
	for i, c := range t.Cases {
		g.decoders(c.Type, contract.FieldType(name, contract.CaseField(t, i)), "")
	}
}

// set uses a value that was read: it makes a statement of its expression.
type set func(x jen.Code) jen.Code

// store assigns a value, or its address.
func (g *gen) store(target *jen.Statement, pointer bool, depth int) set {
	if !pointer {
		return func(x jen.Code) jen.Code { return target.Clone().Op("=").Add(x) }
	}
	return func(x jen.Code) jen.Code {
		v := local("x", depth)
		return jen.Id(v).Op(":=").Add(x).Line().Add(target.Clone().Op("=").Op("&").Id(v))
	}
}

// assign reads one value into the field of a struct.
func (g *gen) assign(target *jen.Statement, m member) []jen.Code {
	typ := g.bareType(m.typ, m.name)
	plain := func(then set) []jen.Code {
		if m.room != nil && m.typ.Kind == contract.KindArray {
			return g.readList(m.typ, m.name, typ, m.room.Clone().Index(jen.Empty(), jen.Lit(0)), 0, then)
		}
		return g.readPlain(m.typ, m.name, typ, 0, then)
	}
	some := func(x jen.Code) jen.Code { return target.Clone().Op("=").Qual(runtimePath, "Some").Call(x) }
	// A field is nil at first, so a null that stands for nil needs no more than being read.
	notNull := func(body []jen.Code) []jen.Code {
		if !g.nullable(m.typ) {
			return body
		}
		return []jen.Code{jen.If(jen.Op("!").Add(d("Null"))).Block(body...)}
	}
	switch m.form {
	case formPointer:
		if m.room != nil {
			return notNull(plain(func(x jen.Code) jen.Code {
				return m.room.Clone().Op("=").Add(x).Line().Add(target.Clone().Op("=").Op("&").Add(m.room.Clone()))
			}))
		}
		return notNull(plain(g.store(target, true, 0)))
	case formNil:
		return notNull(plain(g.store(target, false, 0)))
	case formOpt:
		return plain(some)
	case formOptPointer, formOptNil:
		return g.read(m.typ, m.name, 0, some)
	}
	return plain(g.store(target, false, 0))
}

// read writes the statements that read one value, null included, and hand it to then. depth keeps the names of nested
// loops apart.
func (g *gen) read(t *contract.Type, name string, depth int, then set) []jen.Code {
	bare := g.bareType(t, name)
	if !g.nullable(t) {
		return g.readPlain(t, name, bare, depth, then)
	}
	typ := g.goType(t, name)
	x := local("x", depth)
	value := jen.Op("&").Id(x)
	if to, _, _ := g.follow(t, name); to.Kind == contract.KindTagged {
		value = jen.Id(x)
	}
	inner := g.readPlain(t, name, bare, depth+1, func(v jen.Code) jen.Code { return jen.Id(x).Op(":=").Add(v) })
	return []jen.Code{jen.If(d("Null")).Block(then(jen.Parens(typ).Call(jen.Nil()))).Else().Block(append(inner, then(value))...)}
}

// readPlain writes the statements that read one value that is not null. typ is its Go type.
func (g *gen) readPlain(t *contract.Type, name string, typ *jen.Statement, depth int, then set) []jen.Code {
	to, goName, _ := g.follow(t, name)
	if t.Kind == contract.KindRef && (to.Kind == contract.KindArray || isMap(to)) || named(to) && !to.IsEnum() {
		return []jen.Code{then(jen.Id(decodeFunc(goName)).Call(jen.Id("d")))}
	}
	if to.IsEnum() && to.Kind != contract.KindBool {
		method := map[contract.Kind]string{contract.KindString: "String", contract.KindInt: "Int", contract.KindNumber: "Float"}[to.Kind]
		return []jen.Code{then(typ.Clone().Call(d(method)))}
	}
	switch to.Kind {
	case contract.KindBool:
		return []jen.Code{then(d("Bool"))}
	case contract.KindInt:
		return []jen.Code{then(d("Int"))}
	case contract.KindNumber:
		return []jen.Code{then(d("Float"))}
	case contract.KindString:
		if to.Format == "date-time" {
			return []jen.Code{then(d("Time"))}
		}
		return []jen.Code{then(d("String"))}
	case contract.KindAny, contract.KindNull:
		return []jen.Code{then(d("Raw"))}
	case contract.KindArray:
		return g.readList(to, goName, typ, typ.Clone().Values(), depth, then)
	case contract.KindObject:
		return g.readMap(to, goName, typ, depth, then)
	}
	g.fail("the type %s cannot be decoded", to.Kind)
	return nil
}

// readList reads a list of the Go type typ that starts as the empty one given.
func (g *gen) readList(t *contract.Type, name string, typ, empty *jen.Statement, depth int, then set) []jen.Code {
	l, list := local("l", depth), local("list", depth)
	item := g.read(t.Elem, contract.ItemType(name), depth+1, func(v jen.Code) jen.Code {
		return jen.Id(list).Op("=").Append(jen.Id(list), v)
	})
	// The decoder knows how much room is worth making: a little for the first item, and for a long list what it needs.
	first := jen.If(jen.Len(jen.Id(list)).Op("==").Cap(jen.Id(list))).Block(
		jen.Id(list).Op("=").Append(jen.Make(typ.Clone(), jen.Lit(0), d("Room", jen.Op("&").Id(l))), jen.Id(list).Op("...")))
	return []jen.Code{
		jen.Id(l).Op(":=").Add(d("Array")),
		jen.Id(list).Op(":=").Add(empty),
		jen.For(d("NextItem", jen.Op("&").Id(l))).Block(append([]jen.Code{first}, item...)...),
		then(jen.Id(list)),
	}
}

func (g *gen) readMap(t *contract.Type, name string, typ *jen.Statement, depth int, then set) []jen.Code {
	o, m := local("m", depth), local("byName", depth)
	put := func(v jen.Code) jen.Code { return jen.Id(m).Index(jen.Id(o).Dot("Key")).Op("=").Add(v) }
	item := []jen.Code{put(d("Raw"))}
	if elem, itemName := mapElem(t, name); elem != nil {
		item = g.read(elem, itemName, depth+1, put)
	}
	return []jen.Code{
		jen.Id(o).Op(":=").Add(d("Object")),
		jen.Id(m).Op(":=").Add(typ.Clone()).Values(),
		jen.For(d("NextField", jen.Op("&").Id(o))).Block(item...),
		then(jen.Id(m)),
	}
}

// local is a variable of a loop that many others surround.
func local(name string, depth int) string {
	if depth == 0 {
		return name
	}
	return name + strconv.Itoa(depth)
}
