package sqlite

import (
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/storetest"
)

// files are the contents of what lies in the folder of a store, but for the index of its log, which is no part of what lasts.
func files(t *testing.T, path string) map[string][32]byte {
	t.Helper()
	list, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	all := map[string][32]byte{}
	for _, f := range list {
		if strings.HasSuffix(f.Name(), "-shm") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(filepath.Dir(path), f.Name()))
		require.NoError(t, err)
		all[f.Name()] = sha256.Sum256(data)
	}
	return all
}

// TestReadOnly: what a closed store holds, one that others use, and one whose process died, is read as it is, without a change.
func TestReadOnly(t *testing.T) {
	closed, want := played(t, 5, 60)
	before := files(t, closed)
	s, err := Open(closed, ReadOnly())
	require.NoError(t, err)
	got, err := storetest.Dump(t.Context(), s, "")
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.NoError(t, s.Check(t.Context()))
	_, err = s.Create(t.Context(), "p", store.NewConversation{ID: "new", Kind: store.Root})
	require.ErrorIs(t, err, store.ErrInvalid)
	require.ErrorContains(t, err, "opened for reading only")
	require.ErrorIs(t, s.Heartbeat(t.Context(), "p"), store.ErrInvalid)
	require.ErrorIs(t, s.Delete(t.Context(), "r"), store.ErrInvalid)
	copied := filepath.Join(t.TempDir(), "copy.db")
	require.NoError(t, s.Backup(t.Context(), copied))
	require.NoError(t, opened(t, copied).Check(t.Context()))
	require.NoError(t, s.Close())
	require.Equal(t, before, files(t, closed))

	// While another one writes.
	path := filepath.Join(t.TempDir(), "store.db")
	w := opened(t, path)
	l, err := w.Create(t.Context(), "p", store.NewConversation{ID: "r", Kind: store.Root})
	require.NoError(t, err)
	before = files(t, path)
	s = opened(t, path, ReadOnly())
	log, err := s.Log(t.Context(), "r", 0, 0)
	require.NoError(t, err)
	require.Empty(t, log)
	require.Equal(t, before, files(t, path))
	_, err = w.Append(t.Context(), l, 0, store.Entry{Kind: "note"})
	require.NoError(t, err)
	log, err = s.Log(t.Context(), "r", 0, 0)
	require.NoError(t, err)
	require.Len(t, log, 1)

	// What a process that died has left is only in the log beside the file.
	dead := filepath.Join(t.TempDir(), "store.db")
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + suffix)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(dead+suffix, data, 0o600))
	}
	before = files(t, dead)
	s, err = Open(dead, ReadOnly())
	require.NoError(t, err)
	log, err = s.Log(t.Context(), "r", 0, 0)
	require.NoError(t, err)
	require.Len(t, log, 1)
	require.NoError(t, s.Close())
	require.Equal(t, before, files(t, dead))
}

// TestReadOnlyRefuses: what is not there is not made, and what is no store, or of another version, stays as it is.
func TestReadOnlyRefuses(t *testing.T) {
	for name, one := range map[string]struct {
		make func(t *testing.T, path string)
		want error
		says string
	}{
		"nothing":        {func(*testing.T, string) {}, fs.ErrNotExist, "no such file"},
		"a folder":       {func(t *testing.T, path string) { require.NoError(t, os.Mkdir(path, 0o700)) }, nil, "is a directory"},
		"an empty file":  {func(t *testing.T, path string) { require.NoError(t, os.WriteFile(path, nil, 0o600)) }, store.ErrInvalid, "no store"},
		"something else": {func(t *testing.T, path string) { do(t, path, "CREATE TABLE notes (x)") }, store.ErrInvalid, "a database of something else"},
		"no database": {func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("a text that is no database\n", 100)), 0o600))
		}, store.ErrDamaged, "not a database"},
		"newer": {func(t *testing.T, path string) {
			require.NoError(t, opened(t, path).Close())
			do(t, path, "PRAGMA user_version=7")
		}, store.ErrUnsupported, "the file has version 7, this program knows up to"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "store.db")
			one.make(t, path)
			before, _ := os.ReadFile(path) // a folder has no bytes
			_, err := Open(path, ReadOnly())
			require.ErrorContains(t, err, one.says)
			require.ErrorContains(t, err, path)
			if one.want != nil {
				require.ErrorIs(t, err, one.want)
			}
			after, _ := os.ReadFile(path)
			require.Equal(t, before, after)
			list, err := os.ReadDir(filepath.Dir(path))
			require.NoError(t, err)
			for _, f := range list {
				require.Equal(t, "store.db", f.Name(), "something was made beside it")
			}
		})
	}
}
