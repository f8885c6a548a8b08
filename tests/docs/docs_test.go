// Package docs tests that the code in the README and the guides is real: each block is part of a file in testdata, and
// those files generate, build and run as a module of somebody's own does, offline.
package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/tests/outside"
)

// Each page and the module in testdata that its blocks come from.
var pages = map[string]string{
	"README.md":          "readme",
	"docs/README.md":     "readme",
	"docs/spec.md":       "guide",
	"docs/go.md":         "guide",
	"docs/divergence.md": "guide",
	"docs/scale.md":      "guide",
}

// The paths of the modules.
var modules = map[string]string{"readme": "example.com/files", "guide": "example.com/assistant"}

// output is what a module's program prints, and a file in its folder.
const output = "output.txt"

// fence is a fenced block: its language, the file that it is a part of, and its text.
var fence = regexp.MustCompile("(?ms)^```([a-z]*)(?: (\\S+))?\n(.*?)^```$")

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	return dir
}

// TestBlocksAreFiles: code in a page is a part of a file, line by line, and names it. Shell commands and listings of
// folders are no code.
func TestBlocksAreFiles(t *testing.T) {
	listed, err := filepath.Glob(filepath.Join(root(t), "docs", "*.md"))
	require.NoError(t, err)
	for _, file := range append(listed, filepath.Join(root(t), "README.md")) {
		name, err := filepath.Rel(root(t), file)
		require.NoError(t, err)
		name = filepath.ToSlash(name)
		module, known := pages[name]
		require.True(t, known, "%s is in no module's list", name)
		page, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, fault := range faults(t, string(page), filepath.Join("testdata", module)) {
			t.Errorf("%s: %s", name, fault)
		}
	}
}

// faults says which blocks of a page are not what they should be.
func faults(t *testing.T, page, dir string) []string {
	t.Helper()
	var out []string
	for _, m := range fence.FindAllStringSubmatch(page, -1) {
		lang, name, text := m[1], m[2], m[3]
		first, _, _ := strings.Cut(text, "\n")
		switch {
		case name == "" && (lang == "go" || lang == "cue" || lang == "md" || lang == "json"):
			out = append(out, "a block of "+lang+" names no file: "+first)
			continue
		case name == "":
			continue
		}
		file, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			out = append(out, err.Error())
		} else if !strings.Contains("\n"+string(file), "\n"+text) {
			out = append(out, "a block is no part of "+name+": "+first)
		}
	}
	return out
}

// TestBlocksCanFail shows what is refused.
func TestBlocksCanFail(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n\nfunc f() {}\n"), 0o644))
	block := func(info, text string) string { return "Text.\n\n```" + info + "\n" + text + "\n```\n" }
	require.Empty(t, faults(t, block("go a.go", "func f() {}")+block("sh", "go test"), dir))
	for _, bad := range []string{block("go", "func f() {}"), block("go a.go", "func g() {}"), block("go a.go", "unc f() {}"),
		block("go a.go", "func f()"), block("go b.go", "package b"), block("cue", "x: 1")} {
		require.Len(t, faults(t, bad, dir), 1, bad)
	}
}

// TestModules generates, checks, vets and runs each module.
func TestModules(t *testing.T) {
	for name, path := range modules {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))))
			outside.Module(t, dir, path)
			outside.Go(t, dir, "generate", "./...")
			outside.Go(t, dir, "tool", "toolgen", "check", "--full")
			outside.Go(t, dir, "vet", "./...")
			have := outside.Go(t, dir, "run", ".")
			file := filepath.Join("testdata", name, output)
			if os.Getenv("TOOLGEN_UPDATE") != "" {
				require.NoError(t, os.WriteFile(file, []byte(have), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(want), have)
		})
	}
}
