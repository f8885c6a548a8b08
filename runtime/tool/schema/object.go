package schema

import (
	"slices"
	"strings"
	"unicode/utf8"
)

func (c *compiler) object(place string, n *Node, t *Type) {
	names := make(map[string]int, len(t.Fields))
	slots := make(map[int]string, len(t.Fields))
	n.Fields = make([]Member, 0, len(t.Fields))
	for _, f := range t.Fields {
		at := place + "." + f.Name
		if _, twice := names[f.Name]; twice {
			c.fail(at, "the property stands twice")
			continue
		}
		if !utf8.ValidString(f.Name) {
			c.fail(at, "the name is not UTF-8")
		}
		names[f.Name] = len(n.Fields)
		m := Member{Field: f, Quoted: quoted(f.Name)}
		if m.Quoted != "" && !f.Gone {
			m.Lead = m.Quoted + ":"
		}
		m.Head = 1
		if m.Lead != "" {
			m.Head = 0
			for i := range min(8, len(m.Lead)) {
				m.Head |= uint64(m.Lead[i]) << (8 * i)
				m.Mask |= 0xFF << (8 * i)
			}
		}
		if !f.Gone || f.Fixed != "" {
			if other, twice := slots[f.Slot]; twice {
				c.fail(at, "slot %d is that of %q already", f.Slot, other)
			} else if f.Slot < 0 {
				c.fail(at, "slot %d is below zero", f.Slot)
			}
			slots[f.Slot] = f.Name
			m.Type = c.node(at, f.Type)
			c.defaulted(at, &m)
		}
		n.Fields = append(n.Fields, m)
	}
	c.aliases(place, n, names)
	if len(n.Fields) > many {
		n.index = names
	}
	if t.Rest != nil {
		n.Rest = c.node(place+"{}", t.Rest)
	}
	for _, p := range t.PatternRest {
		at := place + "{" + p.Pattern + "}"
		if re := c.pattern(at, p.Pattern); re != nil {
			n.PatternRest = append(n.PatternRest, PatternNode{re, c.node(at, p.Type)})
		}
	}
}

// aliases enters the aliases of the fields, which must not be names of others.
func (c *compiler) aliases(place string, n *Node, names map[string]int) {
	for i := range n.Fields {
		for _, alias := range n.Fields[i].Aliases {
			at := place + "." + n.Fields[i].Name
			if _, taken := names[alias]; taken {
				c.fail(at, "the alias %q is the name of a property", alias)
				continue
			}
			if other, taken := n.aliases[alias]; taken {
				c.fail(at, "the alias %q is one of %q already", alias, n.Fields[other].Name)
				continue
			}
			if n.aliases == nil {
				n.aliases = map[string]int{}
			}
			n.aliases[alias] = i
		}
	}
}

// quoted returns a name as JSON text where there is one way to write it that matters.
func quoted(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' }) {
		return ""
	}
	return `"` + name + `"`
}

func (c *compiler) defaulted(place string, m *Member) {
	switch {
	case m.Gone && (m.Required || m.Default != ""):
		c.fail(place, "a property that is gone is neither required nor defaulted")
	case !m.Gone && m.Fixed != "":
		c.fail(place, "a property that is not gone has no fixed value")
	case m.Required && m.Default != "":
		c.fail(place, "a property with a default is not required")
	}
	if text := m.Absent(); text != "" {
		c.fields = append(c.fields, Defaulted{Place: place, Type: m.Type, JSON: text})
	}
}

// Absent returns the JSON text of the value that stands in for the property when it is absent; empty when none does.
func (m *Member) Absent() string {
	if m.Gone {
		return m.Fixed
	}
	return m.Default
}

// due notes whose absence matters.
func (n *Node) due() {
	if len(n.Fields) > 64 {
		return
	}
	n.Due, n.Owed = 0, 0
	for i := range n.Fields {
		if f := &n.Fields[i]; f.Required && !f.Gone || f.Absent() != "" {
			n.Due |= 1 << i
			if !f.Zero() {
				n.Owed |= 1 << i
			}
		}
	}
}

// finish checks what can be checked only when every node is complete.
func (c *compiler) finish(at placed) {
	n := at.node
	switch n.Kind {
	case Object:
		n.due()
	case Int, Number, String:
		n.phrase = n.describe(0)
	case Tagged:
		c.tagged(at)
	case Union:
		if c.unions[n] == walking || c.unions[n] != walked && c.startsItself(n) {
			c.fail(at.place, "a case is the union itself")
		}
	}
}

func (c *compiler) tagged(at placed) {
	n := at.node
	if n.Tag == "" {
		c.fail(at.place, "Tag is empty")
	}
	seen := map[string]bool{}
	for _, k := range n.Cases {
		if seen[k.Tag] {
			c.fail(at.place, "the tag %q stands twice", k.Tag)
		}
		seen[k.Tag] = true
		if k.Type.Kind != Object {
			c.fail(at.place, "the case %q is no object", k.Tag)
			continue
		}
		if i := k.Type.Find(n.Tag); i < 0 || k.Type.Fields[i].Gone {
			c.fail(at.place, "the case %q does not declare %q", k.Tag, n.Tag)
		}
	}
}

// The states of a union while those that start with themselves are looked for.
const (
	walking = iota + 1 // its cases are being followed
	walked             // it leads to no ring
)

// startsItself tells whether a union leads back to itself by cases alone, without reading anything on the way, or to one
// that does. Each union is followed once over all calls.
func (c *compiler) startsItself(n *Node) bool {
	c.unions[n] = walking
	for _, k := range n.Cases {
		if k.Type.Kind != Union {
			continue
		}
		if s := c.unions[k.Type]; s == walking || s != walked && c.startsItself(k.Type) {
			return true
		}
	}
	c.unions[n] = walked
	return false
}

func (c *compiler) retired(root *Node, retired []Retired) {
	for _, r := range retired {
		if i := root.Find(r.Name); i >= 0 && !root.Fields[i].Gone {
			c.fail("params."+r.Name, "the property is declared, and retired too")
		}
		if i := root.Alias(r.Name); i >= 0 {
			c.fail("params."+r.Name, "the property is retired, and an alias of %q too", root.Fields[i].Name)
		}
	}
	root.Retired = retired
}

// spreadSecrets marks every node with a secret somewhere below, for the sake of what may be shown of its values.
func (c *compiler) spreadSecrets() {
	for again := true; again; {
		again = false
		for _, at := range c.all {
			if n := at.node; !n.Secrets && n.holdsSecret() {
				n.Secrets, again = true, true
			}
		}
	}
}

func (n *Node) holdsSecret() bool {
	holds := func(o *Node) bool { return o != nil && o.Secrets }
	if holds(n.Elem) || holds(n.Rest) || slices.ContainsFunc(n.Items, holds) {
		return true
	}
	for i := range n.Fields {
		if n.Fields[i].Secret || holds(n.Fields[i].Type) {
			return true
		}
	}
	return slices.ContainsFunc(n.PatternRest, func(p PatternNode) bool { return holds(p.Type) }) ||
		slices.ContainsFunc(n.Cases, func(k CaseNode) bool { return holds(k.Type) })
}
