package load

import (
	"strings"

	"cuelang.org/go/cue/ast"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// readsNames reports whether a package reads a name or a word anywhere but inside a text or in needs. Only then can
// something have been computed from the marker that stands for it.
func (e *pkgEval) readsNames() bool {
	found := false
	visit := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Interpolation:
			return false
		case *ast.Field:
			return label(n) != "needs"
		case *ast.SelectorExpr:
			if name, _, err := ast.LabelName(n.Sel); err == nil && (name == "name" || name == "word") {
				found = true
			}
		}
		return !found
	}
	for _, f := range e.inst.Files {
		ast.Walk(f, visit, nil)
	}
	return found
}

// compareEditions evaluates the project once more, in the edition that users see, and refuses every text that says
// something else there: it was computed from a name, and what was computed is the marker. It costs a second evaluation,
// and is done only for projects that read names outside of their texts.
func compareEditions(p *Project, m *contract.Model) (diag.Findings, error) {
	other := *p
	other.plain = true
	res, err := load(&other, &progress{})
	if err != nil || len(res.Findings) > 0 {
		return res.Findings, err
	}
	var out diag.Findings
	differ := func(pos diag.Position, path ...string) {
		out.Add(diag.Finding{Rule: "text-computed", Pos: pos, Path: strings.Join(path, "."),
			Message: "the text depends on what a name or word is, and would not follow when that is renamed",
			Fix:     "show names and words as they are, \\(tools.T.name), and compare and compute with nothing that holds one"})
	}
	for i, pkg := range m.Packages {
		for k, t := range pkg.Tools {
			o := res.Model.Packages[i].Tools[k]
			if len(t.Variants) != len(o.Variants) {
				differ(t.Pos, "tools", t.Name)
				continue
			}
			for n, v := range t.Variants {
				compareVariant(t, v, o.Variants[n], differ)
			}
		}
	}
	return out, nil
}

func compareVariant(t *contract.Tool, v, o *contract.Variant, differ func(pos diag.Position, path ...string)) {
	if len(v.Clauses) != len(o.Clauses) || len(v.Params) != len(o.Params) || len(v.Sections) != len(o.Sections) {
		differ(t.Pos, "tools", t.Name)
		return
	}
	for i, c := range v.Clauses {
		if c.Text.Render(nil) != o.Clauses[i].Text.Render(nil) {
			differ(c.Pos, "tools", t.Name, "clauses", c.ID)
		}
	}
	for i, q := range v.Params {
		if q.Doc.Render(nil) != o.Params[i].Doc.Render(nil) {
			differ(q.Pos, "tools", t.Name, "params", q.Name, "doc")
		}
	}
	for i, s := range v.Sections {
		if s.Text.Render(nil) != o.Sections[i].Text.Render(nil) {
			differ(s.Pos, "tools", t.Name, "sections", s.Label)
		}
	}
}
