//go:build unix

package scenarios

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// until reads lines until one has a text in it.
func until(t *testing.T, r *bufio.Reader, text string) string {
	t.Helper()
	var all strings.Builder
	for {
		line, err := r.ReadString('\n')
		all.WriteString(line)
		require.NoError(t, err, all.String())
		if strings.Contains(line, text) {
			return all.String()
		}
	}
}

// The first signal ends the run: the tree is stopped and stored, and can be resumed at once.
func TestHeadlessInterrupted(t *testing.T) {
	program, dir, store := build(t, "examples/headless"), folder(t), filepath.Join(t.TempDir(), "store.db")
	c, _ := command(t, program, dir, script(t, delegates), "-store", store, "Dig")
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	var stderr strings.Builder
	c.Stderr = &stderr
	require.NoError(t, c.Start())
	lines := bufio.NewReader(out)
	first := until(t, lines, `"author":"coordinator"`)
	require.NoError(t, c.Process.Signal(syscall.SIGINT))
	rest, err := io.ReadAll(lines)
	require.NoError(t, err)
	err = c.Wait()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 130, exit.ExitCode(), stderr.String())
	require.Contains(t, stderr.String(), "headless: stopping; once more kills\n")
	w := parseLines(t, first+string(rest))
	require.Equal(t, "interrupted", w.end().Outcome)
	require.Equal(t, "a signal stopped it", w.end().Reason)
	require.Equal(t, "interrupted", w.lines[w.settled("dig")].Outcome)

	root := decode(t, strings.SplitN(first, "\n", 2)[0]).Agent
	r := run(t, program, dir, script(t, "-- root --\nexpect settlement interrupted\nexpect user Again\nsay It was interrupted.\n"), "-store", store, "-resume", root, "Again")
	require.Zero(t, r.exit, r.stderr)
	require.NotContains(t, r.stderr, "held by another process", "its lease was given back")
}

// The second signal ends the program, whatever it waits for.
func TestHeadlessKilled(t *testing.T) {
	program := build(t, "examples/headless")
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	c := exec.Command(program, "-script", script(t, "-- root --\nsay x\n"), "-system", pipe, "Hello")
	errs, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	// The pipe can be opened when the program waits for what comes out of it, which is nothing.
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer w.Close()
	require.NoError(t, c.Process.Signal(syscall.SIGINT))
	lines := bufio.NewReader(errs)
	until(t, lines, "once more kills")
	require.NoError(t, c.Process.Signal(syscall.SIGINT))
	_, _ = io.Copy(io.Discard, lines)
	var exit *exec.ExitError
	require.True(t, errors.As(c.Wait(), &exit))
	require.Equal(t, 130, exit.ExitCode())
}

// Where nobody reads the output any more, the run ends.
func TestHeadlessUnread(t *testing.T) {
	program, dir := build(t, "examples/headless"), folder(t)
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	c, _ := command(t, program, dir, script(t, "-- root --\ncall run_command {\"command\": \"cat pipe\"}\n\nstall\n"), "-allow-commands", "Dig")
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	var stderr strings.Builder
	c.Stderr = &stderr
	require.NoError(t, c.Start())
	until(t, bufio.NewReader(out), `"type":"answer"`)
	require.NoError(t, out.Close())
	require.NoError(t, os.WriteFile(pipe, []byte("x"), 0o600)) // the command ends, and its result cannot be told
	var exit *exec.ExitError
	require.ErrorAs(t, c.Wait(), &exit)
	require.Equal(t, 1, exit.ExitCode(), stderr.String())
	require.Contains(t, stderr.String(), "headless: failed: the run could not go on\n")
}
