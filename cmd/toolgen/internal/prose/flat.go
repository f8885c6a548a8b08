package prose

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// flat is a text as one string, with every byte's way back to its segment. What prose rules never look at (fenced code
// blocks, URLs, a template's actions) is blanked, so that offsets stay.
type flat struct {
	s     string
	parts []part
	spans []span
}

// part is what one segment gave.
type part struct {
	start, end int
	seg        contract.Segment
}

// span is a code span: its content lies between start and end, its backquotes outside.
type span struct{ open, start, end, close int }

func flatten(t contract.Text, names contract.Names, template bool) *flat {
	f := &flat{}
	var b strings.Builder
	for _, seg := range t {
		start := b.Len()
		b.WriteString(contract.Text{seg}.Render(names))
		f.parts = append(f.parts, part{start, b.Len(), seg})
	}
	f.s = b.String()
	if template {
		f.blank("{{", "}}")
	}
	if strings.Contains(f.s, "```") || strings.Contains(f.s, "~~~") {
		f.blankFences()
	}
	if strings.Contains(f.s, "://") {
		f.blankURLs()
	}
	if strings.Contains(f.s, "`") {
		f.findSpans()
	}
	return f
}

// part returns the segment that gave the byte at an offset.
func (f *flat) part(at int) *part {
	for i := range f.parts {
		if p := &f.parts[i]; at < p.end {
			return p
		}
	}
	return nil
}

// pos is where the byte at an offset stands in its source; fallback is where the text stands.
func (f *flat) pos(at int, fallback diag.Position) diag.Position {
	p := f.part(at)
	if p == nil {
		return fallback
	}
	pos := p.seg.Pos
	if !p.seg.IsRef() {
		pos = p.seg.At(at - p.start)
	}
	if pos == (diag.Position{}) {
		return fallback
	}
	return pos
}

// literal reports whether a range was written by hand: no byte of it comes from a reference.
func (f *flat) literal(start, end int) bool {
	for _, p := range f.parts {
		if p.seg.IsRef() && p.start < end && start < p.end {
			return false
		}
	}
	return true
}

// ref returns the reference that gave exactly a range, if one did.
func (f *flat) ref(start, end int) (contract.Segment, bool) {
	for _, p := range f.parts {
		if p.seg.IsRef() && p.start == start && p.end == end {
			return p.seg, true
		}
	}
	return contract.Segment{}, false
}

func (f *flat) cut(start, end int) {
	f.s = f.s[:start] + blanks(f.s[start:end]) + f.s[end:]
}

// blanks is as long as s, with its line breaks.
func blanks(s string) string {
	b := make([]byte, len(s))
	for i := range b {
		if b[i] = ' '; s[i] == '\n' {
			b[i] = '\n'
		}
	}
	return string(b)
}

func (f *flat) blank(open, close string) {
	for at := 0; ; {
		i := strings.Index(f.s[at:], open)
		if i < 0 {
			return
		}
		i += at
		j := strings.Index(f.s[i:], close)
		if j < 0 {
			return
		}
		at = i + j + len(close)
		f.cut(i, at)
	}
}

// blankFences blanks the blocks between lines that begin with three or more backquotes or tildes.
func (f *flat) blankFences() {
	fence, open := "", 0
	for at := 0; at < len(f.s); {
		end := len(f.s)
		if i := strings.IndexByte(f.s[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		line := strings.TrimSpace(f.s[at:end])
		mark := line[:len(line)-len(strings.TrimLeft(line, firstOf(line)))]
		switch {
		case fence == "" && len(mark) >= 3 && (mark[0] == '`' || mark[0] == '~') && !(mark[0] == '`' && strings.Contains(line[len(mark):], "`")):
			fence, open = mark, at
		case fence != "" && len(mark) >= len(fence) && mark[0] == fence[0] && line == mark:
			f.cut(open, end)
			fence = ""
		}
		at = end
	}
	if fence != "" {
		f.cut(open, len(f.s))
	}
}

func firstOf(s string) string {
	if s == "" {
		return ""
	}
	return s[:1]
}

// blankURLs blanks from a scheme to the next space or closing delimiter.
func (f *flat) blankURLs() {
	for at := 0; ; {
		i := strings.Index(f.s[at:], "://")
		if i < 0 {
			return
		}
		i += at
		start := i
		for start > 0 && (isWord(f.s[start-1]) || strings.IndexByte("+.-", f.s[start-1]) >= 0) {
			start--
		}
		end := i
		for end < len(f.s) && strings.IndexByte(" \t\n`\"'<>)]}|", f.s[end]) < 0 {
			end++
		}
		at = end
		if start < i {
			f.cut(start, end)
		}
	}
}

// findSpans finds the code spans: a run of backquotes up to the next run of the same length, within a paragraph.
func (f *flat) findSpans() {
	run := func(i int) int {
		n := 0
		for i+n < len(f.s) && f.s[i+n] == '`' {
			n++
		}
		return n
	}
	for i := 0; i < len(f.s); {
		n := run(i)
		if n == 0 {
			i++
			continue
		}
		end := -1
		for j := i + n; j < len(f.s); {
			if strings.HasPrefix(f.s[j:], "\n\n") {
				break
			}
			if m := run(j); m == n {
				end = j
				break
			} else if m > 0 {
				j += m
				continue
			}
			j++
		}
		if end < 0 {
			i += n
			continue
		}
		sp := span{open: i, start: i + n, end: end, close: end + n}
		for sp.start < sp.end && isSpace(f.s[sp.start]) {
			sp.start++
		}
		for sp.end > sp.start && isSpace(f.s[sp.end-1]) {
			sp.end--
		}
		f.spans = append(f.spans, sp)
		i = end + n
	}
}

// span returns the code span that an offset lies in, its backquotes included.
func (f *flat) span(at int) (span, bool) {
	for _, s := range f.spans {
		if s.open <= at && at < s.close {
			return s, true
		}
	}
	return span{}, false
}

// sentence returns the bounds of the sentence around an offset. A line break alone ends none, unless a list item or an
// empty line follows.
func (f *flat) sentence(at int) (start, end int) {
	for i := 0; i < len(f.s); {
		n := f.stop(i)
		if n == 0 {
			_, w := utf8.DecodeRuneInString(f.s[i:])
			i += w
			continue
		}
		if i+n > at {
			return start, i + n
		}
		i += n
		start = i
	}
	return start, len(f.s)
}

// stop returns how many bytes end a sentence at an offset, 0 where none ends.
func (f *flat) stop(i int) int {
	rest := f.s[i:]
	switch c := rest[0]; {
	case c == '.' || c == '!' || c == '?':
		if len(rest) > 1 && !isSpace(rest[1]) {
			return 0
		}
		for _, abbreviation := range []string{"e.g", "i.e", "etc", "vs", "cf"} {
			if strings.HasSuffix(f.s[:i], abbreviation) && (i == len(abbreviation) || !isWord(f.s[i-len(abbreviation)-1])) {
				return 0
			}
		}
		return 1
	case c == '\n':
		next := strings.TrimLeft(rest[1:], " \t")
		if next == "" || next[0] == '\n' || strings.IndexByte("-*+#|", next[0]) >= 0 || next[0] >= '0' && next[0] <= '9' && strings.ContainsAny(next[:min(4, len(next))], ".)") {
			return 1
		}
	default:
		for _, mark := range []string{"。", "！", "？", "；"} {
			if strings.HasPrefix(rest, mark) {
				return len(mark)
			}
		}
	}
	return 0
}

// quoted returns the range between quotes that open at an offset, and where they close.
func (f *flat) quoted(at int) (start, end, after int, ok bool) {
	for _, q := range [][2]string{{`"`, `"`}, {"'", "'"}, {"“", "”"}, {"‘", "’"}, {"«", "»"}, {"「", "」"}, {"『", "』"}} {
		if !strings.HasPrefix(f.s[at:], q[0]) {
			continue
		}
		start = at + len(q[0])
		n := strings.Index(f.s[start:], q[1])
		if n < 0 || strings.Contains(f.s[start:start+n], "\n\n") {
			return 0, 0, 0, false
		}
		return start, start + n, start + n + len(q[1]), true
	}
	return 0, 0, 0, false
}

// isWord reports whether a byte can be part of a name.
func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// name reads a name of letters, digits, underscores and inner hyphens at an offset; it returns where it ends.
func (f *flat) name(at int) int {
	i := at
	for i < len(f.s) && (isWord(f.s[i]) || f.s[i] == '-' && i > at && i+1 < len(f.s) && isWord(f.s[i+1])) {
		i++
	}
	if r, _ := utf8.DecodeRuneInString(f.s[i:]); i > at && r >= utf8.RuneSelf && unicode.IsLetter(r) && r < 0x2E80 {
		return at // part of a word of another alphabet; Chinese and the like stand beside names without a space
	}
	return i
}

// nameStart reports whether a name can begin at an offset.
func (f *flat) nameStart(at int) bool {
	if at > 0 && (isWord(f.s[at-1]) || f.s[at-1] == '-') {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(f.s[:at])
	return !(r >= utf8.RuneSelf && unicode.IsLetter(r) && r < 0x2E80)
}
