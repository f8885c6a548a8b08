package decode

import (
	"slices"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/tool/jsonscan"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// mender is the pass that repairs. It reads arguments that were refused, by the same table, and writes a text with the
// same meaning that may fit: a repair is made where the table leaves one reading of what was sent. It validates nothing
// itself: where several readings are possible, it asks the strict decoder which of them fits, and the strict decoder
// judges what comes out in the end. Everything it does is bounded by the size of the text.
type mender struct {
	engine *Engine
	check  *Decoder         // which is asked what fits
	scan   jsonscan.Scanner // tolerant, of a text that it has read to its end before
	loose  bool             // that text is not JSON: there are commas and control characters to be mended

	outer  []frame
	path   []step
	secret int      // as in Decoder
	seen   []uint64 // the fields of the objects that are open: two bits each

	text                      strings.Builder
	limit                     int    // of text
	full                      bool   // text has no room left: what it holds is not to be used
	scratch                   []byte // what is written while it is tried; it does not grow beyond scratchSize
	trying                    int
	scratchStart, scratchSize int  // its first capacity, which is enough for all but short texts, and the last
	over                      bool // scratch has no room left: what is tried fails

	repairs []Repair
	origin  origin
	err     jsonscan.Error // what no repair can help

	room   int // how many bytes may still be kept for a while: unpacked strings, and what is tried
	budget int // how many bytes may still be looked at for a trial
}

// frame is a text around the one that is read: one of its strings holds it.
type frame struct {
	src   string
	pos   int
	loose bool
	depth int // how many steps of the path are its own or further out
}

// maxFrames is how many strings may be within strings.
const maxFrames = 4

func newMender(e *Engine) *mender {
	m := &mender{engine: e}
	if m.check, _ = e.pool.Get().(*Decoder); m.check == nil {
		m.check = new(Decoder)
	}
	return m
}

// size is how much was written.
func (m *mender) size() int { return m.text.Len() + len(m.scratch) }

func (m *mender) put(s string) {
	switch {
	case m.trying == 0:
		if m.full = m.full || m.text.Len()+len(s) > m.limit; !m.full {
			m.text.WriteString(s)
		}
	case !m.over:
		if m.over = len(m.scratch)+len(s) > m.scratchSize; !m.over {
			m.scratch = append(m.scratch, s...)
		}
	}
}

// putRaw writes a string whose raw text is given, its control characters escaped.
func (m *mender) putRaw(raw string) {
	m.put(`"`)
	for first := true; m.loose; first = false {
		i := strings.IndexFunc(raw, isControl)
		if i < 0 {
			break
		}
		if first {
			m.record(RepairControlChar, len(m.path))
		}
		m.put(raw[:i])
		m.put(jsonscan.Escape(raw[i]))
		raw = raw[i+1:]
	}
	m.put(raw)
	m.put(`"`)
}

func isControl(r rune) bool { return r < ' ' }

// record notes a repair of the value that the first steps of the path lead to.
func (m *mender) record(code string, depth int) {
	if room(m.repairs, code) {
		m.repairs = append(m.repairs, Repair{Code: code, Pointer: m.pointer(depth)})
	}
}

// pointer returns the JSON Pointer of the first steps of the path, in what the model wrote.
func (m *mender) pointer(depth int) string {
	if m.secret > 0 && m.secret < depth {
		depth = m.secret
	}
	var buf [64]byte
	dst, at := buf[:0], 0
	for i := 0; at < depth; i++ {
		src, end := m.scan.Src, depth
		if i < len(m.outer) {
			src, end = m.outer[i].src, min(depth, m.outer[i].depth)
		}
		dst = appendPath(dst, src, m.path[at:end])
		at = end
	}
	return string(dst)
}

// value writes the next value, of which n is the type; nil for any.
func (m *mender) value(n *schema.Node) {
	c := m.scan.Space()
	if n == nil || n.Kind == schema.Any || c == 'n' && n.Nullable {
		m.plain()
		return
	}
	switch {
	case n.Kind == schema.Union:
		m.union(n, c)
	case c == '{' && n.Kind == schema.Object:
		m.object(n)
	case c == '{' && n.Kind == schema.Tagged:
		m.object(m.tagged(n))
	case c == '[' && (n.Kind == schema.Array || n.Kind == schema.Tuple):
		m.array(n)
	case c == '"' && n.Kind == schema.String:
		m.word(n)
	case c == '"':
		m.fromString(n)
	default:
		m.plain()
	}
}

// plain writes the next value as it is, but for commas and control characters.
func (m *mender) plain() {
	c := m.scan.Space()
	switch {
	case m.loose && c == '{':
		m.object(nil)
	case m.loose && c == '[':
		m.array(nil)
	case m.loose && c == '"':
		raw, _, _ := m.scan.Literal()
		m.putRaw(raw)
	default:
		m.put(m.next())
	}
}

// next reads a value and returns its text.
func (m *mender) next() string {
	m.scan.Space()
	start := m.scan.Pos
	m.scan.Skip(0)
	return m.scan.Src[start:m.scan.Pos]
}

// word writes a string, as a word of the enumeration if it is one but for its case.
func (m *mender) word(n *schema.Node) {
	raw, escaped, _ := m.scan.Literal()
	if n.Enum != nil {
		s := raw
		if escaped {
			s = jsonscan.Unquote(raw)
		}
		if _, f := n.CheckString(s); f == schema.NotInEnum {
			if i := m.foldOf(s, n.Enum); i >= 0 {
				m.record(RepairEnumCase, len(m.path))
				m.put(quote(n.Enum[i]))
				return
			}
		}
	}
	m.putRaw(raw)
}

// foldOf returns the index of the one word that differs from s in case alone; -1 when there is none, or several.
func (m *mender) foldOf(s string, words []string) int {
	found := -1
	if m.budget -= len(words); m.budget < 0 {
		return -1
	}
	for i, w := range words {
		if strings.EqualFold(w, s) {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

// fromString writes what a string holds, where its type has no strings.
func (m *mender) fromString(n *schema.Node) {
	start := m.scan.Pos
	raw, escaped, _ := m.scan.Literal()
	text := m.scan.Src[start:m.scan.Pos]
	code, found := "", ""
	switch n.Kind {
	case schema.Int, schema.Number:
		if s := short(raw, escaped); isNumber(s) {
			code, found = RepairNumberString, s
		}
	case schema.Bool:
		if s := short(raw, escaped); s == "true" || s == "false" {
			code, found = RepairBoolString, s
		}
	case schema.Object, schema.Tagged, schema.Array, schema.Tuple:
		open := byte('[')
		if n.Kind == schema.Object || n.Kind == schema.Tagged {
			open = '{'
		}
		if m.enter(raw, escaped, open) {
			m.recordAt(RepairJSONString, m.size(), text)
			m.value(n)
			m.leave()
			return
		}
	}
	if code == "" {
		m.putRaw(raw)
		return
	}
	m.recordAt(code, m.size(), text)
	m.put(found)
}

// recordAt records a repair of a value that was text and is written at an offset.
func (m *mender) recordAt(code string, at int, text string) {
	m.record(code, len(m.path))
	m.origin.add(at, markValue, text)
}

// short returns what a raw string stands for, if it is not escaped needlessly: no number needs that.
func short(raw string, escaped bool) string {
	const most = 1 << 10
	if escaped && len(raw) < most {
		return jsonscan.Unquote(raw)
	}
	return raw
}

func isNumber(s string) bool {
	_, ok := schema.ParseDecimal(s)
	return ok
}

// enter starts to read what a string holds, if that is one array or object, as open says, and nothing else.
func (m *mender) enter(raw string, escaped bool, open byte) bool {
	if len(m.outer) >= maxFrames || !strings.HasPrefix(strings.TrimLeft(raw, jsonSpace+`\nrt`), string(open)) {
		return false
	}
	src := raw
	if escaped {
		if m.room -= len(raw); m.room < 0 {
			return false
		}
		src = jsonscan.Unquote(raw)
	}
	s := jsonscan.Scanner{Src: src, Known: true, Tolerant: true}
	if s.Space() != open {
		return false
	}
	start := s.Pos
	if !s.Skip(len(m.path)) || !s.End() {
		return false
	}
	m.outer = append(m.outer, frame{m.scan.Src, m.scan.Pos, m.loose, len(m.path)})
	m.loose = s.Commas+s.Growth > 0
	m.scan.Src, m.scan.Pos = src, start
	return true
}

// leave goes on after the string.
func (m *mender) leave() {
	last := len(m.outer) - 1
	f := m.outer[last]
	m.outer = m.outer[:last]
	m.scan.Src, m.scan.Pos, m.loose = f.src, f.pos, f.loose
}

// array writes an array; n is nil for one of anything.
func (m *mender) array(n *schema.Node) {
	m.scan.Pos++
	m.put("[")
	m.path = append(m.path, step{})
	depth := len(m.path)
	for i := 0; m.more(']', i == 0, depth); i++ {
		if i > 0 {
			m.put(",")
		}
		m.path[depth-1] = step{index: uint32(i)}
		var t *schema.Node
		switch {
		case n == nil:
		case n.Kind == schema.Array:
			t = n.Elem
		case i < len(n.Items):
			t = n.Items[i]
		}
		m.value(t)
	}
	m.path = m.path[:depth-1]
	m.put("]")
}

// more tells whether another member or item follows, and passes over a comma before the end.
func (m *mender) more(end byte, first bool, depth int) bool {
	commas := m.scan.Commas
	more, _ := m.scan.Comma(end, first)
	if m.scan.Commas > commas {
		m.record(RepairTrailingComma, depth-1)
	}
	return more
}

// reading is one way to understand a value.
type reading struct {
	text    string
	repairs []Repair
	marks   []mark
	end     int // where the value ends
}

// try reads the next value as write does, and tells whether what that writes fits n. Nothing is written yet.
func (m *mender) try(n *schema.Node, write func()) (reading, bool) {
	const cost = 64 // beside its text
	m.budget -= cost
	if m.room -= cost; m.budget < 0 || m.room < 0 {
		return reading{}, false
	}
	if m.scratch == nil {
		m.scratch = make([]byte, 0, m.scratchStart)
	}
	pos, scratch, repairs, marks, over := m.scan.Pos, len(m.scratch), len(m.repairs), len(m.origin.marks), m.over
	m.trying++
	write()
	m.trying--
	r := reading{end: m.scan.Pos}
	size := len(m.scratch) - scratch
	m.budget -= size
	ok := !m.over && m.budget >= 0 && size <= m.room
	if ok {
		m.room -= size
		r.text = string(m.scratch[scratch:])
		ok = m.fits(n, r.text)
	}
	if ok {
		r.repairs, r.marks = slices.Clone(m.repairs[repairs:]), slices.Clone(m.origin.marks[marks:])
	}
	m.scan.Pos, m.scratch, m.repairs, m.origin.marks, m.over = pos, m.scratch[:scratch], m.repairs[:repairs], m.origin.marks[:marks], over
	return r, ok
}

// take writes a reading.
func (m *mender) take(r reading) {
	m.put(r.text)
	m.repeat(r.repairs)
	m.origin.marks = append(m.origin.marks, r.marks...)
	m.scan.Pos = r.end
}

// repeat notes repairs that were tried.
func (m *mender) repeat(repairs []Repair) {
	for _, r := range repairs {
		if room(m.repairs, r.Code) {
			m.repairs = append(m.repairs, r)
		}
	}
}

// fits asks the strict decoder.
func (m *mender) fits(n *schema.Node, text string) bool {
	d := m.check
	d.reset(text, n)
	if n != m.engine.root {
		d.root = nil // what the root alone is checked for
	}
	d.quiet = 1
	d.Skip()
	return !d.halt && d.scan.End()
}

// union writes a value of a union: as it is if it fits, else as the one thing that it can be.
func (m *mender) union(n *schema.Node, c byte) {
	start := m.scan.Pos
	text := m.next()
	if m.budget -= len(text); m.budget >= 0 && m.fits(n, text) {
		m.put(text)
		return
	}
	m.scan.Pos = start
	var found reading
	var only *schema.Node
	ways, cases := 0, 0
	for _, k := range n.Cases {
		if admits(k.Type, c) {
			only = k.Type
			cases++
		}
		r, ok := m.try(n, func() { m.value(k.Type) })
		if ok && (ways == 0 || r.text != found.text) {
			found = r
			ways++
		}
	}
	switch {
	case ways == 1:
		m.take(found)
	case ways == 0 && cases == 1:
		m.value(only)
	default:
		m.plain()
	}
}

// tagged returns the type of the object at hand by its tag; nil when there is none.
func (m *mender) tagged(n *schema.Node) *schema.Node {
	pos := m.scan.Pos
	defer func() { m.scan.Pos = pos }()
	m.scan.Pos++
	for first := true; ; first = false {
		if more, _ := m.scan.Comma('}', first); !more {
			return nil
		}
		m.scan.Space()
		raw, escaped, _ := m.scan.Literal()
		name := raw
		if escaped {
			name = jsonscan.Unquote(raw)
		}
		m.scan.Colon()
		text := m.next()
		if name != n.Tag && !slices.ContainsFunc(n.Cases, func(k schema.CaseNode) bool {
			i := k.Type.Alias(name)
			return i >= 0 && k.Type.Fields[i].Name == n.Tag
		}) {
			continue
		}
		if text[0] == '"' {
			text = stringOf(text)
		}
		tags := n.Tags()
		i := slices.Index(tags, text)
		if i < 0 {
			i = m.foldOf(text, tags)
		}
		if i < 0 {
			return nil
		}
		return n.Cases[i].Type
	}
}
