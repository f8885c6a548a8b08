package store

import (
	"errors"
	"fmt"
)

// The errors of steps that a store refuses.
var (
	ErrUnknown  = errors.New("store: no such conversation")
	ErrExists   = errors.New("store: the conversation exists already")
	ErrHeld     = errors.New("store: the conversation is resident already")
	ErrFenced   = errors.New("store: the lease was lost to another holder")
	ErrConflict = errors.New("store: the log has gone on otherwise")
	ErrTooLarge = errors.New("store: larger than the store's limit")
	ErrFull     = errors.New("store: no space is left")
	ErrDamaged  = errors.New("store: the data is damaged")
	ErrClosed   = errors.New("store: closed")
)

// BusyError says what keeps a conversation from ending its residency, or a tree from being deleted.
type BusyError struct{ Pending }

// Error names what is pending.
func (e *BusyError) Error() string {
	return fmt.Sprintf("store: %d messages wait and %d children are resident", e.Waiting, e.Children)
}
