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
func (c chain) match(s string, from int) (to int, ok bool) {
	for _, p := range c.pieces {
		n := len(p.lit)
		switch {
		case !strings.HasPrefix(s[from:], p.begin()):
			return 0, false
		case p.open:
			if n = strings.Index(s[from:], markClose) + len(markClose); n < len(markClose) {
				return 0, false
			}
		}
		from += n
	}
	return from, true
}

// matchEnd returns where a chain begins that ends at an offset of a text.
func (c chain) matchEnd(s string, to int) (from int, ok bool) {
	for _, p := range slices.Backward(c.pieces) {
		if !strings.HasSuffix(s[:to], p.end()) {
			return 0, false
		}
		if !p.open {
			to -= len(p.lit)
		} else if to = strings.LastIndex(s[:to], markOpen); to < 0 {
			return 0, false
		}
	}
	return to, true
}

// begin and end are what a piece that stands in a chain begins and ends with.
func (p piece) begin() string {
	if p.open {
		return markOpen
	}
	return p.lit
}

func (p piece) end() string {
	if p.open {
		return markClose
	}
	return p.lit
}

// leftmost places each chain as early as the chains before it allow. Loose chains, which are every second one, get no
// place: they fill what is between.
func leftmost(chains []chain, s string) ([]span, bool) {
	out := make([]span, len(chains))
	last := len(chains) - 1
	at, ok := chains[0].match(s, 0)
	out[0].to = at
	if !ok || last == 0 {
		return out, ok && at == len(s)
	}
	for i := 2; i < last; i += 2 {
		first := chains[i].pieces[0].begin()
		for from := at; ; from++ {
			next := strings.Index(s[from:], first)
			if next < 0 {
				return nil, false
			}
			from += next
			if to, ok := chains[i].match(s, from); ok {
				out[i], at = span{from, to}, to
				break
			}
		}
	}
	from, ok := chains[last].matchEnd(s, len(s))
	out[last] = span{from, len(s)}
	return out, ok && from >= at
}

// rightmost places each chain as late as the chains behind it allow. It is asked only where leftmost has found places.
func rightmost(chains []chain, s string) []span {
	out := make([]span, len(chains))
	last := len(chains) - 1
	out[0].to, _ = chains[0].match(s, 0)
	if last == 0 {
		return out
	}
	at, _ := chains[last].matchEnd(s, len(s))
	out[last] = span{at, len(s)}
	for i := last - 2; i > 0; i -= 2 {
		end := chains[i].pieces[len(chains[i].pieces)-1].end()
		for to := at; ; to-- {
			next := strings.LastIndex(s[:to], end)
			if next < 0 {
				return out
			}
			to = next + len(end)
			if from, ok := chains[i].matchEnd(s, to); ok {
				out[i], at = span{from, to}, from
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
