package prose

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"
)

// valueAt reads the value that a claim states at an offset; ok is false where prose follows.
func (p *passage) valueAt(at int) (value, bool) {
	if at >= len(p.s) {
		return value{}, false
	}
	if s, ok := p.flat.span(at); ok && s.open == at {
		return value{start: at, end: s.close, text: p.s[s.start:s.end], marked: true}, true
	}
	if start, end, after, ok := p.quoted(at); ok {
		return value{start: at, end: after, text: p.s[start:end], marked: true}, true
	}
	if stars := len(p.s[at:]) - len(strings.TrimLeft(p.s[at:], "*")); stars > 0 { // emphasis, where it closes
		if n := strings.IndexAny(p.s[at+stars:], " \n*"); n > 0 && strings.HasPrefix(p.s[at+stars+n:], p.s[at:at+stars]) {
			v, ok := p.valueAt(at + stars)
			return v, ok
		}
	}
	if v, ok := p.underlined(at); ok {
		return v, true
	}
	if p.s[at] == '[' || p.s[at] == '{' {
		dec := json.NewDecoder(strings.NewReader(p.s[at:min(len(p.s), at+maxQuoted)]))
		var raw json.RawMessage
		if dec.Decode(&raw) == nil {
			return value{start: at, end: at + len(raw), text: string(raw), marked: true}, true
		}
		return value{}, false
	}
	end := at
	for end < len(p.s) && (strings.IndexByte(" \t\n,;:)]|(\"`", p.s[end]) < 0 || thousands(p.s, end)) && !strings.HasPrefix(p.s[end:], "—") && !(end > at && p.s[end-1] < utf8.RuneSelf && wide(p.s[end:])) &&
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
		v := value{start: at, end: end, text: word, marked: true}
		v.end, v.unit = p.unitAt(end)
		return v, true
	}
	if n := len(word) - len(strings.TrimLeft(word, "0123456789.,_")); n > 0 { // a unit right behind the number
		if _, ok := number(word[:n]); ok && unit(word[n:]) != "" {
			return value{start: at, end: end, text: word, marked: true}, true
		}
	}
	if word == "true" || word == "false" || word == "null" {
		return value{start: at, end: end, text: word, marked: true}, true
	}
	if end, ok := p.numberWords(at); ok {
		v := value{start: at, end: end, text: p.s[at:end]}
		v.end, v.unit = p.unitAt(end)
		return v, p.clauseEnds(v.end) || v.unit != ""
	}
	// A bare word is a value where the clause ends behind it, or where it is a word of the parameter's own.
	if _, ok := p.flat.ref(at, end); ok {
		return value{start: at, end: end, text: word, marked: true}, true
	}
	return value{start: at, end: end, text: word}, p.clauseEnds(end) || !article(word) && slices.ContainsFunc(p.subjects(at), func(s subject) bool { return s.takes(word) })
}

// underlined reads one word that is emphasised as in "__10__".
func (p *passage) underlined(at int) (value, bool) {
	lines := len(p.s[at:]) - len(strings.TrimLeft(p.s[at:], "_"))
	if lines == 0 || lines > 2 {
		return value{}, false
	}
	from := at + lines
	n := strings.Index(p.s[from:], p.s[at:from])
	if n <= 0 || strings.ContainsAny(p.s[from:from+n], " \n") || !p.literal(at, from) || !p.clauseEnds(from+n+lines) {
		return value{}, false
	}
	word := p.s[from : from+n]
	v := value{start: at, end: from + n + lines, text: word}
	_, v.marked = number(word)
	return v, v.marked || p.taken(v)
}

// thousands reports whether a comma at an offset sets thousands apart.
func thousands(s string, at int) bool {
	digit := func(i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }
	return s[at] == ',' && digit(at-1) && digit(at+1) && digit(at+2) && digit(at+3) && !digit(at+4)
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
		return value{start: s.open, end: end, text: p.s[s.start:s.end], marked: true}, true
	}
	for _, q := range []string{`"`, "'", "”", "’", "」"} {
		if !strings.HasSuffix(p.s[:end], q) {
			continue
		}
		for at := end - len(q) - 1; at >= max(0, end-maxQuoted); at-- {
			if start, stop, after, ok := p.quoted(at); ok && after == end {
				return value{start: at, end: end, text: p.s[start:stop], marked: true}, true
			}
		}
	}
	start := end
	for start > 0 && !isSpace(p.s[start-1]) && strings.IndexByte("([`\"|,;", p.s[start-1]) < 0 && !strings.HasSuffix(p.s[:start], "`=") {
		start--
	}
	word := p.s[start:end]
	for _, mark := range []string{"**", "__", "*", "_"} { // emphasis
		if plain, ok := strings.CutPrefix(word, mark); ok && len(plain) > len(mark) && strings.HasSuffix(plain, mark) && p.literal(start, start+len(mark)) {
			word = strings.TrimSuffix(plain, mark)
			break
		}
	}
	if _, ok := number(word); ok {
		return value{start: start, end: end, text: word, marked: true}, true
	}
	// A bare word is a value only where the parameter has such a value, in small letters if it begins a sentence.
	v := value{start: start, end: end, text: word}
	for range 2 {
		if word != "" && p.taken(v) {
			return v, true
		}
		v.text = strings.ToLower(word[:min(1, len(word))]) + word[min(1, len(word)):]
	}
	return value{start: start, end: end, text: word}, false
}

// holds reports whether a claimed value is a default, or claims that there is none.
func holds(def json.RawMessage, v value) bool {
	word := strings.TrimSpace(v.text)
	if n := len(word); v.marked && n > 2 && (word[0] == '"' || word[0] == '\'') && word[n-1] == word[0] {
		word = word[1 : n-1] // quotes within backquotes
	}
	if def == nil {
		return !v.marked && slices.Contains([]string{"none", "nothing", "unset", "absent", "empty", "unlimited", "undefined", "infinite", "never", "now", "today", "latest", "current"}, strings.ToLower(word))
	}
	switch def[0] {
	case '"':
		var s string
		if json.Unmarshal(def, &s) != nil {
			return false
		}
		return s == word || v.unit != "" && sameQuantity(s, v) || !v.marked && strings.EqualFold(s, word) || s == "" && !v.marked && (word == "empty" || word == "nothing")
	case '[', '{':
		if !v.marked {
			return len(def) == 2 && slices.Contains([]string{"empty", "none", "nothing"}, strings.ToLower(word))
		}
		return sameJSON(def, []byte(word))
	case 't', 'f':
		return string(def) == word || !v.marked && strings.Contains(map[string]string{"true": " on yes enabled ", "false": " off no disabled "}[string(def)], " "+strings.ToLower(word)+" ") ||
			!v.marked && strings.EqualFold(string(def), word)
	case 'n':
		return word == "null" || !v.marked && (strings.EqualFold(word, "none") || strings.EqualFold(word, "nothing"))
	}
	want, ok := number(string(def))
	if !ok {
		return false
	}
	if v.unit == "" && !v.marked && slices.Contains([]string{"none", "unlimited", "infinite", "disabled", "off", "never", "nothing", "zero"}, strings.ToLower(word)) {
		return want.Sign() <= 0
	}
	return slices.ContainsFunc(v.numbers(word), func(n *big.Rat) bool { return n.Cmp(want) == 0 })
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

func preview(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
