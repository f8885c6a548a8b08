package decode

import "github.com/toolgen-dev/toolgen/runtime/tool/schema"

// List is an array that is being read; see [Decoder.Array].
type List struct {
	Index int // of the item that is next

	node  *schema.Node
	items *hashSet
	count int32
	depth int32 // the length of the path inside of the array
	start int32 // the offset of the array
	at    int32 // the offset of the item that is next
	open  bool
	turn  bool // an item has its turn
}

// Array starts to read an array, of items of one type or, for a tuple, of a type for each index. Whatever comes, the
// result is good for NextItem.
func (d *Decoder) Array() List {
	n := d.cur
	if d.space() != '[' || n.Kind != schema.Array && n.Kind != schema.Tuple {
		d.other(n, schema.Array, schema.Tuple)
		return List{}
	}
	if !d.scan.Deeper(d.depth() + 1) {
		d.malformed()
		return List{}
	}
	d.path = append(d.path, step{})
	l := List{Index: -1, node: n, depth: int32(len(d.path)), start: int32(d.scan.Pos), open: true}
	d.scan.Pos++
	return l
}

// Present tells whether there was an array at all, an empty one included: not so for null, and for a value of another
// type.
func (l *List) Present() bool { return l.node != nil }

// NextItem moves to the next item, which is next to be read; what the caller does not read is checked and skipped. Items
// beyond those that the type allows are passed over. At the end of the array its length is checked. It is false when all
// is done. The address of l must be that of the result of Array.
func (d *Decoder) NextItem(l *List) bool {
	if !l.open {
		return false
	}
	for {
		if l.turn {
			l.turn = false
			d.settle(l)
		}
		if d.halt || !d.item(l) {
			break
		}
		if l.node.Kind == schema.Tuple && l.Index >= len(l.node.Items) {
			d.skipRaw()
			continue
		}
		d.cur = l.node.Elem
		if l.node.Kind == schema.Tuple {
			d.cur = l.node.Items[l.Index]
		}
		l.turn = true
		if l.node.Len.Bounded && l.Index >= l.node.Len.Max {
			continue // too many: the array is refused, but its items are checked
		}
		return true
	}
	l.open = false
	d.path = d.path[:l.depth-1]
	if l.items != nil {
		d.sets = append(d.sets, l.items)
		l.items = nil
	}
	if d.halt {
		return false
	}
	f := l.node.CheckCount(int(l.count))
	if l.node.Kind == schema.Tuple {
		switch want := int32(len(l.node.Items)); {
		case l.count < want:
			f = schema.TooShort
		case l.count > want:
			f = schema.TooLong
		}
	}
	if f != schema.OK {
		d.fault(l.node, f, int(l.start))
	}
	return false
}

// item moves to the next item of the text.
func (d *Decoder) item(l *List) bool {
	more, ok := d.scan.Comma(']', l.count == 0)
	if !more {
		if !ok {
			d.malformed()
		}
		return false
	}
	if d.scan.Space() == 0 && d.scan.Pos >= len(d.scan.Src) {
		d.scan.Unexpected("an array")
		d.malformed()
		return false
	}
	l.Index = int(l.count)
	l.count++
	l.at = int32(d.scan.Pos)
	d.path[l.depth-1] = step{index: uint32(l.Index)}
	return true
}

// settle ends the turn of an item.
func (d *Decoder) settle(l *List) {
	if d.scan.Pos == int(l.at) && !d.halt {
		d.cur = l.node.Elem
		if l.node.Kind == schema.Tuple {
			d.cur = l.node.Items[l.Index]
		}
		d.Skip()
	}
	if !l.node.Unique || d.halt {
		return
	}
	if l.items == nil {
		l.items = d.set()
	}
	if !l.items.add(d.hash(int(l.at))) {
		d.fault(l.node.Elem, schema.NotUnique, int(l.at))
	}
}
