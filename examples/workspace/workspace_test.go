package workspace_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/tool"

	"github.com/toolgen-dev/toolgen/examples/workspace"
)

// world is a folder with a secret beside it.
type world struct {
	folder string // what the tools may read
	secret string // a file outside
	scope  *tool.Scope
}

const secret = "the secret is 7"

func newWorld(t testing.TB, permit workspace.Permit) *world {
	t.Helper()
	top := t.TempDir()
	w := &world{folder: filepath.Join(top, "folder"), secret: filepath.Join(top, "secret.txt")}
	require.NoError(t, os.Mkdir(w.folder, 0o700))
	require.NoError(t, os.WriteFile(w.secret, []byte(secret), 0o600))
	root, err := os.OpenRoot(w.folder)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, root.Close()) })
	reg := tool.NewRegistry()
	tools := &workspace.Tools{Folder: workspace.Within(root), Permit: permit}
	require.NoError(t, tools.Mount(reg))
	w.scope, err = reg.Scope()
	require.NoError(t, err)
	return w
}

func (w *world) write(t testing.TB, name, text string) {
	t.Helper()
	name = filepath.Join(w.folder, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

// call calls a tool, and returns what the model reads; an error begins with "!".
func (w *world) call(t testing.TB, name string, args map[string]any) string {
	t.Helper()
	return w.callIn(t, t.Context(), name, args)
}

func (w *world) callIn(t testing.TB, ctx context.Context, name string, args map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(args)
	require.NoError(t, err)
	res := w.scope.Call(ctx, tool.Call{ID: "1", Name: name, Arguments: raw})
	if res.IsError {
		return "!" + res.Text
	}
	return res.Text
}

type args = map[string]any

func TestReadFile(t *testing.T) {
	w := newWorld(t, nil)
	var long strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&long, "line %d\n", i+1)
	}
	for name, text := range map[string]string{
		"a/b.txt": "one\ntwo\nthree\n", "empty": "", "open": "no end", "blank": "\n\n", "crlf": "a\r\nb\r\n", "bom": "\xef\xbb\xbfa\n",
		"long": long.String(), "zero": "a\x00b", "bad": "a\xff\nb\n", "wide": strings.Repeat("ü", 5000) + "\nnext\n", "big": strings.Repeat(strings.Repeat("x", 3999)+"\n", 100),
		"cut": strings.Repeat("x", 4095) + "üy",
	} {
		w.write(t, name, text)
	}
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"path": "a/b.txt"}, "one\ntwo\nthree"},
		{args{"path": "./a/../a//b.txt"}, "one\ntwo\nthree"},
		{args{"path": filepath.Join(w.folder, "a", "b.txt")}, "one\ntwo\nthree"},
		{args{"path": "a/b.txt", "first_line": 2, "max_lines": 1}, "two\n[The file goes on at line 3.]"},
		{args{"path": "a/b.txt", "first_line": 3}, "three"},
		{args{"path": "a/b.txt", "first_line": 4}, "a/b.txt has 3 lines; there is nothing after them."},
		{args{"path": "empty"}, "empty is empty."},
		{args{"path": "open"}, "no end"},
		{args{"path": "blank"}, "\n"},
		{args{"path": "crlf"}, "a\nb"},
		{args{"path": "bom"}, "a"},
		{args{"path": "zero"}, "zero is no text file. It has 3 bytes."},
		{args{"path": "bad"}, "a\uFFFD\nb\n[Bytes that are no UTF-8 are shown as \uFFFD.]"},
		{args{"path": "wide"}, strings.Repeat("ü", 2048) + " […5904 bytes more]\nnext"},
		{args{"path": "cut"}, strings.Repeat("x", 4095) + " […3 bytes more]"},
		{args{"path": "a"}, `!"a": it is a folder`},
		{args{"path": "none"}, `!"none": there is no such file or folder`},
		{args{"path": "a/b.txt/c"}, `!"a/b.txt/c": it cannot be read`},
	} {
		require.Equal(t, c.want, w.call(t, "read_file", c.args), c.args)
	}
	have := w.call(t, "read_file", args{"path": "long"})
	require.True(t, strings.HasSuffix(have, "line 500\n[The file goes on at line 501.]"))
	have = w.call(t, "read_file", args{"path": "big"})
	require.True(t, strings.HasSuffix(have, "\n[The file goes on at line 21.]"), have[len(have)-60:])
	require.Less(t, len(have), 81_000)
}

func TestListFiles(t *testing.T) {
	w := newWorld(t, nil)
	for _, name := range []string{"b.txt", "a/deep/c.txt", ".git/config", "z\nz"} {
		w.write(t, name, "x")
	}
	require.NoError(t, os.Mkdir(filepath.Join(w.folder, "none"), 0o700))
	require.Equal(t, ".git/\na/\nb.txt\nnone/\n\"z\\nz\"\n", w.call(t, "list_files", args{}))
	require.Equal(t, ".git/\na/\na/deep/\na/deep/c.txt\nb.txt\nnone/\n\"z\\nz\"\n", w.call(t, "list_files", args{"recursive": true}))
	require.Equal(t, ".git/\na/\n[There is more: list a folder below, or raise the limit.]\n", w.call(t, "list_files", args{"limit": 2}))
	require.Equal(t, "There is nothing.\n", w.call(t, "list_files", args{"path": "none"}))
	require.Equal(t, ".git/config\n", w.call(t, "list_files", args{"path": ".git"}))
	require.Equal(t, `!"b.txt": it is a file, and no folder`, w.call(t, "list_files", args{"path": "b.txt"}))
	require.Equal(t, `!"no": there is no such file or folder`, w.call(t, "list_files", args{"path": "no"}))
}

func TestSearchFiles(t *testing.T) {
	w := newWorld(t, nil)
	w.write(t, "a.go", "package a\n// TODO: write\n// a\n")
	w.write(t, "b/c.txt", strings.Repeat("-", 400)+"TODO\n")
	w.write(t, "b/zero", "TODO\x00")
	w.write(t, ".git/x", "TODO\n")
	w.write(t, "large", strings.Repeat("TODO\n", 4<<20))
	require.Equal(t, "a.go:2: // TODO: write\nb/c.txt:1: "+strings.Repeat("-", 300)+" […104 bytes more]\n[Files above 16 MiB, which were not searched: 1.]\n",
		w.call(t, "search_files", args{"query": "TODO"}))
	require.Equal(t, "a.go:2: // TODO: write\n", w.call(t, "search_files", args{"query": "TODO", "files": "*.go"}))
	require.Equal(t, "a.go:1: package a\na.go:2: // TODO: write\n", w.call(t, "search_files", args{"query": "^(package|// T)", "regexp": true, "files": "*.go"}))
	require.Equal(t, "a.go:1: package a\n[There are more matches: look for something rarer, or in one folder.]\n",
		w.call(t, "search_files", args{"query": "a", "path": "a.go", "limit": 1}))
	require.Equal(t, "Nothing matches.\n", w.call(t, "search_files", args{"query": "TODO", "path": "b", "files": "*.go"}))
	require.Contains(t, w.call(t, "search_files", args{"query": "(", "regexp": true}), "!the regular expression cannot be read: error parsing regexp")
	require.Equal(t, `!"[" is no pattern for names of files`, w.call(t, "search_files", args{"query": "a", "files": "["}))
	require.Equal(t, `!"no": there is no such file or folder`, w.call(t, "search_files", args{"query": "a", "path": "no"}))
}

// A call that is called off ends, wherever it is.
func TestCancelled(t *testing.T) {
	w := newWorld(t, func(ctx context.Context, _ workspace.Command) (bool, error) { return true, nil })
	w.write(t, "a", "x\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, a := range map[string]args{"read_file": {"path": "a"}, "list_files": {}, "search_files": {"query": "x"}, "run_command": {"command": "touch done"}} {
		require.Contains(t, w.callIn(t, ctx, name, a), "!the call was cancelled", name)
	}
	require.NoFileExists(t, filepath.Join(w.folder, "done"))
}

// Whatever the path is made of, nothing outside of the folder is read, listed or found, and no text says where the folder is.
func TestEscapes(t *testing.T) {
	w := newWorld(t, nil)
	w.write(t, "a/b.txt", "inside")
	link := func(target, name string) {
		t.Helper()
		require.NoError(t, os.Symlink(target, filepath.Join(w.folder, name)))
	}
	link("../secret.txt", "relative")
	link(w.secret, "absolute")
	link("..", "up")
	link("a/../..", "round")
	link("/", "top")
	link("relative", "twice")
	link("circle", "circle")
	link("a", "fine")
	for path, want := range map[string]string{
		"../secret.txt":             "it is outside of the folder, or leads there",
		"a/../../secret.txt":        "it is outside of the folder, or leads there",
		"./../secret.txt":           "it is outside of the folder, or leads there",
		w.secret:                    "it is outside of the folder, or leads there",
		w.folder + "/../secret.txt": "it is outside of the folder, or leads there",
		w.folder + "-2/x":           "it is outside of the folder, or leads there",
		"/etc/passwd":               "it is outside of the folder, or leads there",
		"/proc/self/environ":        "it is outside of the folder, or leads there",
		"relative":                  "it is outside of the folder, or leads there",
		"absolute":                  "it is outside of the folder, or leads there",
		"twice":                     "it is outside of the folder, or leads there",
		"up/secret.txt":             "it is outside of the folder, or leads there",
		"round/secret.txt":          "it is outside of the folder, or leads there",
		"top/etc/passwd":            "it is outside of the folder, or leads there",
		"top":                       "it is outside of the folder, or leads there",
		"up":                        "it is outside of the folder, or leads there",
		"circle":                    "its symbolic links lead in a circle",
		"..":                        "it is outside of the folder, or leads there",
		"a\x00b":                    "it cannot be read",
		"~/x":                       "there is no such file or folder",
		"..\\secret.txt":            "there is no such file or folder",
		"file:///etc/passwd":        "there is no such file or folder",
	} {
		for _, name := range []string{"read_file", "list_files", "search_files"} {
			have := w.call(t, name, argsOf{"path": path, "query": "secret"}.of(name))
			require.Equal(t, fmt.Sprintf("!%q: %s", path, want), have, name)
		}
	}
	long := w.call(t, "read_file", args{"path": strings.Repeat("../", 5000)})
	require.True(t, strings.HasSuffix(long, `…": it is outside of the folder, or leads there`))
	require.Less(t, len(long), 400)
	require.Equal(t, "inside", w.call(t, "read_file", args{"path": "fine/b.txt"}), "a link within the folder is followed")
	all := w.call(t, "list_files", args{"recursive": true}) + w.call(t, "search_files", args{"query": "secret"})
	require.Equal(t, "a/\na/b.txt\nabsolute@\ncircle@\nfine@\nrelative@\nround@\ntop@\ntwice@\nup@\nNothing matches.\n", all)
}

// of are the arguments that a tool has.
func (a argsOf) of(name string) args {
	if name != "search_files" {
		delete(a, "query")
	}
	return args(a)
}

type argsOf map[string]any

// FuzzPath: no path gets at anything outside of the folder.
func FuzzPath(f *testing.F) {
	w := newWorld(f, nil)
	w.write(f, "a/b.txt", "inside")
	require.NoError(f, os.Symlink("..", filepath.Join(w.folder, "up")))
	require.NoError(f, os.Symlink(w.secret, filepath.Join(w.folder, "a", "link")))
	for _, p := range []string{"../secret.txt", "up/secret.txt", "a/link", "a/../../secret.txt", "/", w.secret, "a//b.txt", "up/folder/../secret.txt", "a/./.././up/secret.txt"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, path string) {
		for _, name := range []string{"read_file", "list_files", "search_files"} {
			have := w.call(t, name, argsOf{"path": path, "query": "e"}.of(name))
			require.NotContains(t, have, secret)
			require.NotContains(t, have, "secret.txt:")
			if !strings.HasPrefix(have, "!") {
				require.NotContains(t, have, "\nsecret.txt\n")
			}
		}
	})
}
