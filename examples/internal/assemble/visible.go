package assemble

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible makes a text that anyone may have written fit for a terminal or a log: characters that do something there, or that
// nobody sees, are escaped as in Go, and so is what is no UTF-8. Line ends and tabs stay.
func Visible(s string) string {
	if !strings.ContainsFunc(s, odd) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteString(`\x` + strconv.FormatUint(uint64(s[0]), 16))
		case odd(r):
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		default:
			b.WriteRune(r)
		}
		s = s[n:]
	}
	return b.String()
}

// odd reports whether a character is not simply shown.
func odd(r rune) bool { return !unicode.IsPrint(r) && r != '\n' && r != '\t' }

// OneLine is Visible on one line, at most limit characters long.
func OneLine(s string, limit int) string {
	s = Visible(strings.Join(strings.Fields(s), " "))
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	runes := []rune(s)
	return string(runes[:limit-1]) + "…"
}
