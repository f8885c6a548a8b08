package prose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// list is a list of words that says that it is all of them.
type list struct {
	items []item
	end   int  // behind the last item
	pipes bool // "a | b"
	lines bool // one item a line

	elsewhere bool            // words that the text has elsewhere count as listed
	param     *contract.Param // with elsewhere, what it is a list of, where that is not the parameter whose doc it is
	verdict   *verdict
}

type item struct {
	start, end    int // of the word
	before, after int // in front of its quotes, and behind them
	word          string
}

// lists finds the closed lists of a text: "a | b", and those that words introduce.
func (p *passage) lists() []list {
	var out []list
	for at := 0; ; {
		i := strings.IndexByte(p.s[at:], '|')
		if i < 0 {
			break
		}
		l, end := p.pipes(at + i)
		at = end
		if len(l.items) > 1 {
			out = append(out, l)
		}
	}
	out = append(out, p.introduced()...)
	for i := range out {
		out[i].verdict = p.judge(out[i])
	}
	return out
}

// pipes reads the words around a bar; it returns where to look on.
func (p *passage) pipes(bar int) (list, int) {
	lineStart := strings.LastIndexByte(p.s[:bar], '\n') + 1
	if strings.HasPrefix(strings.TrimLeft(p.s[lineStart:bar+1], " "), "|") { // a row of a table
		if n := strings.IndexByte(p.s[bar:], '\n'); n >= 0 {
			return list{}, bar + n
		}
		return list{}, len(p.s)
	}
	first, ok := p.itemBefore(bar)
	if !ok {
		return list{}, bar + 1
	}
	in, inSpan := p.flat.span(bar)
	if inSpan && first.start > in.start { // a pipe between commands has words beside its words
		before := strings.TrimRight(p.s[in.start:first.start], "\"'")
		if trimmed := strings.TrimRight(before, " "); trimmed != before && trimmed != "" && isWord(trimmed[len(trimmed)-1]) {
			return list{}, in.end
		}
	}
	l := list{items: []item{first}, pipes: true}
	at := bar
	for at < len(p.s) && p.s[at] == '|' {
		next, ok := p.itemAt(p.skip(at + 1))
		if !ok {
			break
		}
		l.items, l.end = append(l.items, next), next.after
		at = p.remark(p.skip(next.after))
	}
	if inSpan && at < in.end && isWord(p.s[at]) {
		return list{}, in.end
	}
	return l, max(at, bar+1)
}

// condition reports whether "one of" at an offset picks some words and closes nothing: "not one of", "if it is one of",
// "whose status is one of".
func (p *passage) condition(at int, lower string) bool {
	if p.negated(at) {
		return true
	}
	start, _ := p.sentence(at)
	before := lower[start:at]
	before = before[strings.LastIndexAny(before, ",;:")+1:]
	return slices.ContainsFunc(strings.Fields(before), func(word string) bool {
		return strings.Contains(" if when unless until while where whose ", " "+word+" ")
	})
}

// series reads "a, b or c" at an offset. A remark in parentheses behind a word belongs to it.
func (p *passage) series(at int) list {
	if at < len(p.s) && p.s[at] == ':' {
		at++
	}
	l := list{end: at}
	for last := false; ; {
		next, ok := p.itemAt(p.skip(at))
		if !ok {
			return l
		}
		l.items, l.end = append(l.items, next), next.after
		at = p.remark(p.skip(next.after))
		sep := false
		if !last && at < len(p.s) && (p.s[at] == ',' || p.s[at] == '/' || p.s[at] == ';') {
			at, sep = p.skip(at+1), true
		}
		for _, word := range []string{"or", "and"} {
			if n := at + len(word); strings.HasPrefix(p.s[at:], word) && n < len(p.s) && isSpace(p.s[n]) {
				at, sep, last = n, true, true // behind it a comma goes on with the sentence
				break
			}
		}
		if !sep {
			return l
		}
	}
}

// maxRemark bounds a remark on a word of a list.
const maxRemark = 80

// remark moves over a short text in parentheses that is followed by another item.
func (p *passage) remark(at int) int {
	if at >= len(p.s) || p.s[at] != '(' {
		return at
	}
	n := strings.IndexByte(p.s[at:min(len(p.s), at+maxRemark)], ')')
	if n < 0 {
		return at
	}
	to := p.skip(at + n + 1)
	if to < len(p.s) && (strings.IndexByte(",/|;", p.s[to]) >= 0 || strings.HasPrefix(p.s[to:], "or ") || strings.HasPrefix(p.s[to:], "and ")) {
		return to
	}
	return at
}

func (p *passage) skip(at int) int {
	for at < len(p.s) && isSpace(p.s[at]) {
		at++
	}
	return at
}

// itemAt reads one word at an offset: in backquotes, in quotes, or bare.
func (p *passage) itemAt(at int) (item, bool) {
	if at >= len(p.s) {
		return item{}, false
	}
	if s, ok := p.flat.span(at); ok && s.open == at {
		return p.single(s.open, s.start, s.end, s.close)
	}
	if start, end, after, ok := p.quoted(at); ok {
		return p.single(at, start, end, after)
	}
	if stars := len(p.s[at:]) - len(strings.TrimLeft(p.s[at:], "*")); stars > 0 && stars < 3 {
		start := at + stars
		end := p.name(start)
		return item{start, end, at, end + stars, p.s[start:end]}, end > start && strings.HasPrefix(p.s[end:], p.s[at:start])
	}
	end := p.name(at)
	for _, lines := range []string{"__", "_"} { // emphasis too
		start, stop := at+len(lines), end-len(lines)
		if start < stop && strings.HasPrefix(p.s[at:], lines) && p.s[stop:end] == lines && p.literal(at, start) {
			return item{start, stop, at, end, p.s[start:stop]}, true
		}
	}
	return item{at, end, at, end, p.s[at:end]}, end > at
}

func (p *passage) single(before, start, end, after int) (item, bool) {
	return item{start, end, before, after, p.s[start:end]}, end > start && p.name(start) == end
}

// itemBefore reads the word that ends before an offset.
func (p *passage) itemBefore(end int) (item, bool) {
	for end > 0 && isSpace(p.s[end-1]) {
		end--
	}
	if end > 0 && p.s[end-1] == ')' { // a remark on the word
		if open := strings.LastIndexByte(p.s[max(0, end-maxRemark):end], '('); open >= 0 {
			end = len(strings.TrimRight(p.s[:max(0, end-maxRemark)+open], " "))
		}
	}
	if end == 0 {
		return item{}, false
	}
	if s, ok := p.flat.span(end - 1); ok && s.close == end {
		return p.single(s.open, s.start, s.end, s.close)
	}
	for _, q := range []string{`"`, "'", "”", "’"} {
		if strings.HasSuffix(p.s[:end], q) {
			for at := end - len(q) - 1; at >= max(0, end-maxQuoted) && p.s[at] != '\n'; at-- {
				if start, stop, after, ok := p.quoted(at); ok && after == end {
					return p.single(at, start, stop, after)
				}
			}
			return item{}, false
		}
	}
	start := end
	for start > 0 && (isWord(p.s[start-1]) || p.s[start-1] == '-') {
		start--
	}
	return item{start, end, start, end, p.s[start:end]}, start < end && p.name(start) == end
}

// verdict is what is wrong with a list, or nil.
type verdict struct {
	of      set
	missing []string
	strange []item
}

// faulty reports whether the word at an offset is of a list that has a finding: that says what to write for it.
func (l list) faulty(at int) bool {
	return l.verdict != nil && slices.ContainsFunc(l.items, func(i item) bool { return i.start == at })
}

// set is a closed set of words that a list can be.
type set struct {
	name    string // for messages
	words   []string
	retired []*contract.Retired
	enum    *contract.Enum // nil for the values of an inline type
	param   *contract.Param
	own     bool // of the parameter whose doc it is: one word of it is enough
	pos     diag.Position
}

// sets are the closed sets that a list here can be of, the likelier ones first.
func (p *passage) sets() []set {
	var out []set
	add := func(q *contract.Param, t *contract.Type) {
		for ; t != nil; t = t.Elem {
			if !t.IsEnum() || t.Kind != contract.KindString {
				continue
			}
			s := set{name: "the values of " + q.Name, words: t.Enum, pos: q.Pos, own: q == p.own, param: q}
			if t.EnumRef != nil {
				if s.enum = p.c.enumOf(t.EnumRef); s.enum != nil {
					s.retired = s.enum.Retired
				}
			}
			out = append(out, s)
		}
	}
	if p.own != nil {
		add(p.own, p.own.Type)
	}
	if p.variant != nil {
		for _, q := range p.variant.Params {
			add(q, q.Type)
		}
	}
	enums := slices.Clone(p.near)
	for _, e := range p.c.enums {
		if !slices.Contains(enums, e) {
			enums = append(enums, e)
		}
	}
	for _, e := range enums {
		s := set{name: "the words of " + e.Name, enum: e, retired: e.Retired, pos: e.Pos}
		for _, w := range e.Values {
			s.words = append(s.words, w.Word)
		}
		out = append(out, s)
	}
	return out
}

// judge finds the set that a list means, and what is wrong with the list then. A list that has nothing to do with any set
// is prose.
func (p *passage) judge(l list) *verdict {
	if slices.ContainsFunc(l.items, func(it item) bool {
		return strings.Contains(" etc others other more so any something similar such ", " "+it.word+" ")
	}) {
		return nil // it says itself that there are others
	}
	var best *verdict
	most := 0
	for _, s := range p.sets() {
		v := &verdict{of: s}
		var known []string
		for _, it := range l.items {
			if slices.Contains(s.words, it.word) {
				known = append(known, it.word)
			} else {
				v.strange = append(v.strange, it)
			}
		}
		for _, w := range s.words {
			if !slices.Contains(known, w) && !(l.elsewhere && p.has(w, l)) {
				v.missing = append(v.missing, w)
			}
		}
		if len(v.strange) == 0 && len(v.missing) == 0 {
			return nil
		}
		n := len(known)
		if l.elsewhere && !(s.own && l.param == nil || l.param != nil && s.param == l.param) {
			continue
		}
		if n == 0 || len(v.strange) > 0 && n < 2 && !s.own && !slices.ContainsFunc(v.strange, func(it item) bool { return meant(s, it.word) }) || len(v.strange) > n {
			continue
		}
		if n > most {
			best, most = v, n
		}
	}
	return best
}

// has reports whether a word stands anywhere in the text but in a list.
func (p *passage) has(word string, l list) bool {
	for at := 0; ; {
		i := strings.Index(p.s[at:], word)
		if i < 0 {
			return false
		}
		start := at + i
		at = start + len(word)
		if p.nameStart(start) && p.name(start) == at && (start >= l.end || start < l.items[0].start) {
			return true
		}
	}
}

// meant reports whether a word that is none of a set's was one, or nearly is one.
func meant(s set, word string) bool {
	return slices.ContainsFunc(s.retired, func(r *contract.Retired) bool { return r.Word == word }) ||
		slices.ContainsFunc(s.words, func(w string) bool { return nearName(word, w) })
}

// list reports what is wrong with a closed list.
func (c *checker) list(p *passage, l list) {
	v := l.verdict
	if v == nil {
		return
	}
	at := l.items[0].start
	var message string
	switch {
	case len(v.strange) > 0:
		at = v.strange[0].start
		names := make([]string, len(v.strange))
		for i, it := range v.strange {
			names[i] = it.word
		}
		message = fmt.Sprintf("the list reads as %s, and %s is none of them", v.of.name, strings.Join(names, ", "))
		for _, r := range v.of.retired {
			if r.Word == v.strange[0].word {
				message += " any more: " + r.Why
			}
		}
		if len(v.missing) > 0 {
			message += "; it lacks " + strings.Join(v.missing, ", ")
		}
	default:
		message = fmt.Sprintf("the list reads as all of %s, and lacks %s", v.of.name, strings.Join(v.missing, ", "))
	}
	c.report(p, at, "closed-list", message, p.listAll(l, v.of)+"; or name those that are meant in a sentence that does not say that there are no others",
		diag.Related{Pos: v.of.pos, Message: v.of.name + " are declared here"})
}

// listAll says how to write a list with all words of a set, in the form that it has.
func (p *passage) listAll(l list, of set) string {
	first, last := l.items[0], l.items[len(l.items)-1]
	open, end := p.s[first.before:first.start], p.s[first.end:first.after]
	words, before := make([]string, len(of.words)), ""
	for i, w := range of.words {
		if of.enum != nil {
			r := p.refer(first.start, contract.Segment{Enum: of.enum.Name, Word: w})
			w, before = r.expr, r.first
		}
		words[i] = p.escaped(first.start, open) + w + p.escaped(first.start, end)
	}
	n := len(words) - 1
	all := words[n]
	switch {
	case l.pipes:
		all = strings.Join(words, " | ")
	case n > 0:
		all = strings.Join(words[:n], ", ") + " or " + words[n]
	}
	old := p.s[first.before:last.after]
	if l.lines || !p.literal(first.before, last.after) || strings.Contains(old, "\n") {
		return before + "list these: " + all
	}
	return before + "write " + all + " for " + p.escaped(first.start, old)
}
