package load

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/errors"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// maxCombinations bounds the variants of one tool.
const maxCombinations = 256

func (e *pkgEval) tools() {
	v := e.at(e.val, "tools")
	declared := e.conditionals()
	for _, name := range e.ordered(v, "tools") {
		from := len(e.findings)
		e.out.Tools = append(e.out.Tools, e.tool(name, e.at(v, name), declared[name]))
		e.note("tools."+name, from)
	}
}

// tool evaluates one tool under every choice of its finite options. declared is what it declares under conditions.
func (e *pkgEval) tool(name string, v cue.Value, declared []*conditional) *contract.Tool {
	base := []string{"tools", name}
	e.where.set(e.fieldPos(base...), strings.Join(base, "."))
	t := &contract.Tool{Name: name, Doc: e.fieldDoc(base), Package: e.out, Pos: e.fieldPos(base...)}
	t.Wire = e.unnamed(e.at(v, "wire"), sub(base, "wire"), "the mounted name")
	if e.at(v, "wire").Exists() && t.Wire == "" {
		e.findings.Add(diag.Finding{Rule: "name-invalid", Pos: e.fieldPos(sub(base, "wire")...), Path: strings.Join(sub(base, "wire"), "."),
			Message: "the mounted name is empty", Fix: "give it a name, or remove wire to mount the tool under its label"})
	}
	t.Title = e.unnamed(e.at(v, "title"), sub(base, "title"), "the title")
	var ok bool
	if t.Options, ok = e.options(v, base); !ok {
		e.wrong = append(e.wrong, base)
		return t // of which no more than the name is known
	}
	finite := t.Finite()
	total := 1
	for _, o := range finite {
		total *= len(o.Values)
		if total > maxCombinations {
			e.findings.Add(diag.Finding{Rule: "option-combinations", Pos: e.fieldPos(sub(base, "options")...), Path: strings.Join(base, "."),
				Message: fmt.Sprintf("the finite options have more than %d combinations", maxCombinations),
				Fix:     "make fewer of them finite, or split the tool"})
			return t
		}
	}
	seen := map[string]int{}
	messages := map[string]*contract.Message{}
	shown := map[int]bool{}
	faults := newVariantFindings()
	for i := range total {
		choice := t.Choice(i)
		x := v
		if i > 0 {
			x = v.Unify(e.selection(finite, choice))
		}
		combo := &contract.Combination{Select: choice, Variant: -1}
		t.Combinations = append(t.Combinations, combo)
		if why, rejected := e.rejected(x); rejected {
			combo.Rejected = why
			if i == 0 {
				e.findings.Add(diag.Finding{Rule: "combination-rejected", Pos: e.fieldPos(sub(base, "options")...), Path: strings.Join(base, "."),
					Message: "the combination of all defaults is rejected: " + why, Fix: "give the options defaults that go together"})
				return t // CUE does not get over it
			}
			continue
		}
		before := len(e.findings)
		variant := e.variant(t, x, base, messages, shown)
		found := slices.Clone(e.findings[before:])
		e.findings = e.findings[:before]
		faults.add(found, optionText(finite, choice))
		if variant == nil {
			continue
		}
		e.see(x, declared)
		key := variantKey(variant)
		at, known := seen[key]
		if !known {
			at = len(t.Variants)
			seen[key] = at
			for k, o := range finite {
				variant.Options = append(variant.Options, contract.OptionValue{Name: o.Name, Value: choice[k]})
			}
			t.Variants = append(t.Variants, variant)
		}
		combo.Variant = at
	}
	from := len(e.findings)
	e.findings = append(e.findings, faults.merged()...)
	wrong := e.faults(from)
	whole := len(faults.order) == 0 && !e.failed[strings.Join(base, ".")] && !e.touched(base)
	if whole {
		e.unshown(v, base, shown)
		e.openRead(t, v, base)
	}
	for _, r := range e.ix.table(sub(base, "results")...).arrange(keys(messages)) {
		t.Results = append(t.Results, messages[r])
	}
	t.Retired = e.retiredNames(v, base)
	e.args(t, base, wrong)
	if whole {
		e.unreachable(name, declared) // a variant that was not read says nothing of what it would have used
	}
	return t
}

// variantFindings merges the findings of a tool's variants: a fault that all of them have is said once, without naming
// one.
type variantFindings struct {
	order    diag.Findings
	in       map[string][]string // by finding: the variants that have it
	variants int
}

func newVariantFindings() *variantFindings { return &variantFindings{in: map[string][]string{}} }

func (v *variantFindings) add(found diag.Findings, variant string) {
	v.variants++
	for _, f := range found {
		key := f.Rule + "\x00" + f.Pos.String() + "\x00" + f.Path + "\x00" + f.Message
		if v.in[key] == nil {
			v.order.Add(f)
		}
		if !slices.Contains(v.in[key], variant) {
			v.in[key] = append(v.in[key], variant)
		}
	}
}

func (v *variantFindings) merged() diag.Findings {
	for i := range v.order {
		f := &v.order[i]
		in := v.in[f.Rule+"\x00"+f.Pos.String()+"\x00"+f.Path+"\x00"+f.Message]
		if len(in) == v.variants {
			continue
		}
		f.Message += " (in the variant " + in[0]
		if len(in) > 1 {
			f.Message += fmt.Sprintf(" and %d more", len(in)-1)
		}
		f.Message += ")"
	}
	return v.order
}

// optionText names a choice for people.
func optionText(finite []*contract.Option, choice []string) string {
	parts := make([]string, len(finite))
	for k, o := range finite {
		parts[k] = o.Name + "=" + choice[k]
	}
	return strings.Join(parts, ", ")
}

// openRead refuses what depends on an open option, however it reads it: with the option's default taken away, everything
// must still be there and say the same.
func (e *pkgEval) openRead(t *contract.Tool, v cue.Value, base []string) {
	if t.Default() == nil {
		return
	}
	want := *t.Default()
	want.Options = nil
	for _, o := range t.Options {
		if o.Kind != contract.OptionOpen || len(o.Default) == 0 || o.Default[0] == '{' || o.Default[0] == '[' {
			continue
		}
		path := strings.Join(sub(base, "options", o.Name), ".")
		if slices.ContainsFunc(e.findings, func(f diag.Finding) bool { return f.Rule == "open-option" && f.Path == path }) {
			continue // said where it is read
		}
		before := len(e.findings)
		other := v.Unify(e.ctx.CompileString(fmt.Sprintf("options: %s: !=%s", o.Name, o.Default)))
		got := e.variant(t, other, base, map[string]*contract.Message{}, map[int]bool{})
		same := len(e.findings) == before && variantKey(got) == variantKey(&want)
		e.findings = e.findings[:before]
		if !same {
			e.findings.Add(diag.Finding{Rule: "open-option", Pos: o.Pos, Path: path,
				Message: fmt.Sprintf("what the tool says depends on the open option %s; it is a setting of the runtime, which the catalog cannot show", o.Name),
				Fix:     "make the option an enumeration or a boolean, or do not read it"})
		}
	}
}

// selection is the value that chooses one combination.
func (e *pkgEval) selection(finite []*contract.Option, choice []string) cue.Value {
	opts := map[string]any{}
	for k, o := range finite {
		if o.Kind == contract.OptionBool {
			opts[o.Name] = choice[k] == "true"
		} else {
			opts[o.Name] = choice[k]
		}
	}
	return e.ctx.Encode(map[string]any{"options": opts})
}

// variantKey is equal for variants that are equal in everything but the options that select them.
func variantKey(v *contract.Variant) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%p", v) // cannot be encoded: keep it apart, the renderer reports it
	}
	return string(b)
}

// rejected reports whether a combination is refused by error("why"), and the reason.
func (e *pkgEval) rejected(v cue.Value) (string, bool) {
	for _, ce := range errors.Errors(v.Err()) {
		if e.rejects[ce.Position()] {
			if why := cueMessage(ce); why != "" {
				return why, true
			}
			return "the spec gives no reason", true
		}
	}
	return "", false
}

// options reads the options of a tool.
func (e *pkgEval) options(v cue.Value, base []string) ([]*contract.Option, bool) {
	path := sub(base, "options")
	opts := e.at(v, "options")
	ok := true
	var out []*contract.Option
	for _, name := range e.ordered(opts, path...) {
		p := sub(path, name)
		o, err := e.option(name, e.at(opts, name), p)
		if err != nil {
			err.Pos, err.Path = e.fieldPos(p...), strings.Join(p, ".")
			e.findings.Add(*err)
			ok = false
			continue
		}
		out = append(out, o)
	}
	return out, ok
}

// optionSample shows how an option of the kind of a value is written; a boolean that has a value keeps it as its default.
func optionSample(v cue.Value) string {
	if v.IncompleteKind() != cue.BoolKind {
		return `*"one-shot" | "continuable"`
	}
	if on, err := v.Bool(); err == nil && on {
		return "*true | false"
	}
	return "*false | true"
}

func (e *pkgEval) option(name string, v cue.Value, path []string) (*contract.Option, *diag.Finding) {
	o := &contract.Option{Name: name, Doc: e.fieldDoc(path), Pos: e.fieldPos(path...)}
	if !identifier(name) {
		return nil, &diag.Finding{Rule: "option-kind", Message: fmt.Sprintf("%q is no name for an option", name), Fix: "use letters, digits and underscores"}
	}
	def, has := v.Default()
	if !has || !def.IsConcrete() {
		if v.IsConcrete() && v.Err() == nil {
			return nil, &diag.Finding{Rule: "option-kind", Message: "the option has one value only, so there is nothing to choose",
				Fix: "write a disjunction with a default, such as " + optionSample(v) + ", or use `let` for a constant"}
		}
		return nil, &diag.Finding{Rule: "option-default", Message: "the option has no default", Fix: "mark one with *, such as " + optionSample(v)}
	}
	var err error
	if o.Default, err = def.MarshalJSON(); err != nil {
		return nil, &diag.Finding{Rule: "option-default", Message: "the option's default is not concrete", Fix: "give it a concrete default"}
	}
	values := constants(v)
	switch {
	case values != nil && v.IncompleteKind() == cue.BoolKind:
		o.Kind = contract.OptionBool
	case values != nil && v.IncompleteKind() == cue.StringKind:
		o.Kind = contract.OptionEnum
	default:
		o.Kind = contract.OptionOpen
		t := &typer{e: e, path: path, defaulted: true}
		if o.Type = t.of(v); t.failed {
			return nil, &diag.Finding{Rule: "option-kind", Message: "the option's type cannot be a setting", Fix: "use a boolean, an enumeration, a string, a number or a list of them"}
		}
		if !setting(o) {
			return nil, &diag.Finding{Rule: "option-kind", Message: "an open option is a string, a boolean, a 64-bit integer or a number, and so is its default",
				Fix: "use such a type; for a choice among words write an enumeration of strings"}
		}
		return o, nil
	}
	var first string
	for _, c := range values {
		s := scalarText(c)
		if marked([]string{s}) != "" {
			return nil, &diag.Finding{Rule: "text-computed", Message: "a value of the option is a reference: " + unmark(s), Fix: "write the word as it is"}
		}
		if s == "" {
			return nil, &diag.Finding{Rule: "option-kind", Message: "a finite option may not have the empty string as a value", Fix: "name the choice"}
		}
		if c.Equals(def) {
			first = s
		}
		o.Values = append(o.Values, s)
	}
	o.Values = append([]string{first}, slices.DeleteFunc(o.Values, func(s string) bool { return s == first })...)
	return o, nil
}

// setting reports whether Go can have an open option as a field with its default as a literal.
func setting(o *contract.Option) bool {
	if o.Type.Nullable || o.Type.IsEnum() || o.Type.Format != "" {
		return false
	}
	var err error
	switch o.Type.Kind {
	case contract.KindInt:
		_, err = strconv.ParseInt(string(o.Default), 10, 64)
	case contract.KindNumber:
		_, err = strconv.ParseFloat(string(o.Default), 64)
	case contract.KindString, contract.KindBool:
	default:
		return false
	}
	return err == nil
}

// variant extracts the contract of one combination. results collects the messages over all variants.
func (e *pkgEval) variant(t *contract.Tool, v cue.Value, base []string, results map[string]*contract.Message, shown map[int]bool) *contract.Variant {
	out := &contract.Variant{}
	if e.isWrong(base) {
		return nil
	}
	e.current = v
	of := e.failures(v, base)
	if of.Lost(strings.Join(base, ".")) {
		return nil
	}
	defer e.dropConsequences(len(e.findings), of)
	out.Concurrency = e.str(e.at(v, "concurrency"), sub(base, "concurrency"))
	p := sub(base, "params")
	params := e.at(v, "params")
	for _, name := range e.ordered(params, p...) {
		out.Params = append(out.Params, e.param(name, e.at(params, name), sub(p, name)))
	}
	e.description(out, v, base)
	fixed := e.at(v, "fixed")
	for _, name := range e.ordered(fixed, sub(base, "fixed")...) {
		path := sub(base, "fixed", name)
		if raw, ok := e.json(e.at(fixed, name), path, "fixed-type", "the fixed value"); ok {
			out.Fixed = append(out.Fixed, &contract.Fixed{Name: name, Value: raw, Pos: e.fieldPos(path...)})
		}
	}
	out.Needs = e.needs(v, base)
	e.sections(out, v, base, t)
	for _, name := range e.ordered(e.at(v, "results"), sub(base, "results")...) {
		path := sub(base, "results", name)
		m := e.message(name, e.at(v, "results", name), path)
		out.Results = append(out.Results, name)
		if old := results[name]; old == nil {
			results[name] = m
		} else if !sameJSON(old, m) {
			e.findings.Add(diag.Finding{Rule: "result-varies", Pos: e.fieldPos(path...), Path: strings.Join(path, "."),
				Message: "the result has other fields or another text in one variant than in another",
				Fix:     "declare two results, each under its own condition"})
		}
	}
	e.examples(out, v, base, shown)
	out.Hints = e.hints(e.at(v, "hints"))
	out.Limits = e.limits(e.at(v, "limits"))
	return out
}

func (e *pkgEval) description(out *contract.Variant, v cue.Value, base []string) {
	d, c := e.at(v, "description"), e.at(v, "clauses")
	if d.Exists() && c.Exists() {
		e.findings.Add(diag.Finding{Rule: "text-missing", Pos: e.fieldPos(sub(base, "description")...), Path: strings.Join(base, "."),
			Message: "the tool has both a description and clauses", Fix: "keep one of them",
			Related: []diag.Related{{Pos: e.fieldPos(sub(base, "clauses")...), Message: "the clauses"}}})
		return
	}
	if d.Exists() {
		out.Clauses = append(out.Clauses, &contract.Clause{Text: e.text(d, sub(base, "description")), Pos: e.fieldPos(sub(base, "description")...)})
		return
	}
	for _, id := range e.ordered(c, sub(base, "clauses")...) {
		path := sub(base, "clauses", id)
		out.Clauses = append(out.Clauses, &contract.Clause{ID: id, Text: e.text(e.at(c, id), path), Pos: e.fieldPos(path...)})
	}
}

func (e *pkgEval) needs(v cue.Value, base []string) []string {
	n := e.at(v, "needs")
	if !n.Exists() || e.p.plain { // without markers a need cannot be told from any other word
		return nil
	}
	it, err := n.List()
	if err != nil {
		return nil
	}
	var out []string
	for it.Next() {
		path := sub(base, "needs")
		text := e.text(it.Value(), path)
		if text == nil {
			continue
		}
		if len(text) != 1 || text[0].Tool == "" || text[0].Param != "" {
			e.findings.Add(diag.Finding{Rule: "needs-unknown", Pos: e.valuePos(path...), Path: strings.Join(path, "."),
				Message: fmt.Sprintf("%q is not a reference to a tool", text.Render(nil)), Fix: "write tools.T.name"})
			continue
		}
		out = append(out, text[0].Tool)
	}
	return out
}

// args derives the parameters over all variants, for the one Go type that the variants share.
func (e *pkgEval) args(t *contract.Tool, base []string, wrong *contract.Faults) {
	byName := map[string]*contract.Arg{}
	var names []string
	for _, v := range t.Variants {
		for _, p := range v.Params {
			if byName[p.Name] == nil {
				names = append(names, p.Name)
				byName[p.Name] = &contract.Arg{Name: p.Name, Type: p.Type, Pos: p.Pos}
			} else if a := byName[p.Name]; !contract.SameGo(a.Type, p.Type) && !wrong.Touch(strings.Join(sub(base, "params", p.Name), ".")) {
				e.findings.Add(diag.Finding{Rule: "type-varies", Pos: p.Pos, Path: strings.Join(sub(base, "params", p.Name), "."),
					Message: "the parameter has another Go type in one variant than in another: only bounds, subsets of an enum, optionality and the default may differ",
					Fix:     "declare two parameters, each under its own condition"})
			}
		}
	}
	for _, name := range e.ix.table(sub(base, "params")...).arrange(names) {
		a := byName[name]
		for _, v := range t.Variants {
			if p := v.Param(name); p != nil {
				a.Opt = a.Opt || p.Default == nil && p.Optional
			} else if v.FixedValue(name) == nil {
				a.Opt = true
			}
		}
		t.Args = append(t.Args, a)
	}
}

func (e *pkgEval) retiredNames(v cue.Value, base []string) *contract.RetiredNames {
	r := e.at(v, "retired")
	if !r.Exists() {
		return nil
	}
	out := &contract.RetiredNames{Params: e.retired(e.at(r, "params"), sub(base, "retired", "params"))}
	if it, err := e.at(r, "names").List(); err == nil {
		for it.Next() {
			out.Names = append(out.Names, e.str(it.Value(), sub(base, "retired", "names")))
		}
	}
	return out
}

func sub(base []string, more ...string) []string {
	return append(slices.Clip(slices.Clone(base)), more...)
}

func keys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
