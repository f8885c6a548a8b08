//go:build unix

package workspace_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/examples/workspace"
)

// No call waits for a pipe or reads a device or a socket, by whatever way it is reached.
func TestSpecialFiles(t *testing.T) {
	w := newWorld(t, nil)
	require.NoError(t, syscall.Mkfifo(filepath.Join(w.folder, "pipe"), 0o600))
	require.NoError(t, os.Symlink("pipe", filepath.Join(w.folder, "link")))
	for _, path := range []string{"pipe", "link"} {
		for _, name := range []string{"read_file", "list_files", "search_files"} {
			require.Equal(t, `!"`+path+`": it is neither a file nor a folder`, w.call(t, name, argsOf{"path": path, "query": "x"}.of(name)))
		}
	}
	require.Equal(t, "Nothing matches.\n", w.call(t, "search_files", args{"query": "x"}))
	require.Equal(t, "link@\npipe\n", w.call(t, "list_files", args{}))
}

// While a file is now inside, now a link out of the folder, now a pipe, nothing from outside is ever read, and nothing hangs.
func TestRaces(t *testing.T) {
	w := newWorld(t, nil)
	w.write(t, "a/file", "inside")
	outside := filepath.Join(filepath.Dir(w.folder), "outside")
	require.NoError(t, os.Mkdir(outside, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(outside, "file"), []byte(secret), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(w.folder, "b"), 0o700))
	require.NoError(t, syscall.Mkfifo(filepath.Join(w.folder, "b", "file"), 0o600))
	require.NoError(t, os.Symlink("../outside", filepath.Join(w.folder, "c")))
	// "now" is by turns each of them: renames over it are atomic.
	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		at := filepath.Join(w.folder, "now")
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			next := filepath.Join(w.folder, "next")
			_ = os.Symlink([]string{"a", "b", "c", outside}[i%4], next)
			_ = os.Rename(next, at)
			if i%5 == 0 {
				_ = os.Remove(at)
				_ = os.Rename(filepath.Join(w.folder, "a"), at) // a folder, where a link was a moment ago
				_ = os.Rename(at, filepath.Join(w.folder, "a"))
			}
		}
	})
	read := 0
	for range 3000 {
		have := w.call(t, "read_file", args{"path": "now/file"}) + w.call(t, "search_files", args{"query": "secret", "path": "now"}) +
			w.call(t, "list_files", args{"path": "now", "recursive": true})
		require.NotContains(t, have, secret)
		if strings.HasPrefix(have, "inside") {
			read++
		}
	}
	close(stop)
	swapping.Wait()
	require.Positive(t, read, "the file was never there: nothing was tried")
}

func allow(context.Context, workspace.Command) (bool, error) { return true, nil }

func TestRunCommand(t *testing.T) {
	w := newWorld(t, allow)
	w.write(t, "a.txt", "a\n")
	for command, want := range map[string]string{
		"ls; exit 3":                      "Exit code 3.\na.txt\n",
		"echo out; echo err >&2":          "Exit code 0.\nout\nerr\n",
		"kill -9 $$":                      "Stopped: signal: killed.\n",
		"cat":                             "Exit code 0.\n",
		`printf '\377'`:                   "Exit code 0.\n\uFFFD\n[Bytes that are no UTF-8 are shown as \uFFFD.]",
		"no-such-command 2>/dev/null":     "Exit code 127.\n",
		"echo $(basename $PWD)":           "Exit code 0.\nfolder\n",
		"yes | head -c 60000":             "Exit code 0.\n" + strings.Repeat("y\n", 12000) + "\n[…]\n" + strings.Repeat("y\n", 12000) + "\n[12000 bytes in the middle were left out.]",
		"a\x00b":                          "!a command has no NUL characters",
		"sleep 300 & echo left":           "Exit code 0.\nleft\n",
		"(trap '' TERM HUP; sleep 300) &": "Exit code 0.\n",
	} {
		require.Equal(t, want, w.call(t, "run_command", args{"command": command}), command)
	}
}

// Without a permission nothing runs.
func TestPermission(t *testing.T) {
	asked := make(chan workspace.Command, 1)
	for name, c := range map[string]struct {
		permit workspace.Permit
		want   string
	}{
		"nobody": {nil, "The user does not permit this command; nothing was run."},
		"no":     {func(_ context.Context, c workspace.Command) (bool, error) { asked <- c; return false, nil }, "The user does not permit this command; nothing was run."},
		"error":  {func(context.Context, workspace.Command) (bool, error) { return true, errors.New("gone: /home/secret") }, "!nobody could be asked whether this command may run; nothing was run"},
	} {
		w := newWorld(t, c.permit)
		require.Equal(t, c.want, w.call(t, "run_command", args{"command": "touch done"}), name)
		require.NoFileExists(t, filepath.Join(w.folder, "done"), name)
	}
	c := <-asked
	require.Equal(t, "touch done", c.Line)
	require.Equal(t, "1", c.Call.ID)
	require.Equal(t, "folder", filepath.Base(c.Folder))
}

// A command's whole group is killed when it has ended, when its call is called off and when its time is up.
func TestKilled(t *testing.T) {
	const tree = "(sleep 300 & echo $! > child; wait) & echo $! > parent; echo started; while [ ! -s child ]; do :; done; echo > ready; wait"
	w := newWorld(t, allow)
	gone := func() {
		t.Helper()
		for _, name := range []string{"parent", "child"} {
			text, err := os.ReadFile(filepath.Join(w.folder, name))
			require.NoError(t, err)
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			require.NoError(t, err)
			require.Truef(t, dead(pid), "%s, %d, lives", name, pid)
		}
	}
	require.Equal(t, "Stopped: it took more than 1 seconds.\nstarted\n", w.call(t, "run_command", args{"command": tree, "timeout_seconds": 1}))
	gone()

	require.NoError(t, os.Remove(filepath.Join(w.folder, "ready")))
	// What a command leaves in the background is killed when the command has ended, too.
	require.Equal(t, "Exit code 0.\n", w.call(t, "run_command", args{"command": "sleep 300 >/dev/null 2>&1 & echo $! | tee parent > child"}))
	gone()

	require.NoError(t, syscall.Mkfifo(filepath.Join(w.folder, "ready"), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		_, _ = os.ReadFile(filepath.Join(w.folder, "ready")) // the command has come to its end
	}()
	require.Equal(t, "!the call was cancelled after the tool had started; part of its work may be done", w.callIn(t, ctx, "run_command", args{"command": tree}))
	gone()
}

// dead reports whether a process has ended: it is no more, or a zombie that nobody has waited for yet. One that was killed a
// moment ago is waited for.
func dead(pid int) bool {
	for range 1_000_000 {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return true
		}
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			continue
		}
		if _, state, ok := strings.Cut(string(stat), ") "); err == nil && ok && (state[0] == 'Z' || state[0] == 'X') {
			return true
		}
	}
	return false
}

// A command inherits nothing but what programs need to run.
func TestEnvironment(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "DATABASE_URL", "SSH_AUTH_SOCK", "LD_PRELOAD_X", "BASH_ENV"} {
		t.Setenv(name, "value-of-a-secret")
	}
	t.Setenv("LC_ALL", "C")
	have := newWorld(t, allow).call(t, "run_command", args{"command": "env | sort; cat /proc/self/environ 2>/dev/null"})
	require.NotContains(t, have, "value-of-a-secret")
	require.Contains(t, have, "LC_ALL=C\n")
	require.Contains(t, have, "PATH="+os.Getenv("PATH")+"\n")
	require.Equal(t, []string{"TERM=dumb", "Path=x", "LC_TIME=y", "HOME="}, workspace.Environment([]string{"Path=x", "LC_TIME=y", "HOME=", "MY_TOKEN=z", "PATHS=z", "=C:=z", "bad"}))
}
