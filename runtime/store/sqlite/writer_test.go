package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// blocked lets a store's writer wait until release is called.
func blocked(t *testing.T, s *Store) (release func()) {
	t.Helper()
	begun, released := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = s.outside(context.Background(), func(*conn) error {
			close(begun)
			<-released
			return nil
		})
	})
	<-begun
	var once sync.Once
	release = func() { once.Do(func() { close(released) }) }
	t.Cleanup(func() {
		release()
		wg.Wait()
	})
	return release
}

// queued waits until so many jobs wait for a store's writer.
func queued(s *Store, n int) {
	for len(s.writer.jobs) < n {
		runtime.Gosched()
	}
}

// TestStepsShareATransaction: steps that wait for the disk at once are written with one sync, and each has its own fate.
func TestStepsShareATransaction(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "store.db"))
	ctx := t.Context()
	_, err := s.Create(ctx, "p", store.NewConversation{ID: "r", Kind: store.Root})
	require.NoError(t, err)
	look := &poller{}
	look.conn, err = connect(s.db, s.options)
	require.NoError(t, err)
	defer look.conn.close()
	version := func() (n int) {
		_, err := look.conn.row([]any{&n}, "PRAGMA data_version")
		require.NoError(t, err)
		return n
	}
	before := version()

	release := blocked(t, s)
	const steps = 20
	errs := make([]error, steps)
	var wg sync.WaitGroup
	for i := range steps {
		wg.Go(func() {
			to := store.ID("r")
			if i == 7 {
				to = "nobody" // refused
			}
			errs[i] = s.Send(ctx, store.Message{ID: fmt.Sprint("m", i), To: to, Kind: store.FromUser, Lane: store.Step})
		})
	}
	queued(s, steps)
	release()
	wg.Wait()
	for i, err := range errs {
		if i == 7 {
			require.ErrorIs(t, err, store.ErrUnknown)
		} else {
			require.NoError(t, err)
		}
	}
	require.Equal(t, before+1, version(), "there was more than one transaction")
	waiting, err := s.Waiting(ctx, "r")
	require.NoError(t, err)
	require.Len(t, waiting, steps-1)
}

// TestOneStepFailsAlone: where SQLite fails in one step of several, the others happen.
func TestOneStepFailsAlone(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "store.db"))
	ctx := t.Context()
	_, err := s.Create(ctx, "p", store.NewConversation{ID: "r", Kind: store.Root})
	require.NoError(t, err)
	release := blocked(t, s)
	errs := make([]error, 3)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			if i == 1 {
				errs[i] = s.write(ctx, func(c *conn) error {
					_, err := c.exec("INSERT INTO deleted VALUES (NULL)")
					return err
				})
				return
			}
			errs[i] = s.Send(ctx, store.Message{ID: fmt.Sprint("m", i), To: "r", Kind: store.FromUser, Lane: store.Step})
		})
	}
	queued(s, len(errs))
	release()
	wg.Wait()
	require.NoError(t, errs[0])
	require.ErrorContains(t, errs[1], "NOT NULL")
	require.NoError(t, errs[2])
	waiting, err := s.Waiting(ctx, "r")
	require.NoError(t, err)
	require.Len(t, waiting, 2)
}

// TestWaitingStepsCanBeGivenUp: a step whose context ends before it begins has not happened, and its caller does not wait.
func TestWaitingStepsCanBeGivenUp(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "store.db"))
	_, err := s.Create(t.Context(), "p", store.NewConversation{ID: "r", Kind: store.Root})
	require.NoError(t, err)
	release := blocked(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	given := make(chan error)
	go func() {
		given <- s.Send(ctx, store.Message{ID: "m", To: "r", Kind: store.FromUser, Lane: store.Step})
	}()
	queued(s, 1)
	cancel()
	require.ErrorIs(t, <-given, context.Canceled) // while the writer is blocked
	release()
	waiting, err := s.Waiting(t.Context(), "r")
	require.NoError(t, err)
	require.Empty(t, waiting)
	require.NoError(t, s.Send(t.Context(), store.Message{ID: "n", To: "r", Kind: store.FromUser, Lane: store.Step}))
	waiting, err = s.Waiting(t.Context(), "r")
	require.NoError(t, err)
	require.Len(t, waiting, 1)
}

// TestCloseLetsStepsEnd: those that have begun are done, and those that come later are refused.
func TestCloseLetsStepsEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := opened(t, path)
	_, err := s.Create(t.Context(), "p", store.NewConversation{ID: "r", Kind: store.Root})
	require.NoError(t, err)
	release := blocked(t, s)
	sent := make(chan error, 1)
	go func() {
		sent <- s.Send(context.Background(), store.Message{ID: "m", To: "r", Kind: store.FromUser, Lane: store.Step})
	}()
	queued(s, 1)
	closed := make(chan error, 2)
	for range 2 {
		go func() { closed <- s.Close() }()
	}
	for begun := false; !begun; runtime.Gosched() {
		s.writer.mu.Lock()
		begun = s.writer.closed
		s.writer.mu.Unlock()
	}
	require.ErrorIs(t, s.Heartbeat(t.Context(), "p"), store.ErrClosed)
	release()
	require.NoError(t, <-sent)
	require.NoError(t, <-closed)
	require.NoError(t, <-closed)
	waiting, err := opened(t, path).Waiting(t.Context(), "r")
	require.NoError(t, err)
	require.Len(t, waiting, 1)
}

// TestWaitingForAnotherProcess: a step waits for whoever is writing as long as the setting says, fails with an error that
// says so, and has not happened.
func TestWaitingForAnotherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s, other := opened(t, path, Busy(0)), opened(t, path)
	_, err := s.Create(t.Context(), "p", store.NewConversation{ID: "r", Kind: store.Root})
	require.NoError(t, err)
	m := store.Message{ID: "m", To: "r", Kind: store.FromUser, Lane: store.Step}
	require.NoError(t, other.outside(t.Context(), func(c *conn) error {
		if _, err := c.exec("BEGIN IMMEDIATE"); err != nil {
			return err
		}
		require.ErrorContains(t, s.Send(t.Context(), m), "another process is writing")
		_, err := c.exec("ROLLBACK")
		return err
	}))
	require.NoError(t, s.Send(t.Context(), m))
}
