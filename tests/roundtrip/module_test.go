// Package roundtrip tests that CUE, the generated JSON Schema and the generated strict decoder agree on what a value of
// each kind of type may be, over hundreds of values per type, and that nothing is lost on the way into Go.
//
// The tools of testdata/types are generated into a module of their own. Three judges then see every candidate: CUE
// itself (testdata/types/oracle), an ecosystem validator over the catalog's schema, and the program in testdata/types,
// which calls the tools. What they may differ in is listed in divergence_test.go.
package roundtrip

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/tests/outside"
)

// module lays out testdata/types as a module of its own, generates it, adds the calls of its mount functions, and
// returns its folder.
func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "types"))))
	outside.Module(t, dir, "example.com/types")
	outside.Go(t, dir, "tool", "toolgen", "generate")
	bind(t, dir)
	keep(t, dir)
	return dir
}

// keep compares contracts.json with the copy that package contracts is tested and fuzzed with; with TOOLGEN_UPDATE=1 it
// writes that.
func keep(t *testing.T, dir string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "gen", "contracts.json"))
	require.NoError(t, err)
	var want bytes.Buffer
	require.NoError(t, json.Compact(&want, data))
	want.WriteByte('\n')
	file := filepath.Join("..", "..", "runtime", "tool", "contracts", "testdata", "types.json")
	if os.Getenv("TOOLGEN_UPDATE") != "" {
		require.NoError(t, os.WriteFile(file, want.Bytes(), 0o644))
	}
	have, err := os.ReadFile(file)
	require.NoError(t, err)
	require.True(t, bytes.Equal(want.Bytes(), have), "%s is not what is generated now; run this test with TOOLGEN_UPDATE=1", file)
}

var mountFunc = regexp.MustCompile(`(?m)^func Mount(\w+)\(`)

// bind writes what mounts every tool, and a file into the generated package that hands out its contracts: they are
// data that users need not see.
func bind(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "gen", "types", "*_tool_gen.go"))
	require.NoError(t, err)
	var mounts, contracts strings.Builder
	mounts.WriteString("package main\n\nimport \"example.com/types/gen/types\"\n\nfunc mountAll(p *program) error {\n\tfor _, err := range []error{\n")
	contracts.WriteString("package types\n\nimport \"github.com/toolgen-dev/toolgen/runtime/tool\"\n\n// Contracts are the contracts by the names of their mount functions.\nvar Contracts = map[string]*tool.Contract{\n")
	for _, f := range files {
		src, err := os.ReadFile(f)
		require.NoError(t, err)
		m := mountFunc.FindSubmatch(src)
		require.NotNil(t, m, f)
		name := string(m[1])
		mounts.WriteString("\t\tmount(p, types.Contracts[\"" + name + "\"], types.Mount" + name + "),\n")
		contracts.WriteString("\t\"" + name + "\": &contract" + name + ",\n")
	}
	mounts.WriteString("\t} {\n\t\tif err != nil {\n\t\t\treturn err\n\t\t}\n\t}\n\treturn nil\n}\n")
	contracts.WriteString("}\n")
	write(t, dir, "mounts.go", mounts.String())
	write(t, dir, filepath.Join("gen", "types", "contracts.go"), contracts.String())
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
}

// judge is a process that answers one line for each line.
type judge struct {
	in  io.WriteCloser
	out *bufio.Reader
}

// start builds a command of the module and starts it; it ends with the test.
func start(t *testing.T, dir, pkg string) *judge {
	t.Helper()
	bin := filepath.Join(dir, filepath.Base(pkg)+".bin")
	outside.Go(t, dir, "build", "-o", bin, pkg)
	c := outside.Command(dir, bin)
	c.Env = append(c.Env, "GOMEMLIMIT=1GiB")
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		in.Close()
		if err := c.Wait(); err != nil {
			t.Errorf("%s: %v\n%s", pkg, err, stderr.String())
		}
	})
	return &judge{in, bufio.NewReaderSize(out, 1<<20)}
}

// ask sends one line and reads one. It is false when the process is gone, which its end reports.
func (j *judge) ask(question, answer any) bool {
	line, err := json.Marshal(question)
	if err != nil {
		return false
	}
	if _, err = j.in.Write(append(line, '\n')); err != nil {
		return false
	}
	if line, err = j.out.ReadBytes('\n'); err != nil {
		return false
	}
	return json.Unmarshal(line, answer) == nil
}

// question is what both judges read.
type question struct {
	Tool  string
	Texts [][]byte
}
