package agents

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// I3 for the other tools that have a default: what the schema says is what the decoder applies.
func TestDefaultsApplied(t *testing.T) {
	reg := tool.NewRegistry()
	var list agents.ListAgentsArgs
	var job agents.JobOutputArgs
	require.NoError(t, agents.MountListAgents(reg, agents.ListAgentsOptions{},
		func(_ context.Context, _ tool.Call, args agents.ListAgentsArgs) (agents.ListAgentsResult, error) {
			list = args
			return agents.ListAgentsListing{}, nil
		}))
	require.NoError(t, agents.MountJobOutput(reg, agents.JobOutputOptions{},
		func(_ context.Context, _ tool.Call, args agents.JobOutputArgs) (agents.JobOutputResult, error) {
			job = args
			return agents.JobOutputOutput{}, nil
		}))
	scope, err := reg.Scope()
	require.NoError(t, err)
	require.False(t, scope.Call(context.Background(), tool.Call{Name: "list_agents", Arguments: json.RawMessage(`{}`)}).IsError)
	p, _ := property(t, definition(t, scope, "list_agents"), "scope")
	require.Equal(t, string(p.Default), `"`+string(list.Scope)+`"`)

	job.Wait = true
	require.False(t, scope.Call(context.Background(), tool.Call{Name: "job_output", Arguments: json.RawMessage(`{"job_id":"j"}`)}).IsError)
	p, _ = property(t, definition(t, scope, "job_output"), "wait")
	require.Equal(t, "false", string(p.Default))
	require.False(t, job.Wait)
}

// What the spec says of concurrency and effects reaches the dispatcher and the provider.
func TestHintsAndConcurrency(t *testing.T) {
	scope, err := mountAll(t, agents.SubagentOptions{}, nil).Scope()
	require.NoError(t, err)
	safe := map[string]bool{"subagent": true, "list_agents": true, "job_output": true, "job_list": true}
	for _, d := range scope.Tools() {
		require.Equal(t, safe[d.Name], d.Safe, d.Name)
	}
	require.Equal(t, tool.Hints{ReadOnly: tool.Yes, OpenWorld: tool.No}, definition(t, scope, "list_agents").Hints)
	require.Equal(t, tool.Hints{Destructive: tool.Yes, OpenWorld: tool.No}, definition(t, scope, "job_kill").Hints)
	require.Equal(t, tool.Hints{}, definition(t, scope, "subagent").Hints)
}

// I11 for prompt files: a section is its file, with the references filled in and nothing else changed.
func TestSectionsAreTheirFiles(t *testing.T) {
	scope, err := mountAll(t, agents.SubagentOptions{BackgroundMode: agents.SubagentBackgroundModeContinuable}, nil).Scope()
	require.NoError(t, err)
	fill := strings.NewReplacer("{{subagent}}", "subagent", "{{subagent.run_in_background}}", "run_in_background",
		"{{subagent.run_in_background.default}}", "true", "{{report}}", "report")
	for i, file := range []string{"delegation.md", "reporting.md"} {
		src, err := os.ReadFile(filepath.Join("..", "..", "prompts", "agents", file))
		require.NoError(t, err)
		require.Equal(t, strings.TrimRight(fill.Replace(string(src)), "\n"), scope.Sections()[i].Text)
	}
}

// sections.json says under which choices of the options a section is shown, and which other tools it needs.
func TestSectionsFile(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("..", "..", "catalog", "sections.json"))
	require.NoError(t, err)
	var doc struct {
		Sections []struct {
			ID         string
			Order      float64
			Options    []map[string]string
			References []string
		}
	}
	require.NoError(t, json.Unmarshal(src, &doc))
	require.Len(t, doc.Sections, 2)
	delegation, reporting := doc.Sections[0], doc.Sections[1]
	require.Equal(t, "tool:subagent", delegation.ID)
	require.Equal(t, []map[string]string{
		{"backgroundMode": "continuable", "enableRunInBackground": "true", "history": "fresh"},
		{"backgroundMode": "continuable", "enableRunInBackground": "true", "history": "inherited"},
	}, delegation.Options)
	require.Empty(t, delegation.References)
	require.Equal(t, "tool:report", reporting.ID)
	require.Len(t, reporting.Options, 2)
	require.Less(t, delegation.Order, reporting.Order)
}

// The catalog is what its published schema says.
func TestCatalogFitsItsSchema(t *testing.T) {
	read := func(name string) any {
		f, err := os.Open(filepath.Join("..", "..", "catalog", name))
		require.NoError(t, err)
		defer f.Close()
		v, err := jsonschema.UnmarshalJSON(f)
		require.NoError(t, err)
		return v
	}
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("catalog.schema.json", read("catalog.schema.json")))
	schema, err := compiler.Compile("catalog.schema.json")
	require.NoError(t, err)
	catalog := read("catalog.json")
	require.NoError(t, schema.Validate(catalog))
	catalog.(map[string]any)["results"] = []any{}
	require.Error(t, schema.Validate(catalog), "the schema has no place for results")
}
