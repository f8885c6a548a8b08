package tool

import (
	"fmt"
	"slices"
)

// rendering is what one tool says in a scope. Scopes in which it says the same share it.
type rendering struct {
	description string // empty: nothing is left of it
	sections    []PromptSection
	omitted     []Omission
}

// view answers what is visible in a scope.
type view struct {
	primary map[string]*mounted // by label
	enums   map[string]bool
}

// newView finds the mount of each tool that other tools' texts speak of, and the enums whose words they may use.
func newView(mounts []*mounted) view {
	v := view{primary: make(map[string]*mounted, len(mounts)), enums: map[string]bool{}}
	for _, m := range mounts {
		for _, e := range m.variant.Enums {
			v.enums[e] = true
		}
		if v.primary[m.contract.Name] == nil || m.primary {
			v.primary[m.contract.Name] = m
		}
	}
	return v
}

// check reports labels that could mean several tools.
func (v *view) check(mounts []*mounted) error {
	for _, m := range mounts {
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
			if !m.uses(s.Enum) && !v.enums[s.Enum] {
				return s.Enum + "." + s.Word
			}
		}
	}
	return ""
}

// uses reports whether the tool itself uses an enum, whose words are there wherever it is.
func (m *mounted) uses(enum string) bool { return slices.Contains(m.variant.Enums, enum) }

// others calls yield for each reference in the tool's texts to another tool, or to an enum that only other tools use.
func (m *mounted) others(yield func(s Segment) bool) {
	for _, c := range m.variant.Description {
		for _, s := range c.Text {
			if m.foreign(s) && !yield(s) {
				return
			}
		}
	}
	for _, sec := range m.variant.Sections {
		for _, s := range sec.Text {
			if m.foreign(s) && !yield(s) {
				return
			}
		}
	}
}

func (m *mounted) foreign(s Segment) bool {
	return s.Tool != "" && s.Tool != m.contract.Name || s.Enum != "" && !m.uses(s.Enum)
}

// speaksOfOthers reports whether the tool's texts depend on what else is visible.
func (m *mounted) speaksOfOthers() bool {
	for range m.others {
		return true
	}
	return false
}

// sameFor reports whether the tool says the same in two views.
func (v *view) sameFor(m *mounted, other *view) bool {
	for s := range m.others {
		if s.Tool != "" && v.primary[s.Tool] != other.primary[s.Tool] || s.Enum != "" && v.enums[s.Enum] != other.enums[s.Enum] {
			return false
		}
	}
	return true
}

// render gives what a tool says in a view. buf is room to work in, which it returns.
func (v *view) render(m *mounted, buf []byte) (*rendering, []byte) {
	r := &rendering{}
	buf = buf[:0]
	for _, c := range m.variant.Description {
		if missing := v.missing(m, c.Text); missing != "" {
			r.omitted = append(r.omitted, Omission{Tool: m.name, ID: c.ID, Missing: missing})
			continue
		}
		if len(buf) > 0 {
			buf = append(buf, ' ')
		}
		buf = v.append(buf, m, c.Text)
	}
	r.description = string(buf)
	for i, sec := range m.variant.Sections {
		if missing := v.missing(m, sec.Text); missing != "" {
			r.omitted = append(r.omitted, Omission{Tool: m.name, Section: true, ID: sec.Label, Missing: missing})
			continue
		}
		if r.sections == nil {
			r.sections = make([]PromptSection, 0, len(m.variant.Sections)-i)
		}
		buf = v.append(buf[:0], m, sec.Text)
		r.sections = append(r.sections, PromptSection{ID: m.sections[i], Order: sec.Order, Text: string(buf),
			pkg: m.contract.Package, index: m.contract.Index})
	}
	return r, buf
}

// append appends a text of m from which nothing is missing.
func (v *view) append(b []byte, m *mounted, t Text) []byte {
	for _, s := range t {
		switch {
		case s.Param != "":
			b = append(b, s.Param...)
		case s.Tool != "":
			b = append(b, v.mountOf(m, s.Tool).name...)
		case s.Enum != "":
			b = append(b, s.Word...)
		default:
			b = append(b, s.Lit...)
		}
	}
	return b
}
