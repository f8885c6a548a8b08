//go:build unix

package sqlite

import (
	"bufio"
	"context"
	"errors"
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

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// The test binary is also the processes of these tests: this variable says what it does instead of testing.
const childVariable = "TOOLGEN_SQLITE_CHILD"

func TestMain(m *testing.M) {
	switch name, args, _ := strings.Cut(os.Getenv(childVariable), " "); name {
	case "":
		os.Exit(m.Run())
	case "busy":
		exit(busyChild(args))
	case "commands":
		exit(commandChild(args))
	}
	exit(errors.New("unknown child"))
}

func exit(err error) {
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// process is a child that is told what to do in lines, and answers in lines.
type process struct {
	t     testing.TB
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Scanner
	ended sync.Once
}

func spawn(t testing.TB, what string) *process {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	p := &process{t: t, cmd: exec.Command(exe)}
	p.cmd.Env = append(os.Environ(), childVariable+"="+what, "GORACE=atexit_sleep_ms=0")
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

// kill ends the process at once, in the middle of whatever it does.
func (p *process) kill() {
	p.ended.Do(func() {
		_ = p.cmd.Process.Kill() // it may have ended
		_ = p.cmd.Wait()
	})
}

func (p *process) tell(line string) {
	p.t.Helper()
	_, err := io.WriteString(p.in, line+"\n")
	require.NoError(p.t, err)
}

// hear is the next line; there is none after the end of the process.
func (p *process) hear() string {
	p.t.Helper()
	require.True(p.t, p.out.Scan(), "the process has ended")
	return p.out.Text()
}

func (p *process) ask(line string) string {
	p.t.Helper()
	p.tell(line)
	return p.hear()
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(s))
}

// commandChild opens the store "PROCESS PATH" and does what it is told. Its answers are "ok" with a result, or the error.
func commandChild(args string) error {
	name, path, _ := strings.Cut(args, " ")
	ctx := context.Background()
	s, err := Open(path, Poll(time.Millisecond))
	if err != nil {
		return err
	}
	fmt.Println("ready")
	var mu sync.Mutex // answers and news come from different goroutines
	say := func(words ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Println(words...)
	}
	var lease store.Lease
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		word, arg, _ := strings.Cut(in.Text(), " ")
		result := "ok"
		switch word {
		case "heartbeat":
			err = s.Heartbeat(ctx, name)
		case "acquire":
			var l store.Lease
			if l, err = s.Acquire(ctx, name, store.ID(arg)); err == nil {
				lease = l
			}
		case "append":
			lease.Last, err = s.Append(ctx, lease, lease.Last, store.Entry{Kind: "note", Data: []byte(`"` + arg + `"`)})
		case "send":
			err = s.Send(ctx, store.Message{ID: "from " + name, To: store.ID(arg), Kind: store.FromUser, Lane: store.Step})
		case "watch":
			s.Watch(func(id store.ID) { say("changed", id) })
		case "close":
			err = s.Close()
		default:
			err = errors.New("unknown command")
		}
		if err != nil {
			result = err.Error()
		}
		say(result)
	}
	return nil
}

func commands(t testing.TB, name, path string) *process {
	t.Helper()
	p := spawn(t, "commands "+name+" "+path)
	require.Equal(t, "ready", p.hear())
	return p
}

// TestMessagesReachOtherProcesses: what one process sends is noticed in the other.
func TestMessagesReachOtherProcesses(t *testing.T) {
	path := t.TempDir() + "/store.db"
	s := opened(t, path)
	_, err := s.Create(t.Context(), "here", store.NewConversation{ID: "r", Kind: store.Root})
	require.NoError(t, err)
	there := commands(t, "there", path)
	require.Equal(t, "ok", there.ask("watch"))
	require.NoError(t, s.Send(t.Context(), store.Message{ID: "m", To: "r", Kind: store.FromUser, Lane: store.Step}))
	require.Equal(t, "changed r", there.hear())

	// And back.
	heard := make(chan store.ID, 100)
	defer s.Watch(func(id store.ID) { heard <- id })()
	there.tell("send r")
	require.Equal(t, store.ID("r"), <-heard)
	waiting, err := s.Waiting(t.Context(), "r")
	require.NoError(t, err)
	require.Len(t, waiting, 2)
}

// TestOneProcessWinsALease: of several that try at once, over many rounds.
func TestOneProcessWinsALease(t *testing.T) {
	path := t.TempDir() + "/store.db"
	s := opened(t, path)
	var all []*process
	for i := range 4 {
		all = append(all, commands(t, fmt.Sprint("p", i), path))
	}
	for round := range 10 {
		id := store.ID(fmt.Sprint("r", round))
		l, err := s.Create(t.Context(), "here", store.NewConversation{ID: id, Kind: store.Root})
		require.NoError(t, err)
		require.NoError(t, s.Release(t.Context(), l))
		for _, p := range all {
			p.tell("acquire " + string(id))
		}
		var winners []int
		var refusals []string
		for i, p := range all {
			if answer := p.hear(); answer == "ok" {
				winners = append(winners, i)
			} else {
				refusals = append(refusals, answer)
			}
		}
		require.Len(t, winners, 1)
		for _, r := range refusals {
			require.Equal(t, fmt.Sprintf("%v: %s by p%d", store.ErrHeld, id, winners[0]), r)
		}
		require.Equal(t, "ok", all[winners[0]].ask("append mine"))
	}
}

// TestOpeningAtOnce: processes that find no file make one store between them.
func TestOpeningAtOnce(t *testing.T) {
	for range 5 {
		path := t.TempDir() + "/store.db"
		var all []*process
		for i := range 4 {
			all = append(all, spawn(t, fmt.Sprintf("commands p%d %s", i, path)))
		}
		for _, p := range all {
			require.Equal(t, "ready", p.hear())
		}
		for _, p := range all {
			require.Equal(t, "ok", p.ask("heartbeat"))
		}
		require.NoError(t, opened(t, path).Check(t.Context()))
	}
}

// TestPausedHolderLosesItsLease: whoever is silent for longer than the bound is dead to the others, and when it comes back,
// it cannot write.
func TestPausedHolderLosesItsLease(t *testing.T) {
	path := t.TempDir() + "/store.db"
	clock := &clock{now: time.Now()}
	s := opened(t, path, Clock(clock.Now))
	ctx := t.Context()
	l, err := s.Create(ctx, "here", store.NewConversation{ID: "r", Kind: store.Root})
	require.NoError(t, err)
	require.NoError(t, s.Release(ctx, l))
	there := commands(t, "there", path)
	require.Equal(t, "ok", there.ask("acquire r"))
	require.Equal(t, "ok", there.ask("heartbeat"))
	require.Equal(t, "ok", there.ask("append before"))

	const bound = time.Minute
	dead, err := s.Dead(ctx, bound)
	require.NoError(t, err)
	require.Empty(t, dead, "it was heard of within the bound")
	there.signal(syscall.SIGSTOP)
	var status syscall.WaitStatus
	_, err = syscall.Wait4(there.cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
	require.NoError(t, err)
	require.True(t, status.Stopped(), "before it is told to write, or it would hold the file")
	there.tell("append after") // it will do this when it comes back
	clock.Advance(2 * bound)
	require.NoError(t, s.Heartbeat(ctx, "here"))
	dead, err = s.Dead(ctx, bound)
	require.NoError(t, err)
	require.Len(t, dead, 1)
	require.Equal(t, store.ID("r"), dead[0].Conversation)
	_, err = s.Acquire(ctx, "here", "r")
	require.ErrorIs(t, err, store.ErrHeld, "nothing is taken over without a settlement")
	require.NoError(t, s.Lose(ctx, dead[0], store.Settlement{Outcome: "lost", Activation: dead[0].Activation}))
	mine, err := s.Acquire(ctx, "here", "r")
	require.NoError(t, err)
	there.signal(syscall.SIGCONT)
	require.Equal(t, store.ErrFenced.Error(), there.hear())
	require.Equal(t, store.ErrFenced.Error(), there.ask("append again"))
	_, err = s.Append(ctx, mine, mine.Last, store.Entry{Kind: "note", Data: []byte(`"mine"`)})
	require.NoError(t, err)
	log, err := s.Log(ctx, "r", 0, 0)
	require.NoError(t, err)
	require.Equal(t, []string{"before", "settled", "mine"}, []string{string(log[0].Data[1:7]), log[1].Kind, string(log[2].Data[1:5])})
	require.Len(t, log, 3)
}

// TestKilledHolderIsFoundDead: a lease outlives its process, and is lost after the bound and not before.
func TestKilledHolderIsFoundDead(t *testing.T) {
	path := t.TempDir() + "/store.db"
	clock := &clock{now: time.Now()}
	s := opened(t, path, Clock(clock.Now))
	ctx := t.Context()
	l, err := s.Create(ctx, "here", store.NewConversation{ID: "r", Kind: store.Root})
	require.NoError(t, err)
	require.NoError(t, s.Release(ctx, l))
	there := commands(t, "there", path)
	require.Equal(t, "ok", there.ask("acquire r"))
	there.kill()
	dead, err := s.Dead(ctx, time.Minute)
	require.NoError(t, err)
	require.Empty(t, dead)
	clock.Advance(2 * time.Minute)
	dead, err = s.Dead(ctx, time.Minute)
	require.NoError(t, err)
	require.Len(t, dead, 1)
	require.Equal(t, "there", dead[0].Process)
}
