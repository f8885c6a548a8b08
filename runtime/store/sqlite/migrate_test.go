package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/storetest"
)

// later are the steps of a program that is a version later than this one, whose last step does a few things.
func later(last string) Option {
	return func(o *options) { o.steps = append(o.steps[:len(o.steps):len(o.steps)], last) }
}

// A step like those to come: a table that is not there yet, and a change to each row of one that is.
const grow = `CREATE TABLE notes (conversation INTEGER PRIMARY KEY REFERENCES conversations (n), text TEXT NOT NULL) STRICT;
	INSERT INTO notes SELECT n, 'old' FROM conversations;
	ALTER TABLE processes ADD COLUMN host TEXT NOT NULL DEFAULT ''`

// old is a file of this program's version with a game in it, closed, and what it holds.
func old(t *testing.T) (path, dump string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", fmt.Sprintf("v%d.db", len(versions))))
	require.NoError(t, err)
	path = filepath.Join(t.TempDir(), "store.db")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	want, err := os.ReadFile(filepath.Join("testdata", fmt.Sprintf("v%d.txt", len(versions))))
	require.NoError(t, err)
	return path, string(want)
}

// holds says whether a file has a version, and holds what it did.
func holds(t *testing.T, path, dump string, version int, opts ...Option) {
	t.Helper()
	s := opened(t, path, append(opts, unsynced)...)
	got, err := storetest.Dump(t.Context(), s, "")
	require.NoError(t, err)
	require.Equal(t, dump, got)
	require.NoError(t, s.Check(t.Context()))
	require.NoError(t, s.Close())
	var is int
	query(t, path, "PRAGMA user_version", &is)
	require.Equal(t, version, is)
}

// TestMigration: a later version brings the file on and keeps what it holds; from then on, an older program refuses it and leaves it as
// it is. One that only reads refuses the file of before.
func TestMigration(t *testing.T) {
	path, dump := old(t)
	_, err := Open(path, later(grow), ReadOnly())
	require.ErrorIs(t, err, store.ErrUnsupported)
	require.ErrorContains(t, err, fmt.Sprintf("the file has version %d, and has to be opened for writing once, which brings it to %d", len(versions), len(versions)+1))
	holds(t, path, dump, len(versions)+1, later(grow))
	holds(t, path, dump, len(versions)+1, later(grow)) // the step is done once: done again, it would fail
	var notes int
	query(t, path, "SELECT count(*) FROM notes WHERE text = 'old'", &notes)
	require.NotZero(t, notes)
	before := files(t, path)
	for _, opts := range [][]Option{nil, {ReadOnly()}} {
		_, err = Open(path, opts...)
		require.ErrorIs(t, err, store.ErrUnsupported)
		require.Equal(t, before, files(t, path))
	}
}

// TestMigrationThatFails: nothing of it is left, and the program of before goes on with the file.
func TestMigrationThatFails(t *testing.T) {
	path, dump := old(t)
	_, err := Open(path, later(grow+"; INSERT INTO nowhere VALUES (1)"))
	require.ErrorContains(t, err, "nowhere")
	holds(t, path, dump, len(versions))
	var notes int
	query(t, path, "SELECT count(*) FROM sqlite_schema WHERE name = 'notes'", &notes)
	require.Zero(t, notes)
}

// TestMigrationAtOnce: of those who open an old file at once, one brings it on, and all go on with it.
func TestMigrationAtOnce(t *testing.T) {
	path, dump := old(t)
	errs := make([]error, 8)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			s, err := Open(path, later(grow), unsynced)
			if errs[i] = err; err == nil {
				errs[i] = s.Close()
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	holds(t, path, dump, len(versions)+1, later(grow))
}

// TestSettings: what the promises rest on is set on the connection that writes.
func TestSettings(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "store.db"))
	const full = 2
	require.NoError(t, s.outside(t.Context(), func(c *conn) error {
		var mode string
		_, err := c.row([]any{&mode}, "PRAGMA journal_mode")
		require.NoError(t, err)
		require.Equal(t, "wal", mode)
		for pragma, want := range map[string]int{"synchronous": full, "foreign_keys": 1, "auto_vacuum": 2, "trusted_schema": 0, "cell_size_check": 1} {
			var is int
			_, err := c.row([]any{&is}, "PRAGMA "+pragma)
			require.NoError(t, err)
			require.Equal(t, want, is, pragma)
		}
		return nil
	}))
}

// TestAutoVacuum: it is set when the file is made, since it cannot be set later.
func TestAutoVacuum(t *testing.T) {
	const incremental = 2
	fresh := filepath.Join(t.TempDir(), "store.db")
	require.NoError(t, opened(t, fresh).Close())
	files := []string{fresh}
	for v := range versions {
		files = append(files, filepath.Join("testdata", fmt.Sprintf("v%d.db", v+1)))
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		copied := filepath.Join(t.TempDir(), "copy.db")
		require.NoError(t, os.WriteFile(copied, data, 0o600))
		var mode int
		query(t, copied, "PRAGMA auto_vacuum", &mode)
		require.Equal(t, incremental, mode, file)
	}
}
