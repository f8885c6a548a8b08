package workspace

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The names of folders within each other are in memory together: what all of them have is bounded, and not only what one has.
func TestNamesInMemory(t *testing.T) {
	dir := t.TempDir()
	const levels, each = 6, 2*batch + 1
	at := dir
	for range levels {
		for i := range each {
			require.NoError(t, os.WriteFile(filepath.Join(at, fmt.Sprintf("n%04d", i)), nil, 0o600))
		}
		at = filepath.Join(at, "a") // comes first
		require.NoError(t, os.Mkdir(at, 0o700))
	}
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer func() { require.NoError(t, root.Close()) }()
	w := &walk{ctx: t.Context(), root: root, deep: true, most: each, visit: func(string, fs.DirEntry) (bool, error) { return true, nil }}
	_, err = w.folder(".", 0)
	require.NoError(t, err)
	require.Equal(t, "Only the first 2001 files and folders were looked at.", w.note())
	require.LessOrEqual(t, w.read, each+levels*batch)
	require.Less(t, each+levels*batch, levels*each)
}
