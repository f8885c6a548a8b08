package load

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// absentParam says that a text of a tool refers to a parameter of the same tool that is not there under the options at
// hand, where an error of CUE comes from that: CUE says only that there is no such field. It returns nil for any other
// error.
func (e *pkgEval) absentParam(err errors.Error, path []string) *diag.Finding {
	if len(path) < 2 || path[0] != "tools" {
		return nil
	}
	var at []diag.Position
	for _, t := range errors.Positions(err) {
		at = append(at, e.p.pos(t))
	}
	var found *diag.Finding
	for _, b := range e.ix.bodies(path[:2]...) {
		for _, d := range b.decls {
			ast.Walk(d, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok || found != nil {
					return found == nil
				}
				name, _, errName := ast.LabelName(s.Sel)
				if errName != nil || !e.names(s.X, "params", 0) || !slices.Contains(at, e.p.pos(s.Sel.Pos())) {
					return true
				}
				declared := e.ix.fields(sub(path[:2], "params", name)...)
				if len(declared) == 0 || e.at(e.current, "params", name).Exists() {
					return true
				}
				found = &diag.Finding{Rule: "ref-absent", Pos: e.p.pos(s.Pos()), Path: strings.Join(sub(path[:2], "params", name), "."),
					Message: fmt.Sprintf("the text refers to the parameter %s, which is absent here", name),
					Fix:     "put the text under the condition under which the parameter is there",
					Related: []diag.Related{{Pos: e.p.pos(declared[0].Pos()), Message: "the parameter is declared here"}}}
				if options := e.optionsOf(path[:2], declared[0]); len(options) > 0 {
					found.Fix = fmt.Sprintf("put the text under the condition on options.%s under which the parameter is there", strings.Join(options, " and options."))
				}
				return false
			}, nil)
		}
	}
	return found
}

// optionsOf names the options on which it depends whether a field of a tool is there.
func (e *pkgEval) optionsOf(tool []string, field *ast.Field) []string {
	var out []string
	var read func(n ast.Node, depth int)
	read = func(n ast.Node, depth int) {
		ast.Walk(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if name, _, err := ast.LabelName(n.Sel); err == nil && e.names(n.X, "options", 0) && !slices.Contains(out, name) {
					out = append(out, name)
				}
			case *ast.Ident:
				if let, ok := n.Node.(*ast.LetClause); ok && depth < maxFollow {
					read(let.Expr, depth+1)
				}
			}
			return true
		}, nil)
	}
	for _, b := range e.ix.bodies(tool...) {
		for _, d := range b.decls {
			ast.Walk(d, func(n ast.Node) bool {
				if c, ok := n.(*ast.Comprehension); ok && within(field.Pos(), c.Value) {
					for _, clause := range c.Clauses {
						read(clause, 0)
					}
				}
				return true
			}, nil)
		}
	}
	return out
}
