package load

import (
	"regexp"
	"strings"
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// A prompt file comes apart and together again: literals and references are all of it, and every fault has a place in it.
func FuzzPrompt(f *testing.F) {
	for _, s := range []string{"", "plain", "{{a}}", "{{ a.b }} and {{a.b.default}}\n", "\\{{x}}", "{{a", "{{a\n}}", "}}", "{{}}", "{{a b}}\r\n", "\\(tools.x.name)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		parts, findings := parsePrompt("p.md", src)
		lines := strings.Split(src, "\n")
		for _, x := range findings {
			if x.Rule != "prompt-syntax" || x.Pos.Line < 1 || x.Pos.Line > len(lines) || x.Pos.Column < 1 || x.Pos.Column > len(lines[x.Pos.Line-1])+1 {
				t.Fatalf("finding %+v of %q", x, src)
			}
		}
		if len(findings) > 0 {
			return
		}
		var b strings.Builder
		for _, p := range parts {
			if p.ref != nil {
				b.WriteString("{{" + strings.Join(p.ref, ".") + "}}")
			} else {
				b.WriteString(strings.ReplaceAll(p.lit, "{{", `\{{`))
			}
		}
		again, more := parsePrompt("p.md", b.String())
		if len(more) > 0 || len(again) != len(parts) {
			t.Fatalf("%q became %q, which gives %d parts and %v", src, b.String(), len(again), more)
		}
		for i := range parts {
			if parts[i].lit != again[i].lit || strings.Join(parts[i].ref, ".") != strings.Join(again[i].ref, ".") {
				t.Fatalf("part %d of %q: %+v, then %+v", i, src, parts[i], again[i])
			}
		}
	})
}

// A text with markers comes apart without loss: its segments, written with markers again, are the text.
func FuzzSegments(f *testing.F) {
	for _, s := range []string{"", "a", markOpen + "a" + markClose, "x" + markOpen + "a.b" + markClose + markOpen + "e:w" + markClose + "y", markOpen, markClose, markOpen + markClose,
		markOpen + "a" + markOpen + "b" + markClose + markClose} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, err := segments(s, diag.Position{}, nil)
		if err != nil {
			return
		}
		var b strings.Builder
		for _, seg := range text {
			switch {
			case seg.Param != "":
				b.WriteString(markOpen + seg.Tool + "." + seg.Param + markClose)
			case seg.Tool != "":
				b.WriteString(markOpen + seg.Tool + markClose)
			case seg.Enum != "":
				b.WriteString(markOpen + seg.Enum + ":" + seg.Word + markClose)
			default:
				b.WriteString(seg.Lit)
			}
		}
		if b.String() != s {
			t.Fatalf("%q became %q", s, b.String())
		}
	})
}

// A string literal is read as CUE reads it, and each byte that is no escape's stands where it is.
func FuzzLiteral(f *testing.F) {
	for _, s := range []string{`""`, `"a"`, `#"a\n"#`, `"a\n\u00e9\uD83D\uDE00\"\\"`, "\"\"\"\n\ta\n\n\t b\\tc\n\t\"\"\"", "##\"\"\"\r\n  a\\#n\r\n  \"\"\"##", "\"a\r\"", `"a \(b) c"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		x, err := parser.ParseExpr("/x.cue", src)
		lit, ok := x.(*ast.BasicLit)
		if err != nil || !ok || lit.Kind != token.STRING || strings.HasPrefix(strings.TrimLeft(lit.Value, "#"), "'") {
			return
		}
		want, err := literal.Unquote(lit.Value)
		if err != nil {
			return
		}
		l := &loader{p: &Project{Root: "/", Inputs: []string{"x.cue"}}, sources: map[string][]byte{"x.cue": []byte(src)}, scopes: map[string]*fileScopes{}}
		pieces := l.pieces(x, 0)
		if want == "" {
			return
		}
		if len(pieces) != 1 || pieces[0].lit != want {
			if !strings.Contains(src, "\r") {
				t.Fatalf("%q became %+v, want %q", src, pieces, want)
			}
			return // CUE drops some carriage returns in a string of one line
		}
		lines := strings.SplitAfter(src, "\n")
		at := 0
		for i := range len(want) {
			for at+1 < len(pieces[0].places) && pieces[0].places[at+1].Offset <= i {
				at++
			}
			pos := contract.Segment{Places: pieces[0].places}.At(i)
			c := lines[pos.Line-1][pos.Column-1]
			if fixed := pieces[0].places[at].Fixed; fixed && c != '\\' || !fixed && c != want[i] {
				t.Fatalf("%q: byte %d of %q is at %s, which is %q", src, i, want, pos, c)
			}
		}
	})
}

// A text is laid over its pieces: a byte is either at its very place, or at an open piece.
func FuzzAlign(f *testing.F) {
	f.Add("a", "b", "c", "d", "e", byte(0))
	f.Add("", "a ", " ", " b", "", byte(1))
	f.Add("x", "xx", "x", "xxx", "x", byte(2))
	f.Add("aba", "ab", "a", "", "ba", byte(7))
	f.Fuzz(func(t *testing.T, a, b, c, d, e string, names byte) {
		var pieces []piece
		var text strings.Builder
		var truth []int // by byte: its column on line 1, or 0 within what is open
		add := func(s string, open bool) {
			p := piece{open: open, lit: s}
			switch {
			case open && names&1 == 1:
				s, p.name = markOpen+"n"+markClose, true
				fallthrough
			case open:
				p.lit, p.pos = "", diag.Position{Line: 2, Column: 1 + text.Len()}
			case s == "":
				return
			default:
				p.places = []contract.Place{{Pos: diag.Position{Line: 1, Column: 1 + text.Len()}}}
			}
			for i := range len(s) {
				if column := text.Len() + i + 1; open {
					truth = append(truth, 0)
				} else {
					truth = append(truth, column)
				}
			}
			text.WriteString(s)
			pieces = append(pieces, p)
			names >>= 1
		}
		add(a, false)
		add(b, true)
		add(c, false)
		add(d, true)
		add(e, false)
		if text.Len() == 0 {
			return
		}
		places := align(pieces, text.String())
		if places == nil {
			t.Fatalf("%q is not laid over %+v", text.String(), pieces)
		}
		for i, want := range truth {
			pos := contract.Segment{Places: places}.At(i)
			if pos.Line == 1 && pos.Column != want || pos.Line == 0 {
				t.Fatalf("byte %d of %q is at %v, want column %d; %+v", i, text.String(), pos, want, pieces)
			}
		}
	})
}

// What is left of a module file is a module file.
func FuzzModuleFile(f *testing.F) {
	for _, s := range []string{"", "module: \"a.b/c@v0\"\n", "deps: {\"" + Module + "@v0\": {v: \"v0.1.0\"}}\n", "deps: \"" + Module + "@v0\": v: \"v0.1.0\"\n", "deps: {\"" + Module + "@v9\": {}, \"x@v0\": {}}\n", "{"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		out, changed, findings := withoutDep([]byte(src), "cue.mod/module.cue")
		if !changed {
			return
		}
		if len(findings) > 0 {
			t.Fatalf("changed and refused: %v", findings)
		}
		if _, err := parser.ParseFile("module.cue", out); err != nil {
			t.Fatalf("%q became %q: %v", src, out, err)
		}
	})
}

// A sample of a pattern matches it.
func FuzzSample(f *testing.F) {
	for _, s := range []string{"", "^x-", "a|b", "[a-z]{2,4}$", "(?:", "^$", "\\d+x?", "."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, re string) {
		s, ok := sample(re, len(re)%maxSamples)
		if ok && !regexp.MustCompile(re).MatchString(s) {
			t.Fatalf("%q does not match %q", s, re)
		}
	})
}
