// Package assemble puts together what the example programs share: the tools of agents and of a folder, a store, and a model,
// from a script or from a provider.
//
// A program has its flags in [Options], and gives what is its own in a [Host]: an observer, who is asked for permissions, and
// where it logs.
//
//	var o assemble.Options
//	o.Flags(flag.CommandLine)
//	flag.Parse()
//	a, err := assemble.New(o, assemble.Host{Keys: assemble.TakeKeys(), Log: os.Stderr, Observer: &observer})
//	root, err := a.Service.Create(ctx, a.Root("a label"))
//	...
//	err = a.Close(ctx)
//
// Keys come from the environment alone, are taken out of it, and are in no text that a log, a store or a model gets.
package assemble

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model/scripted"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/memory"
	"github.com/toolgen-dev/toolgen/runtime/store/sqlite"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
	"github.com/toolgen-dev/toolgen/runtime/tool"

	"github.com/toolgen-dev/toolgen/examples/workspace"
)

// Options are what a program's flags say.
type Options struct {
	Script   string // a file of scripted answers, in place of a provider
	Provider string // openai or anthropic
	Model    string // the provider's name of a model
	BaseURL  string // of a server that speaks the provider's protocol; empty is the provider's own

	Store      string // a file; empty keeps everything in memory
	Folder     string // that the tools work in
	System     string // a file with the system prompt, in place of [Persona]
	Delegation string // what a subagent is: continuable, one-shot or foreground
	ChildTools string // the names of the tools that subagents keep; empty is all, "-" none
	Transcript string // a file for what models are sent, and answer

	DeadAfter time.Duration // after how long in silence another process on the store counts as dead
	LogLevel  slog.Level
}

// FolderFlag defines the flag of a program that works in one folder.
func (o *Options) FolderFlag(fs *flag.FlagSet) {
	fs.StringVar(&o.Folder, "folder", ".", "the `FOLDER` that the tools may read, and commands run in")
}

// Flags defines the flags that all programs have, with their defaults.
func (o *Options) Flags(fs *flag.FlagSet) {
	o.Folder = "."
	fs.StringVar(&o.Script, "script", "", "play the models' answers from this `FILE`; no key is needed")
	fs.StringVar(&o.Provider, "provider", "", "the models' `PROTOCOL`: openai or anthropic; the key is in OPENAI_API_KEY or ANTHROPIC_API_KEY")
	fs.StringVar(&o.Model, "model", "", "the `NAME` of the provider's model")
	fs.StringVar(&o.BaseURL, "base-url", "", "the `URL` of a server that speaks the protocol, such as a local one")
	fs.StringVar(&o.Store, "store", "", "keep conversations in this `FILE`; without it they are gone with the program")
	fs.StringVar(&o.System, "system", "", "a `FILE` with the system prompt")
	fs.StringVar(&o.Delegation, "delegation", "continuable", "what subagents are: the `WORD` is continuable, one-shot or foreground")
	fs.StringVar(&o.ChildTools, "child-tools", "", "the `NAMES` of the tools that subagents keep, with commas between them; - is none. Without it they keep all")
	fs.StringVar(&o.Transcript, "transcript", "", "write what models are sent and answer into this `FILE`")
	o.DeadAfter = 15 * time.Second
	TimeVar(fs, &o.DeadAfter, "dead-after", "after what `TIME` in silence another process that uses the store counts as dead")
	fs.TextVar(&o.LogLevel, "log", slog.LevelError, "the least `LEVEL` that is logged: debug, info, warn or error")
}

// Parse reads a program's flags. Asked for help it writes the usage to w and returns [flag.ErrHelp]. Its error says what is
// wrong in one line, and where the flags are listed; a flag that is given nothing is an error, since a script whose variable
// is empty means something else than a program without the flag.
func Parse(fs *flag.FlagSet, args []string, usage string, w io.Writer) error {
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	err := fs.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(w, usage)
		fs.SetOutput(w)
		fs.PrintDefaults()
		return err
	}
	if err != nil {
		return fmt.Errorf("%w; -h lists the flags", err)
	}
	fs.Visit(func(f *flag.Flag) {
		if f.Value.String() == "" && err == nil {
			err = fmt.Errorf("-%s is given nothing", f.Name)
		}
	})
	return err
}

// Host is what a program gives.
type Host struct {
	Keys     Keys
	Log      io.Writer // may be nil
	Observer *agent.Observer
	// Permit is asked whether a command may run. Without it, none may.
	Permit workspace.Permit
	// Folder gives the folder that a call is for, where that is not [Options.Folder].
	Folder func(context.Context) (*os.Root, error)
	// Settings bound what agents do.
	Settings agent.Settings
}

// Assembly is what a program runs on.
type Assembly struct {
	Service *subagent.Service
	Store   store.Store
	Script  *scripted.Script // nil with a provider
	Log     *slog.Logger

	options    Options
	persona    string
	modelOf    func(string) (agent.Model, error)
	delegation subagent.Delegation
	close      []func() error // in the order in which things were opened
}

// Logger writes a program's log to w, which may be nil, without keys.
func (o Options) Logger(keys Keys, w io.Writer) *slog.Logger {
	if w == nil {
		w = io.Discard
	}
	return slog.New(slog.NewTextHandler(keys.Writer(w), &slog.HandlerOptions{Level: o.LogLevel}))
}

// New assembles. Everything that is wrong with the options is its error.
func New(o Options, host Host) (*Assembly, error) {
	a := &Assembly{options: o, persona: Persona}
	if err := a.open(host); err != nil {
		return nil, errors.Join(err, a.release())
	}
	return a, nil
}

func (a *Assembly) open(host Host) error {
	o := a.options
	a.Log = o.Logger(host.Keys, host.Log)
	if o.System != "" {
		text, err := readPersona(o.System)
		if err != nil {
			return err
		}
		a.persona = text
	}
	var err error
	if a.delegation, err = o.delegation(); err != nil {
		return err
	}
	if a.modelOf, err = a.models(host.Keys); err != nil {
		return err
	}
	if err := a.openStore(); err != nil {
		return err
	}
	return a.serve(host)
}

// serve makes the service, over what is open.
func (a *Assembly) serve(host Host) error {
	tools := &workspace.Tools{Folder: host.Folder, Permit: host.Permit}
	if tools.Folder == nil {
		root, err := os.OpenRoot(a.options.Folder)
		if err != nil {
			return err
		}
		a.close = append(a.close, root.Close)
		tools.Folder = workspace.Within(root)
	}
	reg := tool.NewRegistry()
	err := tools.Mount(reg)
	if err != nil {
		return err
	}
	a.Service, err = subagent.New(subagent.Config{
		Store: a.Store, Tools: reg, Models: a.modelOf,
		Delegations: []subagent.Delegation{a.delegation},
		Limits:      subagent.Limits{Children: 16, Total: 64},
		Settings:    host.Settings,
		Observer:    host.Observer,
		Dispatch:    []tool.DispatchOption{tool.WithLogger(a.Log), tool.WithMiddleware(host.Keys.middleware())},
		DeadAfter:   a.options.DeadAfter,
		Heartbeat:   a.options.DeadAfter / 3,
	})
	if err != nil {
		if scope, scopeErr := reg.Scope(); scopeErr == nil {
			var names []string
			for _, t := range scope.Tools() {
				names = append(names, t.Name)
			}
			err = unknownTools(err, a.delegation.Allow, names)
		}
	}
	return err
}

// Session assembles the agents of one session of a program that has several: with a service, a folder, an observer and
// permissions of their own, over the store, the models and the log that a has. It is closed before a is.
func (a *Assembly) Session(folder string, host Host) (*Assembly, error) {
	s := &Assembly{Store: a.Store, Script: a.Script, Log: a.Log, options: a.options, persona: a.persona, modelOf: a.modelOf, delegation: a.delegation}
	s.options.Folder = folder
	if err := s.serve(host); err != nil {
		return nil, errors.Join(err, s.release())
	}
	return s, nil
}

func (a *Assembly) openStore() error {
	if a.options.Store == "" {
		a.Store = memory.New()
		return nil
	}
	s, err := sqlite.Open(a.options.Store)
	if err != nil {
		return err
	}
	a.Store = s
	a.close = append(a.close, s.Close)
	return nil
}

// delegation is the way to delegate that the options ask for.
func (o Options) delegation() (subagent.Delegation, error) {
	var d subagent.Delegation
	switch o.Delegation {
	case "continuable", "":
		d.Options.BackgroundMode = agents.SubagentBackgroundModeContinuable
	case "one-shot":
		d.Options.BackgroundMode = agents.SubagentBackgroundModeOneShot
	case "foreground":
		d.Options.EnableRunInBackground = tool.Off
	default:
		return d, fmt.Errorf("a delegation is continuable, one-shot or foreground, and not %q", o.Delegation)
	}
	d.Persona = ChildPersona
	switch o.ChildTools {
	case "":
	case "-":
		d.Allow = []string{}
	default:
		d.Allow = strings.Split(o.ChildTools, ",")
	}
	return d, nil
}

// Root is what a root is created with.
func (a *Assembly) Root(label string) subagent.RootSpec {
	return subagent.RootSpec{Label: label, Sections: []tool.PromptSection{{ID: "app:persona", Order: 0, Text: a.persona}}}
}

// Resume makes a stored root resident. Where another process had it that does not show whether it lives, Resume waits until
// that counts as dead; waiting is called once before.
func (a *Assembly) Resume(ctx context.Context, id store.ID, waiting func()) (*subagent.Root, error) {
	patience, cancel := context.WithTimeout(ctx, a.options.DeadAfter+a.options.DeadAfter/2)
	defer cancel()
	again := time.NewTicker(max(a.options.DeadAfter/20, time.Millisecond))
	defer again.Stop()
	for told := false; ; told = true {
		root, err := a.Service.Open(ctx, id)
		if !errors.Is(err, store.ErrHeld) {
			return root, err
		}
		if !told && waiting != nil {
			waiting()
		}
		select {
		case <-again.C:
		case <-patience.Done():
			return nil, errors.Join(err, context.Cause(ctx))
		}
	}
}

// Close stops all agents, and closes what was opened. Where the context ends first, agents are abandoned.
func (a *Assembly) Close(ctx context.Context) error {
	return errors.Join(a.Service.Close(ctx), a.release())
}

// release closes in the reverse order.
func (a *Assembly) release() error {
	var errs []error
	for i := len(a.close) - 1; i >= 0; i-- {
		errs = append(errs, a.close[i]())
	}
	a.close = nil
	return errors.Join(errs...)
}
