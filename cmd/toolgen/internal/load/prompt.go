package load

import (
	"strings"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// promptPart is a piece of a prompt file: literal text, or a reference of one to three names.
type promptPart struct {
	lit string
	ref []string
	pos diag.Position
}

// parsePrompt reads a prompt file: text with {{...}} references, in which \{{ is a literal {{. The line breaks that end
// the file are not part of the text.
func parsePrompt(file, src string) ([]promptPart, diag.Findings) {
	src = strings.TrimRight(src, "\r\n")
	var (
		out      []promptPart
		findings diag.Findings
		lit      strings.Builder
		line     = 1
		start    = 0 // offset of the current line
	)
	at := func(i int) diag.Position { return diag.Position{File: file, Line: line, Column: i - start + 1} }
	litPos := at(0)
	flush := func(next diag.Position) {
		if lit.Len() > 0 {
			out = append(out, promptPart{lit: lit.String(), pos: litPos})
			lit.Reset()
		}
		litPos = next
	}
	for i := 0; i < len(src); {
		switch {
		case strings.HasPrefix(src[i:], `\{{`):
			lit.WriteString("{{")
			i += 3
		case strings.HasPrefix(src[i:], "{{"):
			end := strings.Index(src[i:], "}}")
			if nl := strings.IndexByte(src[i:], '\n'); end < 0 || nl >= 0 && nl < end {
				findings.Add(diag.Finding{Rule: "prompt-syntax", Pos: at(i), Message: "a reference is opened with {{ and not closed on its line",
					Fix: "close it with }}, or write \\{{ for two literal braces"})
				lit.WriteString("{{")
				i += 2
				continue
			}
			name := strings.TrimSpace(src[i+2 : i+end])
			ref := strings.Split(name, ".")
			if !validReference(ref) {
				findings.Add(diag.Finding{Rule: "prompt-syntax", Pos: at(i), Message: "{{" + name + "}} is not a reference",
					Fix: "write {{tool}}, {{tool.parameter}}, {{tool.parameter.default}} or {{enum.word}}; \\{{ is a literal"})
			} else {
				flush(at(i + end + 2))
				out = append(out, promptPart{ref: ref, pos: at(i)})
			}
			i += end + 2
		case strings.HasPrefix(src[i:], `\(tools.`), strings.HasPrefix(src[i:], `\(enums.`):
			findings.Add(diag.Finding{Rule: "prompt-syntax", Pos: at(i), Message: "this is a reference in CUE only; in a prompt file it would reach the model as it is",
				Fix: "write {{tool}}, {{tool.parameter}} or {{enum.word}}"})
			lit.WriteByte(src[i])
			i++
		default:
			c := src[i]
			lit.WriteByte(c)
			i++
			if c == '\n' {
				line, start = line+1, i
			}
		}
	}
	flush(diag.Position{})
	return out, findings
}

func validReference(ref []string) bool {
	if len(ref) > 3 || len(ref) == 3 && ref[2] != "default" {
		return false
	}
	for _, r := range ref {
		if r == "" || strings.ContainsAny(r, " \t\r{}") {
			return false
		}
	}
	return true
}
