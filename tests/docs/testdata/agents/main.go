// Command night asks what happened last night: a root that delegates, and two subagents.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log"
	"slices"
	"strings"
	"sync"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model/scripted"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/memory"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
	"github.com/toolgen-dev/toolgen/runtime/tool"

	"example.com/night/gen/night"
)

//go:generate go tool toolgen generate

//go:embed conversation.txt
var conversation string

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// run asks the first question, waits until all is quiet, and asks the second one.
func run(ctx context.Context) error {
	script, err := scripted.Parse("conversation.txt", conversation)
	if err != nil {
		return err
	}
	svc, err := service(memory.New(), script)
	if err != nil {
		return err
	}
	root, err := svc.Create(ctx, subagent.RootSpec{
		Label:    "night",
		Sections: []tool.PromptSection{{ID: "app", Order: 0, Text: "You find out what happened on a server."}},
	})
	if err != nil {
		return err
	}
	for _, question := range []string{"What happened last night?", "Was it full before?"} {
		if err := root.Send(ctx, question, false); err != nil {
			return err
		}
		if err := root.Wait(ctx); err != nil {
			return err
		}
		fmt.Printf("\nThe answer: %s\n\n", root.Last().Text)
	}
	if err := listing(ctx, svc, root.ID()); err != nil {
		return err
	}
	return errors.Join(svc.Close(ctx), script.Finish())
}

// service is a deployment: a store, tools, a model, and one way to delegate.
func service(s store.Store, script *scripted.Script) (*subagent.Service, error) {
	reg := tool.NewRegistry()
	if err := night.MountReadLog(reg, night.ReadLogOptions{}, readLog); err != nil {
		return nil, err
	}
	return subagent.New(subagent.Config{
		Store:  s,
		Tools:  reg,
		Models: func(string) (agent.Model, error) { return shown(script), nil },
		Delegations: []subagent.Delegation{{
			Options: agents.SubagentOptions{BackgroundMode: agents.SubagentBackgroundModeContinuable},
			Persona: "You answer one question about a server.",
			Deny:    []string{"subagent"}, // children do not delegate in turn
		}},
		Limits:   subagent.Limits{Children: 10, Total: 100},
		Observer: fences(script),
		NewID:    named(),
	})
}

// readLog is the tool of this program.
func readLog(_ context.Context, _ tool.Call, args night.ReadLogArgs) (tool.Plain, error) {
	if args.Name != "app.log" {
		return "", fmt.Errorf("there is no %s; there is app.log", args.Name)
	}
	return tool.Plain("03:11 saved\n03:12 saved\n03:12 cannot save"), nil
}

// shown prints what each model is told since its last answer, and what it answers.
func shown(m agent.Model) agent.Model {
	var mu sync.Mutex
	return agent.ModelFunc(func(ctx context.Context, req *agent.Request, delta func(agent.Delta)) (*agent.Response, error) {
		res, err := m.Generate(ctx, req, delta)
		if err != nil {
			return nil, err
		}
		mu.Lock()
		defer mu.Unlock()
		fresh := len(req.Messages)
		for fresh > 0 && req.Messages[fresh-1].Author != agent.Assistant {
			fresh--
		}
		for _, m := range req.Messages[fresh:] {
			fmt.Printf("%-14s < %-11s %s\n", req.Agent.Label, m.Author, strings.ReplaceAll(m.Text, "\n", " / "))
		}
		for _, c := range res.Calls {
			fmt.Printf("%-14s > call        %s\n", req.Agent.Label, c.Name)
		}
		if res.Text != "" {
			fmt.Printf("%-14s > says        %s\n", req.Agent.Label, res.Text)
		}
		return res, nil
	})
}

// fences opens a fence of the script each time that the root has nothing to do.
func fences(script *scripted.Script) *agent.Observer {
	rests := 0
	return &agent.Observer{Rested: func(id agent.Identity) {
		if id.Kind == store.Root {
			rests++
			script.Release(fmt.Sprintf("rest %d", rests))
		}
	}}
}

// listing prints what a user interface would show.
func listing(ctx context.Context, svc *subagent.Service, of store.ID) error {
	entries, err := svc.Descendants(ctx, of)
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b subagent.Entry) int { return strings.Compare(string(a.ID), string(b.ID)) })
	for _, e := range entries {
		fmt.Printf("%s %s (%s, last %s)\n", e.ID, e.Label, e.Activity, e.Outcome)
	}
	return nil
}

// named makes ids of labels, so that they are the same in each run. Without it, they are random.
func named() func(store.NewConversation) store.ID {
	var mu sync.Mutex
	n := map[string]int{}
	return func(c store.NewConversation) store.ID {
		mu.Lock()
		defer mu.Unlock()
		n[c.Label]++
		return store.ID(fmt.Sprintf("%s-%d", strings.ReplaceAll(c.Label, " ", "-"), n[c.Label]))
	}
}
