package schema

import (
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Program is a compiled [Schema]. It is immutable and safe for concurrent use.
type Program struct {
	root   *Node
	fields []Defaulted
}

// Root returns the type of the arguments, an object.
func (p *Program) Root() *Node { return p.root }

// Defaults returns every default and fixed value of the program, in no particular order. Package decode verifies that
// each fits its type before it decodes anything.
func (p *Program) Defaults() []Defaulted { return slices.Clone(p.fields) }

// Defaulted is a value that stands in for an absent property.
type Defaulted struct {
	Place string // where the table declares it, as in [Error]
	Type  *Node
	JSON  string
}

// Node is a compiled [Type], with references resolved. It exists for package decode, and its fields are not to be
// modified.
type Node struct {
	Kind     Kind // never Ref
	Nullable bool
	Secrets  bool // a secret field is somewhere below

	Elem   *Node
	Items  []*Node
	Unique bool
	Len    Range

	Fields      []Member
	Due         uint64 // of at most 64 Fields, those whose absence matters: required ones, and those with a default
	Owed        uint64 // of Due, those whose absence matters where values start as Go's zero values
	Rest        *Node
	PatternRest []PatternNode
	Tag         string
	Cases       []CaseNode
	Retired     []Retired // names of parameters, of the root; words, of a string

	Enum   []string
	Not    []string
	Format Format
	Cap    *Cap // of a number: see [Program.Capped]

	index    map[string]int // of Fields, when there are many
	aliases  map[string]int // of Fields
	enumSet  map[string]int // of Enum, when there are many
	patterns []*regexp.Regexp

	lo, hi           int64   // of Int, both inclusive
	ints, notInts    []int64 // of Int: Enum and Not
	nums, notNums    []Decimal
	low, high        bound
	step             step
	bounded, stepped bool // of Number: something is to be checked exactly; either: there is a step
	more             bool // of String: Not, patterns or Format are to be checked
	simple           bool // of String: nothing is to be checked but that it is not empty
	minText, maxText string
	source           *Type
	phrase           string // of scalars: what Describe returns
}

type bound struct {
	set, exclusive bool
	value          Decimal
}

// Member is a compiled [Field]. Type is nil when the field is gone and nothing is fixed.
type Member struct {
	Field
	Type   *Node
	Quoted string // the name as JSON text, when JSON writes it without escapes; else empty
	Lead   string // Quoted and a colon, unless the field is gone; else empty

	// Head are the first bytes of Lead, at most eight, the first one lowest; Mask has ones where it has bytes. Nothing
	// masked is Head when there is no Lead.
	Head, Mask uint64
}

// Zero tells whether what stands in for the property when it is absent is the zero value of its Go type: false, 0 or "".
func (m *Member) Zero() bool {
	if m.Type == nil || m.Type.Nullable || m.Type.Cap != nil {
		return false
	}
	switch m.Type.Kind {
	case Bool:
		return m.Absent() == "false"
	case Int, Number:
		return m.Absent() == "0"
	case String:
		return m.Absent() == `""`
	}
	return false
}

// PatternNode is a compiled [PatternRest].
type PatternNode struct {
	Pattern *regexp.Regexp
	Type    *Node
}

// CaseNode is a compiled [Case].
type CaseNode struct {
	Tag  string
	Type *Node
}

// many is how many names make a map faster than comparing them one by one.
const many = 10

// Find returns the index in Fields of the property called name, or -1.
func (n *Node) Find(name string) int {
	if n.index != nil {
		if i, ok := n.index[name]; ok {
			return i
		}
		return -1
	}
	for i := range n.Fields {
		if n.Fields[i].Name == name {
			return i
		}
	}
	return -1
}

// Alias returns the index in Fields of the property that has name for an alias, or -1.
func (n *Node) Alias(name string) int {
	if i, ok := n.aliases[name]; ok {
		return i
	}
	return -1
}

// Fault is why a value of the right kind does not fit its type.
type Fault uint8

// The faults.
const (
	OK          Fault = iota
	NotInEnum         // it is none of Enum
	Excluded          // it is one of Not
	OutOfRange        // beyond Min, Max or what Go's type holds
	NotInteger        // a fraction, for an Int
	NotMultiple       // no multiple of MultipleOf
	TooShort          // fewer than Len allows
	TooLong           // more than Len allows
	NoMatch           // of one of Patterns
	BadFormat         // not of Format
	NotUnique         // an item stands twice
)

// CheckString checks a string. It returns the string to use, which is the table's own where there is an Enum, so that
// nothing keeps the text of a call alive.
func (n *Node) CheckString(s string) (string, Fault) {
	if n.simple && len(s) >= n.Len.Min {
		return s, OK
	}
	return n.checkString(s)
}

func (n *Node) checkString(s string) (string, Fault) {
	if n.Enum != nil {
		i := -1
		if n.enumSet != nil {
			if at, ok := n.enumSet[s]; ok {
				i = at
			}
		} else {
			i = slices.Index(n.Enum, s)
		}
		if i < 0 {
			return "", NotInEnum
		}
		s = n.Enum[i]
	}
	if size := len(s); size < n.Len.Min || n.Len.Min > 1 || n.Len.Bounded && size > n.Len.Max {
		if f := n.checkRunes(s); f != OK {
			return "", f
		}
	}
	if n.more {
		return n.checkMore(s)
	}
	return s, OK
}

func (n *Node) checkMore(s string) (string, Fault) {
	if n.Not != nil && slices.Contains(n.Not, s) {
		return "", Excluded
	}
	for _, re := range n.patterns {
		if !re.MatchString(s) {
			return "", NoMatch
		}
	}
	if n.Format != NoFormat && !n.Format.Match(s) {
		return "", BadFormat
	}
	return s, OK
}

// checkRunes checks a string's length in runes. It counts them only where bytes do not tell.
func (n *Node) checkRunes(s string) Fault {
	size := len(s)
	if size < n.Len.Min {
		return TooShort
	}
	if n.Len.Min > 1 && size < n.Len.Min*utf8.UTFMax || n.Len.Bounded && size > n.Len.Max {
		return n.CheckCount(utf8.RuneCountInString(s))
	}
	return OK
}

// CheckCount checks a length that is known.
func (n *Node) CheckCount(count int) Fault {
	if count < n.Len.Min {
		return TooShort
	}
	if n.Len.Bounded && count > n.Len.Max {
		return TooLong
	}
	return OK
}

// CheckInt checks an integer.
func (n *Node) CheckInt(v int64) Fault {
	switch {
	case v < n.lo || v > n.hi:
		return OutOfRange
	case n.ints != nil && !slices.Contains(n.ints, v):
		return NotInEnum
	case n.notInts != nil && slices.Contains(n.notInts, v):
		return Excluded
	case n.stepped:
		if d, _ := ParseDecimal(strconv.FormatInt(v, 10)); !n.step.divides(d) {
			return NotMultiple
		}
	}
	return OK
}

// ParseInt reads the text of a number that is not written as a plain integer: a fraction or exponent that comes to an
// integer is one.
func ParseInt(text string) (int64, Fault) {
	d, ok := ParseDecimal(text)
	if !ok || !d.IsInt() {
		return 0, NotInteger
	}
	v, ok := d.Int64()
	if !ok {
		return 0, OutOfRange
	}
	return v, OK
}

// CheckNumber checks the text of a number and returns its value. Bounds are compared exactly, before it is rounded.
func (n *Node) CheckNumber(text string) (float64, Fault) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, OutOfRange
	}
	if !n.bounded {
		return v, OK
	}
	d, _ := ParseDecimal(text)
	equal := func(o Decimal) bool { return d.Cmp(o) == 0 }
	switch {
	case n.low.set && !n.low.admits(d.Cmp(n.low.value)), n.high.set && !n.high.admits(-d.Cmp(n.high.value)):
		return 0, OutOfRange
	case n.nums != nil && !slices.ContainsFunc(n.nums, equal):
		return 0, NotInEnum
	case slices.ContainsFunc(n.notNums, equal):
		return 0, Excluded
	case n.stepped && !n.step.divides(d):
		return 0, NotMultiple
	}
	return v, OK
}

func (b bound) admits(cmp int) bool { return cmp > 0 || cmp == 0 && !b.exclusive }
