package prose

import (
	"slices"
	"strings"
)

// omitted are the words for a parameter that a call does not give, behind "if" and "when"; otherwise are those behind
// "unless".
const (
	omitted   = "omitted|absent|unset|left out|left empty|not given|not set|not specified|not provided|unspecified|missing|leave it out|leave this out"
	otherwise = "unless specified|unless set|unless given|unless told otherwise|unless you say otherwise|unless otherwise specified|unless overridden|unless provided"
	omit      = "omit for|omit to use|omit it for|leave it out for|leave out for|leave empty for|leave unset for"
)

func hasOmission(s string) bool {
	for _, word := range [...]string{"mit", "absent", "nset", "eft ", "not ", "specified", "missing", "eave ", "nless "} {
		if strings.Contains(s, word) {
			return true
		}
	}
	return false
}

// omissions reads "if omitted, V is used", "V unless specified" and "omit for V", which state a default without the word. It
// counts only where the parameter has one: what nothing means is otherwise said best in this way.
func (p *passage) omissions(lower string) []claim {
	var out []claim
	each := func(words string, read func(at, end int) (claim, bool)) {
		for word := range strings.SplitSeq(words, "|") {
			for at := 0; ; {
				i := strings.Index(lower[at:], word)
				if i < 0 {
					break
				}
				i += at
				at = i + len(word)
				if !p.nameStart(i) {
					continue
				}
				if cl, ok := read(i, at); ok {
					cl.weak, cl.soft = true, true
					out = append(out, cl)
				}
			}
		}
	}
	each(omitted, func(at, end int) (claim, bool) {
		start, noun, ok := p.omission(at, lower)
		if !ok {
			return claim{}, false
		}
		return p.whenOmitted(start, end, noun, lower)
	})
	each(otherwise, func(at, end int) (claim, bool) { return p.whenOmitted(at, end, "", lower) })
	each(omit, func(at, end int) (claim, bool) {
		to, ok := follows(lower, end, "")
		v, is := p.valueAt(to)
		return claim{at: at, value: v}, ok && is && (v.marked || p.taken(v)) && p.clauseEnds(v.end)
	})
	return out
}

// omission reads backwards from "omitted" to "if it is"; it returns where that begins, and the parameter that it names.
func (p *passage) omission(at int, lower string) (start int, noun string, ok bool) {
	start = len(strings.TrimRight(lower[:at], " "))
	for range 5 {
		from := start
		for from > 0 && (isWord(lower[from-1]) || lower[from-1] == '`') {
			from--
		}
		word := strings.Trim(lower[from:start], "`")
		if word == "if" || word == "when" || word == "where" {
			return from, noun, true
		}
		if q := p.param(word); q != nil {
			noun = word
		} else if !strings.Contains(" it is was this the value parameter argument option field flag you ", " "+word+" ") {
			return 0, "", false
		}
		start = len(strings.TrimRight(lower[:from], " "))
	}
	return 0, "", false
}

// whenOmitted reads the value that counts under a condition between two offsets, behind it or before.
func (p *passage) whenOmitted(start, end int, noun, lower string) (claim, bool) {
	if !p.clauseEnds(end) {
		return claim{}, false
	}
	if to, ok := follows(lower, end, ",", ":", ""); ok {
		for range 2 {
			to, _ = follows(lower, to, "it is", "it's", "this is", "the value is", "it uses", "uses", "the", "value", "mode")
		}
		if v, ok := p.valueAt(to); ok && (v.marked || p.taken(v)) && (p.clauseEnds(v.end) || p.applied(v.end, lower)) {
			return claim{at: start, noun: noun, value: v}, true
		}
	}
	v, ok := p.valueBefore(start)
	return claim{at: v.start, noun: noun, value: v}, ok
}

// applied reports whether what stands at an offset says that the value before it is the one that counts.
func (p *passage) applied(at int, lower string) bool {
	to, ok := follows(lower, at, " mode is used", " is used", " is assumed", " is taken", " is chosen", " applies", " mode", " value")
	return ok || at < len(lower) && to == len(lower) || slices.ContainsFunc([]string{" is used.", " is used,", " is assumed.", " is taken.", " is chosen.", " applies."}, func(s string) bool {
		return strings.HasPrefix(lower[at:], s)
	})
}
