package contract

// Kind is the kind of a [Type].
type Kind string

// The kinds of types. Each names which fields of Type it uses.
const (
	KindAny    Kind = "any"     // every value
	KindNull   Kind = "null"    // null alone
	KindBool   Kind = "boolean" //
	KindInt    Kind = "integer" // Enum (decimal), Min, Max, MultipleOf, Not
	KindNumber Kind = "number"  // Enum, Min, Max, MultipleOf, Not
	KindString Kind = "string"  // Enum, EnumRef, MinLen, MaxLen, Patterns, Format, Not
	KindArray  Kind = "array"   // Elem, MinLen, MaxLen, Unique
	KindTuple  Kind = "tuple"   // Items
	KindObject Kind = "object"  // Fields, Rest, PatternRest; without Fields it is a map
	KindTagged Kind = "tagged"  // Tag, Cases: objects told apart by a constant property
	KindUnion  Kind = "union"   // Cases: first match in order
	KindRef    Kind = "ref"     // Ref: a definition
)

// Type is what a value may be. Numbers are kept as decimal text, so that no bound loses precision.
type Type struct {
	Kind     Kind     `json:"kind"`
	Doc      Text     `json:"doc,omitempty"` // of a list's items, which no parameter documents
	Nullable bool     `json:"nullable,omitempty"`
	Enum     []string `json:"enum,omitempty"`    // strings as they are, numbers in decimal
	EnumRef  *EnumRef `json:"enumRef,omitempty"` // the enum that Enum comes from

	Min          string   `json:"min,omitempty"`
	Max          string   `json:"max,omitempty"`
	ExclusiveMin bool     `json:"exclusiveMin,omitempty"`
	ExclusiveMax bool     `json:"exclusiveMax,omitempty"`
	MultipleOf   string   `json:"multipleOf,omitempty"`
	Not          []string `json:"not,omitempty"` // excluded constants

	MinLen   *int64   `json:"minLen,omitempty"` // runes, items or properties
	MaxLen   *int64   `json:"maxLen,omitempty"`
	Patterns []string `json:"patterns,omitempty"` // RE2, all must match
	Format   string   `json:"format,omitempty"`

	Elem   *Type   `json:"elem,omitempty"`
	Items  []*Type `json:"items,omitempty"`
	Unique bool    `json:"unique,omitempty"`

	Fields      []*Param       `json:"fields,omitempty"`
	Rest        *Type          `json:"rest,omitempty"` // what other properties may be; nil: none are allowed
	PatternRest []*PatternRest `json:"patternRest,omitempty"`

	Tag   string  `json:"tag,omitempty"`
	Cases []*Case `json:"cases,omitempty"`

	Ref string `json:"ref,omitempty"`
	// RefPackage is the import path of the package that declares Ref, where it is another one.
	RefPackage string `json:"refPackage,omitempty"`
}

// PatternRest is what properties whose names match a pattern may be.
type PatternRest struct {
	Pattern string `json:"pattern"`
	Type    *Type  `json:"type"`
}

// Case is one alternative of a union.
type Case struct {
	Tag  string `json:"tag,omitempty"` // the constant of the discriminating property
	Type *Type  `json:"type"`
}

// IsEnum reports whether the type is a closed list of constants.
func (t *Type) IsEnum() bool { return t != nil && len(t.Enum) > 0 }
