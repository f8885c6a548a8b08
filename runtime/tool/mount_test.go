package tool_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/tool"
)

func TestNilArguments(t *testing.T) {
	reg := tool.NewRegistry()
	must(t, mount(reg, contract("find"), "", nil, tool.As("look"), nil))
	scope, err := reg.Scope()
	must(t, err)
	if got := scope.Tools()[0].Name; got != "look" {
		t.Errorf("mounted as %s", got)
	}
	wantError(t, mount(nil, contract("find"), ""), "find", "nil registry")
	wantError(t, tool.Mount(reg, tool.Binding{}), "without a contract")
}

// A number that is no Switch is refused, and not read as the default.
func TestUnknownSwitch(t *testing.T) {
	c := contract("find")
	c.Options = []tool.Option{{Name: "fast", Values: []string{"true", "false"}}}
	c.Combinations = []tool.Combination{{Variant: 0}, {Variant: 1}}
	bind := func(s tool.Switch) error {
		return tool.Mount(tool.NewRegistry(), tool.Binding{Contract: c, Choice: []string{s.Word()}, Decode: readArgs, Run: noRun})
	}
	for _, s := range []tool.Switch{tool.Default, tool.On, tool.Off} {
		must(t, bind(s))
	}
	wantError(t, bind(77), `find has no fast "Switch(77)"`, "true, false")
}

// What a caller does with what it gave or got changes no scope.
func TestScopesKeepToThemselves(t *testing.T) {
	reg := tool.NewRegistry()
	for _, name := range []string{"find", "other"} {
		must(t, mount(reg, contract(name), ""))
	}
	names := []string{"find"}
	allow, deny := tool.Allow(names...), tool.Deny(names...)
	names[0] = "other"
	for want, r := range map[string]tool.Restriction{"find": allow, "other": deny} {
		scope, err := reg.Scope(r)
		must(t, err)
		defs := scope.Tools()
		if len(defs) != 1 || defs[0].Name != want {
			t.Errorf("the scope shows %+v, want %s", defs, want)
		}
		raw := string(defs[0].Parameters)
		clear(defs[0].Parameters)
		_ = append(defs[0].Parameters[:0], "null"...)
		if got := scope.Tools()[0].Parameters; string(got) != raw || !json.Valid(got) {
			t.Errorf("parameters %s", got)
		}
		again, err := scope.Scope()
		must(t, err)
		if got := again.Tools()[0].Parameters; string(got) != raw {
			t.Errorf("parameters %s", got)
		}
		if res := scope.Call(context.Background(), tool.Call{Name: want, Arguments: json.RawMessage(`{"q":"x"}`)}); res.Text != "got x" {
			t.Errorf("%+v", res)
		}
	}
}

// Limits are a deployment's to choose, in place of the contract's; one that is none is refused.
func TestLimitsOfMount(t *testing.T) {
	for _, c := range []struct {
		option tool.MountOption
		words  string
	}{
		{tool.Deadline(0), "the deadline 0s is not positive"},
		{tool.Deadline(-time.Second), "the deadline -1s is not positive"},
		{tool.ResultBytes(0), "the limit of 0 bytes for results is not positive"},
		{tool.ArgumentBytes(-1), "the limit of -1 bytes for arguments is not positive"},
	} {
		wantError(t, mount(tool.NewRegistry(), contract("find"), "", c.option), "find", c.words)
	}
	reg := tool.NewRegistry()
	c := contract("find")
	c.Variants[0].Limits = tool.Limits{ArgumentBytes: 10, ResultBytes: 10}
	must(t, mount(reg, c, "", tool.ArgumentBytes(100), tool.ResultBytes(20)))
	must(t, mount(reg, c, "", tool.As("other"), tool.Primary()))
	scope, err := reg.Scope()
	must(t, err)
	for _, c := range []struct{ name, q, text string }{
		{"find", "0123456789", "got 0123456789"},
		{"find", "0123456789012345678", "got 01234567890\n[3 bytes were left out here]\n45678"},
		{"find", strings.Repeat("x", 100), "too-large"},
		{"other", "", "got "},
		{"other", "012345", "too-large"},
	} {
		if r := scope.Call(t.Context(), tool.Call{Name: c.name, Arguments: json.RawMessage(`{"q":"` + c.q + `"}`)}); !strings.Contains(r.Text, c.text) {
			t.Errorf("%+v: %s", c, r.Text)
		}
	}
}
