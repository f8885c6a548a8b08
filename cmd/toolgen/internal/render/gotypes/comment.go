package gotypes

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"
)

// textWidth is how many characters of a text stand in one line of a comment: with the signs of the comment and an
// indentation about 110 columns.
const textWidth = 100

// doc writes a doc comment.
func (g *gen) doc(text string) { g.file.Add(comment(text)) }

// comment writes a text as line comments, so that nothing in it can end them.
func comment(text string) *jen.Statement {
	s := jen.Null()
	for i, line := range commentLines(text) {
		if i > 0 {
			s.Line()
		}
		s.Comment(line)
	}
	return s
}

// commentLines makes the lines of a comment. They start with the signs of one, which keeps jennifer from choosing others.
func commentLines(text string) []string {
	var out []string
	for line := range strings.SplitSeq(strings.Trim(sourceText(text), "\n "), "\n") {
		for _, l := range wrap(strings.TrimRight(line, " \t")) {
			if l = noDirective(l); l != "" {
				l = " " + l
			}
			out = append(out, "//"+l)
		}
	}
	return out
}

// sourceText makes a text fit to stand in Go source: what the language forbids there is dropped, and what hides text from
// a reader too.
func sourceText(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n"), "\r", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\u2028' || r == '\u2029' || unicode.IsControl(r):
			return ' '
		case r == '\uFEFF' || r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069':
			return -1
		}
		return r
	}, text)
}

// defuse breaks what tools look for anywhere in a comment.
var defuse = strings.NewReplacer("//go:", "// go:", "+build", "+ build", "#nosec", "# nosec")

// noDirective keeps a line of prose from being an instruction to Go's tools.
func noDirective(line string) string {
	line = defuse.Replace(line)
	lead := len(line) - len(strings.TrimLeft(line, "/ \t"))
	for _, word := range []string{"nolint", "Code generated"} {
		if rest, ok := strings.CutPrefix(line[lead:], word); ok {
			return line[:lead] + `"` + word + `"` + rest
		}
	}
	return line
}

// wrap breaks a line of prose that is too long. Indented lines are preformatted, and stay.
func wrap(line string) []string {
	if utf8.RuneCountInString(line) <= textWidth || strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ") {
		return []string{line}
	}
	words := strings.Fields(line)
	indent := ""
	if marker(words[0]) {
		indent = "    " // go doc takes indented lines for the list item's
	}
	var out []string
	at := words[0]
	width := utf8.RuneCountInString(at)
	for _, w := range words[1:] {
		n := utf8.RuneCountInString(w)
		if width+1+n > textWidth && !marker(w) {
			out = append(out, at)
			at, width = indent+w, len(indent)+n
			continue
		}
		at, width = at+" "+w, width+1+n
	}
	return append(out, at)
}

// marker reports whether a word begins a list item or a heading where a line begins with it.
func marker(word string) bool {
	if strings.Trim(word, "-*+•#") == "" {
		return true
	}
	digits := strings.TrimRight(word, ".)")
	return digits != word && strings.Trim(digits, "0123456789") == ""
}

// isDoc makes the doc of a name: as a sentence about it where the text begins like the end of one, behind what it is
// otherwise.
func isDoc(name, doc, what string) string {
	first, rest, _ := strings.Cut(doc, " ")
	switch first {
	case "":
		return name + " is " + what + "."
	case name:
		return doc
	case "A", "An", "The", "What", "Where", "When", "Which", "How", "Whether", "One":
		return name + " is " + strings.ToLower(first) + " " + rest
	}
	return name + " is " + what + ". " + doc
}
