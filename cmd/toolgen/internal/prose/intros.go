package prose

import (
	"strings"
)

// Words that introduce a list which says that it is all of them.
const (
	openers = " the these those following values value words word options option choices strings string modes mode states state statuses status levels level types type kinds kind"
	whole   = openers + " settings setting formats format names literals constants two three four five six seven its "

	counts     = " two three four five six seven eight nine ten "
	adjectives = " allowed valid possible accepted supported permitted available legal acceptable known recognized recognised "
	plurals    = " values options choices words strings modes states statuses levels types kinds settings formats literals constants orders names keywords "
)

// introduced finds the lists that words introduce: "one of a, b or c", "allowed values: a, b", with the words in the
// sentence, in brackets or in a list of lines.
func (p *passage) introduced() []list {
	var out []list
	if !strings.Contains(p.s, "of") && !strings.Contains(p.s, ":") && !strings.Contains(p.s, " are ") && p.own == nil {
		return nil
	}
	lower := asciiLower(p.s)
	add := func(start, at int) {
		if p.negated(start) || p.condition(start, lower) {
			return
		}
		if l := p.listAt(at, lower); len(l.items) > 1 {
			out = append(out, l)
		}
	}
	for at := 0; at < len(lower); { // one of, one or more of, any combination of
		i := strings.Index(lower[at:], " of")
		if i < 0 {
			break
		}
		end := at + i + len(" of")
		at = end
		start, ok := preceded(lower, end, "one of", "one or more of", "zero or more of", "any number of", "any combination of", "a combination of", "exactly one of", "either of")
		if ok && (end == len(lower) || !isWord(lower[end])) && p.nameStart(start) {
			add(start, p.behindOpeners(end, lower))
		}
	}
	for at := 0; at < len(lower); { // allowed values: a, b; values are a and b
		colon := strings.IndexByte(lower[at:], ':')
		are := strings.Index(lower[at:], " are ")
		if colon < 0 && are < 0 {
			break
		}
		i, n := colon, 1
		if colon < 0 || are >= 0 && are < colon {
			i, n = are, len(" are ")
		}
		i += at
		at = i + n
		if start, ok := p.heading(i, lower, n > 1); ok {
			for at < len(p.s) && (p.s[at] == '*' || p.s[at] == '_') {
				at++ // emphasis ends
			}
			add(start, at)
		}
	}
	if p.own != nil {
		out = append(out, p.openings(lower)...)
	}
	return append(out, p.below(lower)...)
}

// below finds lists of lines below a reference to the parameter that they are of: "`mode`:".
func (p *passage) below(lower string) []list {
	var out []list
	for _, part := range p.parts {
		if part.seg.Param == "" || p.tool == nil || part.seg.Tool != p.tool.Name {
			continue
		}
		rest := strings.TrimLeft(p.s[part.end:], "`*_")
		if !strings.HasPrefix(rest, ":") {
			continue
		}
		if l := p.lines(len(p.s) - len(rest) + 1); len(l.items) > 1 {
			l.elsewhere, l.param = true, p.variant.Param(part.seg.Param)
			out = append(out, l)
		}
	}
	return out
}

// behindOpeners moves over the words between "one of" and its list: "one of the following values:".
func (p *passage) behindOpeners(at int, lower string) int {
	for {
		word := p.wordAt(at, lower)
		from := p.skip(at)
		if word == "" || !strings.HasPrefix(lower[from:], word) || !strings.Contains(whole, " "+word+" ") {
			break
		}
		end := from + len(word)
		if next := p.skip(end); next >= len(p.s) || strings.IndexByte(",/|", p.s[next]) >= 0 || strings.HasPrefix(p.s[next:], "or ") || strings.HasPrefix(p.s[next:], "and ") {
			break // an item of the list itself
		}
		at = end
	}
	for at < len(p.s) && strings.IndexByte(":*_", p.s[at]) >= 0 {
		at++
	}
	return at
}

// heading reports whether words that end at an offset say that what follows are all values: "allowed", "valid modes",
// "values", or in a parameter's doc the word for it.
func (p *passage) heading(at int, lower string, verb bool) (start int, ok bool) {
	end := len(strings.TrimRight(lower[:at], "*_ "))
	noun, start := p.wordBefore(end, lower)
	if noun == "are" || noun == "is" {
		verb = true
		noun, start = p.wordBefore(len(strings.TrimRight(lower[:start], " ")), lower)
		end = start + len(noun)
	}
	if noun == "" || !p.literal(start, end) {
		return 0, false
	}
	adjective, from := p.wordBefore(len(strings.TrimRight(lower[:start], " ")), lower)
	if !strings.HasSuffix(strings.TrimRight(lower[:start], " "), adjective) {
		adjective = ""
	}
	adjectival := adjective != "" && strings.Contains(adjectives, " "+adjective+" ")
	switch {
	case strings.Contains(adjectives, " "+noun+" "):
		return start, !verb && p.opens(start)
	case strings.Contains(plurals, " "+noun+" "):
		if adjectival || strings.Contains(counts, " "+adjective+" ") && adjective != "" && !verb {
			return from, true
		}
		return start, p.opens(start) || p.opens(from) && adjective == "the"
	case adjectival:
		return from, strings.HasSuffix(noun, "s")
	}
	return start, !verb && p.own != nil && called(p.own.Name, noun)
}

// opens reports whether a sentence, a line or a parenthesis begins at an offset.
func (p *passage) opens(at int) bool {
	before := strings.TrimRight(p.s[:at], " *_")
	return before == "" || strings.IndexByte(".!?\n(;[-", before[len(before)-1]) >= 0
}

func (p *passage) wordBefore(end int, lower string) (string, int) {
	start := end
	for start > 0 && isWord(lower[start-1]) {
		start--
	}
	return lower[start:end], start
}

// openings finds the lists with which a parameter's doc says what the parameter is: "Either a or b.", "Must be a, b or c.",
// and "The mode (a, b)". Each has to be all of its sentence or parenthesis, and words that the doc has elsewhere count as
// listed.
func (p *passage) openings(lower string) []list {
	var out []list
	add := func(at int, closing string) {
		l := p.listAt(at, lower)
		if len(l.items) < 2 {
			return
		}
		rest := strings.TrimLeft(p.s[l.end:], " ")
		if rest != "" && strings.IndexByte(closing, rest[0]) < 0 {
			return
		}
		l.elsewhere = true
		out = append(out, l)
	}
	for _, phrase := range []string{"either ", "must be ", "can be ", "may be ", "should be ", "has to be ", "accepts ", "takes ", "any of ", "choose from ", "choose between ", "pick from ", "select from "} {
		for at := 0; ; {
			i := strings.Index(lower[at:], phrase)
			if i < 0 {
				break
			}
			i += at
			at = i + len(phrase)
			if p.nameStart(i) && p.opens(i) {
				add(at, ".;\n(")
			}
		}
	}
	if p.own.Type != nil && (len(p.own.Type.Enum) > 0 || p.own.Type.Elem != nil) { // a sentence that is nothing but a list
		for at := 0; at < len(p.s); {
			_, end := p.sentence(at)
			add(p.skip(at), ".;\n")
			at = max(end, at+1)
		}
	}
	for i := 0; i < len(lower); i++ {
		if lower[i] != '(' {
			continue
		}
		if word, _ := p.wordBefore(len(strings.TrimRight(lower[:i], " ")), lower); word != "" && called(p.own.Name, word) {
			add(i+1, ")")
		}
	}
	return out
}

// listAt reads the list at an offset: in brackets, as lines, or as "a, b or c".
func (p *passage) listAt(at int, lower string) list {
	if l := p.lines(at); len(l.items) > 0 {
		return l
	}
	open := p.skip(at)
	if open < len(p.s) && strings.IndexByte("[{(", p.s[open]) >= 0 {
		if _, in := p.flat.span(open); !in {
			l := p.series(open + 1)
			if next := p.skip(l.end); next < len(p.s) && strings.IndexByte("]})", p.s[next]) >= 0 {
				return l
			}
			return list{}
		}
	}
	if s, ok := p.flat.span(open); ok && s.open == open && s.start < s.end && p.s[s.start] == '[' { // `["a", "b"]`
		l := p.series(s.start + 1)
		if next := p.skip(l.end); next == s.end-1 && p.s[next] == ']' {
			return l
		}
		return list{}
	}
	l := p.series(at)
	if rest := strings.TrimLeft(lower[l.end:], " ,(&"); strings.HasPrefix(rest, "...") || strings.HasPrefix(rest, "…") || strings.HasPrefix(rest, "etc") {
		return list{} // and so on
	}
	return l
}

// lines reads a list of lines, each with a word and what it means: "- `a`: the first".
func (p *passage) lines(at int) list {
	var l list
	rest := p.s[at:]
	if i := len(rest) - len(strings.TrimLeft(rest, " :*_\t")); i < len(rest) && rest[i] == '\n' {
		at += i
	} else {
		return l
	}
	indent := -1
	for at < len(p.s) {
		line := at + 1 // at is at the line break
		if at == len(p.s) || line > len(p.s) {
			break
		}
		end := len(p.s)
		if i := strings.IndexByte(p.s[line:], '\n'); i >= 0 {
			end = line + i
		}
		text := strings.TrimLeft(p.s[line:end], " \t")
		depth := end - line - len(text)
		mark := bullet(text)
		switch {
		case text == "":
			if len(l.items) > 0 && !p.goesOn(end, indent) {
				return l
			}
		case indent >= 0 && depth > indent: // what belongs to the item above
		case mark == 0 || indent >= 0 && depth < indent:
			return l
		default:
			indent = depth
			start := line + depth + mark
			for start < end && strings.IndexByte("*_ ", p.s[start]) >= 0 {
				start++
			}
			it, ok := p.itemAt(start)
			if !ok || it.after > end || !ends(p.s[it.after:end]) {
				return list{}
			}
			l.items, l.lines, l.end = append(l.items, it), true, it.after
		}
		at = end
		if at == len(p.s) {
			break
		}
	}
	return l
}

// goesOn reports whether another item follows behind an empty line.
func (p *passage) goesOn(at, indent int) bool {
	rest := strings.TrimLeft(p.s[at:], "\n")
	text := strings.TrimLeft(rest, " \t")
	return bullet(text) > 0 && len(rest)-len(text) == indent
}

// bullet returns the length of the mark of a list item at the beginning of a line.
func bullet(line string) int {
	if len(line) > 1 && strings.IndexByte("-*+", line[0]) >= 0 && line[1] == ' ' {
		return 2
	}
	if strings.HasPrefix(line, "• ") {
		return len("• ")
	}
	n := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if n > 0 && n < 3 && len(line) > n+1 && (line[n] == '.' || line[n] == ')') && line[n+1] == ' ' {
		return n + 2
	}
	return 0
}

// ends reports whether the word of a list item ends where this text begins, so that it is the item and no word of prose.
func ends(rest string) bool {
	rest = strings.TrimLeft(rest, "*_")
	trimmed := strings.TrimLeft(rest, " ")
	if trimmed == "" || strings.IndexByte(":,.;=(", trimmed[0]) >= 0 {
		return true
	}
	return strings.HasPrefix(trimmed, "—") || strings.HasPrefix(trimmed, "–") || strings.HasPrefix(trimmed, "- ") || strings.HasPrefix(trimmed, "->") || strings.HasPrefix(trimmed, "→")
}
