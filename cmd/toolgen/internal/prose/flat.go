package prose

import (
	"sort"
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
	ends  []int // of the sentences; made when first needed
}

// maxQuoted bounds what is read as one quoted word or value, so that a stray quote costs little.
const maxQuoted = 200

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
	var blanked [][2]int
	if template {
		blanked = append(blanked, f.between("{{", "}}")...)
	}
	if strings.Contains(f.s, "```") || strings.Contains(f.s, "~~~") {
		blanked = append(blanked, f.fences()...)
	}
	if strings.Contains(f.s, "    ") || strings.Contains(f.s, "\t") {
		blanked = append(blanked, f.indented()...)
	}
	if strings.Contains(f.s, "://") {
		blanked = append(blanked, f.urls()...)
	}
	f.blank(blanked)
	if strings.Contains(f.s, "`") {
		f.findSpans()
	}
	return f
}

// part returns the segment that gave the byte at an offset.
func (f *flat) part(at int) *part {
	i := sort.Search(len(f.parts), func(i int) bool { return at < f.parts[i].end })
	if i == len(f.parts) {
		return nil
	}
	return &f.parts[i]
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
	i := sort.Search(len(f.parts), func(i int) bool { return start < f.parts[i].end })
	for ; i < len(f.parts) && f.parts[i].start < end; i++ {
		if f.parts[i].seg.IsRef() {
			return false
		}
	}
	return true
}

// ref returns the reference that gave exactly a range, if one did.
func (f *flat) ref(start, end int) (contract.Segment, bool) {
	if p := f.part(start); p != nil && p.seg.IsRef() && p.start == start && p.end == end {
		return p.seg, true
	}
	return contract.Segment{}, false
}

// blank overwrites ranges by spaces; line breaks stay.
func (f *flat) blank(ranges [][2]int) {
	if len(ranges) == 0 {
		return
	}
	b := []byte(f.s)
	for _, r := range ranges {
		for i := r[0]; i < r[1]; i++ {
			if b[i] != '\n' {
				b[i] = ' '
			}
		}
	}
	f.s = string(b)
}

// between finds the ranges from an opening to the next closing mark.
func (f *flat) between(open, close string) (out [][2]int) {
	for at := 0; ; {
		i := strings.Index(f.s[at:], open)
		if i < 0 {
			return out
		}
		j := strings.Index(f.s[at+i:], close)
		if j < 0 {
			return out
		}
		out = append(out, [2]int{at + i, at + i + j + len(close)})
		at += i + j + len(close)
	}
}

// fences finds the blocks between lines that begin with three or more backquotes or tildes.
func (f *flat) fences() (out [][2]int) {
	fence, open := "", 0
	for at := 0; at < len(f.s); {
		end := len(f.s)
		if i := strings.IndexByte(f.s[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		line := strings.TrimSpace(f.s[at:end])
		mark := line[:len(line)-len(strings.TrimLeft(line, firstOf(line)))]
		switch {
		case fence == "" && len(mark) >= 3 && (mark[0] == '`' && !strings.Contains(line[len(mark):], "`") || mark[0] == '~'):
			fence, open = mark, at
		case fence != "" && len(mark) >= len(fence) && mark[0] == fence[0] && line == mark:
			out = append(out, [2]int{open, end})
			fence = ""
		}
		at = end
	}
	if fence != "" {
		out = append(out, [2]int{open, len(f.s)})
	}
	return out
}

// indented finds the blocks of lines that begin with four spaces or a tab, as Markdown has code: behind an empty line or
// at the beginning, and not where they go on with a list item.
func (f *flat) indented() (out [][2]int) {
	code, empty, item := false, true, false
	for at := 0; at < len(f.s); {
		end := len(f.s)
		if i := strings.IndexByte(f.s[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		line := f.s[at:end]
		text := strings.TrimLeft(line, " \t")
		deep := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
		switch {
		case strings.TrimSpace(text) == "":
			empty = true
		case deep && (code || empty && !item):
			code = true
			out = append(out, [2]int{at, end})
			empty = false
		default:
			item = bullet(text) > 0 || item && (deep || line != text || !empty)
			code, empty = false, false
		}
		at = end
	}
	return out
}

func firstOf(s string) string {
	if s == "" {
		return ""
	}
	return s[:1]
}

// urls finds what reaches from a scheme to the next space or closing delimiter.
func (f *flat) urls() (out [][2]int) {
	for at := 0; ; {
		i := strings.Index(f.s[at:], "://")
		if i < 0 {
			return out
		}
		i += at
		start := i
		for start > at && (isWord(f.s[start-1]) || strings.IndexByte("+.-", f.s[start-1]) >= 0) {
			start--
		}
		end := i + len("://")
		for end < len(f.s) && strings.IndexByte(" \t\n`\"'<>)]}|", f.s[end]) < 0 {
			end++
		}
		at = end
		if start < i {
			out = append(out, [2]int{start, end})
		}
	}
}

// findSpans finds the code spans: a run of backquotes up to the next run of the same length, within a paragraph.
func (f *flat) findSpans() {
	type run struct{ at, n, paragraph int }
	var runs []run
	paragraph := 0
	for i := 0; i < len(f.s); {
		n := 0
		for i+n < len(f.s) && f.s[i+n] == '`' {
			n++
		}
		if n > 0 {
			runs = append(runs, run{i, n, paragraph})
		} else if strings.HasPrefix(f.s[i:], "\n\n") {
			paragraph++
		}
		i += max(n, 1)
	}
	next := make([]int, len(runs)) // the next run of the same length
	last := map[int]int{}
	for i := len(runs) - 1; i >= 0; i-- {
		next[i] = -1
		if j, ok := last[runs[i].n]; ok && runs[j].paragraph == runs[i].paragraph {
			next[i] = j
		}
		last[runs[i].n] = i
	}
	for i := 0; i < len(runs); i++ {
		if next[i] < 0 {
			continue
		}
		open, end := runs[i], runs[next[i]]
		sp := span{open: open.at, start: open.at + open.n, end: end.at, close: end.at + end.n}
		for sp.start < sp.end && isSpace(f.s[sp.start]) {
			sp.start++
		}
		for sp.end > sp.start && isSpace(f.s[sp.end-1]) {
			sp.end--
		}
		f.spans = append(f.spans, sp)
		i = next[i]
	}
}

// span returns the code span that an offset lies in, its backquotes included.
func (f *flat) span(at int) (span, bool) {
	i := sort.Search(len(f.spans), func(i int) bool { return at < f.spans[i].close })
	if i == len(f.spans) || f.spans[i].open > at {
		return span{}, false
	}
	return f.spans[i], true
}

// sentence returns the bounds of the sentence around an offset. A line break alone ends none, unless a list item or an
// empty line follows.
func (f *flat) sentence(at int) (start, end int) {
	if f.ends == nil {
		for i := 0; i < len(f.s); {
			n := f.stop(i)
			if n > 0 {
				f.ends = append(f.ends, i+n)
			}
			i += max(n, 1)
		}
		f.ends = append(f.ends, len(f.s))
	}
	i := sort.Search(len(f.ends), func(i int) bool { return at < f.ends[i] })
	if i == len(f.ends) {
		i--
	}
	if i > 0 {
		start = f.ends[i-1]
	}
	return start, f.ends[i]
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
		next := strings.TrimLeft(rest[1:min(len(rest), 1+maxQuoted)], " \t")
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
		n := strings.Index(f.s[start:min(len(f.s), start+maxQuoted)], q[1])
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
