package gotypes

import (
	"github.com/dave/jennifer/jen"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
)

// notice renders a message that the runtime writes by itself.
func (g *gen) notice(m *contract.Message) {
	name := contract.NoticeType(m.Name)
	g.message(m, name, isDoc(name, m.Doc, "a notice of the runtime"))
	g.doc("NoticeName returns the notice's name in the spec.")
	g.file.Func().Params(jen.Id(name)).Id("NoticeName").Params().String().Block(jen.Return(jen.Lit(m.Name)))
	g.file.Line()
}

// results renders the results of a tool as a sealed interface with one struct each.
func (g *gen) results(t *contract.Tool) {
	iface := contract.ResultInterface(t.Name)
	seal := "is" + iface
	g.doc(resultsDoc(t))
	g.file.Type().Id(iface).Interface(jen.Qual(runtimePath, "Output"), jen.Id(seal).Params())
	g.file.Line()
	for _, m := range t.Results {
		name := contract.ResultType(t.Name, m.Name)
		g.message(m, name, isDoc(name, m.Doc, "a result of "+t.Name))
		g.doc("ResultName returns the result's name in the spec.")
		g.file.Func().Params(jen.Id(name)).Id("ResultName").Params().String().Block(jen.Return(jen.Lit(m.Name)))
		g.file.Line()
		g.file.Func().Params(jen.Id(name)).Id(seal).Params().Block()
		g.file.Line()
	}
}

// message declares the struct of a message and the method that renders it.
func (g *gen) message(m *contract.Message, name, doc string) {
	nodes, findings := contract.ParseRender(m, g.m.Definitions(g.p))
	if len(findings) > 0 {
		g.fail("%s: %s", m.Name, findings[0].Message)
		return
	}
	object := &contract.Type{Kind: contract.KindObject, Fields: m.Fields}
	root := &dot{value: value{expr: jen.Id("r"), t: object, name: name}}
	if !m.List {
		g.declareStruct(spot{name: name}, doc, object, "")
	} else {
		item := contract.ItemType(name)
		g.doc(doc)
		g.file.Type().Id(name).Struct(g.structField("Items", jen.Index().Id(item), "Items are the lines, in order.")...)
		g.file.Line()
		g.declareStruct(spot{name: item}, item+" is one line of ["+name+"].", object, "")
		root.expr, root.name = jen.Id("x"), item
	}
	w := &textWriter{g: g, root: root}
	body := w.nodes(nodes, root)
	recv := jen.Id("r").Id(name)
	if m.List {
		loop := jen.List(jen.Id("i"), jen.Id("x")).Op(":=").Range().Id("r").Dot("Items")
		if !root.used {
			loop = jen.Id("i").Op(":=").Range().Id("r").Dot("Items")
		}
		body = []jen.Code{
			jen.If(jen.Len(jen.Id("r").Dot("Items")).Op("==").Lit(0)).Block(jen.Return(jen.Append(jen.Id("b"), jen.Lit(m.Empty).Op("...")))),
			jen.For(loop).Block(append([]jen.Code{jen.If(jen.Id("i").Op(">").Lit(0)).Block(appendLit("\n"))}, body...)...),
		}
	} else if !root.used {
		recv = jen.Id(name)
	}
	g.doc("AppendText appends the text that the model reads.")
	g.file.Func().Params(recv).Id("AppendText").Params(jen.Id("b").Index().Byte()).Index().Byte().
		Block(append(body, jen.Return(jen.Id("b")))...)
	g.file.Line()
}

// textWriter compiles a message's template to Go.
type textWriter struct {
	g     *gen
	root  *dot
	depth int
}

// dot is what a template's dot stands for. used is set once the Go code reads it, since Go demands that variables are.
type dot struct {
	value
	used bool
}

// value is a Go expression for a value of the template.
type value struct {
	expr   *jen.Statement
	t      *contract.Type // with references followed
	name   string         // what the names of types inside it start with
	form   form           // how expr holds it
	holder string         // the definition whose struct it is, where it is one
	guards []jen.Code     // what must hold before expr can be read
}

func appendLit(s string) jen.Code {
	return jen.Id("b").Op("=").Append(jen.Id("b"), jen.Lit(s).Op("..."))
}

func (w *textWriter) nodes(list []contract.Node, at *dot) []jen.Code {
	var out []jen.Code
	for _, n := range list {
		switch n.Kind {
		case contract.NodeText:
			out = append(out, appendLit(n.Text))
		case contract.NodeField:
			out = append(out, w.field(n, at))
		case contract.NodeIf:
			out = append(out, w.branch(n, at)...)
		case contract.NodeRange:
			out = append(out, w.loop(n, at))
		}
	}
	return out
}

// resolve walks a path of wire names. Where a value on the way may be absent or null, a guard says that it is not.
func (w *textWriter) resolve(n contract.Node, at *dot) (value, *dot) {
	if n.Root {
		at = w.root
	}
	v := at.value
	for _, step := range n.Path {
		v = w.open(v)
		var p *contract.Param
		for _, f := range v.t.Fields {
			if f.Name == step {
				p = f
			}
		}
		if p == nil {
			w.g.fail("the template names %s, which is not declared", step)
			return v, at
		}
		name := contract.FieldType(v.name, step)
		v.expr = v.expr.Clone().Dot(contract.GoName(step))
		v.form = w.g.propertyForm(p, name, v.holder)
		v = w.typed(v, p.Type, name)
	}
	return v, at
}

// typed gives a value its type. name is the one that its place gives.
func (w *textWriter) typed(v value, t *contract.Type, name string) value {
	v.holder = ""
	for t.Kind == contract.KindRef {
		def := w.g.definition(t)
		if def == nil {
			break
		}
		v.holder = def.Name
		if def.Type.Kind != contract.KindRef {
			break
		}
		t = def.Type
	}
	v.t, v.name, _ = w.g.follow(t, name)
	return v
}

// open makes the value one that can be read, behind guards.
func (w *textWriter) open(v value) value {
	v.guards = append([]jen.Code(nil), v.guards...)
	switch v.form {
	case formOptPointer, formOptNil:
		v.expr = v.expr.Clone().Dot("Or").Call(jen.Nil())
		v.guards = append(v.guards, v.expr.Clone().Op("!=").Nil())
	case formPointer:
		v.guards = append(v.guards, v.expr.Clone().Op("!=").Nil())
	case formNil:
		if v.t.Kind == contract.KindTagged {
			v.guards = append(v.guards, v.expr.Clone().Op("!=").Nil())
		}
	case formOpt:
		if zero := w.zero(v.t); zero != nil {
			v.expr = v.expr.Clone().Dot("Or").Call(zero)
		} else {
			v.guards = append(v.guards, v.expr.Clone().Dot("IsSet").Call())
		}
	}
	return v
}

// content is the value itself: what a pointer points to.
func (v value) content() *jen.Statement {
	if v.form == formPointer || v.form == formOptPointer {
		return jen.Op("*").Add(v.expr.Clone())
	}
	return v.expr.Clone()
}

// zero is the zero value of what a tool.Opt holds; nil where a template does not ask for it.
func (w *textWriter) zero(t *contract.Type) jen.Code {
	switch t.Kind {
	case contract.KindBool:
		return jen.False()
	case contract.KindInt, contract.KindNumber:
		return jen.Lit(0)
	case contract.KindString:
		if isTime(t) {
			return jen.Qual("time", "Time").Values()
		}
		return jen.Lit("")
	case contract.KindArray:
		return jen.Nil()
	case contract.KindObject:
		if isMap(t) {
			return jen.Nil()
		}
	}
	return nil
}

func isTime(t *contract.Type) bool {
	return t.Kind == contract.KindString && t.Format == "date-time" && !t.IsEnum()
}

// all joins conditions; there is at least one.
func all(conds []jen.Code) *jen.Statement {
	s := jen.Null()
	for i, c := range conds {
		if i > 0 {
			s.Op("&&")
		}
		s.Add(c)
	}
	return s
}

// field prints one value, where it is there.
func (w *textWriter) field(n contract.Node, at *dot) jen.Code {
	v, from := w.resolve(n, at)
	from.used = true
	if v.form == formOpt {
		// Zero is printed where it is there, so the value alone does not do.
		x := local("o", w.depth)
		set := jen.If(jen.List(jen.Id(x), jen.Id("ok")).Op(":=").Add(v.expr).Dot("Get").Call(), jen.Id("ok")).Block(w.print(v.t, jen.Id(x)))
		if len(v.guards) > 0 {
			return jen.If(all(v.guards)).Block(set)
		}
		return set
	}
	v = w.open(v)
	if len(v.guards) > 0 {
		return jen.If(all(v.guards)).Block(w.print(v.t, v.content()))
	}
	return w.print(v.t, v.content())
}

// print appends one scalar.
func (w *textWriter) print(t *contract.Type, x *jen.Statement) jen.Code {
	b := jen.Id("b")
	set := b.Clone().Op("=")
	switch {
	case isTime(t):
		return set.Add(jen.Parens(x)).Dot("AppendFormat").Call(b, jen.Qual("time", "RFC3339Nano"))
	case t.Kind == contract.KindString:
		return set.Append(b, x.Op("..."))
	case t.Kind == contract.KindBool:
		return set.Qual("strconv", "AppendBool").Call(b, x)
	case t.Kind == contract.KindInt:
		if t.IsEnum() {
			x = jen.Int64().Call(x)
		}
		return set.Qual("strconv", "AppendInt").Call(b, x, jen.Lit(10))
	case t.Kind == contract.KindNumber:
		if t.IsEnum() {
			x = jen.Float64().Call(x)
		}
		return set.Qual("strconv", "AppendFloat").Call(b, x, jen.LitByte('g'), jen.Lit(-1), jen.Lit(64))
	}
	w.g.fail("the template prints a value of kind %s", t.Kind)
	return jen.Null()
}

func (w *textWriter) branch(n contract.Node, at *dot) []jen.Code {
	v, from := w.resolve(n, at)
	v = w.open(v)
	conds := v.guards
	if c := truth(v); c != nil {
		conds = append(conds, c)
	}
	if len(conds) == 0 {
		return w.nodes(n.Then, at) // a value that is always there, and has no zero
	}
	from.used = true
	s := jen.If(all(conds)).Block(w.nodes(n.Then, at)...)
	if len(n.Else) > 0 {
		s.Else().Block(w.nodes(n.Else, at)...)
	}
	return []jen.Code{s}
}

// truth is the condition under which a template takes a value that is there for true; nil: always.
func truth(v value) jen.Code {
	x := v.content()
	switch v.t.Kind {
	case contract.KindBool:
		return x
	case contract.KindInt, contract.KindNumber:
		return x.Op("!=").Lit(0)
	case contract.KindString:
		if isTime(v.t) {
			return jen.Op("!").Parens(x).Dot("IsZero").Call()
		}
		return x.Op("!=").Lit("")
	case contract.KindArray:
		return jen.Len(x).Op(">").Lit(0)
	case contract.KindObject:
		if isMap(v.t) {
			return jen.Len(x).Op(">").Lit(0)
		}
	}
	return nil
}

func (w *textWriter) loop(n contract.Node, at *dot) jen.Code {
	v, from := w.resolve(n, at)
	if v.t.Kind != contract.KindArray {
		w.g.fail("the template ranges over a value that is no list")
		return jen.Null()
	}
	from.used = true
	v = w.open(v)
	list := v.content()
	w.depth++
	x := local("x", w.depth)
	name := contract.ItemType(v.name)
	item := &dot{value: value{expr: jen.Id(x), form: w.g.formOf(v.t.Elem, name, false)}}
	item.value = w.typed(item.value, v.t.Elem, name)
	body := w.nodes(n.Then, item)
	w.depth--
	head := jen.For(jen.List(jen.Id("_"), jen.Id(x)).Op(":=").Range().Add(list))
	if !item.used {
		head = jen.For(jen.Range().Add(list))
	}
	loop := head.Block(body...)
	conds := v.guards
	if len(n.Else) > 0 {
		conds = append(conds, jen.Len(list.Clone()).Op(">").Lit(0))
	}
	if len(conds) == 0 {
		return loop
	}
	s := jen.If(all(conds)).Block(loop)
	if len(n.Else) > 0 {
		s.Else().Block(w.nodes(n.Else, at)...)
	}
	return s
}
