package wiretest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/contracts"
)

// Agent runs a root over a model, with the tool measure and one way to delegate in the background, and sends it the prompts, one
// after the other. What a program might log goes to out. It returns how the root's turns ended.
func Agent(ctx context.Context, s store.Store, m agent.Model, out io.Writer, prompts ...string) ([]agent.TurnEnd, error) {
	contract, err := contracts.FromDefinition("test", Tool("measure"))
	if err != nil {
		return nil, err
	}
	reg := tool.NewRegistry()
	err = contracts.Mount(reg, contract, contracts.Options{}, func(_ context.Context, _ tool.Call, args json.RawMessage) (tool.Output, error) {
		return tool.Plain("312 lines of " + string(args)), nil
	})
	if err != nil {
		return nil, err
	}
	log := slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	var mu sync.Mutex
	var ends []agent.TurnEnd
	svc, err := subagent.New(subagent.Config{
		Store: s, Tools: reg,
		Models: func(string) (agent.Model, error) { return m, nil },
		Delegations: []subagent.Delegation{{
			Options: agents.SubagentOptions{BackgroundMode: agents.SubagentBackgroundModeContinuable},
			Persona: "You measure one file.", Deny: []string{"subagent"},
		}},
		Dispatch: []tool.DispatchOption{tool.WithLogger(log), tool.WithLogContent()},
		NewID:    names(),
		Observer: &agent.Observer{
			TurnEnded: func(id agent.Identity, end agent.TurnEnd) {
				log.Info("turn", "agent", id, "end", fmt.Sprintf("%+v", end), "err", end.Err)
				if id.Kind == store.Root {
					mu.Lock()
					defer mu.Unlock()
					ends = append(ends, end)
				}
			},
			Answered: func(_ agent.Identity, m agent.Message) { log.Debug("answered", "message", m) },
			Problem:  func(_ agent.Identity, err error) { log.Error("problem", "err", err) },
		},
	})
	if err != nil {
		return nil, err
	}
	log.Debug("model", "value", m, "text", fmt.Sprintf("%v %+v %#v %s %q %x", m, m, m, m, m, m))
	root, err := svc.Create(ctx, subagent.RootSpec{Label: "root", Sections: []tool.PromptSection{{ID: "app", Text: "You lead."}}})
	if err != nil {
		return nil, err
	}
	for _, prompt := range prompts {
		if err := root.Send(ctx, prompt, false); err != nil {
			return nil, err
		}
		if err := root.Wait(ctx); err != nil {
			return nil, err
		}
	}
	return ends, svc.Close(ctx)
}

// names makes ids that are the same in each run.
func names() func(store.NewConversation) store.ID {
	var mu sync.Mutex
	n := 0
	return func(store.NewConversation) store.ID {
		mu.Lock()
		defer mu.Unlock()
		n++
		return store.ID(fmt.Sprintf("agent-%d", n))
	}
}
