package store_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/memory"
)

// Walk goes over all conversations, however many children one has, and ends where it is told to.
func TestWalk(t *testing.T) {
	s := memory.New()
	var want []store.ID
	for i := range 600 {
		id := store.ID(fmt.Sprintf("r%d", i))
		_, err := s.Create(t.Context(), "p", store.NewConversation{ID: id, Kind: store.Root})
		require.NoError(t, err)
		want = append(want, id)
	}
	for _, n := range []int{1, 256, 257, 600} {
		var got []store.ID
		require.NoError(t, store.Walk(t.Context(), s, "", func(c store.Conversation) bool {
			got = append(got, c.ID)
			return len(got) < n
		}))
		require.Equal(t, want[:n], got)
	}
}
