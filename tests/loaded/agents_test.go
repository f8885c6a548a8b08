// Package loaded tests that contracts which are read from gen/contracts.json at run time are the generated ones: equal as
// data, shown alike by every scope, and of one mind about every text.
package loaded

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/contracts"
)

// labels are the shipped tools in the order in which both sides mount them.
var labels = []string{"subagent", "list_agents", "send_message", "interrupt_agent", "report", "job_output", "job_list", "job_kill"}

func load(t testing.TB) contracts.List {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "gen", "contracts.json"))
	require.NoError(t, err)
	list, err := contracts.Load(data)
	require.NoError(t, err)
	require.Len(t, list, len(labels))
	return list
}

// typed makes a handler of any generated type that returns one result.
func typed[A any, R tool.Output](out R) tool.Handler[A, R] {
	return func(context.Context, tool.Call, A) (R, error) { return out, nil }
}

// generated mounts the tools by their generated functions.
func generated(t testing.TB, choice map[string]string) *tool.Registry {
	t.Helper()
	reg := tool.NewRegistry()
	options := agents.SubagentOptions{
		BackgroundMode: agents.SubagentBackgroundMode(choice["backgroundMode"]), History: agents.SubagentHistory(choice["history"]),
	}
	if word := choice["enableRunInBackground"]; word != "" {
		options.EnableRunInBackground = tool.SwitchOf(word == "true")
	}
	report := agents.ReportOptions{ReportDelivery: agents.ReportReportDelivery(choice["reportDelivery"])}
	for _, err := range []error{
		agents.MountSubagent(reg, options, typed[agents.SubagentArgs](agents.SubagentResult(agents.SubagentForeground{}))),
		agents.MountListAgents(reg, agents.ListAgentsOptions{}, typed[agents.ListAgentsArgs](agents.ListAgentsResult(agents.ListAgentsListing{}))),
		agents.MountSendMessage(reg, agents.SendMessageOptions{}, typed[agents.SendMessageArgs](agents.SendMessageResult(agents.SendMessageQueued{}))),
		agents.MountInterruptAgent(reg, agents.InterruptAgentOptions{}, typed[agents.InterruptAgentArgs](agents.InterruptAgentResult(agents.InterruptAgentNotRunning{}))),
		agents.MountReport(reg, report, typed[agents.ReportArgs](agents.ReportResult(agents.ReportAccepted{}))),
		agents.MountJobOutput(reg, agents.JobOutputOptions{}, typed[agents.JobOutputArgs](agents.JobOutputResult(agents.JobOutputOutput{}))),
		agents.MountJobList(reg, agents.JobListOptions{}, typed[agents.JobListArgs](agents.JobListResult(agents.JobListListing{}))),
		agents.MountJobKill(reg, agents.JobKillOptions{}, typed[agents.JobKillArgs](agents.JobKillResult(agents.JobKillStopped{}))),
	} {
		require.NoError(t, err)
	}
	return reg
}

// fromFile mounts the same tools from the file. The handlers keep what they got.
func fromFile(t testing.TB, choice map[string]string, seen *json.RawMessage) *tool.Registry {
	t.Helper()
	reg, list := tool.NewRegistry(), load(t)
	for _, label := range labels {
		c := list.Find(label)
		require.NotNil(t, c, label)
		options := contracts.Options{Choice: map[string]string{}}
		for _, o := range c.Options {
			if word, ok := choice[o.Name]; ok {
				options.Choice[o.Name] = word
			}
		}
		require.NoError(t, contracts.Mount(reg, c, options, func(_ context.Context, _ tool.Call, args json.RawMessage) (tool.Output, error) {
			*seen = args
			return contracts.Result{Name: c.Variants[0].Results[0]}, nil
		}))
	}
	return reg
}

// choices are every choice of the options of the shipped tools, and none.
func choices() []map[string]string {
	out := []map[string]string{{}}
	for _, o := range []struct {
		name   string
		values []string
	}{
		{"backgroundMode", []string{"one-shot", "continuable"}}, {"enableRunInBackground", []string{"true", "false"}},
		{"history", []string{"fresh", "inherited"}}, {"reportDelivery", []string{"next-step", "quiet"}},
	} {
		for _, c := range slices.Clone(out) {
			for _, v := range o.values {
				next := maps.Clone(c)
				next[o.name] = v
				out = append(out, next)
			}
		}
	}
	return out
}

// scopes are what each side shows of all tools, of each alone where that is allowed, and of all but one.
func scopes(t testing.TB, a, b *tool.Registry, visit func(a, b *tool.Scope)) {
	t.Helper()
	restrictions := []tool.Restriction{tool.Deny()}
	for _, label := range labels {
		restrictions = append(restrictions, tool.Deny(label), tool.Allow(label))
	}
	for _, r := range restrictions {
		x, err := a.Scope(r)
		y, other := b.Scope(r)
		if err != nil {
			require.EqualError(t, other, err.Error())
			continue
		}
		require.NoError(t, other)
		visit(x, y)
	}
}

// What a model reads is the same, byte for byte, under every choice and in every scope.
func TestShown(t *testing.T) {
	var seen json.RawMessage
	for _, choice := range choices() {
		count := 0
		scopes(t, generated(t, choice), fromFile(t, choice, &seen), func(a, b *tool.Scope) {
			count++
			require.Empty(t, cmp.Diff(a.Tools(), b.Tools()), "%v", choice)
			require.Equal(t, a.Prompt(), b.Prompt())
			require.Empty(t, cmp.Diff(a.Sections(), b.Sections(), cmp.AllowUnexported(tool.PromptSection{})))
			require.Equal(t, a.Omitted(), b.Omitted())
		})
		require.Greater(t, count, 8, "scopes")
	}
}

// The contracts are equal as data, and every variant of theirs.
func TestEqual(t *testing.T) {
	scope, err := generated(t, nil).Scope()
	require.NoError(t, err)
	list := load(t)
	compared := 0
	dispatcher := scope.Dispatcher(tool.WithHooks(tool.Hooks{Refused: func(_ context.Context, inv *tool.Invocation, _ tool.CallResult) {
		c, _ := inv.Contract()
		if diff := cmp.Diff(c, list.Find(c.Name)); diff != "" {
			t.Errorf("%s:\n%s", c.Name, diff)
		}
		compared++
	}}))
	for _, label := range labels {
		dispatcher.Dispatch(context.Background(), []tool.Call{{ID: "1", Name: label, Arguments: json.RawMessage(`[]`)}})
	}
	require.Equal(t, len(labels), compared)
}

// values stand for each parameter in turn.
var values = []string{
	`null`, `true`, `false`, `0`, `1`, `-1`, `1.0`, `1e2`, `1.5`, `1e400`, `9007199254740993`, `9223372036854775808`, `""`, `"a"`, `"A b"`, `"true"`, `"3"`,
	`"\u0061\ud83d\ude00"`, `"\ud83d"`, "\"a\nb\"", "\"\xff\"", `"children"`, `"CHILDREN"`, `"descendants"`, `[]`, `["a"]`, `[1,[2]]`, `{}`, `{"a":1}`, `{"a":1,"a":2}`, `nul`, `NaN`, ``,
}

// odd are whole texts.
var odd = []string{
	``, ` `, `null`, `[]`, `"{}"`, `{}`, `{`, `{}{}`, `{} x`, `{"a":1}`, `{"":1}`, "```json\n{}\n```", `{"arguments":{}}`, `{"name":"x","parameters":{}}`,
	`{"type":"object","properties":{}}`, "\ufeff{}", `{'a':1}`, `{"prompt":"a",}`, `{"prompt":"a","prompt":"a"}`, `{"Prompt":"a"}`, `{"promt":"a","descripton":"b"}`,
}

// Both sides give the same result for every text, with repairs and without: problems, repairs and effective arguments.
func TestAgree(t *testing.T) {
	strict, strictly := agree(t, tool.Strict())
	accepted, refused := agree(t)
	t.Logf("%d texts accepted and %d refused strictly, %d and %d with repairs", strict, strictly, accepted, refused)
	require.Greater(t, strict, 500)
	require.Greater(t, refused, 5000)
	require.Greater(t, accepted, strict, "some are repaired")
}

func agree(t *testing.T, mode ...tool.DispatchOption) (accepted, refused int) {
	for _, choice := range choices() {
		var args, seen json.RawMessage
		a, err := generated(t, choice).Scope()
		require.NoError(t, err)
		b, err := fromFile(t, choice, &seen).Scope()
		require.NoError(t, err)
		keep := tool.WithMiddleware(tool.Before(func(_ context.Context, inv *tool.Invocation) error { args = inv.Arguments(); return nil }))
		ours, theirs := a.Dispatcher(append(mode, keep)...), b.Dispatcher(mode...)
		for _, d := range a.Tools() {
			for _, text := range texts(t, d) {
				args, seen = nil, nil
				calls := []tool.Call{{ID: "1", Name: d.Name, Arguments: json.RawMessage(text)}}
				x, y := ours.Dispatch(context.Background(), calls)[0], theirs.Dispatch(context.Background(), calls)[0]
				if diff := cmp.Diff(x.Arguments, y.Arguments); diff != "" {
					t.Errorf("%v %s %q:\n%s", choice, d.Name, text, diff)
				}
				if x.Outcome != y.Outcome || string(args) != string(seen) {
					t.Errorf("%v %s %q: %s %q, loaded %s %q", choice, d.Name, text, x.Outcome, args, y.Outcome, seen)
				}
				if x.IsError {
					require.Equal(t, x.Text, y.Text)
					refused++
				} else {
					accepted++
				}
			}
		}
	}
	return accepted, refused
}

// texts are arguments for one tool: the odd ones, and good ones with one parameter changed or left out.
func texts(t testing.TB, d tool.Definition) []string {
	t.Helper()
	var schema struct {
		Properties map[string]json.RawMessage
	}
	require.NoError(t, json.Unmarshal(d.Parameters, &schema))
	out := slices.Clone(odd)
	names := slices.Sorted(maps.Keys(schema.Properties))
	for _, change := range append(slices.Clone(names), "run_in_background", "other") {
		for _, v := range values {
			members := ""
			for _, name := range names {
				if name != change && name != "run_in_background" && name != "wait" && name != "scope" {
					members += `"` + name + `":"text",`
				}
			}
			out = append(out, `{`+members+`"`+change+`": `+v+`}`)
		}
	}
	return out
}
