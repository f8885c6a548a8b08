package tool

import "strconv"

// Switch is a boolean option of a tool. Its zero value is the option's default.
type Switch uint8

// The values of a Switch.
const (
	Default Switch = iota // whatever the contract says
	On
	Off
)

// Resolve returns the value, or def for Default. A number that is none of the values gives def too, but cannot be mounted:
// see [Switch.Word].
func (s Switch) Resolve(def bool) bool {
	switch s {
	case On:
		return true
	case Off:
		return false
	}
	return def
}

// Word returns "true" or "false", or an empty string for Default. For any other number it returns a word that no option
// has, such as "Switch(77)", so that [Mount] refuses it instead of taking it for the default.
func (s Switch) Word() string {
	switch s {
	case Default:
		return ""
	case On:
		return "true"
	case Off:
		return "false"
	}
	return "Switch(" + strconv.Itoa(int(s)) + ")"
}

// SwitchOf returns On or Off.
func SwitchOf(b bool) Switch {
	if b {
		return On
	}
	return Off
}

// Opt is a value that may be absent. Its zero value is absent; null, zero and absent stay apart (a nullable optional
// value is an Opt of a pointer).
type Opt[T any] struct {
	value T
	set   bool
}

// Some returns a present value.
func Some[T any](v T) Opt[T] { return Opt[T]{v, true} }

// Get returns the value and whether it is present; an absent value is the zero value.
func (o Opt[T]) Get() (T, bool) { return o.value, o.set }

// Or returns the value, or def where it is absent.
func (o Opt[T]) Or(def T) T {
	if o.set {
		return o.value
	}
	return def
}

// IsSet reports whether the value is present.
func (o Opt[T]) IsSet() bool { return o.set }
