package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/cli"
)

// TestMain lets the scripts run toolgen as a command of its own.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"toolgen": func() {
			os.Exit(cli.Run(os.Args[1:], cli.Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv}))
		},
	})
}

// TestScripts runs testdata/script: each file is a project and the commands that a user gives in it. TOOLGEN_UPDATE=1
// rewrites what cmp compares with; the difference is to be read before it is committed.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       os.Getenv("TOOLGEN_UPDATE") != "",
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"replace": replace,
			"same":    same,
			"shipped": shipped,
			"code":    code,
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("CI", "") // the fast path is part of what is tested; scripts that want CI set it
			return nil
		},
	})
}

// replace changes one place of a file: replace FILE OLD NEW. That OLD is there exactly once is part of the test.
func replace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace FILE OLD NEW")
	}
	src := ts.ReadFile(args[0])
	out, n := replaceOnce(src, args[1], args[2])
	if n != 1 {
		ts.Fatalf("%s has %q %d times, want once", args[0], args[1], n)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(out), 0o644))
}

// same compares two folders byte by byte: same DIR DIR.
func same(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: same DIR DIR")
	}
	diff := differences(ts, ts.MkAbs(args[0]), ts.MkAbs(args[1]))
	switch {
	case neg && diff == "":
		ts.Fatalf("%s and %s are equal", args[0], args[1])
	case !neg && diff != "":
		ts.Fatalf("%s and %s differ: %s", args[0], args[1], diff)
	}
}
