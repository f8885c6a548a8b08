package chat_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model/openai"
	"github.com/toolgen-dev/toolgen/runtime/model/scripted"
	"github.com/toolgen-dev/toolgen/runtime/store/memory"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/tests/chat"
)

// The agents' scenarios, played by a server that the real client asks, one request after the other. The model knows of the
// agents only what the protocol says; the script finds all that it expects.
func TestScenarios(t *testing.T) {
	continuable := subagent.Delegation{Options: agents.SubagentOptions{BackgroundMode: agents.SubagentBackgroundModeContinuable}}
	restricted := continuable
	restricted.Allow = []string{}
	for name, s := range map[string]struct {
		delegation subagent.Delegation
		prompts    []string
		answer     string
	}{
		"subagent-settlement":  {continuable, []string{"How long is the log?"}, "The log has 312 lines."},
		"subagent-report":      {continuable, []string{"Find the fault"}, "The fault is in line 7."},
		"subagent-restriction": {restricted, []string{"Read it"}, "It was read."},
		"subagent-foreground":  {continuable, []string{"What is 6 times 7?"}, "It is 42."},
		"subagent-one-shot":    {subagent.Delegation{}, []string{"Work"}, "Both have answered."},
		"subagent-resume":      {continuable, []string{"Count", "And on"}, "Five."},
		"subagent-nested":      {continuable, []string{"Plan the week"}, "Stay at home on Friday."},
		"subagent-interrupt":   {continuable, []string{"Dig"}, "It found a coin."},
	} {
		t.Run(name, func(t *testing.T) {
			script, err := scripted.Load(filepath.Join("..", "..", "runtime", "subagent", "testdata", "scenarios", name+".txt"))
			require.NoError(t, err)
			server := chat.Serve(t, script)
			model, err := openai.New(openai.Config{Model: "script", BaseURL: server.URL})
			require.NoError(t, err)
			svc, err := subagent.New(subagent.Config{
				Store: memory.New(), Tools: tool.NewRegistry(), Delegations: []subagent.Delegation{s.delegation},
				Models: func(string) (agent.Model, error) { return model, nil },
			})
			require.NoError(t, err)
			defer func() { require.NoError(t, svc.Close(t.Context())) }()
			root, err := svc.Create(t.Context(), subagent.RootSpec{Label: "root"})
			require.NoError(t, err)
			for _, p := range s.prompts {
				require.NoError(t, root.Send(t.Context(), p, false))
				require.NoError(t, root.Wait(t.Context()))
			}
			require.NoError(t, script.Finish())
			require.Equal(t, s.answer, root.Last().Text)

			golden := filepath.Join("testdata", name+".txtar")
			if os.Getenv("TOOLGEN_UPDATE") != "" {
				require.NoError(t, os.WriteFile(golden, server.Transcript(), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), string(server.Transcript()))
		})
	}
}
