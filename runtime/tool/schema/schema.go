// Package schema holds what a contract's parameters allow, as plain data: the tables that generated code carries and
// that package decode runs over.
//
// A [Schema] is data alone, so a generated package can declare it as a variable without work at start-up. [Compile]
// turns it into a [Program]: references resolved, patterns compiled, look-ups built. Compiling happens once, when a
// tool is mounted; a program is immutable and safe for concurrent use.
package schema

// Kind is the kind of a [Type].
type Kind uint8

// The kinds of types. Each says which fields of Type it reads.
const (
	Any    Kind = iota // every JSON value
	Null               // null alone
	Bool               //
	Int                // Enum, Min, Max, MultipleOf, Not
	Number             // Enum, Min, Max, MultipleOf, Not
	String             // Enum, Retired, Len, Patterns, Format, Not
	Array              // Elem, Len, Unique
	Tuple              // Items
	Object             // Fields, Rest, PatternRest, Len
	Tagged             // Tag, Cases: objects told apart by a constant property
	Union              // Cases: the first that fits
	Ref                // Ref
)

// SlotRest is the slot of a property that its object does not declare and allows: see Rest and PatternRest of [Type].
const SlotRest = -1

// String returns the name of the kind in lower case.
func (k Kind) String() string {
	switch k {
	case Any:
		return "any"
	case Null:
		return "null"
	case Bool:
		return "bool"
	case Int:
		return "int"
	case Number:
		return "number"
	case String:
		return "string"
	case Array:
		return "array"
	case Tuple:
		return "tuple"
	case Object:
		return "object"
	case Tagged:
		return "tagged"
	case Union:
		return "union"
	case Ref:
		return "ref"
	}
	return "unknown"
}

// Range bounds a length: runes of a string, items of an array, properties of an object.
type Range struct {
	Min     int
	Max     int // counts only when Bounded
	Bounded bool
}

// Type is what one value may be. Numbers are decimal text, so that no bound loses precision; an empty string means no
// bound.
type Type struct {
	Kind     Kind
	Nullable bool

	Enum    []string  // strings as they are, numbers in decimal; nil: any
	Not     []string  // excluded constants, written like Enum
	Retired []Retired // former words of an Enum of strings

	Min, Max                   string
	ExclusiveMin, ExclusiveMax bool
	MultipleOf                 string

	Len      Range
	Patterns []string // RE2; all must match somewhere in the string
	Format   string   // date-time, date, time, duration, email, uuid, ...; unknown ones are annotations

	Elem   *Type
	Items  []*Type
	Unique bool

	Fields      []Field
	Rest        *Type // what undeclared properties may be; nil: they are refused
	PatternRest []PatternRest

	Tag   string
	Cases []Case

	Ref string // name of a definition of the Schema
}

// Field is a declared property of an object.
type Field struct {
	Name     string
	Type     *Type
	Slot     int    // what Decoder.NextField reports: stable over the variants of one tool
	Required bool   // absent is a problem
	Default  string // JSON text used when absent; empty: none

	// Gone marks a parameter that this variant does not have. Fixed is the JSON text of the value that the handler gets
	// (empty: none, the slot is not reported), By the options whose other choice brings it back.
	Gone  bool
	Fixed string
	By    string

	Secret  bool     // never shown in a problem
	Wrap    bool     // one item may stand for a list (a repair)
	Unwrap  bool     // a list of one may stand for its item (a repair)
	Aliases []string // names that repair to this one
}

// PatternRest is what undeclared properties whose names match a pattern may be.
type PatternRest struct {
	Pattern string // RE2
	Type    *Type
}

// Case is one alternative of a union.
type Case struct {
	Tag  string // the value of the discriminating property, for Tagged
	Type *Type
}

// Def is a named type that others refer to; definitions may refer to each other and to themselves.
type Def struct {
	Name string
	Type *Type
}

// Schema is the parameters of one variant of a tool: an object, the definitions that it needs, and former names.
type Schema struct {
	Root    *Type // Kind Object
	Defs    []Def
	Retired []Retired
}

// Retired is a former name of a parameter, or a former word of an enumeration, and what replaces it.
type Retired struct {
	Name string
	Use  string // empty: nothing replaces it
	Why  string
}
