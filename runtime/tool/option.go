package tool

// Switch is a boolean option of a tool. Its zero value is the option's default.
type Switch uint8

// The values of a Switch.
const (
	Default Switch = iota // whatever the contract says
	On
	Off
)

// Resolve returns the value, or def for Default.
func (s Switch) Resolve(def bool) bool {
	switch s {
	case On:
		return true
	case Off:
		return false
	}
	return def
}

// Word returns "true" or "false", or an empty string for Default.
func (s Switch) Word() string {
	switch s {
	case On:
		return "true"
	case Off:
		return "false"
	}
	return ""
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
