package prose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/hidden"
)

// retiredWord reports a word that used to be part of a contract. It returns whether it was one.
func (c *checker) retiredWord(p *passage, at int, word string) bool {
	if p.plain[word] {
		return false
	}
	if p.tool != nil && p.tool.Retired != nil {
		for _, r := range p.tool.Retired.Params {
			if r.Word == word {
				c.former(p, at, word, "a parameter of "+p.tool.Name, r, contract.Segment{Tool: p.tool.Name, Param: r.Use})
				return true
			}
		}
	}
	if t := c.retired[word]; t != nil {
		c.former(p, at, word, "the tool "+t.Name, &contract.Retired{Word: word, Use: t.Name, Pos: t.Pos}, contract.Segment{Tool: t.Name})
		return true
	}
	for _, e := range p.near {
		for _, r := range e.Retired {
			if r.Word == word {
				c.former(p, at, word, "a word of "+e.Name, r, contract.Segment{Enum: e.Name, Word: r.Use})
				return true
			}
		}
	}
	return false
}

// retiredName reports whether a word is a retired one here.
func (p *passage) retiredName(word string) bool {
	if p.c.retired[word] != nil {
		return true
	}
	return p.tool != nil && p.tool.Retired != nil && slices.ContainsFunc(p.tool.Retired.Params, func(r *contract.Retired) bool { return r.Word == word })
}

// former reports one retired name; use refers to what replaces it.
func (c *checker) former(p *passage, at int, word, what string, r *contract.Retired, use contract.Segment) {
	message := fmt.Sprintf("%s was %s and is retired", word, what)
	if r.Why != "" {
		message += ": " + r.Why
	}
	fix := "drop it"
	if r.Use != "" {
		fix = p.instead(at, use, word) + " if " + r.Use + " is meant; else drop it"
	}
	c.report(p, at, "retired-word", message, fix, diag.Related{Pos: r.Pos, Message: "it is retired here"})
}

// enclosed looks for retired words in brackets and quotes.
func (c *checker) enclosed(p *passage) {
	for at := 0; at < len(p.s); at++ {
		open := p.s[at]
		if open < 0x80 && open != '[' && open != '"' && open != '\'' {
			continue
		}
		start, end := at+1, 0
		if open == '[' {
			end = p.name(start)
			if end == start || !strings.HasPrefix(p.s[end:], "]") || strings.HasPrefix(p.s[end:], "](") {
				continue
			}
		} else {
			var ok bool
			if start, end, _, ok = p.quoted(at); !ok || end == start || p.name(start) != end || open == '\'' && at > 0 && isWord(p.s[at-1]) {
				continue
			}
		}
		word := p.s[start:end]
		if s, in := p.flat.span(start); in && s.start == start && s.end == end || !p.literal(start, end) {
			continue
		}
		if _, live := p.lookup(word); !live {
			c.retiredWord(p, start, word)
		}
	}
}

// hidden reports the characters of a literal that nobody sees.
func (p *passage) hidden(c *checker, s contract.Segment) {
	for _, run := range hidden.Find(s.Lit) {
		pos := s.At(run.Offset)
		if pos == (diag.Position{}) {
			pos = p.pos
		}
		c.findings.Add(hiddenFinding(run, pos, p.path))
	}
}

// hiddenIn reports the characters of a name or a value that nobody sees.
func hiddenIn(c *checker, s, path string, pos diag.Position) {
	for _, run := range hidden.Find(s) {
		c.findings.Add(hiddenFinding(run, pos, path))
	}
}

func hiddenFinding(run hidden.Run, pos diag.Position, path string) diag.Finding {
	return diag.Finding{Rule: "hidden-unicode", Pos: pos, Path: path, Message: "the text has " + run.String() + ", which nobody sees and a model reads",
		Fix: run.Fix()}
}
