package docs

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/tests/outside"
)

// The README's ten minutes, followed to the letter: what it says happens when the default changes, and when a name is
// misspelt, does.
func TestTutorial(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "readme"))))
	outside.Module(t, dir, modules["readme"])
	outside.Go(t, dir, "generate", "./...")
	outside.Go(t, dir, "tool", "toolgen", "check", "--full")

	spec := filepath.Join(dir, "spec", "files", "tools.cue")
	edit(t, spec, "default: 20", "default: 5")
	out := findings(t, dir)
	for _, file := range []string{"gen/files/search_tool_gen.go", "gen/contracts.json", "catalog/catalog.json", "catalog/CATALOG.md", "toolgen.lock"} {
		require.Contains(t, out, file+":")
	}
	require.NotContains(t, out, "catalog/sections.json", "nothing of the section has changed")
	outside.Go(t, dir, "generate", "./...")
	said := outside.Go(t, dir, "run", ".")
	require.Contains(t, said, "Defaults to 5.")
	require.Contains(t, said, `"default":5`)
	require.Contains(t, said, "at most 5")

	edit(t, spec, `\(params.query.name)`, `\(params.qury.name)`)
	out = findings(t, dir)
	require.Contains(t, out, "spec/files/tools.cue:")
	require.Contains(t, out, "did you mean params.query?")
	require.Contains(t, out, "[ref-unknown]")
	require.True(t, strings.HasPrefix(outside.Go(t, dir, "tool", "toolgen", "explain", "ref-unknown"), "# ref-unknown"))
}

func edit(t *testing.T, file, old, with string) {
	t.Helper()
	src, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(src), old), old)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(src), old, with, 1)), 0o644))
}

// findings runs a check that must find something, and returns what it printed.
func findings(t *testing.T, dir string) string {
	t.Helper()
	c := outside.Command(dir, "go", "tool", "toolgen", "check")
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	var exit *exec.ExitError
	require.True(t, errors.As(c.Run(), &exit), out.String())
	require.Equal(t, 1, exit.ExitCode(), out.String())
	return out.String()
}
