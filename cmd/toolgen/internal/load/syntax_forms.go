package load

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/token"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// What is written in another form than the language has: a bare type for a parameter, a list for the words of an enum, a
// reference for a default. CUE would say of each only that it conflicts with something of the language.

// bareParam refuses a parameter that is a bare type or constant, and reports whether it did.
func (e *pkgEval) bareParam(path []string) bool {
	for _, f := range e.ix.fields(path...) {
		if !e.p.inProject(f.Pos()) || !e.isBare(f.Value) {
			continue
		}
		src, err := format.Node(f.Value, format.Simplify())
		if err != nil {
			continue
		}
		name := path[len(path)-1]
		e.malformed(f, path, name+" is no struct with a type and a doc", fmt.Sprintf(`write %s: {type: %s, doc: "..."}`, name, src))
		return true
	}
	return false
}

// isBare reports whether an expression can only be a type or a constant.
func (e *pkgEval) isBare(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.BasicLit, *ast.ListLit, *ast.UnaryExpr:
		return true
	case *ast.Ident:
		return x.Node == nil && slices.Contains([]string{"string", "int", "number", "float", "bool", "bytes"}, x.Name)
	case *ast.BinaryExpr:
		return e.isBare(x.X) && e.isBare(x.Y)
	case *ast.SelectorExpr:
		c, ok := e.chain(x)
		return ok && len(c) == 3 && c[0] == "enums" && c[2] == "type"
	}
	return false
}

// listedWords refuses a list for the words of an enum.
func (e *pkgEval) listedWords(path []string) {
	for _, f := range e.ix.fields(path...) {
		list, ok := f.Value.(*ast.ListLit)
		if !ok || !e.p.inProject(f.Pos()) {
			continue
		}
		var words []string
		for _, x := range list.Elts {
			if lit, ok := x.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if word, err := strconv.Unquote(lit.Value); err == nil {
					if !identifier(word) {
						word = strconv.Quote(word)
					}
					words = append(words, word+`: doc: "..."`)
				}
			}
		}
		if len(words) == 0 {
			words = []string{`WORD: doc: "..."`}
		}
		e.malformed(f, path, "the words of an enum are no list: each has a doc", "write values: {"+strings.Join(words, ", ")+"}")
		e.wrong = append(e.wrong, path[:2])
		return
	}
}

// ofWrongEnum reports whether the type at a path is that of an enum of which nothing could be read.
func (e *pkgEval) ofWrongEnum(path []string) bool {
	return slices.ContainsFunc(e.ix.fields(path...), func(f *ast.Field) bool {
		c, ok := e.chain(f.Value)
		if !ok || len(c) != 3 || c[0] != "enums" || c[2] != "type" {
			return false
		}
		home := e.home(f.Value)
		return home != nil && (home.isWrong(c[:2]) || e.cuts.units["enums."+c[1]])
	})
}

// malformed reports a field that is written in a form that the language does not have, so that nothing else is said of it.
func (e *pkgEval) malformed(f *ast.Field, path []string, message, fix string) {
	e.unknown, e.wrong = append(e.unknown, path), append(e.wrong, path)
	e.findings.Add(diag.Finding{Rule: "cue-invalid", Pos: e.p.pos(f.Pos()), Path: strings.Join(path, "."), Message: message, Fix: fix})
}

// checkDefault refuses a word by reference as a default, and reports whether it did: a default is a value of the type, which
// the word's name in a deployment is not.
func (e *pkgEval) checkDefault(x ast.Expr) bool {
	c, ok := e.chain(x)
	if !ok || len(c) < 3 || c[0] != "enums" {
		return false
	}
	home, word := e.home(x), c[2]
	if word == "values" && len(c) > 3 {
		word = c[3]
	}
	if home == nil || !slices.Contains(home.declared("enums", c[1], "values"), word) {
		return false // what is wrong with the reference is said of it
	}
	e.badRefs = append(e.badRefs, x.Pos())
	if slices.ContainsFunc(e.unknown, func(u []string) bool { return len(u) == 1 && u[0] == "tools" }) {
		return true // nothing is checked before the package says that its tools are tools
	}
	e.findings.Add(diag.Finding{Rule: "text-computed", Pos: e.p.pos(x.Pos()), Path: strings.Join(c, "."),
		Message: "the default is a word by reference, and a default is a plain value", Fix: fmt.Sprintf("write default: %q", word)})
	return true
}

// typeSaid reports whether a path is that of a default whose type holds a reference that was reported.
func (e *pkgEval) typeSaid(path []string) bool {
	i := len(path) - 1
	return i > 0 && path[i] == "default" && e.saidAlready(sub(path[:i], "type"))
}
