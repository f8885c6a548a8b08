package load

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
)

// places finds where the bytes of a text stand: CUE says which expression a string comes from, and the string is laid
// over what that expression has written. Nil means that it cannot be told.
func (e *pkgEval) places(v cue.Value, s string) []contract.Place {
	if e.p.plain || s == "" {
		return nil
	}
	n := v.Source()
	if f, ok := n.(*ast.Field); ok {
		n = f.Value
	}
	x, ok := n.(ast.Expr)
	if !ok {
		return nil
	}
	pieces, known := e.written[x]
	if !known {
		pieces = e.pieces(x, 0)
		e.written[x] = pieces
	}
	return align(pieces, s)
}

// indexOf returns the index of the package that an expression stands in.
func (l *loader) indexOf(x ast.Expr) *index {
	name := x.Pos().Filename()
	for _, ix := range l.indexes {
		if slices.ContainsFunc(ix.files, func(f *ast.File) bool { return f.Filename == name }) {
			return ix
		}
	}
	return newIndex(nil, nil)
}

// align lays a text over the pieces that it was made of. Where open pieces leave it undecided which bytes are known,
// all of them stand at the first open piece. Nil means that the text is not made of these pieces.
func align(pieces []piece, s string) []contract.Place {
	if len(pieces) == 1 && !pieces[0].open {
		if pieces[0].lit != s {
			return nil
		}
		return pieces[0].places
	}
	for _, names := range []bool{true, false} {
		chains := chained(pieces, names)
		if first, ok := leftmost(chains, s); ok {
			return joined(chains, first, rightmost(chains, s), s)
		}
	}
	return nil
}

// A chain is a sequence of pieces that stand side by side in the text, so that the place of one gives those of all. Open
// pieces are chains of their own, and so are the ends of the text.
type chain struct {
	pieces []piece
	loose  bool // an open piece: it has any length
}

// chained groups pieces into chains, with a chain at each end. With names, an open piece that shows a name is as long as
// its marker.
func chained(pieces []piece, names bool) []chain {
	out := []chain{{}}
	for i, p := range pieces {
		if p.open && !(names && p.name) {
			if last := &out[len(out)-1]; last.loose {
				continue // the first of several stands for all of them
			}
			out = append(out, chain{pieces: pieces[i : i+1], loose: true})
			continue
		}
		if out[len(out)-1].loose {
			out = append(out, chain{})
		}
		last := &out[len(out)-1]
		last.pieces = append(last.pieces, p)
	}
	if out[len(out)-1].loose {
		out = append(out, chain{})
	}
	return out
}

// span is where a chain stands in a text.
type span struct{ from, to int }

// match returns where a chain ends that begins at an offset of a text.
func (c chain) match(s string, from int) (int, bool) {
	for _, p := range c.pieces {
		n := len(p.lit)
		if p.open {
			if n = strings.Index(s[from:], markClose) + len(markClose); n < len(markClose) || !strings.HasPrefix(s[from:], markOpen) {
				return 0, false
			}
		} else if !strings.HasPrefix(s[from:], p.lit) {
			return 0, false
		}
		from += n
	}
	return from, true
}

// leftmost places each chain as early as the chains before it allow. Loose chains, which are every second one, get no
// place: they fill what is between.
func leftmost(chains []chain, s string) ([]span, bool) {
	out := make([]span, len(chains))
	at := 0
	for i := 0; i < len(chains); i += 2 {
		found := false
		for from := at; from <= len(s) && !found; from++ {
			if i == 0 && from > 0 {
				break
			}
			to, ok := chains[i].match(s, from)
			if ok && (i < len(chains)-1 || to == len(s)) {
				out[i], at, found = span{from, to}, to, true
			}
		}
		if !found {
			return nil, false
		}
	}
	return out, true
}

// rightmost places each chain as late as the chains behind it allow. It is asked only where leftmost has found places.
func rightmost(chains []chain, s string) []span {
	out := make([]span, len(chains))
	end := len(s)
	for i := len(chains) - 1; i >= 0; i -= 2 {
		for from := end; from >= 0; from-- {
			if i == 0 {
				from = 0
			}
			to, ok := chains[i].match(s, from)
			if ok && to <= end && (i < len(chains)-1 || to == end) {
				out[i], end = span{from, to}, from
				break
			}
		}
	}
	return out
}

// joined gives the places of a text from the two ways of placing its chains.
func joined(chains []chain, first, last []span, s string) []contract.Place {
	var out []contract.Place
	at, done := 0, true // what has its places, and whether the loose chain behind it has
	for i, c := range chains {
		switch {
		case c.loose:
			if done {
				out = append(out, contract.Place{Offset: at, Pos: c.pieces[0].pos, Fixed: true})
				done = false
			}
		case first[i] == last[i]:
			if first[i].from == at && !done {
				out = out[:len(out)-1] // nothing is between
			}
			at, done = first[i].from, true
			for _, p := range c.pieces {
				if p.open {
					out = append(out, contract.Place{Offset: at, Pos: p.pos, Fixed: true})
					at += strings.Index(s[at:], markClose) + len(markClose)
					continue
				}
				for _, q := range p.places {
					q.Offset += at
					out = append(out, q)
				}
				at += len(p.lit)
			}
		}
	}
	return out
}

// cut gives the places of the bytes from one offset of a text up to another.
func cut(places []contract.Place, from, to int) []contract.Place {
	i := len(places)
	for i > 0 && places[i-1].Offset > from {
		i--
	}
	if i == 0 {
		return nil
	}
	if places[i-1].Offset == 0 && from == 0 && (i == len(places) || places[len(places)-1].Offset < to) {
		return places
	}
	first := places[i-1]
	first.Pos = contract.Segment{Places: places}.At(from)
	first.Offset = 0
	out := []contract.Place{first}
	for ; i < len(places) && places[i].Offset < to; i++ {
		p := places[i]
		p.Offset -= from
		out = append(out, p)
	}
	return out
}
