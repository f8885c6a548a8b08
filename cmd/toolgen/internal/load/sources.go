package load

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	cueload "cuelang.org/go/cue/load"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/hidden"
)

// readSources reads the files and looks at them before CUE does: what it would choke on, and characters that would pass
// for a reference.
func (p *Project) readSources() (map[string][]byte, diag.Findings, error) {
	var out diag.Findings
	sources := make(map[string][]byte, len(p.Inputs))
	for _, o := range p.odd {
		out.Add(diag.Finding{Rule: "source-file", Pos: diag.Position{File: o.path}, Message: o.why, Fix: "put a plain file or folder in its place"})
	}
	for _, f := range p.Inputs {
		src, err := os.ReadFile(filepath.Join(p.Root, filepath.FromSlash(f)))
		if err != nil {
			return nil, nil, err
		}
		sources[f] = src
		if len(src) > maxFileBytes {
			out.Add(diag.Finding{Rule: "spec-bounds", Pos: diag.Position{File: f}, Message: fmt.Sprintf("the file has %d bytes, more than %d", len(src), maxFileBytes),
				Fix: "split it into several files"})
			continue
		}
		if i, what := badBytes(src); what != "" {
			out.Add(diag.Finding{Rule: "source-file", Pos: offset(f, src, i), Message: "the file has " + what, Fix: "save it as UTF-8 text without a byte-order mark"})
			continue
		}
		for _, mark := range []string{markOpen, markClose} {
			if i := bytes.Index(src, []byte(mark)); i >= 0 {
				out.Add(diag.Finding{Rule: "text-marker", Pos: offset(f, src, i), Message: fmt.Sprintf("the file has the private-use character %U, by which toolgen marks names", []rune(mark)[0]),
					Fix: "remove it"})
			}
		}
		out = append(out, hiddenBytes(f, src)...)
		if strings.HasSuffix(f, ".cue") {
			if pos, deep := tooDeep(f, src); deep {
				out.Add(diag.Finding{Rule: "spec-bounds", Pos: pos, Message: fmt.Sprintf("the nesting is deeper than %d levels", maxNesting), Fix: "flatten it, or name parts of it by definitions"})
			}
		}
	}
	return sources, out, nil
}

// badBytes finds what is no text: bytes that are no UTF-8, NUL, and a byte-order mark.
func badBytes(src []byte) (int, string) {
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		switch {
		case r == utf8.RuneError && n <= 1:
			return i, "bytes that are not UTF-8"
		case r == 0:
			return i, "a NUL character"
		case r == '\ufeff' && i == 0:
			return i, "a byte-order mark"
		}
		i += n
	}
	return 0, ""
}

func offset(file string, src []byte, i int) diag.Position {
	line := 1 + bytes.Count(src[:i], []byte("\n"))
	return diag.Position{File: file, Line: line, Column: i - bytes.LastIndexByte(src[:i], '\n')}
}

// maxHidden bounds how many runs of hidden characters of one file are told apart.
const maxHidden = 100

// hiddenBytes reports the characters of a file that nobody sees. What is in cue.mod is not the project's own.
func hiddenBytes(file string, src []byte) diag.Findings {
	if strings.HasPrefix(file, "cue.mod/") {
		return nil
	}
	var out diag.Findings
	runs := hidden.Find(string(src))
	for i, run := range runs {
		f := diag.Finding{Rule: "hidden-unicode", Pos: offset(file, src, run.Offset), Message: "the file has " + run.String() + ", which nobody sees and a model reads", Fix: run.Fix()}
		if left := len(runs) - i - 1; left > 0 && len(out) == maxHidden-1 {
			f.Message += fmt.Sprintf("; behind it are %d more", left)
			return append(out, f)
		}
		out.Add(f)
	}
	return out
}

// unreadable reports whether a finding of readSources keeps CUE from being asked at all.
func unreadable(f diag.Finding) bool { return f.Rule == "spec-bounds" }

// inSpecs reports whether something odd stands where CUE would read it, and follow a link or wait for a pipe.
func inSpecs(o oddFile) bool { return !strings.HasPrefix(o.path, PromptDir) }

// clean gives CUE, in place of each file with bytes that it would choke on or take for a marker, a copy without them in
// which everything else stands where it stood. They are findings of their own, and hide nothing else.
func (p *Project) clean(sources map[string][]byte, overlay map[string]cueload.Source) {
	for f, src := range sources {
		if out := cleaned(src); out != nil {
			sources[f] = out
			if name := filepath.Join(p.Root, filepath.FromSlash(f)); strings.HasSuffix(f, ".cue") && overlay[name] == nil {
				overlay[name] = cueload.FromBytes(out)
			}
		}
	}
}

// cleaned replaces each byte that is no text, and each byte of a private-use character; nil where there is none.
func cleaned(src []byte) []byte {
	var out []byte
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		by := byte('?')
		switch {
		case r == 0:
			by = ' '
		case r == '\ufeff' && i == 0:
			by = ' '
		case r == utf8.RuneError && n <= 1, r == '\ufeff': // elsewhere CUE takes the mark for a fault of its own
		case string(r) == markOpen || string(r) == markClose:
		default:
			i += n
			continue
		}
		if out == nil {
			out = bytes.Clone(src)
		}
		for range n {
			out[i] = by
			i++
		}
	}
	return out
}

// clause matches the package clause of a spec.
var clause = regexp.MustCompile(`(?m)^package[ \t]+([A-Za-z_][A-Za-z0-9_]*)`)

// clauses refuses files that say to be of another package than the others of their folder. CUE is given them as of that.
func (p *Project) clauses(sources map[string][]byte, overlay map[string]cueload.Source) diag.Findings {
	var out diag.Findings
	for _, dir := range p.Packages {
		var files, names []string
		count := map[string]int{}
		for _, f := range p.Inputs {
			if m := clause.FindSubmatch(sources[f]); path.Dir(f) == dir && strings.HasSuffix(f, ".cue") && m != nil {
				files, names = append(files, f), append(names, string(m[1]))
				count[string(m[1])]++
			}
		}
		if len(count) < 2 {
			continue
		}
		most := names[0]
		for _, n := range names {
			if count[n] > count[most] {
				most = n
			}
		}
		for i, f := range files {
			if names[i] == most {
				continue
			}
			at := clause.FindSubmatchIndex(sources[f])
			out.Add(diag.Finding{Rule: "cue-syntax", Pos: offset(f, sources[f], at[0]),
				Message: fmt.Sprintf("the file is of the package %s, the others of its folder are of %s", names[i], most),
				Fix:     "write package " + most + ", or move the file to a folder of its own"})
			sources[f] = slices.Concat(sources[f][:at[2]], []byte(most), sources[f][at[3]:])
			overlay[filepath.Join(p.Root, filepath.FromSlash(f))] = cueload.FromBytes(sources[f])
		}
	}
	return out
}
