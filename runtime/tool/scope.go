package tool

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Scope is the set of tools that one agent sees. It is immutable and safe for concurrent use.
type Scope struct {
	tools    []scoped
	sections []PromptSection
	omitted  []Omission
	view     view // kept for narrower scopes, which share what they say in the same words
}

// scoped is a tool as a scope shows it.
type scoped struct {
	*mounted
	*rendering
}

// Definition is a tool as a provider's API wants it.
type Definition struct {
	Name        string
	Title       string
	Description string
	Parameters  json.RawMessage // JSON Schema, an object at its root
	Hints       Hints
	Safe        bool // whether its calls may run together with others
}

// PromptSection is a section of the system prompt.
type PromptSection struct {
	ID    string // tool:<mounted name>, further sections of one tool with /<label>
	Order float64
	Text  string

	pkg   string
	index int
}

// Omission is a clause or section that a scope leaves out, because it refers to something that is not there.
type Omission struct {
	Tool    string // mounted name
	Section bool   // a section, else a clause of the description
	ID      string // clause id, or section label
	Missing string // what is not there: a tool, tool.parameter or enum.word, by labels
}

// newScope makes a scope of what the restrictions leave. wide is the scope that it narrows, or nil.
func newScope(mounts []*mounted, restrictions []Restriction, wide *Scope) (*Scope, error) {
	for _, r := range restrictions {
		var err error
		if mounts, err = r.apply(mounts); err != nil {
			return nil, err
		}
	}
	if wide != nil && len(mounts) == len(wide.tools) {
		return wide, nil
	}
	s := &Scope{tools: make([]scoped, len(mounts)), view: newView(mounts)}
	if err := s.view.check(mounts); err != nil {
		return nil, err
	}
	var buf []byte
	at, sections, omitted := 0, 0, 0
	for i, m := range mounts {
		for _, need := range m.variant.Needs {
			if s.view.primary[need] == nil {
				return nil, fmt.Errorf("tool: %s needs %s, which is not visible here; mount or allow it, or hide %s", m.name, need, m.name)
			}
		}
		for wide != nil && wide.tools[at].mounted != m {
			at++ // both are in the order of mounting
		}
		r := m.alone
		switch {
		case r != nil:
		case wide != nil && s.view.sameFor(m, &wide.view):
			r = wide.tools[at].rendering
		default:
			r, buf = s.view.render(m, buf)
		}
		if r.description == "" {
			return nil, fmt.Errorf("tool: %s has no description left here: each of its clauses refers to something that is not visible", m.name)
		}
		s.tools[i] = scoped{m, r}
		sections, omitted = sections+len(r.sections), omitted+len(r.omitted)
	}
	if sections > 0 {
		s.sections = make([]PromptSection, 0, sections)
	}
	if omitted > 0 {
		s.omitted = make([]Omission, 0, omitted)
	}
	for i := range s.tools {
		s.sections = append(s.sections, s.tools[i].rendering.sections...)
		s.omitted = append(s.omitted, s.tools[i].omitted...)
	}
	slices.SortStableFunc(s.sections, func(a, b PromptSection) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.index, b.index))
	})
	return s, nil
}

// Scope returns a narrower scope. It can only hide: what this scope does not show, no scope made from it shows.
func (s *Scope) Scope(restrictions ...Restriction) (*Scope, error) {
	mounts := make([]*mounted, len(s.tools))
	for i, t := range s.tools {
		mounts[i] = t.mounted
	}
	return newScope(mounts, restrictions, s)
}

// Tools returns the definitions of the visible tools, in the order in which they were mounted. They are the caller's own,
// parameters included: many a client writes into what it sends.
func (s *Scope) Tools() []Definition {
	out := make([]Definition, len(s.tools))
	for i, t := range s.tools {
		out[i] = t.definition()
	}
	return out
}

func (t scoped) definition() Definition {
	return Definition{
		Name: t.name, Title: t.contract.Title, Description: t.description, Parameters: slices.Clone(t.parameters),
		Hints: t.variant.Hints, Safe: t.variant.Safe,
	}
}

// Sections returns the tools' sections of the system prompt, by order, then in the order of the source.
func (s *Scope) Sections() []PromptSection { return slices.Clone(s.sections) }

// Prompt joins the sections' texts by one empty line.
func (s *Scope) Prompt() string {
	texts := make([]string, len(s.sections))
	for i, sec := range s.sections {
		texts[i] = sec.Text
	}
	return strings.Join(texts, "\n\n")
}

// Omitted returns what the scope leaves out because it refers to something that is not there.
func (s *Scope) Omitted() []Omission { return slices.Clone(s.omitted) }

// find returns a visible tool by its mounted name; its mounted part is nil where there is none.
func (s *Scope) find(name string) scoped {
	for _, t := range s.tools {
		if t.name == name {
			return t
		}
	}
	return scoped{}
}
