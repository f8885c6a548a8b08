// Package agents tests the shipped contracts as a program uses them: mounted, shown by a scope, and called.
package agents

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
)

// mountAll mounts all eight tools; subagent under the given options. The handlers answer with the arguments that they
// saw, as far as a test needs them.
func mountAll(t testing.TB, options agents.SubagentOptions, seen *agents.SubagentArgs, opts ...tool.MountOption) *tool.Registry {
	t.Helper()
	return mountChosen(t, options, agents.ReportOptions{}, seen, func(label string) []tool.MountOption {
		if label == "subagent" {
			return opts
		}
		return nil
	})
}

// mountChosen is mountAll under the options of both tools that have some, with mount options by label.
func mountChosen(t testing.TB, options agents.SubagentOptions, report agents.ReportOptions, seen *agents.SubagentArgs,
	opts func(label string) []tool.MountOption) *tool.Registry {
	t.Helper()
	reg := tool.NewRegistry()
	require.NoError(t, agents.MountSubagent(reg, options,
		func(_ context.Context, _ tool.Call, args agents.SubagentArgs) (agents.SubagentResult, error) {
			if seen != nil {
				*seen = args
			}
			return agents.SubagentForeground{Output: "done"}, nil
		}, opts("subagent")...))
	require.NoError(t, agents.MountListAgents(reg, agents.ListAgentsOptions{},
		func(context.Context, tool.Call, agents.ListAgentsArgs) (agents.ListAgentsResult, error) {
			return agents.ListAgentsListing{}, nil
		}, opts("list_agents")...))
	require.NoError(t, agents.MountSendMessage(reg, agents.SendMessageOptions{},
		func(_ context.Context, _ tool.Call, args agents.SendMessageArgs) (agents.SendMessageResult, error) {
			return agents.SendMessageQueued{ID: args.SubagentID}, nil
		}, opts("send_message")...))
	require.NoError(t, agents.MountInterruptAgent(reg, agents.InterruptAgentOptions{},
		func(_ context.Context, _ tool.Call, args agents.InterruptAgentArgs) (agents.InterruptAgentResult, error) {
			return agents.InterruptAgentNotRunning{ID: args.AgentID}, nil
		}, opts("interrupt_agent")...))
	require.NoError(t, agents.MountReport(reg, report,
		func(context.Context, tool.Call, agents.ReportArgs) (agents.ReportResult, error) {
			return agents.ReportAccepted{}, nil
		}, opts("report")...))
	require.NoError(t, agents.MountJobOutput(reg, agents.JobOutputOptions{},
		func(_ context.Context, _ tool.Call, args agents.JobOutputArgs) (agents.JobOutputResult, error) {
			return agents.JobOutputOutput{ID: args.JobID, Status: agents.JobStatusRunning}, nil
		}, opts("job_output")...))
	require.NoError(t, agents.MountJobList(reg, agents.JobListOptions{},
		func(context.Context, tool.Call, agents.JobListArgs) (agents.JobListResult, error) {
			return agents.JobListListing{}, nil
		}, opts("job_list")...))
	require.NoError(t, agents.MountJobKill(reg, agents.JobKillOptions{},
		func(_ context.Context, _ tool.Call, args agents.JobKillArgs) (agents.JobKillResult, error) {
			return agents.JobKillStopped{ID: args.JobID, Status: agents.JobStatusKilled}, nil
		}, opts("job_kill")...))
	return reg
}

func definition(t testing.TB, s *tool.Scope, name string) tool.Definition {
	t.Helper()
	for _, d := range s.Tools() {
		if d.Name == name {
			return d
		}
	}
	t.Fatalf("the scope does not show %s", name)
	return tool.Definition{}
}

// property returns one property of a definition's parameters; ok is false where it has none of the name.
func property(t testing.TB, d tool.Definition, name string) (p struct {
	Description string
	Default     json.RawMessage
}, ok bool) {
	t.Helper()
	var schema struct {
		Properties map[string]json.RawMessage
	}
	require.NoError(t, json.Unmarshal(d.Parameters, &schema))
	raw, ok := schema.Properties[name]
	if ok {
		require.NoError(t, json.Unmarshal(raw, &p))
	}
	return p, ok
}

// The promise of the whole project, on the note's own example: the default that the schema advertises, that the texts
// state, and that the handler sees, is one value under every choice of the options.
func TestBackgroundDefault(t *testing.T) {
	for _, mode := range []agents.SubagentBackgroundMode{"", agents.SubagentBackgroundModeOneShot, agents.SubagentBackgroundModeContinuable} {
		for _, enable := range []tool.Switch{tool.Default, tool.On, tool.Off} {
			for _, history := range []agents.SubagentHistory{"", agents.SubagentHistoryFresh, agents.SubagentHistoryInherited} {
				for _, depth := range []tool.Opt[int64]{{}, tool.Some[int64](0), tool.Some[int64](7)} {
					options := agents.SubagentOptions{BackgroundMode: mode, EnableRunInBackground: enable, History: history, MaxDepth: depth}
					checkDefault(t, options, enable != tool.Off && mode == agents.SubagentBackgroundModeContinuable)
				}
			}
		}
	}
}

func checkDefault(t *testing.T, options agents.SubagentOptions, want bool) {
	t.Helper()
	seen := agents.SubagentArgs{RunInBackground: !want}
	reg := mountAll(t, options, &seen)
	scope, err := reg.Scope()
	require.NoError(t, err)
	res := scope.Call(context.Background(), tool.Call{ID: "1", Name: "subagent", Arguments: json.RawMessage(`{"description":"d","prompt":"p"}`)})
	require.False(t, res.IsError, res.Text)
	require.Equal(t, agents.SubagentArgs{Description: "d", Prompt: "p", RunInBackground: want}, seen, "%+v", options)

	d := definition(t, scope, "subagent")
	p, has := property(t, d, "run_in_background")
	require.Equal(t, options.EnableRunInBackground != tool.Off, has, "the parameter is there when background is enabled")
	word := map[bool]string{true: "true", false: "false"}[want]
	if !has {
		require.NotContains(t, d.Description, "run_in_background")
		require.NotContains(t, scope.Prompt(), "run_in_background")
		return
	}
	require.Equal(t, word, string(p.Default))
	require.Contains(t, p.Description, "Defaults to "+word+".")
	require.Contains(t, d.Description, "`run_in_background` defaults to "+word)
	if want {
		require.Contains(t, scope.Prompt(), "`run_in_background` defaults to true")
	} else {
		require.NotContains(t, scope.Prompt(), "run_in_background")
	}
}

// What the model says outright is what the handler gets, and a parameter that the options removed is refused by name.
func TestExplicitBackground(t *testing.T) {
	call := func(options agents.SubagentOptions, value string) (agents.SubagentArgs, tool.CallResult) {
		var seen agents.SubagentArgs
		scope, err := mountAll(t, options, &seen).Scope()
		require.NoError(t, err)
		res := scope.Call(context.Background(), tool.Call{Name: "subagent",
			Arguments: json.RawMessage(`{"description":"d","prompt":"p","run_in_background":` + value + `}`)})
		return seen, res
	}
	for _, mode := range []agents.SubagentBackgroundMode{agents.SubagentBackgroundModeOneShot, agents.SubagentBackgroundModeContinuable} {
		for _, value := range []bool{true, false} {
			seen, res := call(agents.SubagentOptions{BackgroundMode: mode}, map[bool]string{true: "true", false: "false"}[value])
			require.False(t, res.IsError, res.Text)
			require.Equal(t, value, seen.RunInBackground)
		}
		_, res := call(agents.SubagentOptions{BackgroundMode: mode, EnableRunInBackground: tool.Off}, "true")
		require.True(t, res.IsError)
		require.Len(t, res.Arguments.Problems, 1)
		require.Equal(t, decode.ParamGone, res.Arguments.Problems[0].Code)
		require.Equal(t, "/run_in_background", res.Arguments.Problems[0].Pointer)
		require.Contains(t, res.Text, "enableRunInBackground")
	}
}

// The options that a handler reads are resolved: what was left out has its default.
func TestOptionsOfCall(t *testing.T) {
	reg := tool.NewRegistry()
	var got agents.SubagentOptions
	require.NoError(t, agents.MountSubagent(reg, agents.SubagentOptions{BackgroundMode: agents.SubagentBackgroundModeContinuable},
		func(_ context.Context, call tool.Call, _ agents.SubagentArgs) (agents.SubagentResult, error) {
			got = agents.SubagentOptionsOf(call)
			return agents.SubagentContinuable{ID: "a1", Label: "x"}, nil
		}))
	scope, err := reg.Scope()
	require.NoError(t, err)
	res := scope.Call(context.Background(), tool.Call{Name: "subagent", Arguments: json.RawMessage(`{"description":"x","prompt":"p"}`)})
	require.False(t, res.IsError, res.Text)
	require.Contains(t, res.Text, "a1")
	require.Equal(t, agents.SubagentOptions{BackgroundMode: agents.SubagentBackgroundModeContinuable, EnableRunInBackground: tool.On,
		History: agents.SubagentHistoryFresh, MaxDepth: tool.Some[int64](3)}, got)
}

// The mapping of the second note, word by word, and the line that it fixes.
func TestListAgents(t *testing.T) {
	require.Equal(t, agents.AgentStatusRunning, agents.AgentStatusFrom(agents.AgentActivityRunning, true))
	require.Equal(t, agents.AgentStatusIdle, agents.AgentStatusFrom(agents.AgentActivityRunning, false))
	require.Equal(t, agents.AgentStatusReady, agents.AgentStatusFrom(agents.AgentActivityInactive, true))
	require.Equal(t, agents.AgentStatusReady, agents.AgentStatusFrom(agents.AgentActivityInactive, false))
	require.NotContains(t, agents.AgentStatusValues(), agents.AgentStatus("complete"))

	text := func(l agents.ListAgentsListing) string { return string(l.AppendText(nil)) }
	item := agents.ListAgentsListingAgentsItem{ID: "a1", Status: agents.AgentStatusReady, Label: "read the logs"}
	require.Equal(t, "a1 [ready] — read the logs\n", text(agents.ListAgentsListing{Agents: []agents.ListAgentsListingAgentsItem{item}}))
	item.Parent, item.Depth = tool.Some("a0"), tool.Some[int64](2)
	require.Equal(t, "a1 [ready] — read the logs (started by a0, depth 2)\n", text(agents.ListAgentsListing{Agents: []agents.ListAgentsListingAgentsItem{item}}))
	require.Equal(t, "No subagents to list.\n", text(agents.ListAgentsListing{}))
	require.Equal(t, "a9 could not be read: corrupt\n", text(agents.ListAgentsListing{
		Problems: []agents.ListAgentsListingProblemsItem{{ID: "a9", Problem: agents.AgentProblemCorrupt}}}))
}

func TestNotices(t *testing.T) {
	n := agents.SettlementNotice{ID: "a1", Label: "read the logs", Outcome: agents.RunOutcomeLost}
	require.Equal(t, "Settlement notice of subagent a1 — read the logs. Outcome: lost.\nIt left no message.", string(n.AppendText(nil)))
	n.Outcome, n.Message, n.FailedTurns, n.Parked = agents.RunOutcomeCompleted, tool.Some("All is well."), 2, 1
	require.Equal(t, "Settlement notice of subagent a1 — read the logs. Outcome: completed. Earlier turns that failed: 2. Messages kept for its next turn: 1.\n"+
		"Its last message:\nAll is well.", string(n.AppendText(nil)))
	require.Equal(t, "settlement", n.NoticeName())
}

func TestJobList(t *testing.T) {
	require.Equal(t, "No jobs.", string(agents.JobListListing{}.AppendText(nil)))
	require.Equal(t, "j1 [running] — a\nj2 [killed] — b", string(agents.JobListListing{Items: []agents.JobListListingItem{
		{ID: "j1", Status: agents.JobStatusRunning, Label: "a"}, {ID: "j2", Status: agents.JobStatusKilled, Label: "b"},
	}}.AppendText(nil)))
}

// A result that the mounted variant does not have must not reach the model.
func TestResultOfAnotherVariant(t *testing.T) {
	reg := tool.NewRegistry()
	require.NoError(t, agents.MountSubagent(reg, agents.SubagentOptions{EnableRunInBackground: tool.Off},
		func(context.Context, tool.Call, agents.SubagentArgs) (agents.SubagentResult, error) {
			return agents.SubagentContinuable{ID: "a1"}, nil
		}))
	scope, err := reg.Scope()
	require.NoError(t, err)
	res := scope.Call(context.Background(), tool.Call{Name: "subagent", Arguments: json.RawMessage(`{"description":"x","prompt":"p"}`)})
	require.True(t, res.IsError)
	require.True(t, strings.Contains(res.Text, "continuable") && !strings.Contains(res.Text, "a1"), res.Text)
}
