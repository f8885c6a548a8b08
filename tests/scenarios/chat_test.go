package scenarios

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/model/scripted"
	"github.com/toolgen-dev/toolgen/tests/chat"
)

// TestHeadlessChat plays each scenario with a provider's client: the scripts answer over HTTP, as a hosted or a local model
// does. What goes over the wire is a golden file, and what comes out of the program is what came out with the script.
func TestHeadlessChat(t *testing.T) {
	program := build(t, "examples/headless")
	for name, s := range scenarios {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("..", "..", "runtime", "subagent", "testdata", "scenarios", name+".txt")
			script, err := scripted.Load(file)
			require.NoError(t, err)
			srv := chat.Serve(t, script)
			args := append([]string{"-provider", "openai", "-model", "script", "-base-url", srv.URL, "-format", "jsonl", "-folder", folder(t)}, s.flags...)
			r := start(t, exec.Command(program, append(slices.Clone(args), s.prompt)...))
			require.Zero(t, r.exit, r.stderr)
			require.NoError(t, script.Finish())
			w, direct := parseLines(t, r.stdout), parse(t, run(t, program, folder(t), file, append(slices.Clone(s.flags), s.prompt)...))
			require.Equal(t, direct.agents, w.agents)
			for _, agent := range w.agents {
				require.Equal(t, direct.authors(agent), w.authors(agent))
				require.Equal(t, direct.called(agent), w.called(agent))
			}
			require.Equal(t, direct.end(), w.end())
			golden(t, filepath.Join("..", "chat", name), string(srv.Transcript()))
		})
	}
}

// A key reaches the provider and nobody else.
func TestHeadlessChatKey(t *testing.T) {
	const key = "sk-fake-0123456789"
	script, err := scripted.Parse("s", "-- root --\ncall run_command {\"command\": \"env\"}\n\nexpect result Exit code 0.\nsay Yes.\n")
	require.NoError(t, err)
	srv := chat.Serve(t, script)
	store := filepath.Join(t.TempDir(), "store.db")
	c := exec.Command(build(t, "examples/headless"), "-provider", "openai", "-model", "script", "-base-url", srv.URL, "-allow-commands",
		"-folder", folder(t), "-store", store, "-log", "debug", "-format", "jsonl", "Is there a key?")
	c.Env = append(os.Environ(), "OPENAI_API_KEY="+key)
	r := start(t, c)
	require.Zero(t, r.exit, r.stderr)
	data, err := os.ReadFile(store)
	require.NoError(t, err)
	for _, text := range []string{r.stdout, r.stderr, string(data), string(srv.Transcript())} {
		require.NotEmpty(t, text)
		require.NotContains(t, text, key)
	}
}
