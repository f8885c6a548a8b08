package memory_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/memory"
)

// TestLife: a root starts a child, the child settles, and the root is told.
func TestLife(t *testing.T) {
	ctx, s := t.Context(), memory.New()
	root, err := s.Create(ctx, "p", store.NewConversation{ID: "r", Kind: store.Root})
	require.NoError(t, err)
	child := store.NewConversation{ID: "c", Kind: store.Continuable, Parent: "r"}
	prompt := store.Message{ID: "m", To: "c", From: "r", Kind: store.FromParent, Lane: store.Turn, Data: json.RawMessage(`"go"`)}
	_, lease, started, err := s.Start(ctx, root, 0, "call", child, prompt)
	require.NoError(t, err)
	require.True(t, started)
	end := store.Settlement{Outcome: "completed", Text: "done", Activation: 1, Notice: &store.Message{
		ID: "n", To: "r", From: "c", Kind: store.FromSettlement, Lane: store.Step, Activation: 1,
	}}
	var busy *store.BusyError
	require.ErrorAs(t, s.Settle(ctx, lease, 0, end), &busy)
	require.Equal(t, store.Pending{Waiting: 1}, busy.Pending)
	got, last, err := s.Claim(ctx, lease, 0, store.AtTurn)
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.NoError(t, s.Settle(ctx, lease, last, end))
	require.NoError(t, s.Settle(ctx, lease, last, end))
	got, _, err = s.Claim(ctx, root, 1, store.AtTurn)
	require.NoError(t, err)
	require.Equal(t, "n", got[0].ID)
	require.ErrorIs(t, s.Drive(ctx, lease, true), store.ErrFenced)
}
