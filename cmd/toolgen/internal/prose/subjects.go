package prose

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

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

// param finds a parameter by a word that prose can have for it: its name, or the last piece of that, as a word of English.
func (p *passage) param(word string) *contract.Param {
	if p.own != nil && called(p.own.Name, word) {
		return p.own
	}
	return p.variantParam(word)
}

// variantParam finds a parameter of the tool by its name.
func (p *passage) variantParam(name string) *contract.Param {
	if p.variant == nil || p.kind == inMessage {
		return nil
	}
	return p.variant.Param(name)
}

// called reports whether a word can stand for a name.
func called(name, word string) bool {
	name, word = strings.ToLower(name), strings.ToLower(word)
	return name == word || name[strings.LastIndexByte(name, '_')+1:] == word
}

// taken reports whether a parameter that a claim can be about has a value among its own.
func (p *passage) taken(v value) bool {
	return slices.ContainsFunc(p.subjects(v.start), func(s subject) bool { return s.takes(v.text) })
}

// fits reports whether a parameter could have a claimed value.
func (p *passage) fits(q *contract.Param, v value) bool {
	if q == nil || q.Type == nil {
		return false
	}
	switch t := q.Type; {
	case len(t.Enum) > 0:
		return slices.Contains(t.Enum, v.text)
	case t.Kind == contract.KindBool:
		return v.text == "true" || v.text == "false"
	case t.Kind == contract.KindInt || t.Kind == contract.KindNumber:
		return len(v.numbers(v.text)) > 0
	case t.Kind == contract.KindString:
		return q.Default != nil && v.marked && p.clauseEnds(v.end) && len(v.numbers(v.text)) == 0
	}
	return false
}

// isParam reports whether a word is the name of a parameter of any tool.
func (c *checker) isParam(word string) bool {
	for _, t := range c.tools {
		if v := t.Default(); v != nil && v.Param(word) != nil {
			return true
		}
	}
	return false
}

// about are the parameters that a claim is about; none where it speaks of something else.
func (p *passage) about(cl claim) []subject {
	out := p.subjects(cl.at)
	if cl.noun == "" {
		return out
	}
	if q := p.param(cl.noun); q != nil {
		return []subject{{param: q, label: q.Name}}
	}
	// Something else has the default, unless the value is a word of the parameter's own.
	return slices.DeleteFunc(out, func(s subject) bool {
		return s.param == nil || s.param.Type == nil || !slices.Contains(s.param.Type.Enum, cl.text)
	})
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
	subjects := p.about(cl)
	if cl.weak {
		subjects = slices.DeleteFunc(subjects, func(s subject) bool {
			return !p.fits(s.param, cl.value) || cl.soft && s.param.Default == nil
		})
	}
	if q := p.variantParam(cl.text); q != nil && q != p.own && !slices.ContainsFunc(subjects, func(s subject) bool { return s.takes(cl.text) }) {
		return // what another parameter has is no value
	}
	stated := preview(cl.text)
	if len(subjects) == 0 {
		if cl.weak || cl.noun != "" && !(p.kind == inMessage && c.isParam(cl.noun)) {
			return // it speaks of something else
		}
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
	if p.own != nil && !cl.weak {
		s = subjects[0]
	}
	switch {
	case s.other:
		c.report(p, cl.at, "default-claim", fmt.Sprintf("a default of %s is claimed for %s, a parameter of another tool; it depends on options that are not known here", stated, s.label),
			"name the parameter without its default")
	case s.param.Default == nil:
		c.report(p, cl.at, "default-claim", fmt.Sprintf("%s is claimed to default to %s, but has no default: the runtime fills in nothing", s.label, stated),
			"give the parameter that default, or say what its absence means without the word default", diag.Related{Pos: s.param.Pos, Message: "the parameter " + s.label + " is declared here"})
	case cl.mark > 0: // it is the mark that is wrong, in a list of the values
		marked := p.escaped(cl.start, p.s[cl.start:cl.mark])
		value := p.escaped(cl.start, p.s[cl.start:cl.end])
		c.report(p, cl.at, "default-claim", fmt.Sprintf("%s is claimed to default to %s; its default is %s", s.label, stated, preview(string(s.param.Default))),
			"write "+value+" for "+marked+"; the default is "+shown(s.param), diag.Related{Pos: s.param.DefaultPos, Message: "the default of " + s.label})
	default:
		c.report(p, cl.at, "default-claim", fmt.Sprintf("%s is claimed to default to %s; its default is %s", s.label, stated, preview(string(s.param.Default))),
			"write "+p.writeDefault(cl.start, s.param)+" for "+p.escaped(cl.start, cl.text), diag.Related{Pos: s.param.DefaultPos, Message: "the default of " + s.label})
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
