package sqlite

import (
	"database/sql"
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
func unsynced(o *options) { o.sync, o.making = "OFF", "OFF" }

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Harness {
		dir := t.TempDir()
		path := filepath.Join(dir, "store.db")
		clock := &clock{now: time.Unix(1_700_000_000, 0)}
		var h storetest.Harness
		faulty := faults(t, dir, &h)
		open := func(opts ...Option) store.Store {
			return opened(t, path, append(opts, Clock(clock.Now), Poll(time.Millisecond), unsynced, faulty)...)
		}
		h.Open = func() store.Store { return open() }
		h.Limited = func(l store.Limits) store.Store { return open(Limits(l)) }
		h.Advance = clock.Advance
		h.LoseLease = func(l store.Lease) {
			do(t, path, "DELETE FROM leases WHERE conversation = (SELECT n FROM conversations WHERE id = ?)", string(l.Conversation))
		}
		h.Damage = func(id store.ID, p store.Problem) {
			query := "UPDATE conversations SET label = 'x' || label WHERE id = ?"
			if p == store.Unsupported {
				query = "UPDATE conversations SET version = version + 1 WHERE id = ?"
			}
			do(t, path, query, string(id))
		}
		h.DamageLog = func(id store.ID, seq int64) {
			do(t, path, "UPDATE entries SET data = zeroblob(length(data)) WHERE seq = ? AND conversation = (SELECT n FROM conversations WHERE id = ?)",
				seq, string(id))
		}
		return h
	})
}

// do does to the file what no store does.
func do(t testing.TB, path, query string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	_, err = db.Exec(query, args...)
	require.NoError(t, err)
	require.NoError(t, db.Close())
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
