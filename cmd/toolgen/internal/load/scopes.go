package load

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
)

// fileScopes are the structs of a file that declare a name with which a reference could begin, by rising position.
type fileScopes struct {
	file     *contract.SourceFile
	structs  []structScope
	writings map[writingKey]*contract.Writing // so that the literals of one struct share theirs
}

type structScope struct {
	from, to int
	scope    *contract.Scope
	outer    int // index of the one around it, -1 for none
}

type writingKey struct {
	quote string
	scope *contract.Scope
}

// writing says how a literal or comment that begins at a position can refer to something.
func (l *loader) writing(pos token.Pos, quote string) *contract.Writing {
	name := pos.Filename()
	s, known := l.scopes[name]
	if !known {
		s = l.scopesOf(name)
		l.scopes[name] = s
	}
	if s == nil {
		return nil
	}
	key := writingKey{quote: quote, scope: s.at(pos.Offset())}
	w := s.writings[key]
	if w == nil {
		w = &contract.Writing{Quote: quote, Scope: key.scope, File: s.file}
		s.writings[key] = w
	}
	return w
}

// at returns the innermost scope that holds an offset.
func (s *fileScopes) at(offset int) *contract.Scope {
	i, _ := slices.BinarySearchFunc(s.structs, offset+1, func(r structScope, at int) int { return r.from - at })
	for i--; i >= 0; i = s.structs[i].outer {
		if offset < s.structs[i].to {
			return s.structs[i].scope
		}
	}
	return nil
}

func (l *loader) scopesOf(name string) *fileScopes {
	for pkg, ix := range l.indexes {
		for _, f := range ix.files {
			if f.Filename == name {
				return scopesIn(f, pkg)
			}
		}
	}
	return nil
}

func scopesIn(f *ast.File, pkg string) *fileScopes {
	out := &fileScopes{file: &contract.SourceFile{Package: pkg, Imports: map[string]string{}}, writings: map[writingKey]*contract.Writing{}}
	names := map[string]bool{"tools": true, "enums": true, "params": true, "default": true}
	for spec := range f.ImportSpecs() {
		raw, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name := path.Base(barePath(raw))
		if i := strings.LastIndexByte(raw, ':'); i >= 0 {
			name = raw[i+1:]
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		out.file.Imports[barePath(raw)] = name
		names[name] = true
	}
	var labels []string
	open := []int{-1} // per struct that the walk is in, the innermost one that declares something
	ast.Walk(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			labels = append(labels, label(n))
		case *ast.StructLit:
			in := open[len(open)-1]
			if declared := declares(n, names); len(declared) > 0 {
				s := structScope{from: n.Pos().Offset(), to: n.End().Offset(), outer: in, scope: &contract.Scope{Path: strings.Join(labels, "."), Names: declared}}
				if in >= 0 {
					s.scope.Outer = out.structs[in].scope
				}
				in = len(out.structs)
				out.structs = append(out.structs, s)
			}
			open = append(open, in)
		}
		return true
	}, func(n ast.Node) {
		switch n.(type) {
		case *ast.Field:
			labels = labels[:len(labels)-1]
		case *ast.StructLit:
			open = open[:len(open)-1]
		}
	})
	return out
}

// declares returns those of some names that a struct gives a meaning within its braces. A label in quotes gives none.
func declares(s *ast.StructLit, names map[string]bool) []string {
	var out []string
	add := func(name string) {
		if names[name] && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, d := range s.Elts {
		switch d := d.(type) {
		case *ast.Field:
			l := d.Label
			if a, ok := l.(*ast.Alias); ok {
				add(a.Ident.Name)
				l, _ = a.Expr.(ast.Label)
			}
			if id, ok := l.(*ast.Ident); ok {
				add(id.Name)
			}
		case *ast.LetClause:
			add(d.Ident.Name)
		case *ast.Alias:
			add(d.Ident.Name)
		}
	}
	return out
}
