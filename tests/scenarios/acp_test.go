package scenarios

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/acp/acptest"
)

// TestACP plays the conversations in testdata/acp with the built examples/acp. An archive has a script of model turns, what the client
// does, and all that is then sent both ways; where it has these again, the program is started again on the same store.
// TOOLGEN_UPDATE writes down what is sent now.
func TestACP(t *testing.T) {
	program := build(t, "examples/acp")
	files, err := filepath.Glob("testdata/acp/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { playACP(t, program, file) })
	}
}

func playACP(t *testing.T, program, file string) {
	a, err := txtar.ParseFile(file)
	require.NoError(t, err)
	require.Zero(t, len(a.Files)%3, "a script, a client and what is sent")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "app.log"), []byte("03:11 saved\n03:12 cannot save\n"), 0o600))
	store := filepath.Join(t.TempDir(), "store.db")
	var ids []string
	for run := 0; run < len(a.Files); run += 3 {
		script, client, wire := a.Files[run], a.Files[run+1], &a.Files[run+2]
		text := filepath.Join(t.TempDir(), "script.txt")
		turns := acptest.Script(string(script.Data))
		for i, id := range ids {
			turns = strings.ReplaceAll(turns, fmt.Sprintf("%q", fmt.Sprintf("agent-%d", i+1)), fmt.Sprintf("%q", id))
		}
		require.NoError(t, os.WriteFile(text, []byte(turns), 0o600))
		cmd := exec.Command(program, "-script", text, "-store", store)
		cmd.Dir = t.TempDir()
		cmd.Env = append(os.Environ(), "OPENAI_API_KEY=sk-very-secret", "ANTHROPIC_API_KEY=sk-also-secret")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		c := acptest.New(in, out, dir, ids...)
		if err := c.Play(string(client.Data) + "close\nend\n"); err != nil {
			_ = cmd.Process.Kill()
			t.Fatalf("%v\n%s\n%s", err, c.Transcript(), stderr.String())
		}
		require.NoError(t, cmd.Wait(), "%s", stderr.String())
		require.Empty(t, stderr.String())
		require.NotContains(t, c.Transcript(), "secret")
		if os.Getenv("TOOLGEN_UPDATE") != "" {
			wire.Data = []byte(c.Transcript())
			require.NoError(t, os.WriteFile(file, txtar.Format(a), 0o644))
		}
		require.Empty(t, cmp.Diff(string(wire.Data), c.Transcript()), wire.Name)
		ids = c.IDs()
	}
	data, err := os.ReadFile(store)
	require.NoError(t, err)
	require.NotContains(t, string(data), "secret")
}
