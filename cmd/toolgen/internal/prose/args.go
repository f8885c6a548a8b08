package prose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// argument is a value in code with the name that it is given for: mode=full, mode: "full", {"mode": "full"}.
type argument struct {
	key        string
	start, end int // of the value
}

// argumentAt reads the key of the value at a range of a code span.
func (p *passage) argumentAt(s span, start, end int) (argument, bool) {
	if end < s.end && strings.IndexByte("(=.", p.s[end]) >= 0 {
		return argument{}, false
	}
	at := start
	if at > s.start && (p.s[at-1] == '"' || p.s[at-1] == '\'') {
		at--
	}
	at = len(strings.TrimRight(p.s[:at], " "))
	if at <= s.start || p.s[at-1] != '=' && p.s[at-1] != ':' {
		return argument{}, false
	}
	at = len(strings.TrimRight(p.s[:at-1], " "))
	if at > s.start && p.s[at-1] == '"' {
		at--
	}
	from := at
	for from > s.start && (isWord(p.s[from-1]) || p.s[from-1] == '-' && from-1 > s.start && isWord(p.s[from-2])) {
		from--
	}
	if from == at || from > s.start && strings.IndexByte("-./@$\\?&", p.s[from-1]) >= 0 {
		return argument{}, false
	}
	return argument{key: p.s[from:at], start: start, end: end}, true
}

// givenValue checks a value that code gives to a parameter of the tool: a retired word, or one that is nearly one of its
// words.
func (c *checker) givenValue(p *passage, a argument) {
	if p.variant == nil || p.kind == inMessage {
		return
	}
	q := p.variant.Param(a.key)
	word := p.s[a.start:a.end]
	if q == nil || q.Type == nil {
		return
	}
	t := q.Type
	for t.Elem != nil {
		t = t.Elem
	}
	if len(t.Enum) == 0 || slices.Contains(t.Enum, word) || t.Kind != contract.KindString {
		return
	}
	var e *contract.Enum
	if t.EnumRef != nil {
		e = c.enumOf(t.EnumRef)
	}
	if e != nil {
		for _, r := range e.Retired {
			if r.Word == word {
				c.former(p, a.start, word, "a word of "+e.Name, r, contract.Segment{Enum: e.Name, Word: r.Use})
				return
			}
		}
	}
	for _, known := range t.Enum {
		if _, near := diag.Nearest(word, []string{known}); !near && !nearName(word, known) {
			continue
		}
		fix := "write " + known + " for " + word
		if e != nil {
			fix = p.instead(a.start, contract.Segment{Enum: e.Name, Word: known}, word)
		}
		c.report(p, a.start, "name-near", fmt.Sprintf("%s is no value of %s, but nearly %s", quote(word), q.Name, known), fix,
			diag.Related{Pos: q.Pos, Message: "the parameter " + q.Name + " is declared here"})
		return
	}
}

// nearlyUsed checks a word of longer code that is used as a name and is none: what is called, against the names of tools;
// an argument of a call of the tool or a key of JSON, against the names of parameters.
func (c *checker) nearlyUsed(p *passage, s span, at, end int) {
	word := p.s[at:end]
	if p.kind == inMessage || !slip(word) || p.plain[word] || common(word) {
		return
	}
	if strings.HasPrefix(p.s[end:s.end], "(") {
		for _, label := range sorted(c.tools) {
			// A method of a program may be called almost like a tool of one word.
			if t := c.tools[label]; nearName(word, label) && strings.Contains(label, "_") {
				c.nearlyNamed(p, at, word, label, name{"the tool " + t.Name, contract.Segment{Tool: t.Name}, t.Pos})
				return
			}
		}
		return
	}
	if p.tool == nil {
		return
	}
	call, ok := p.arguments(s, at)
	if !ok {
		return
	}
	for _, v := range p.tool.Variants {
		for _, q := range v.Params {
			_, near := diag.Nearest(word, []string{q.Name})
			if nearName(word, q.Name) || call && near {
				c.nearlyNamed(p, at, word, q.Name, name{"the parameter " + q.Name, contract.Segment{Tool: p.tool.Name, Param: q.Name}, q.Pos})
				return
			}
		}
	}
}

// arguments reports whether the word at an offset of a code span stands among arguments of the tool: within a call of it,
// or in an object that has another parameter of it or nothing else.
func (p *passage) arguments(s span, at int) (call, ok bool) {
	code := p.s[s.start:s.end]
	if open := strings.IndexByte(code, '('); open >= 0 && s.start+open < at {
		called := strings.TrimRight(code[:open], " ")
		called = called[strings.LastIndexAny(called, " .")+1:]
		call = p.c.tools[called] == p.tool
		return call, call
	}
	if code[0] != '{' {
		return false, false
	}
	keys := 0
	for i := s.start; i < s.end; {
		end := p.name(i)
		if end == i || !p.nameStart(i) {
			i = max(i+1, end)
			continue
		}
		if p.usedAsName(s, i, end) {
			keys++
			for _, v := range p.tool.Variants {
				if v.Param(p.s[i:end]) != nil {
					return false, true
				}
			}
		}
		i = end
	}
	return false, keys == 1
}

func (c *checker) nearlyNamed(p *passage, at int, word, known string, n name) {
	if p.kind == inDoc && (p.tool == nil || n.ref.Tool != p.tool.Name) {
		c.report(p, at, "name-near", fmt.Sprintf("%s is no name here, but nearly %s", quote(word), known),
			"say it in a clause of the description, with "+p.write(at, n.ref), declared(n))
		return
	}
	c.report(p, at, "name-near", fmt.Sprintf("%s is no name here, but nearly %s", quote(word), known),
		p.instead(at, n.ref, word)+" if "+known+" is meant; else put it into a fenced block", declared(n))
}
