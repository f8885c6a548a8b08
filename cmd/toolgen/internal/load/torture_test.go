package load

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
)

// The torture spec uses everything that the language has. Its model is golden, so that another version of CUE, or of the
// loader, shows what it changes. TOOLGEN_UPDATE=1 rewrites it; the difference is to be read before it is committed.
func TestTorture(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("testdata", "torture"))
	require.NoError(t, err)
	p, err := OpenProject(root)
	require.NoError(t, err)
	m := mustLoad(t, p)
	require.Empty(t, contract.Validate(m))
	got := dump(t, m) + "\n"
	golden := filepath.Join(root, "model.json")
	if os.Getenv("TOOLGEN_UPDATE") != "" {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}
