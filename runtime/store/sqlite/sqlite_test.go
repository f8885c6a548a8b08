package sqlite

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/storetest"
)

// opened opens a store for a test and closes it after it.
func opened(t testing.TB, path string, opts ...Option) *Store {
	t.Helper()
	s, err := Open(path, opts...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// unsynced spares tests the waiting for the disk where it is not what they test.
func unsynced(o *options) { o.sync = "OFF" }

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Harness {
		path := filepath.Join(t.TempDir(), "store.db")
		clock := &clock{now: time.Unix(1_700_000_000, 0)}
		open := func(opts ...Option) store.Store {
			return opened(t, path, append(opts, Clock(clock.Now), Poll(time.Millisecond), unsynced)...)
		}
		return storetest.Harness{
			Open:    func() store.Store { return open() },
			Limited: func(l store.Limits) store.Store { return open(Limits(l)) },
			Advance: clock.Advance,
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
