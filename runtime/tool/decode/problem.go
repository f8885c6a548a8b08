package decode

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Code says what kind of problem a [Problem] is. Codes are stable.
type Code string

// The codes of problems with the text itself. Reading stops at the first of these.
const (
	Empty       Code = "empty"        // no text at all
	NotJSON     Code = "not-json"     // not JSON in any other way
	Truncated   Code = "truncated"    // the text ends inside a value
	Glued       Code = "glued"        // a second object follows
	Trailing    Code = "trailing"     // other text follows
	BadUnicode  Code = "bad-unicode"  // not UTF-8, or half of a surrogate pair
	ControlChar Code = "control-char" // a raw control character inside a string
	TooDeep     Code = "too-deep"     // nested more than 128 deep
	TooLarge    Code = "too-large"    // more bytes than are allowed
	TooComplex  Code = "too-complex"  // too many ways to read a value of a union
)

// The codes of problems with keys.
const (
	DuplicateKey Code = "duplicate-key" // a key stands twice in one object
	UnknownKey   Code = "unknown-key"   // a key that the object does not have
	KeyCase      Code = "key-case"      // a key that is right but for its case
	ParamGone    Code = "param-gone"    // a parameter that this variant does not have
	ParamRetired Code = "param-retired" // a former name of a parameter
	Missing      Code = "missing"       // a required property is absent
)

// The codes of problems with values.
const (
	NotObject   Code = "not-object"   // the arguments are no object
	WrongType   Code = "wrong-type"   // a value of another JSON type, or a fraction for an integer
	NotInEnum   Code = "not-in-enum"  // none of the values that there are
	Excluded    Code = "excluded"     // a value that is ruled out
	OutOfRange  Code = "out-of-range" // a number beyond its bounds, or beyond 64 bits
	NotMultiple Code = "not-multiple" // a number that is no multiple of its step
	TooShort    Code = "too-short"    // too few characters, items or properties
	TooLong     Code = "too-long"     // too many of them
	Pattern     Code = "pattern"      // a string that does not match
	BadFormat   Code = "format"       // a string that is not of its format
	NotUnique   Code = "not-unique"   // an item stands twice
	NoCase      Code = "no-case"      // none of a union's types fits
	BadTable    Code = "bad-table"    // the code that decodes and the table disagree: a fault of the program
)

// Problem is one thing that is wrong with a call's arguments. It is for a model to read, and never holds any part of a
// secret value.
type Problem struct {
	Code     Code
	Pointer  string // where, as a JSON Pointer (RFC 6901): empty for the whole
	Expected string // what a value may be there: bounds, every value of an enumeration; may be empty
	Got      string // what came: its type and the start of its text; may be empty
	Hint     string // what to do; may be empty
	Nearest  string // the name that was probably meant; may be empty
}

// String returns the problem in one line.
func (p Problem) String() string {
	var b strings.Builder
	if p.Pointer == "" {
		b.WriteString("arguments")
	} else {
		b.WriteString(p.Pointer)
	}
	b.WriteString(": ")
	b.WriteString(string(p.Code))
	sep := ": "
	for _, part := range []struct{ label, text string }{{"expected ", p.Expected}, {"got ", p.Got}, {"", p.Hint}} {
		if part.text != "" {
			b.WriteString(sep + part.label + part.text)
			sep = "; "
		}
	}
	return oneLine(b.String())
}

// oneLine writes control characters and Unicode's line breaks as escapes: keys of a call may hold any.
func oneLine(s string) string {
	breaks := func(r rune) bool { return r < ' ' || r >= 0x7F && r < 0xA0 || r == '\u2028' || r == '\u2029' }
	if !strings.ContainsFunc(s, breaks) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if breaks(r) {
			fmt.Fprintf(&b, "\\u%04x", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// MaxProblems is how many problems a [Report] keeps.
const MaxProblems = 20

// Report is the outcome of reading one call's arguments. The zero value is a success without repairs.
type Report struct {
	Problems []Problem // first what stopped the reading, then unknown keys, then the others as they came; at most MaxProblems
	More     int       // how many problems there are beside those
	Repairs  []Repair  // what was read although it is written differently from its type; at most MaxProblems
}

// OK tells whether the arguments fit.
func (r Report) OK() bool { return len(r.Problems) == 0 }

// String returns one line for each problem, and one for those that were not kept. It is empty on success.
func (r Report) String() string {
	var b strings.Builder
	for i, p := range r.Problems {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.String())
	}
	if r.More > 0 {
		b.WriteString("\nand " + strconv.Itoa(r.More) + " more")
	}
	return b.String()
}

// Repair is a correction that was made while reading.
type Repair struct {
	Code    string // such as "integral"
	Pointer string // where, as a JSON Pointer
}

// Integral is the code of the one repair that is always made, since JSON Schema asks for it: an integer written with a
// zero fraction or with an exponent.
const Integral = "integral"

// ledger collects problems. Those with keys are kept apart, because they are told first: they often explain the rest.
type ledger struct {
	stop   []Problem
	keys   []Problem
	others []Problem
	count  int
}

// room tells whether a problem would be kept, and counts it.
func (l *ledger) room(key bool) bool {
	l.count++
	if key {
		return len(l.keys) < MaxProblems
	}
	return len(l.others) < MaxProblems
}

func (l *ledger) report(repairs []Repair) Report {
	if l.count == 0 {
		return Report{Repairs: repairs}
	}
	all := l.others
	if len(l.stop)+len(l.keys) > 0 {
		all = slices.Concat(l.stop, l.keys, l.others)
	}
	all = all[:min(len(all), MaxProblems)]
	return Report{Problems: all, More: l.count - len(all), Repairs: repairs}
}
