package load

import (
	"fmt"
	"strings"

	"cuelang.org/go/cue"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

func (e *pkgEval) enums() {
	v := e.at(e.val, "enums")
	for _, name := range e.ordered(v, "enums") {
		before := len(e.findings)
		e.enum(name, v)
		e.note("enums."+name, before)
	}
}

func (e *pkgEval) enum(name string, v cue.Value) {
	base := []string{"enums", name}
	e.where.set(e.fieldPos(base...), strings.Join(base, "."))
	x := e.at(v, name)
	en := &contract.Enum{Name: name, Doc: e.fieldDoc(base), Package: e.out, Pos: e.fieldPos(base...)}
	e.out.Enums = append(e.out.Enums, en)
	of := e.failures(x, base)
	if of.Lost(strings.Join(base, ".")) {
		return
	}
	from := len(e.findings)
	values := e.at(x, "values")
	for _, w := range e.ordered(values, sub(base, "values")...) {
		path := sub(base, "values", w)
		word := &contract.Word{Word: w, Pos: e.fieldPos(path...)}
		if doc := e.at(values, w, "doc"); doc.Exists() {
			word.Doc = e.text(doc, sub(path, "doc"))
		} else {
			e.findings.Add(diag.Finding{Rule: "param-doc", Pos: word.Pos, Path: strings.Join(path, "."), Message: w + " has no doc", Fix: `add doc: "..."`})
		}
		en.Values = append(en.Values, word)
	}
	en.Retired = e.retired(e.at(x, "retired"), sub(base, "retired"))
	if from := e.at(x, "from"); from.Exists() {
		en.From = e.mapping(from, sub(base, "from"))
	}
	e.dropConsequences(from, of)
}

func (e *pkgEval) retired(v cue.Value, path []string) []*contract.Retired {
	var out []*contract.Retired
	for _, w := range e.ordered(v, path...) {
		p := sub(path, w)
		out = append(out, &contract.Retired{Word: w, Use: e.str(e.at(v, w, "use"), sub(p, "use")),
			Why: e.str(e.at(v, w, "why"), sub(p, "why")), Pos: e.fieldPos(p...)})
	}
	return out
}

func (e *pkgEval) mapping(v cue.Value, path []string) *contract.Mapping {
	m := &contract.Mapping{Pos: e.fieldPos(path...)}
	facts := e.at(v, "facts")
	fp := sub(path, "facts")
	for _, name := range e.ordered(facts, fp...) {
		p := sub(fp, name)
		f := &contract.Fact{Name: name, Doc: e.fieldDoc(p), Pos: e.fieldPos(p...)}
		x := e.at(facts, name)
		switch {
		case e.ofWrongEnum(p):
			e.wrong = append(e.wrong, path)
			return nil
		case x.IncompleteKind() == cue.BoolKind:
			f.Bool, f.Values = true, []string{"true", "false"}
		default:
			t := (&typer{e: e, path: p}).of(x)
			if t.Kind != contract.KindString || !t.IsEnum() {
				e.findings.Add(diag.Finding{Rule: "enum-from", Pos: f.Pos, Path: strings.Join(p, "."),
					Message: fmt.Sprintf("the fact %s is neither a boolean nor an enumeration", name), Fix: `write bool, "a" | "b", or enums.E.type`})
				continue
			}
			f.Values, f.Enum = t.Enum, t.EnumRef
		}
		m.Facts = append(m.Facts, f)
	}
	it, err := e.at(v, "rules").List()
	if err != nil {
		return m
	}
	for it.Next() {
		r := &contract.MappingRule{Pos: e.p.pos(it.Value().Pos())}
		if !e.p.inProject(it.Value().Pos()) {
			r.Pos = e.fieldPos(sub(path, "rules")...)
		}
		r.Value, _ = e.at(it.Value(), "value").String()
		when := e.at(it.Value(), "when")
		for _, f := range m.Facts {
			x := e.at(when, f.Name)
			if !x.Exists() || !x.IsConcrete() {
				continue
			}
			r.When = append(r.When, contract.OptionValue{Name: f.Name, Value: scalarText(x)})
		}
		m.Rules = append(m.Rules, r)
	}
	return m
}
