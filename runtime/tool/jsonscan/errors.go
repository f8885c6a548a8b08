package jsonscan

import "strconv"

// Code says what is wrong with a text. Codes are stable: other packages and their users compare them.
type Code string

// The codes of an [Error].
const (
	// Empty is a text of nothing, or of white space alone.
	Empty Code = "empty"
	// Truncated is a text that ends before its value does.
	Truncated Code = "truncated"
	// Glued is a second object or array after the first value.
	Glued Code = "glued"
	// TrailingText is anything else after the first value.
	TrailingText Code = "trailing-text"
	// Syntax is a character that has no place where it stands.
	Syntax Code = "syntax"
	// TrailingComma is a comma before the end of an object or array.
	TrailingComma Code = "trailing-comma"
	// BadUTF8 is a byte inside a string that is no part of a UTF-8 sequence.
	BadUTF8 Code = "bad-utf8"
	// LoneSurrogate is an escaped half of a surrogate pair without its other half.
	LoneSurrogate Code = "lone-surrogate"
	// ControlChar is a raw byte below 0x20 inside a string.
	ControlChar Code = "control-char"
	// BadEscape is a backslash that starts none of JSON's escapes.
	BadEscape Code = "bad-escape"
	// BadNumber is a number that JSON writes differently: a leading zero or plus, a point without digits.
	BadNumber Code = "bad-number"
	// NotFinite is NaN or Infinity.
	NotFinite Code = "not-finite"
	// TooDeep is nesting beyond [MaxDepth].
	TooDeep Code = "too-deep"
	// TooLarge is a text of more than [MaxBytes] bytes.
	TooLarge Code = "too-large"
	// DuplicateKey is a name that stands twice in one object. Only [Check] makes an error of it; see [Scanner.Dups].
	DuplicateKey Code = "duplicate-key"
)

// Error is the first place at which a text is not JSON, as this package reads it. The zero value is no error.
type Error struct {
	Code   Code
	Offset int    // in bytes, from the start of the text
	In     string // what the text was inside of, with its article ("a string"); may be empty
}

// Error returns one line that says what is wrong and where. It never shows the text itself.
func (e *Error) Error() string {
	return e.Message() + " (byte " + strconv.Itoa(e.Offset) + ")"
}

// Message returns what is wrong, without the place.
func (e *Error) Message() string {
	switch e.Code {
	case Empty:
		return "the text is empty"
	case Truncated:
		return "the text ends inside " + e.In
	case Glued:
		return "a second value follows the first one"
	case TrailingText:
		return "text follows the value"
	case TrailingComma:
		return "a comma stands before the end of " + e.In
	case BadUTF8:
		return "a string holds bytes that are not UTF-8"
	case LoneSurrogate:
		return "a string holds half of a surrogate pair"
	case ControlChar:
		return "a string holds a raw control character"
	case BadEscape:
		return "a string holds an escape that JSON does not have"
	case BadNumber:
		return "a number is not written as JSON writes numbers"
	case NotFinite:
		return "NaN and Infinity are not JSON"
	case TooDeep:
		return "values are nested more than " + strconv.Itoa(MaxDepth) + " deep"
	case TooLarge:
		return "the text is too large"
	case DuplicateKey:
		return "a key stands twice in one object"
	}
	if e.In == "" {
		return "a character does not belong here"
	}
	return "a character does not belong here, in " + e.In
}
