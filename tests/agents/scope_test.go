package agents

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

var codeSpan = regexp.MustCompile("`[^`]*`")

// names reports whether a text names a tool: in a code span, or bare where the name has an underscore; "report" and
// "subagent" are English words outside of code spans.
func names(text, tool string) bool {
	if slices.Contains(codeSpan.FindAllString(text, -1), "`"+tool+"`") {
		return true
	}
	return strings.Contains(tool, "_") && regexp.MustCompile(`\b`+tool+`\b`).MatchString(text)
}

// texts is all that a scope shows a model.
func texts(s *tool.Scope) string {
	var b strings.Builder
	for _, d := range s.Tools() {
		b.WriteString(d.Description + "\n" + string(d.Parameters) + "\n")
	}
	b.WriteString(s.Prompt())
	return b.String()
}

// The note's own case: without send_message nothing speaks of it, the rest of the descriptions stays, and the section
// that must stay as long as its tool does stays.
func TestHideSendMessage(t *testing.T) {
	reg := mountAll(t, agents.SubagentOptions{BackgroundMode: agents.SubagentBackgroundModeContinuable}, nil)
	full, err := reg.Scope()
	require.NoError(t, err)
	require.Empty(t, full.Omitted())
	require.Contains(t, definition(t, full, "subagent").Description, "`send_message`")

	scope, err := reg.Scope(tool.Deny("send_message"))
	require.NoError(t, err)
	require.NotContains(t, texts(scope), "send_message")
	require.Contains(t, definition(t, scope, "subagent").Description, "durable id")
	require.Equal(t, full.Prompt(), scope.Prompt(), "the delegation section refers to its own tool only")
	require.Equal(t, []tool.Omission{
		{Tool: "subagent", ID: "followup", Missing: "send_message"},
		{Tool: "list_agents", ID: "resume", Missing: "send_message"},
		{Tool: "list_agents", ID: "race", Missing: "send_message"},
		{Tool: "interrupt_agent", ID: "followup", Missing: "send_message"},
	}, scope.Omitted())
}

// A child's restriction removes the schema and its guidance together, all the way down.
func TestRestrictionRemovesSectionWithSchema(t *testing.T) {
	reg := mountAll(t, agents.SubagentOptions{BackgroundMode: agents.SubagentBackgroundModeContinuable}, nil)
	full, err := reg.Scope()
	require.NoError(t, err)
	ids := func(s *tool.Scope) (out []string) {
		for _, sec := range s.Sections() {
			out = append(out, sec.ID)
		}
		return out
	}
	require.Equal(t, []string{"tool:subagent", "tool:report"}, ids(full))
	child, err := full.Scope(tool.Deny("subagent"))
	require.NoError(t, err)
	require.Equal(t, []string{"tool:report"}, ids(child))
	require.NotContains(t, child.Prompt(), "subagent")
	_, err = child.Scope(tool.Allow("subagent"))
	require.ErrorContains(t, err, `"subagent", which is not visible here`, "a narrower scope cannot bring a tool back")
}

// A deployment's name is the name in every text.
func TestRename(t *testing.T) {
	reg := mountAll(t, agents.SubagentOptions{BackgroundMode: agents.SubagentBackgroundModeContinuable}, nil, tool.As("delegate"))
	scope, err := reg.Scope()
	require.NoError(t, err)
	require.Contains(t, scope.Prompt(), "Delegating with `delegate`")
	require.Equal(t, "tool:delegate", scope.Sections()[0].ID)
	require.False(t, names(texts(scope), "subagent"), texts(scope))
}

// Two mounts of one tool: each speaks of itself, and without a primary one no scope can be made.
func TestSeveralMounts(t *testing.T) {
	handle := func(context.Context, tool.Call, agents.SubagentArgs) (agents.SubagentResult, error) {
		return agents.SubagentForeground{}, nil
	}
	off := agents.SubagentOptions{EnableRunInBackground: tool.Off}
	on := agents.SubagentOptions{BackgroundMode: agents.SubagentBackgroundModeContinuable}
	reg := tool.NewRegistry()
	require.NoError(t, agents.MountSubagent(reg, off, handle, tool.As("ask")))
	require.NoError(t, agents.MountSubagent(reg, on, handle, tool.As("delegate")))
	_, err := reg.Scope()
	require.ErrorContains(t, err, "none of them is primary")

	reg = tool.NewRegistry()
	require.NoError(t, agents.MountSubagent(reg, off, handle, tool.As("ask")))
	require.NoError(t, agents.MountSubagent(reg, on, handle, tool.As("delegate"), tool.Primary()))
	require.ErrorContains(t, agents.MountSubagent(reg, on, handle, tool.As("other"), tool.Primary()), "primary mount already")
	require.ErrorContains(t, agents.MountSubagent(reg, on, handle, tool.As("ask")), "mounted as \"ask\" already")
	require.ErrorContains(t, agents.MountSubagent(reg, on, handle, tool.As("Ask_")), "reads like")
	scope, err := reg.Scope()
	require.NoError(t, err)
	_, has := property(t, definition(t, scope, "ask"), "run_in_background")
	require.False(t, has)
	_, has = property(t, definition(t, scope, "delegate"), "run_in_background")
	require.True(t, has)
	require.Contains(t, scope.Prompt(), "`delegate`")
	require.NotContains(t, scope.Prompt(), "`ask`")
}

func TestUnknownNames(t *testing.T) {
	reg := mountAll(t, agents.SubagentOptions{}, nil)
	_, err := reg.Scope(tool.Deny("send_mesage"))
	require.ErrorContains(t, err, `did you mean "send_message"?`)
	scope, err := reg.Scope()
	require.NoError(t, err)
	res := scope.Call(context.Background(), tool.Call{ID: "c", Name: "list_agent"})
	require.True(t, res.IsError)
	require.Equal(t, "c", res.ID)
	require.Contains(t, res.Text, "the tools are list_agents,", "the nearest comes first")

	empty, err := tool.NewRegistry().Scope()
	require.NoError(t, err)
	require.Contains(t, empty.Call(context.Background(), tool.Call{Name: strings.Repeat("é", 1000)}).Text, "nor any other")
}

// A panic of a handler is one call's error, and says nothing of the program's inside.
func TestPanic(t *testing.T) {
	reg := tool.NewRegistry()
	require.NoError(t, agents.MountReport(reg, agents.ReportOptions{},
		func(context.Context, tool.Call, agents.ReportArgs) (agents.ReportResult, error) { panic("secret path") }))
	scope, err := reg.Scope()
	require.NoError(t, err)
	res := scope.Call(context.Background(), tool.Call{ID: "1", Name: "report", Arguments: json.RawMessage(`{"output":"x"}`)})
	require.True(t, res.IsError)
	require.NotContains(t, res.Text, "secret")
	require.Equal(t, "1", res.ID)
}
