package prose

import (
	"slices"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// words are the names and words that the texts of one variant of a tool can speak of.
type words struct {
	c       *checker
	home    *contract.Package
	tool    *contract.Tool    // nil outside of tools
	variant *contract.Variant // with tool

	used  []*contract.Enum // by parameters or results of some variant of the tool
	near  []*contract.Enum // those, and the enums of the same package
	plain map[string]bool  // what is a true name here and has no reference: properties, fields, inline values
}

func (c *checker) words(p *contract.Package, t *contract.Tool, v *contract.Variant) *words {
	w := &words{c: c, home: p, tool: t, variant: v, plain: map[string]bool{}}
	if t != nil {
		for _, v := range t.Variants {
			for _, q := range v.Params {
				w.add(q.Type, 0)
			}
		}
		for _, m := range t.Results {
			for _, f := range m.Fields {
				w.plain[f.Name] = true
				w.add(f.Type, 0)
			}
		}
		for _, o := range t.Options {
			w.plain[o.Name] = true
			for _, v := range o.Values {
				w.plain[v] = true
			}
		}
	}
	w.near = slices.Clone(w.used)
	for _, e := range p.Enums {
		if !slices.Contains(w.near, e) {
			w.near = append(w.near, e)
		}
	}
	return w
}

// add collects what is inside a type of the tool.
func (w *words) add(t *contract.Type, depth int) {
	const deepest = 32 // definitions may be recursive
	if t == nil || depth > deepest {
		return
	}
	if t.EnumRef != nil {
		if e := w.c.enumOf(t.EnumRef); e != nil && !slices.Contains(w.used, e) {
			w.used = append(w.used, e)
		}
	} else {
		for _, v := range t.Enum {
			w.plain[v] = true
		}
	}
	if t.Tag != "" {
		w.plain[t.Tag] = true
	}
	for _, f := range t.Fields {
		w.plain[f.Name] = true
		w.add(f.Type, depth+1)
	}
	for _, inner := range slices.Concat([]*contract.Type{t.Elem, t.Rest}, t.Items) {
		w.add(inner, depth+1)
	}
	for _, r := range t.PatternRest {
		w.add(r.Type, depth+1)
	}
	for _, alt := range t.Cases {
		w.plain[alt.Tag] = true
		w.add(alt.Type, depth+1)
	}
	if t.Kind == contract.KindRef && depth == 0 {
		for _, d := range w.home.Defs {
			w.add(d.Type, depth+1)
		}
	}
}

func (c *checker) enumOf(ref *contract.EnumRef) *contract.Enum {
	for _, e := range c.enums {
		if e.Name == ref.Name && c.homes[e].Path == ref.Package {
			return e
		}
	}
	return nil
}

// name is what a word of a text is found to be.
type name struct {
	what string           // tool, parameter or word, with its owner
	ref  contract.Segment // how to refer to it
	pos  diag.Position    // its declaration
}

// lookup returns the name or word that can be referred to from here and is spelled s.
func (p *passage) lookup(s string) (name, bool) {
	if p.tool != nil && p.kind != inMessage {
		for _, v := range p.tool.Variants {
			if q := v.Param(s); q != nil {
				return name{"the parameter " + s, contract.Segment{Tool: p.tool.Name, Param: s}, q.Pos}, true
			}
		}
	}
	if p.plain[s] || p.own != nil && p.own.Name == s {
		return name{}, false
	}
	if t := p.c.tools[s]; t != nil {
		return name{"the tool " + t.Name, contract.Segment{Tool: t.Name}, t.Pos}, true
	}
	for _, e := range p.enums() {
		for _, word := range e.Values {
			if word.Word == s {
				return name{"a word of " + e.Name, contract.Segment{Enum: e.Name, Word: s}, word.Pos}, true
			}
		}
	}
	return name{}, false
}

// enums are the enums whose words the passage can be expected to speak of, the likelier ones first.
func (p *passage) enums() []*contract.Enum {
	if p.kind == inDoc {
		return p.used // a doc cannot refer to others
	}
	out := slices.Clone(p.near)
	for _, part := range p.flat.parts {
		for _, e := range p.c.enums {
			if part.seg.Enum == e.Name && !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
	}
	return out
}

// known returns every name and word that a code span here may nearly be.
func (p *passage) known() []string {
	var out []string
	if p.tool != nil && p.kind != inMessage {
		for _, v := range p.tool.Variants {
			for _, q := range v.Params {
				out = append(out, q.Name)
			}
		}
	}
	for s := range p.c.tools {
		out = append(out, s)
	}
	for _, e := range p.enums() {
		for _, word := range e.Values {
			out = append(out, word.Word)
		}
	}
	for s := range p.plain {
		out = append(out, s)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
