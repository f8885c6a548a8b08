package store_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// TestResidentErrorSaysWhatIsResident: the conversation itself, some below it, or both.
func TestResidentErrorSaysWhatIsResident(t *testing.T) {
	for want, e := range map[string]store.ResidentError{
		"store: r cannot be deleted: it is resident":                        {Conversation: "r", Itself: true},
		"store: r cannot be deleted: it is resident, and so are 2 below it": {Conversation: "r", Itself: true, Below: 2},
		"store: r cannot be deleted: one below it is resident":              {Conversation: "r", Below: 1},
		"store: r cannot be deleted: 3 below it are resident":               {Conversation: "r", Below: 3},
	} {
		require.Equal(t, want, e.Error())
	}
}

// TestRefused: after a refusal the step has not happened; after anything else that is not known.
func TestRefused(t *testing.T) {
	for _, err := range []error{
		store.ErrUnknown, store.ErrExists, store.ErrHeld, store.ErrFenced, store.ErrConflict, store.ErrInvalid, store.ErrTooLarge,
		store.ErrDamaged, store.ErrUnsupported, store.ErrClosed, &store.HeldError{}, &store.BusyError{}, &store.ResidentError{},
	} {
		require.True(t, store.Refused(fmt.Errorf("more: %w", err)), "%v", err)
	}
	for _, err := range []error{nil, errors.New("the disk"), store.ErrFull} {
		require.False(t, store.Refused(err), "%v", err)
	}
}
