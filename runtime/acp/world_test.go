package acp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/acp"
	"github.com/toolgen-dev/toolgen/runtime/acp/acptest"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model/scripted"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/memory"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// world is a deployment with a tool that asks for permission, and a client of it.
type world struct {
	*acptest.Client
	t      *testing.T
	dir    string
	store  store.Store
	script *scripted.Script
	cfg    acp.Config

	in    *io.PipeWriter
	out   *io.PipeReader
	stop  context.CancelCauseFunc
	ended chan error
}

func newWorld(t *testing.T, script string) *world {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	sc, err := scripted.Parse("script", script)
	require.NoError(t, err)
	w := &world{t: t, dir: dir, store: memory.New(), script: sc}
	w.cfg = acp.Config{
		Store: w.store, Name: "test", Version: "1", Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Agents: func(_ context.Context, s *acp.Session) (acp.Agents, error) { return w.agents(s) },
		Show: func(dir string, c tool.Call) acp.Shown {
			if c.Name == "run" {
				return acp.Shown{Title: "Run", Kind: acp.Execute, Files: []acp.File{{Path: filepath.Join(dir, "a.txt"), Line: 3}}}
			}
			return acp.Shown{}
		},
	}
	return w
}

// start connects a client.
func (w *world) start() {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, stop := context.WithCancelCause(context.Background())
	w.in, w.out, w.stop, w.ended = inW, outR, stop, make(chan error, 1)
	w.Client = acptest.New(inW, outR, w.dir)
	w.t.Cleanup(func() { // where the test has failed
		stop(errors.New("the test is over"))
		_ = inR.Close()
		_ = outR.Close()
	})
	go func() {
		err := acp.Serve(ctx, w.cfg, inR, outW)
		_ = inR.Close() // a read that is in progress ends
		_ = outW.Close()
		stop(nil)
		w.ended <- err
	}()
}

// play plays a script, and shows what was sent where that fails.
func (w *world) play(script string) {
	w.t.Helper()
	if err := w.Play(script); err != nil {
		w.t.Fatalf("%v\n%s", err, w.Transcript())
	}
}

// finish ends the connection as a client does, and checks that the script was played to its end.
func (w *world) finish() {
	w.t.Helper()
	w.play("close\nend")
	require.NoError(w.t, <-w.ended)
	require.NoError(w.t, w.script.Finish())
}

func (w *world) agents(s *acp.Session) (acp.Agents, error) {
	reg := tool.NewRegistry()
	if err := mountRun(reg, s); err != nil {
		return acp.Agents{}, err
	}
	rests := 0
	o := s.Observer()
	o.Rested = func(id agent.Identity) {
		if id.Kind == store.Root {
			rests++
			w.script.Release(fmt.Sprintf("rest %d", rests))
		}
	}
	svc, err := subagent.New(subagent.Config{
		Store: w.store, Tools: reg, Observer: o, Heartbeat: -1,
		Models: func(string) (agent.Model, error) { return w.script, nil },
		Delegations: []subagent.Delegation{{
			Options: agents.SubagentOptions{BackgroundMode: agents.SubagentBackgroundModeContinuable},
		}},
		Settings: agent.Settings{MaxSteps: 5},
	})
	return acp.Agents{Service: svc, Root: subagent.RootSpec{Label: "root"}}, err
}

// mountRun mounts `run`: it asks for permission, and then runs nothing, or until its context ends.
func mountRun(reg *tool.Registry, s *acp.Session) error {
	type args struct{ Command string }
	return tool.Mount(reg, tool.Binding{
		Contract: &tool.Contract{Package: "example.com/p", Name: "run", Mounted: "run", Combinations: []tool.Combination{{}},
			Variants: []tool.Variant{{
				Description: []tool.Clause{{Text: tool.Text{{Lit: "Runs a command."}}}},
				Schema:      tool.Text{{Lit: `{"type":"object"}`}},
				Params: &schema.Schema{Root: &schema.Type{Kind: schema.Object, Fields: []schema.Field{
					{Name: "command", Slot: 0, Type: &schema.Type{Kind: schema.String}, Required: true},
				}}},
			}}},
		Decode: func(d *decode.Decoder) any {
			var a args
			o := d.Object()
			for d.NextField(&o) {
				a.Command = d.String()
			}
			return &a
		},
		Run: func(ctx context.Context, c tool.Call, in any) (tool.Output, error) {
			command := in.(*args).Command
			if err := s.Ask(ctx, acp.Permission{Call: c, Title: "Run " + command, Always: command}); err != nil {
				return nil, err
			}
			if command == "block" {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			if command == "fail" {
				return nil, errors.New("exit status 1")
			}
			return tool.Plain("ran " + command), nil
		},
	})
}
