// Package hidden finds characters that a person does not see in a text and a model reads all the same: tags, controls of
// direction, zero-width characters, stray variation selectors, controls, and bytes that are no text at all.
//
// What it refuses is more than what attacks are known for: a text for a model needs none of these characters, and one
// that is there by accident is a difference between what was reviewed and what is sent.
package hidden

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Run is one or more hidden characters in a row.
type Run struct {
	Offset int    // of its first byte
	Len    int    // in bytes
	Runes  []rune // its characters; utf8.RuneError for a byte that is not UTF-8
}

// Find returns the runs of hidden characters of a text, in order. Tab, line feed and carriage return are not hidden, nor
// is a single variation selector behind what can have one: most symbols, digits, and letters of other alphabets than the
// Latin one.
func Find(s string) []Run {
	var out []Run
	end := -1       // of the last run
	prev := rune(0) // what a variation selector at i would vary; 0 for nothing that it could
	for i := 0; i < len(s); {
		if c := s[i]; c >= ' ' && c < 0x7f {
			prev = rune(c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if !hides(r, n, s[i+n:], prev) {
			switch {
			case unicode.Is(unicode.Variation_Selector, r):
				prev = 0 // the next one is one too many
			case !unicode.Is(unicode.Mn, r): // a letter with an accent is varied as the letter is
				prev = r
			}
			i += n
			continue
		}
		prev = 0
		if i != end {
			out = append(out, Run{Offset: i})
		}
		last := &out[len(out)-1]
		last.Len += n
		last.Runes = append(last.Runes, r)
		i += n
		end = i
	}
	return out
}

// hides reports whether a character that takes n bytes is hidden, between what it follows and the rest of the text.
func hides(r rune, n int, rest string, prev rune) bool {
	switch {
	case r == utf8.RuneError && n <= 1:
		return true
	case r == '\t' || r == '\n' || r == '\r':
		return false
	case unicode.Is(unicode.Variation_Selector, r):
		next, _ := utf8.DecodeRuneInString(rest)
		return !varies(prev) || r >= 0xe0100 || unicode.Is(unicode.Variation_Selector, next)
	}
	return unicode.In(r, unicode.Cf, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point) ||
		r >= 0xe0000 && r <= 0xe007f
}

// varies reports whether a character can have a variation selector behind it. Of ASCII these are the characters of
// keycaps and zero.
func varies(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r >= '0' && r <= '9' || r == '#' || r == '*'
	case unicode.IsSpace(r):
		return false
	}
	return !unicode.Is(unicode.Latin, r)
}

// maxNamed bounds how much of a run its description names.
const maxNamed = 4

// String says what the run is, with its code points: "a right-to-left override (U+202E)".
func (r Run) String() string {
	var parts []string
	left := len(r.Runes)
	for i := 0; i < len(r.Runes) && len(parts) < maxNamed; {
		what := name(r.Runes[i])
		j := i + 1
		for j < len(r.Runes) && name(r.Runes[j]) == what {
			j++
		}
		parts = append(parts, describe(what, r.Runes[i:j]))
		left -= j - i
		i = j
	}
	switch {
	case left > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(parts, ", "), left)
	case len(parts) > 1:
		return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
	}
	return strings.Join(parts, "")
}

// describe counts characters of one kind and lists their code points, each once.
func describe(what string, runes []rune) string {
	if len(runes) == 1 {
		what = article(what) + " " + what
	} else {
		what = fmt.Sprintf("%d %ss", len(runes), what)
	}
	if runes[0] == utf8.RuneError {
		return what
	}
	var points []string
	for _, r := range runes {
		p := fmt.Sprintf("%U", r)
		switch {
		case slices.Contains(points, p):
		case len(points) == maxNamed:
			return what + " (" + strings.Join(points, ", ") + ", ...)"
		default:
			points = append(points, p)
		}
	}
	return what + " (" + strings.Join(points, ", ") + ")"
}

func article(noun string) string {
	if strings.ContainsRune("AEIOUaeiou", rune(noun[0])) {
		return "an"
	}
	return "a"
}

// Fix says what to do about the run.
func (r Run) Fix() string {
	it := "it"
	if len(r.Runes) > 1 {
		it = "them"
	}
	emoji := func(c rune) bool {
		return c == '\u200d' || c >= 0xe0020 && c <= 0xe007f || unicode.Is(unicode.Variation_Selector, c)
	}
	if slices.ContainsFunc(r.Runes, emoji) {
		return "delete " + it + "; of an emoji that is made with such characters keep the plain one"
	}
	return "delete " + it
}
