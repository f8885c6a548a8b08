package memory

import (
	"sync"
	"testing"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/storetest"
)

// TestConformance: no write of this store can fail, and its data cannot be damaged.
func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Harness {
		clock := clock{now: time.Unix(1_700_000_000, 0)}
		s := New(Clock(clock.Now))
		t.Cleanup(func() { s.Close() })
		return storetest.Harness{
			Open: func() store.Store { return s },
			Limited: func(l store.Limits) store.Store {
				s.limits = l
				return s
			},
			Advance: clock.Advance,
			LoseLease: func(l store.Lease) {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.end(s.all[l.Conversation])
			},
		}
	})
}

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func BenchmarkStore(b *testing.B) {
	storetest.Benchmark(b, func(testing.TB) store.Store { return New() })
}
