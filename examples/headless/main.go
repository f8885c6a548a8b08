// Command headless gives an agent one prompt, and prints its final answer when all is quiet: when the agent and all that it has
// started have nothing to do any more.
//
//	headless -script conversation.txt "How long is the log?"
//	headless -provider openai -model NAME -base-url http://localhost:11434/v1 "How long is the log?"
//
// docs/headless.md in the repository describes flags, exit codes and the JSON lines.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
	"github.com/toolgen-dev/toolgen/runtime/tool"

	"github.com/toolgen-dev/toolgen/examples/internal/assemble"
)

func main() {
	keys := assemble.TakeKeys()
	os.Exit(run(os.Args[1:], keys, os.Stdin, os.Stdout, os.Stderr))
}

// options are the flags and the prompt.
type options struct {
	assemble.Options
	format        string
	resume        string
	allowCommands bool
	quiet         bool
	noWait        bool
	maxTime       time.Duration
	prompt        string
}

const maxPrompt = 4 << 20

// parse reads the command line, and the prompt from the input where no argument is one.
func parse(args []string, stdin io.Reader, stderr io.Writer) (options, error) {
	var o options
	fs := flag.NewFlagSet("headless", flag.ContinueOnError)
	o.Flags(fs)
	o.FolderFlag(fs)
	fs.StringVar(&o.format, "format", "text", "what is printed: the `FORMAT` is text, the final answer, or jsonl, everything that happens")
	fs.StringVar(&o.resume, "resume", "", "go on with the stored conversation of this `ID`")
	fs.BoolVar(&o.allowCommands, "allow-commands", false, "run every command that the agent asks for. Without it the user is asked, or where there is no terminal, none is run")
	fs.BoolVar(&o.quiet, "quiet", false, "show no progress")
	fs.BoolVar(&o.noWait, "no-wait", false, "return when the first turn has ended, and stop the subagents that still run")
	assemble.TimeVar(fs, &o.maxTime, "max-time", "stop after this `TIME`, such as 90s or 5m")
	usage := "usage: headless [flags] [PROMPT]\n\nWithout PROMPT, the prompt is read from the input."
	if err := assemble.Parse(fs, args, usage, stderr); err != nil {
		return o, err
	}
	switch {
	case o.format != "text" && o.format != "jsonl":
		return o, fmt.Errorf("a format is text or jsonl, and not %q", o.format)
	case o.resume != "" && o.Store == "":
		return o, errors.New("-resume needs the -store that has the conversation")
	case o.maxTime < 0:
		return o, errors.New("-max-time is not below 0")
	case o.DeadAfter <= 0:
		return o, errors.New("-dead-after is above 0")
	case fs.NArg() > 1:
		return o, errors.New("there is more than one prompt: put it in quotes, and flags before it")
	}
	o.prompt = fs.Arg(0)
	if fs.NArg() == 0 {
		text, err := io.ReadAll(io.LimitReader(stdin, maxPrompt+1))
		if err != nil {
			return o, err
		}
		o.prompt = string(text)
	}
	switch {
	case len(o.prompt) > maxPrompt:
		return o, fmt.Errorf("the prompt is longer than %d MiB", maxPrompt>>20)
	case strings.TrimSpace(o.prompt) == "":
		return o, errors.New("there is no prompt")
	}
	o.prompt = strings.ToValidUTF8(o.prompt, "\uFFFD")
	return o, nil
}

// run is the program: it returns the exit code.
func run(args []string, keys assemble.Keys, stdin, stdout, stderr *os.File) int {
	o, err := parse(args, stdin, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitCompleted
	}
	if err != nil {
		fmt.Fprintln(stderr, "headless:", err)
		return exitUsage
	}
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	defer interruptible(stop, stderr)()

	out := newOutput(o, keys.Writer(stdout), stderr, stop)
	p := &program{options: o, out: out, log: o.Logger(keys, out.log())}
	code := p.run(ctx, keys, stdin, stderr)
	if err := out.close(); err != nil {
		fmt.Fprintf(stderr, "headless: %v: %v\n", errOutput, err)
		if code == exitCompleted {
			return exitFailed
		}
	}
	return code
}

// The causes with which a run ends early.
var (
	errInterrupted = errors.New("a signal stopped it")
	errTimeUp      = errors.New("its time was up")
	errOutput      = errors.New("the output cannot be written")
)

// interruptible has the first signal end the run, and the second the program. A closed pipe is an error of the write.
func interruptible(stop context.CancelCauseFunc, stderr io.Writer) (undo func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ignorePipes()
	done := make(chan struct{})
	go func() {
		for n := 0; ; n++ {
			select {
			case <-signals:
			case <-done:
				return
			}
			if n > 0 {
				os.Exit(exitInterrupted)
			}
			stop(errInterrupted)
			fmt.Fprintln(stderr, "headless: stopping; once more kills")
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}

// grace is for how long agents may take to stop at the end.
const grace = 10 * time.Second

// program is one run.
type program struct {
	options
	out *output
	log *slog.Logger
	a   *assemble.Assembly
}

func (p *program) run(ctx context.Context, keys assemble.Keys, stdin, stderr *os.File) int {
	host := assemble.Host{Keys: keys, Log: p.out.log(), Observer: p.observer()}
	switch {
	case p.allowCommands:
		host.Permit = always
	case isTerminal(stdin) && isTerminal(stderr):
		host.Permit = newAsker(stdin, p.out).permit
	}
	var err error
	if p.resume != "" {
		if _, err := os.Stat(p.Store); err != nil { // it would be made, empty
			p.out.say("-resume: %v", err)
			return exitUsage
		}
	}
	if p.a, err = assemble.New(p.Options, host); err != nil {
		p.out.say("%v", err)
		return exitUsage
	}
	root, err := p.open(ctx)
	if err != nil {
		p.out.say("%v", errors.Join(err, p.close()))
		if cause := context.Cause(ctx); cause != nil {
			return exitInterrupted
		}
		return exitUsage
	}
	p.out.emit(event{Type: "start", Agent: string(root.ID()), Label: p.label(), Resumed: p.resume != ""})
	end := p.converse(ctx, root)
	if err := p.close(); err != nil {
		p.log.Error("the end was not clean", "error", err)
	}
	end.finish(root, p.a.Script, keys)
	p.out.emit(end.event(root.ID()))
	return end.exit
}

// open makes the root resident.
func (p *program) open(ctx context.Context) (*subagent.Root, error) {
	if p.resume == "" {
		return p.a.Service.Create(ctx, p.a.Root(p.label()))
	}
	root, err := p.a.Resume(ctx, store.ID(p.resume), func() {
		p.out.say("the conversation is held by another process; waiting to see whether that lives")
	})
	if errors.Is(err, store.ErrUnknown) {
		err = fmt.Errorf("there is no conversation %q in %s", p.resume, p.Store)
	}
	return root, err
}

// label is what the root is called.
func (p *program) label() string { return assemble.OneLine(p.prompt, 40) }

// converse sends the prompt, and waits.
func (p *program) converse(ctx context.Context, root *subagent.Root) *ending {
	if p.maxTime > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, p.maxTime, errTimeUp)
		defer cancel()
	}
	e := &ending{}
	if p.noWait {
		claimed, err := root.Prompt(ctx, p.prompt)
		e.turn, e.err = claimed.End, err
	} else if e.err = root.Send(ctx, p.prompt, false); e.err == nil {
		e.err = root.Wait(ctx)
		e.turn = root.Last()
	}
	if e.err != nil && context.Cause(ctx) != nil {
		e.err = context.Cause(ctx)
	}
	left, err := root.Left(context.WithoutCancel(ctx))
	e.left, e.err = left, errors.Join(e.err, err)
	return e
}

func (p *program) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	return p.a.Close(ctx)
}

// observer tells the output what happens.
func (p *program) observer() *agent.Observer {
	emit := p.out.emit
	told := func(id agent.Identity, messages []agent.Message) {
		for _, m := range messages {
			emit(event{Type: "message", Agent: string(id.ID), Author: string(m.Author), From: string(m.From), Label: m.Label, Text: m.Text})
		}
	}
	return &agent.Observer{
		TurnBegan: told,
		Joined:    told,
		Answered: func(id agent.Identity, m agent.Message) {
			e := event{Type: "answer", Agent: string(id.ID), Text: m.Text}
			for _, c := range m.Calls {
				e.Calls = append(e.Calls, call{c.ID, c.Name, c.Arguments})
			}
			emit(e)
		},
		Called: func(id agent.Identity, r tool.CallResult) {
			emit(event{Type: "result", Agent: string(id.ID), Call: r.ID, Name: r.Name, Outcome: string(r.Outcome), Error: r.IsError, Text: r.Text})
		},
		TurnEnded: func(id agent.Identity, e agent.TurnEnd) {
			if e.Err != nil && e.Outcome != agent.Interrupted {
				p.log.Error("a turn failed", "agent", id.ID, "label", id.Label, "error", e.Err)
			}
			emit(event{Type: "turn", Agent: string(id.ID), Outcome: string(e.Outcome), Reason: string(e.Reason), Usage: &usage{e.Usage.Input, e.Usage.Output}})
		},
		Started: func(id agent.Identity, resumed bool) {
			if id.Kind == store.Root {
				return
			}
			emit(event{Type: "agent", Agent: string(id.ID), Parent: string(id.Parent), Kind: string(id.Kind), Label: id.Label, State: stateOf(resumed)})
		},
		Settled: func(id agent.Identity, e agent.End) {
			if id.Kind == store.Root {
				return
			}
			emit(event{Type: "agent", Agent: string(id.ID), Parent: string(id.Parent), Kind: string(id.Kind), Label: id.Label, State: "settled", Outcome: string(e.Outcome)})
		},
		Problem: func(id agent.Identity, err error) {
			p.log.Error("a problem", "agent", id.ID, "label", id.Label, "error", err)
		},
	}
}

func stateOf(resumed bool) string {
	if resumed {
		return "resumed"
	}
	return "started"
}
