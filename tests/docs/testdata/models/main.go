// Command models runs an agent on models behind two protocols. The servers that it asks are its own, so it needs no key.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http/httptest"
	"time"

	sdk "github.com/openai/openai-go/v3"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model"
	"github.com/toolgen-dev/toolgen/runtime/model/anthropic"
	"github.com/toolgen-dev/toolgen/runtime/model/openai"
	"github.com/toolgen-dev/toolgen/runtime/provider"
	openaitools "github.com/toolgen-dev/toolgen/runtime/provider/openai"
	"github.com/toolgen-dev/toolgen/runtime/store/memory"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
	"github.com/toolgen-dev/toolgen/runtime/tool"

	"example.com/models/gen/logs"
)

//go:generate go tool toolgen generate

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// hosted are models of two providers. A program may take the keys from its environment; the packages never do.
func hosted(anthropicKey, openaiKey model.Key) (leader, worker agent.Model, err error) {
	leader, err = anthropic.New(anthropic.Config{
		Model:  "claude-sonnet-4-5",
		APIKey: anthropicKey,
		Cache:  true, // what is sent again with each step is read from the prompt cache
	})
	if err != nil {
		return nil, nil, err
	}
	worker, err = openai.New(openai.Config{
		Model:         "gpt-5-mini",
		APIKey:        openaiKey,
		MaxConcurrent: 8, // however many children there are
	})
	return leader, worker, err
}

// local is a model behind a server that speaks OpenAI's protocol: here Ollama's address would do, http://localhost:11434/v1.
func local(baseURL string) (agent.Model, error) {
	return openai.New(openai.Config{
		Model:       "qwen3:8b",
		BaseURL:     baseURL,
		MaxTokens:   4_000,
		Temperature: new(0.2),
		Timeouts:    model.Timeouts{First: 10 * time.Minute}, // it may have to load the model first
		Retry:       model.Retry{Attempts: 2},
	})
}

// service gives each agent the model of its name: the root has the default, its children have the small one.
func service(leader, worker agent.Model) (*subagent.Service, error) {
	reg, err := registry()
	if err != nil {
		return nil, err
	}
	return subagent.New(subagent.Config{
		Store: memory.New(),
		Tools: reg,
		Models: func(name string) (agent.Model, error) {
			switch name {
			case "":
				return leader, nil
			case "small":
				return worker, nil
			}
			return nil, errors.New("there is no such model")
		},
		Delegations: []subagent.Delegation{{Model: "small", Deny: []string{"subagent"}}},
	})
}

// ask sends a question to a root, and says how its turn ended.
func ask(ctx context.Context, m agent.Model, question string) error {
	svc, err := service(m, m)
	if err != nil {
		return err
	}
	root, err := svc.Create(ctx, subagent.RootSpec{Sections: []tool.PromptSection{{ID: "app", Text: "You look at logs."}}})
	if err != nil {
		return err
	}
	if err := root.Send(ctx, question, false); err != nil {
		return err
	}
	if err := root.Wait(ctx); err != nil {
		return err
	}
	end := root.Last()
	fmt.Printf("%s %q in %d steps, %d tokens\n", end.Outcome, end.Text, end.Steps, end.Usage.Input+end.Usage.Output)
	if failed(end.Err) {
		fmt.Println("  " + end.Err.Error())
	}
	return svc.Close(ctx)
}

// failed reports whether a model could not be asked, and could be later.
func failed(err error) bool {
	var e *model.Error
	return errors.As(err, &e) && (e.Status == 429 || e.Status >= 500)
}

// taken checks a program's tools when it starts, rather than at the first question.
func taken(defs []tool.Definition) ([]sdk.ChatCompletionToolUnionParam, error) {
	params, err := openaitools.Tools(defs, openaitools.Strict())
	var refused *provider.Error
	if errors.As(err, &refused) {
		for _, f := range refused.Faults {
			fmt.Println(f.Tool, f.Rule, f.At)
		}
	}
	return params, err
}

func registry() (*tool.Registry, error) {
	reg := tool.NewRegistry()
	return reg, logs.MountCountLines(reg, logs.CountLinesOptions{}, func(context.Context, tool.Call, logs.CountLinesArgs) (tool.Plain, error) {
		return "312", nil
	})
}

func run(ctx context.Context) error {
	chat := httptest.NewServer(playing(chatCalls, chatAnswer, busy, busy))
	defer chat.Close()
	small, err := local(chat.URL + "/v1")
	if err != nil {
		return err
	}
	messages := httptest.NewServer(playing(messagesCall, messagesAnswer))
	defer messages.Close()
	claude, err := anthropic.New(anthropic.Config{Model: "claude-sonnet-4-5", BaseURL: messages.URL, APIKey: "sk-secret"})
	if err != nil {
		return err
	}
	fmt.Println(claude)
	if err := errors.Join(
		ask(ctx, small, "How long is app.log?"),
		ask(ctx, claude, "How long is app.log?"),
		ask(ctx, small, "Again?"),
	); err != nil {
		return err
	}
	if _, _, err := hosted("sk-secret", ""); err != nil {
		fmt.Println(err)
	}
	reg, err := registry()
	if err != nil {
		return err
	}
	scope, err := reg.Scope()
	if err != nil {
		return err
	}
	params, err := taken(scope.Tools())
	if err != nil {
		return err
	}
	text, err := json.Marshal(params)
	if err != nil {
		return err
	}
	fmt.Println(string(text))
	_, err = taken([]tool.Definition{{Name: "files.list", Parameters: json.RawMessage(`{"type":"object","properties":{"names":{"type":"array"}}}`)}})
	if err == nil {
		return errors.New("a name with a dot was taken")
	}
	return nil
}
