// Package stranger tests toolgen as a module that knows nothing of this repository uses it: its own spec, plain
// `go generate`, `go tool toolgen`, and a program that mounts and calls what was generated. Offline, with a replace.
package stranger

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/tests/outside"
)

// module lays out testdata/shop as a module of its own beside nothing of ours, and returns its folder.
func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "shop"))))
	outside.Module(t, dir, "example.com/shop")
	return dir
}

func TestModule(t *testing.T) {
	dir := module(t)
	outside.Go(t, dir, "generate", "./...")
	for _, f := range []string{"gen/shop/search_tool_gen.go", "gen/contracts.json", "catalog/catalog.json", "toolgen.lock"} {
		require.FileExists(t, filepath.Join(dir, f))
	}
	require.Regexp(t, `^clean: \d+ tools, \d+ variants, \d+ files\n$`, outside.Go(t, dir, "tool", "toolgen", "check", "--full"))
	outside.Go(t, dir, "vet", "./...")
	outside.Go(t, dir, "test", "./...") // one value accepted and one refused per kind of type; see testdata/shop/types_test.go

	// The program prints what its model was shown and what one call of it gave.
	out := outside.Go(t, dir, "run", ".")
	require.Contains(t, out, "search: Finds articles. Long searches go to `delegate`.")
	require.Contains(t, out, "limit 10, sort price")
	require.Contains(t, out, "a1 — Lamp (12.5)")
	require.Contains(t, out, "refused: ")
	require.Contains(t, out, "/limit")

	// Go's own answer to the generated package reads well.
	doc := outside.Go(t, dir, "doc", "./gen/shop", "SearchArgs")
	require.Contains(t, doc, "How many to return at most.")
}
