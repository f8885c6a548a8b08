// Package acp tests examples/acp as a process, and with a client over another SDK.
package acp

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/store/sqlite"
	"github.com/toolgen-dev/toolgen/tests/outside"
)

// demand is the variable under which a test with Node fails where it would be left out. CI sets it where node is installed.
const demand = "TOOLGEN_NODE"

// nodeClient installs the client into a folder, or leaves the test out: without node, or without a registry to install from.
func nodeClient(t *testing.T) string {
	t.Helper()
	without := func(why string) {
		if os.Getenv(demand) != "" {
			t.Fatalf("%s is set, and %s", demand, why)
		}
		t.Skipf("The client of the npm SDK is left out: %s. With %s=1 this is a failure.", why, demand)
	}
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			without("there is no " + program)
		}
	}
	dir := t.TempDir()
	for _, name := range []string{"client.mjs", "package.json", "package-lock.json"} {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	cmd := bounded(t, "npm", "ci", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		without("the package cannot be installed:\n" + string(out))
	}
	return dir
}

// patience is how long a process may take. It is only for tests that fail.
const patience = 3 * time.Minute

// bounded is a command that is killed when patience is at its end, and whose output is not waited for then: what it has started
// may hold that open.
func bounded(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = 30 * time.Second
	return cmd
}

func build(t *testing.T) string {
	t.Helper()
	outside.Depend(t, "examples")
	program := filepath.Join(t.TempDir(), "acp.exe")
	out, err := exec.Command("go", "build", "-o", program, "../../examples/acp").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

// folder is a session's.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "app.log"), []byte("03:12 cannot save\n"), 0o600))
	return dir
}

// TestOtherSDK is one conversation through three processes of the npm SDK's client: it talks, loads the session again, and another
// one vanishes in the middle of a turn.
func TestOtherSDK(t *testing.T) {
	client, program, dir := nodeClient(t), build(t), folder(t)
	store := filepath.Join(t.TempDir(), "store.db")
	play := func(mode, script string, env ...string) (string, string, error) {
		text, err := filepath.Abs(filepath.Join("testdata", script))
		require.NoError(t, err)
		level := "warn"
		if mode == "vanish" {
			level = "error" // the script is not played to its end
		}
		cmd := bounded(t, "node", "client.mjs", mode, dir, program, "-script", text, "-store", store, "-log", level)
		cmd.Dir, cmd.Env = client, append(os.Environ(), env...)
		var out, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &stderr
		err = cmd.Run() // it returns when the agent has ended too, which writes to the same stderr
		return out.String(), stderr.String(), err
	}

	out, stderr, err := play("talk", "talk.txt")
	require.NoError(t, err, "%s%s", out, stderr)
	session := regexp.MustCompile(`\Asession (\S+)\n\z`).FindStringSubmatch(stderr)
	require.NotNil(t, session, "%s", stderr)
	golden(t, "talk.said.txt", out)

	out, stderr, err = play("load", "load.txt", "SESSION="+session[1])
	require.NoError(t, err, "%s%s", out, stderr)
	require.Empty(t, stderr)
	golden(t, "load.said.txt", out)

	out, stderr, err = play("vanish", "vanish.txt")
	var exit *exec.ExitError
	require.True(t, errors.As(err, &exit), "%s%s", out, stderr)
	require.Empty(t, stderr)
	nothingRuns(t, store)
}

// nothingRuns checks that a program has left nothing resident in a store.
func nothingRuns(t *testing.T, file string) {
	t.Helper()
	s, err := sqlite.Open(file)
	require.NoError(t, err)
	defer s.Close()
	residents, err := s.Residents(t.Context(), "")
	require.NoError(t, err)
	require.Empty(t, residents)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	got = regexp.MustCompile(`agent-[a-z2-7]{10}`).ReplaceAllString(got, "agent-ID")
	file := filepath.Join("testdata", name)
	if os.Getenv("TOOLGEN_UPDATE") != "" {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(string(want), got), name)
}
