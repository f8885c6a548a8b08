//go:build unix

package subagent_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/sqlite"
)

// otherVariable is the file that the other process of TestTwoProcesses opens.
const otherVariable = "TOOLGEN_SUBAGENT_OTHER"

// TestTwoProcesses runs a parent in this process and its child in another one, over one file: messages reach the child there, it
// is listed as it is, and it is interrupted there; its notices come back. When that process is killed, an interruption that was
// asked for is lost with it.
func TestTwoProcesses(t *testing.T) {
	if path := os.Getenv(otherVariable); path != "" {
		otherProcess(t, path)
		return
	}
	path := filepath.Join(t.TempDir(), "store.db")
	s, err := sqlite.Open(path, sqlite.Poll(5*time.Millisecond))
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	w := newWorld(t, map[string]brain{"": controlling(), "c": func(r turnOf) (*agent.Response, error) {
		return say("here: " + last(r.fresh()).Text)
	}}, func(w *world) {
		w.store, w.cfg.Heartbeat, w.cfg.DeadAfter = s, 100*time.Millisecond, 2*time.Second
	})
	defer w.close()
	w.create()
	require.Contains(t, prompt(t, w, "start"), "Started")
	require.NoError(t, w.root.Wait(t.Context()))

	tell(t, w, "work")
	there := otherOver(t, path)
	require.Equal(t, "asked: work", there.hear())
	require.Equal(t, "a2 [running] — c\n", prompt(t, w, "list"))
	require.Equal(t, rendered(agents.SendMessageQueued{ID: "a2"}), prompt(t, w, "first"))
	there.tell("answer")
	require.Equal(t, "ended: completed", there.hear())
	require.Equal(t, "asked: m1", there.hear(), "the message has reached it")
	require.Equal(t, rendered(agents.SendMessageQueued{ID: "a2"}), prompt(t, w, "second"))
	require.Equal(t, rendered(agents.InterruptAgentInterrupted{ID: "a2", Parked: 1}), prompt(t, w, "stop"))
	require.Equal(t, "ended: interrupted", there.hear())
	require.NoError(t, w.root.Wait(t.Context()))
	require.Equal(t, []string{"a2/1 completed", "a2/2 interrupted"}, w.notices("a1"))
	require.Equal(t, rendered(agents.InterruptAgentNotRunning{ID: "a2"}), prompt(t, w, "stop"))
	require.Equal(t, "a2 [ready] — c\n", prompt(t, w, "list"))
	require.Equal(t, rendered(agents.SendMessageResumed{ID: "a2"}), prompt(t, w, "first"))
	require.NoError(t, w.root.Wait(t.Context()))
	require.Equal(t, "here: m1", w.conv("a2").Text)

	// It takes it again, and is killed.
	tell(t, w, "go on")
	there.tell("adopt")
	require.Equal(t, "asked: go on", there.hear())
	c := w.conv("a2")
	there.tell("ignore")
	require.Equal(t, "deaf", there.hear())
	stopped := make(chan string, 1)
	go func() {
		claimed, _ := w.root.Prompt(context.Background(), "stop")
		stopped <- claimed.End.Text
	}()
	require.Eventually(t, func() bool { return w.conv("a2").Interrupt > 0 }, time.Minute, time.Millisecond)
	there.kill()
	require.Equal(t, rendered(agents.InterruptAgentNotRunning{ID: "a2"}), <-stopped)
	require.NoError(t, w.root.Wait(t.Context()))
	require.Equal(t, fmt.Sprintf("a2/%d lost", c.Activation), last(w.notices("a1")))
	require.Contains(t, prompt(t, w, "second"), "Resumed")
	require.NoError(t, w.root.Wait(t.Context()))
	require.Equal(t, fmt.Sprintf("a2/%d completed", c.Activation+1), last(w.notices("a1")), "the request is not for this one")
}

// other is the other process, which is told what to do in lines, and says in lines what happens.
type other struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Scanner
	ended sync.Once
}

func otherOver(t *testing.T, path string) *other {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	p := &other{t: t, cmd: exec.Command(exe, "-test.run=^TestTwoProcesses$", "-test.timeout=5m")}
	p.cmd.Env = append(os.Environ(), otherVariable+"="+path)
	p.cmd.Stderr = os.Stderr
	p.in, err = p.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	p.out = bufio.NewScanner(out)
	require.NoError(t, p.cmd.Start())
	t.Cleanup(p.kill)
	return p
}

func (p *other) kill() {
	p.ended.Do(func() {
		_ = p.cmd.Process.Kill() // it may have ended
		_ = p.cmd.Wait()
	})
}

func (p *other) tell(line string) {
	p.t.Helper()
	_, err := io.WriteString(p.in, line+"\n")
	require.NoError(p.t, err)
}

func (p *other) hear() string {
	p.t.Helper()
	require.True(p.t, p.out.Scan(), "the process has ended")
	return p.out.Text()
}

// otherProcess is what the other process does: it runs a2, whose turns go on until it is told to let them answer.
func otherProcess(t *testing.T, path string) {
	s, err := sqlite.Open(path, sqlite.Poll(5*time.Millisecond))
	require.NoError(t, err)
	answer, deaf := make(chan struct{}), make(chan struct{})
	w := newWorld(t, map[string]brain{"c": func(r turnOf) (*agent.Response, error) {
		fmt.Println("asked:", last(r.fresh()).Text)
		select {
		case <-answer:
			return say("there")
		case <-r.ctx.Done():
			return nil, r.ctx.Err()
		case <-deaf:
			fmt.Println("deaf")
			<-make(chan struct{})
			return nil, errors.New("never")
		}
	}}, func(w *world) {
		w.store, w.cfg.Process, w.cfg.Heartbeat = s, "other", 100*time.Millisecond
		w.cfg.Settings.Grace = time.Hour // one that does not listen goes on until the process ends
		ended := w.cfg.Observer.TurnEnded
		w.cfg.Observer.TurnEnded = func(id agent.Identity, e agent.TurnEnd) {
			ended(id, e)
			fmt.Println("ended:", e.Outcome)
		}
	})
	require.NoError(t, w.svc.Adopt(t.Context(), store.ID("a2")))
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		switch word, _, _ := strings.Cut(in.Text(), " "); word {
		case "answer":
			answer <- struct{}{}
		case "adopt":
			require.NoError(t, w.svc.Adopt(t.Context(), store.ID("a2")))
		case "ignore":
			close(deaf)
		}
	}
}
