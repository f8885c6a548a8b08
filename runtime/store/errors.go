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

// BusyError says what keeps a conversation from ending its residency, or a tree from being deleted: then Children counts
// every resident conversation of the tree, its root too.
type BusyError struct{ Pending }

// Error names what is pending.
func (e *BusyError) Error() string {
	return fmt.Sprintf("store: %d messages wait and %d children are resident", e.Waiting, e.Children)
}
