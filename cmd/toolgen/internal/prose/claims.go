package prose

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// claim is a statement of a default: its place and the value that it states.
type claim struct {
	at int // where it begins
	value
}

// value is what a claim states.
type value struct {
	start, end int
	text       string
	marked     bool // in backquotes or quotes, or a JSON number: certainly a value and no prose
}

// claims finds the claims of a default in a text: "default(s) to V", "default: V", "default is V", "V (default)" and
// "(default V)".
func (p *passage) claims() []claim {
	var out []claim
	lower := ""
	for at := 0; ; {
		if lower == "" {
			if !strings.Contains(p.s, "efault") && !strings.Contains(p.s, "EFAULT") {
				return nil
			}
			lower = asciiLower(p.s)
		}
		i := strings.Index(lower[at:], "default")
		if i < 0 {
			return out
		}
		i += at
		at = i + len("default")
		if !p.nameStart(i) {
			continue
		}
		if cl, ok := p.claimAt(i, lower); ok {
			out = append(out, cl)
			at = max(at, cl.end)
		}
	}
}

// asciiLower returns a text in lower case, its line breaks as spaces; offsets stay.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		switch {
		case c >= 'A' && c <= 'Z':
			b[i] = c + 'a' - 'A'
		case c == '\n' || c == '\t':
			b[i] = ' ' // a phrase goes on in the next line
		}
	}
	return string(b)
}

// claimAt reads a claim whose word "default" stands at an offset.
func (p *passage) claimAt(i int, lower string) (claim, bool) {
	rest := lower[i+len("default"):]
	after := func(prefixes ...string) (int, bool) {
		for _, prefix := range prefixes {
			if tail, ok := strings.CutPrefix(rest, prefix); ok {
				skipped := len(tail) - len(strings.TrimLeft(tail, " \t\n"))
				if skipped > 0 || strings.HasSuffix(prefix, ":") || strings.HasSuffix(prefix, "=") || strings.HasSuffix(prefix, "*") || strings.HasSuffix(prefix, "：") {
					return i + len("default") + len(prefix) + skipped, true
				}
			}
		}
		return 0, false
	}
	if _, in := p.flat.span(i); in || p.s[i] == 'd' && p.negated(i) {
		return claim{}, false // code, or a denial
	}
	if to, ok := after("s to", "s to:", " to", "ing to", "ed to"); ok {
		v, ok := p.valueAt(to)
		return claim{i, v}, ok
	}
	if to, ok := after(":**", "**:", ":", "：", " :", "=", " =", " value:", "s:"); ok {
		v, ok := p.valueAt(to)
		return claim{i, v}, ok
	}
	if to, ok := after(" is", " value is", " of", " value of"); ok {
		v, ok := p.valueAt(to)
		return claim{i, v}, ok && v.marked
	}
	if open := strings.TrimRight(lower[:i], " "); strings.HasSuffix(open, "(") || strings.HasSuffix(open, "[") || strings.HasSuffix(open, "(the") || strings.HasSuffix(open, ",") {
		if strings.HasPrefix(rest, ")") && strings.Contains(open[len(open)-min(len(open), len("(the")):], "(") {
			v, ok := p.valueBefore(len(open) - len("the")*b2i(strings.HasSuffix(open, "the")) - 1)
			return claim{v.start, v}, ok
		}
		if to, ok := after(""); ok {
			v, ok := p.valueAt(to)
			return claim{i, v}, ok && v.marked && (strings.HasPrefix(p.s[v.end:], ")") || strings.HasPrefix(p.s[v.end:], "]"))
		}
	}
	return claim{}, false
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// negated reports whether the word before an offset denies: "does not default to".
func (p *passage) negated(i int) bool {
	before := strings.TrimRight(p.s[:i], " \n")
	for _, no := range []string{"not", "never", "n't", "n’t", "no longer", "cannot"} {
		if strings.HasSuffix(before, no) {
			return true
		}
	}
	return false
}

// valueAt reads the value that a claim states at an offset; ok is false where prose follows.
func (p *passage) valueAt(at int) (value, bool) {
	if at >= len(p.s) {
		return value{}, false
	}
	if s, ok := p.flat.span(at); ok && s.open == at {
		return value{at, s.close, p.s[s.start:s.end], true}, true
	}
	if start, end, after, ok := p.quoted(at); ok {
		return value{at, after, p.s[start:end], true}, true
	}
	if stars := len(p.s[at:]) - len(strings.TrimLeft(p.s[at:], "*")); stars > 0 { // emphasis, where it closes
		if n := strings.IndexAny(p.s[at+stars:], " \n*"); n > 0 && strings.HasPrefix(p.s[at+stars+n:], p.s[at:at+stars]) {
			v, ok := p.valueAt(at + stars)
			return v, ok
		}
	}
	if p.s[at] == '[' || p.s[at] == '{' {
		dec := json.NewDecoder(strings.NewReader(p.s[at:min(len(p.s), at+maxQuoted)]))
		var raw json.RawMessage
		if dec.Decode(&raw) == nil {
			return value{at, at + len(raw), string(raw), true}, true
		}
		return value{}, false
	}
	end := at
	for end < len(p.s) && strings.IndexByte(" \t\n,;:)]|(\"`", p.s[end]) < 0 && !strings.HasPrefix(p.s[end:], "—") && !(end > at && p.s[end-1] < utf8.RuneSelf && wide(p.s[end:])) &&
		!(end > at && p.s[end] == '*' && p.s[at-1] == '*') {
		end++
	}
	for end > at && strings.IndexByte(".!?", p.s[end-1]) >= 0 && (end == len(p.s) || p.s[end-1] != '.' || end-at > 1) {
		end--
	}
	word := p.s[at:end]
	if word == "" {
		return value{}, false
	}
	if _, ok := number(word); ok {
		return value{at, end, word, true}, true
	}
	if word == "true" || word == "false" || word == "null" {
		return value{at, end, word, true}, true
	}
	// A bare word is a value where the clause ends behind it, or where it is a word of the parameter's own.
	if _, ok := p.flat.ref(at, end); ok {
		return value{at, end, word, true}, true
	}
	return value{at, end, word, false}, p.clauseEnds(end) || !article(word) && slices.ContainsFunc(p.subjects(at), func(s subject) bool { return s.takes(word) })
}

// wide reports whether a text begins with a character of Chinese and the like, which stand beside words without a space.
func wide(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r >= 0x2E80 && r != utf8.RuneError
}

func article(word string) bool {
	return strings.Contains(" a an the all any no each every its your this that what whatever ", " "+strings.ToLower(word)+" ")
}

// clauseEnds reports whether a clause ends at an offset: by punctuation, the end, or a word that begins another one.
func (p *passage) clauseEnds(at int) bool {
	rest := strings.TrimLeft(p.s[at:], " ")
	if rest == "" || strings.IndexByte(".,;:)]!?\n|", rest[0]) >= 0 || rest[0] == '*' || strings.HasPrefix(rest, "—") || wide(rest) {
		return true
	}
	if len(rest) == len(p.s[at:]) {
		return false
	}
	next, _, _ := strings.Cut(rest, " ")
	return strings.Contains(" if when unless otherwise but which since because where ", " "+strings.Trim(next, ".,")+" ")
}

// valueBefore reads the value that ends right before an offset, as in "fast (default)".
func (p *passage) valueBefore(end int) (value, bool) {
	for end > 0 && isSpace(p.s[end-1]) {
		end--
	}
	if end == 0 {
		return value{}, false
	}
	if s, ok := p.flat.span(end - 1); ok && s.close == end {
		return value{s.open, end, p.s[s.start:s.end], true}, true
	}
	for _, q := range []string{`"`, "'", "”", "’", "」"} {
		if !strings.HasSuffix(p.s[:end], q) {
			continue
		}
		for at := end - len(q) - 1; at >= max(0, end-maxQuoted); at-- {
			if start, stop, after, ok := p.quoted(at); ok && after == end {
				return value{at, end, p.s[start:stop], true}, true
			}
		}
	}
	start := end
	for start > 0 && !isSpace(p.s[start-1]) && strings.IndexByte("([`\"|,;", p.s[start-1]) < 0 {
		start--
	}
	word := p.s[start:end]
	if _, ok := number(word); ok {
		return value{start, end, word, true}, true
	}
	// A bare word before "(default)" is a value only where the parameter has such a value.
	return value{start, end, word, false}, word != "" && slices.ContainsFunc(p.subjects(start), func(s subject) bool { return s.takes(word) })
}

// subject is a parameter that a claim can be about.
type subject struct {
	param  *contract.Param
	label  string // its name, for messages
	other  bool   // of another tool: what its default is cannot be known
	absent bool   // of this tool, and not in this variant
}

// takes reports whether a word is a value of the parameter.
func (s subject) takes(word string) bool {
	if s.param == nil {
		return false
	}
	t := s.param.Type
	return t != nil && (slices.Contains(t.Enum, word) || t.Kind == contract.KindBool && (word == "true" || word == "false")) ||
		holds(s.param.Default, value{text: word})
}

// subjects are the parameters that a claim at an offset can be about: in a doc its own, and the last one that the
// sentence refers to before the claim; elsewhere that one, or the first one behind.
func (p *passage) subjects(at int) []subject {
	var out []subject
	if p.own != nil {
		out = append(out, subject{param: p.own, label: p.own.Name})
	}
	start, end := p.sentence(at)
	var before, behind *contract.Segment
	first := sort.Search(len(p.parts), func(i int) bool { return p.parts[i].start >= start })
	for i := first; i < len(p.parts) && p.parts[i].end <= end; i++ {
		part := &p.parts[i]
		if part.seg.Param == "" {
			continue
		}
		if part.end <= at {
			before = &part.seg
		} else if behind == nil {
			behind = &part.seg
		}
	}
	if before == nil && p.own == nil {
		before = behind
	}
	if before != nil {
		s := subject{label: before.Param, other: true}
		if p.tool != nil && before.Tool == p.tool.Name {
			s.param = p.variant.Param(before.Param)
			s.other, s.absent = false, s.param == nil
		} else {
			s.label = before.Tool + "." + before.Param
		}
		out = append(out, s)
	} else if n, ok := p.nameBefore(start, at); ok && p.own == nil {
		out = append(out, subject{param: n, label: n.Name})
	}
	return out
}

// nameBefore finds a parameter of the tool that the sentence names by hand; that this should be a reference is another
// finding.
func (p *passage) nameBefore(start, at int) (*contract.Param, bool) {
	if p.variant == nil {
		return nil, false
	}
	behind := sort.Search(len(p.spans), func(i int) bool { return p.spans[i].close > at })
	for i := behind - 1; i >= 0 && p.spans[i].open >= start; i-- {
		if s := p.spans[i]; p.literal(s.start, s.end) {
			if q := p.variant.Param(p.s[s.start:s.end]); q != nil {
				return q, true
			}
		}
	}
	return nil, false
}

// claim checks one claim.
func (c *checker) claim(p *passage, cl claim) {
	subjects := p.subjects(cl.at)
	stated := preview(cl.text)
	if len(subjects) == 0 {
		c.report(p, cl.at, "default-claim", fmt.Sprintf("a default of %s is claimed, and the sentence refers to no parameter whose default it could be", stated),
			"refer to the parameter in the same sentence, as in "+p.example(cl.at)+", or say it in the parameter's doc")
		return
	}
	for _, s := range subjects {
		if s.param != nil && holds(s.param.Default, cl.value) {
			return
		}
	}
	s := subjects[len(subjects)-1]
	if s.absent {
		return // the reference is at fault, and that is said
	}
	if p.own != nil {
		s = subjects[0]
	}
	switch {
	case s.other:
		c.report(p, cl.at, "default-claim", fmt.Sprintf("a default of %s is claimed for %s, a parameter of another tool; it depends on options that are not known here", stated, s.label),
			"name the parameter without its default")
	case s.param.Default == nil:
		c.report(p, cl.at, "default-claim", fmt.Sprintf("%s is claimed to default to %s, but has no default: the runtime fills in nothing", s.label, stated),
			"give the parameter that default, or say what its absence means without the word default", diag.Related{Pos: s.param.Pos, Message: "the parameter " + s.label + " is declared here"})
	default:
		c.report(p, cl.at, "default-claim", fmt.Sprintf("%s is claimed to default to %s; its default is %s", s.label, stated, preview(string(s.param.Default))),
			"write "+p.writeDefault(cl.start, s.param)+" for "+stated, diag.Related{Pos: s.param.DefaultPos, Message: "the default of " + s.label})
	}
}

// example shows how a text refers to a parameter.
func (p *passage) example(at int) string {
	if p.tool == nil {
		return `\(tools.T.params.p.name)`
	}
	param := "p"
	if p.variant != nil && len(p.variant.Params) > 0 {
		param = p.variant.Params[0].Name
	}
	return p.write(at, contract.Segment{Tool: p.tool.Name, Param: param})
}

// holds reports whether a claimed value is a default, or claims that there is none.
func holds(def json.RawMessage, v value) bool {
	word := strings.TrimSpace(v.text)
	if def == nil {
		return !v.marked && slices.Contains([]string{"none", "nothing", "unset", "absent", "empty", "unlimited"}, strings.ToLower(word))
	}
	switch def[0] {
	case '"':
		var s string
		if json.Unmarshal(def, &s) != nil {
			return false
		}
		return s == word || !v.marked && strings.EqualFold(s, word) || s == "" && !v.marked && (word == "empty" || word == "nothing")
	case '[', '{':
		if !v.marked {
			return len(def) == 2 && slices.Contains([]string{"empty", "none", "nothing"}, strings.ToLower(word))
		}
		return sameJSON(def, []byte(word))
	case 't', 'f':
		return string(def) == word || !v.marked && (string(def) == "true" && strings.EqualFold(word, "on") || string(def) == "false" && strings.EqualFold(word, "off")) ||
			!v.marked && strings.EqualFold(string(def), word)
	case 'n':
		return word == "null" || !v.marked && (strings.EqualFold(word, "none") || strings.EqualFold(word, "nothing"))
	}
	want, ok := number(string(def))
	have, is := number(word)
	return ok && is && want.Cmp(have) == 0
}

func sameJSON(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	p, errP := json.Marshal(x)
	q, errQ := json.Marshal(y)
	return errP == nil && errQ == nil && string(p) == string(q)
}

// number reads a number as prose writes it: thousands may be set apart by commas or underscores.
func number(s string) (*big.Rat, bool) {
	const longest = 40 // what is longer states no default
	if s == "" || len(s) > longest || !(s[0] >= '0' && s[0] <= '9' || len(s) > 1 && (s[0] == '-' || s[0] == '+') && s[1] >= '0' && s[1] <= '9') || strings.ContainsAny(s, "/pPxX") {
		return nil, false
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 && len(s)-i > 5 {
		return nil, false
	}
	return new(big.Rat).SetString(strings.NewReplacer(",", "", "_", "").Replace(s))
}

func preview(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
