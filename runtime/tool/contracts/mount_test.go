package contracts

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/tool"
)

func load(t *testing.T) List {
	t.Helper()
	list, err := Load([]byte(small))
	require.NoError(t, err)
	return list
}

// mounted mounts both tools of small, find under options and with a handler.
func mounted(t *testing.T, options Options, handle Handler, opts ...tool.MountOption) *tool.Scope {
	t.Helper()
	list, reg := load(t), tool.NewRegistry()
	require.NoError(t, Mount(reg, list[0], options, handle, opts...))
	require.NoError(t, Mount(reg, list[1], Options{}, func(context.Context, tool.Call, json.RawMessage) (tool.Output, error) {
		return tool.Plain("yes"), nil
	}))
	scope, err := reg.Scope()
	require.NoError(t, err)
	return scope
}

func TestMount(t *testing.T) {
	var seen []string
	scope := mounted(t, Options{}, recorder(&seen, Result{"page", "found"}), tool.As("look"))
	defs := scope.Tools()
	require.Equal(t, "Finds with look or ask.", defs[0].Description)
	require.JSONEq(t, `{"type":"object","description":"look"}`, string(defs[0].Parameters))
	require.Equal(t, "Use q when on", scope.Prompt())

	res := call(scope, "look", ` {"deep": true, "q":"a\u0062"} `)
	require.Equal(t, "found", res.Text)
	require.False(t, res.IsError)
	require.Equal(t, []string{`{"deep":true,"q":"a\u0062","node":{"next":{}}}`}, seen)

	res = call(scope, "look", `{"q":"secret","dep":1}`)
	require.True(t, res.IsError)
	require.Equal(t, "unknown-key /dep, pattern /q", verdict(res.Arguments))
	require.NotContains(t, res.Text, "secret")
	require.Len(t, seen, 1, "the handler ran")

	require.Equal(t, "yes", call(scope, "ask", `{}`).Text)
}

// A variant without a parameter gives its handler the value that is fixed.
func TestMountFixed(t *testing.T) {
	var seen []string
	scope := mounted(t, Options{Choice: map[string]string{"wide": "false"}}, recorder(&seen, tool.Plain("done")))
	require.Equal(t, "done", call(scope, "find-it", `{}`).Text)
	require.Equal(t, []string{`{"deep":true}`}, seen)
	res := call(scope, "find-it", `{"deep":false}`)
	require.Equal(t, "param-gone /deep", verdict(res.Arguments))
	require.Contains(t, res.Text, "wide")
}

// Handlers read the options of their mount with every default filled in, as Go's own types.
func TestOptionsOf(t *testing.T) {
	var got []Options
	handle := func(_ context.Context, call tool.Call, _ json.RawMessage) (tool.Output, error) {
		o := OptionsOf(call)
		got = append(got, OptionsOf(call))
		clear(o.Choice) // which is the handler's own
		return Result{Name: "page"}, nil
	}
	call(mounted(t, Options{}, handle), "find-it", `{"q":"a"}`)
	call(mounted(t, Options{Settings: map[string]any{"depth": 7}}, handle), "find-it", `{"q":"a"}`)
	want := map[string]string{"wide": "true", "mode": "a"}
	require.Equal(t, []Options{{want, map[string]any{"depth": int64(3)}}, {want, map[string]any{"depth": 7}}}, got)
}

func TestMountErrors(t *testing.T) {
	list, reg := load(t), tool.NewRegistry()
	handle := func(context.Context, tool.Call, json.RawMessage) (tool.Output, error) { return tool.Plain(""), nil }
	choice := func(name, value string) Options { return Options{Choice: map[string]string{name: value}} }
	setting := func(name string, value any) Options { return Options{Settings: map[string]any{name: value}} }
	for _, c := range []struct {
		contract *tool.Contract
		options  Options
		handle   Handler
		want     string
	}{
		{nil, Options{}, handle, "contracts: there is no contract to be mounted"},
		{list[0], Options{}, nil, "tool: find-it is mounted without a handler"},
		{list[0], choice("mode", "c"), handle, `tool: find has no mode "c"; it is one of a, b`},
		{list[0], choice("mode", "b"), handle, "tool: find cannot be mounted with these options: no b"},
		{list[0], choice("moed", "a"), handle, `contracts: find has no finite option "moed"; it has wide, mode`},
		{list[0], choice("depth", "3"), handle, `contracts: find has no finite option "depth"; it has wide, mode`},
		{list[0], setting("mode", "a"), handle, `contracts: find has no open option "mode"; it has depth`},
		{list[1], choice("mode", "a"), handle, `contracts: ask has no finite option "mode", nor any other`},
		{list[0], setting("depth", -1), handle, "tool: find cannot be mounted with these options: /depth: out-of-range"},
		{list[0], setting("depth", nil), handle, "tool: find cannot be mounted with these options: /depth: wrong-type"},
		{list[0], setting("depth", func() {}), handle, "tool: the options of find: json: unsupported type: func()"},
	} {
		err := Mount(reg, c.contract, c.options, c.handle)
		if err == nil || !says(err.Error(), c.want) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
	require.EqualError(t, Mount(nil, list[1], Options{}, handle), "tool: ask is mounted into a nil registry; make one with tool.NewRegistry")
}

// A handler's result must be one that the contract has.
func TestResults(t *testing.T) {
	for _, c := range []struct {
		out  tool.Output
		err  error
		want string
	}{
		{Result{"page", "text"}, nil, "text"},
		{Result{"other", "text"}, nil, `the tool returned the result "other", which it does not have under its options`},
		{tool.Plain("text"), nil, `the tool returned the result "", which it does not have under its options`},
		{nil, nil, "the tool returned no result"},
		{nil, errors.New("no page"), "no page"},
	} {
		scope := mounted(t, Options{}, func(context.Context, tool.Call, json.RawMessage) (tool.Output, error) { return c.out, c.err })
		res := call(scope, "find-it", `{"q":"a"}`)
		if res.Text != c.want || res.IsError != (c.want != "text") {
			t.Errorf("got %q, want %q", res.Text, c.want)
		}
	}
}
