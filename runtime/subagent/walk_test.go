package subagent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model/scripted"
	"github.com/toolgen-dev/toolgen/runtime/store/memory"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

func TestWalk(t *testing.T) {
	script, err := scripted.Parse("walk", `
-- root --
expect user How long is the log?
call subagent {"description": "measure the log", "prompt": "Count the lines of app.log."}

expect result Started subagent
say I have asked.

expect settlement completed
say It has 312 lines.

-- label: measure the log --
expect coordinator Count the lines
tools report
say 312
`)
	require.NoError(t, err)
	svc, err := subagent.New(subagent.Config{
		Store: memory.New(), Tools: tool.NewRegistry(),
		Models:      func(string) (agent.Model, error) { return script, nil },
		Delegations: []subagent.Delegation{{Options: agents.SubagentOptions{BackgroundMode: agents.SubagentBackgroundModeContinuable}}},
	})
	require.NoError(t, err)
	root, err := svc.Create(t.Context(), subagent.RootSpec{})
	require.NoError(t, err)
	claimed, err := root.Prompt(t.Context(), "How long is the log?")
	require.NoError(t, err)
	require.Equal(t, "I have asked.", claimed.End.Text)
	require.NoError(t, root.Wait(t.Context()))
	require.Equal(t, "It has 312 lines.", root.Last().Text)
	require.NoError(t, root.Close(t.Context()))
	require.NoError(t, svc.Close(t.Context()))
	require.NoError(t, script.Finish())
}
