package stranger

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/tests/outside"
)

// What `toolgen init` writes works as it is: it generates, its tests pass, its program runs, and its check is clean.
func TestInit(t *testing.T) {
	dir := module(t)
	for _, f := range []string{"main.go", "types_test.go", "loaded_test.go", "spec", "prompts"} {
		require.NoError(t, os.RemoveAll(filepath.Join(dir, f)))
	}
	outside.Go(t, dir, "tool", "toolgen", "init")
	outside.Go(t, dir, "generate", "./...")
	require.Contains(t, outside.Go(t, dir, "test", "./..."), "ok")
	require.NotContains(t, outside.Go(t, dir, "tool", "toolgen", "check", "--full"), "[")
	out := outside.Go(t, dir, "run", ".")
	require.Contains(t, out, "find_notes: Finds notes that have all words of `query`.")
	require.Contains(t, out, "n1 — Buy milk and bread")
	require.Contains(t, out, "It returns 10 notes")
	require.Equal(t, 1, strings.Count(out, "n3 — Milk prices"))
}
