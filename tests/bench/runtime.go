package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/contracts"

	"github.com/toolgen-dev/toolgen/tests/bench/gen/bench"
)

// dispatcher mounts the tool six and returns its dispatcher, and the scope that it is of.
type dispatcher struct {
	name string
	open func() (*tool.Scope, error)
}

var dispatchers = []dispatcher{
	{"generated, safe", func() (*tool.Scope, error) {
		reg := tool.NewRegistry()
		err := bench.MountSix(reg, bench.SixOptions{}, func(context.Context, tool.Call, bench.SixArgs) (tool.Plain, error) { return "done", nil })
		if err != nil {
			return nil, err
		}
		return reg.Scope()
	}},
	{"loaded, safe", func() (*tool.Scope, error) { return loadedScope(true) }},
	{"loaded, exclusive", func() (*tool.Scope, error) { return loadedScope(false) }},
}

func loadedScope(safe bool) (*tool.Scope, error) {
	c, err := contract(six)
	if err != nil {
		return nil, err
	}
	c.Variants[0].Safe = safe // it was loaded for this scope alone
	reg := tool.NewRegistry()
	if err := contracts.Mount(reg, c, contracts.Options{}, handled); err != nil {
		return nil, err
	}
	return reg.Scope()
}

func handled(context.Context, tool.Call, json.RawMessage) (tool.Output, error) {
	return tool.Plain("done"), nil
}

// messageSizes are how many calls a message has.
var messageSizes = []int{1, 8, 64}

// message is n valid calls.
func message(n int) []tool.Call {
	calls := make([]tool.Call, n)
	for i := range calls {
		calls[i] = tool.Call{ID: fmt.Sprintf("call_%d", i), Name: six.name, Arguments: json.RawMessage(six.valid)}
	}
	return calls
}

// done checks that every call of a message was carried out.
func done(results []tool.CallResult, n int) error {
	if len(results) != n {
		return fmt.Errorf("%d results for %d calls", len(results), n)
	}
	for _, r := range results {
		if r.IsError || r.Text != "done" {
			return fmt.Errorf("call %s: %s", r.ID, r.Text)
		}
	}
	return nil
}

// dispatches measures whole messages.
func dispatches(set settings) (string, error) {
	t := newTable("a message of calls, each with the arguments six", "calls", "µs", "µs a call", "B", "allocs")
	for _, d := range dispatchers {
		scope, err := d.open()
		if err != nil {
			return "", err
		}
		if d.name == dispatchers[0].name {
			call := message(1)[0]
			if err := done([]tool.CallResult{scope.Call(context.Background(), call)}, 1); err != nil {
				return "", err
			}
			f := measure(set.rounds, set.slice, []probe{{d.name, func() { result = scope.Call(context.Background(), call) }}})[0]
			t.row(d.name+", `Scope.Call`", "1", micro(f.ns), micro(f.ns), number(f.bytes), number(f.allocs))
		}
		dispatcher := scope.Dispatcher()
		for _, n := range messageSizes {
			calls := message(n)
			if err := done(dispatcher.Dispatch(context.Background(), calls), n); err != nil {
				return "", err
			}
			f := measure(set.rounds, set.slice, []probe{{d.name, func() { results = dispatcher.Dispatch(context.Background(), calls) }}})[0]
			t.row(d.name, fmt.Sprint(n), micro(f.ns), micro(f.ns/float64(n)), number(f.bytes), number(f.allocs))
		}
	}
	return t.String(), nil
}

var (
	result  tool.CallResult
	results []tool.CallResult
	scoped  *tool.Scope
)

func micro(ns float64) string { return fmt.Sprintf("%.1f", ns/1000) }

// scopeSizes are how many tools a scope has.
var scopeSizes = []int{10, 100, 1000}

// registry mounts n tools of the shape six. Where they speak of each other, each one's description names the next one.
func registry(n int, speak bool) (*tool.Registry, error) {
	base, err := contract(six)
	if err != nil {
		return nil, err
	}
	reg := tool.NewRegistry()
	for i := range n {
		c := *base
		c.Name, c.Mounted, c.Index = fmt.Sprintf("search_%d", i), fmt.Sprintf("search_%d", i), i
		v := base.Variants[0]
		v.Description = []tool.Clause{{ID: "purpose", Text: tool.Text{{Lit: fmt.Sprintf("Searches archive %d for documents.", i)}}}}
		if speak {
			next := fmt.Sprintf("search_%d", (i+1)%n)
			v.Description = append(v.Description, tool.Clause{ID: "next", Text: tool.Text{{Lit: "What is newer, `"}, {Tool: next}, {Lit: "` finds."}}})
		}
		c.Variants = []tool.Variant{v}
		if err := contracts.Mount(reg, &c, contracts.Options{}, handled); err != nil {
			return nil, err
		}
	}
	return reg, nil
}

// scopeCase is one way to make a scope.
type scopeCase struct {
	name  string
	speak bool
	make  func(reg *tool.Registry, parent *tool.Scope) (*tool.Scope, error)
	gone  int // tools that are hidden
}

var scopeCases = []scopeCase{
	{"of a registry", false, func(reg *tool.Registry, _ *tool.Scope) (*tool.Scope, error) { return reg.Scope() }, 0},
	{"of a registry; each tool speaks of another", true, func(reg *tool.Registry, _ *tool.Scope) (*tool.Scope, error) { return reg.Scope() }, 0},
	{"a child's, one tool less", false, narrower, 1},
	{"a child's, one tool less; each speaks of another", true, narrower, 1},
}

func narrower(_ *tool.Registry, parent *tool.Scope) (*tool.Scope, error) {
	return parent.Scope(tool.Deny("search_1"))
}

// open mounts n tools and returns what makes the scope, which was seen to show what it should.
func (c scopeCase) open(n int) (func() (*tool.Scope, error), error) {
	reg, err := registry(n, c.speak)
	if err != nil {
		return nil, err
	}
	parent, err := reg.Scope()
	if err != nil {
		return nil, err
	}
	build := func() (*tool.Scope, error) { return c.make(reg, parent) }
	s, err := build()
	if err != nil {
		return nil, err
	}
	if got := len(s.Tools()); got != n-c.gone {
		return nil, fmt.Errorf("%s shows %d of %d tools", c.name, got, n)
	}
	return build, nil
}

// scopes measures the building of scopes.
func scopes(set settings) (string, error) {
	t := newTable("a scope", "tools", "µs", "B", "allocs")
	for _, c := range scopeCases {
		for _, n := range scopeSizes {
			build, err := c.open(n)
			if err != nil {
				return "", err
			}
			f := measure(set.rounds, set.slice, []probe{{c.name, func() { scoped, _ = build() }}})[0]
			t.row(c.name, number(float64(n)), micro(f.ns), number(f.bytes), number(f.allocs))
		}
	}
	return t.String(), nil
}
