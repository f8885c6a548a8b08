//go:build unix

package sqlite_test

import (
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/store/sqlite"
)

// What is no file is refused at once, for writing and for reading: a pipe would wait for its other end.
func TestPipeIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	for _, opts := range [][]sqlite.Option{nil, {sqlite.ReadOnly()}} {
		_, err := sqlite.Open(path, opts...)
		var at *fs.PathError
		require.ErrorAs(t, err, &at)
		require.EqualError(t, err, "open "+path+": is no regular file")
	}
}
