package store

import (
	"errors"
	"fmt"
)

// The errors of steps that a store refuses.
var (
	ErrUnknown     = errors.New("store: no such conversation")
	ErrExists      = errors.New("store: the conversation exists already")
	ErrHeld        = errors.New("store: the conversation is resident already")
	ErrFenced      = errors.New("store: the lease was lost to another holder")
	ErrConflict    = errors.New("store: the log has gone on otherwise")
	ErrInvalid     = errors.New("store: not a valid request")
	ErrTooLarge    = errors.New("store: larger than the store's limit")
	ErrFull        = errors.New("store: no space is left")
	ErrDamaged     = errors.New("store: the data is damaged")
	ErrUnsupported = errors.New("store: the data has a version that this program does not know")
	ErrClosed      = errors.New("store: closed")
)

// HeldError says who has a conversation's lease. It is ErrHeld.
type HeldError struct{ Lease Lease }

// Error names the holder.
func (e *HeldError) Error() string {
	return fmt.Sprintf("%v: %s by %s", ErrHeld, e.Lease.Conversation, e.Lease.Process)
}

// Is makes the error comparable with ErrHeld.
func (e *HeldError) Is(target error) bool { return target == ErrHeld }

// ResidentError says that a conversation cannot be deleted, since it is resident, or some that descend from it are.
type ResidentError struct {
	Conversation ID
	Itself       bool
	Below        int // how many of its descendants are resident
}

// Error says what is resident.
func (e *ResidentError) Error() string {
	what := "it is resident"
	switch {
	case e.Itself && e.Below > 0:
		what = fmt.Sprintf("it is resident, and so are %d below it", e.Below)
	case e.Below == 1:
		what = "one below it is resident"
	case e.Below > 1:
		what = fmt.Sprintf("%d below it are resident", e.Below)
	}
	return fmt.Sprintf("store: %s cannot be deleted: %s", e.Conversation, what)
}

// Refused reports whether an error is a store's refusal: the step has surely not happened, and would be refused again. After
// any other error it may have happened.
func Refused(err error) bool {
	var busy *BusyError
	var resident *ResidentError
	if errors.As(err, &busy) || errors.As(err, &resident) {
		return true
	}
	for _, refusal := range [...]error{
		ErrUnknown, ErrExists, ErrHeld, ErrFenced, ErrConflict, ErrInvalid, ErrTooLarge, ErrDamaged, ErrUnsupported, ErrClosed,
	} {
		if errors.Is(err, refusal) {
			return true
		}
	}
	return false
}

// BusyError says what keeps a conversation from ending its residency.
type BusyError struct{ Pending }

// Error names what is pending.
func (e *BusyError) Error() string {
	return fmt.Sprintf("store: %d messages wait and %d children are resident", e.Waiting, e.Children)
}
