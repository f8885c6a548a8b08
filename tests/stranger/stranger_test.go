// Package stranger tests toolgen as a module that knows nothing of this repository uses it: its own spec, plain
// `go generate`, `go tool toolgen`, and a program that mounts and calls what was generated. Offline, with a replace.
package stranger

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// module lays out testdata/shop as a module of its own beside nothing of ours, and returns its folder.
func module(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "shop"))))

	// What `go get -tool` would write, without a network: our requirements become the module's, and our sums its sums.
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	_, requires, found := strings.Cut(string(mod), "\nrequire")
	require.True(t, found)
	out := "module example.com/shop\n\ngo 1.26.0\n\ntool github.com/toolgen-dev/toolgen/cmd/toolgen\n\n" +
		"require github.com/toolgen-dev/toolgen v0.0.0\n\nreplace github.com/toolgen-dev/toolgen => " + root + "\n\nrequire" + requires
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(out), 0o644))
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644))
	return dir
}

// run runs the go command in a folder, offline.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := exec.Command("go", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off", "CI=")
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	require.NoError(t, c.Run(), "go %s\n%s%s", strings.Join(args, " "), stdout.String(), stderr.String())
	return stdout.String()
}

func TestModule(t *testing.T) {
	dir := module(t)
	run(t, dir, "generate", "./...")
	for _, f := range []string{"gen/shop/search_tool_gen.go", "gen/contracts.json", "catalog/catalog.json", "toolgen.lock"} {
		require.FileExists(t, filepath.Join(dir, f))
	}
	require.Regexp(t, `^clean: \d+ tools, \d+ variants, \d+ files\n$`, run(t, dir, "tool", "toolgen", "check", "--full"))
	run(t, dir, "vet", "./...")
	run(t, dir, "test", "./...") // one value accepted and one refused per kind of type; see testdata/shop/types_test.go

	// The program prints what its model was shown and what one call of it gave.
	out := run(t, dir, "run", ".")
	require.Contains(t, out, "search: Finds articles. Long searches go to `delegate`.")
	require.Contains(t, out, "limit 10, sort price")
	require.Contains(t, out, "a1 — Lamp (12.5)")
	require.Contains(t, out, "refused: ")
	require.Contains(t, out, "/limit")

	// Go's own answer to the generated package reads well.
	doc := run(t, dir, "doc", "./gen/shop", "SearchArgs")
	require.Contains(t, doc, "How many to return at most.")
}
