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

var allTools = []string{"subagent", "list_agents", "send_message", "interrupt_agent", "report", "job_output", "job_list", "job_kill"}

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

// spoken is what a text of the scope may speak of: its tools, their parameters, and the words of these and of their
// results.
func spoken(t *testing.T, s *tool.Scope) map[string]bool {
	out := map[string]bool{}
	for _, d := range s.Tools() {
		out[d.Name] = true
		var schema struct {
			Properties map[string]struct{ Enum []string }
		}
		require.NoError(t, json.Unmarshal(d.Parameters, &schema))
		for name, p := range schema.Properties {
			out[name] = true
			for _, w := range p.Enum {
				out[w] = true
			}
		}
		if d.Name == "list_agents" {
			for _, w := range agents.AgentStatusValues() {
				out[string(w)] = true
			}
		}
	}
	return out
}

func variants() []agents.SubagentOptions {
	return []agents.SubagentOptions{
		{},
		{BackgroundMode: agents.SubagentBackgroundModeContinuable},
		{EnableRunInBackground: tool.Off},
		{History: agents.SubagentHistoryInherited},
		{BackgroundMode: agents.SubagentBackgroundModeContinuable, History: agents.SubagentHistoryInherited},
		{EnableRunInBackground: tool.Off, History: agents.SubagentHistoryInherited},
	}
}

// I4 and I5 over every subset of the shipped tools and every variant of subagent: what is hidden is named nowhere, and
// what cannot stand without its needs is refused.
func TestSubsets(t *testing.T) {
	for _, options := range variants() {
		reg := mountAll(t, options, nil)
		collected := options.EnableRunInBackground != tool.Off && options.BackgroundMode != agents.SubagentBackgroundModeContinuable
		for mask := range 1 << len(allTools) {
			var visible, hidden []string
			for i, n := range allTools {
				if mask&(1<<i) != 0 {
					visible = append(visible, n)
				} else {
					hidden = append(hidden, n)
				}
			}
			scope, err := reg.Scope(tool.Allow(visible...))
			needs := slices.ContainsFunc(hidden, func(n string) bool { return strings.HasPrefix(n, "job_") })
			if collected && needs && slices.Contains(visible, "subagent") {
				require.ErrorContains(t, err, "subagent needs job_", "%v", visible)
				continue
			}
			require.NoError(t, err, "%v", visible)
			shown := texts(scope)
			for _, h := range hidden {
				require.False(t, names(shown, h), "%v name the hidden %s:\n%s", visible, h, shown)
				res := scope.Call(context.Background(), tool.Call{Name: h, Arguments: json.RawMessage(`{}`)})
				require.True(t, res.IsError)
				require.Contains(t, res.Text, "there is no tool")
			}
			require.Len(t, scope.Tools(), len(visible))
			there := spoken(t, scope)
			for _, span := range codeSpan.FindAllString(shown, -1) {
				require.True(t, there[strings.Trim(span, "`")], "%v speak of %s, which is not there:\n%s", visible, span, shown)
			}
			for _, o := range scope.Omitted() {
				require.Contains(t, hidden, strings.Split(o.Missing, ".")[0], "%+v", o)
			}
		}
	}
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

// A scope rendered again gives the same bytes.
func TestScopeIsStable(t *testing.T) {
	reg := mountAll(t, agents.SubagentOptions{BackgroundMode: agents.SubagentBackgroundModeContinuable}, nil)
	first, err := reg.Scope()
	require.NoError(t, err)
	for range 1000 {
		again, err := reg.Scope()
		require.NoError(t, err)
		require.Equal(t, texts(first), texts(again))
	}
}
