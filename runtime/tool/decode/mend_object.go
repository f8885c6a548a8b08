package decode

import (
	"encoding/json"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/tool/jsonscan"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// members is an object that is being written.
type members struct {
	node  *schema.Node // nil: an object of anything
	seen  int          // offset of its bits in mender.seen
	count int          // members written
}

// What is known of a field: whether it was written, and whether a member of its name was left out.
const (
	wasWritten = 1 << iota
	wasLeftOut
)

func (m *mender) is(o *members, field int, bit uint64) bool {
	return m.seen[o.seen+field/32]>>(2*(field%32))&bit != 0
}

func (m *mender) note(o *members, field int, bit uint64) {
	m.seen[o.seen+field/32] |= bit << (2 * (field % 32))
}

// object writes an object; n is nil for one of anything.
func (m *mender) object(n *schema.Node) {
	m.scan.Pos++
	m.put("{")
	o := members{node: n, seen: len(m.seen)}
	if n != nil {
		for range (len(n.Fields) + 31) / 32 {
			m.seen = append(m.seen, 0)
		}
	}
	m.path = append(m.path, step{})
	depth := len(m.path)
	for first := true; m.more('}', first, depth); first = false {
		m.scan.Space()
		off := m.scan.Pos + 1
		raw, escaped, _ := m.scan.Literal()
		m.scan.Colon()
		m.path[depth-1] = step{key: uint32(off)}
		if n == nil {
			m.key(&o, raw)
			m.plain()
			continue
		}
		name := raw
		if escaped {
			name = jsonscan.Unquote(raw)
		}
		m.member(&o, name, raw)
		if m.secret == depth {
			m.secret = 0
		}
	}
	m.path, m.seen = m.path[:depth-1], m.seen[:o.seen]
	m.put("}")
}

// key writes a key, and returns the offset of its name.
func (m *mender) key(o *members, raw string) int {
	if o.count > 0 {
		m.put(",")
	}
	o.count++
	at := m.size() + 1
	m.putRaw(raw)
	m.put(":")
	return at
}

// member writes a member, unless it is as good as absent.
func (m *mender) member(o *members, name, raw string) {
	n := o.node
	i, alias := n.Find(name), false
	if i < 0 && patternOf(n, name) == nil {
		i = n.Alias(name)
		alias = i >= 0
	}
	if i < 0 {
		m.key(o, raw)
		m.value(restOf(n, name))
		return
	}
	f := &n.Fields[i]
	own := quote(f.Name)
	own = own[1 : len(own)-1]
	if f.Secret && m.secret == 0 {
		m.secret = len(m.path)
	}
	again := m.is(o, i, wasLeftOut) && !m.is(o, i, wasWritten)
	if !again && !m.is(o, i, wasWritten) && m.leftOut(f) {
		m.note(o, i, wasLeftOut)
		return
	}
	m.note(o, i, wasWritten)
	at := 0
	if alias {
		m.record(RepairAlias, len(m.path))
		at = m.key(o, own)
		m.origin.add(at, markKey, raw)
	} else {
		at = m.key(o, raw)
	}
	if f.Gone {
		m.plain()
	} else {
		m.property(f, at)
	}
	if again { // what was left out counts: the key stands twice
		m.key(o, own)
		m.put("null")
	}
}

// leftOut passes over a value that is as good as none: null for what may be absent, and what is fixed anyway.
func (m *mender) leftOut(f *schema.Member) bool {
	c := m.scan.Space()
	switch {
	case f.Gone && f.Fixed != "":
		r, ok := m.try(f.Type, func() { m.value(f.Type) })
		if !ok || !m.equal(r.text, f.Fixed) {
			return false
		}
		m.scan.Pos = r.end
		m.repeat(r.repairs)
		m.record(RepairFixedParam, len(m.path))
		return true
	case c == 'n' && !f.Gone && !f.Required && !admits(f.Type, c):
		m.scan.Word("null")
		m.record(RepairNullOptional, len(m.path))
		return true
	}
	return false
}

// equal compares two values by what they say.
func (m *mender) equal(a, b string) bool {
	h := hasher{seed: m.scan.Seed()}
	return h.value(&jsonscan.Scanner{Src: a}) == h.value(&jsonscan.Scanner{Src: b})
}

// property writes the value of a property whose name was written at an offset.
func (m *mender) property(f *schema.Member, at int) {
	n := f.Type
	c := m.scan.Space()
	switch {
	case f.Wrap && n.Kind == schema.Array && !admits(n, c):
		one, fits := m.try(n, func() { m.value(n) })
		list, wrapped := m.try(n, func() {
			m.record(RepairWrapItem, len(m.path))
			m.origin.add(at, markWrap, "")
			m.put("[")
			m.value(n.Elem)
			m.put("]")
		})
		switch {
		case wrapped && !fits:
			m.take(list)
		case fits && !wrapped:
			m.take(one)
		case fits: // it can be both
			m.plain()
		default:
			m.value(n)
		}
	case f.Unwrap && c == '[' && !admits(n, c):
		r, ok := m.try(n, func() { m.unwrap(n, at) })
		if !ok {
			m.plain()
			return
		}
		m.take(r)
	default:
		m.value(n)
	}
}

// unwrap writes the one item of an array. An array of another length is written as it is.
func (m *mender) unwrap(n *schema.Node, at int) {
	start := m.scan.Pos
	m.scan.Pos++
	count := 0
	for m.more(']', count == 0, len(m.path)+1) {
		m.next()
		count++
	}
	m.scan.Pos = start
	if count != 1 {
		m.put(m.next())
		return
	}
	m.record(RepairUnwrapItem, len(m.path))
	m.origin.add(at, markUnwrap, "")
	m.scan.Pos++
	m.path = append(m.path, step{})
	m.value(n)
	m.path = m.path[:len(m.path)-1]
	m.scan.Comma(']', false)
}

// patternOf returns the type of undeclared properties whose names match a pattern that this name matches.
func patternOf(n *schema.Node, name string) *schema.Node {
	for _, p := range n.PatternRest {
		if p.Pattern.MatchString(name) {
			return p.Type
		}
	}
	return nil
}

// restOf returns the type of an undeclared property; nil when it is refused whatever it is.
func restOf(n *schema.Node, name string) *schema.Node {
	if t := patternOf(n, name); t != nil {
		return t
	}
	return n.Rest
}

// quote returns a string as JSON text.
func quote(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' }) {
		return `"` + s + `"`
	}
	quoted, _ := json.Marshal(s) // a string always can be written
	return string(quoted)
}
