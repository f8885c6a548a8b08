package load

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// checkLanguage refuses what CUE takes in silence: a package that does not say that its tools are tools, fields with `?`
// or `!` (which declare nothing), and labels that are no names.
func (e *pkgEval) checkLanguage() {
	for name, def := range definitions() {
		fields := e.ix.fields(name)
		if len(fields) == 0 || slices.ContainsFunc(fields, func(f *ast.Field) bool { return e.isLanguageRef(f.Value, def) }) {
			continue
		}
		e.findings.Add(diag.Finding{Rule: "language-missing", Pos: e.p.pos(fields[0].Pos()), Path: name,
			Message: fmt.Sprintf("the package does not say that %s is %s of the spec language, so nothing checks it", name, def),
			Fix:     fmt.Sprintf("declare `%s: toolspec.%s`, and import %q", name, def, Module+"/"+SpecDir+"/toolspec")})
		e.unknown = append(e.unknown, []string{name})
	}
	e.labelsAt(false, "budgets")
	for _, kind := range []string{"tools", "enums", "notices"} {
		e.labelsAt(true, kind)
		for _, l := range e.declared(kind) {
			base := []string{kind, l}
			e.labelsAt(false, base...)
			for _, part := range []string{"clauses", "results", "sections"} {
				e.labelsAt(true, sub(base, part)...)
			}
			for _, part := range []string{"params", "options", "fixed", "values", "retired", "hints", "limits", "from"} {
				e.labelsAt(false, sub(base, part)...)
			}
			for _, part := range []string{"clauses", "results", "sections", "params", "values"} {
				for _, inner := range e.declared(sub(base, part)...) {
					e.labelsAt(false, sub(base, part, inner)...)
				}
			}
		}
	}
}

// definitions are those of the language for what a package declares.
func definitions() map[string]string {
	return map[string]string{"tools": "#Tools", "enums": "#Enums", "notices": "#Notices", "budgets": "#Budgets"}
}

// isLanguageRef reports whether an expression is, or is combined with, a definition of the spec language.
func (e *pkgEval) isLanguageRef(x ast.Expr, def string) bool {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		name, _, err := ast.LabelName(x.Sel)
		ix := e.ix.imported(x.X)
		return err == nil && name == def && ix != nil && len(ix.files) > 0 && ix.files[0].PackageName() == "toolspec"
	case *ast.BinaryExpr:
		return x.Op == token.AND && (e.isLanguageRef(x.X, def) || e.isLanguageRef(x.Y, def))
	}
	return false
}

// labelsAt checks the fields of one struct of the language.
func (e *pkgEval) labelsAt(idents bool, path ...string) {
	for _, b := range e.ix.bodies(path...) {
		b.each(0, func(f *ast.Field, _ *index) {
			l := label(f)
			if l == "" || !e.p.inProject(f.Pos()) {
				return
			}
			if hiddenField(f) {
				e.hiddenParam(f, l, path)
				return
			}
			full := strings.Join(sub(path, l), ".")
			if f.Constraint != token.ILLEGAL {
				fix := "write " + l + ": without " + f.Constraint.String()
				if len(path) > 2 && (path[len(path)-1] == "params" || path[len(path)-1] == "fields") {
					fix += "; a parameter that a call may leave out says optional: true"
				}
				e.findings.Add(diag.Finding{Rule: "field-constraint", Pos: e.p.pos(f.Pos()), Path: full,
					Message: fmt.Sprintf("%s%s: declares no value, so it would have no effect", l, f.Constraint), Fix: fix})
			}
			if idents && !identifier(l) {
				e.unknown, e.wrong = append(e.unknown, sub(path, l)), append(e.wrong, sub(path, l))
				e.findings.Add(diag.Finding{Rule: "label-invalid", Pos: e.p.pos(f.Pos()), Path: full,
					Message: fmt.Sprintf("%q is no label: a label has letters, digits and underscores, and starts with a letter", l),
					Fix:     "choose such a label; a tool that must be mounted under another name says so with wire: " + strconv.Quote(l)})
			}
		})
	}
}

// hiddenField reports whether a field is hidden or a definition: CUE leaves both out of a struct's fields.
func hiddenField(f *ast.Field) bool {
	id, ok := f.Label.(*ast.Ident)
	return ok && (strings.HasPrefix(id.Name, "_") || strings.HasPrefix(id.Name, "#"))
}

// hiddenParam refuses a parameter that is hidden by its name. What has no doc is a helper of the spec's author.
func (e *pkgEval) hiddenParam(f *ast.Field, l string, path []string) {
	if last := path[len(path)-1]; last != "params" && last != "fields" || len(e.ix.fields(sub(path, l, "doc")...)) == 0 {
		return
	}
	e.findings.Add(diag.Finding{Rule: "label-invalid", Pos: e.p.pos(f.Pos()), Path: strings.Join(sub(path, l), "."),
		Message: fmt.Sprintf("the name %s hides the parameter: CUE leaves fields out that begin with _ or #", l), Fix: "quote it: " + strconv.Quote(l)})
}

// checkTool checks what a tool's own syntax reads: its options and its parameters.
func (e *pkgEval) checkTool(base []string) {
	path := sub(base, "options")
	opts := e.at(e.val, path...)
	names := e.ordered(opts, path...)
	values := map[string][]string{} // of finite options
	for _, name := range names {
		for _, c := range constants(e.at(opts, name)) {
			values[name] = append(values[name], scalarText(c))
		}
	}
	params := e.declared(sub(base, "params")...)
	if slices.Contains(params, "options") && len(names) > 0 {
		e.findings.Add(diag.Finding{Rule: "option-shadowed", Pos: e.fieldPos(sub(base, "params", "options")...), Path: strings.Join(sub(base, "params", "options"), "."),
			Message: "a parameter called options hides the tool's options from the conditions beside it", Fix: "rename the parameter, or read the options before params: let o = options"})
		e.wrong = append(e.wrong, base)
	}
	for _, b := range e.ix.bodies(base...) {
		for _, d := range b.decls {
			if f, ok := d.(*ast.Field); ok && label(f) == "options" || !e.p.inProject(d.Pos()) {
				continue
			}
			ast.Walk(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.IfClause:
					e.checkCondition(n.Condition, path, values)
				case *ast.BinaryExpr:
					e.checkComparison(n, path, values)
				case *ast.SelectorExpr:
					name, _, err := ast.LabelName(n.Sel)
					switch {
					case err != nil:
					case e.names(n.X, "options", 0):
						e.checkOption(n, path, name, names, values)
					case e.names(n.X, "params", 0) && !slices.Contains(params, name):
						f := diag.Finding{Rule: "ref-unknown", Pos: e.p.pos(n.Pos()), Path: strings.Join(sub(base, "params", name), "."),
							Message: fmt.Sprintf("%s has no parameter %s", base[1], name), Fix: "its parameters are " + strings.Join(params, ", ")}
						if near, ok := diag.Nearest(name, params); ok {
							f.Fix = "did you mean params." + near + "?"
						} else if len(params) == 0 {
							f.Fix = "declare it in params; the tool has no parameter yet"
						}
						e.badRefs = append(e.badRefs, n.Pos())
						e.findings.Add(f)
					}
				}
				return true
			}, nil)
		}
	}
}

// checkOption refuses an option that is not declared, and an open one: the catalog could not show what depends on it.
func (e *pkgEval) checkOption(n *ast.SelectorExpr, path []string, name string, names []string, values map[string][]string) {
	f := diag.Finding{Pos: e.p.pos(n.Pos()), Path: strings.Join(sub(path, name), ".")}
	switch {
	case !slices.Contains(names, name):
		f.Rule, f.Message = "option-unknown", fmt.Sprintf("the tool has no option %s, so what depends on it would never be there", name)
		f.Fix = "declare it in options"
		if near, ok := diag.Nearest(name, names); ok {
			f.Fix = "did you mean options." + near + "?"
		}
	case values[name] == nil && e.at(e.val, sub(path, name)...).IncompleteKind() == cue.BoolKind:
		return // that it has no default is said of it
	case values[name] == nil:
		f.Rule = "open-option"
		f.Message = fmt.Sprintf("the open option %s is read here; it is a setting of the runtime, which the catalog cannot show", name)
		f.Fix = "make the option an enumeration or a boolean, or do not read it"
	default:
		return
	}
	e.badRefs = append(e.badRefs, n.Pos())
	e.misled[path[1]] = e.misled[path[1]] || f.Rule == "option-unknown"
	e.findings.Add(f)
}

// checkComparison refuses a comparison of an option with a value that it does not have.
func (e *pkgEval) checkComparison(n *ast.BinaryExpr, path []string, values map[string][]string) {
	if n.Op != token.EQL && n.Op != token.NEQ {
		return
	}
	for _, pair := range [][2]ast.Expr{{n.X, n.Y}, {n.Y, n.X}} {
		s, ok := pair[0].(*ast.SelectorExpr)
		if !ok || !e.names(s.X, "options", 0) {
			continue
		}
		name, _, err := ast.LabelName(s.Sel)
		lit, isLit := pair[1].(*ast.BasicLit)
		if err != nil || !isLit || values[name] == nil {
			continue
		}
		isBool := e.at(e.val, sub(path, name)...).IncompleteKind() == cue.BoolKind
		word, err := lit.Value, nil
		if lit.Kind == token.STRING {
			word, err = strconv.Unquote(lit.Value)
		}
		if err != nil || slices.Contains(values[name], word) && isBool == (lit.Kind != token.STRING) {
			continue
		}
		if lit.Kind != token.STRING || isBool {
			e.misled[path[1]] = true
			e.findings.Add(diag.Finding{Rule: "option-unknown", Pos: e.p.pos(lit.Pos()), Path: strings.Join(sub(path, name), "."),
				Message: fmt.Sprintf("the option %s is never %s", name, lit.Value), Fix: "compare it with " + e.valueOf(isBool, values[name])})
			continue
		}
		f := diag.Finding{Rule: "option-unknown", Pos: e.p.pos(lit.Pos()), Path: strings.Join(sub(path, name), "."),
			Message: fmt.Sprintf("the option %s is never %q", name, word), Fix: "its values are " + strings.Join(values[name], ", ")}
		if near, ok := diag.Nearest(word, values[name]); ok {
			f.Fix = fmt.Sprintf("did you mean %q?", near)
		}
		e.misled[path[1]] = true
		e.findings.Add(f)
	}
}

// names reports whether an expression is the field of a tool with the given label, under a let's name too.
func (e *pkgEval) names(x ast.Expr, label string, depth int) bool {
	id, ok := x.(*ast.Ident)
	if !ok || depth > maxFollow {
		return false
	}
	if let, ok := id.Node.(*ast.LetClause); ok {
		return e.names(let.Expr, label, depth+1)
	}
	return id.Name == label
}

// valueOf lists the values of an option as CUE writes them.
func (e *pkgEval) valueOf(isBool bool, values []string) string {
	out := slices.Clone(values)
	for i := range out {
		if !isBool {
			out[i] = strconv.Quote(out[i])
		}
	}
	return strings.Join(out, " or ")
}

// checkCondition refuses an option of words as a condition: a condition is a boolean.
func (e *pkgEval) checkCondition(x ast.Expr, path []string, values map[string][]string) {
	s, ok := x.(*ast.SelectorExpr)
	if !ok || !e.names(s.X, "options", 0) {
		return
	}
	name, _, err := ast.LabelName(s.Sel)
	if err != nil || len(values[name]) == 0 || e.at(e.val, sub(path, name)...).IncompleteKind() == cue.BoolKind {
		return
	}
	e.badRefs, e.misled[path[1]] = append(e.badRefs, s.Pos()), true
	e.findings.Add(diag.Finding{Rule: "option-unknown", Pos: e.p.pos(s.Pos()), Path: strings.Join(sub(path, name), "."),
		Message: fmt.Sprintf("the option %s is a word, and a condition is a boolean", name),
		Fix:     fmt.Sprintf("compare it: options.%s == %q", name, values[name][0])})
}
