//go:build unix

package scenarios

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// resume kills the program in the middle, and goes on with what is left.
func TestHeadlessResume(t *testing.T) {
	t.Run("subagent-resume", resume)
}

func resume(t *testing.T) {
	program, dir := build(t, "examples/headless"), folder(t)
	store := filepath.Join(t.TempDir(), "store.db")
	sent, writes, err := os.Pipe() // what models are sent
	require.NoError(t, err)
	defer sent.Close()
	c, _ := command(t, program, dir, filepath.Join("testdata", "subagent-resume-1.txt"), "-store", store, "-transcript", "/dev/fd/3", "Count to five")
	c.ExtraFiles = []*os.File{writes}
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	require.NoError(t, writes.Close())
	var first strings.Builder
	root, child := "", "" // ids
	ended, worked := false, false
	for lines := bufio.NewScanner(out); !(ended && worked) && lines.Scan(); {
		first.WriteString(lines.Text() + "\n")
		switch e := decode(t, lines.Text()); {
		case e.Type == "start":
			root = e.Agent
		case e.Type == "agent":
			child = e.Agent
		case e.Type == "turn" && e.Agent == root:
			ended = true
		case e.Type == "result" && e.Agent == child:
			worked = true
		}
	}
	require.True(t, ended && worked, first.String())
	// The result is in the store when the model is asked again.
	var before strings.Builder
	lines := bufio.NewReader(sent)
	for again := ""; again != ", 2 --"; {
		text, err := lines.ReadString('\n')
		require.NoError(t, err, before.String())
		before.WriteString(text)
		_, again, _ = strings.Cut(strings.TrimSuffix(text, "\n"), "-- request: count, "+child)
	}
	require.NoError(t, c.Process.Kill())
	_ = c.Wait() // it was killed
	_, err = io.Copy(&before, lines)
	require.NoError(t, err)
	require.NotContains(t, first.String(), `"settled"`)

	r := run(t, program, dir, filepath.Join("testdata", "subagent-resume-2.txt"), "-store", store, "-dead-after", "1s", "-resume", root, "Go on")
	require.Zero(t, r.exit, r.stderr)
	require.Contains(t, r.stderr, "the conversation is held by another process")
	w := parse(t, r)
	require.True(t, w.lines[0].Resumed)
	require.Equal(t, []string{"settlement", "user", "settlement"}, w.authors("root"), "the notice of what was lost comes with the first prompt")
	require.Equal(t, []string{"send_message"}, w.called("root"), "no call is carried out again")
	require.Empty(t, w.called("count"))
	require.Contains(t, w.requests("count")[0], "result of list_files:\n  notes.txt\n", "the conversation is the same")
	require.Equal(t, "It has counted to five.", w.end().Text)

	killed := parse(t, result{stdout: first.String(), transcript: before.String()})
	golden(t, "subagent-resume", "A process is killed while a child works. The next one tells the root that the child was lost, and a message resumes the child.\n\n"+
		"1: headless -store store.db \"Count to five\"\n2: headless -store store.db -resume root \"Go on\"\n\n"+killed.sections("1: ")+w.sections("2: "))
}
