package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

func replaceOnce(src, old, with string) (string, int) {
	n := strings.Count(src, old)
	return strings.Replace(src, old, with, 1), n
}

// differences names the first file that is not the same in both folders.
func differences(ts *testscript.TestScript, a, b string) string {
	read := func(root string) map[string]string {
		out := map[string]string{}
		ts.Check(filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(root, name)
			out[rel] = string(data)
			return err
		}))
		return out
	}
	x, y := read(a), read(b)
	for name, data := range x {
		if y[name] != data {
			return name
		}
	}
	for name := range y {
		if _, ok := x[name]; !ok {
			return name
		}
	}
	return ""
}

// shipped copies the project's own specs, prompts and outputs into the script's folder.
func shipped(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: shipped")
	}
	root := filepath.Join("..", "..")
	for _, dir := range []string{"spec", "prompts", "gen", "catalog", "cue.mod"} {
		ts.Check(os.CopyFS(ts.MkAbs(dir), os.DirFS(filepath.Join(root, dir))))
	}
	for _, file := range []string{"go.mod", "toolgen.lock"} {
		data, err := os.ReadFile(filepath.Join(root, file))
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(file), data, 0o644))
	}
}

// code runs a command and demands its exit code: code N COMMAND ARGS... `! exec` cannot tell findings from a failure.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N COMMAND ARGS...")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("%s gave exit code %d, want %s", strings.Join(args[1:], " "), got, args[0])
	}
}
