package agent_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
)

// between is a store with something after a claim and after each look at the index.
type between struct {
	store.Store
	claimed func(last int64)
	looked  func()
}

func (s *between) Claim(ctx context.Context, l store.Lease, after int64, at store.Boundary) ([]store.Message, int64, error) {
	m, last, err := s.Store.Claim(ctx, l, after, at)
	if len(m) > 0 && s.claimed != nil {
		s.claimed(last)
	}
	return m, last, err
}

func (s *between) Get(ctx context.Context, id store.ID) (store.Conversation, error) {
	c, err := s.Store.Get(ctx, id)
	if s.looked != nil {
		s.looked()
	}
	return c, err
}

// A request that comes when the turn is in the log, and the agent has not begun it yet, stops it before the model is asked.
func TestInterruptedBeforeItBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s *between
		asked, known := 0, make(chan struct{})
		b := newBench(t, func(context.Context, *agent.Request, func(agent.Delta)) (*agent.Response, error) {
			asked++
			return &agent.Response{Text: "ok", Stop: agent.StopEnd}, nil
		}, func(c *agent.Config) { s = &between{Store: c.Store}; c.Store = s })
		defer b.close()
		s.claimed = func(last int64) {
			s.claimed = nil
			require.NoError(t, s.Interrupt(t.Context(), "r", 1, last))
			b.agent.Changed()
			<-known
		}
		b.send("go", store.Turn)
		synctest.Wait()
		close(known)
		synctest.Wait()
		require.Equal(t, agent.Interrupted, b.agent.Last().Outcome)
		require.Zero(t, asked)
		b.send("more", store.Turn)
		synctest.Wait()
		require.Equal(t, agent.Completed, b.agent.Last().Outcome)
	})
}

// A request that comes while the agent looks for one is found all the same.
func TestInterruptedWhileItLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s *between
		b := newBench(t, func(ctx context.Context, _ *agent.Request, _ func(agent.Delta)) (*agent.Response, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, func(c *agent.Config) { s = &between{Store: c.Store}; c.Store = s })
		defer b.close()
		b.send("go", store.Turn)
		synctest.Wait()
		looks, hold := 0, make(chan struct{})
		s.looked = func() {
			if looks++; looks == 1 {
				<-hold
			}
		}
		b.agent.Changed() // something else
		synctest.Wait()
		require.Equal(t, 1, looks)
		require.NoError(t, s.Interrupt(t.Context(), "r", 1, 1))
		b.agent.Changed()
		synctest.Wait()
		require.Empty(t, b.agent.Last().Outcome)
		close(hold)
		synctest.Wait()
		require.Equal(t, agent.Interrupted, b.agent.Last().Outcome)
		require.Equal(t, 2, looks)
	})
}
