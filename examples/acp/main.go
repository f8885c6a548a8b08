// Command acp is an agent for editors: it speaks the Agent Client Protocol on its input and output.
//
//	acp -store conversations.db -provider openai -model NAME -base-url http://localhost:11434/v1
//	acp -store conversations.db -script conversation.txt
//
// The editor starts it, says in which folder a session is, and asks the user before a command runs. docs/acp.md in the repository
// describes how to set up an editor, and what the program does beyond the protocol.
//
// The output carries the protocol and nothing else; the log goes to the standard error.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/acp"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model/scripted"
	"github.com/toolgen-dev/toolgen/runtime/store"

	"github.com/toolgen-dev/toolgen/examples/internal/assemble"
	"github.com/toolgen-dev/toolgen/examples/workspace"
)

// The exit codes. They are API. A program that a signal has ended returns 128 and the signal's number.
const (
	exitEnded  = 0 // the client has ended the input
	exitFailed = 1 // the client took no output any more, or something could not be stored
	exitUsage  = 2 // nothing was served
)

// version is what clients are told of the program.
const version = "0.1.0"

func main() {
	keys := assemble.TakeKeys()
	os.Exit(run(os.Args[1:], keys, os.Stdin, os.Stdout, os.Stderr))
}

func parse(args []string, stderr io.Writer) (o assemble.Options, err error) {
	fs := flag.NewFlagSet("acp", flag.ContinueOnError)
	o.Flags(fs)
	usage := "usage: acp [flags]\n\nAn editor starts it: it speaks the Agent Client Protocol on its input and output."
	if err := assemble.Parse(fs, args, usage, stderr); err != nil {
		return o, err
	}
	if fs.NArg() > 0 {
		return o, fmt.Errorf("%q is no flag, and nothing else is expected", fs.Arg(0))
	}
	return o, nil
}

// run is the program: it returns the exit code.
func run(args []string, keys assemble.Keys, stdin, stdout, stderr *os.File) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitEnded
	}
	var a *assemble.Assembly
	if err == nil {
		a, err = assemble.New(o, assemble.Host{Keys: keys, Log: stderr})
	}
	if err != nil {
		fmt.Fprintln(stderr, "acp:", err)
		return exitUsage
	}
	ctx, undo := interruptible()
	defer undo()
	p := &program{Assembly: a, keys: keys}
	err = acp.Serve(ctx, acp.Config{
		Store: a.Store, Agents: p.agents, Show: show, Log: a.Log,
		Name: "toolgen-acp", Title: "toolgen's example agent", Version: version,
	}, stdin, keys.Writer(stdout))
	closing, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	var signalled *signalError
	stopped := errors.As(err, &signalled)
	if stopped {
		err = signalled.besides(err)
	}
	if err = errors.Join(err, a.Close(closing)); err != nil {
		fmt.Fprintln(stderr, "acp:", err)
	}
	if a.Script != nil {
		if played := a.Script.Finish(); played != nil {
			a.Log.Warn("the script was not played as it stands", "error", played)
		}
	}
	switch {
	case stopped:
		return 128 + int(signalled.Signal)
	case err != nil:
		return exitFailed
	}
	return exitEnded
}

const closeWithin = 5 * time.Second

// signalError is the cause with which a signal ends the program.
type signalError struct{ syscall.Signal }

// Error names the signal.
func (e *signalError) Error() string { return "the signal " + e.Signal.String() }

// besides is what else went wrong.
func (e *signalError) besides(err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	var others []error
	for _, x := range joined.Unwrap() {
		if !errors.Is(x, error(e)) {
			others = append(others, x)
		}
	}
	return errors.Join(others...)
}

// interruptible ends the context with the first signal, and the program with the second. A pipe that nobody reads is an error of
// the write.
func interruptible() (ctx context.Context, undo func()) {
	signals, pipes := make(chan os.Signal, 2), make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	signal.Notify(pipes, syscall.SIGPIPE)
	ctx, cancel := context.WithCancelCause(context.Background())
	done := make(chan struct{})
	go func() {
		for n := 0; ; n++ {
			select {
			case s := <-signals:
				sig, _ := s.(syscall.Signal)
				if n > 0 {
					os.Exit(128 + int(sig))
				}
				cancel(&signalError{sig})
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}

// program is what the sessions share.
type program struct {
	*assemble.Assembly
	keys assemble.Keys
}

// agents makes the agents of a session, whose tools work in its folder.
func (p *program) agents(_ context.Context, s *acp.Session) (acp.Agents, error) {
	o := s.Observer()
	if p.Script != nil {
		o.Rested = fences(p.Script)
	}
	a, err := p.Session(s.Dir, assemble.Host{
		Keys: p.keys, Observer: o,
		Permit: func(ctx context.Context, c workspace.Command) (bool, error) { return permit(ctx, s, c) },
	})
	if err != nil {
		return acp.Agents{}, err
	}
	return acp.Agents{
		Service: a.Service, Root: a.Root("session"),
		Close: func() error { return a.Close(context.Background()) }, // its service is closed already
	}, nil
}

// permit asks the user whether a command may run: once, or whenever the very same one comes in the session.
func permit(ctx context.Context, s *acp.Session, c workspace.Command) (bool, error) {
	err := s.Ask(ctx, acp.Permission{Call: c.Call, Always: c.Line})
	if errors.Is(err, acp.ErrNotPermitted) {
		return false, nil
	}
	return err == nil, err
}

// fences opens a fence of a script each time that a session's root has nothing to do: `rest 1`, `rest 2` and so on.
func fences(script *scripted.Script) func(agent.Identity) {
	var mu sync.Mutex
	rests := 0
	return func(id agent.Identity) {
		if id.Kind != store.Root {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		rests++
		script.Release(fmt.Sprintf("rest %d", rests))
	}
}
