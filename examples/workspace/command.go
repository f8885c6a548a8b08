package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/tool"

	"github.com/toolgen-dev/toolgen/examples/gen/workspace"
)

// errTimeout is the cause with which a command's own time ends.
var errTimeout = errors.New("its time was up")

// lastWords is for how long what a command has written is waited for after its processes were killed. One that left the
// group may hold the pipe open for ever.
const lastWords = time.Second

// runCommand carries out `run_command`.
func (t *Tools) runCommand(ctx context.Context, call tool.Call, args workspace.RunCommandArgs) (workspace.RunCommandResult, error) {
	root, err := t.Folder(ctx)
	if err != nil {
		return nil, err
	}
	if strings.ContainsRune(args.Command, 0) {
		return nil, errors.New("a command has no NUL characters")
	}
	if t.Permit == nil {
		return workspace.RunCommandDenied{}, nil
	}
	ok, err := t.Permit(ctx, Command{Call: call, Line: args.Command, Folder: root.Name()})
	switch {
	case context.Cause(ctx) != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, errors.New("nobody could be asked whether this command may run; nothing was run")
	case !ok:
		return workspace.RunCommandDenied{}, nil
	}
	env := t.Env
	if env == nil {
		env = Environment(os.Environ())
	}
	return run(ctx, root.Name(), args.Command, env, time.Duration(args.TimeoutSeconds)*time.Second)
}

// run runs a command and stops all that it started.
func run(ctx context.Context, folder, line string, env []string, timeout time.Duration) (workspace.RunCommandResult, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, errTimeout)
	defer cancel()
	r, w, err := os.Pipe()
	if err != nil {
		return nil, errors.New("the command could not be started")
	}
	defer r.Close() // what was read of it counts
	cmd := shell(ctx, line)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = folder, env, w, w
	group(cmd)
	err = cmd.Start()
	if err := errors.Join(err, w.Close()); err != nil {
		return nil, errors.New("the command could not be started")
	}
	var out ends
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = out.from(r) // its end is the command's, or the deadline below
	}()
	err = cmd.Wait() // it does not wait for the output
	killGroup(cmd)
	_ = r.SetReadDeadline(time.Now().Add(lastWords)) // pipes have deadlines where os.Pipe makes them
	<-read
	output, note := out.text()
	cause := context.Cause(ctx)
	var exit *exec.ExitError
	switch {
	case errors.Is(cause, errTimeout) && err != nil:
		return workspace.RunCommandStopped{Why: fmt.Sprintf("it took more than %d seconds", int(timeout.Seconds())), Output: output, Note: note}, nil
	case cause != nil && err != nil:
		return nil, cause
	case err == nil:
		return workspace.RunCommandFinished{Exit: 0, Output: output, Note: note}, nil
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return workspace.RunCommandFinished{Exit: int64(exit.ExitCode()), Output: output, Note: note}, nil
	case errors.As(err, &exit):
		return workspace.RunCommandStopped{Why: exit.String(), Output: output, Note: note}, nil
	}
	return nil, errors.New("the command could not be run to its end")
}

const (
	headBytes = 24_000 // how much of an output's beginning is kept
	tailBytes = 24_000 // and of its end
)

// ends keeps the beginning and the end of an output.
type ends struct {
	mu         sync.Mutex
	head, tail []byte
	left       int64 // bytes between them
}

// from reads until the end.
func (e *ends) from(r *os.File) (int64, error) {
	buf := make([]byte, 32<<10)
	var all int64
	for {
		n, err := r.Read(buf)
		all += int64(n)
		e.add(buf[:n])
		if err != nil {
			return all, err
		}
	}
}

func (e *ends) add(p []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := min(len(p), headBytes-len(e.head))
	e.head = append(e.head, p[:n]...)
	e.tail = append(e.tail, p[n:]...)
	if over := len(e.tail) - tailBytes; over > 0 {
		e.left += int64(over)
		e.tail = slices.Delete(e.tail, 0, over)
	}
}

// text is the output for the model.
func (e *ends) text() (string, tool.Opt[string]) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var left, mended string
	raw := string(e.head) + string(e.tail)
	if e.left > 0 {
		raw = string(e.head) + "\n[…]\n" + string(e.tail)
		left = fmt.Sprintf("%d bytes in the middle were left out.", e.left)
	}
	s := strings.ToValidUTF8(raw, "\uFFFD")
	if s != raw {
		mended = "Bytes that are no UTF-8 are shown as \uFFFD."
	}
	return s, notes(left, mended)
}

// passed are the variables that a command gets. All others stay with the program: a name says nothing of what its value is
// for.
var passed = [...]string{"PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "COMSPEC", "PATHEXT"}

// Environment is what a command gets of a program's environment: what programs need to run, and the language.
func Environment(of []string) []string {
	out := []string{"TERM=dumb"}
	for _, kv := range of {
		name, _, _ := strings.Cut(kv, "=")
		if slices.Contains(passed[:], strings.ToUpper(name)) || strings.HasPrefix(name, "LC_") {
			out = append(out, kv)
		}
	}
	return out
}
