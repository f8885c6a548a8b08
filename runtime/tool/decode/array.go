package decode

import (
	"math"

	"github.com/toolgen-dev/toolgen/runtime/tool/jsonscan"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

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
	known bool // the items were counted
}

// Array starts to read an array, of items of one type or, for a tuple, of a type for each index. Whatever comes, the
// result is good for NextItem.
func (d *Decoder) Array() (l List) {
	n := d.cur
	if d.space() != '[' || n.Kind != schema.Array && n.Kind != schema.Tuple {
		d.other(n, schema.Array, schema.Tuple)
		return l
	}
	if !d.scan.Deeper(d.depth() + 1) {
		d.malformed()
		return l
	}
	d.path = append(d.path, step{})
	l.Index, l.node, l.depth, l.start, l.open = -1, n, int32(len(d.path)), int32(d.scan.Pos), true
	d.scan.Pos++
	return l
}

// Present tells whether there was an array at all, an empty one included: not so for null, and for a value of another
// type.
func (l *List) Present() bool { return l.node != nil }

// NextItem moves to the next item, which is next to be read; what the caller does not read is checked and skipped. Items
// beyond those that the type allows are passed over, and so are all items once anything is wrong with the arguments: they
// are checked, but nobody needs their values. At the end of the array its length is checked. It is false when all is
// done. The address of l must be that of the result of Array.
func (d *Decoder) NextItem(l *List) bool {
	if !l.open {
		return false
	}
	for {
		if l.turn {
			l.turn = false
			if d.scan.Pos == int(l.at) || l.node.Unique {
				d.settle(l)
			}
		}
		if d.halt || !d.item(l) {
			break
		}
		d.cur = l.node.Elem
		if l.node.Kind == schema.Tuple {
			if l.Index >= len(l.node.Items) {
				d.skipRaw()
				continue
			}
			d.cur = l.node.Items[l.Index]
		}
		l.turn = true
		if d.useless() || l.node.Len.Bounded && l.Index >= l.node.Len.Max {
			continue // the arguments are refused, but the items are checked
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

// countFrom is how many items a list has before the others are counted. Below it a list's capacity is at most twice what
// it needs, which is less than I10 has for a whole call.
const countFrom = 64

// Room returns the capacity that a list is to have whose items were all kept so far and which is full; the item that has
// its turn is counted in. Generated code asks for it:
//
//	list := []T{}
//	for d.NextItem(&l) {
//		if len(list) == cap(list) {
//			list = append(make([]T, 0, d.Room(&l)), list...)
//		}
//		list = append(list, ...)
//	}
//
// Short lists double, from four. When a list has reached 64 items the others are counted, once, so that it is copied one
// last time, to what it needs: growth by append would allocate five times that. The count reads the rest of the array, and
// ends at the first item that cannot be one, after which no list is needed. Lists within lists are counted again, so
// it costs at most [jsonscan.MaxDepth] times the text.
//
// Before there is room for many items, all lists and maps counted, the text is read to its end once: see items.
func (d *Decoder) Room(l *List) int {
	room := d.room(l)
	if d.items(room - l.Index); d.doomed {
		room = l.Index + 1
	}
	return room
}

func (d *Decoder) room(l *List) int {
	room := 4
	switch {
	case l.node == nil || l.Index < 4:
	case l.Index < countFrom || l.known || l.node.Kind != schema.Array:
		room = 2 * l.Index
	default:
		l.known = true
		return l.Index + d.left(l)
	}
	if l.node != nil && l.node.Len.Bounded {
		room = min(room, max(l.node.Len.Max, l.Index+1))
	}
	return room
}

// left counts the items of an array from the one that has its turn.
func (d *Decoder) left(l *List) int {
	most := math.MaxInt
	if l.node.Len.Bounded {
		most = l.node.Len.Max - l.Index
	}
	s := jsonscan.Scanner{Src: d.scan.Src, Pos: int(l.at), Known: true}
	for n := 0; ; {
		if !admits(l.node.Elem, s.Space()) || !s.Skip(d.depth()) {
			return n + 1 // it has its turn before it is refused
		}
		n++
		if more, _ := s.Comma(']', false); !more || n >= most {
			return n
		}
	}
}

// item moves to the next item of the text.
func (d *Decoder) item(l *List) bool {
	// As models write it: a comma, perhaps a space, and the item.
	src, pos := d.scan.Src, d.scan.Pos
	if l.count > 0 && pos+2 < len(src) && src[pos] == ',' {
		if pos++; src[pos] == ' ' {
			pos++
		}
	}
	if pos == d.scan.Pos || src[pos] <= ' ' || src[pos] == ']' {
		if !d.comma(l) {
			return false
		}
		pos = d.scan.Pos
	}
	d.scan.Pos = pos
	l.Index = int(l.count)
	l.count++
	l.at = int32(pos)
	d.path[l.depth-1] = step{index: uint32(l.Index)}
	return true
}

// comma reads what stands between items, and tells whether another one follows.
func (d *Decoder) comma(l *List) bool {
	more, ok := d.scan.Comma(']', l.count == 0)
	if more && d.scan.Space() == 0 && d.scan.Pos >= len(d.scan.Src) {
		more, ok = false, d.scan.Unexpected("an array")
	}
	if !ok {
		d.malformed()
	}
	return more
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
