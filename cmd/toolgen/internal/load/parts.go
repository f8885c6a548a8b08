package load

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// text reads a text of the spec as segments.
func (e *pkgEval) text(v cue.Value, path []string) contract.Text {
	if len(e.badRefs) > 0 && e.saidAlready(path) {
		e.wrong = append(e.wrong, path)
		return nil
	}
	s, err := v.String()
	if err != nil {
		before := len(e.findings)
		e.cueFindings(v, v.Err(), path, func([]string) bool { return true })
		if v.Err() == nil {
			e.findings.Add(diag.Finding{Rule: "text-reference", Pos: e.valuePos(path...), Path: strings.Join(path, "."),
				Message: "the text is not a string", Fix: "write a string, with \\(...) for what it refers to"})
		}
		dotted := strings.Join(path, ".")
		if !slices.ContainsFunc(e.findings[before:], func(f diag.Finding) bool { return f.Path == dotted }) {
			e.wrong = append(e.wrong, path) // for a reason that is said elsewhere
		}
		return nil
	}
	places := e.places(v, s)
	var pos diag.Position
	if places == nil {
		pos = e.textPos(v, path)
	}
	t, err := segments(s, pos, places)
	if err != nil {
		e.findings.Add(diag.Finding{Rule: "text-marker", Pos: e.textPos(v, path), Path: strings.Join(path, "."), Message: err.Error(),
			Fix: "show a name as it is, \\(tools.T.name), and compute with nothing that holds one"})
	}
	return t
}

// str reads an optional plain string.
func (e *pkgEval) str(v cue.Value, path []string) string {
	if !v.Exists() {
		return ""
	}
	return e.text(v, path).Render(nil)
}

// unnamed reads an optional string that no reference may be in, since it does not follow a renaming.
func (e *pkgEval) unnamed(v cue.Value, path []string, what string) string {
	if !v.Exists() {
		return ""
	}
	t := e.text(v, path)
	if len(t.Refs()) > 0 {
		e.findings.Add(diag.Finding{Rule: "text-reference", Pos: e.valuePos(path...), Path: strings.Join(path, "."),
			Message: what + " refers to something, and would not follow when that is renamed", Fix: "write it without references"})
	}
	return t.Render(nil)
}

// plain reads an optional string that must not refer to a tool.
func (e *pkgEval) plain(v cue.Value, path []string, what string) contract.Text {
	if !v.Exists() {
		return nil
	}
	t := e.text(v, path)
	for _, r := range t.Refs() {
		if r.Tool != "" {
			e.findings.Add(diag.Finding{Rule: "result-tool", Pos: e.valuePos(path...), Path: strings.Join(path, "."),
				Message: what + " names the tool " + r.Tool + ", which a deployment may rename or hide",
				Fix:     "say it in a clause of the description, which is left out with the tool"})
		}
	}
	return t
}

// json reads a concrete value as compact JSON.
func (e *pkgEval) json(v cue.Value, path []string, rule, what string) (json.RawMessage, bool) {
	raw, err := v.MarshalJSON()
	if e.saidAlready(path) || e.typeSaid(path) {
		return nil, false
	}
	if err == nil && strings.ContainsAny(string(raw), markOpen+markClose) {
		e.findings.Add(diag.Finding{Rule: "text-computed", Pos: e.valuePos(path...), Path: strings.Join(path, "."),
			Message: what + " holds a name or word by reference: " + unmark(string(raw)), Fix: "write it as it is; only texts follow a renaming"})
		return nil, false
	}
	if err != nil {
		e.findings.Add(diag.Finding{Rule: rule, Pos: e.valuePos(path...), Path: strings.Join(path, "."),
			Message: what + " is not concrete", Fix: "write a value, not a type"})
		return nil, false
	}
	return raw, true
}

// param reads a parameter, a field of a message, or a property of one of those.
func (e *pkgEval) param(name string, v cue.Value, path []string) *contract.Param {
	d := e.at(v, "default")
	p := &contract.Param{Name: name, Pos: e.fieldPos(path...), DefaultPos: e.textPos(d, sub(path, "default"))}
	dotted := strings.Join(path, ".")
	if doc := e.at(v, "doc"); doc.Exists() {
		p.Doc = e.text(doc, sub(path, "doc"))
	} else {
		e.findings.Add(diag.Finding{Rule: "param-doc", Pos: p.Pos, Path: dotted, Message: name + " has no doc", Fix: `add doc: "..."`})
	}
	p.Optional, _ = e.at(v, "optional").Bool()
	p.Secret, _ = e.at(v, "secret").Bool()
	p.Wrap, _ = e.at(v, "wrap").Bool()
	p.Unwrap, _ = e.at(v, "unwrap").Bool()
	if it, err := e.at(v, "aliases").List(); err == nil {
		for it.Next() {
			p.Aliases = append(p.Aliases, e.str(it.Value(), sub(path, "aliases")))
		}
	}
	p.Type = e.paramType(v, path)
	if d.Exists() {
		p.Default, _ = e.json(d, sub(path, "default"), "default-not-concrete", "the default")
	}
	return p
}

// paramType reads what a parameter may be, from type, fields or items.
func (e *pkgEval) paramType(v cue.Value, path []string) *contract.Type {
	typ, fields, items := e.at(v, "type"), e.at(v, "fields"), e.at(v, "items")
	given := 0
	for _, x := range []cue.Value{typ, fields, items} {
		if x.Exists() {
			given++
		}
	}
	if given != 1 {
		msg := "the parameter has no type"
		if given > 1 {
			msg = "the parameter has more than one of type, fields and items"
		}
		e.findings.Add(diag.Finding{Rule: "type-missing", Pos: e.fieldPos(path...), Path: strings.Join(path, "."), Message: msg,
			Fix: "give it exactly one: a CUE constraint as type, or fields for an object, or items for a list"})
		return &contract.Type{Kind: contract.KindAny}
	}
	switch {
	case fields.Exists():
		t := &contract.Type{Kind: contract.KindObject}
		p := sub(path, "fields")
		for _, name := range e.ordered(fields, p...) {
			t.Fields = append(t.Fields, e.param(name, e.at(fields, name), sub(p, name)))
		}
		return t
	case items.Exists():
		p := sub(path, "items")
		elem := e.param("item", items, p)
		elem.Type.Doc = elem.Doc
		return &contract.Type{Kind: contract.KindArray, Elem: elem.Type}
	}
	t := &typer{e: e, path: sub(path, "type")}
	return t.of(typ)
}

// message reads a result variant or a notice.
func (e *pkgEval) message(name string, v cue.Value, path []string) *contract.Message {
	m := &contract.Message{Name: name, Doc: e.fieldDoc(path), Pos: e.fieldPos(path...), RenderPos: e.valuePos(sub(path, "render")...)}
	fields := e.at(v, "fields")
	for _, f := range e.ordered(fields, sub(path, "fields")...) {
		m.Fields = append(m.Fields, e.param(f, e.at(fields, f), sub(path, "fields", f)))
	}
	m.List, _ = e.at(v, "list").Bool()
	m.RenderText = e.plain(e.at(v, "render"), sub(path, "render"), "the text")
	m.EmptyText = e.plain(e.at(v, "empty"), sub(path, "empty"), "the text")
	m.Render, m.Empty = m.RenderText.Render(nil), m.EmptyText.Render(nil)
	if m.Render == "" {
		e.findings.Add(diag.Finding{Rule: "text-missing", Pos: m.Pos, Path: strings.Join(path, "."), Message: "there is no text to render", Fix: `add render: "..."`})
	}
	return m
}

func (e *pkgEval) notices() {
	v := e.at(e.val, "notices")
	if !v.Exists() {
		return
	}
	for _, name := range e.ordered(v, "notices") {
		path := []string{"notices", name}
		before := len(e.findings)
		of, from := e.failures(e.at(v, name), path), len(e.findings)
		m := &contract.Message{Name: name, Pos: e.fieldPos(path...)}
		if !of.Lost(strings.Join(path, ".")) {
			m = e.message(name, e.at(v, name), path)
		}
		e.out.Notices = append(e.out.Notices, m)
		e.dropConsequences(from, of)
		e.note("notices."+name, before)
	}
}

// sections reads a variant's sections, prompt files included.
func (e *pkgEval) sections(out *contract.Variant, v cue.Value, base []string, t *contract.Tool) {
	s := e.at(v, "sections")
	for _, label := range e.ordered(s, sub(base, "sections")...) {
		path := sub(base, "sections", label)
		sec := &contract.Section{Label: label, Pos: e.fieldPos(path...)}
		text, file := e.at(s, label, "text"), e.at(s, label, "file")
		if text.Exists() == file.Exists() {
			msg := "the section has no text"
			if text.Exists() {
				msg = "the section has both a text and a file"
			}
			e.findings.Add(diag.Finding{Rule: "section-text", Pos: sec.Pos, Path: strings.Join(path, "."), Message: msg,
				Fix: `give it one of text: "..." and file: "<package>/<name>.md"`})
			continue
		}
		if raw, ok := e.json(e.at(s, label, "order"), sub(path, "order"), "section-text", "the order"); ok {
			sec.Order = json.Number(raw)
		}
		if file.Exists() {
			sec.File = e.str(file, sub(path, "file"))
			if !e.external {
				sec.Text = e.prompt(sec.File, sub(path, "file"), t, out)
			}
		} else {
			sec.Text = e.text(text, sub(path, "text"))
		}
		out.Sections = append(out.Sections, sec)
	}
}

// prompt reads a section's file in one variant of its tool.
func (e *pkgEval) prompt(name string, path []string, t *contract.Tool, v *contract.Variant) contract.Text {
	file, src, err := e.readPrompt(name)
	if errors.Is(err, errSaid) {
		e.wrong = append(e.wrong, path[:4])
		return nil
	}
	if err != nil {
		f := diag.Finding{Rule: "section-file", Pos: e.valuePos(path...), Path: strings.Join(path, "."), Message: err.Error(),
			Fix: "create " + file + ", or correct the name; it is relative to " + PromptDir + "/"}
		if near, ok := e.nearPrompt(name); ok {
			f.Fix = fmt.Sprintf("did you mean %q?", near)
		}
		e.findings.Add(f)
		return nil
	}
	parts, findings := parsePrompt(file, src)
	if len(findings) > 0 {
		e.wrong = append(e.wrong, path[:4])
	}
	e.findings = append(e.findings, findings...)
	var out contract.Text
	for _, p := range parts {
		if p.ref == nil {
			out = append(out, contract.Segment{Lit: p.lit, Pos: p.pos, Places: p.places})
			continue
		}
		seg, problem := e.promptRef(p, t, v)
		if problem != nil {
			problem.Pos = p.pos
			e.wrong = append(e.wrong, path)
			e.findings.Add(*problem)
			continue
		}
		out = append(out, seg)
	}
	return out
}

func (e *pkgEval) promptRef(p promptPart, t *contract.Tool, v *contract.Variant) (contract.Segment, *diag.Finding) {
	first := p.ref[0]
	switch {
	case len(p.ref) == 3:
		if first != t.Name {
			return contract.Segment{}, &diag.Finding{Rule: "text-default", Message: "the default of another tool's parameter depends on options that are not known here",
				Fix: "name the parameter without its default"}
		}
		param := v.Param(p.ref[1])
		if param == nil {
			return contract.Segment{Tool: first, Param: p.ref[1], Pos: p.pos}, nil // the model's check says what is wrong
		}
		s, ok := scalarJSON(param.Default)
		if !ok {
			return contract.Segment{}, &diag.Finding{Rule: "text-default", Message: fmt.Sprintf("%s.%s has no default that can be shown", first, p.ref[1]),
				Fix: "give the parameter a scalar default, or do not show it"}
		}
		return contract.Segment{Lit: s, Pos: p.pos}, nil
	case e.symbols.tools[first] && len(p.ref) == 2:
		return contract.Segment{Tool: first, Param: p.ref[1], Pos: p.pos}, nil
	case e.symbols.tools[first]:
		return contract.Segment{Tool: first, Pos: p.pos}, nil
	case e.symbols.enums[first] && len(p.ref) == 2:
		return contract.Segment{Enum: first, Word: p.ref[1], Pos: p.pos}, nil
	}
	f := &diag.Finding{Rule: "ref-unknown", Message: fmt.Sprintf("{{%s}} names no tool and no enum", strings.Join(p.ref, "."))}
	if near, ok := diag.Nearest(first, append(keys(e.symbols.tools), keys(e.symbols.enums)...)); ok {
		f.Fix = "did you mean " + near + "?"
	}
	return contract.Segment{}, f
}

// scalarJSON shows a JSON scalar as a text does.
func scalarJSON(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] == '{' || raw[0] == '[' {
		return "", false
	}
	if raw[0] == '"' {
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err == nil
	}
	return string(raw), true
}

// examples reads the examples that show this variant. shown collects, by their position in the list, those that some
// variant shows.
func (e *pkgEval) examples(out *contract.Variant, v cue.Value, base []string, shown map[int]bool) {
	it, err := e.at(v, "examples").List()
	if err != nil {
		return
	}
	for i := 0; it.Next(); i++ {
		path := sub(base, "examples")
		if want := e.at(it.Value(), "options"); want.Exists() && !e.selects(want, e.at(v, "options")) {
			continue
		} else if !want.Exists() && !isDefault(e.at(v, "options"), e.at(e.at(e.val, "tools", base[1]), "options")) {
			continue
		}
		shown[i] = true
		if raw, ok := e.json(e.at(it.Value(), "args"), path, "example-invalid", "the example's args"); ok {
			out.Examples = append(out.Examples, &contract.Example{Title: e.str(e.at(it.Value(), "title"), path), Args: raw, Pos: e.examplePos(base, i)})
		}
	}
}

// examplePos is where an example of the list is written.
func (e *pkgEval) examplePos(base []string, i int) diag.Position {
	path := sub(base, "examples")
	for _, f := range e.ix.fields(path...) {
		if list, ok := f.Value.(*ast.ListLit); ok && i < len(list.Elts) && e.p.inProject(list.Elts[i].Pos()) {
			return e.p.pos(list.Elts[i].Pos())
		}
	}
	return e.fieldPos(path...)
}

// unshown reports the examples that no variant shows: they name options or values that the tool does not have, or a
// combination that is rejected.
func (e *pkgEval) unshown(v cue.Value, base []string, shown map[int]bool) {
	it, err := e.at(v, "examples").List()
	if err != nil {
		return
	}
	for i := 0; it.Next(); i++ {
		if !shown[i] {
			e.findings.Add(diag.Finding{Rule: "example-invalid", Pos: e.examplePos(base, i), Path: strings.Join(sub(base, "examples"), "."),
				Message: "no variant of the tool has the options that the example names", Fix: "name declared options and values of them that go together, or leave the options out for the defaults"})
		}
	}
}

// selects reports whether an example's options agree with a variant's.
func (e *pkgEval) selects(want, have cue.Value) bool {
	names, _ := e.labels(want)
	for _, name := range names {
		if !e.at(want, name).Equals(concrete(e.at(have, name))) {
			return false
		}
	}
	return true
}

func concrete(v cue.Value) cue.Value {
	if d, ok := v.Default(); ok {
		return d
	}
	return v
}

// isDefault reports whether a variant is that of all defaults. Only finite options tell variants apart.
func isDefault(have, base cue.Value) bool {
	it, err := have.Fields()
	if err != nil {
		return true
	}
	for it.Next() {
		b := base.LookupPath(cue.MakePath(it.Selector()))
		if constants(b) != nil && !concrete(it.Value()).Equals(concrete(b)) {
			return false
		}
	}
	return true
}

func (e *pkgEval) hints(v cue.Value) *contract.Hints {
	if !v.Exists() {
		return nil
	}
	flag := func(name string) *bool {
		b, err := e.at(v, name).Bool()
		if err != nil {
			return nil
		}
		return &b
	}
	return &contract.Hints{ReadOnly: flag("readOnly"), Destructive: flag("destructive"), Idempotent: flag("idempotent"), OpenWorld: flag("openWorld")}
}

func (e *pkgEval) limits(v cue.Value) *contract.Limits {
	if !v.Exists() {
		return nil
	}
	number := func(name string) int64 {
		n, err := e.at(v, name).Int64()
		if err != nil {
			return 0
		}
		return n
	}
	timeout, _ := e.at(v, "timeout").String()
	return &contract.Limits{ArgumentBytes: number("argumentBytes"), ResultBytes: number("resultBytes"), Timeout: timeout}
}

func sameJSON(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// nearPrompt finds the prompt file that a name was meant to be: with the folder, without the ending, in another case, or
// misspelt.
func (e *pkgEval) nearPrompt(name string) (string, bool) {
	var all []string
	for _, f := range e.p.Inputs {
		if p, ok := strings.CutPrefix(f, PromptDir+"/"); ok {
			all = append(all, p)
		}
	}
	for _, form := range []string{strings.TrimPrefix(name, PromptDir+"/"), name + ".md"} {
		if i := slices.IndexFunc(all, func(p string) bool { return strings.EqualFold(p, form) }); i >= 0 {
			return all[i], true
		}
	}
	return diag.Nearest(name, all)
}
