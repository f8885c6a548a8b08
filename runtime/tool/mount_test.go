package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
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

// A cap is a deployment's own limit of a parameter: it holds for what is sent and for the default, and the model is not told.
func TestCap(t *testing.T) {
	c := contract("find")
	for i := range c.Variants {
		c.Variants[i].Params = &schema.Schema{Root: &schema.Type{Kind: schema.Object, Fields: []schema.Field{
			{Name: "limit", Slot: 0, Type: &schema.Type{Kind: schema.Int, Min: "1", Max: "100"}, Default: "10"},
			{Name: "x", Slot: 1, Type: &schema.Type{Kind: schema.Number}, Default: "0.5"},
			{Name: "word", Slot: 2, Type: &schema.Type{Kind: schema.String}, Default: `""`},
		}}}
	}
	read := func(d *decode.Decoder) any {
		var v struct {
			limit int64
			x     float64
		}
		o := d.Object()
		for d.NextField(&o) {
			switch o.Slot {
			case 0:
				v.limit = d.Int()
			case 1:
				v.x = d.Float()
			}
		}
		text := fmt.Sprint(v.limit, " ", v.x)
		return &text
	}
	mounted := func(opts ...tool.MountOption) (*tool.Scope, error) {
		reg := tool.NewRegistry()
		err := tool.Mount(reg, tool.Binding{Contract: c, Decode: read, Run: func(_ context.Context, _ tool.Call, text any) (tool.Output, error) {
			return tool.Plain(*text.(*string)), nil
		}}, opts...)
		if err != nil {
			return nil, err
		}
		return reg.Scope()
	}
	plain, err := mounted()
	must(t, err)
	capped, err := mounted(tool.Cap("limit", 5), tool.Cap("x", 0.25))
	must(t, err)
	if a, b := string(plain.Tools()[0].Parameters), string(capped.Tools()[0].Parameters); a != b {
		t.Errorf("the model is told: %s", b)
	}
	for _, c := range []struct{ args, text, repairs string }{
		{`{}`, "5 0.25", "[{cap /limit} {cap /x}]"},
		{`{"limit":7,"x":1}`, "5 0.25", "[{cap /limit} {cap /x}]"},
		{`{"limit":5,"x":0.2}`, "5 0.2", "[]"},
		{`{"limit":"7"}`, "5 0.25", "[{number-string /limit} {cap /limit} {cap /x}]"},
	} {
		call := tool.Call{Name: "find", Arguments: json.RawMessage(c.args)}
		r := capped.Dispatcher().Dispatch(t.Context(), []tool.Call{call})[0]
		if r.Text != c.text || fmt.Sprint(r.Arguments.Repairs) != c.repairs {
			t.Errorf("%s: %+v", c.args, r)
		}
		if s := capped.Call(t.Context(), call); !strings.Contains(c.args, `"7"`) && s.Text != c.text || strings.Contains(c.args, `"7"`) && s.Outcome != tool.Refused {
			t.Errorf("strict, %s: %+v", c.args, s)
		}
	}
	for _, c := range []struct {
		option tool.MountOption
		words  string
	}{
		{tool.Cap("limt", 5), "params.limt"}, {tool.Cap("word", 5), "params.word"}, {tool.Cap("limit", int64(101)), "params.limit"},
		{tool.Cap("limit", 2.5), "params.limit"},
	} {
		_, err := mounted(c.option)
		wantError(t, err, "find cannot be mounted with these caps", c.words)
	}
	_, err = mounted(tool.Cap("limit", 5), tool.Cap("limit", 6))
	wantError(t, err, "params.limit", "a cap already")
}
