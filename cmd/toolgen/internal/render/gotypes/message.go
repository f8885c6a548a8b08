package gotypes

import (
	"github.com/dave/jennifer/jen"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
)

// notice renders a message that the runtime writes by itself.
func (g *gen) notice(m *contract.Message) {
	name := contract.NoticeType(m.Name)
	g.message(m, name, orElse(m.Doc, "a notice of the runtime."))
	g.doc("NoticeName returns the notice's name in the spec.")
	g.file.Func().Params(jen.Id(name)).Id("NoticeName").Params().String().Block(jen.Return(jen.Lit(m.Name)))
	g.file.Line()
}

// results renders the results of a tool as a sealed interface with one struct each.
func (g *gen) results(t *contract.Tool) {
	iface := contract.ResultInterface(t.Name)
	seal := "is" + iface
	g.doc(iface + " is what a handler of " + t.Name + " returns: one of the types below.")
	g.file.Type().Id(iface).Interface(jen.Qual(runtimePath, "Output"), jen.Id(seal).Params())
	g.file.Line()
	for _, m := range t.Results {
		name := contract.ResultType(t.Name, m.Name)
		g.message(m, name, orElse(m.Doc, "a result of "+t.Name+"."))
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
	item := &contract.Type{Kind: contract.KindObject, Fields: m.Fields}
	w := &textWriter{g: g}
	var body []jen.Code
	if m.List {
		itemName := contract.ItemType(name)
		g.doc(name + " is " + doc)
		g.file.Type().Id(name).Struct(jen.Id("Items").Index().Id(itemName))
		g.file.Line()
		g.declareStruct(itemName, "One line of "+name+".", item)
		w.name = itemName
		body = []jen.Code{
			jen.If(jen.Len(jen.Id("r").Dot("Items")).Op("==").Lit(0)).Block(jen.Return(jen.Append(jen.Id("b"), jen.Lit(m.Empty).Op("...")))),
			jen.For(jen.List(jen.Id("i"), jen.Id("x")).Op(":=").Range().Id("r").Dot("Items")).Block(append([]jen.Code{
				jen.If(jen.Id("i").Op(">").Lit(0)).Block(appendLit("\n")),
			}, w.nodes(nodes, scope{expr: jen.Id("x"), name: itemName, fields: m.Fields})...)...),
		}
	} else {
		g.declareStruct(name, doc, item)
		w.name = name
		body = w.nodes(nodes, scope{expr: jen.Id("r"), name: name, fields: m.Fields})
	}
	g.doc("AppendText appends the text that the model reads.")
	recv := jen.Id("r").Id(name)
	if !w.used && !m.List {
		recv = jen.Id(name)
	}
	g.file.Func().Params(recv).Id("AppendText").Params(jen.Id("b").Index().Byte()).Index().Byte().
		Block(append(body, jen.Return(jen.Id("b")))...)
	g.file.Line()
}

// textWriter compiles a message's template to Go.
type textWriter struct {
	g     *gen
	name  string
	used  bool              // whether the receiver was used
	root  []*contract.Param // the message's own fields, once inside a range
	depth int
}

// scope is what a template's dot stands for.
type scope struct {
	expr   *jen.Statement
	name   string // Go type
	fields []*contract.Param
	typ    *contract.Type // where the dot is no object with fields
}

func appendLit(s string) jen.Code {
	return jen.Id("b").Op("=").Append(jen.Id("b"), jen.Lit(s).Op("..."))
}

func (w *textWriter) nodes(list []contract.Node, dot scope) []jen.Code {
	var out []jen.Code
	for _, n := range list {
		switch n.Kind {
		case contract.NodeText:
			out = append(out, appendLit(n.Text))
		case contract.NodeField:
			v := w.resolve(n, dot)
			init, conds, inner := w.present(v)
			if len(conds) == 0 {
				out = append(out, w.print(inner))
			} else {
				out = append(out, ifStmt(init, conds).Block(w.print(inner)))
			}
		case contract.NodeIf:
			out = append(out, w.branch(n, dot))
		case contract.NodeRange:
			out = append(out, w.loop(n, dot))
		}
	}
	return out
}

// value is a resolved field: its Go expression, and whether it is an Opt.
type value struct {
	expr *jen.Statement // the value; for an Opt only within a check
	raw  *jen.Statement // the field itself
	opt  bool
	typ  *contract.Type
	name string
}

// resolve walks a path of wire names.
func (w *textWriter) resolve(n contract.Node, dot scope) value {
	w.used = true
	if n.Root {
		dot = scope{expr: jen.Id("r"), name: w.name, fields: w.rootFields(dot)}
	}
	v := value{expr: dot.expr.Clone(), raw: dot.expr.Clone(), typ: dot.typ, name: dot.name}
	fields := dot.fields
	for _, step := range n.Path {
		var p *contract.Param
		for _, f := range fields {
			if f.Name == step {
				p = f
			}
		}
		if p == nil {
			w.g.fail("the template names %s, which is not declared", step)
			return v
		}
		if v.opt {
			v.raw = v.raw.Clone().Dot("Or").Call(jen.Id(v.name).Values())
		}
		v.raw = v.raw.Clone().Dot(contract.GoName(step))
		v.expr = v.raw.Clone()
		v.opt = p.Optional && p.Default == nil
		v.typ = p.Type
		v.name = contract.FieldType(v.name, step)
		fields = p.Type.Fields
	}
	return v
}

// rootFields are the fields of the whole message.
func (w *textWriter) rootFields(dot scope) []*contract.Param {
	if w.root == nil {
		return dot.fields
	}
	return w.root
}

// print appends one scalar.
func (w *textWriter) print(v value) jen.Code {
	b := jen.Id("b")
	set := b.Clone().Op("=")
	switch {
	case v.typ == nil:
		w.g.fail("the template prints an object")
		return jen.Null()
	case v.typ.Kind == contract.KindString && v.typ.Format == "date-time" && !v.typ.IsEnum():
		return set.Add(jen.Parens(v.expr.Clone()).Dot("AppendFormat").Call(b, jen.Qual("time", "RFC3339Nano")))
	case v.typ.Kind == contract.KindString:
		return set.Append(b, v.expr.Clone().Op("..."))
	case v.typ.Kind == contract.KindBool:
		return set.Qual("strconv", "AppendBool").Call(b, v.expr)
	case v.typ.Kind == contract.KindInt:
		x := v.expr
		if v.typ.IsEnum() {
			x = jen.Int64().Call(x)
		}
		return set.Qual("strconv", "AppendInt").Call(b, x, jen.Lit(10))
	case v.typ.Kind == contract.KindNumber:
		x := v.expr
		if v.typ.IsEnum() {
			x = jen.Float64().Call(x)
		}
		return set.Qual("strconv", "AppendFloat").Call(b, x, jen.LitByte('g'), jen.Lit(-1), jen.Lit(64))
	}
	w.g.fail("the template prints a value of kind %s", v.typ.Kind)
	return jen.Null()
}

// present gives the parts of an if statement that looks at a value: an initialisation, what has to hold for the value to
// be there at all, and the value as it then is.
func (w *textWriter) present(v value) (init jen.Code, conds []*jen.Statement, inner value) {
	x := local("o", w.depth)
	inner = v
	switch {
	case v.opt:
		init = jen.List(jen.Id(x), jen.Id("ok")).Op(":=").Add(v.raw).Dot("Get").Call()
		conds = append(conds, jen.Id("ok"))
		inner.expr = jen.Id(x)
	case v.typ != nil && v.typ.Nullable:
		init = jen.Id(x).Op(":=").Add(v.raw)
		inner.expr = jen.Id(x)
	}
	if v.typ != nil && v.typ.Nullable {
		conds = append(conds, inner.expr.Clone().Op("!=").Nil())
		inner.expr = jen.Op("*").Add(inner.expr.Clone())
		bare := *v.typ
		bare.Nullable = false
		inner.typ = &bare
	}
	inner.opt = false
	return init, conds, inner
}

// ifStmt writes if init; cond && cond.
func ifStmt(init jen.Code, conds []*jen.Statement) *jen.Statement {
	cond := jen.Null()
	for i, c := range conds {
		if i > 0 {
			cond.Op("&&")
		}
		cond.Add(c)
	}
	if init == nil {
		return jen.If(cond)
	}
	return jen.If(init, cond)
}

func (w *textWriter) branch(n contract.Node, dot scope) jen.Code {
	v := w.resolve(n, dot)
	init, conds, inner := w.present(v)
	if c := w.truth(inner); c != nil {
		conds = append(conds, c)
	} else if v.opt && !v.typ.Nullable {
		init, conds = nil, []*jen.Statement{v.raw.Clone().Dot("IsSet").Call()} // only whether it is there counts
	}
	if len(conds) == 0 {
		conds = append(conds, jen.True())
	}
	s := ifStmt(init, conds)
	s.Block(w.nodes(n.Then, dot)...)
	if len(n.Else) > 0 {
		s.Else().Block(w.nodes(n.Else, dot)...)
	}
	return s
}

// truth is the condition under which a template takes a value that is there for true; nil: always.
func (w *textWriter) truth(v value) *jen.Statement {
	if v.typ == nil {
		return nil
	}
	switch v.typ.Kind {
	case contract.KindBool:
		return jen.Add(v.expr)
	case contract.KindInt, contract.KindNumber:
		return v.expr.Clone().Op("!=").Lit(0)
	case contract.KindString:
		if v.typ.Format == "date-time" && !v.typ.IsEnum() {
			return jen.Op("!").Parens(v.expr.Clone()).Dot("IsZero").Call()
		}
		return v.expr.Clone().Op("!=").Lit("")
	case contract.KindArray:
		return jen.Len(v.expr).Op(">").Lit(0)
	case contract.KindObject:
		if isMap(v.typ) {
			return jen.Len(v.expr).Op(">").Lit(0)
		}
	}
	return nil
}

func (w *textWriter) loop(n contract.Node, dot scope) jen.Code {
	v := w.resolve(n, dot)
	list := v.expr
	if v.typ == nil || v.typ.Kind != contract.KindArray || v.typ.Nullable {
		w.g.fail("the template ranges over a value that is no list, or may be null")
		return jen.Null()
	}
	if v.opt {
		list = v.raw.Clone().Dot("Or").Call(jen.Nil())
	}
	if w.root == nil {
		w.root = dot.fields
	}
	w.depth++
	x := local("x", w.depth)
	inner := scope{expr: jen.Id(x), name: contract.ItemType(v.name), fields: v.typ.Elem.Fields, typ: v.typ.Elem}
	head := jen.For(jen.List(jen.Id("_"), jen.Id(x)).Op(":=").Range().Add(list))
	if !mentions(n.Then) {
		head = jen.For(jen.Range().Add(list.Clone()))
	}
	s := head.Block(w.nodes(n.Then, inner)...)
	w.depth--
	if len(n.Else) > 0 {
		s = s.Line().If(jen.Len(list.Clone()).Op("==").Lit(0)).Block(w.nodes(n.Else, dot)...)
	}
	return s
}

// mentions reports whether nodes use the dot.
func mentions(list []contract.Node) bool {
	for _, n := range list {
		if n.Kind != contract.NodeText && !n.Root || mentions(n.Else) || n.Kind == contract.NodeIf && mentions(n.Then) {
			return true
		}
	}
	return false
}
