package tool_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// speaking is a tool of many that speak of each other: a clause and, for every fourth, a section name other tools, their
// parameters, or the words of an enum that some use.
func speaking(i, of int) *tool.Contract {
	name := func(i int) string { return fmt.Sprintf("tool_%d", (i+of)%of) }
	c := contract(name(i),
		tool.Clause{ID: "own", Text: tool.Text{{Lit: "What it is asked is `"}, {Tool: name(i), Param: "q"}, {Lit: "`, in plain words, as the user would say it."}}},
		tool.Clause{ID: "next", Text: tool.Text{{Lit: "When it finds nothing, go on with `"}, {Tool: name(i + 1)}, {Lit: "`, and give it `"}, {Tool: name(i + 1), Param: "q"}, {Lit: "` again."}}},
		tool.Clause{ID: "word", Text: tool.Text{{Lit: "What it finds may be "}, {Enum: fmt.Sprintf("enum_%d", i%7), Word: "ready"}, {Lit: "."}}},
	)
	c.Index = i
	for v := range c.Variants {
		if i%5 == 0 {
			c.Variants[v].Enums = []string{fmt.Sprintf("enum_%d", i%7)}
		}
		if i%4 == 0 {
			c.Variants[v].Sections = []tool.Section{
				{Label: "use", Main: true, Order: float64(100 + i%3), Text: tool.Text{{Lit: "Use `"}, {Tool: name(i)}, {Lit: "` before you say that a thing is missing."}}},
				{Label: "both", Order: 110, Text: tool.Text{{Lit: "`"}, {Tool: name(i)}, {Lit: "` and `"}, {Tool: name(i - 1)}, {Lit: "` go together."}}},
			}
		}
	}
	return c
}

func speakers(t testing.TB, n int) *tool.Registry {
	t.Helper()
	reg := tool.NewRegistry()
	for i := range n {
		if err := mount(reg, speaking(i, n), []string{"a", "b"}[i%6/5]); err != nil {
			t.Fatal(err)
		}
	}
	return reg
}

// shown is all that a scope says.
func shown(s *tool.Scope) string {
	var b strings.Builder
	for _, d := range s.Tools() {
		fmt.Fprintf(&b, "%+v %s\n", d, d.Parameters)
	}
	fmt.Fprintf(&b, "%+v\n%s\n%+v\n", s.Sections(), s.Prompt(), s.Omitted())
	return b.String()
}

// A scope says the same whether it was made at once or by narrowing another one, which shares what it can.
func TestNarrowedScopesSayTheSame(t *testing.T) {
	const n = 24
	reg := speakers(t, n)
	full, err := reg.Scope()
	must(t, err)
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		visible := map[string]bool{}
		for i := range n {
			visible[fmt.Sprintf("tool_%d", i)] = true
		}
		narrowed := full
		for range 1 + rnd.IntN(3) {
			var out, in []string
			for _, d := range narrowed.Tools() {
				if rnd.IntN(5) == 0 {
					out = append(out, d.Name)
					delete(visible, d.Name)
				} else {
					in = append(in, d.Name)
				}
			}
			r := tool.Deny(out...)
			if rnd.IntN(2) == 0 {
				r = tool.Allow(in...)
			}
			if narrowed, err = narrowed.Scope(r); err != nil {
				t.Fatal(err)
			}
		}
		var names []string
		for name := range visible { // in any order
			names = append(names, name)
		}
		atOnce, err := reg.Scope(tool.Allow(names...))
		must(t, err)
		if a, b := shown(atOnce), shown(narrowed); a != b {
			t.Fatalf("seed %d: %s", seed, cmp.Diff(a, b))
		}
	}
}

// Several restrictions hold together, in any order.
func TestRestrictions(t *testing.T) {
	reg := speakers(t, 6)
	for want, rs := range map[string][]tool.Restriction{
		"tool_1":               {tool.Allow("tool_1", "tool_2"), tool.Deny("tool_2")},
		"tool_2":               {tool.Deny("tool_1"), tool.Allow("tool_2", "tool_2")},
		"":                     {tool.Allow()},
		"tool_0 tool_4 tool_5": {tool.Deny("tool_1"), tool.Deny("tool_2", "tool_3")},
	} {
		s, err := reg.Scope(rs...)
		must(t, err)
		var names []string
		for _, d := range s.Tools() {
			names = append(names, d.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	_, err := reg.Scope(tool.Deny("tool_1"), tool.Allow("tool_1"))
	wantError(t, err, `names "tool_1", which is not visible here`)
	_, err = reg.Scope(tool.Allow("tol_1"))
	wantError(t, err, `did you mean "tool_1"?`)
}

// Each child can have a scope of its own: making one of 100 tools that speak of each other stays under 500 allocations, and
// one that hides nothing of what its parent shows costs a handful.
func TestScopesAreCheap(t *testing.T) {
	reg := speakers(t, 100)
	full, err := reg.Scope()
	must(t, err)
	for name, c := range map[string]struct {
		most float64
		make func() (*tool.Scope, error)
	}{
		"of a registry":              {500, func() (*tool.Scope, error) { return reg.Scope() }},
		"with a restriction":         {500, func() (*tool.Scope, error) { return reg.Scope(tool.Deny("tool_7", "tool_50")) }},
		"of a scope, all of it":      {25, func() (*tool.Scope, error) { return full.Scope() }},
		"of a scope, but one":        {60, func() (*tool.Scope, error) { return full.Scope(tool.Deny("tool_7")) }},
		"of a scope, and half of it": {500, func() (*tool.Scope, error) { return full.Scope(half()) }},
	} {
		if got := testing.AllocsPerRun(20, func() {
			if _, err := c.make(); err != nil {
				t.Fatal(err)
			}
		}); got > c.most {
			t.Errorf("a scope %s: %v allocations, at most %v", name, got, c.most)
		}
	}
}

func half() tool.Restriction {
	var names []string
	for i := range 50 {
		names = append(names, fmt.Sprintf("tool_%d", 2*i))
	}
	return tool.Deny(names...)
}
