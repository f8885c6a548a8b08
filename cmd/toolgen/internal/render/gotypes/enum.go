package gotypes

import (
	"go/token"
	"go/types"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
)

// enum renders a vocabulary and its mapping.
func (g *gen) enum(e *contract.Enum) {
	name := contract.EnumType(e.Name)
	g.doc(isDoc(name, e.Doc, "a closed vocabulary that a model reads"))
	g.file.Type().Id(name).String()
	g.file.Line()
	words := make([]string, len(e.Values))
	docs := make([]string, len(e.Values))
	for i, w := range e.Values {
		words[i], docs[i] = w.Word, w.Doc.Render(nil)
	}
	g.constants(name, words, docs)
	g.values(name, contract.ValuesFunc(e.Name), words)
	if e.From != nil {
		g.mapping(name, e)
	}
}

// constants declares the words of a named string type.
func (g *gen) constants(typ string, words, docs []string) {
	g.doc("The words of " + typ + ".")
	defs := make([]jen.Code, 0, len(words))
	for i, w := range words {
		if docs != nil && docs[i] != "" {
			defs = append(defs, comment(docs[i]))
		}
		defs = append(defs, jen.Id(contract.ConstName(typ, w)).Id(typ).Op("=").Lit(w))
	}
	g.file.Const().Defs(defs...)
	g.file.Line()
}

func (g *gen) numbers(typ string, values []string) {
	g.doc("The values of " + typ + ".")
	defs := make([]jen.Code, len(values))
	for i, v := range values {
		defs[i] = jen.Id(contract.ConstName(typ, v)).Id(typ).Op("=").Op(v)
	}
	g.file.Const().Defs(defs...)
	g.file.Line()
}

// values writes the function that lists the constants of a type.
func (g *gen) values(typ, fn string, words []string) {
	g.doc(fn + " returns the values of " + typ + " in the order of the spec.")
	items := make([]jen.Code, len(words))
	for i, w := range words {
		items[i] = jen.Id(contract.ConstName(typ, w))
	}
	g.file.Func().Id(fn).Params().Index().Id(typ).Block(jen.Return(jen.Index().Id(typ).Values(items...)))
	g.file.Line()
}

// enumeration declares a closed list of constants that has no vocabulary of its own.
func (g *gen) enumeration(t *contract.Type, name, doc string) {
	g.doc(doc)
	switch t.Kind {
	case contract.KindString:
		g.file.Type().Id(name).String()
		g.file.Line()
		g.constants(name, t.Enum, nil)
		return
	case contract.KindInt:
		g.file.Type().Id(name).Int64()
	default:
		g.file.Type().Id(name).Float64()
	}
	g.file.Line()
	g.numbers(name, t.Enum)
}

// mapping renders the total, disjoint mapping from a service's facts to an enum's words.
func (g *gen) mapping(name string, e *contract.Enum) {
	fn := contract.MappingFunc(e.Name)
	g.doc(fn + " gives the word for what the service knows. The spec's mapping is total and disjoint; a fact that is no word of " +
		"its own vocabulary gives the empty word.")
	ids := g.factNames(e.From.Facts)
	var params []jen.Code
	for _, f := range e.From.Facts {
		params = append(params, jen.Id(ids[f.Name]).Add(g.factType(f)))
	}
	var cases []jen.Code
	otherwise := jen.Return(jen.Lit(""))
	for _, r := range e.From.Rules {
		result := jen.Return(jen.Id(contract.ConstName(name, r.Value)))
		if len(r.When) == 0 {
			otherwise = result
			continue
		}
		cond := jen.Null()
		for i, w := range r.When {
			if i > 0 {
				cond.Op("&&")
			}
			cond.Add(g.factCond(e.From, ids, w))
		}
		cases = append(cases, jen.Case(cond).Block(result))
	}
	g.file.Func().Id(fn).Params(params...).Id(name).Block(jen.Switch().Block(cases...), otherwise)
	g.file.Line()
}

func (g *gen) factType(f *contract.Fact) jen.Code {
	switch {
	case f.Bool:
		return jen.Bool()
	case f.Enum != nil:
		return g.enumRef(f.Enum)
	}
	return jen.String()
}

func (g *gen) factCond(m *contract.Mapping, ids map[string]string, w contract.OptionValue) jen.Code {
	for _, f := range m.Facts {
		if f.Name != w.Name {
			continue
		}
		id := jen.Id(ids[f.Name])
		switch {
		case f.Bool && w.Value == "true":
			return id
		case f.Bool:
			return jen.Op("!").Add(id)
		case f.Enum != nil:
			return id.Op("==").Add(g.qual(f.Enum.Package, contract.ConstName(contract.EnumType(f.Enum.Name), w.Value)))
		}
		return id.Op("==").Lit(w.Value)
	}
	g.fail("the mapping has no fact %s", w.Name)
	return jen.Null()
}

// enumRef is the Go type of an enum of any loaded package.
func (g *gen) enumRef(r *contract.EnumRef) *jen.Statement {
	return g.qual(r.Package, contract.EnumType(r.Name))
}

// factNames are the parameters of a mapping by fact: they hide neither each other nor what the body uses.
func (g *gen) factNames(facts []*contract.Fact) map[string]string {
	taken := map[string]bool{}
	for _, list := range [][]*contract.Package{g.m.Packages, g.m.External} {
		for _, p := range list {
			taken[p.Name] = true // may be an import
		}
	}
	out := map[string]string{}
	for _, f := range facts {
		n := paramName(f.Name)
		for token.IsKeyword(n) || types.Universe.Lookup(n) != nil || taken[n] {
			n += "_"
		}
		taken[n], out[f.Name] = true, n
	}
	return out
}

// paramName is a Go parameter for a wire name.
func paramName(wire string) string {
	n := contract.GoName(wire)
	i := 0
	for i < len(n) && n[i] >= 'A' && n[i] <= 'Z' {
		i++
	}
	if i > 1 && i < len(n) {
		i-- // an initialism followed by a word: the word keeps its capital
	}
	return strings.ToLower(n[:i]) + n[i:]
}
