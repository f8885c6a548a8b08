package decode

import (
	"slices"
	"strconv"

	"github.com/toolgen-dev/toolgen/runtime/tool/jsonscan"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// trials remembers what fitted where while unions inside of unions are tried, so that nesting does not multiply the work.
// It is small and forgetful: what it lost is tried again, within the budget.
type trials [256]trial

type trial struct {
	node *schema.Node
	at   uint32
	end  uint32
	pick int32
}

// Case looks ahead and returns the index of the case that the next value is of: for a Tagged type by the tag property,
// for a Union the first case that fits. The value is still to be read, and that case has its turn. It is -1 when none
// fits; the problem is noted and the value skipped. Where a single case takes values of this JSON type at all, it is that
// case, and reading it notes what is wrong. A null that the type allows is for [Decoder.Null] to read first; otherwise it
// is skipped, without a problem, and the result is -1.
func (d *Decoder) Case() int {
	n := d.cur
	c := d.space()
	if d.halt {
		return -1
	}
	switch {
	case c == 'n' && n.Nullable:
		d.Null()
		return -1
	case n.Kind == schema.Tagged && c == '{':
		return d.tagged(n)
	case n.Kind == schema.Union:
		start := d.scan.Pos
		i, _ := d.pick(n)
		if i < 0 {
			d.unfit(n)
			return -1
		}
		d.scan.Pos = start
		d.cur = n.Cases[i].Type
		return i
	}
	d.other(n, schema.Tagged)
	return -1
}

// tagged finds the case of an object by its tag property, wherever in the object that stands.
func (d *Decoder) tagged(n *schema.Node) int {
	start := d.scan.Pos
	tag, found, ok := d.findTag(n.Tag)
	d.charge(start)
	if !ok {
		d.malformed()
		return -1
	}
	d.scan.Pos = start
	if !found {
		if d.skipRaw() && d.takesAt(Missing, len(d.path), n.Tag, 0) {
			d.ledger.add(Problem{
				Code: Missing, Pointer: d.pointerTo(len(d.path), n.Tag), Expected: n.DescribeTags(), Hint: "add it",
			})
		}
		return -1
	}
	name := tag
	if tag[0] == '"' {
		name = stringOf(tag)
	}
	for i := range n.Cases {
		if n.Cases[i].Tag == name {
			d.cur = n.Cases[i].Type
			return i
		}
	}
	if d.skipRaw() && d.takesAt(NotInEnum, len(d.path), n.Tag, 0) {
		p := Problem{Code: NotInEnum, Pointer: d.pointerTo(len(d.path), n.Tag), Expected: n.DescribeTags()}
		if p.Got = kindOf(tag); d.secret == 0 && !secretTag(n) {
			p.Got = d.preview(&schema.Node{}, tag)
			if p.Nearest = nearest(name, n.Tags()); p.Nearest != "" {
				p.Hint = "did you mean " + strconv.Quote(p.Nearest) + "?"
			}
		}
		d.ledger.add(p)
	}
	return -1
}

func secretTag(n *schema.Node) bool {
	return slices.ContainsFunc(n.Cases, func(k schema.CaseNode) bool {
		i := k.Type.Find(n.Tag)
		return i >= 0 && k.Type.Fields[i].Secret
	})
}

// findTag returns the text of the value of the property called name, of the object at hand. It is not ok when the text
// is not JSON.
func (d *Decoder) findTag(name string) (text string, found, ok bool) {
	s := &d.scan
	if !s.Deeper(d.depth() + 1) {
		return "", false, false
	}
	s.Known = true // duplicates are for the reading that follows
	s.Pos++
	for first := true; ; first = false {
		more, ok := s.Comma('}', first)
		if !more {
			return "", false, ok
		}
		if s.Space() != '"' {
			return "", false, s.Unexpected("an object")
		}
		raw, escaped, ok := s.Literal()
		if !ok || !s.Colon() {
			return "", false, false
		}
		s.Space()
		start := s.Pos
		if start >= len(s.Src) {
			return "", false, s.Unexpected("an object")
		}
		if !s.Skip(d.depth() + 1) {
			return "", false, false
		}
		if raw == name || escaped && jsonscan.Unquote(raw) == name {
			return s.Src[start:s.Pos], true, true
		}
	}
}

// skipUnion reads a value of a union and drops it. While values are tried, the trial has read it already.
func (d *Decoder) skipUnion(n *schema.Node) {
	if d.quiet == 0 {
		if d.Case() >= 0 {
			d.Skip()
		}
		return
	}
	i, end := d.pick(n)
	switch {
	case i < 0:
		d.halt = true
	case end < 0:
		d.cur = n.Cases[i].Type
		d.Skip()
	default:
		d.scan.Pos = end
	}
}

// pick returns the case that the next value is of, and where the value ends; -1 for the end when the value was not
// tried, because a single case can take it. No case is -1. It leaves the position anywhere.
func (d *Decoder) pick(n *schema.Node) (index, end int) {
	start := d.scan.Pos
	c := d.scan.Src[start]
	only, several := -1, false
	for i := range n.Cases {
		if admits(n.Cases[i].Type, c) {
			several = only >= 0
			if only = i; several {
				break
			}
		}
	}
	if !several {
		return only, -1
	}
	cached := (c == '{' || c == '[') && d.defaults == 0
	if t := d.trial(start); cached && t != nil && t.node == n && int(t.at) == start && t.end > 0 {
		return int(t.pick), int(t.end)
	}
	path, bits, secret := len(d.path), len(d.bits), d.secret
	index, end = -1, start+1
	for i := range n.Cases {
		if !admits(n.Cases[i].Type, c) {
			continue
		}
		d.scan.Pos, d.cur = start, n.Cases[i].Type
		d.quiet++
		d.Skip()
		d.quiet--
		d.charge(start)
		fits := !d.halt
		d.halt = false
		d.path, d.bits, d.secret = d.path[:path], d.bits[:bits], secret
		if fits {
			index, end = i, d.scan.Pos
			break
		}
		if d.exhausted || d.scan.Err().Code != "" {
			d.halt = true // no other case can do better
			return -1, -1
		}
	}
	if cached && d.quiet > 0 && d.trials == nil {
		d.trials = new(trials)
	}
	if t := d.trial(start); cached && t != nil {
		*t = trial{node: n, at: uint32(start), end: uint32(end), pick: int32(index)}
	}
	d.scan.Pos = start
	return index, end
}

// charge takes what was read since the offset start off the budget of trials, so that long values that are tried again and
// again count as what they cost.
func (d *Decoder) charge(start int) {
	d.budget -= (d.scan.Pos - start) / trialBytes
}

func (d *Decoder) trial(at int) *trial {
	if d.trials == nil {
		return nil
	}
	return &d.trials[at%len(d.trials)]
}

// unfit notes that no case of a union fits, and skips the value. The trial may have met what stops the reading.
func (d *Decoder) unfit(n *schema.Node) {
	switch {
	case d.scan.Err().Code != "":
		d.malformed()
	case d.exhausted:
		d.halt = true
		if d.quiet == 0 {
			d.ledger.count++
			d.ledger.stop = append(d.ledger.stop, Problem{
				Code: TooComplex, Pointer: d.pointer(len(d.path)), Expected: n.Describe(), Hint: "send less, or nest less",
			})
		}
	default:
		d.mismatch(n, NoCase)
	}
}

// admits tells whether a type takes values of the JSON type that starts with c.
func admits(n *schema.Node, c byte) bool {
	if c == 'n' && n.Nullable {
		return true
	}
	switch n.Kind {
	case schema.Any:
		return true
	case schema.Null:
		return c == 'n'
	case schema.Bool:
		return c == 't' || c == 'f'
	case schema.Int, schema.Number:
		return c == '-' || c >= '0' && c <= '9'
	case schema.String:
		return c == '"'
	case schema.Array, schema.Tuple:
		return c == '['
	case schema.Object, schema.Tagged:
		return c == '{'
	case schema.Union:
		return slices.ContainsFunc(n.Cases, func(k schema.CaseNode) bool { return admits(k.Type, c) })
	}
	return false
}
