// Package arguments tests what the runtime does with the arguments that models really send: kind by kind, in both modes,
// by contracts that are generated into a module of their own (testdata/page). The texts of all errors are on one page,
// testdata/errors.md.
package arguments

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
	"github.com/toolgen-dev/toolgen/tests/outside"
)

// contracts hands out the contracts of the generated package, which users need not see.
const contracts = `package page

import "github.com/toolgen-dev/toolgen/runtime/tool"

// Contracts are the contracts by their labels.
var Contracts = map[string]*tool.Contract{
	"find": &contractFind, "put": &contractPut, "ping": &contractPing, "edit": &contractEdit, "nest": &contractNest, "run": &contractRun,
	"bounds": &contractBounds,
}
`

// reader is the program in testdata/page.
type reader struct {
	in  *os.File
	out *bufio.Reader
}

// start generates and builds the program and starts it; it ends with the test.
func start(t *testing.T) *reader {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "page"))))
	outside.Module(t, dir, "example.com/page")
	outside.Go(t, dir, "generate", ".")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "gen", "page", "contracts.go"), []byte(contracts), 0o644))
	bin := filepath.Join(dir, "page.bin")
	outside.Go(t, dir, "build", "-o", bin, ".")
	stdin, in, err := os.Pipe()
	require.NoError(t, err)
	c := outside.Command(dir, bin)
	c.Stdin = stdin
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	var stderr strings.Builder
	c.Stderr = &stderr
	require.NoError(t, c.Start())
	require.NoError(t, stdin.Close())
	t.Cleanup(func() {
		in.Close()
		if err := c.Wait(); err != nil {
			t.Errorf("%v\n%s", err, stderr.String())
		}
	})
	return &reader{in, bufio.NewReaderSize(out, 1<<20)}
}

// reading is what one mode makes of the arguments.
type reading struct {
	Normalized json.RawMessage
	Text       []byte
	Report     decode.Report
	Said       string
}

// answer is what the program says of one call.
type answer struct {
	Strict, Tolerant reading
	Value            string
	Fault            string
}

func (r *reader) ask(t *testing.T, tool, args string, caps map[string]string) (a answer) {
	t.Helper()
	line, err := json.Marshal(struct {
		Tool string
		Args []byte
		Caps map[string]string
	}{tool, []byte(args), caps})
	require.NoError(t, err)
	_, err = r.in.Write(append(line, '\n'))
	require.NoError(t, err, "the program ended")
	line, err = r.out.ReadBytes('\n')
	require.NoError(t, err, "the program ended")
	require.NoError(t, json.Unmarshal(line, &a))
	require.Empty(t, a.Fault, "%s %.200s", tool, args)
	return a
}

// problems lists what is wrong as code@pointer.
func problems(r decode.Report) string {
	var out []string
	for _, p := range r.Problems {
		out = append(out, string(p.Code)+"@"+p.Pointer)
	}
	return strings.Join(out, " ")
}

// repairs lists what was repaired as code@pointer.
func repairs(r decode.Report) string {
	var out []string
	for _, x := range r.Repairs {
		out = append(out, x.Code+"@"+x.Pointer)
	}
	return strings.Join(out, " ")
}
