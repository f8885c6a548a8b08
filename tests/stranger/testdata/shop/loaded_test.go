package main

import (
	"context"
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/contracts"

	"example.com/shop/gen/shop"
)

// mounts mounts the shop's tools twice: by generated functions, and from gen/contracts.json.
func mounts(t *testing.T, on bool, seen *json.RawMessage) (generated, loaded *tool.Scope) {
	t.Helper()
	data, err := os.ReadFile("gen/contracts.json")
	if err != nil {
		t.Fatal(err)
	}
	list, err := contracts.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	word := map[bool]string{true: "true", false: "false"}[on]
	a, b := tool.NewRegistry(), tool.NewRegistry()
	handle := func(name string) contracts.Handler {
		return func(_ context.Context, _ tool.Call, args json.RawMessage) (tool.Output, error) {
			*seen = args
			return contracts.Result{Name: name, Text: "done"}, nil
		}
	}
	for _, err := range []error{
		shop.MountSearch(a, shop.SearchOptions{Archived: tool.SwitchOf(on)}, func(context.Context, tool.Call, shop.SearchArgs) (shop.SearchResult, error) {
			return shop.SearchFound{}, nil
		}),
		shop.MountTypes(a, shop.TypesOptions{}, func(context.Context, tool.Call, shop.TypesArgs) (tool.Plain, error) { return "done", nil }),
		shop.MountKinds(a, shop.KindsOptions{Colours: tool.SwitchOf(on)}, func(context.Context, tool.Call, shop.KindsArgs) (shop.KindsResult, error) {
			return shop.KindsReport{}, nil
		}),
		contracts.Mount(b, list.Find("search"), contracts.Options{Choice: map[string]string{"archived": word}}, handle("found")),
		contracts.Mount(b, list.Find("types"), contracts.Options{}, handle("")),
		contracts.Mount(b, list.Find("kinds"), contracts.Options{Choice: map[string]string{"colours": word}}, handle("report")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	generated, err = a.Scope()
	if err != nil {
		t.Fatal(err)
	}
	if loaded, err = b.Scope(); err != nil {
		t.Fatal(err)
	}
	return generated, loaded
}

// TestLoaded: the contracts of the file are the generated ones, and both are of one mind about every text.
func TestLoaded(t *testing.T) {
	for _, on := range []bool{true, false} {
		var args, seen json.RawMessage
		generated, loaded := mounts(t, on, &seen)
		if a, b := generated.Tools(), loaded.Tools(); !reflect.DeepEqual(a, b) {
			t.Errorf("generated %+v\nloaded %+v", a, b)
		}
		if a, b := generated.Prompt(), loaded.Prompt(); a != b {
			t.Errorf("generated %s\nloaded %s", a, b)
		}
		var contract *tool.Contract
		hooks := tool.WithHooks(tool.Hooks{Refused: func(_ context.Context, inv *tool.Invocation, _ tool.CallResult) { contract, _ = inv.Contract() }})
		ours := generated.Dispatcher(hooks, tool.WithMiddleware(tool.Before(func(_ context.Context, inv *tool.Invocation) error {
			args = inv.Arguments()
			return nil
		})))
		theirs := loaded.Dispatcher(hooks)
		accepted := 0
		for _, d := range generated.Tools() {
			ask := func(text string) (x, y tool.CallResult) {
				args, seen = nil, nil
				calls := []tool.Call{{ID: "1", Name: d.Name, Arguments: json.RawMessage(text)}}
				return ours.Dispatch(context.Background(), calls)[0], theirs.Dispatch(context.Background(), calls)[0]
			}
			ours.Dispatch(context.Background(), []tool.Call{{ID: "1", Name: d.Name, Arguments: json.RawMessage(`[]`)}})
			mine := contract
			theirs.Dispatch(context.Background(), []tool.Call{{ID: "1", Name: d.Name, Arguments: json.RawMessage(`[]`)}})
			if mine == contract || !reflect.DeepEqual(mine, contract) {
				t.Errorf("%s: generated\n%+v\nloaded\n%+v", d.Name, mine, contract)
			}
			for _, text := range pool(t, d) {
				x, y := ask(text)
				if x.Outcome != y.Outcome || !reflect.DeepEqual(x.Arguments, y.Arguments) || string(args) != string(seen) {
					t.Errorf("%s %q: %s %s %q, loaded %s %s %q", d.Name, text, x.Outcome, x.Arguments, args, y.Outcome, y.Arguments, seen)
				}
				if !x.IsError {
					accepted++
				}
			}
		}
		if accepted < 100 {
			t.Errorf("%d accepted", accepted)
		}
	}
}

// pool is texts for one tool: each parameter with values of every kind.
func pool(t *testing.T, d tool.Definition) []string {
	t.Helper()
	var schema struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	if err := json.Unmarshal(d.Parameters, &schema); err != nil {
		t.Fatal(err)
	}
	out := []string{``, `null`, `{}`, `{"a":1}`, `{`, `[]`, `{} {}`}
	for name := range schema.Properties {
		others := ""
		for _, r := range schema.Required {
			if r != name {
				others += `,"` + r + `":"a"`
			}
		}
		key, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []string{
			`null`, `true`, `0`, `1`, `2.0`, `-1`, `0.25`, `3`, `300`, `1e400`, `9223372036854775808`, `""`, `"a"`, `"ab"`, `"abcd"`, `"red"`, `"RED"`, `"large"`, `"3"`,
			`"2026-11-30T10:00:00+01:00"`, `"2026-11-30"`, `[]`, `["a"]`, `["a",3]`, `["red"]`, `["a","a"]`, `[[1]]`, `[{"x":1}]`, `[{"n":1}]`, `{}`, `{"a":1}`,
			`{"field":"f"}`, `{"kind":"circle","radius":2}`, `{"kind":"point"}`, `{"kind":"line"}`, `{"label":"a","next":{"label":"b"}}`, `{"x-a":1}`, `{"id":1,"x-b":"v"}`,
			`{"op":"is","field":"f","value":1}`, `{"inner":{}}`, `{"a":1,"a":2}`, `"\u0061"`, `"\ud83d"`,
		} {
			out = append(out, `{`+string(key)+`:`+v+others+`}`)
		}
	}
	return out
}
