package decode

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/toolgen-dev/toolgen/runtime/tool/jsonscan"
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
	Envelope     Code = "envelope"      // an unknown key around the arguments
	SchemaEcho   Code = "schema-echo"   // an unknown key that shows the schema of the arguments
	ParamGone    Code = "param-gone"    // a parameter that this variant does not have
	ParamRetired Code = "param-retired" // a former name of a parameter
	Missing      Code = "missing"       // a required property is absent
)

// The codes of problems with values.
const (
	NotObject    Code = "not-object"    // the arguments are no object
	WrongType    Code = "wrong-type"    // a value of another JSON type, or a fraction for an integer
	NotInEnum    Code = "not-in-enum"   // none of the values that there are
	ValueRetired Code = "value-retired" // a former value of an enumeration
	Excluded     Code = "excluded"      // a value that is ruled out
	OutOfRange   Code = "out-of-range"  // a number beyond its bounds, or beyond 64 bits
	NotMultiple  Code = "not-multiple"  // a number that is no multiple of its step
	TooShort     Code = "too-short"     // too few characters, items or properties
	TooLong      Code = "too-long"      // too many of them
	Pattern      Code = "pattern"       // a string that does not match
	BadFormat    Code = "format"        // a string that is not of its format
	NotUnique    Code = "not-unique"    // an item stands twice
	Markup       Code = "markup"        // a string that holds parameters in the syntax of another kind of call
	NoCase       Code = "no-case"       // none of a union's types fits
	BadTable     Code = "bad-table"     // the code that decodes and the table disagree: a fault of the program
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

// String returns the problem in one line. Characters that cannot be seen are written as JSON escapes.
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

// oneLine writes control characters, Unicode's line breaks and its format characters as escapes, those beyond 16 bits as
// JSON does: keys of a call may hold any, and one that turns the direction of writing would make the line read otherwise
// than it is.
func oneLine(s string) string {
	if !strings.ContainsFunc(s, unseen) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !unseen(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(&b, "\\u%04x\\u%04x", hi, lo)
		default:
			fmt.Fprintf(&b, "\\u%04x", r)
		}
	}
	return b.String()
}

func unseen(r rune) bool {
	return r < ' ' || r >= 0x7F && (r < 0xA0 || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Cf, r))
}

// MaxProblems is how many problems a [Report] keeps.
const MaxProblems = 20

// Report is the outcome of reading one call's arguments. The zero value is a success without repairs.
type Report struct {
	// First what stopped the reading, then unknown keys, then the others as they came: at most MaxProblems, and of each
	// code one per pointer, so that what is wrong a thousand times cannot hide the rest.
	Problems []Problem

	// How many problems there are beside those, repetitions included.
	More int

	// What was read although it is written differently from its type, also of arguments that are refused all the same: at
	// most MaxProblems, and beyond that the first of each code.
	Repairs []Repair
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

// ledger collects problems. Those with keys are kept apart, because they are told first: they often explain the rest.
type ledger struct {
	stop   []Problem
	keys   []Problem
	others []Problem
	spots  []spot // of keys and others
	count  int

	mendable bool // some problem may be one that repairs help
}

// spot is where a problem is. It tells whether a problem was met before for a fraction of what its pointer costs: a call
// may hold hundreds of thousands of them.
type spot struct {
	code  Code
	above uint64 // digest of the path without its last step
	last  step
	name  string // of a property that is not there
	off   int    // of a key inside of the value
}

func (s spot) same(o spot, src string) bool {
	if s.code != o.code || s.above != o.above || s.name != o.name || s.off != o.off {
		return false
	}
	return s.last == o.last || s.last.key != 0 && o.last.key != 0 && jsonscan.SameName(src, int(s.last.key), int(o.last.key))
}

// room counts a problem, and tells whether it is to be worked out: there is room, and it was not met before.
func (l *ledger) room(s spot, src string) bool {
	l.count++
	l.mendable = l.mendable || s.code.mendable()
	kept := len(l.others)
	if s.code.ofKeys() {
		kept = len(l.keys)
	}
	// Two places may still have one pointer, since long ones are cut. Such problems are dropped by add, and working them
	// out must end some time as well.
	if kept >= MaxProblems || len(l.spots) >= 3*MaxProblems {
		return false
	}
	for _, old := range l.spots {
		if old.same(s, src) {
			return false
		}
	}
	l.spots = append(l.spots, s)
	return true
}

// add keeps a problem that there was room for.
func (l *ledger) add(p Problem) {
	list := &l.others
	if p.Code.ofKeys() {
		list = &l.keys
	}
	for _, old := range *list {
		if old.Code == p.Code && old.Pointer == p.Pointer {
			return
		}
	}
	*list = append(*list, p)
}

// ofKeys tells whether problems of a code are told first.
func (c Code) ofKeys() bool {
	switch c {
	case UnknownKey, KeyCase, Envelope, SchemaEcho, ParamGone, ParamRetired:
		return true
	}
	return false
}

// mendable tells whether a repair may help against problems of a code.
func (c Code) mendable() bool {
	switch c {
	case Empty, NotJSON, ControlChar, NotObject, UnknownKey, ParamGone, WrongType, NotInEnum, NoCase:
		return true
	}
	return false
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
