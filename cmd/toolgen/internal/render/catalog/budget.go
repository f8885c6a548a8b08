package catalog

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/render/jsonschema"
)

// Budgets reports what is longer than its package's budgets allow, in characters as a model reads them. Of a tool's
// variants the longest text counts, so that a fault is one finding.
func Budgets(m *contract.Model) diag.Findings {
	b := &budgets{names: Names(m)}
	for _, p := range m.Packages {
		if p.Budgets == nil {
			continue
		}
		b.limits = p.Budgets
		for _, t := range p.Tools {
			b.over = map[string]*excess{}
			for _, v := range t.Variants {
				b.variant(m, p, t, v)
			}
			b.flush()
		}
	}
	return b.findings
}

type budgets struct {
	names    contract.Names
	limits   *contract.Budgets
	over     map[string]*excess // of one tool, by path
	findings diag.Findings
}

// excess is the longest form of one text.
type excess struct {
	what         string
	size, budget int64
	pos          diag.Position
}

func (b *budgets) variant(m *contract.Model, p *contract.Package, t *contract.Tool, v *contract.Variant) {
	path := "tools." + t.Name
	description := v.Description()
	size := b.size(description)
	pos := t.Pos
	if len(v.Clauses) > 0 {
		pos = v.Clauses[0].Pos
	}
	b.note(path+".description", "the description of "+t.Name, size, b.limits.Description, pos)
	for _, q := range v.Params {
		b.doc(q, path+".params."+q.Name)
	}
	for _, s := range v.Sections {
		b.note(path+".sections."+s.Label, "the section "+s.Label+" of "+t.Name, b.size(s.Text), b.limits.Section, s.Pos)
	}
	if b.limits.Tool > 0 {
		whole := size + int64(utf8.RuneCountInString(t.Mounted())) + b.size(jsonschema.Parameters(v, m.Defs(p)))
		b.note(path, t.Name+", with its name and its parameters as JSON,", whole, b.limits.Tool, t.Pos)
	}
}

func (b *budgets) doc(q *contract.Param, path string) {
	b.note(path+".doc", "the doc of "+q.Name, b.size(q.Doc), b.limits.Doc, q.Pos)
	var inside func(t *contract.Type, path string)
	inside = func(t *contract.Type, path string) {
		if t == nil {
			return
		}
		for _, f := range t.Fields {
			b.doc(f, path+".fields."+f.Name)
		}
		for _, inner := range slices.Concat([]*contract.Type{t.Elem, t.Rest}, t.Items) {
			inside(inner, path+".items")
		}
		for _, r := range t.PatternRest {
			inside(r.Type, path)
		}
		for _, alt := range t.Cases {
			inside(alt.Type, path)
		}
	}
	inside(q.Type, path)
}

// size is the length of a text in characters.
func (b *budgets) size(t contract.Text) int64 {
	return int64(utf8.RuneCountInString(t.Render(b.names)))
}

func (b *budgets) note(path, what string, size, budget int64, pos diag.Position) {
	if budget <= 0 || size <= budget {
		return
	}
	if old := b.over[path]; old == nil || size > old.size {
		b.over[path] = &excess{what, size, budget, pos}
	}
}

func (b *budgets) flush() {
	for path, x := range b.over {
		b.findings.Add(diag.Finding{Rule: "budget", Pos: x.pos, Path: path,
			Message: fmt.Sprintf("%s has %d characters; the budget is %d", x.what, x.size, x.budget),
			Fix:     "shorten it, or raise the budget",
			Related: []diag.Related{{Pos: b.limits.Pos, Message: "the budgets are set here"}}})
	}
}
