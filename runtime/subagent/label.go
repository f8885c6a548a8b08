package subagent

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLabel is how long a label may be, in characters.
const maxLabel = 80

// oneLine makes a label of what a model wrote: one line of visible characters, so that in a listing or a notice it cannot look
// like another line.
func oneLine(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	var b strings.Builder
	n, space := 0, false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r) || r == '\u2028' || r == '\u2029':
			space = n > 0
			continue
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r):
			continue
		}
		if n >= maxLabel {
			b.WriteRune('…')
			break
		}
		if space {
			b.WriteByte(' ')
			n++
		}
		space = false
		b.WriteRune(r)
		n++
	}
	if b.Len() == 0 {
		return "untitled"
	}
	return b.String()
}

// capped shortens a text to limit bytes and a note: its head and its tail stay, cut between characters.
func capped(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	head := limit * 3 / 4
	tail := len(s) - (limit - head)
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return fmt.Sprintf("%s\n[%d bytes were left out here]\n%s", s[:head], tail-head, s[tail:])
}
