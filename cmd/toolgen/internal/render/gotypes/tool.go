package gotypes

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
)

// tool renders everything of one tool. index is its position in the package.
func (g *gen) tool(t *contract.Tool, index int) {
	g.options(t)
	g.args(t)
	if len(t.Results) > 0 {
		g.results(t)
	}
	g.mount(t)
	for _, a := range t.Args {
		g.decoders(a.Type, contract.ParamType(t.Name, a.Name), "")
	}
	g.contract(t, index)
}

// args declares the arguments struct.
func (g *gen) args(t *contract.Tool) {
	name := contract.ArgsType(t.Name)
	g.doc(name + " are the arguments of " + t.Name + ", valid and with defaults applied.")
	var fields []jen.Code
	for _, a := range t.Args {
		m := g.argMember(t, a)
		fields = append(fields, g.structField(m.goName, g.fieldType(m.typ, m.name, m.form), g.argDoc(t, a, m.form))...)
	}
	g.file.Type().Id(name).Struct(fields...)
	g.file.Line()
	for _, a := range t.Args {
		m := g.argMember(t, a)
		g.declare(a.Type, spot{name: m.name, place: name + "." + m.goName}, "")
	}
}

func (g *gen) argMember(t *contract.Tool, a *contract.Arg) member {
	name := contract.ParamType(t.Name, a.Name)
	return member{contract.GoName(a.Name), a.Type, name, g.formOf(a.Type, name, a.Opt), nil}
}

// options declares the options struct, whose zero value means every default.
func (g *gen) options(t *contract.Tool) {
	name := contract.OptionsType(t.Name)
	if len(t.Options) == 0 {
		g.doc(name + " are the options of " + t.Name + ": it has none.")
	} else {
		g.doc(name + " are the options of " + t.Name + ". The zero value means every default.")
	}
	var fields []jen.Code
	for _, o := range t.Options {
		doc := strings.TrimSpace(o.Doc + "\nDefault: " + string(o.Default) + ".")
		fields = append(fields, comment(doc), jen.Id(contract.GoName(o.Name)).Add(g.optionType(t, o)))
	}
	g.file.Type().Id(name).Struct(fields...)
	g.file.Line()
	for _, o := range t.Options {
		if o.Kind == contract.OptionEnum {
			typ := contract.OptionType(t.Name, o.Name)
			g.doc(typ + " is a choice of " + name + ". The empty value means the default, " + o.Values[0] + ".")
			g.file.Type().Id(typ).String()
			g.file.Line()
			g.constants(typ, o.Values, nil)
		}
	}
	g.resolve(t, name)
}

func (g *gen) optionType(t *contract.Tool, o *contract.Option) jen.Code {
	switch o.Kind {
	case contract.OptionBool:
		return jen.Qual(runtimePath, "Switch")
	case contract.OptionEnum:
		return jen.Id(contract.OptionType(t.Name, o.Name))
	}
	return jen.Qual(runtimePath, "Opt").Types(g.goType(o.Type, contract.OptionType(t.Name, o.Name)))
}

// resolve writes the function that fills in defaults, and the one by which a handler reads them from its call.
func (g *gen) resolve(t *contract.Tool, name string) {
	if len(t.Options) == 0 {
		return
	}
	var body []jen.Code
	for _, o := range t.Options {
		f := jen.Id("o").Dot(contract.GoName(o.Name))
		switch o.Kind {
		case contract.OptionBool:
			body = append(body, f.Clone().Op("=").Qual(runtimePath, "SwitchOf").Call(f.Clone().Dot("Resolve").Call(jen.Lit(o.Values[0] == "true"))))
		case contract.OptionEnum:
			body = append(body, jen.If(f.Clone().Op("==").Lit("")).Block(
				f.Clone().Op("=").Id(contract.ConstName(contract.OptionType(t.Name, o.Name), o.Values[0]))))
		default:
			body = append(body, f.Clone().Op("=").Qual(runtimePath, "Some").Call(f.Clone().Dot("Or").Call(g.literal(o))))
		}
	}
	g.doc("Resolved returns the options with every default filled in.")
	g.file.Func().Params(jen.Id("o").Id(name)).Id("Resolved").Params().Id(name).Block(append(body, jen.Return(jen.Id("o")))...)
	g.file.Line()
	g.doc(name + "Of returns the resolved options under which the tool of a call is mounted.")
	g.file.Func().Id(name+"Of").Params(jen.Id("call").Qual(runtimePath, "Call")).Id(name).Block(
		jen.List(jen.Id("o"), jen.Id("_")).Op(":=").Id("call").Dot("Options").Call().Assert(jen.Id(name)),
		jen.Return(jen.Id("o").Dot("Resolved").Call()))
	g.file.Line()
}

// literal is an open option's default as a Go expression.
func (g *gen) literal(o *contract.Option) jen.Code {
	switch o.Type.Kind {
	case contract.KindInt:
		return jen.Op(string(o.Default))
	case contract.KindNumber:
		return jen.Float64().Call(jen.Op(string(o.Default)))
	case contract.KindString, contract.KindBool:
		if o.Type.Format == "" && !o.Type.IsEnum() {
			return jen.Op(goLiteral(o.Default))
		}
	}
	g.fail("the open option %s has a type that cannot be a setting in Go yet: use an integer, a number, a string or a boolean", o.Name)
	return jen.Nil()
}

// mount writes the function that puts the tool into a registry.
func (g *gen) mount(t *contract.Tool) {
	fn := contract.MountFunc(t.Name)
	args, opts := contract.ArgsType(t.Name), contract.OptionsType(t.Name)
	result := jen.Qual(runtimePath, "Plain")
	if len(t.Results) > 0 {
		result = jen.Id(contract.ResultInterface(t.Name))
	}
	doc := fn + " mounts " + t.Name + " under its options."
	if t.Doc != "" {
		doc += " " + t.Doc
	}
	g.doc(doc + "\n\nThe handler gets arguments that are valid, with defaults applied. Errors are those of tool.Mount.")
	fields := []jen.Code{field("Contract", jen.Op("&").Id(contractVar(t)))}
	var choice []jen.Code
	for _, o := range t.Finite() {
		f := jen.Id("options").Dot(contract.GoName(o.Name))
		if o.Kind == contract.OptionBool {
			choice = append(choice, f.Dot("Word").Call())
		} else {
			choice = append(choice, jen.String().Call(f))
		}
	}
	if len(choice) > 0 {
		fields = append(fields, field("Choice", jen.Index().String().Values(choice...)))
	}
	optionsParam := jen.Id("options").Id(opts)
	var settings []jen.Code
	for _, o := range t.Options {
		if o.Kind == contract.OptionOpen {
			settings = append(settings, jen.Id("options").Dot(contract.GoName(o.Name)).Dot("Or").Call(g.literal(o)))
		}
	}
	if len(settings) > 0 {
		fields = append(fields, field("Settings", jen.Index().Any().Values(settings...)))
	}
	if len(t.Options) > 0 {
		fields = append(fields, field("Options", jen.Id("options").Dot("Resolved").Call()))
	} else {
		optionsParam = jen.Id("_").Id(opts)
	}
	members := make([]member, len(t.Args))
	for i, a := range t.Args {
		members[i] = g.argMember(t, a)
	}
	// The arguments are read in here, and not by a function of their own, because functions are what compiling costs.
	declared, pointer := g.argsVar(args, members)
	if zeroDefaults(t, members) {
		declared = append(declared, d("SkipZero"))
	}
	read := jen.Func().Params(jen.Id("d").Op("*").Qual(decodePath, "Decoder")).Any().Block(
		append(append(declared, g.readObject("args", members, false)...), jen.Return(pointer))...)
	fields = append(fields, field("Decode", read))
	run := jen.Func().Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("call").Qual(runtimePath, "Call"), jen.Id("args").Any()).
		Params(jen.Qual(runtimePath, "Output"), jen.Error()).
		Block(jen.Return(jen.Id("handle").Call(jen.Id("ctx"), jen.Id("call"), jen.Op("*").Id("args").Assert(jen.Op("*").Id(args)))))
	g.file.Func().Id(fn).Params(
		jen.Id("reg").Op("*").Qual(runtimePath, "Registry"), optionsParam,
		jen.Id("handle").Qual(runtimePath, "Handler").Types(jen.Id(args), result),
		jen.Id("opts").Op("...").Qual(runtimePath, "MountOption"),
	).Error().Block(
		jen.Id("b").Op(":=").Qual(runtimePath, "Binding").Add(block(fields...)),
		jen.If(jen.Id("handle").Op("!=").Nil()).Block(jen.Id("b").Dot("Run").Op("=").Add(run)),
		jen.Return(jen.Qual(runtimePath, "Mount").Call(jen.Id("reg"), jen.Id("b"), jen.Id("opts").Op("..."))))
	g.file.Line()
}

// goLiteral is a JSON string or boolean as Go source.
func goLiteral(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil && strings.HasPrefix(string(raw), `"`) {
		return strconv.Quote(s)
	}
	return string(raw)
}
