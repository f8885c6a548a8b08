package tool_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
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
		return tool.Mount(tool.NewRegistry(), tool.Binding{Contract: c, Choice: []string{s.Word()}, Prepare: func(*decode.Decoder) tool.Run { return nil }})
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
