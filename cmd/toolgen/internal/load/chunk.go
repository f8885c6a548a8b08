package load

import (
	"bytes"
	"fmt"
	"regexp"

	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/scanner"
	"cuelang.org/go/cue/token"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// begins matches the beginning of what stands alone at the top of a file.
var begins = regexp.MustCompile(`^(?:(tools|enums|notices): *"?([A-Za-z][A-Za-z0-9_-]*)"? *:|(tools|enums|notices|budgets|package|import)\b|(?:let +)?([#_A-Za-z][#A-Za-z0-9_]*))`)

// chunks splits a file at the declarations that begin in the first column, as all do at the top of a formatted file. The
// comments before one are a part of it.
func chunks(src []byte) []extent {
	var out []extent
	comments := false // whether the last chunk has nothing but comments yet
	for i := 0; i < len(src); {
		end := len(src)
		if n := bytes.IndexByte(src[i:], '\n'); n >= 0 {
			end = i + n + 1
		}
		line := src[i:end]
		comment := bytes.HasPrefix(line, []byte("//"))
		begin := comment || begins.Match(line)
		switch {
		case len(out) == 0 || begin && !comments:
			out = append(out, extent{i, end})
			comments = comment
		default:
			out[len(out)-1].to = end
			comments = comments && (comment || !begin)
		}
		i = end
	}
	return out
}

// declared is a chunk without the comments before it.
func declared(chunk []byte) []byte {
	for len(chunk) > 0 && (bytes.HasPrefix(chunk, []byte("//")) || chunk[0] == '\n' || chunk[0] == '\r') {
		_, chunk, _ = bytes.Cut(chunk, []byte("\n"))
	}
	return chunk
}

// told says, in place of what a parser says of a file, what it says first of each declaration that cannot be parsed: in
// the file as a whole it has lost its way behind a fault. Of one line the last is taken, since a quote that is not closed
// is noticed at its end.
func (c *cuts) told(found diag.Findings) diag.Findings {
	var out diag.Findings
	done := map[string]bool{}
	for _, f := range found {
		src, known := c.sources[f.Pos.File]
		if !known || f.Rule != "cue-syntax" || f.Pos.Line == 0 {
			out.Add(f)
			continue
		}
		if done[f.Pos.File] {
			continue
		}
		done[f.Pos.File] = true
		before := len(out)
		for _, s := range chunks(src) {
			if bad, ok := faultOf(f.Pos.File, src, s); ok {
				out.Add(bad)
			}
		}
		if len(out) == before {
			out.Add(f) // what stands in the first column does not begin a declaration
		}
	}
	return out
}

// faultOf says why a declaration cannot be parsed.
func faultOf(file string, src []byte, s extent) (diag.Finding, bool) {
	text := src[s.from:s.to]
	_, err := parser.ParseFile(file, text)
	if err == nil {
		return diag.Finding{}, false
	}
	end := offset(file, src, s.from+len(bytes.TrimRight(text, " \t\r\n")))
	first := offset(file, src, s.from).Line
	var f diag.Finding
	for _, ce := range errors.Errors(err) {
		pos := position(ce.Position(), file)
		if pos.Line += first - 1; pos.Compare(end) > 0 {
			pos = end
		}
		if f.Rule == "" || pos.Line == f.Pos.Line {
			f = diag.Finding{Rule: "cue-syntax", Pos: pos, Message: cueMessage(ce),
				Fix: "look at what stands before it: fields on one line need a comma between them, a label a colon, a text its quotes"}
		}
	}
	if at, opener := unclosed(text); opener != 0 {
		open := offset(file, src, s.from+at)
		f.Fix = fmt.Sprintf("close the %c of line %d", opener, open.Line)
		f.Related = append(f.Related, diag.Related{Pos: open, Message: "this is not closed"})
	}
	return f, true
}

// unclosed finds the innermost bracket that nothing closes, where the declaration ends with one open.
func unclosed(text []byte) (at int, opener rune) {
	var s scanner.Scanner
	failed := false
	s.Init(token.NewFile("", -1, len(text)), text, func(token.Pos, string, []interface{}) { failed = true }, 0)
	type bracket struct {
		at int
		r  rune
	}
	var open []bracket
	for {
		pos, tok, _ := s.Scan()
		switch tok {
		case token.EOF:
			if failed || len(open) == 0 {
				return 0, 0
			}
			return open[len(open)-1].at, open[len(open)-1].r
		case token.INTERPOLATION:
			return 0, 0 // what is in it is told by its quotes
		case token.LBRACE:
			open = append(open, bracket{pos.Offset(), '{'})
		case token.LBRACK:
			open = append(open, bracket{pos.Offset(), '['})
		case token.LPAREN:
			open = append(open, bracket{pos.Offset(), '('})
		case token.RBRACE, token.RBRACK, token.RPAREN:
			if len(open) == 0 || open[len(open)-1].r != map[token.Token]rune{token.RBRACE: '{', token.RBRACK: '[', token.RPAREN: '('}[tok] {
				if len(open) == 0 {
					return 0, 0
				}
				return open[len(open)-1].at, open[len(open)-1].r
			}
			open = open[:len(open)-1]
		}
	}
}
