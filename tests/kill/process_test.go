//go:build unix

package kill

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The test binary is also the processes of these tests: this variable says what one does instead of testing.
const ordersVariable = "TOOLGEN_KILL_ORDERS"

func TestMain(m *testing.M) {
	text := os.Getenv(ordersVariable)
	if text == "" {
		os.Exit(m.Run())
	}
	var o orders
	err := json.Unmarshal([]byte(text), &o)
	if err == nil {
		err = live(o)
	}
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// process is one run of the program.
type process struct {
	t     testing.TB
	o     orders
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string // what it says, closed at its end
	ended sync.Once

	accepted []string // the users' texts that the store has taken
	tried    []string // those that it was given
	faults   []string // what it found wrong itself
	lost     []string // the agents that have found their leases lost
	took     []string // the agents that it found dead
	waiting  []string // the agents that wait for the end
}

func spawn(t testing.TB, o orders) *process {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	text, err := json.Marshal(o)
	require.NoError(t, err)
	p := &process{t: t, o: o, cmd: exec.Command(exe), lines: make(chan string)}
	p.cmd.Env = append(os.Environ(), ordersVariable+"="+string(text), "GORACE=atexit_sleep_ms=0")
	p.cmd.Stderr = os.Stderr
	p.in, err = p.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	go func() {
		defer close(p.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			p.lines <- s.Text()
		}
	}()
	t.Cleanup(p.kill)
	return p
}

// hear returns when the process says one of these words, or with "" when it has ended.
func (p *process) hear(words ...string) string {
	for line := range p.lines {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "tried":
			p.tried = append(p.tried, rest)
		case "accepted":
			p.accepted = append(p.accepted, rest)
		case "waiting":
			p.waiting = append(p.waiting, rest)
		case "lost":
			p.lost = append(p.lost, rest)
		case "took":
			p.took = append(p.took, rest)
		case "error", "fault":
			p.faults = append(p.faults, line)
		}
		for _, w := range words {
			if w == word || w == line {
				return w
			}
		}
	}
	return ""
}

// watched makes a process that neither stops nor ends say where it stands, and end, until the timer is stopped. A mutant may well
// not end: of it nobody wants to know.
func (p *process) watched() *time.Timer {
	patience, how := 30*time.Second, syscall.SIGQUIT
	if p.o.Mutant != "" {
		patience, how = time.Second, syscall.SIGKILL
	}
	return time.AfterFunc(patience, func() { _ = p.cmd.Process.Signal(how) })
}

// kill ends the process at once, in the middle of whatever it does, and hears what it had said.
func (p *process) kill() {
	p.ended.Do(func() {
		_ = p.cmd.Process.Kill() // it may have ended
		p.hear()
		_ = p.cmd.Wait()
	})
}

// tell gives it a line.
func (p *process) tell(line string) {
	p.t.Helper()
	_, err := io.WriteString(p.in, line+"\n")
	require.NoError(p.t, err)
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(s))
}
