package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

type args struct{ Q string }

func readArgs(d *decode.Decoder) any {
	var v args
	o := d.Object()
	for d.NextField(&o) {
		if o.Slot == 0 {
			v.Q = d.String()
		}
	}
	return &v
}

// contract is a tool with one option of three values, of which one goes with nothing, and a clause that speaks of
// another tool's parameter.
func contract(name string, clauses ...tool.Clause) *tool.Contract {
	variant := tool.Variant{
		Description: append([]tool.Clause{{ID: "purpose", Text: tool.Text{{Lit: "Does "}, {Tool: name}, {Lit: "."}}}}, clauses...),
		Schema:      tool.Text{{Lit: `{"type":"object","properties":{"q":{"type":"string","description":"For `}, {Tool: name}, {Lit: `."}},"required":["q"],"additionalProperties":false}`}},
		Params: &schema.Schema{Root: &schema.Type{Kind: schema.Object, Fields: []schema.Field{
			{Name: "q", Slot: 0, Type: &schema.Type{Kind: schema.String}, Required: true},
		}}},
	}
	without := variant
	without.Params = &schema.Schema{Root: &schema.Type{Kind: schema.Object, Fields: []schema.Field{
		{Name: "q", Slot: 0, Type: &schema.Type{Kind: schema.String}, Gone: true, By: "mode"},
	}}}
	return &tool.Contract{Package: "example.com/p", Name: name, Mounted: name,
		Options:      []tool.Option{{Name: "mode", Values: []string{"a", "b", "c"}}},
		Combinations: []tool.Combination{{Variant: 0}, {Variant: 1}, {Rejected: "c is not ready"}},
		Variants:     []tool.Variant{variant, without}}
}

func mount(reg *tool.Registry, c *tool.Contract, choice string, opts ...tool.MountOption) error {
	return tool.Mount(reg, tool.Binding{Contract: c, Choice: []string{choice}, Decode: readArgs, Run: func(_ context.Context, _ tool.Call, a any) (tool.Output, error) {
		switch q := a.(*args).Q; q {
		case "nil":
			return nil, nil
		case "error":
			return nil, errors.New("no luck")
		default:
			return tool.Plain("got " + q), nil
		}
	}}, opts...)
}

// noRun is the handler of tools that are not called.
func noRun(context.Context, tool.Call, any) (tool.Output, error) { return nil, nil }

func wantError(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", words)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q, want %q in it", err, w)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestMountRefuses(t *testing.T) {
	reg := tool.NewRegistry()
	c := contract("find")
	wantError(t, mount(reg, c, "c"), "find", "c is not ready")
	wantError(t, mount(reg, c, "d"), `no mode "d"`, "a, b, c")
	wantError(t, mount(reg, c, "a", tool.As("")), "no name for a tool")
	wantError(t, mount(reg, c, "a", tool.As("näme")), "no name for a tool")
	wantError(t, mount(reg, c, "a", tool.As(strings.Repeat("x", 65))), "1 to 64")
	wantError(t, tool.Mount(reg, tool.Binding{Contract: c}), "without a handler")
	damaged := contract("broken")
	damaged.Variants[0].Params = &schema.Schema{Root: &schema.Type{Kind: schema.Object, Fields: []schema.Field{
		{Name: "q", Type: &schema.Type{Kind: schema.Int}, Default: `"x"`}}}}
	wantError(t, mount(reg, damaged, "a"), "broken is damaged", "params.q")

	must(t, mount(reg, c, "a"))
	wantError(t, mount(reg, contract("find"), "a"), `"find" already`)
	wantError(t, mount(reg, contract("find"), "a", tool.As("FIND")), "reads like")
	if s, err := reg.Scope(); err != nil || len(s.Tools()) != 1 {
		t.Errorf("after refused mounts the scope shows %d tools, %v; want the one that was mounted", len(s.Tools()), err)
	}
}

// An open option has a type, too: a value that does not fit is refused when the tool is mounted, not when it matters.
func TestSettings(t *testing.T) {
	c := contract("find")
	c.Settings = []schema.Field{{Name: "maxDepth", Slot: 0, Required: true, Type: &schema.Type{Kind: schema.Int, Min: "0"}}}
	bind := func(values ...any) error {
		return tool.Mount(tool.NewRegistry(), tool.Binding{Contract: c, Settings: values, Decode: readArgs, Run: noRun})
	}
	must(t, bind(int64(3)))
	wantError(t, bind(int64(-1)), "find cannot be mounted", "/maxDepth")
	wantError(t, bind(), "/maxDepth")
}

func TestCall(t *testing.T) {
	reg := tool.NewRegistry()
	must(t, mount(reg, contract("find"), ""))
	scope, err := reg.Scope()
	must(t, err)
	for _, c := range []struct {
		args, text string
		isError    bool
	}{
		{`{"q":"x"}`, "got x", false},
		{`{"q":"error"}`, "no luck", true},
		{`{"q":"nil"}`, "returned no result", true},
		{`{"Q":"x"}`, `/Q`, true},
		{``, "nothing was done", true},
		{`{"q":"x"}{"q":"y"}`, "nothing was done", true},
	} {
		res := scope.Call(context.Background(), tool.Call{ID: "7", Name: "find", Arguments: json.RawMessage(c.args)})
		if res.IsError != c.isError || !strings.Contains(res.Text, c.text) || res.ID != "7" || res.Name != "find" {
			t.Errorf("%s: got %+v, want %q", c.args, res, c.text)
		}
	}
}

// What a handler did wrong reaches the program whole, and the model in words that say nothing of the program.
func TestFailures(t *testing.T) {
	boom := errors.New("boom")
	call := func(h func(context.Context) (tool.Output, error), change func(*tool.Variant)) tool.CallResult {
		c := contract("find")
		change(&c.Variants[0])
		reg := tool.NewRegistry()
		must(t, tool.Mount(reg, tool.Binding{Contract: c, Decode: readArgs, Run: func(ctx context.Context, _ tool.Call, _ any) (tool.Output, error) { return h(ctx) }}))
		scope, err := reg.Scope()
		must(t, err)
		return scope.Call(context.Background(), tool.Call{Name: "find", Arguments: json.RawMessage(`{"q":"x"}`)})
	}
	same := func(*tool.Variant) {}
	if res := call(func(context.Context) (tool.Output, error) { return nil, boom }, same); !errors.Is(res.Err, boom) || res.Text != "boom" || !res.IsError {
		t.Errorf("an error: %+v", res)
	}
	if res := call(func(context.Context) (tool.Output, error) { return nil, errors.New("") }, same); res.Text == "" || !res.IsError {
		t.Errorf("an error without a text: %+v", res)
	}
	res := call(func(context.Context) (tool.Output, error) { panic(boom) }, same)
	var p *tool.PanicError
	if !errors.As(res.Err, &p) || p.Value != any(boom) || len(p.Stack) == 0 || strings.Contains(res.Text, "boom") {
		t.Errorf("a panic: %+v", res)
	}
	if res := call(func(context.Context) (tool.Output, error) { return nil, nil }, same); res.Err == nil || !res.IsError {
		t.Errorf("no result: %+v", res)
	}
	res = call(func(ctx context.Context) (tool.Output, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}, func(v *tool.Variant) { v.Limits.Timeout = "1ms" })
	if !errors.Is(res.Err, context.DeadlineExceeded) {
		t.Errorf("a timeout: %+v", res)
	}
	long := strings.Repeat("é", 500) + "end"
	res = call(func(context.Context) (tool.Output, error) { return tool.Plain(long), nil }, func(v *tool.Variant) { v.Limits.ResultBytes = 101 })
	if !utf8.ValidString(res.Text) || !strings.HasPrefix(res.Text, "éé") || !strings.HasSuffix(res.Text, "end") || len(res.Text) > 160 ||
		!strings.Contains(res.Text, "bytes were left out here") {
		t.Errorf("a long result: %q", res.Text)
	}
	res = call(func(context.Context) (tool.Output, error) { return tool.Plain("x"), nil }, func(v *tool.Variant) { v.Results = []string{"found"} })
	if !res.IsError {
		t.Errorf("a plain result in place of a declared one: %+v", res)
	}
	res = call(func(context.Context) (tool.Output, error) { return tool.Plain("x"), nil }, func(v *tool.Variant) { v.Limits.ArgumentBytes = 4 })
	if !res.IsError || res.Err != nil || res.Arguments.Problems[0].Code != decode.TooLarge {
		t.Errorf("arguments beyond the limit: %+v", res)
	}
}

// A section is left out like a clause; a tool's further sections carry their label; sections of one order stand in the
// order of the source, whatever the order of mounting.
func TestSections(t *testing.T) {
	section := func(label string, main bool, order float64, text ...tool.Segment) tool.Section {
		return tool.Section{Label: label, Main: main, Order: order, Text: text}
	}
	first, second := contract("find"), contract("other")
	first.Index, second.Index = 0, 1
	for i := range first.Variants {
		first.Variants[i].Sections = []tool.Section{section("a", true, 120, tool.Segment{Lit: "A."}), section("b", false, 110, tool.Segment{Lit: "B of "}, tool.Segment{Tool: "other"})}
		second.Variants[i].Sections = []tool.Section{section("c", true, 120, tool.Segment{Lit: "C."})}
	}
	reg := tool.NewRegistry()
	must(t, mount(reg, second, ""))
	must(t, mount(reg, first, "", tool.As("look")))
	scope, err := reg.Scope()
	must(t, err)
	var ids []string
	for _, s := range scope.Sections() {
		ids = append(ids, s.ID)
	}
	if got := strings.Join(ids, " "); got != "tool:look/b tool:look tool:other" {
		t.Errorf("sections %s", got)
	}
	if got := scope.Prompt(); got != "B of other\n\nA.\n\nC." {
		t.Errorf("prompt %q", got)
	}
	scope, err = reg.Scope(tool.Deny("other"))
	must(t, err)
	if got := scope.Prompt(); got != "A." {
		t.Errorf("prompt %q", got)
	}
	if got := scope.Omitted(); len(got) != 1 || got[0] != (tool.Omission{Tool: "look", Section: true, ID: "b", Missing: "other"}) {
		t.Errorf("omitted %+v", got)
	}
}

// One label in two packages cannot be told apart in texts.
func TestOneLabelTwice(t *testing.T) {
	other := contract("find")
	other.Package = "example.com/q"
	reg := tool.NewRegistry()
	must(t, mount(reg, contract("find"), ""))
	must(t, mount(reg, other, "", tool.As("seek")))
	_, err := reg.Scope()
	wantError(t, err, "two packages have a tool find", "example.com/p", "example.com/q")
	if _, err := reg.Scope(tool.Allow("seek")); err != nil {
		t.Error(err)
	}
}

// A former name is answered with the present one, where that is visible.
func TestRetiredName(t *testing.T) {
	c := contract("find")
	c.RetiredNames = []string{"seek"}
	reg := tool.NewRegistry()
	must(t, mount(reg, c, "", tool.As("look")))
	must(t, mount(reg, contract("other"), ""))
	scope, err := reg.Scope()
	must(t, err)
	if res := scope.Call(context.Background(), tool.Call{Name: "seek"}); res.Text != `the tool "seek" is called look now` || !res.IsError {
		t.Errorf("%+v", res)
	}
	scope, err = reg.Scope(tool.Deny("look"))
	must(t, err)
	if res := scope.Call(context.Background(), tool.Call{Name: "seek"}); strings.Contains(res.Text, "look") {
		t.Errorf("a hidden tool is named: %+v", res)
	}
}

// A registry and its scopes serve many goroutines at once.
func TestConcurrentUse(t *testing.T) {
	reg := tool.NewRegistry()
	must(t, mount(reg, contract("find"), ""))
	scope, err := reg.Scope()
	must(t, err)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for k := range 50 {
				name := fmt.Sprintf("t%d-%d", i, k)
				if err := mount(reg, contract(name), ""); err != nil {
					t.Error(err)
				}
				s, err := reg.Scope(tool.Allow("find", name))
				if err != nil || len(s.Tools()) != 2 {
					t.Errorf("%d tools, %v", len(s.Tools()), err)
					return
				}
				want := fmt.Sprintf("got %s", name)
				args := json.RawMessage(fmt.Sprintf(`{"q":%q}`, name))
				for _, view := range []*tool.Scope{scope, s} {
					if res := view.Call(context.Background(), tool.Call{Name: "find", Arguments: args}); res.Text != want {
						t.Errorf("got %q, want %q", res.Text, want)
					}
				}
			}
		})
	}
	wg.Wait()
}

// A clause that speaks of a parameter stays only where the primary mount of that tool has the parameter.
func TestClauseOfAnotherToolsParameter(t *testing.T) {
	speaks := tool.Clause{ID: "see", Text: tool.Text{{Lit: "Mind `"}, {Tool: "other", Param: "q"}, {Lit: "`."}}}
	for choice, want := range map[string]string{"a": "Does find. Mind `q`.", "b": "Does find."} {
		reg := tool.NewRegistry()
		must(t, mount(reg, contract("find", speaks), "a"))
		must(t, mount(reg, contract("other"), choice))
		scope, err := reg.Scope()
		must(t, err)
		if got := scope.Tools()[0].Description; got != want {
			t.Errorf("mode %s: got %q, want %q", choice, got, want)
		}
		if n := len(scope.Omitted()); (n == 0) != (choice == "a") {
			t.Errorf("mode %s: %d omissions", choice, n)
		}
	}
}

// A tool whose every clause is left out cannot be shown.
func TestNoDescriptionLeft(t *testing.T) {
	c := contract("find")
	for i := range c.Variants {
		c.Variants[i].Description = []tool.Clause{{Text: tool.Text{{Lit: "Like "}, {Tool: "other"}}}}
	}
	reg := tool.NewRegistry()
	must(t, mount(reg, c, ""))
	_, err := reg.Scope()
	wantError(t, err, "find has no description left")
	must(t, mount(reg, contract("other"), ""))
	scope, err := reg.Scope()
	must(t, err)
	if got := scope.Tools()[0].Description; got != "Like other" {
		t.Errorf("got %q", got)
	}
}

// An enum's word may be spoken of while a visible tool uses the enum.
func TestClauseOfAnEnum(t *testing.T) {
	c := contract("find", tool.Clause{ID: "words", Text: tool.Text{{Lit: "It may be "}, {Enum: "status", Word: "ready"}, {Lit: "."}}})
	user := contract("user")
	for i := range user.Variants {
		user.Variants[i].Enums = []string{"status"}
	}
	reg := tool.NewRegistry()
	must(t, mount(reg, c, ""))
	must(t, mount(reg, user, ""))
	full, err := reg.Scope()
	must(t, err)
	if got := full.Tools()[0].Description; got != "Does find. It may be ready." {
		t.Errorf("got %q", got)
	}
	alone, err := full.Scope(tool.Allow("find"))
	must(t, err)
	if got := alone.Tools()[0].Description; got != "Does find." {
		t.Errorf("got %q", got)
	}
}

// The schema shows the mounted name, and is valid JSON.
func TestSchemaFollowsTheName(t *testing.T) {
	reg := tool.NewRegistry()
	must(t, mount(reg, contract("find"), "", tool.As("look-up")))
	scope, err := reg.Scope()
	must(t, err)
	raw := scope.Tools()[0].Parameters
	if !json.Valid(raw) || !strings.Contains(string(raw), "For look-up.") {
		t.Errorf("parameters %s", raw)
	}
}

func TestSwitchAndOpt(t *testing.T) {
	for _, def := range []bool{true, false} {
		if tool.Default.Resolve(def) != def || !tool.On.Resolve(def) || tool.Off.Resolve(def) {
			t.Errorf("Resolve(%v) is wrong", def)
		}
	}
	if tool.SwitchOf(true) != tool.On || tool.SwitchOf(false) != tool.Off || tool.Default.Word() != "" || tool.On.Word() != "true" || tool.Off.Word() != "false" {
		t.Error("SwitchOf or Word is wrong")
	}
	var none tool.Opt[int]
	if v, ok := none.Get(); ok || v != 0 || none.IsSet() || none.Or(5) != 5 {
		t.Error("the zero Opt is not absent")
	}
	if v, ok := tool.Some(0).Get(); !ok || v != 0 || tool.Some(0).Or(5) != 0 {
		t.Error("a present zero is not kept")
	}
}
