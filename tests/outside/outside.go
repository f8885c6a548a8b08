// Package outside makes a folder into a module that uses toolgen as a stranger's does: with a `tool` line, offline, and
// with a replace in place of a released version. Tests lay out their files, and run the go command there.
package outside

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Module writes go.mod and go.sum into a folder: what `go get -tool` would write, without a network. Our requirements
// become the module's, and our sums its sums. The caller's package is two folders below the repository's root.
func Module(t testing.TB, dir, path string) {
	t.Helper()
	Depend(t)
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	_, requires, found := strings.Cut(string(mod), "\nrequire")
	require.True(t, found, "go.mod has no requirements")
	text := "module " + path + "\n\ngo 1.26.0\n\ntool github.com/toolgen-dev/toolgen/cmd/toolgen\n\n" +
		"require github.com/toolgen-dev/toolgen v0.0.0\n\nreplace github.com/toolgen-dev/toolgen => " + root + "\n\nrequire" + requires
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o644))
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644))
}

// Depend has the go command know of the files that a test builds by itself: else it shows the test's result of before, from its cache,
// when they have changed. They are those of toolgen, of what generated code imports, and of more folders of the repository.
func Depend(t testing.TB, more ...string) {
	t.Helper()
	for _, dir := range append(more, "cmd", "gen", "runtime", "spec") {
		err := filepath.WalkDir(filepath.Join("..", "..", dir), func(_ string, _ fs.DirEntry, err error) error { return err })
		require.NoError(t, err)
	}
}

// Command is a command in a folder, offline. CI is unset, so that toolgen works as it does for people.
func Command(dir, name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off", "CI=")
	return c
}

// Go runs the go command, which must succeed, and returns what it printed.
func Go(t testing.TB, dir string, args ...string) string {
	t.Helper()
	c := Command(dir, "go", args...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	require.NoError(t, c.Run(), "go %s\n%s%s", strings.Join(args, " "), stdout.String(), stderr.String())
	return stdout.String()
}
