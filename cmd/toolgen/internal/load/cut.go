package load

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	cueload "cuelang.org/go/cue/load"
	"cuelang.org/go/cue/parser"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// cuts are the declarations that CUE cannot read or compile, or that fail in it. CUE gives up the whole package for one
// of them, and everything that reads a failing tool fails with it. So the package is read again without them: where they
// stood are blanks, so that all else keeps its place, and behind the end of the file each tool and enum is declared anew
// with nothing but its names, so that references to it lead somewhere.
type cuts struct {
	p       *Project
	sources map[string][]byte

	spans    map[string][]extent // what is blank, by file
	stubs    map[string]string   // what is added, by file
	units    map[string]bool     // tools, enums and notices that were cut, by path
	places   map[string]diag.Position
	names    map[string]bool // other declarations that were cut, and packages whose import was
	unread   map[string]bool // folders of packages that no longer say what language they are in
	imports  []string        // names of imports that were cut
	unnamed  bool            // whether something was cut whose name is not known
	findings diag.Findings   // why
}

// extent is a range of bytes.
type extent struct{ from, to int }

func newCuts(p *Project, sources map[string][]byte) *cuts {
	return &cuts{p: p, sources: sources, spans: map[string][]extent{}, stubs: map[string]string{}, units: map[string]bool{}, places: map[string]diag.Position{},
		names: map[string]bool{}, unread: map[string]bool{}}
}

// say adds a finding, once.
func (c *cuts) say(f diag.Finding) {
	for _, o := range c.findings {
		if o.Rule == f.Rule && o.Pos == f.Pos && o.Message == f.Message {
			return
		}
	}
	c.findings.Add(f)
}

// overlay adds the files as they are without what was cut.
func (c *cuts) overlay(base map[string]cueload.Source) map[string]cueload.Source {
	out := map[string]cueload.Source{}
	for name, src := range base {
		out[name] = src
	}
	for file := range c.spans {
		out[filepath.Join(c.p.Root, filepath.FromSlash(file))] = cueload.FromBytes(c.text(file))
	}
	return out
}

// text is a file without what was cut of it.
func (c *cuts) text(file string) []byte {
	out := bytes.Clone(c.sources[file])
	for _, s := range c.spans[file] {
		blank(out, s)
	}
	if len(c.spans[file]) > 0 {
		withoutUnused(file, out)
	}
	if stubs := c.stubs[file]; stubs != "" {
		out = append(append(out, '\n'), stubs...)
	}
	return out
}

// isStub reports whether a position is behind the end of a file, where names are declared anew.
func (c *cuts) isStub(at diag.Position) bool {
	return c != nil && c.stubs[at.File] != "" && at.Line > 1+bytes.Count(c.sources[at.File], []byte("\n"))
}

// cut blanks a range of a file. It reports whether there was something to blank.
func (c *cuts) cut(file string, s extent) bool {
	src, known := c.sources[file]
	if !known || s.from < 0 || s.to > len(src) || s.from >= s.to || slices.Contains(c.spans[file], s) {
		return false
	}
	c.spans[file] = append(c.spans[file], s)
	return true
}

// unit declares a tool or enum anew, of which names are known. A notice is read by nobody.
func (c *cuts) unit(file string, path []string, at diag.Position, names []string) {
	key := strings.Join(path, ".")
	if c.units[key] {
		return
	}
	c.units[key], c.places[key] = true, at
	var b strings.Builder
	for _, n := range names {
		switch path[0] {
		case "tools":
			fmt.Fprintf(&b, "%s: {type: _, doc: \"-\"}, ", strconv.Quote(n))
		case "enums":
			fmt.Fprintf(&b, "%s: doc: \"-\", ", strconv.Quote(n))
		}
	}
	switch path[0] {
	case "tools":
		c.stubs[file] += fmt.Sprintf("tools: %s: {description: \"-\", params: {%s}}\n", strconv.Quote(path[1]), b.String())
	case "enums":
		c.stubs[file] += fmt.Sprintf("enums: %s: values: {%s}\n", strconv.Quote(path[1]), b.String())
	}
}

// syntax cuts the declarations of a file that cannot be parsed, or else the file.
func (c *cuts) syntax(file string) bool {
	src := c.text(file)
	if _, err := parser.ParseFile(file, src); err == nil || len(c.sources[file]) == 0 {
		return false
	}
	more := false
	for _, s := range chunks(c.sources[file]) {
		text := c.sources[file][s.from:s.to]
		if _, err := parser.ParseFile(file, text); err == nil {
			if m := begins.FindSubmatch(declared(text)); len(declared(text)) > 0 && m == nil || m != nil && len(m[4]) > 0 && !bytes.HasPrefix(declared(text), []byte("let ")) && m[4][0] != '#' && m[4][0] != '_' {
				return c.whole(file) // what stands in the first column is not always a declaration of its own
			}
			continue
		}
		m := begins.FindSubmatch(declared(text))
		if m == nil || bytes.HasPrefix(declared(text), []byte("package")) {
			return c.whole(file)
		}
		more = c.cut(file, s) || more
		switch {
		case len(m[2]) > 0:
			at := offset(file, c.sources[file], s.to-len(declared(text))+bytes.Index(declared(text), m[2]))
			c.unit(file, []string{string(m[1]), string(m[2])}, at, nil)
		case len(m[4]) > 0:
			c.names[string(m[4])] = true
		default:
			c.unnamed, c.unread[path.Dir(file)] = true, true
		}
	}
	if _, err := parser.ParseFile(file, c.text(file)); err != nil {
		return c.whole(file)
	}
	return more
}

// whole cuts a file but for its package clause.
func (c *cuts) whole(file string) bool {
	src := c.sources[file]
	c.unnamed = true
	if bytes.Contains(src, []byte("toolspec.#")) {
		c.unread[path.Dir(file)] = true
	}
	keep := clause.FindIndex(src)
	delete(c.stubs, file)
	if keep == nil {
		return c.cut(file, extent{0, len(src)})
	}
	before, behind := c.cut(file, extent{0, keep[0]}), c.cut(file, extent{keep[1], len(src)})
	return before || behind
}

// unimport cuts an import, and what uses it.
func (c *cuts) unimport(file string, at diag.Position) bool {
	f, err := parser.ParseFile(file, c.text(file))
	if err != nil {
		return false
	}
	for _, d := range f.Decls {
		imp, ok := d.(*ast.ImportDecl)
		if !ok {
			continue
		}
		for _, spec := range imp.Specs {
			if pos := spec.Path.Pos(); pos.Line() != at.Line {
				continue
			}
			s := extent{spec.Pos().Offset(), spec.End().Offset()}
			if !imp.Lparen.IsValid() {
				s = extent{imp.Pos().Offset(), imp.End().Offset()}
			}
			more := c.cut(file, s)
			c.imports = append(c.imports, importName(spec))
			for _, d := range f.Decls {
				uses := false
				ast.Walk(d, func(n ast.Node) bool {
					if s, ok := n.(*ast.SelectorExpr); ok {
						id, ok := s.X.(*ast.Ident)
						uses = uses || ok && id.Name == importName(spec)
					}
					return !uses
				}, nil)
				if uses {
					more = c.decl(file, d) || more
				}
			}
			return more
		}
	}
	return false
}

// decl cuts one declaration of a file.
func (c *cuts) decl(file string, d ast.Decl) bool {
	if !c.cut(file, extent{d.Pos().Offset(), d.End().Offset()}) {
		return false
	}
	f, ok := d.(*ast.Field)
	if !ok {
		if let, isLet := d.(*ast.LetClause); isLet {
			c.names[let.Ident.Name] = true
		} else {
			c.unnamed = true
		}
		return true
	}
	kind := label(f)
	if !inModel([]string{kind}) {
		c.names[kind] = true
		return true
	}
	s, ok := f.Value.(*ast.StructLit)
	if !ok {
		c.unnamed, c.unread[path.Dir(file)] = true, true
		return true
	}
	for _, e := range s.Elts {
		if inner, ok := e.(*ast.Field); ok && label(inner) != "" {
			c.unit(file, []string{kind, label(inner)}, c.position(file, inner), named(kind, inner.Value))
		}
	}
	return true
}

func (c *cuts) position(file string, n ast.Node) diag.Position {
	return diag.Position{File: file, Line: n.Pos().Line(), Column: n.Pos().Column()}
}

// named are the names that a tool's or enum's syntax declares: its parameters or words, in whatever way.
func named(kind string, x ast.Expr) []string {
	of := map[string]string{"tools": "params", "enums": "values"}[kind]
	var out []string
	var walk func(n ast.Node, inside bool)
	walk = func(n ast.Node, inside bool) {
		ast.Walk(n, func(n ast.Node) bool {
			f, ok := n.(*ast.Field)
			if !ok {
				return true
			}
			switch l := label(f); {
			case inside && l != "" && !hiddenField(f):
				if !slices.Contains(out, l) {
					out = append(out, l)
				}
			case !inside && l == of:
				walk(f.Value, true)
			}
			return false
		}, nil)
	}
	walk(x, false)
	return out
}

// failing cuts the tools, enums and notices at paths out of the package, wherever they are declared. It reports whether
// it could.
func (c *cuts) failing(e *pkgEval, paths []string) bool {
	more := false
	for _, key := range paths {
		path := strings.Split(key, ".")
		first := true
		for _, f := range e.ix.fields(path...) {
			if !e.p.inProject(f.Pos()) || e.cuts.isStub(e.p.pos(f.Pos())) {
				continue
			}
			file := e.p.rel(f.Pos().Filename())
			s := c.outermost(e, file, f)
			if !c.cut(file, s) {
				continue
			}
			more = true
			if first {
				c.unit(file, path, e.p.pos(f.Pos()), e.nameList(path))
			}
			first = false
		}
	}
	return more
}

// nameList are the names inside of a tool or an enum that others may refer to.
func (e *pkgEval) nameList(path []string) []string {
	switch path[0] {
	case "tools":
		return e.declared(sub(path, "params")...)
	case "enums":
		return e.declared(sub(path, "values")...)
	}
	return nil
}

// outermost is the range of a declaration with what is written before its label on the way to it: tools: find: {...}.
func (c *cuts) outermost(e *pkgEval, file string, f *ast.Field) extent {
	s := extent{f.Pos().Offset(), f.End().Offset()}
	for _, af := range e.ix.files {
		if e.p.rel(af.Filename) != file {
			continue
		}
		for _, d := range af.Decls {
			top, ok := d.(*ast.Field)
			if !ok {
				continue
			}
			if lit, ok := top.Value.(*ast.StructLit); ok && !lit.Lbrace.IsValid() && len(lit.Elts) == 1 && lit.Elts[0] == ast.Decl(f) {
				s.from = top.Pos().Offset()
			}
		}
	}
	src := c.sources[file]
	if s.to < len(src) && src[s.to] == ',' {
		s.to++
	}
	return s
}

// faults gives what was cut as faults of the model.
func (c *cuts) faults() *contract.Faults {
	out := &contract.Faults{Names: c.unnamed}
	for path := range c.units {
		out.Add(path)
	}
	return out
}

// clone is a copy to which more can be added.
func (c *cuts) clone() *cuts {
	out := *c
	out.spans, out.stubs, out.units, out.places, out.names, out.unread = map[string][]extent{}, maps.Clone(c.stubs), maps.Clone(c.units), maps.Clone(c.places), maps.Clone(c.names), maps.Clone(c.unread)
	for f, s := range c.spans {
		out.spans[f] = slices.Clone(s)
	}
	return &out
}

// blank makes spaces of a range.
func blank(b []byte, s extent) {
	for i := s.from; i < s.to; i++ {
		if b[i] != '\n' {
			b[i] = ' '
		}
	}
}

// withoutUnused blanks the imports that nothing is left to use.
func withoutUnused(file string, src []byte) {
	f, err := parser.ParseFile(file, src)
	if err != nil {
		return
	}
	used := map[string]bool{}
	for _, d := range f.Decls {
		ast.Walk(d, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if id, ok := s.X.(*ast.Ident); ok {
					used[id.Name] = true
				}
			}
			return true
		}, nil)
	}
	for _, d := range f.Decls {
		imp, ok := d.(*ast.ImportDecl)
		if !ok {
			continue
		}
		for _, spec := range imp.Specs {
			if used[importName(spec)] {
				continue
			}
			s := extent{spec.Pos().Offset(), spec.End().Offset()}
			if !imp.Lparen.IsValid() {
				s = extent{imp.Pos().Offset(), imp.End().Offset()}
			}
			blank(src, s)
		}
	}
}

// importName is the name by which a file uses an import.
func importName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	name, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return ""
	}
	if i := strings.LastIndexByte(name, ':'); i >= 0 {
		return name[i+1:]
	}
	return path.Base(barePath(name))
}

// place gives what was declared anew the place of its declaration.
func (c *cuts) place(p *contract.Package) {
	for _, t := range p.Tools {
		if c.isStub(t.Pos) {
			t.Pos = c.places["tools."+t.Name]
		}
	}
	for _, e := range p.Enums {
		if c.isStub(e.Pos) {
			e.Pos = c.places["enums."+e.Name]
		}
	}
}
