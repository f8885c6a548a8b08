package load

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// A piece is a part of a string as a spec writes it: text that is known with the place of each byte, or what only the
// evaluation gives.
type piece struct {
	lit    string
	places []contract.Place // of lit

	open bool          // only the evaluation gives it
	name bool          // open, and one name or word of the language, hence one marker
	pos  diag.Position // of an open piece
}

// pieces takes an expression apart. Nil means that nothing of it is known.
func (l *loader) pieces(x ast.Expr, depth int) []piece {
	if depth > maxFollow {
		return nil
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return l.pieces(x.X, depth+1)
	case *ast.BasicLit:
		if x.Kind == token.STRING {
			return l.literalPieces([]ast.Expr{x})
		}
	case *ast.Interpolation:
		return l.literalPieces(x.Elts)
	case *ast.BinaryExpr:
		if x.Op == token.ADD {
			return append(l.operand(x.X, depth+1), l.operand(x.Y, depth+1)...)
		}
	}
	return nil
}

// operand is pieces for what is joined by +: a reference to one string is followed, anything else is open.
func (l *loader) operand(x ast.Expr, depth int) []piece {
	out := l.pieces(x, depth)
	if out == nil {
		if to := l.indexOf(x).resolve(x, depth); len(to) == 1 {
			out = l.pieces(to[0].expr, depth+1)
		}
	}
	if out == nil {
		out = []piece{{open: true, pos: l.p.pos(x.Pos())}}
	}
	return out
}

// literalPieces takes a string literal apart: parts of a literal alternate with what is interpolated between them.
func (l *loader) literalPieces(elts []ast.Expr) []piece {
	first, ok := elts[0].(*ast.BasicLit)
	if !ok {
		return nil
	}
	last, ok := elts[len(elts)-1].(*ast.BasicLit)
	if !ok || !l.p.inProject(first.ValuePos) {
		return nil
	}
	info, start, end, err := literal.ParseQuotes(first.Value, last.Value)
	if err != nil || !info.IsDouble() {
		return nil
	}
	file := l.p.rel(first.ValuePos.Filename())
	src := l.source(file)
	d := decoder{multi: info.IsMulti(), indent: info.Whitespace()}
	d.hashes = first.Value[:len(first.Value)-len(strings.TrimLeft(first.Value, "#"))]
	quote := d.hashes + `"`
	if d.multi {
		quote += `""`
	}
	d.in = l.writing(first.ValuePos, quote)
	var out []piece
	for i := 0; i < len(elts); i += 2 {
		lit, ok := elts[i].(*ast.BasicLit)
		if !ok {
			return nil
		}
		at := lit.ValuePos.Position()
		d.cursor = cursor{src: src, offset: at.Offset, pos: diag.Position{File: file, Line: at.Line, Column: at.Column}}
		closing := end
		if lit != last {
			closing = len(d.hashes) + len(`\(`)
		}
		if len(lit.Value) < start+closing {
			return nil
		}
		known, ok := d.decode(lit.Value, start, closing, lit == last)
		if !ok {
			return nil
		}
		if known.lit != "" {
			out = append(out, known)
		}
		if lit != last {
			out = append(out, piece{open: true, name: showsName(elts[i+1], 0), pos: d.pos})
		}
		start = len(")")
	}
	return out
}

// showsName reports whether an expression is the name of a tool or parameter, or a word, as the language gives them.
func showsName(x ast.Expr, depth int) bool {
	if depth > maxFollow {
		return false
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return showsName(x.X, depth+1)
	case *ast.Ident:
		let, ok := x.Node.(*ast.LetClause)
		return ok && showsName(let.Expr, depth+1)
	case *ast.SelectorExpr:
		name, _, err := ast.LabelName(x.Sel)
		return err == nil && (name == "name" || name == "word")
	}
	return false
}

// cursor walks over a source file.
type cursor struct {
	src    []byte
	offset int
	pos    diag.Position // of the byte at offset
}

// take moves over a byte of a token, and over the carriage returns before it that CUE leaves out of the token. It is
// false where the source has another byte.
func (c *cursor) take(b byte) bool {
	for b != '\r' && c.offset < len(c.src) && c.src[c.offset] == '\r' {
		c.offset++
		c.pos.Column++
	}
	return c.offset < len(c.src) && c.src[c.offset] == b
}

// step moves on.
func (c *cursor) step() {
	if c.src[c.offset] == '\n' {
		c.pos.Line++
		c.pos.Column = 0
	}
	c.offset++
	c.pos.Column++
}

// decoder reads the parts of one string literal. What it reads is compared with what CUE made of it before it counts.
type decoder struct {
	cursor
	multi  bool
	indent string // white space before each line of a literal of several lines
	hashes string // of a raw literal
	in     *contract.Writing

	token  string // what is left of the part's text
	lit    []byte // what was read
	places []contract.Place
}

// decode reads the text of a part between its opening and its closing bytes, and leaves the cursor at the latter.
func (d *decoder) decode(token string, opening, closing int, last bool) (piece, bool) {
	d.token, d.lit, d.places = token[:len(token)-closing], d.lit[:0], nil
	if !d.skip(opening) {
		return piece{}, false
	}
	fed := false // whether a line break of the source ends what was read
	for d.token != "" {
		b := d.token[0]
		if !d.take(b) {
			return piece{}, false
		}
		if b == '\\' && strings.HasPrefix(d.token[1:], d.hashes) {
			fed = false
			if !d.escape() {
				return piece{}, false
			}
			continue
		}
		d.place(d.pos, false)
		d.lit = append(d.lit, b)
		d.skip(1)
		if fed = b == '\n'; fed && !d.unindent() {
			return piece{}, false
		}
	}
	if last && d.multi {
		if !fed {
			return piece{}, false
		}
		d.lit = d.lit[:len(d.lit)-1] // the line break belongs to the closing quotes
		if n := len(d.places); d.places[n-1].Offset == len(d.lit) {
			d.places = d.places[:n-1]
		}
	}
	return piece{lit: string(d.lit), places: d.places}, d.take(token[len(token)-closing])
}

// skip moves over bytes of the token.
func (d *decoder) skip(n int) bool {
	for ; n > 0; n-- {
		if d.token == "" || !d.take(d.token[0]) {
			return false
		}
		d.step()
		d.token = d.token[1:]
	}
	return true
}

// unindent moves over the white space before a line.
func (d *decoder) unindent() bool {
	if !d.multi || !strings.HasPrefix(d.token, d.indent) {
		return true // an empty line need not be indented
	}
	return d.skip(len(d.indent))
}

// place notes where the next byte stands. Only what does not stand right behind the last byte needs a place of its own.
func (d *decoder) place(pos diag.Position, fixed bool) {
	if n := len(d.places); n > 0 && !fixed && !d.places[n-1].Fixed {
		last := d.places[n-1]
		last.Pos.Column += len(d.lit) - last.Offset
		if last.Pos == pos {
			return
		}
	}
	d.places = append(d.places, contract.Place{Offset: len(d.lit), Pos: pos, Fixed: fixed, In: d.in})
}

// escape reads one escape sequence. All that it stands for is at its backslash.
func (d *decoder) escape() bool {
	pos := d.pos
	r, ok := d.escaped()
	if !ok {
		return false
	}
	if utf16.IsSurrogate(r) {
		low, ok := d.escaped()
		if r = utf16.DecodeRune(r, low); !ok || r == utf8.RuneError {
			return false
		}
	}
	d.place(pos, true)
	d.lit = utf8.AppendRune(d.lit, r)
	return true
}

func (d *decoder) escaped() (rune, bool) {
	if !strings.HasPrefix(d.token, `\`+d.hashes) || !d.skip(1+len(d.hashes)) || d.token == "" {
		return 0, false
	}
	c := d.token[0]
	if !d.skip(1) {
		return 0, false
	}
	digits := 0
	switch c {
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		i := strings.IndexByte(`abfnrtv/\"`, c)
		if i < 0 {
			return 0, false
		}
		return rune("\a\b\f\n\r\t\v/\\\""[i]), true
	}
	if len(d.token) < digits {
		return 0, false
	}
	n, err := strconv.ParseUint(d.token[:digits], 16, 32)
	return rune(n), err == nil && n <= utf8.MaxRune && d.skip(digits)
}
