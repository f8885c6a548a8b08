// Package prose checks what texts claim: the one part of a contract that no type checker sees.
//
// Prose is free, except where it claims (the design's rule 9). Beside references, which the model's own validation
// checks, [Check] looks at code spans, at closed lists of an enum's words, at claims of a default, and for what no
// reader can see. Its rules:
//
//   - name-literal: a name or word in a code span that was written by hand, where a reference would follow a renaming;
//     names with an underscore are found outside of code spans, too
//   - name-near: a code span that is nearly a name; a call, an argument or its value in longer code; a word
//     with an underscore
//   - retired-word: a former word, parameter or tool in a code span, brackets or quotes
//   - default-claim: "defaults to V", "V is the default", "if omitted, V" and the like, that do not hold
//   - closed-list: "a | b", "one of a, b or c", "allowed: a, b" that is not all of an enum
//   - text-reference: a reference that is none, since it stands in a raw string or a comment
//   - hidden-unicode: characters that are not seen, in texts and names
//
// Code blocks, URLs and the actions of templates are never looked at, but for hidden characters. Every rule
// rather misses a lie than calls the truth one: its cases of false alarm are tests.
package prose

import (
	"slices"
	"strings"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// Check says what is not true in the texts of a model's packages, in order and each thing once. The model must have
// passed contract.Validate: references that lead nowhere are not reported again.
func Check(m *contract.Model) diag.Findings {
	c := newChecker(m)
	for _, p := range m.Packages {
		for _, t := range p.Tools {
			c.tool(p, t)
		}
		for _, e := range p.Enums {
			c.enum(p, e)
		}
		for _, n := range p.Notices {
			c.message(p, nil, n, "notices."+n.Name)
		}
		for _, d := range p.Defs {
			c.fields(passage{words: c.words(p, nil, nil), kind: inDoc}, d.Type, "#"+d.Name, d.Pos)
		}
	}
	return c.findings.Sorted()
}

// checker holds what the rules look up over all packages.
type checker struct {
	findings diag.Findings
	tools    map[string]*contract.Tool // by label and by mounted name
	packages map[*contract.Tool]*contract.Package
	retired  map[string]*contract.Tool // by former name
	enums    []*contract.Enum          // of all packages
	homes    map[*contract.Enum]*contract.Package
	mounted  contract.Names
	seen     map[string]bool // texts of the current tool that were checked with the same words
}

func newChecker(m *contract.Model) *checker {
	c := &checker{tools: map[string]*contract.Tool{}, packages: map[*contract.Tool]*contract.Package{}, retired: map[string]*contract.Tool{},
		homes: map[*contract.Enum]*contract.Package{}}
	for _, p := range slices.Concat(m.External, m.Packages) {
		for _, t := range p.Tools {
			c.tools[t.Name], c.tools[t.Mounted()] = t, t
			c.packages[t] = p
			if t.Retired != nil {
				for _, n := range t.Retired.Names {
					c.retired[n] = t
				}
			}
		}
		for _, e := range p.Enums {
			c.enums = append(c.enums, e)
			c.homes[e] = p
		}
	}
	c.mounted = func(label string) string {
		if t := c.tools[label]; t != nil {
			return t.Mounted()
		}
		return label
	}
	return c
}

// kind says where a text stands, which decides what it may refer to.
type kind int

const (
	inText    kind = iota // a clause, a description, a section
	inDoc                 // a parameter's doc: its own tool only
	inMessage             // a result or a notice: a template, no tools
)

// passage is one text with what the rules need to know of its place.
type passage struct {
	*words
	kind kind
	own  *contract.Param // the parameter, property or field whose doc it is
	path string
	pos  diag.Position // where the text stands, if nothing better is known
	*flat
}

func (c *checker) tool(p *contract.Package, t *contract.Tool) {
	c.seen = map[string]bool{}
	base := "tools." + t.Name
	hiddenIn(c, t.Title, base+".title", t.Pos)
	hiddenIn(c, t.Wire, base+".wire", t.Pos)
	for _, o := range t.Options {
		for _, v := range o.Values {
			hiddenIn(c, v, base+".options."+o.Name, o.Pos)
		}
	}
	for _, v := range t.Variants {
		w := c.words(p, t, v)
		for _, cl := range v.Clauses {
			path := base + ".description"
			if cl.ID != "" {
				path = base + ".clauses." + cl.ID
			}
			c.text(passage{words: w, kind: inText, path: path, pos: cl.Pos}, cl.Text)
		}
		for _, s := range v.Sections {
			c.text(passage{words: w, kind: inText, path: base + ".sections." + s.Label, pos: s.Pos}, s.Text)
		}
		c.params(passage{words: w, kind: inDoc}, v.Params, base+".params")
		for _, e := range v.Examples {
			hiddenIn(c, e.Title, base+".examples", e.Pos)
			hiddenIn(c, string(e.Args), base+".examples", e.Pos)
		}
	}
	for _, m := range t.Results {
		c.message(p, t, m, base+".results."+m.Name)
	}
}

func (c *checker) enum(p *contract.Package, e *contract.Enum) {
	c.seen = map[string]bool{}
	w := c.words(p, nil, nil)
	for _, v := range e.Values {
		path := "enums." + e.Name + ".values." + v.Word
		hiddenIn(c, v.Word, path, v.Pos)
		c.text(passage{words: w, kind: inText, path: path + ".doc", pos: v.Pos}, v.Doc)
	}
	for _, r := range e.Retired {
		hiddenIn(c, r.Word+r.Why, "enums."+e.Name+".retired", r.Pos)
	}
}

func (c *checker) message(p *contract.Package, t *contract.Tool, m *contract.Message, path string) {
	c.seen = map[string]bool{}
	var v *contract.Variant
	if t != nil {
		v = t.Default()
	}
	w := c.words(p, t, v)
	for _, text := range []struct {
		field string
		text  contract.Text
		plain string
	}{{"render", m.RenderText, m.Render}, {"empty", m.EmptyText, m.Empty}} {
		if text.text == nil {
			text.text = contract.Literal(text.plain)
		}
		c.text(passage{words: w, kind: inMessage, path: path + "." + text.field, pos: m.RenderPos}, text.text)
	}
	c.params(passage{words: w, kind: inMessage}, m.Fields, path+".fields")
}

func (c *checker) params(p passage, params []*contract.Param, path string) {
	for _, q := range params {
		at := path + "." + q.Name
		hiddenIn(c, q.Name, at, q.Pos)
		hiddenIn(c, string(q.Default), at+".default", q.DefaultPos)
		p.own, p.path, p.pos = q, at+".doc", q.Pos
		c.text(p, q.Doc)
		c.fields(p, q.Type, at, q.Pos)
	}
}

// fields checks the texts inside a type.
func (c *checker) fields(p passage, t *contract.Type, path string, pos diag.Position) {
	if t == nil {
		return
	}
	for _, word := range t.Enum {
		hiddenIn(c, word, path, pos)
	}
	if len(t.Doc) > 0 {
		p.path, p.pos = path+".doc", pos
		c.text(p, t.Doc)
	}
	c.params(p, t.Fields, path+".fields")
	for _, inner := range slices.Concat([]*contract.Type{t.Elem, t.Rest}, t.Items) {
		c.fields(p, inner, path+".items", pos)
	}
	for _, r := range t.PatternRest {
		c.fields(p, r.Type, path, pos)
	}
	for _, alt := range t.Cases {
		c.fields(p, alt.Type, path, pos)
	}
}

// text runs the rules over one text.
func (c *checker) text(p passage, t contract.Text) {
	if len(t) == 0 {
		return
	}
	p.flat = flatten(t, c.mounted, p.kind == inMessage)
	// A text that several variants share is looked at again only where it can mean something else there.
	key := p.path + "\x00" + p.flat.s
	claims, lists := p.claims(), p.lists()
	if c.seen[key] && len(claims) == 0 && len(lists) == 0 {
		return
	}
	c.seen[key] = true
	for _, s := range t {
		if !s.IsRef() {
			p.hidden(c, s)
		}
	}
	for _, cl := range claims {
		c.claim(&p, cl)
	}
	for _, l := range lists {
		c.list(&p, l)
	}
	for _, s := range p.spans {
		c.span(&p, s, lists)
	}
	c.bare(&p)
	c.asWritten(&p)
	c.braced(&p)
	c.enclosed(&p)
}

// report adds a finding at an offset of the passage.
func (c *checker) report(p *passage, at int, rule, message, fix string, related ...diag.Related) {
	c.findings.Add(diag.Finding{Rule: rule, Pos: p.flat.pos(at, p.pos), Path: p.path, Message: message, Fix: fix, Related: related})
}

// inFile reports whether the byte at an offset stands in a prompt file, where references are written otherwise.
func (p *passage) inFile(at int) bool { return strings.HasSuffix(p.flat.pos(at, p.pos).File, ".md") }
