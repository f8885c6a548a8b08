package load

import (
	"regexp"
	"strings"
	"testing"

	"cuelang.org/go/cue/parser"

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
		text, err := segments(s, diag.Position{})
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
