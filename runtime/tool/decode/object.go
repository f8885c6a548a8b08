package decode

import (
	"math/bits"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/tool/jsonscan"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// Obj is an object that is being read; see [Decoder.Object].
type Obj struct {
	Slot int    // of the property whose value is next: see [schema.Field]; schema.SlotRest for an undeclared one
	Key  string // the name of an undeclared property; empty for declared ones

	node  *schema.Node
	rest  *schema.Node // the type of the undeclared property that is next
	keys  *jsonscan.KeySet
	seen  uint64 // fields, when there are at most 64
	bits  int32  // offset in Decoder.bits, when there are more
	next  int32  // the field that is expected, or to be looked at for its absence
	count int32  // properties read
	depth int32  // the length of the path inside of the object
	start int32  // the offset of the object
	at    int32  // the offset of the value that is next
	state objState
}

type objState uint8

const (
	objDone    objState = iota // nothing is left
	objMembers                 // reading members
	objAbsent                  // past the end: looking for absent fields
	objDefault                 // a default is being read
)

// Object starts to read an object. Whatever comes, the result is good for NextField.
func (d *Decoder) Object() (o Obj) {
	n := d.cur
	if d.space() != '{' || n.Kind != schema.Object {
		d.other(n, schema.Object)
		return o
	}
	if !d.scan.Deeper(d.depth() + 1) {
		d.malformed()
		return o
	}
	d.path = append(d.path, step{})
	o.node, o.depth, o.start, o.state = n, int32(len(d.path)), int32(d.scan.Pos), objMembers
	if len(n.Fields) > 64 {
		o.bits = int32(len(d.bits))
		for range (len(n.Fields) + 63) / 64 {
			d.bits = append(d.bits, 0)
		}
	}
	d.scan.Pos++
	return o
}

// mark notes that a field is there.
func (d *Decoder) mark(o *Obj, field int) {
	if len(o.node.Fields) <= 64 {
		o.seen |= 1 << (field & 63)
		return
	}
	d.bits[int(o.bits)+field/64] |= 1 << (field & 63)
}

// has tells whether a field is there.
func (d *Decoder) has(o *Obj, field int) bool {
	word := o.seen
	if len(o.node.Fields) > 64 {
		word = d.bits[int(o.bits)+field/64]
	}
	return word&(1<<(field&63)) != 0
}

// NextField moves to the next property: o.Slot says which, and its value is next to be read. What the caller does not
// read is checked and skipped. Unknown keys and duplicates are noted as problems and passed over. At the end of the object
// required properties that are absent are noted; then each absent one with a default has its turn, as if the default
// stood in the text. It is false when all is done. The address of o must be that of the result of Object.
func (d *Decoder) NextField(o *Obj) bool {
	if o.state != objMembers {
		return d.further(o)
	}
	if d.scan.Pos == int(o.at) || d.secret != 0 {
		d.leave(o)
	}
	// Mostly the next member is one of the next few fields and stands in the text as models write it: with a space after
	// comma and colon, or without. Everything else is for further.
	src, pos := d.scan.Src, d.scan.Pos
	if o.count > 0 {
		if pos+1 >= len(src) || src[pos] != ',' {
			return d.further(o)
		}
		pos++
		if src[pos] == ' ' {
			pos++
		}
	}
	if pos+8 > len(src) || d.halt {
		return d.further(o)
	}
	b := src[pos : pos+8]
	word := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
	fields := o.node.Fields
	for i := int(o.next); i < len(fields) && i < int(o.next)+near; i++ {
		f := &fields[i]
		if word&f.Mask != f.Head {
			continue
		}
		lead := f.Lead
		if len(lead) > 8 && !strings.HasPrefix(src[pos+8:], lead[8:]) {
			continue
		}
		value := pos + len(lead)
		if value < len(src) && src[value] == ' ' {
			value++
		}
		if value >= len(src) || src[value] <= ' ' || d.has(o, i) {
			break
		}
		d.scan.Pos = value
		o.count++
		d.path[o.depth-1] = step{key: uint32(pos + 1)}
		// What follows is declared, which is too long for the compiler to put it here.
		d.mark(o, i)
		if f.Secret && d.secret == 0 {
			d.secret = int(o.depth)
		}
		o.at = int32(value)
		o.next = int32(i) + 1
		o.Slot = f.Slot
		d.cur = f.Type
		if o.Key != "" {
			o.Key = ""
		}
		return true
	}
	return d.further(o)
}

// near is how many fields after the last one are compared with the text before its key is read as a string: models
// write keys in the order of the schema, and leave out a few.
const near = 4

// further is NextField for what is not as usual, and for what follows the members.
func (d *Decoder) further(o *Obj) bool {
	switch o.state {
	case objDone:
		return false
	case objMembers:
		if d.member(o) {
			return true
		}
		if d.halt {
			break
		}
		o.state, o.next = objAbsent, 0
		if f := o.node.CheckCount(int(o.count)); f != schema.OK {
			d.path = d.path[:o.depth-1]
			d.fault(o.node, f, int(o.start))
			d.path = d.path[:o.depth]
		}
		if o.depth == 1 && o.node == d.root && (int(o.count) < len(o.node.Fields) || o.keys != nil) && d.maybeMarkup() {
			d.markup(o)
		}
		fallthrough
	case objAbsent:
		if !d.halt && d.absent(o) {
			return true
		}
	case objDefault:
		d.leave(o)
		d.back(o)
		if !d.halt && d.absent(o) {
			return true
		}
	}
	d.close(o)
	return false
}

// maybeMarkup tells whether the text holds a character that every markup has, as it is or escaped.
func (d *Decoder) maybeMarkup() bool {
	if strings.IndexByte(d.scan.Src, '<') >= 0 {
		return true
	}
	return d.scan.Escaped && strings.Contains(d.scan.Src, `\u003`)
}

// leave ends the turn of a value.
func (d *Decoder) leave(o *Obj) {
	if d.scan.Pos == int(o.at) && !d.halt {
		if d.cur = o.rest; o.Slot != schema.SlotRest {
			d.cur = o.node.Fields[o.next-1].Type
		}
		d.Skip()
	}
	if d.secret == int(o.depth) {
		d.secret = 0
	}
}

// close ends the object.
func (d *Decoder) close(o *Obj) {
	o.state = objDone
	d.path = d.path[:o.depth-1]
	if len(o.node.Fields) > 64 {
		d.bits = d.bits[:o.bits]
	}
	if o.keys != nil {
		o.keys.Reset()
		d.keys = append(d.keys, o.keys)
		o.keys = nil
	}
}

// declared gives a declared field, which is the one at index i, its turn.
func (d *Decoder) declared(o *Obj, f *schema.Member, i int) {
	d.mark(o, i)
	if f.Secret && d.secret == 0 {
		d.secret = int(o.depth)
	}
	o.at = int32(d.scan.Pos)
	o.next = int32(i) + 1
	o.Slot = f.Slot
	d.cur = f.Type
	if o.Key != "" {
		o.Key = ""
	}
}

// member moves to the next member that has a type, and is false at the end of the object.
func (d *Decoder) member(o *Obj) bool {
	fields := o.node.Fields
	for !d.halt {
		more, ok := d.scan.Comma('}', o.count == 0)
		if !more {
			if !ok {
				d.malformed()
			}
			return false
		}
		if d.scan.Space() != '"' {
			d.scan.Unexpected("an object")
			d.malformed()
			return false
		}
		o.count++
		off := d.scan.Pos + 1
		raw, escaped, ok := d.scan.Literal()
		if ok {
			ok = d.scan.Colon()
		}
		if ok && d.scan.Space() == 0 && d.scan.Pos >= len(d.scan.Src) {
			ok = d.scan.Unexpected("an object")
		}
		if !ok {
			d.malformed()
			return false
		}
		name := raw
		if escaped {
			name = jsonscan.Unquote(raw)
		}
		field := o.node.Find(name)
		d.path[o.depth-1] = step{key: uint32(off)}
		o.at = int32(d.scan.Pos)
		if field < 0 || fields[field].Gone {
			if d.undeclared(o, field, name, raw, off, escaped) {
				return true
			}
			continue
		}
		twice := d.has(o, field)
		d.declared(o, &fields[field], field)
		if !twice {
			return true
		}
		d.twice(o, fields[field].Aliases)
	}
	return false
}

// twice notes a duplicate key and skips its value. Duplicates inside of the value are not looked for: they have the
// pointers of those in the first value, and there may be any number of them. The property may have aliases, which a
// repair took for it.
func (d *Decoder) twice(o *Obj, aliases []string) {
	if d.takes(DuplicateKey, int(o.depth)) {
		p := Problem{Code: DuplicateKey, Pointer: d.pointer(int(o.depth)), Hint: "give each key once"}
		if len(aliases) > 0 && d.origin != nil && !d.hides(int(o.depth)-1) {
			p.Hint += "; other names of it are " + quoteAll(aliases)
		}
		d.note(p, int(o.depth))
	}
	if !d.halt {
		d.scan.Known = true
		if !d.scan.Skip(d.depth()) {
			d.malformed()
		}
	}
	if d.secret == int(o.depth) {
		d.secret = 0
	}
}

// undeclared handles a key that this object does not declare, or that is gone from it (field is its index then). It is
// true when its value has a type, and its turn.
func (d *Decoder) undeclared(o *Obj, field int, name, raw string, off int, escaped bool) bool {
	if o.keys == nil {
		if last := len(d.keys) - 1; last >= 0 {
			o.keys, d.keys = d.keys[last], d.keys[:last]
		} else {
			o.keys = new(jsonscan.KeySet)
		}
	}
	if !o.keys.Add(&d.scan, off, raw, escaped) {
		d.twice(o, nil)
		return false
	}
	n := o.node
	var t *schema.Node
	if field < 0 {
		t = d.patternRest(o, name)
	}
	switch {
	case t != nil:
	case field >= 0 || retired(n, name) != nil || n.Alias(name) >= 0:
		d.refuse(o, field, name)
		return false
	case n.Rest != nil && (len(n.Fields) == 0 || sameFold(n, name) == ""):
		t = n.Rest
	default:
		d.refuse(o, field, name)
		return false
	}
	if d.halt {
		return false
	}
	o.Slot, o.Key, o.rest = schema.SlotRest, name, t
	d.cur = t
	if d.items(1); d.useless() {
		d.Skip()
		return false
	}
	return true
}

// retired returns what a former name of a parameter is now.
func retired(n *schema.Node, name string) *schema.Retired {
	for i := range n.Retired {
		if n.Retired[i].Name == name {
			return &n.Retired[i]
		}
	}
	return nil
}

// patternRest returns the first type whose pattern matches. Types of other patterns that match are checked at once.
func (d *Decoder) patternRest(o *Obj, name string) *schema.Node {
	var t *schema.Node
	for _, p := range o.node.PatternRest {
		if !p.Pattern.MatchString(name) {
			continue
		}
		if t == nil {
			t = p.Type
			continue
		}
		d.cur = p.Type
		d.Skip()
		if d.halt {
			return t
		}
		d.scan.Pos = int(o.at)
	}
	return t
}

// SkipZero says that what properties are read into starts as the zero value of its Go type, so that an absent one whose
// default is that (false, 0 or "") needs no turn, and has none in objects of at most 64 fields. It is for the text at hand.
func (d *Decoder) SkipZero() { d.lean = true }

// absent moves to the next absent field that a default stands in for, and notes those that are missing.
func (d *Decoder) absent(o *Obj) bool {
	fields, due := o.node.Fields, o.node.Due
	if d.lean {
		due = o.node.Owed
	}
	for ; int(o.next) < len(fields); o.next++ {
		if len(fields) <= 64 {
			left := due &^ o.seen >> o.next << o.next
			if left == 0 {
				break
			}
			o.next = int32(bits.TrailingZeros64(left))
		} else if d.has(o, int(o.next)) {
			continue
		}
		f := &fields[o.next]
		if f.Required && !f.Gone {
			d.missing(o, f)
			if d.halt {
				return false
			}
			continue
		}
		text := f.Absent()
		if text == "" || d.quiet > 0 || d.failed() {
			continue
		}
		if d.limit > 0 {
			if d.expansions++; d.expansions > d.limit || d.defaults > maxDefaults {
				d.endless = true
				continue
			}
		}
		o.next++
		o.state = objDefault
		d.returns = append(d.returns, place{d.scan.Src, d.scan.Pos, d.base})
		d.scan.Src, d.scan.Pos, d.base = text, 0, len(d.path)
		d.defaults++
		d.scan.Space()
		o.at = int32(d.scan.Pos)
		o.Slot, o.Key = f.Slot, ""
		d.cur = f.Type
		return true
	}
	return false
}

// back returns to the text in which a default was missing.
func (d *Decoder) back(o *Obj) {
	last := len(d.returns) - 1
	to := d.returns[last]
	d.returns = d.returns[:last]
	d.scan.Src, d.scan.Pos, d.base = to.text, to.pos, to.base
	d.defaults--
	o.state = objAbsent
}

func (d *Decoder) missing(o *Obj, f *schema.Member) {
	if !d.takesAt(Missing, int(o.depth)-1, f.Name, 0) {
		return
	}
	d.note(Problem{
		Code: Missing, Pointer: d.pointerTo(int(o.depth)-1, f.Name), Expected: f.Type.Describe(), Hint: "add it",
	}, int(o.depth))
}
