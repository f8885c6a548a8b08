//go:build unix

package acp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/acp/acptest"
)

// TestEnds ends the program in each way while a turn, a command and a subagent run: nothing is left, and the exit code says how.
func TestEnds(t *testing.T) {
	program := build(t)
	script, err := filepath.Abs(filepath.Join("testdata", "vanish.txt"))
	require.NoError(t, err)
	for _, c := range []struct {
		name string
		end  func(p *os.Process, in, out *os.File) error
		code int
	}{
		{"input", func(_ *os.Process, in, _ *os.File) error { return in.Close() }, 0},
		{"output", func(_ *os.Process, in, out *os.File) error {
			if err := out.Close(); err != nil {
				return err
			}
			_, err := in.WriteString(`{"jsonrpc":"2.0","id":9,"method":"nothing"}` + "\n") // its answer finds nobody
			return err
		}, 1},
		{"SIGTERM", func(p *os.Process, _, _ *os.File) error { return p.Signal(syscall.SIGTERM) }, 143},
		{"SIGINT", func(p *os.Process, _, _ *os.File) error { return p.Signal(syscall.SIGINT) }, 130},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, store := folder(t), filepath.Join(t.TempDir(), "store.db")
			cmd := bounded(t, program, "-script", script, "-store", store, "-log", "error")
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			inR, inW, err := os.Pipe()
			require.NoError(t, err)
			outR, outW, err := os.Pipe()
			require.NoError(t, err)
			cmd.Stdin, cmd.Stdout = inR, outW
			require.NoError(t, cmd.Start())
			require.NoError(t, inR.Close())
			require.NoError(t, outW.Close())
			client := acptest.New(inW, outR, dir)
			err = client.Play(`send {"id":1,"method":"initialize","params":{"protocolVersion":1}}
send {"id":2,"method":"session/new","params":{"cwd":"$DIR","mcpServers":[]}}
wait "id":2
send {"id":3,"method":"session/prompt","params":{"sessionId":"agent-1","prompt":[{"type":"text","text":"Work."}]}}
wait session/request_permission
send {"id":1,"result":{"outcome":{"outcome":"selected","optionId":"allow_once"}}}`)
			require.NoError(t, err, client.Transcript())
			require.NoError(t, c.end(cmd.Process, inW, outR))
			_ = cmd.Wait() // the code says all
			require.Equal(t, c.code, cmd.ProcessState.ExitCode(), "%s", stderr.String())
			nothingRuns(t, store)
			_ = inW.Close() // one of them is closed already
			_ = outR.Close()
		})
	}
}

// TestUsage: what is wrong with the flags is said on the standard error, and the output stays empty.
func TestUsage(t *testing.T) {
	program := build(t)
	for flags, want := range map[string]string{
		"":                         "acp: where do the answers come from? Give -script FILE, or -provider with -model\n",
		"-script=none.txt":         "acp: open none.txt: no such file or directory\n",
		"-script=x -folder=.":      "acp: flag provided but not defined: -folder; -h lists the flags\n",
		"-script=x -provider=x":    "acp: a script takes the place of a provider's model: give one of them\n",
		"surplus":                  "acp: \"surplus\" is no flag, and nothing else is expected\n",
		"-provider=openai -model=": "acp: -model is given nothing\n",
		"-provider=openai":         "acp: a provider needs -model NAME\n",
	} {
		t.Run(flags, func(t *testing.T) {
			var out, stderr bytes.Buffer
			cmd := bounded(t, program, strings.Fields(flags)...)
			cmd.Stdout, cmd.Stderr = &out, &stderr
			require.Error(t, cmd.Run())
			require.Equal(t, 2, cmd.ProcessState.ExitCode())
			require.Equal(t, want, stderr.String())
			require.Empty(t, out.String())
		})
	}
}

// TestOutputIsProtocol feeds lines that are wrong: every line of the output is a message, whatever the log says.
func TestOutputIsProtocol(t *testing.T) {
	program := build(t)
	script, err := filepath.Abs(filepath.Join("testdata", "load.txt"))
	require.NoError(t, err)
	cmd := bounded(t, program, "-script", script, "-log", "debug")
	var in, out bytes.Buffer
	for i := range 50 {
		fmt.Fprintf(&in, "%s\n", bytes.Repeat([]byte(`{"jsonrpc":"2.0","id":[`), i))
	}
	cmd.Stdin, cmd.Stdout = &in, &out
	require.NoError(t, cmd.Run())
	lines := bytes.Split(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n"))
	require.Len(t, lines, 49)
	for _, l := range lines {
		var m struct {
			Version string `json:"jsonrpc"`
			Error   struct{ Code int }
		}
		require.NoError(t, json.Unmarshal(l, &m))
		require.Equal(t, "2.0", m.Version)
		require.Equal(t, -32700, m.Error.Code)
	}
}
