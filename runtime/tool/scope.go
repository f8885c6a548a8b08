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
}

// scoped is a tool as a scope shows it.
type scoped struct {
	*mounted
	def Definition
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

func newScope(mounts []*mounted, restrictions []Restriction) (*Scope, error) {
	visible := mounts
	for _, r := range restrictions {
		var err error
		if visible, err = r.apply(visible); err != nil {
			return nil, err
		}
	}
	v := view{mounts: visible, primary: make(map[string]*mounted, len(visible)), enums: map[string]bool{}}
	if err := v.choosePrimaries(); err != nil {
		return nil, err
	}
	s := &Scope{tools: make([]scoped, 0, len(visible))}
	for _, m := range visible {
		for _, need := range m.variant.Needs {
			if v.primary[need] == nil {
				return nil, fmt.Errorf("tool: %s needs %s, which is not visible here; mount or allow it, or hide %s", m.name, need, m.name)
			}
		}
		if err := s.add(&v, m); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(s.sections, func(a, b PromptSection) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.index, b.index))
	})
	return s, nil
}

// add renders one tool into the scope.
func (s *Scope) add(v *view, m *mounted) error {
	name := func(label string) string { return v.name(m, label) }
	var clauses []string
	for _, c := range m.variant.Description {
		if missing := v.missing(m, c.Text); missing != "" {
			s.omitted = append(s.omitted, Omission{Tool: m.name, ID: c.ID, Missing: missing})
			continue
		}
		clauses = append(clauses, c.Text.render(name))
	}
	if len(clauses) == 0 {
		return fmt.Errorf("tool: %s has no description left here: each of its clauses refers to something that is not visible", m.name)
	}
	for _, sec := range m.variant.Sections {
		if missing := v.missing(m, sec.Text); missing != "" {
			s.omitted = append(s.omitted, Omission{Tool: m.name, Section: true, ID: sec.Label, Missing: missing})
			continue
		}
		id := "tool:" + m.name
		if !sec.Main {
			id += "/" + sec.Label
		}
		s.sections = append(s.sections, PromptSection{ID: id, Order: sec.Order, Text: sec.Text.render(name),
			pkg: m.contract.Package, index: m.contract.Index})
	}
	s.tools = append(s.tools, scoped{m, Definition{
		Name: m.name, Title: m.contract.Title, Description: strings.Join(clauses, " "), Parameters: m.parameters,
		Hints: m.variant.Hints, Safe: m.variant.Safe,
	}})
	return nil
}

// Scope returns a narrower scope. It can only hide: what this scope does not show, no scope made from it shows.
func (s *Scope) Scope(restrictions ...Restriction) (*Scope, error) {
	mounts := make([]*mounted, len(s.tools))
	for i, t := range s.tools {
		mounts[i] = t.mounted
	}
	return newScope(mounts, restrictions)
}

// Tools returns the definitions of the visible tools, in the order in which they were mounted. They are the caller's own,
// parameters included: many a client writes into what it sends.
func (s *Scope) Tools() []Definition {
	out := make([]Definition, len(s.tools))
	for i, t := range s.tools {
		out[i] = t.def
		out[i].Parameters = slices.Clone(t.def.Parameters)
	}
	return out
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

// find returns a visible tool by its mounted name.
func (s *Scope) find(name string) *mounted {
	for _, t := range s.tools {
		if t.name == name {
			return t.mounted
		}
	}
	return nil
}

// view answers what is visible while a scope is made.
type view struct {
	mounts  []*mounted
	primary map[string]*mounted // by label
	enums   map[string]bool
}

// choosePrimaries finds the mount of each tool that other tools' texts speak of.
func (v *view) choosePrimaries() error {
	for _, m := range v.mounts {
		for _, e := range m.variant.Enums {
			v.enums[e] = true
		}
		old := v.primary[m.contract.Name]
		if old == nil || m.primary {
			v.primary[m.contract.Name] = m
		}
	}
	for _, m := range v.mounts {
		p := v.primary[m.contract.Name]
		switch {
		case !sameContract(p.contract, m.contract):
			return fmt.Errorf("tool: two packages have a tool %s, %s and %s: texts could not tell them apart", m.contract.Name, p.contract.Package, m.contract.Package)
		case p != m && !p.primary:
			return fmt.Errorf("tool: %s is mounted as %q and as %q, and none of them is primary; mount one with tool.Primary", m.contract.Name, p.name, m.name)
		}
	}
	return nil
}

// mountOf is the mount that a label means in a text of m: its own for its own label, else the primary one.
func (v *view) mountOf(m *mounted, label string) *mounted {
	if label == m.contract.Name {
		return m
	}
	return v.primary[label]
}

func (v *view) name(m *mounted, label string) string {
	if t := v.mountOf(m, label); t != nil {
		return t.name
	}
	return label
}

// missing names the first thing that a text of m refers to and that is not there, or returns an empty string.
func (v *view) missing(m *mounted, t Text) string {
	for _, s := range t {
		switch {
		case s.Tool != "":
			target := v.mountOf(m, s.Tool)
			if target == nil {
				return s.Tool
			}
			if s.Param != "" && !target.variant.has(s.Param) {
				return s.Tool + "." + s.Param
			}
		case s.Enum != "":
			if !v.enums[s.Enum] {
				return s.Enum + "." + s.Word
			}
		}
	}
	return ""
}
