package load

import (
	"strings"

	"cuelang.org/go/cue"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// budgets reads how much a model may have to read of each tool of the package.
func (e *pkgEval) budgets() {
	base := []string{"budgets"}
	v := e.at(e.val, base...)
	if !v.Exists() {
		return
	}
	if v.IncompleteKind() != cue.StructKind && v.Err() == nil {
		return // language-missing says that nothing checks it
	}
	before := len(e.findings)
	out := &contract.Budgets{}
	for _, b := range []struct {
		name string
		into *int64
	}{{"description", &out.Description}, {"doc", &out.Doc}, {"section", &out.Section}, {"tool", &out.Tool}} {
		path := sub(base, b.name)
		x := e.at(v, b.name)
		if !x.Exists() {
			continue
		}
		n, err := x.Int64()
		switch {
		case err == nil && n > 0:
			*b.into = n
			if out.Pos == (diag.Position{}) {
				out.Pos = e.budgetPos(path)
			}
		case e.declarations(path) > 1 && x.Err() != nil:
			e.cueFindings(x, x.Err(), path, func([]string) bool { return true })
		default:
			e.findings.Add(diag.Finding{Rule: "limit-invalid", Pos: e.valuePos(path...), Path: strings.Join(path, "."),
				Message: "the budget is no positive number of characters", Fix: "write an integer greater than zero, or leave it out for no bound"})
		}
	}
	if len(e.findings) == before && !e.validate(v, base) && *out != (contract.Budgets{}) {
		e.out.Budgets = out
	}
}

// budgetPos is where a budget's declaration begins, which need not be the line that names the language.
func (e *pkgEval) budgetPos(path []string) diag.Position {
	for _, f := range e.ix.fields(path[:1]...) {
		for _, n := range e.ix.fields(path...) {
			if e.p.inProject(n.Pos()) && within(n.Pos(), f.Value) {
				return e.p.pos(f.Pos())
			}
		}
	}
	return e.fieldPos(path[:1]...)
}
