package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/model/scripted"
	"github.com/toolgen-dev/toolgen/tests/chat"
	"github.com/toolgen-dev/toolgen/tests/outside"
)

// The README's third command, and the same with a local model.
const (
	headless      = `go run ./examples/headless -script examples/headless/conversation.txt "How long is the licence?"`
	headlessLocal = `go run ./examples/headless -provider openai -base-url http://localhost:11434/v1 -model NAME "How many lines has LICENSE?"`
)

// TestHeadless: the command prints what the README shows, but for ids, and for the order in which agents that run beside each
// other are shown.
func TestHeadless(t *testing.T) {
	readme := pageFiles(t)["README.md"]
	_, after, found := strings.Cut(readme, headless+"\n```\n\n```text\n")
	require.True(t, found, "the README shows what its third command prints")
	shown, _, _ := strings.Cut(after, "```")
	want := strings.Split(normal(shown), "\n")
	outside.Depend(t, "examples")
	c := exec.Command("sh", "-c", headless)
	c.Dir = root(t)
	c.Env = append(os.Environ(), "GOWORK=off")
	var stderr strings.Builder
	c.Stderr = &stderr
	stdout, err := c.Output()
	require.NoError(t, err, stderr.String())
	have := strings.Split(normal(stderr.String()+string(stdout)), "\n")
	indented := func(line string) bool { return strings.HasPrefix(line, " ") }
	other := func(line string) bool { return !indented(line) }
	require.Equal(t, slices.DeleteFunc(slices.Clone(want), indented), slices.DeleteFunc(slices.Clone(have), indented))
	require.Equal(t, slices.DeleteFunc(want, other), slices.DeleteFunc(have, other))

	licence, err := os.ReadFile(filepath.Join(root(t), "LICENSE"))
	require.NoError(t, err)
	require.Equal(t, 202, strings.Count(string(licence), "\n"))
	require.Equal(t, "LICENSE has 202 lines.\n", string(stdout))
}

func normal(text string) string {
	return regexp.MustCompile(`agent-\w+`).ReplaceAllString(text, "agent-id")
}

// TestHeadlessLocal runs the command with a server of ours in place of the local one.
func TestHeadlessLocal(t *testing.T) {
	script, err := scripted.Parse("local", "-- root --\nexpect user How many lines\ncall read_file {\"path\": \"LICENSE\", \"first_line\": 9999}\n\nexpect result LICENSE has\nsay Two hundred.\n")
	require.NoError(t, err)
	srv := chat.Serve(t, script)
	line := strings.NewReplacer("http://localhost:11434/v1", srv.URL, "NAME", "script").Replace(headlessLocal)
	require.True(t, strings.HasSuffix(shell(t, root(t), line), "\nTwo hundred.\n"))
	require.NoError(t, script.Finish())
}
