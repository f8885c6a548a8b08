package decode

import (
	"encoding/json"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/tool/jsonscan"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// Null reads a null where the type allows it, and is true then. Otherwise nothing is read, except for a type of null
// alone, where any other value is a problem and is skipped.
func (d *Decoder) Null() bool {
	n := d.cur
	if d.space() != 'n' || !n.Nullable && n.Kind != schema.Null && n.Kind != schema.Any {
		if n.Kind == schema.Null && !d.halt {
			d.mismatch(n, WrongType)
		}
		return false
	}
	if !d.scan.Word("null") {
		d.malformed()
		return false
	}
	return true
}

// other handles a value that the method at hand does not read: a null that is allowed is skipped, another value is a
// problem. A method that does not belong to the type is a fault of the program, and noted as one.
func (d *Decoder) other(n *schema.Node, kinds ...schema.Kind) {
	if d.halt {
		return
	}
	for _, k := range kinds {
		if n.Kind == k {
			if !n.Nullable || !d.Null() {
				d.mismatch(n, WrongType)
			}
			return
		}
	}
	if d.Skip(); d.takes(BadTable, len(d.path)) {
		d.ledger.add(Problem{
			Code: BadTable, Pointer: d.pointer(len(d.path)), Expected: n.Describe(),
			Hint: "the tool's code and its table disagree; nothing in the arguments can help",
		})
	}
}

// Bool reads true or false.
func (d *Decoder) Bool() bool {
	n := d.cur
	c := d.space()
	if n.Kind != schema.Bool || c != 't' && c != 'f' {
		d.other(n, schema.Bool)
		return false
	}
	word := "false"
	if c == 't' {
		word = "true"
	}
	if !d.scan.Word(word) {
		d.malformed()
		return false
	}
	return c == 't'
}

// Int reads an integer of 64 bits. A zero fraction or an exponent that comes to an integer is read too, and noted as a
// repair.
func (d *Decoder) Int() int64 {
	n := d.cur
	c := d.space()
	if n.Kind != schema.Int || c-'0' > 9 && c != '-' {
		d.other(n, schema.Int)
		return 0
	}
	start := d.scan.Pos
	text, v, plain, ok := d.scan.Number()
	if !ok {
		d.malformed()
		return 0
	}
	f := schema.OK
	if !plain {
		v, f = schema.ParseInt(text)
	}
	if f == schema.OK {
		f = n.CheckInt(v)
	}
	if f != schema.OK {
		d.fault(n, f, start)
		return 0
	}
	if !plain && d.quiet == 0 && d.defaults == 0 && room(d.repairs, RepairIntegral) {
		d.repairs = append(d.repairs, Repair{Code: RepairIntegral, Pointer: d.pointer(len(d.path))})
	}
	if n.Cap != nil && v > n.Cap.Int {
		d.capped(n.Cap)
		return n.Cap.Int
	}
	return v
}

// capped notes that a parameter was beyond its cap, given or by default.
func (d *Decoder) capped(c *schema.Cap) {
	d.repairs = append(d.repairs, Repair{Code: RepairCap, Pointer: c.Pointer})
}

// Float reads a number. One beyond float64 is a problem; one between two float64 is rounded, after its bounds are
// checked exactly.
func (d *Decoder) Float() float64 {
	n := d.cur
	c := d.space()
	if n.Kind != schema.Number || c-'0' > 9 && c != '-' {
		d.other(n, schema.Number)
		return 0
	}
	start := d.scan.Pos
	text, _, _, ok := d.scan.Number()
	if !ok {
		d.malformed()
		return 0
	}
	v, f := n.CheckNumber(text)
	if f != schema.OK {
		d.fault(n, f, start)
		return 0
	}
	if n.Cap != nil && n.Cap.Over(text) {
		d.capped(n.Cap)
		return n.Cap.Number
	}
	return v
}

// String reads a string. Of an enumeration it returns the table's own string.
func (d *Decoder) String() string {
	n := d.cur
	if n.Kind != schema.String || d.space() != '"' {
		d.other(n, schema.String)
		return ""
	}
	start := d.scan.Pos
	raw, escaped, ok := d.scan.Literal()
	if !ok {
		d.malformed()
		return ""
	}
	if escaped {
		raw = jsonscan.Unquote(raw)
	}
	v, f := n.CheckString(raw)
	if f != schema.OK {
		d.fault(n, f, start)
	}
	return v
}

// Time reads a string of the format date-time. The location is UTC or a fixed offset.
func (d *Decoder) Time() time.Time {
	count := d.ledger.count
	s := d.String()
	if s == "" || d.halt || d.ledger.count != count {
		return time.Time{}
	}
	t, _ := schema.ParseDateTime(s)
	return t
}

// Raw reads a value of any type, checked by the table, and returns its text: a copy. It is nil when there is a problem.
func (d *Decoder) Raw() json.RawMessage {
	if d.space() == 0 {
		return nil
	}
	start := d.scan.Pos
	d.Skip()
	if d.halt || d.failed() {
		return nil
	}
	return json.RawMessage(d.scan.Src[start:d.scan.Pos])
}

// Skip reads a value, checks it by the table and drops it.
func (d *Decoder) Skip() {
	n := d.cur
	c := d.space()
	if d.halt {
		return
	}
	if d.quiet > 0 {
		if d.budget--; d.budget < 0 {
			d.exhausted, d.halt = true, true
			return
		}
	}
	if c == 'n' && n.Nullable {
		d.Null()
		return
	}
	switch n.Kind {
	case schema.Null:
		d.Null()
	case schema.Bool:
		d.Bool()
	case schema.Int:
		d.Int()
	case schema.Number:
		d.Float()
	case schema.String:
		_ = d.String()
	case schema.Object:
		o := d.Object()
		for d.NextField(&o) {
			d.Skip()
		}
	case schema.Array, schema.Tuple:
		l := d.Array()
		for d.NextItem(&l) {
			d.Skip()
		}
	case schema.Tagged:
		if d.Case() >= 0 {
			d.Skip()
		}
	case schema.Union:
		d.skipUnion(n)
	default:
		d.skipRaw()
	}
}
