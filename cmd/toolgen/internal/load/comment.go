package load

import (
	"bytes"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// docGroup is the doc comment of a node.
func docGroup(n ast.Node) *ast.CommentGroup {
	for _, g := range ast.Comments(n) {
		if g.Doc {
			return g
		}
	}
	return nil
}

func commentText(n ast.Node) string {
	return strings.TrimSpace(docGroup(n).Text())
}

// commentDoc is the doc comment of a node as a text that a model reads, each line at its place.
func (l *loader) commentDoc(n ast.Node) contract.Text {
	g := docGroup(n)
	text := strings.TrimSpace(g.Text())
	if text == "" || !l.p.inProject(g.Pos()) {
		return contract.Literal(text)
	}
	seg := contract.Segment{Lit: text, Pos: l.p.pos(g.Pos())}
	// The lines are read as CommentGroup.Text does it.
	src := l.source(seg.Pos.File)
	var lit strings.Builder
	var places []contract.Place
	blank, in := true, l.writing(g.Pos(), "")
	for _, c := range g.List {
		mark := 2
		if strings.HasPrefix(c.Text[mark:], " ") {
			mark++
		}
		line := strings.TrimRight(c.Text[mark:], " \t\n\r")
		drop := blank && line == ""
		blank = line == ""
		if drop {
			continue
		}
		at := c.Slash.Position()
		pos := diag.Position{File: seg.Pos.File, Line: at.Line, Column: at.Column + mark}
		if at.Offset > len(src) || !bytes.HasPrefix(src[at.Offset:], []byte(c.Text[:mark]+line)) {
			places = append(places, contract.Place{Offset: lit.Len(), Pos: pos, Fixed: true, In: in})
		} else {
			places = append(places, contract.Place{Offset: lit.Len(), Pos: pos, In: in})
			if end := bytes.IndexByte(src[at.Offset:], '\n'); end > mark+len(line) {
				pos.Column = at.Column + end // white space ends the line
				places = append(places, contract.Place{Offset: lit.Len() + len(line), Pos: pos, In: in})
			}
		}
		lit.WriteString(line + "\n")
	}
	if i := strings.Index(lit.String(), text); i >= 0 {
		seg.Places = cut(places, i, i+len(text))
		seg.Pos = seg.Places[0].Pos
	}
	return contract.Text{seg}
}

// fieldDoc is the doc comment of the field at a path. In `a: b: {...}` the comment stands before a, and is b's.
func (e *pkgEval) fieldDoc(path []string) string {
	for _, f := range e.ix.fields(path...) {
		if d := commentText(f); d != "" {
			return d
		}
		if len(path) < 2 {
			continue
		}
		for _, outer := range e.ix.fields(path[:len(path)-1]...) {
			if s, ok := outer.Value.(*ast.StructLit); ok && !s.Lbrace.IsValid() && slices.Equal(s.Elts, []ast.Decl{f}) {
				if d := commentText(outer); d != "" {
					return d
				}
			}
		}
	}
	return ""
}

// packageDoc is the doc comment of the package clause.
func packageDoc(files []*ast.File) string {
	for _, f := range files {
		for _, d := range f.Decls {
			if p, ok := d.(*ast.Package); ok {
				if s := commentText(p); s != "" {
					return s
				}
			}
		}
	}
	return ""
}
