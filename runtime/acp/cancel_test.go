package acp

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCancelsJoin: cancels of which none can begin are one; one that has begun is not joined, since a turn may have begun behind it.
func TestCancelsJoin(t *testing.T) {
	ctx, gone := context.WithCancelCause(t.Context())
	conn := &server{limits: Limits{}.resolved(), wire: &wire{ctx: ctx}}
	s := newSession(conn, t.TempDir()) // it is never opened: a cancel that has begun waits
	first, err := s.admit("first")
	require.NoError(t, err)
	s.cancel()
	one := s.cancels
	require.True(t, s.wasCancelled(first))
	for range 1000 {
		s.cancel()
	}
	require.Same(t, one, s.cancels)

	second, err := s.admit("second")
	require.NoError(t, err)
	s.cancel()
	two := s.cancels
	require.NotSame(t, one, two, "it is for a prompt that the first was not for")
	require.True(t, s.wasCancelled(second))

	first.out()
	gone(errors.New("the client is gone"))
	<-one.done
	second.out()
	<-two.done
	s.cancel()
	require.NotSame(t, two, s.cancels, "the one before has begun")
	conn.wire.work.Wait()
}
