package decode

import (
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/tool/jsonscan"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// jsonSpace is white space between the tokens of JSON.
const jsonSpace = " \t\r\n"

// mend returns the repaired text of arguments that were refused. It is not ok when there is no text that means the same;
// err then says what is wrong, where the strict pass met something else before that could have been repaired.
func (m *mender) mend(args string) (string, bool) {
	from, to := unfence(args)
	text := args[from:to]
	if from > 0 {
		m.record(RepairFence, len(m.path))
	}
	if trimmed := strings.Trim(text, jsonSpace); trimmed == "" || trimmed == "null" {
		m.record(RepairEmpty, len(m.path))
		return "{}", true
	}
	s := jsonscan.Scanner{Src: text, Known: true, Tolerant: true}
	s.Space()
	start := s.Pos
	if !s.Skip(0) || !s.End() {
		if s.Commas+s.Growth > 0 || len(m.repairs) > 0 {
			m.err = s.Err()
			m.err.Offset += from
		}
		return "", false
	}
	m.scan.Src, m.scan.Pos, m.scan.Known, m.scan.Tolerant = text, start, true, true
	m.loose = s.Commas+s.Growth > 0
	if !m.allow(len(args), s.Growth) {
		return "", false
	}
	switch text[start] {
	case '"':
		raw, escaped, _ := m.scan.Literal()
		if !m.enter(raw, escaped, '{') {
			return "", false
		}
		m.record(RepairStringRoot, len(m.path))
		m.arguments()
	case '{':
		m.arguments()
	default:
		return "", false
	}
	return m.text.String(), !m.full
}

// allow bounds what mending a text of n bytes may cost, in memory and in time: with what its values take, it stays below
// eight times the text. It is false where escapes would make the text more than twice as long: that is no text.
func (m *mender) allow(n, growth int) bool {
	const (
		free   = 1 << 14 // what may be kept and looked at, however short the text is
		short  = 1 << 11 // what may be written, however short the text is
		passes = 32      // how often the text may be looked at
	)
	size := n + n/2
	m.limit = max(size, short) + growth
	m.scratchSize = max(size, short)
	m.room = size + free
	m.budget = passes * (n + free)
	if growth > n+short {
		return false
	}
	m.text.Grow(size + growth)
	m.scratchStart = size
	return true
}

// unfence returns where the text stands that is in a Markdown code fence, if that is around everything; else all of it.
func unfence(text string) (from, to int) {
	s := strings.TrimLeft(text, jsonSpace)
	open := len(text) - len(s)
	s = strings.TrimRight(s, jsonSpace)
	if len(s) < 6 || s[0] != '`' && s[0] != '~' {
		return 0, len(text)
	}
	marks := len(s) - len(strings.TrimLeft(s, s[:1]))
	body := strings.TrimRight(s, s[:1])
	if marks < 3 || len(s)-len(body) != marks || len(body) <= marks {
		return 0, len(text)
	}
	// The language, if any, ends with its line, or where the object starts.
	body = body[marks:]
	info := len(body) - len(strings.TrimLeft(body, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-."))
	if rest := strings.TrimLeft(body[info:], " \t"); info > 0 && rest != "" && !strings.ContainsAny(rest[:1], "\r\n{\"") {
		return 0, len(text)
	}
	open += marks
	return open + info, open + len(body)
}

// arguments writes the object of the arguments, out of a key that is around it if need be.
func (m *mender) arguments() {
	root := m.engine.root
	start := m.scan.Pos
	raw, off := m.lone(root)
	if off == 0 {
		m.object(root)
		return
	}
	// The position is that of the key's value.
	inner, unwrapped := m.try(root, func() {
		m.path = append(m.path, step{key: uint32(off)})
		m.record(RepairUnwrapKey, len(m.path))
		m.value(root)
		m.path = m.path[:len(m.path)-1]
	})
	m.scan.Pos = start
	if unwrapped && m.misspelt(root, raw, off) {
		m.plain() // it can be both
		return
	}
	if unwrapped && open(root) {
		if _, fits := m.try(root, func() { m.object(root) }); fits {
			m.plain() // it can be both
			return
		}
	}
	if !unwrapped {
		m.object(root)
		return
	}
	m.take(inner)
	m.more('}', false, 1)
	m.origin.within = raw
}

// misspelt tells whether the lone key of an object may as well be one that is declared: it is nearly that, and its value
// fits. The object starts where the scanner stands, and the name of its key at off.
func (m *mender) misspelt(root *schema.Node, raw string, off int) bool {
	name := raw
	if strings.IndexByte(raw, '\\') >= 0 {
		name = jsonscan.Unquote(raw)
	}
	i := root.Find(nearestField(root, name))
	if i < 0 {
		return false
	}
	start := m.scan.Pos
	m.scan.Pos = off + len(raw) + 1
	m.scan.Colon()
	t := root.Fields[i].Type
	_, fits := m.try(t, func() { m.value(t) })
	m.scan.Pos = start
	return fits
}

// open tells whether an object takes properties that it does not declare.
func open(n *schema.Node) bool { return n.Rest != nil || len(n.PatternRest) > 0 }

// lone finds the key of an object that has no other, if that is undeclared and its value may hold the arguments. It moves
// to that value.
func (m *mender) lone(root *schema.Node) (raw string, off int) {
	start := m.scan.Pos
	m.scan.Pos++
	if more, _ := m.scan.Comma('}', true); more {
		m.scan.Space()
		off = m.scan.Pos + 1
		var escaped bool
		raw, escaped, _ = m.scan.Literal()
		m.scan.Colon()
		c := m.scan.Space()
		value := m.scan.Pos
		m.next()
		name := raw
		if escaped {
			name = jsonscan.Unquote(raw)
		}
		more, _ = m.scan.Comma('}', false)
		if !more && (c == '{' || c == '"') && undeclared(root, name) {
			m.scan.Pos = value
			return raw, off
		}
	}
	m.scan.Pos = start
	return "", 0
}

// undeclared tells whether a name is none that an object knows, formerly or by an alias or but for its case.
func undeclared(n *schema.Node, name string) bool {
	return n.Find(name) < 0 && n.Alias(name) < 0 && retired(n, name) == nil &&
		patternOf(n, name) == nil && sameFold(n, name) == ""
}
