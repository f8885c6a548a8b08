package load

import (
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"
)

// index answers, over the syntax of one package, in which order fields were declared and where. Bodies of conditional
// fields and comprehensions count as part of the struct that they stand in; a field that comes by reference stands
// where the reference stands.
type index struct {
	files   []*ast.File
	imports func(path string) *index // nil for a package that is not loaded

	tables map[string]*table
}

// table is what a struct declares: its labels in source order, and the declarations of each.
type table struct {
	labels  []string // with dynamic where computed names stand
	byLabel map[string][]declaration
}

// declaration is a field with the index of the package that it stands in.
type declaration struct {
	field *ast.Field
	ix    *index
}

// body is one list of declarations that contributes to a struct.
type body struct {
	decls []ast.Decl
	ix    *index // of the package that the declarations stand in
}

// dynamic is the label under which order records declarations whose names are computed.
const dynamic = "\x00dynamic"

// maxFollow bounds how many references are followed from one expression, so that a cycle ends.
const maxFollow = 64

// newIndex sorts the files by name, so that order does not depend on how they were found.
func newIndex(files []*ast.File, imports func(string) *index) *index {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b *ast.File) int { return strings.Compare(a.Filename, b.Filename) })
	return &index{files: files, imports: imports, tables: map[string]*table{}}
}

func (ix *index) root() []body {
	out := make([]body, len(ix.files))
	for i, f := range ix.files {
		out[i] = body{f.Decls, ix}
	}
	return out
}

// bodies returns what contributes to the struct at a path, in source order.
func (ix *index) bodies(path ...string) []body {
	if len(path) == 0 {
		return ix.root()
	}
	var out []body
	for _, d := range ix.table(path[:len(path)-1]...).byLabel[path[len(path)-1]] {
		out = append(out, d.ix.expand(d.field.Value, 0)...)
	}
	return out
}

// table returns what the struct at a path declares. It is made once: a package of many tools asks for it many times.
func (ix *index) table(path ...string) *table {
	key := pathKey(path)
	if t := ix.tables[key]; t != nil {
		return t
	}
	ix.tables[key] = &table{} // a struct that contains itself contributes nothing more
	t := tableOf(ix.bodies(path...))
	ix.tables[key] = t
	return t
}

func tableOf(bodies []body) *table {
	t := &table{byLabel: map[string][]declaration{}}
	for _, b := range bodies {
		b.each(0, func(f *ast.Field, in *index) {
			l := label(f)
			if l == "" {
				l = dynamic
			}
			if t.byLabel[l] == nil {
				t.labels = append(t.labels, l)
			}
			t.byLabel[l] = append(t.byLabel[l], declaration{f, in})
		})
	}
	return t
}

func pathKey(path []string) string {
	n := 0
	for _, p := range path {
		n += len(p) + 1
	}
	b := make([]byte, 0, n)
	for _, p := range path {
		b = append(append(b, p...), 0)
	}
	return string(b)
}

// fields returns the declarations of the field at a path, in source order.
func (ix *index) fields(path ...string) []*ast.Field {
	if len(path) == 0 {
		return nil
	}
	decls := ix.table(path[:len(path)-1]...).byLabel[path[len(path)-1]]
	out := make([]*ast.Field, len(decls))
	for i, d := range decls {
		out[i] = d.field
	}
	return out
}

// arrange sorts labels into source order. Labels that the syntax does not show stand where the first computed name
// stands, else last, in the order in which they came.
func (t *table) arrange(labels []string) []string {
	rest := len(t.labels)
	rank := make(map[string]int, len(t.labels))
	for i, l := range t.labels {
		rank[l] = i
		if l == dynamic {
			rest = i
		}
	}
	at := func(l string) int {
		if r, ok := rank[l]; ok {
			return r
		}
		return rest
	}
	out := slices.Clone(labels)
	slices.SortStableFunc(out, func(a, b string) int { return at(a) - at(b) })
	return out
}

// each calls fn for every field declared in the body, those of conditional bodies and embedded structs included.
func (b body) each(depth int, fn func(f *ast.Field, in *index)) {
	if depth > maxFollow {
		return
	}
	for _, d := range b.decls {
		switch d := d.(type) {
		case *ast.Field:
			fn(d, b.ix)
		case *ast.Comprehension:
			for _, inner := range b.ix.expand(d.Value, depth) {
				inner.each(depth+1, fn)
			}
			if d.Fallback != nil {
				for _, inner := range b.ix.expand(d.Fallback.Body, depth) {
					inner.each(depth+1, fn)
				}
			}
		case *ast.EmbedDecl:
			for _, inner := range b.ix.expand(d.Expr, depth) {
				inner.each(depth+1, fn)
			}
		}
	}
}

// expand returns the struct bodies that an expression stands for, following references.
func (ix *index) expand(e ast.Expr, depth int) []body {
	if depth > maxFollow || e == nil {
		return nil
	}
	switch e := e.(type) {
	case *ast.StructLit:
		return []body{{e.Elts, ix}}
	case *ast.ParenExpr:
		return ix.expand(e.X, depth+1)
	case *ast.BinaryExpr:
		if e.Op == token.AND || e.Op == token.OR {
			return append(ix.expand(e.X, depth+1), ix.expand(e.Y, depth+1)...)
		}
	case *ast.UnaryExpr:
		if e.Op == token.MUL {
			return ix.expand(e.X, depth+1)
		}
	case *ast.CallExpr:
		if id, ok := e.Fun.(*ast.Ident); ok && id.Name == "close" && len(e.Args) == 1 {
			return ix.expand(e.Args[0], depth+1)
		}
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		var out []body
		for _, t := range ix.resolve(e, depth+1) {
			out = append(out, t.ix.expand(t.expr, depth+1)...)
		}
		return out
	}
	return nil
}

// target is an expression together with the package in which its names resolve.
type target struct {
	expr ast.Expr
	ix   *index
}

// resolve follows one reference to the expressions that declare what it names.
func (ix *index) resolve(e ast.Expr, depth int) []target {
	if depth > maxFollow {
		return nil
	}
	switch e := e.(type) {
	case *ast.Ident:
		return ix.resolveIdent(e)
	case *ast.SelectorExpr:
		name, _, err := ast.LabelName(e.Sel)
		if err != nil {
			return nil
		}
		return ix.member(e.X, name, depth)
	case *ast.IndexExpr:
		if lit, ok := e.Index.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if name, err := literal.Unquote(lit.Value); err == nil {
				return ix.member(e.X, name, depth)
			}
		}
	}
	return nil
}

func (ix *index) member(x ast.Expr, name string, depth int) []target {
	var bodies []body
	if other := ix.imported(x); other != nil {
		bodies = other.root()
	} else {
		bodies = ix.expand(x, depth+1)
	}
	var out []target
	for _, b := range bodies {
		b.each(depth, func(f *ast.Field, in *index) {
			if label(f) == name {
				out = append(out, target{f.Value, in})
			}
		})
	}
	return out
}

// imported returns the index of the package that an identifier names, if it names one.
func (ix *index) imported(x ast.Expr) *index {
	id, ok := x.(*ast.Ident)
	if !ok {
		return nil
	}
	spec, ok := id.Node.(*ast.ImportSpec)
	if !ok || ix.imports == nil {
		return nil
	}
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return nil
	}
	return ix.imports(path)
}

func (ix *index) resolveIdent(id *ast.Ident) []target {
	switch n := id.Node.(type) {
	case *ast.Field:
		return []target{{n.Value, ix}}
	case *ast.LetClause:
		return []target{{n.Expr, ix}}
	case *ast.Alias:
		return []target{{n.Expr, ix}}
	case ast.Expr:
		return []target{{n, ix}}
	}
	// A name of another file of the package: the parser resolves within one file only.
	var out []target
	for _, f := range ix.files {
		for _, d := range f.Decls {
			if f, ok := d.(*ast.Field); ok && label(f) == id.Name {
				out = append(out, target{f.Value, ix})
			}
		}
	}
	return out
}

// label returns a field's name, or an empty string where it is computed or a pattern.
func label(f *ast.Field) string {
	l := f.Label
	if a, ok := l.(*ast.Alias); ok {
		if x, ok := a.Expr.(ast.Label); ok {
			l = x
		}
	}
	name, _, err := ast.LabelName(l)
	if err != nil {
		return ""
	}
	return name
}

// isPattern reports whether a field is a pattern constraint such as [string]: T.
func isPattern(f *ast.Field) bool {
	l := f.Label
	if a, ok := l.(*ast.Alias); ok {
		if x, ok := a.Expr.(ast.Label); ok {
			l = x
		}
	}
	_, ok := l.(*ast.ListLit)
	return ok
}
