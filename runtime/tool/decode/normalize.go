package decode

import (
	"encoding/json"
	"strconv"

	"github.com/toolgen-dev/toolgen/runtime/tool/jsonscan"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// Normalize reads a value, checks it by the table, and returns its text as [Engine.Normalize] gives it, in memory of its
// own. It counts only where there is no problem in the end.
func (d *Decoder) Normalize() []byte {
	d.fits = true // text takes no more than what it is made of
	return d.normalize(make([]byte, 0, roomFor(len(d.scan.Src))))
}

// roomFor is how much the normalized form of a text of n bytes needs in most cases: defaults are applied.
func roomFor(n int) int { return n + n/8 + 64 }

// normalize reads the next value as Skip does, and appends its text to dst.
func (d *Decoder) normalize(dst []byte) []byte {
	c := d.space()
	if d.halt {
		return dst
	}
	n, start := d.cur, d.scan.Pos
	if c == 'n' && n.Nullable {
		d.Null()
		return append(dst, "null"...)
	}
	switch n.Kind {
	case schema.Int:
		return strconv.AppendInt(dst, d.Int(), 10)
	case schema.Number:
		count := len(d.repairs)
		d.Float()
		if len(d.repairs) > count { // nothing but a cap repairs a number here
			return append(dst, n.Cap.Most...)
		}
		return append(dst, d.scan.Src[start:d.scan.Pos]...)
	case schema.Object:
		o := d.Object()
		dst = append(dst, '{')
		for first := true; d.NextField(&o); first = false {
			if !first {
				dst = append(dst, ',')
			}
			dst = append(d.appendKey(dst, &o), ':')
			if d.secrets != nil && d.hides(int(o.depth)) {
				dst = d.redact(dst)
			} else {
				dst = d.normalize(dst)
			}
		}
		return append(dst, '}')
	case schema.Array, schema.Tuple:
		l := d.Array()
		dst = append(dst, '[')
		for d.NextItem(&l) {
			if l.Index > 0 {
				dst = append(dst, ',')
			}
			dst = d.normalize(dst)
		}
		return append(dst, ']')
	case schema.Tagged, schema.Union:
		if d.Case() >= 0 {
			return d.normalize(dst)
		}
		return dst
	}
	d.Skip()
	return append(dst, d.scan.Src[start:d.scan.Pos]...)
}

// appendKey appends the key of the property that has its turn, as JSON text.
func (d *Decoder) appendKey(dst []byte, o *Obj) []byte {
	if o.state == objMembers {
		raw := jsonscan.RawAt(d.scan.Src, int(d.path[o.depth-1].key))
		return append(append(append(dst, '"'), raw...), '"')
	}
	f := &o.node.Fields[o.next-1]
	if f.Quoted != "" {
		return append(dst, f.Quoted...)
	}
	quoted, _ := json.Marshal(f.Name) // a string always can be written
	return append(dst, quoted...)
}
