package schema

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Error is one mistake in a table.
type Error struct {
	// Place is the way from the parameters, or from a definition, to the type: "params.filter.max", "params.tags[]"
	// (items), "params.pair[1]" (an item of a tuple), "params{}" (undeclared properties), "params.x(2)" (a case),
	// "$Node.left" (the definition Node).
	Place   string
	Message string
}

// Error returns the mistake in one line, with its place.
func (e *Error) Error() string { return "schema: " + e.Place + ": " + e.Message }

// Compile checks a table and makes a [Program] of it. The error joins an *[Error] for each mistake. It does not keep
// what it compiled from being modified, so tables must stay as they are. Whether defaults fit their types is checked
// where a program is made ready to decode.
func Compile(s *Schema) (*Program, error) {
	c := compiler{defs: map[string]*Type{}, nodes: map[*Type]*Node{}, unions: map[*Node]int{}}
	if s == nil || s.Root == nil || s.Root.Kind != Object || s.Root.Nullable {
		c.fail("params", "the root must be an object, not nullable")
		return nil, errors.Join(c.errs...)
	}
	for _, d := range s.Defs {
		switch {
		case d.Type == nil:
			c.fail("$"+d.Name, "the definition has no type")
		case c.defs[d.Name] != nil:
			c.fail("$"+d.Name, "the definition stands twice")
		default:
			c.defs[d.Name] = d.Type
		}
	}
	root := c.node("params", s.Root)
	for _, d := range s.Defs {
		if d.Type != nil {
			c.node("$"+d.Name, d.Type)
		}
	}
	for _, l := range c.late {
		*l.node = *l.target
		l.node.Nullable = true
	}
	for _, at := range c.all {
		c.finish(at)
	}
	c.retired(root, s.Retired)
	c.spreadSecrets()
	if err := errors.Join(c.errs...); err != nil {
		return nil, err
	}
	return &Program{root: root, fields: c.fields}, nil
}

type compiler struct {
	defs   map[string]*Type
	nodes  map[*Type]*Node
	all    []placed
	late   []nullable
	unions map[*Node]int // walking or walked
	fields []Defaulted
	errs   []error
}

type placed struct {
	node  *Node
	place string
}

// nullable is a reference that allows null to a definition that does not: a copy, made when the target is complete.
type nullable struct{ node, target *Node }

func (c *compiler) fail(place, format string, args ...any) {
	c.errs = append(c.errs, &Error{Place: place, Message: fmt.Sprintf(format, args...)})
}

// node compiles a type once, however often it is used; the entry is made before its parts are, for recursion.
func (c *compiler) node(place string, t *Type) *Node {
	if t == nil {
		c.fail(place, "there is no type")
		return &Node{}
	}
	if t.Kind == Ref {
		return c.ref(place, t)
	}
	if n := c.nodes[t]; n != nil {
		return n
	}
	n := &Node{Kind: t.Kind, Nullable: t.Nullable, source: t, Unique: t.Unique && t.Kind == Array, Tag: t.Tag}
	c.nodes[t] = n
	c.all = append(c.all, placed{n, place})
	if t.Kind == String || t.Kind == Array || t.Kind == Object {
		n.Len = t.Len
	}
	if r := t.Len; r.Min < 0 || r.Bounded && r.Max < r.Min {
		c.fail(place, "no length is from %d to %d", r.Min, r.Max)
	}
	if t.Enum != nil && len(t.Enum) == 0 {
		c.fail(place, "the enumeration is empty")
	}
	switch t.Kind {
	case Any, Null, Bool:
	case Int, Number:
		c.number(place, n, t)
	case String:
		c.text(place, n, t)
	case Array:
		n.Elem = c.node(place+"[]", t.Elem)
	case Tuple:
		for i, item := range t.Items {
			n.Items = append(n.Items, c.node(place+"["+strconv.Itoa(i)+"]", item))
		}
	case Object:
		c.object(place, n, t)
	case Tagged, Union:
		if len(t.Cases) == 0 {
			c.fail(place, "there is no case")
		}
		for i, k := range t.Cases {
			n.Cases = append(n.Cases, CaseNode{k.Tag, c.node(place+"("+strconv.Itoa(i)+")", k.Type)})
		}
	default:
		c.fail(place, "kind %d is unknown", t.Kind)
	}
	return n
}

func (c *compiler) ref(place string, t *Type) *Node {
	allowsNull := false
	target := t
	for hops := 0; target.Kind == Ref; hops++ {
		allowsNull = allowsNull || target.Nullable
		next := c.defs[target.Ref]
		if next == nil {
			c.fail(place, "the definition %q does not exist", target.Ref)
			return &Node{}
		}
		if hops > len(c.defs) {
			c.fail(place, "the definition %q refers to itself and to nothing else", target.Ref)
			return &Node{}
		}
		t, target = target, next
	}
	n := c.node("$"+t.Ref, target)
	if allowsNull && !target.Nullable {
		clone := &Node{}
		c.late = append(c.late, nullable{clone, n})
		c.all = append(c.all, placed{clone, place})
		return clone
	}
	return n
}

func (c *compiler) number(place string, n *Node, t *Type) {
	n.lo, n.hi = math.MinInt64, math.MaxInt64
	n.low = c.bound(place, "Min", t.Min, t.ExclusiveMin)
	n.high = c.bound(place, "Max", t.Max, t.ExclusiveMax)
	n.minText, n.maxText = t.Min, t.Max
	if n.low.set && n.high.set {
		if cmp := n.low.value.Cmp(n.high.value); cmp > 0 || cmp == 0 && (t.ExclusiveMin || t.ExclusiveMax) {
			c.fail(place, "no number is within %s and %s", t.Min, t.Max)
		}
	}
	if t.MultipleOf != "" {
		d, ok := ParseDecimal(t.MultipleOf)
		if ok {
			n.step, ok = newStep(d)
		}
		if !ok {
			c.fail(place, "MultipleOf %q is not a positive number of at most 18 digits", t.MultipleOf)
			n.step = step{unit: 1}
		}
		n.stepped = true
	}
	n.Enum, n.Not = t.Enum, t.Not
	n.nums, n.ints = c.numbers(place, "Enum", t.Kind, t.Enum)
	n.notNums, n.notInts = c.numbers(place, "Not", t.Kind, t.Not)
	n.bounded = n.low.set || n.high.set || n.stepped || n.nums != nil || n.notNums != nil
	if t.Kind == Int {
		c.intBounds(place, n)
	}
}

func (c *compiler) bound(place, what, text string, exclusive bool) bound {
	if text == "" {
		if exclusive {
			c.fail(place, "Exclusive%s stands without %s", what, what)
		}
		return bound{}
	}
	d, ok := ParseDecimal(text)
	if !ok {
		c.fail(place, "%s %q is not a number", what, text)
	}
	return bound{set: ok, exclusive: exclusive, value: d}
}

// numbers reads constants. Those of an Int must fit it.
func (c *compiler) numbers(place, what string, kind Kind, texts []string) ([]Decimal, []int64) {
	var ds []Decimal
	var is []int64
	for _, text := range texts {
		d, ok := ParseDecimal(text)
		if !ok {
			c.fail(place, "%s %q is not a number", what, text)
			continue
		}
		ds = append(ds, d)
		if kind == Int {
			i, ok := d.Int64()
			if !ok {
				c.fail(place, "%s %q is not an integer of 64 bits", what, text)
			}
			is = append(is, i)
		}
	}
	return ds, is
}

// intBounds turns the bounds into the inclusive ones that an int64 is compared with.
func (c *compiler) intBounds(place string, n *Node) {
	if n.low.set {
		v, ok := n.low.value.floor()
		switch exact := n.low.value.IsInt(); {
		case ok && (!exact || n.low.exclusive):
			if v == math.MaxInt64 {
				c.fail(place, "no integer is above %s", n.minText)
				break
			}
			n.lo = v + 1
		case ok:
			n.lo = v
		case !n.low.value.neg:
			c.fail(place, "no integer of 64 bits is as large as %s", n.minText)
		}
	}
	if n.high.set {
		v, ok := n.high.value.floor()
		switch exact := n.high.value.IsInt(); {
		case ok && exact && n.high.exclusive:
			if v == math.MinInt64 {
				c.fail(place, "no integer is below %s", n.maxText)
				break
			}
			n.hi = v - 1
		case ok:
			n.hi = v
		case n.high.value.neg:
			c.fail(place, "no integer of 64 bits is as small as %s", n.maxText)
		}
	}
	if n.lo > n.hi {
		c.fail(place, "no integer is within %s and %s", n.minText, n.maxText)
	}
}

func (c *compiler) text(place string, n *Node, t *Type) {
	n.Enum, n.Not, n.Format = t.Enum, t.Not, formatOf(t.Format)
	for _, v := range t.Enum {
		if !utf8.ValidString(v) {
			c.fail(place, "the enumeration holds bytes that are not UTF-8: %q", v)
		}
	}
	n.Retired = t.Retired
	for _, r := range t.Retired {
		if slices.Contains(t.Enum, r.Name) {
			c.fail(place, "the word %q is retired, and one of the enumeration too", r.Name)
		}
	}
	n.more = len(t.Not) > 0 || len(t.Patterns) > 0 || n.Format != NoFormat
	n.simple = !n.more && t.Enum == nil && t.Len.Min <= 1 && !t.Len.Bounded
	if len(t.Enum) > many {
		n.enumSet = make(map[string]int, len(t.Enum))
		for i, v := range t.Enum {
			n.enumSet[v] = i
		}
	}
	for _, p := range t.Patterns {
		if re := c.pattern(place, p); re != nil {
			n.patterns = append(n.patterns, re)
		}
	}
}

func (c *compiler) pattern(place, p string) *regexp.Regexp {
	re, err := regexp.Compile(p)
	if err != nil {
		c.fail(place, "the pattern %q: %v", p, err)
		return nil
	}
	return re
}
