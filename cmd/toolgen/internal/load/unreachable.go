package load

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// A conditional is a declaration in the body of a tool that stands under a condition: of a clause, a section, a
// parameter, a result, or of one of their texts.
type conditional struct {
	field *ast.Field
	under *ast.Comprehension
	path  []string
	sole  bool // nothing else declares the label
	used  bool // in a variant that was seen
}

// conditionals finds what the tools of a package declare under conditions, by tool.
type conditionals struct {
	ix    *index
	tools map[string][]*conditional
}

// conditionals collects the conditional declarations of the package. Only what stands in the body of a tool counts: what
// a tool has by reference can be there for other tools.
func (e *pkgEval) conditionals() map[string][]*conditional {
	c := &conditionals{ix: e.ix, tools: map[string][]*conditional{}}
	if e.external && !e.own() || strings.HasPrefix(e.out.Dir, "cue.mod/") {
		return nil
	}
	for _, f := range e.ix.files {
		if e.p.inProject(f.Pos()) {
			c.decls(f.Decls, nil, nil)
		}
	}
	return c.tools
}

// decls walks what a struct at a path declares. under is the condition that decides whether it does.
func (c *conditionals) decls(decls []ast.Decl, path []string, under *ast.Comprehension) {
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.Field:
			l := label(d)
			if l == "" || isPattern(d) || hiddenField(d) || d.Constraint != 0 {
				continue
			}
			p := sub(path, l)
			declares, holds := part(p)
			if declares && under != nil {
				c.add(d, p, under)
			}
			switch {
			case !holds:
			case declares:
				c.expr(d.Value, p, nil) // what is inside is never there where the whole is not
			default:
				c.expr(d.Value, p, under)
			}
		case *ast.EmbedDecl:
			c.expr(d.Expr, path, under)
		case *ast.Comprehension:
			isFor := func(x ast.Clause) bool { _, ok := x.(*ast.ForClause); return ok }
			if slices.ContainsFunc(d.Clauses, isFor) {
				continue // how often it declares something depends on data
			}
			c.expr(d.Value, path, d)
			if d.Fallback != nil {
				c.expr(d.Fallback.Body, path, d)
			}
		}
	}
}

// expr walks the structs that an expression writes, without following references.
func (c *conditionals) expr(x ast.Expr, path []string, under *ast.Comprehension) {
	switch x := x.(type) {
	case *ast.StructLit:
		c.decls(x.Elts, path, under)
	case *ast.ParenExpr:
		c.expr(x.X, path, under)
	case *ast.BinaryExpr:
		if x.Op == token.AND {
			c.expr(x.X, path, under)
			c.expr(x.Y, path, under)
		}
	}
}

func (c *conditionals) add(f *ast.Field, path []string, under *ast.Comprehension) {
	parent := c.ix.table(path[:len(path)-1]...)
	c.tools[path[1]] = append(c.tools[path[1]], &conditional{field: f, under: under, path: path,
		sole: len(parent.byLabel[path[len(path)-1]]) == 1 && len(parent.byLabel[dynamic]) == 0})
}

// part says whether a path within a package is that of a part of a tool that is declared as such, and whether parts
// are inside of it.
func part(path []string) (declares, holds bool) {
	if path[0] != "tools" || len(path) > maxFollow {
		return false, false
	}
	if len(path) < 3 {
		return false, true
	}
	kind, rest := path[2], path[3:]
	switch {
	case kind == "description":
		return len(rest) == 0, false
	case kind != "clauses" && kind != "sections" && kind != "params" && kind != "results":
		return false, false
	case len(rest) == 0:
		return false, true
	case len(rest) == 1:
		return true, kind != "clauses"
	case kind == "sections":
		return rest[1] == "text" || rest[1] == "file", false
	case kind == "results":
		if rest[1] != "fields" {
			return rest[1] == "render" || rest[1] == "empty", false
		}
		return partOfFields(rest[2:])
	case kind == "params":
		return partOfFields(rest)
	}
	return false, false
}

// partOfFields is part for a path within parameters or fields: it names one, then doc, fields or items of it, and so on.
func partOfFields(path []string) (declares, holds bool) {
	if len(path) == 0 {
		return false, true
	}
	for path = path[1:]; len(path) > 0; path = path[1:] {
		switch path[0] {
		case "doc":
			return len(path) == 1, false
		case "fields":
			return partOfFields(path[1:])
		case "items":
			if len(path) == 1 {
				return false, true
			}
		default:
			return false, false
		}
	}
	return true, true
}

// see notes which declarations the value of a tool, under one combination of its options, is made of.
func (e *pkgEval) see(v cue.Value, declared []*conditional) {
	for _, d := range declared {
		if d.used {
			continue
		}
		x := e.at(v, d.path[2:]...)
		if !x.Exists() {
			continue
		}
		if d.sole {
			d.used = true
			continue
		}
		known := false
		_, conj := x.Expr()
		for _, c := range conj {
			src := c.Source()
			if src == nil {
				continue
			}
			for _, f := range e.ix.fields(d.path...) {
				if src == ast.Node(f) || within(src.Pos(), f.Value) {
					known = true
					d.used = d.used || f == d.field
				}
			}
		}
		d.used = d.used || !known // CUE does not tell what the value is made of
	}
}

// unreachable reports the declarations of a tool that no combination of its options uses, unless something else is wrong
// with the tool: a condition that never holds can be a part of that.
func (e *pkgEval) unreachable(tool string, declared []*conditional) {
	declared = slices.DeleteFunc(declared, func(d *conditional) bool { return d.used })
	if len(declared) == 0 || e.faulty(tool) {
		return
	}
	for _, d := range declared {
		what := strings.Join(d.path[2:], ".")
		if !d.sole {
			what = "this declaration of " + what
		}
		e.findings.Add(diag.Finding{Rule: "clause-unreachable", Pos: e.p.pos(d.field.Pos()), Path: strings.Join(d.path, "."),
			Message: fmt.Sprintf("no choice of the options of %s brings %s", tool, what), Fix: "correct the condition, or remove what stands under it",
			Related: []diag.Related{{Pos: e.p.pos(d.under.Pos()), Message: "the condition"}}})
	}
}

// faulty reports whether anything was found in a tool.
func (e *pkgEval) faulty(tool string) bool {
	base := "tools." + tool
	return slices.ContainsFunc(e.findings, func(f diag.Finding) bool {
		if f.Path == base || strings.HasPrefix(f.Path, base+".") {
			return true
		}
		return slices.ContainsFunc(e.ix.fields("tools", tool), func(t *ast.Field) bool {
			from, to := e.p.pos(t.Pos()), e.p.pos(t.End())
			return f.Pos.File == from.File && from.Compare(f.Pos) <= 0 && f.Pos.Compare(to) <= 0
		})
	})
}
