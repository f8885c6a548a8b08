package prose

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// span checks one code span. Where it is one word, that word is a claim that such a name exists. Where it is more, only
// what is used as a name in it is looked at: a call or a named argument.
func (c *checker) span(p *passage, s span, lists []list) {
	end := p.name(s.start)
	if strings.HasPrefix(p.s[end:s.end], "()") {
		end += 2
	}
	if end == s.end && end > s.start {
		if p.literal(s.start, end) && !slices.ContainsFunc(lists, func(l list) bool { return l.faulty(s.start) }) {
			c.word(p, s.start, strings.TrimSuffix(p.s[s.start:end], "()"))
		}
		return
	}
	if p.onlyWords(s) {
		for at := s.start; at < s.end; {
			end := p.name(at)
			if word := p.s[at:end]; end > at && p.literal(at, end) {
				if _, live := p.lookup(word); !live && !slices.ContainsFunc(lists, func(l list) bool { return l.faulty(at) }) {
					c.retiredWord(p, at, word)
				}
			}
			at = max(at+1, end)
		}
		return
	}
	for at := s.start; at < s.end; {
		end := p.name(at)
		if end == at || !p.nameStart(at) {
			_, w := utf8.DecodeRuneInString(p.s[at:])
			at += max(w, end-at)
			continue
		}
		word := p.s[at:end]
		if p.literal(at, end) && p.usedAsName(s, at, end) {
			if n, ok := p.lookup(word); ok && n.ref.Word == "" {
				c.byHand(p, at, word, n)
			} else if !ok && (strings.HasPrefix(p.s[end:], `"`) || !c.retiredWord(p, at, word)) { // enclosed looks at what is quoted
				if !p.retiredName(word) {
					c.nearlyUsed(p, s, at, end)
				}
			}
		} else if a, ok := p.argumentAt(s, at, end); ok && p.literal(at, end) && !p.command(s, at) {
			c.givenValue(p, a)
		}
		at = end
	}
}

// onlyWords reports whether a code span is a list of words, one of which is of an enum: open, shipped or open → shipped.
func (p *passage) onlyWords(s span) bool {
	n, enum := 0, false
	for at := s.start; at < s.end; {
		end := p.name(at)
		if end == at {
			return false
		}
		if w, ok := p.lookup(p.s[at:end]); ok && w.ref.Word != "" {
			enum = true
		}
		n++
		at = end
		if at == s.end {
			break
		}
		rest := strings.TrimLeft(p.s[at:s.end], " ")
		sep := rest
		for _, mark := range []string{",", "→", "->", "=>", "|", "/"} {
			rest = strings.TrimPrefix(rest, mark)
		}
		if rest == sep {
			return false
		}
		at = s.end - len(strings.TrimLeft(rest, " "))
	}
	return n > 1 && enum
}

// usedAsName reports whether a word of a longer code span is called, or names an argument: f(, a=, a:, "a":.
func (p *passage) usedAsName(s span, at, end int) bool {
	if at > s.start && strings.IndexByte("-./@$\\?&", p.s[at-1]) >= 0 {
		return false
	}
	if p.placeholder(at, end) {
		return false
	}
	rest := p.s[end:s.end]
	if at > s.start && p.s[at-1] == '"' && strings.HasPrefix(rest, `"`) {
		return strings.HasPrefix(strings.TrimLeft(rest[1:], " "), ":")
	}
	return strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, "==") && !p.command(s, at) || strings.HasPrefix(rest, ": ") || strings.HasPrefix(rest, " = ")
}

// command reports whether a word of a code span stands behind a command, which has names of its own.
func (p *passage) command(s span, at int) bool {
	first := p.s[s.start:at]
	i := strings.IndexByte(first, ' ')
	return i > 0 && p.literal(s.start, s.start+i) && !strings.ContainsAny(first[:i], "=(){:,\"'")
}

// placeholder reports whether a word stands for something to be put in its place: <a>, {a}, ${a}, %a%.
func (p *passage) placeholder(at, end int) bool {
	if at == 0 || end == len(p.s) {
		return false
	}
	i := strings.IndexByte("<{%", p.s[at-1])
	return i >= 0 && p.s[end] == ">}%"[i]
}

// word checks a word that a code span holds alone.
func (c *checker) word(p *passage, at int, word string) {
	if n, ok := p.lookup(word); ok {
		c.byHand(p, at, word, n)
		return
	}
	if p.plain[word] || common(word) || p.own != nil && p.own.Name == word {
		return
	}
	if p.tool == nil || p.tool.Name != word {
		if n, owner, ok := p.otherParam(word); ok {
			c.report(p, at, "name-literal", fmt.Sprintf("%s is the parameter %s of %s, written by hand: it would not follow a renaming, nor be left out with it", quote(word), word, owner.Name),
				p.instead(at, n.ref, word), declared(n))
			return
		}
	}
	if c.retiredWord(p, at, word) {
		return
	}
	c.nearly(p, at, word)
}

// byHand reports a name that should be a reference.
func (c *checker) byHand(p *passage, at int, word string, n name) {
	if p.kind == inMessage && n.ref.Tool != "" {
		c.report(p, at, "result-tool", fmt.Sprintf("%s is %s, which a deployment may rename or hide", quote(word), n.what),
			"say it in a clause of a tool's description, which is left out with the tool", declared(n))
		return
	}
	if p.kind == inDoc && n.ref.Tool != "" && (p.tool == nil || n.ref.Tool != p.tool.Name) {
		c.report(p, at, "name-literal", fmt.Sprintf("%s is %s, and a parameter's doc may speak of its own tool only", quote(word), n.what),
			"say it in a clause of the description, with "+p.write(at, n.ref)+", which is left out with the tool", declared(n))
		return
	}
	c.report(p, at, "name-literal", fmt.Sprintf("%s is %s, written by hand: it would not follow a renaming, nor be left out where that is absent", quote(word), n.what),
		p.instead(at, n.ref, word), declared(n))
}

func declared(n name) diag.Related {
	return diag.Related{Pos: n.pos, Message: n.what + " is declared here"}
}

// otherParam finds a parameter of another tool by a name that is no common word: one with an underscore.
func (p *passage) otherParam(word string) (name, *contract.Tool, bool) {
	if !strings.Contains(word, "_") || p.kind != inText {
		return name{}, nil, false
	}
	for _, label := range sorted(p.c.tools) {
		t := p.c.tools[label]
		if v := t.Default(); v != nil {
			if q := v.Param(word); q != nil {
				return name{"the parameter " + word + " of " + t.Name, contract.Segment{Tool: t.Name, Param: word}, q.Pos}, t, true
			}
		}
	}
	return name{}, nil, false
}

// nearly reports a word that is one slip away from a name.
func (c *checker) nearly(p *passage, at int, word string) {
	if !slip(word) {
		return
	}
	for _, known := range p.known() {
		if !nearName(word, known) {
			continue
		}
		fix := "write " + known + " for " + word
		var related []diag.Related
		if n, ok := p.lookup(known); ok {
			fix, related = p.instead(at, n.ref, word), []diag.Related{declared(n)}
		}
		c.report(p, at, "name-near", fmt.Sprintf("%s is no name here, but nearly %s", quote(word), known), fix+" if "+known+" is meant; else say it without backquotes", related...)
		return
	}
}

// slip reports whether a word can be a misspelt name at all: names of environment variables and short words are not.
func slip(word string) bool {
	return len(word) >= 4 && strings.ContainsFunc(word, func(r rune) bool { return r >= 'a' && r <= 'z' })
}

// nearName reports whether a word is so near to a name that it must be a slip: the same after case and separators, or one
// letter off in a name of five and more; two in a long one. Of names without an underscore, case alone is no slip, since
// code is full of Path beside path.
func nearName(word, known string) bool {
	if word == known || len(known) < 4 || len(word)-len(known) > 2 || len(known)-len(word) > 2 {
		return false
	}
	a, b := fold(word), fold(known)
	if a == b {
		return strings.ContainsAny(word+known, "_-") || strings.ToLower(word[:1]) == word[:1]
	}
	switch d := edits(a, b); {
	case d == 1:
		return len(a) >= 5 && len(b) >= 5 || len(a) == len(b) && swapped(a, b)
	case d == 2:
		return len(a) >= 9 && len(b) >= 9
	}
	return false
}

func fold(s string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(s))
}

// swapped reports whether two words of one length differ by two neighbours in the wrong order.
func swapped(a, b string) bool {
	for i := 0; i+1 < len(a); i++ {
		if a[i] != b[i] {
			return a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		}
	}
	return false
}

// edits is the number of letters missing, wrong, too many or swapped with their neighbour; 3 stands for more.
func edits(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return min(3, last[len(b)])
}

// bare looks for names with an underscore outside of code spans: no language has such words, so they are meant as names.
func (c *checker) bare(p *passage) {
	for at := 0; ; at++ {
		i := strings.IndexByte(p.s[at:], '_')
		if i < 0 {
			return
		}
		start := at + i
		for start > 0 && (isWord(p.s[start-1]) || p.s[start-1] == '-') {
			start--
		}
		end := p.name(start)
		at = max(at+i, end-1)
		if end <= start || !p.literal(start, end) || partOfPath(p.s, start, end) || p.placeholder(start, end) {
			continue
		}
		word := p.s[start:end]
		s, in := p.flat.span(start)
		if in && (s.start == start && (s.end == end || p.s[end:s.end] == "()") || p.usedAsName(s, start, end)) {
			continue // span has looked at it
		}
		if t := c.tools[word]; t != nil && !p.plain[word] {
			c.byHand(p, start, word, name{"the tool " + t.Name, contract.Segment{Tool: t.Name}, t.Pos})
			continue
		}
		if t := c.retired[word]; t != nil && !p.plain[word] {
			c.retiredWord(p, start, word)
			continue
		}
		if in {
			continue // a parameter's name may be a column or a variable in longer code
		}
		if _, ok := p.lookup(word); !ok && !p.plain[word] && !p.retiredName(word) && strings.ToLower(word) == word {
			c.nearlyBare(p, start, word)
			continue
		}
		if n, ok := p.lookup(word); ok && n.ref.Param != "" {
			c.byHand(p, start, word, n)
		} else if !ok && !p.plain[word] {
			c.retiredWord(p, start, word)
		}
	}
}

// nearlyBare reports a word with an underscore outside of code that is one slip away from such a name.
func (c *checker) nearlyBare(p *passage, at int, word string) {
	for _, known := range p.known() {
		if n, ok := p.lookup(known); ok && strings.Contains(known, "_") && n.ref.Word == "" && nearName(word, known) {
			c.nearlyNamed(p, at, word, known, n)
			return
		}
	}
}

// asWritten looks for references that were not taken as such, and would reach the model letter by letter: \(...) in a raw
// string or in a comment.
func (c *checker) asWritten(p *passage) {
	for at := 0; ; {
		i := strings.Index(p.s[at:], `\(`)
		if i < 0 {
			return
		}
		at += i + len(`\(`)
		for _, head := range []string{"tools.", "enums.", "params.", "options.", "default)"} {
			if strings.HasPrefix(p.s[at:], head) {
				c.notReferred(p, at-len(`\(`), `\(`+strings.TrimRight(head, ".)")+"...)")
				break
			}
		}
	}
}

// braced looks for a prompt file's reference in a text of CUE: {{name}}. One in code, and one that is no name here nor
// nearly one, may be a template that is meant; one of a tool or an enum is found when the spec is read.
func (c *checker) braced(p *passage) {
	for _, r := range p.between("{{", "}}") {
		at := r[0]
		if _, code := p.span(at); code || p.inFile(at) || !p.literal(at, r[1]) {
			continue
		}
		inner := strings.TrimSpace(p.s[at+len("{{") : r[1]-len("}}")])
		path := strings.Split(inner, ".")
		if slices.ContainsFunc(path, func(s string) bool { return !oneWord(s) }) || c.tools[path[0]] != nil ||
			slices.ContainsFunc(c.enums, func(e *contract.Enum) bool { return e.Name == path[0] }) {
			continue
		}
		fix := ""
		n, found := p.lookup(path[0])
		switch {
		case found:
			fix = p.instead(at, n.ref, "{{"+inner+"}}")
		case len(path) > 2 && (path[0] == "tools" || path[0] == "enums") || len(path) > 1 && path[0] == "params":
			fix = `write \(` + inner + ")"
			if w := p.writing(at); w != nil {
				fix = `write \` + w.Hashes() + "(" + inner + ")"
			}
		case p.plain[path[0]] || p.own != nil && p.own.Name == path[0]:
			fix = "say it without braces"
		default:
			known := p.known()
			i := slices.IndexFunc(known, func(known string) bool { return slip(path[0]) && nearName(path[0], known) })
			if i < 0 {
				continue
			}
			fix = "say it without braces"
			if n, ok := p.lookup(known[i]); ok {
				fix = p.instead(at, n.ref, "{{"+inner+"}}")
			}
		}
		c.report(p, at, "text-reference", "{{"+inner+"}} is a reference in prompt files only; in CUE it would reach the model as it is",
			fix+", or put it in a code span if it is meant as it is")
	}
}

// oneWord reports whether a text is one word as names are written.
func oneWord(s string) bool {
	for i := range len(s) {
		if !isWord(s[i]) {
			return false
		}
	}
	return s != ""
}

// notReferred reports what looks like a reference and is none.
func (c *checker) notReferred(p *passage, at int, what string) {
	why, fix := "the backslash is escaped", `write \( for \\(`
	switch w := p.writing(at); {
	case p.inFile(at):
		why, fix = "the text is a prompt file", "write {{tool}}, {{tool.parameter}} or {{enum.word}}"
	case w == nil:
		why, fix = "it was computed", "say it in a text that is written as one string"
	case w.Quote == "":
		why, fix = "the text is a comment", "say it in the parameter's own doc, a string"
	case w.Hashes() != "":
		why, fix = "the text is a raw string", `write \`+w.Hashes()+`( for \(`
	}
	c.report(p, at, "text-reference", what+" is no reference here: "+why+", and the model would read it as it stands", fix)
}

// partOfPath reports whether a word is a piece of a path, an address, a variable or a selector.
func partOfPath(s string, start, end int) bool {
	if start > 0 && strings.IndexByte("/.@$%\\:#~", s[start-1]) >= 0 {
		return true
	}
	return end+1 < len(s) && strings.IndexByte("/\\@", s[end]) >= 0 || end+1 < len(s) && (s[end] == '.' || s[end] == ':') && isWord(s[end+1])
}

// common reports whether a word is one that programs are full of: it is not taken for a misspelt name.
func common(word string) bool {
	const words = " true false null none undefined string number integer boolean object array list status stats python await async export import content contents context "
	return strings.Contains(words, " "+strings.ToLower(word)+" ")
}

func quote(s string) string { return "`" + s + "`" }

func sorted[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
