package prose

import (
	"slices"
	"strings"
	"unicode"
)

// claim is a statement of a default: its place and the value that it states.
type claim struct {
	at   int    // where it begins
	noun string // what is said to have the default, where a word says that

	// weak is set for a form that states a default only where the parameter could have the value, and soft where even its
	// having no default makes the statement none.
	weak, soft bool

	mark int // where "(default)" behind the value ends; 0 without
	value
}

// value is what a claim states.
type value struct {
	start, end int
	text       string
	unit       string // behind a number
	marked     bool   // in backquotes or quotes, or a JSON number: certainly a value and no prose
}

// claims finds the claims of a default in a text. Most of them have the word "default" in them; some say what is used if
// nothing is given.
func (p *passage) claims() []claim {
	lower := ""
	if strings.Contains(p.s, "efault") || strings.Contains(p.s, "EFAULT") || p.tool != nil && hasOmission(p.s) {
		lower = asciiLower(p.s)
	}
	var out []claim
	for at := 0; at < len(lower); {
		i := strings.Index(lower[at:], "default")
		if i < 0 {
			break
		}
		i += at
		at = i + len("default")
		if !p.nameStart(i) {
			continue
		}
		if cl, ok := p.claimAt(i, lower); ok && !(cl.weak && p.asks(cl.at, lower)) {
			out = append(out, cl)
			at = max(at, cl.end)
		}
	}
	if p.tool != nil && lower != "" {
		for _, cl := range p.omissions(lower) {
			if !slices.ContainsFunc(out, func(o claim) bool { return o.start < cl.end && cl.start < o.end }) {
				out = append(out, cl)
			}
		}
	}
	return out
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

// asks reports whether a claim at an offset is a condition: "if `full` is the default".
func (p *passage) asks(at int, lower string) bool {
	start, _ := p.sentence(at)
	before := lower[start:at]
	before = before[strings.LastIndexAny(before, ",;:(")+1:]
	first, _, _ := strings.Cut(strings.TrimSpace(before), " ")
	return first == "if" || first == "unless" || first == "whether" || first == "when"
}

// follows reads one of some phrases at an offset of the lower text, and the white space behind it. A phrase that ends in a
// letter has to be followed by some. A space in a phrase is any number of them: a line of a list goes on indented.
func follows(lower string, at int, phrases ...string) (int, bool) {
	for _, phrase := range phrases {
		if end := at + phraseAt(lower[at:], phrase); end >= at {
			rest := strings.TrimLeft(lower[end:], " ")
			if len(rest) < len(lower)-end || phrase == "" || !unicode.IsLetter(rune(phrase[len(phrase)-1])) {
				return len(lower) - len(rest), true
			}
		}
	}
	return at, false
}

// phraseAt returns how much of a text a phrase takes that the text begins with; it is below zero where it does not.
func phraseAt(s, phrase string) int {
	at := 0
	for {
		words, more, ok := strings.Cut(phrase, " ")
		if !strings.HasPrefix(s[at:], words) {
			return -1
		}
		if at += len(words); !ok {
			return at
		}
		spaces := len(s[at:]) - len(strings.TrimLeft(s[at:], " "))
		if spaces == 0 {
			return -1
		}
		at += spaces
		phrase = more
	}
}

// preceded reads one of some phrases that end at an offset of the lower text; it returns where the phrase begins. A space in
// a phrase is any number of them.
func preceded(lower string, at int, phrases ...string) (int, bool) {
	for _, phrase := range phrases {
		start := phraseBefore(lower[:at], phrase)
		if start >= 0 && (start == 0 || !unicode.IsLetter(rune(lower[start-1])) || !unicode.IsLetter(rune(phrase[0]))) {
			return start, true
		}
	}
	return at, false
}

// phraseBefore returns where a phrase begins that a text ends with; it is below zero where it does not.
func phraseBefore(s, phrase string) int {
	end := len(s)
	for {
		space := strings.LastIndexByte(phrase, ' ')
		word := phrase[space+1:]
		if !strings.HasSuffix(s[:end], word) {
			return -1
		}
		if end -= len(word); space < 0 {
			return end
		}
		before := len(strings.TrimRight(s[:end], " "))
		if before == end {
			return -1
		}
		end, phrase = before, phrase[:space]
	}
}

// claimAt reads a claim whose word "default" stands at an offset.
func (p *passage) claimAt(i int, lower string) (claim, bool) {
	if _, in := p.flat.span(i); in || p.s[i] == 'd' && p.negated(i) {
		return claim{}, false // code, or a denial
	}
	end := i + len("default")
	if to, ok := p.defaultsTo(end, lower); ok {
		noun := p.nounBefore(i, lower, true)
		if v, ok := p.valueAt(to); ok {
			return claim{at: i, noun: noun, value: v}, true
		}
		v, ok := p.nounValue(to, lower)
		return claim{at: i, noun: noun, weak: true, value: v}, ok
	}
	if to, ok := follows(lower, end, ":**", "**:", ":", "：", " :", "=", " =", " value:", "s:", " ="); ok {
		v, ok := p.valueAt(to)
		return claim{at: i, noun: p.nounBefore(i, lower, false), value: v}, ok
	}
	if to, ok := follows(lower, end, " of the", " of", " for the", " for"); ok {
		if word := p.wordAt(to, lower); p.param(word) != nil {
			at := to + strings.Index(lower[to:], word) + len(word)
			if at < len(p.s) && p.s[at] == '`' {
				at++
			}
			to, ok := follows(lower, at, " is:", " is", ":", " =", "=")
			if !ok {
				return claim{}, false
			}
			v, ok := p.valueAt(to)
			return claim{at: i, noun: word, value: v}, ok && (v.marked || p.taken(v))
		}
	}
	if to, ok := follows(lower, end, " is:", " is", " value is:", " value is", " of", " value of"); ok {
		noun := p.nounBefore(i, lower, false)
		if v, ok := p.valueAt(to); ok && v.marked {
			return claim{at: i, noun: noun, value: v}, true
		} else if ok {
			return claim{at: i, noun: noun, weak: true, value: v}, p.taken(v)
		}
		v, ok := p.nounValue(to, lower)
		return claim{at: i, noun: noun, weak: true, value: v}, ok
	}
	if cl, ok := p.inParentheses(i, lower); ok {
		return cl, true
	}
	if cl, ok := p.whichIsDefault(i, lower); ok {
		return cl, true
	}
	if cl, ok := p.byDefault(i, lower); ok {
		return cl, true
	}
	if cl, ok := p.defaultNoun(i, lower); ok {
		return cl, true
	}
	return p.beside(i, lower)
}

// beside reads "default V", "default value V", "the default, V, ..." and "the default (V)".
func (p *passage) beside(i int, lower string) (claim, bool) {
	to, ok := follows(lower, i+len("default"), " being", " →", " ->", " =>", " (", ",", " value", " mode", " setting", "")
	if !ok || to == i+len("default") {
		return claim{}, false
	}
	v, ok := p.valueAt(to)
	return claim{at: i, noun: p.nounBefore(i, lower, false), weak: true, value: v}, ok && v.marked && p.clauseEnds(v.end)
}

// defaultsTo moves over what makes a verb of "default": "s to", "s silently to".
func (p *passage) defaultsTo(at int, lower string) (int, bool) {
	if to, ok := follows(lower, at, "s to:", "s to", " to:", " to", "ing to", "ed to"); ok {
		return to, true
	}
	to, ok := follows(lower, at, "s")
	if !ok {
		return at, false
	}
	if adverb := p.wordAt(to, lower); strings.HasPrefix(lower[to:], adverb) && (strings.HasSuffix(adverb, "ly") || adverb == "always") {
		return follows(lower, to+len(adverb), " to")
	}
	return at, false
}

// inParentheses reads "V (default)", "V [the default]" and "(default V)".
func (p *passage) inParentheses(i int, lower string) (claim, bool) {
	rest := lower[i+len("default"):]
	open := strings.TrimRight(lower[:i], " ")
	if the, ok := strings.CutSuffix(open, "the"); ok && the != "" && (strings.HasSuffix(the, "(") || strings.HasSuffix(the, "[")) {
		open = the
	}
	if open == "" || strings.IndexByte("([,;", open[len(open)-1]) < 0 {
		return claim{}, false
	}
	if strings.HasPrefix(rest, ")") && strings.HasSuffix(open, "(") || strings.HasPrefix(rest, "]") && strings.HasSuffix(open, "[") {
		before, mark := len(open)-1, i+len("default)")
		if stars := len(strings.TrimRight(open[:before], "*_")); stars < before && strings.HasPrefix(rest[1:], open[stars:before]) {
			mark += before - stars // the mark is emphasised
			before = stars
		}
		v, ok := p.valueBefore(before)
		return claim{at: v.start, value: v, mark: mark}, ok
	}
	to, ok := follows(lower, i+len("default"), " ")
	if !ok {
		return claim{}, false
	}
	v, ok := p.valueAt(to)
	return claim{at: i, value: v}, ok && (v.marked || p.taken(v)) && v.end < len(p.s) && strings.IndexByte(")],;", p.s[v.end]) >= 0
}

// whichIsDefault reads "V is the default", "V, which is the default mode", "V, the default".
func (p *passage) whichIsDefault(i int, lower string) (claim, bool) {
	start, ok := preceded(lower, i, ", which is the ", ", which is ", " is used as the ", " is the ", " remains the ", " stays the ", " being the ", " as the ", " as its ", " as ", ", the ", " - the ", " – the ", " — the ", " is ")
	if !ok {
		return claim{}, false
	}
	end := i + len("default")
	if !p.clauseEnds(end) {
		if word := p.wordAt(end, lower); !p.ofValue(word) {
			return claim{}, false
		}
	}
	v, ok := p.valueBefore(start)
	return claim{at: v.start, weak: true, value: v}, ok
}

// byDefault reads "by default V", "by default it is V" and "V by default".
func (p *passage) byDefault(i int, lower string) (claim, bool) {
	by, ok := preceded(lower, i, "by ")
	if !ok {
		return claim{}, false
	}
	end := i + len("default")
	to, _ := follows(lower, end, ",", ":", "")
	for range 3 {
		to, _ = follows(lower, to, "it is", "it's", "this is", "the value is", "it uses", "uses", "is set to", "set to", "is", "the", "mode", "value")
	}
	if v, ok := p.valueAt(to); ok && to > end && (v.marked || p.taken(v)) && (p.clauseEnds(v.end) || p.applied(v.end, lower)) {
		return claim{at: by, weak: true, value: v}, true
	}
	if !p.clauseEnds(end) {
		return claim{}, false
	}
	start := len(strings.TrimRight(lower[:by], " "))
	if cl, ok := p.switched(start, lower); ok {
		return cl, true
	}
	if to, ok := preceded(lower, start, " is used", " is chosen", " is assumed", " is taken", " applies", " is"); ok {
		start = to
	}
	v, ok := p.valueBefore(start)
	return claim{at: v.start, weak: true, value: v}, ok
}

// switched reads "P is on by default", where P is a reference: in the doc of a parameter it is mostly something else that is on.
func (p *passage) switched(end int, lower string) (claim, bool) {
	for _, word := range []string{"on", "off", "enabled", "disabled"} {
		start, ok := preceded(lower, end, " is "+word)
		if !ok {
			continue
		}
		name := strings.TrimRight(p.s[:start], "`")
		if part := p.part(len(name) - 1); name == "" || part == nil || part.seg.Param == "" || part.end != len(name) {
			return claim{}, false
		}
		at := start + len(" is ")
		return claim{at: at, value: value{start: at, end: end, text: word}}, true
	}
	return claim{}, false
}

// defaultNoun reads "the default mode is V" and "default mode: V".
func (p *passage) defaultNoun(i int, lower string) (claim, bool) {
	at := i + len("default")
	noun := ""
	for range 3 {
		word := p.wordAt(at, lower)
		if word == "" || word == "is" {
			break
		}
		at += strings.Index(lower[at:], word) + len(word)
		noun = word
		if at < len(p.s) && p.s[at] == '`' {
			at++
		}
		to, ok := follows(lower, at, " is:", " is", ":", " =", "=")
		if !ok {
			continue
		}
		if !p.ofValue(noun) {
			return claim{}, false
		}
		if p.param(noun) == nil {
			noun = ""
		}
		v, ok := p.valueAt(to)
		if !ok {
			v, ok = p.nounValue(to, lower)
		}
		return claim{at: i, noun: noun, weak: true, value: v}, ok && (v.marked || p.taken(v))
	}
	return claim{}, false
}

// wordAt returns the word at an offset of the lower text, behind white space and a backquote.
func (p *passage) wordAt(at int, lower string) string {
	for at < len(lower) && (lower[at] == ' ' || lower[at] == '`') {
		at++
	}
	end := at
	for end < len(lower) && isWord(lower[end]) {
		end++
	}
	return lower[at:end]
}

// nounBefore returns the word right before an offset where that is the subject of a claim: what the default is said to be
// of. It is empty where no word, a pronoun or the like stands there.
func (p *passage) nounBefore(at int, lower string, lines bool) string {
	end := len(strings.TrimRight(p.s[:at], " "))
	if lines {
		end = len(strings.TrimRight(p.s[:at], " \n"))
	}
	for range 3 {
		start := end
		for start > 0 && (isWord(p.s[start-1]) || p.s[start-1] == '\'' || p.s[start-1] == '-') {
			start--
		}
		if start == end || !p.literal(start, end) {
			return ""
		}
		word := strings.TrimSuffix(lower[start:end], "'s")
		if strings.Contains(" also always usually normally otherwise currently still simply now will would should then so hard ", " "+word+" ") && start > 0 {
			end = len(strings.TrimRight(p.s[:start], " "))
			continue
		}
		if p.generic(word) {
			return ""
		}
		return word
	}
	return ""
}

// generic reports whether a word can stand for any parameter or its value, or for nothing.
func (p *passage) generic(word string) bool {
	return strings.Contains(" value values setting option options parameter argument flag field property it this that which they these those one each both and but or if when with"+
		" the a an is are its their int integer number string bool boolean optional required whose by has have new current initial usual sensible in on of to for"+
		" choice behavior behaviour ", " "+word+" ")
}

// ofValue reports whether a word behind a value only says that it is one: "the `full` mode".
func (p *passage) ofValue(word string) bool {
	return word != "" && (strings.Contains(" value setting option choice one here mode level state kind order format style strategy policy if when unless ", " "+word+" ") || p.param(word) != nil)
}

// nounValue reads a value behind words that only introduce it, as in "the `full` mode" and "a value of 10".
func (p *passage) nounValue(at int, lower string) (value, bool) {
	from := at
	for range 4 {
		word := p.wordAt(at, lower)
		if word == "" || !strings.HasPrefix(lower[at:], word) || !strings.Contains(" the a an value of mode setting option level state kind being ", " "+word+" ") && p.param(word) == nil {
			break
		}
		to, ok := follows(lower, at, word)
		if !ok {
			break
		}
		at = to
	}
	if at == from {
		return value{}, false
	}
	v, ok := p.valueAt(at)
	if !ok || p.clauseEnds(v.end) {
		return v, ok && (v.marked || p.taken(v))
	}
	return v, p.ofValue(p.wordAt(v.end, lower)) && (v.marked || p.taken(v))
}
