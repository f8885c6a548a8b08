package load

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// position turns a CUE position into one of the project; file is used where the position names none.
func position(p token.Pos, file string) diag.Position {
	if !p.IsValid() {
		return diag.Position{File: file}
	}
	return diag.Position{File: file, Line: p.Line(), Column: p.Column()}
}

// rel makes an absolute file name relative to the project's root.
func (p *Project) rel(file string) string {
	if r, err := filepath.Rel(p.Root, file); err == nil && filepath.IsLocal(r) {
		return filepath.ToSlash(r)
	}
	return filepath.ToSlash(file)
}

func (p *Project) pos(t token.Pos) diag.Position {
	if !t.IsValid() {
		return diag.Position{}
	}
	return position(t, p.rel(t.Filename()))
}

// inProject reports whether a position is in a file that the user can edit; toolspec and the shipped contracts of an
// overlay are not.
func (p *Project) inProject(t token.Pos) bool {
	if !t.IsValid() {
		return false
	}
	f := p.rel(t.Filename())
	return slices.Contains(p.Inputs, f) && !p.isLanguage(filepath.ToSlash(filepath.Dir(f)))
}

// fieldPos returns the position of the field at a path, or of the nearest enclosing field that the syntax shows.
func (e *pkgEval) fieldPos(path ...string) diag.Position {
	for n := len(path); n > 0; n-- {
		for _, f := range e.ix.fields(path[:n]...) {
			if e.p.inProject(f.Pos()) {
				return e.p.pos(f.Pos())
			}
		}
	}
	if len(e.ix.files) > 0 {
		return diag.Position{File: e.p.rel(e.ix.files[0].Filename)}
	}
	return diag.Position{File: e.out.Dir}
}

// valuePos is fieldPos for the value of the field: where a text or a default is written.
func (e *pkgEval) valuePos(path ...string) diag.Position {
	for _, f := range e.ix.fields(path...) {
		if e.p.inProject(f.Pos()) {
			return e.p.pos(f.Value.Pos())
		}
	}
	return e.fieldPos(path...)
}

// textPos is valuePos for the declaration that the text of a field comes from, where that is told by its value.
func (e *pkgEval) textPos(v cue.Value, path []string) diag.Position {
	if n := v.Source(); n != nil {
		for _, f := range e.ix.fields(path...) {
			if e.p.inProject(f.Pos()) && within(n.Pos(), f.Value) {
				return e.p.pos(f.Value.Pos())
			}
		}
	}
	return e.valuePos(path...)
}

// within reports whether a position is inside of a node.
func within(t token.Pos, n ast.Node) bool {
	from := n.Pos()
	return t.IsValid() && t.Filename() == from.Filename() && t.Offset() >= from.Offset() && t.Offset() < n.End().Offset()
}

// validate reports what is wrong with a value, and whether CUE fails in it. Beside conflicts it looks for fields that the
// language requires; those inside a `type` are the constraint's own business.
func (e *pkgEval) validate(v cue.Value, path []string) (failed bool) {
	before := len(e.findings)
	if err := v.Validate(); err != nil {
		e.cueFindings(v, err, path, func([]string) bool { return true })
		return true
	}
	if err := v.Validate(cue.Final()); err != nil {
		e.cueFindings(v, err, path, func(p []string) bool { return len(p) < len(path) || !slices.Contains(p[len(path):], "type") })
	}
	return len(e.findings) > before
}

// cueFindings translates CUE's errors below a path: each stands at the syntax of its own path, with the user's other
// positions as related ones. The message is CUE's own; nothing is read from it. counts says which paths matter.
func (e *pkgEval) cueFindings(v cue.Value, err error, path []string, counts func(path []string) bool) {
	summary := map[string]bool{}
	at := map[string]int{} // a conflict of alternatives is several errors at one path
	var found diag.Findings
	for _, ce := range errors.Errors(err) {
		p := e.errorPath(ce, path)
		if e.isForeign(p, path) || slices.ContainsFunc(errors.Positions(ce), func(t token.Pos) bool { return e.cuts.isStub(e.p.pos(t)) }) {
			e.foreign = true // it is said where it is
			continue
		}
		if !counts(p) || e.unknownField(p) || e.saidAlready(p) || e.typeSaid(p) || e.causedByUnknown(ce) {
			continue // said already, with the nearest name
		}
		if absent := e.absentParam(ce, path); absent != nil {
			e.wrong = append(e.wrong, p)
			found.Add(*absent)
			continue
		}
		dotted := strings.Join(p, ".")
		i, again := at[dotted]
		if !again {
			i = len(found)
			missing := len(e.ix.fields(p...)) == 0 || len(p) > len(path) && !e.at(v, p[len(path):]...).Exists()
			if missing && len(p) > 1 && e.misled[p[1]] {
				e.wrong = append(e.wrong, p) // by a condition that was found to be wrong
				continue
			}
			conflict := !missing && e.at(v, p[min(len(path), len(p)):]...).Validate() != nil
			rule := e.ruleFor(p, missing, conflict)
			if rule == "section-text" && e.wholeSection(p) && e.saidOfTool(p[1], found) {
				e.wrong = append(e.wrong, p) // its text shows something of the tool that is wrong
				continue
			}
			pos := e.fieldPos(p...)
			if rule == "param-doc" {
				pos = e.fieldPos(p[:len(p)-1]...)
			}
			at[dotted] = i
			found.Add(diag.Finding{Rule: rule, Pos: pos, Path: dotted, Fix: e.fixFor(rule, p, conflict), Message: e.messageFor(rule, p, missing, conflict)})
		}
		f := &found[i]
		if f.Message == "" || summary[dotted] {
			// The first error of a conflict of alternatives only counts them; it has no position of its own.
			f.Message = cueMessage(ce)
			summary[dotted] = len(errors.Positions(ce)) == 0
		}
		for _, t := range errors.Positions(ce) {
			r := diag.Related{Pos: e.p.pos(t), Message: "this takes part in the conflict"}
			if e.p.inProject(t) && !e.inLanguageRef(t) && r.Pos != f.Pos && !slices.Contains(f.Related, r) {
				f.Related = append(f.Related, r)
			}
		}
	}
	// Of a section that fits neither form CUE also lists what each form does not have.
	for _, f := range found {
		inside := slices.ContainsFunc(found, func(o diag.Finding) bool {
			return o.Rule == "section-text" && strings.HasPrefix(f.Path, o.Path+".")
		})
		if !inside {
			e.findings.Add(f)
		}
	}
}

// wholeSection reports whether the section at a path is declared with all that it needs.
func (e *pkgEval) wholeSection(p []string) bool {
	has := func(field string) bool { return len(e.ix.fields(sub(p, field)...)) > 0 }
	return len(p) == 4 && has("order") && has("text") != has("file")
}

// saidOfTool reports whether something is known to be wrong with a tool, in this variant or another.
func (e *pkgEval) saidOfTool(name string, found diag.Findings) bool {
	return slices.ContainsFunc(slices.Concat(e.findings, found), func(f diag.Finding) bool {
		return strings.HasPrefix(f.Path, "tools."+name+".")
	})
}

// messageFor is what is said in place of CUE's words, where they would not help.
func (e *pkgEval) messageFor(rule string, p []string, missing, conflict bool) string {
	last := p[len(p)-1]
	switch {
	case rule == "concurrency":
		return "concurrency is neither exclusive nor safe"
	case rule == "param-doc":
		return p[len(p)-2] + " has no doc"
	case missing && rule == "section-text":
		return "the section has no order"
	case rule == "section-text" && len(p) == 4:
		return "the section needs an order, and one of text and file"
	case missing && len(p) > 1:
		return fmt.Sprintf("%s lacks %s", strings.Join(p[:len(p)-1], "."), last)
	case conflict && e.declarations(p) > 1:
		return fmt.Sprintf("%s is declared more than once, with values that do not go together", last)
	}
	return ""
}

// declarations counts the places of the project that declare the field at a path.
func (e *pkgEval) declarations(p []string) int {
	n := 0
	for _, f := range e.ix.fields(p...) {
		if e.p.inProject(f.Pos()) {
			n++
		}
	}
	return n
}

// causedByUnknown reports whether a field that was reported takes part in an error.
func (e *pkgEval) causedByUnknown(err errors.Error) bool {
	for _, u := range e.unknown {
		for _, f := range e.ix.fields(u...) {
			for _, t := range errors.Positions(err) {
				if t.Filename() == f.Pos().Filename() && t.Offset() >= f.Pos().Offset() && t.Offset() <= f.End().Offset() {
					return true
				}
			}
		}
	}
	return false
}

// errorPath is the path of an error where that is below the value asked about or the project's syntax shows it, else the
// value's own: what CUE says of a place that nobody wrote says nothing about where the fault is.
func (e *pkgEval) errorPath(err errors.Error, path []string) []string {
	p := err.Path()
	for i, s := range p {
		if u, err := strconv.Unquote(s); err == nil {
			p[i] = u
		}
	}
	if len(p) >= len(path) && slices.Equal(p[:len(path)], path) || e.declarations(p) > 0 || len(path) > 1 && len(p) > 1 && e.isForeign(p, path) {
		return p
	}
	return path
}

// isForeign reports whether a path is in another tool, enum or notice of the project than the one asked about, which
// then says itself what is wrong there.
func (e *pkgEval) isForeign(p, path []string) bool {
	if len(p) < 2 || len(path) < 2 || !inModel(p) || slices.Equal(p[:2], path[:2]) {
		return false
	}
	return slices.ContainsFunc(e.order, func(o *pkgEval) bool { return o.own() && o.declarations(p[:2]) > 0 })
}

// cueMessage is CUE's own text, with what it wraps.
func cueMessage(err errors.Error) string {
	var parts []string
	for e := error(err); e != nil; e = errors.Unwrap(e) {
		ce, ok := e.(errors.Error)
		if !ok {
			break
		}
		format, args := ce.Msg()
		s := strings.TrimSpace(fmt.Sprintf(format, args...))
		s = strings.NewReplacer(`\ue000`, "", `\ue001`, "").Replace(unmark(s))
		if s != "" && !slices.Contains(parts, s) {
			parts = append(parts, s)
		}
	}
	if len(parts) == 0 {
		return err.Error()
	}
	return strings.Join(parts, ": ")
}

// ruleFor names the rule that an evaluation error at a path breaks.
func (e *pkgEval) ruleFor(p []string, missing, conflict bool) string {
	if len(p) == 0 {
		return "cue-invalid"
	}
	last := p[len(p)-1]
	switch {
	case len(p) == 3 && p[0] == "tools" && p[2] == "concurrency":
		return "concurrency"
	case slices.Contains(p, "default"):
		return "default-invalid"
	case last == "doc" && len(p) > 2 && missing:
		return "param-doc"
	case last == "doc" && conflict:
		return "cue-invalid"
	case last == "doc" && len(p) > 2:
		return "text-reference"
	case len(p) > 4 && p[0] == "tools" && p[2] == "sections" && last == "order":
		return "section-text"
	case len(p) == 4 && p[0] == "tools" && p[2] == "sections":
		return "section-text"
	case conflict && e.declarations(p) > 1:
		return "cue-invalid"
	case !conflict && (len(p) > 3 && p[0] == "tools" && (p[2] == "clauses" || p[2] == "sections") || len(p) == 3 && p[2] == "description"):
		return "text-reference"
	}
	return "cue-invalid"
}

func (e *pkgEval) fixFor(rule string, p []string, conflict bool) string {
	switch rule {
	case "cue-invalid":
		switch {
		case conflict && e.declarations(p) > 1:
			return "keep one of the declarations, or make them agree"
		case conflict:
			return "make it a value that the spec language and the other declarations take"
		}
	case "default-invalid":
		return "make the default a value that the parameter's type allows"
	case "concurrency":
		return `write "safe" or "exclusive", or leave it out for exclusive`
	case "param-doc":
		return `add doc: "..."`
	case "section-text":
		return "add order: 120, or another number from 100 to 199"
	case "text-reference":
		return "refer to names and words that exist, as tools.T.name, tools.T.params.P.name or enums.E.values.V.word"
	}
	return ""
}

// loadFindings translates the errors of loading or compiling a package: syntax, unknown imports, conflicting package
// clauses, names that are declared nowhere.
func loadFindings(p *Project, rule string, err error, dir string) diag.Findings {
	var out diag.Findings
	for _, ce := range errors.Errors(err) {
		f := diag.Finding{Rule: rule, Pos: diag.Position{File: dir}, Message: cueMessage(ce)}
		if rule == "cue-invalid" {
			f.Fix = "declare the name, or import the package that has it"
		}
		for _, t := range errors.Positions(ce) {
			if p.inProject(t) {
				f.Pos = p.pos(t)
				if inImports(t) {
					f.Rule, f.Fix = "cue-import", "remove the import if nothing uses it; else import a package of this module, of CUE's standard library, or of toolgen ("+Module+"/"+SpecDir+"/...)"
					if near, ok := diag.Nearest(importAt(t), standard()); ok && near != importAt(t) {
						f.Fix = "did you mean " + strconv.Quote(near) + "?"
					}
				}
				break
			}
		}
		out.Add(f)
	}
	return out
}

// importAt is the path of the import at a position.
func importAt(t token.Pos) string {
	f, err := parser.ParseFile(t.Filename(), nil, parser.ImportsOnly)
	if err != nil {
		return ""
	}
	for spec := range f.ImportSpecs() {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil && spec.Path.Pos().Offset() == t.Offset() {
			return path
		}
	}
	return ""
}

// inImports reports whether a position is that of an import in its file.
func inImports(t token.Pos) bool {
	f, err := parser.ParseFile(t.Filename(), nil, parser.ImportsOnly)
	if err != nil {
		return false
	}
	for spec := range f.ImportSpecs() {
		if spec.Path.Pos().Offset() == t.Offset() {
			return true
		}
	}
	return false
}

// errorCalls collects the positions of calls of error("why"), by which a rejected combination is told from a fault.
func errorCalls(files []*ast.File) map[token.Pos]bool {
	out := map[token.Pos]bool{}
	for _, f := range files {
		ast.Walk(f, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				if id, ok := c.Fun.(*ast.Ident); ok && id.Name == "error" && id.Node == nil {
					out[c.Pos()] = true
				}
			}
			return true
		}, nil)
	}
	return out
}

// inLanguageRef reports whether a position is where the package names the language, which takes part in everything.
func (e *pkgEval) inLanguageRef(t token.Pos) bool {
	for kind, def := range definitions() {
		for _, f := range e.ix.fields(kind) {
			if within(t, f.Value) && e.isLanguageRef(f.Value, def) {
				return true
			}
		}
	}
	return false
}
