package load

import (
	"strings"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// promptPart is a piece of a prompt file: literal text, or a reference of one to three names.
type promptPart struct {
	lit    string
	places []contract.Place // of lit
	ref    []string
	pos    diag.Position
}

// parsePrompt reads a prompt file: text with {{...}} references, in which \{{ is a literal {{. The line breaks that end
// the file are not part of the text, and one that a checkout has written as CR LF is LF.
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
	var places []contract.Place
	moved := true // whether the next byte does not stand right behind the last one that was written
	write := func(i int, s string) {
		if moved {
			places = append(places, contract.Place{Offset: lit.Len(), Pos: at(i)})
		}
		lit.WriteString(s)
		moved = false
	}
	flush := func() {
		if lit.Len() > 0 {
			out = append(out, promptPart{lit: lit.String(), places: places, pos: places[0].Pos})
			lit.Reset()
		}
		places = nil
	}
	for i := 0; i < len(src); {
		switch {
		case strings.HasPrefix(src[i:], `\{{`):
			places = append(places, contract.Place{Offset: lit.Len(), Pos: at(i), Fixed: true})
			lit.WriteString("{{")
			i, moved = i+3, true
		case strings.HasPrefix(src[i:], "{{"):
			end := strings.Index(src[i:], "}}")
			if nl := strings.IndexByte(src[i:], '\n'); end < 0 || nl >= 0 && nl < end {
				findings.Add(diag.Finding{Rule: "prompt-syntax", Pos: at(i), Message: "a reference is opened with {{ and not closed on its line",
					Fix: "close it with }}, or write \\{{ for two literal braces"})
				i, moved = i+2, true
				continue
			}
			name := strings.TrimSpace(src[i+2 : i+end])
			ref := strings.Split(name, ".")
			if !validReference(ref) {
				findings.Add(diag.Finding{Rule: "prompt-syntax", Pos: at(i), Message: "{{" + name + "}} is not a reference",
					Fix: "write {{tool}}, {{tool.parameter}}, {{tool.parameter.default}} or {{enum.word}}; \\{{ is a literal"})
			} else {
				flush()
				out = append(out, promptPart{ref: ref, pos: at(i)})
			}
			i, moved = i+end+2, true
		case strings.HasPrefix(src[i:], `\(tools.`), strings.HasPrefix(src[i:], `\(enums.`):
			findings.Add(diag.Finding{Rule: "prompt-syntax", Pos: at(i), Message: "this is a reference in CUE only; in a prompt file it would reach the model as it is",
				Fix: "write {{tool}}, {{tool.parameter}} or {{enum.word}}"})
			i, moved = i+1, true
		case src[i] == '\r':
			end := i
			for src[end] == '\r' { // the text does not end with one
				end++
			}
			if src[end] == '\n' {
				moved = true
			} else {
				write(i, src[i:end])
			}
			i = end
		default:
			write(i, src[i:i+1])
			i++
			if src[i-1] == '\n' {
				line, start, moved = line+1, i, true
			}
		}
	}
	flush()
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
