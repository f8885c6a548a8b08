package subagent_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

var rootSpec = subagent.RootSpec{Label: "root"}

func limited(l subagent.Limits) func(*world) { return func(w *world) { w.cfg.Limits = l } }

// The limit of resident children: the error names who holds the places. A foreground child holds one, too.
func TestChildrenLimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var w *world
		w = newWorld(t, map[string]brain{
			"": obeying(map[string]agent.Call{"one": start("one"), "two": start("two"), "three": start("three"),
				"four": start("four", args{"run_in_background": false})}),
			"*": func(r turnOf) (*agent.Response, error) { return &agent.Response{Text: "done"}, w.at(r, r.Agent.Label) },
		}, limited(subagent.Limits{Children: 2}))
		defer w.close()
		w.create()
		prompt(t, w, "one")
		prompt(t, w, "two")
		require.Equal(t, "no other subagent can run now: the limit is 2 resident subagents of one agent, and the places are held by a2 — one, a3 — two. "+
			"A place becomes free when one of them has finished.", prompt(t, w, "three"))
		require.Contains(t, prompt(t, w, "four"), "held by a2 — one, a3 — two")
		w.open("one")
		synctest.Wait()
		require.Contains(t, prompt(t, w, "three"), "Started subagent")
		require.Contains(t, prompt(t, w, "three"), "held by a3 — two, a4 — three")
		w.open("two")
		w.open("three")
		require.NoError(t, w.root.Wait(t.Context()))
	})
}

// The limit of a whole tree.
func TestTotalLimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var w *world
		said := ""
		w = newWorld(t, map[string]brain{
			"": delegating(start("c")),
			"c": func(r turnOf) (*agent.Response, error) {
				switch {
				case r.n == 0:
					return do(start("x"), start("y"), start("z"))
				case r.n == 1:
					said = strings.Join(r.results(), "\n")
				}
				return say("c")
			},
			"*": func(r turnOf) (*agent.Response, error) { return &agent.Response{Text: "done"}, w.at(r, "go") },
		}, limited(subagent.Limits{Total: 3}))
		defer w.close()
		w.begin("go")
		synctest.Wait()
		require.Equal(t, 2, strings.Count(said, "Started subagent"))
		require.Contains(t, said, "the limit is 3 resident subagents in all, and the places are held by a2 — c, ")
		_, holders, _ := strings.Cut(said, "held by ")
		holders, _, _ = strings.Cut(holders, ". A place")
		require.Len(t, strings.Split(holders, ", "), 3, "those that are starting hold one, too: %s", said)
		w.open("go")
		require.NoError(t, w.root.Wait(t.Context()))
	})
}

// Fact "slots leak": settled children never count. Who has been told of a settlement finds the place free, at every interleaving.
func TestSettledHoldNoPlace(t *testing.T) {
	for seed := range seeds(t, 500) {
		bubble(t, func(t *testing.T) {
			w := newWorld(t, map[string]brain{
				"": func(r turnOf) (*agent.Response, error) {
					for _, text := range r.results() {
						require.NotContains(t, text, "the limit is", "seed %d:\n%s", seed, "")
					}
					switch {
					case r.n == 0 || r.n < 6 && r.has(agent.Settlement, ""):
						return do(start(fmt.Sprintf("c%d", r.n)))
					}
					return say("ok")
				},
				"*": saying("done"),
			}, scheduled(seed), limited(subagent.Limits{Children: 1, Total: 1}))
			defer w.close()
			w.begin("go")
			w.sched.run()
			require.NotEmpty(t, w.notices("a1"))
		})
	}
}

// A failed start holds no place, and neither does one of a child that could not be made.
func TestFailedStartHoldsNoPlace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		broken := true
		w := newWorld(t, map[string]brain{"": obeying(map[string]agent.Call{"start": start("c")}), "*": saying("done")},
			limited(subagent.Limits{Children: 1}), func(w *world) {
				models := w.cfg.Models
				w.cfg.Models = func(name string) (agent.Model, error) {
					if name == "other" && broken {
						return nil, fmt.Errorf("no such model")
					}
					return models(name)
				}
				w.cfg.Delegations = []subagent.Delegation{{Options: continuable[0].Options, Model: "other"}}
			})
		defer w.close()
		w.create()
		for range 3 {
			require.Contains(t, prompt(t, w, "start"), `the model "other": no such model`)
		}
		broken = false
		require.Contains(t, prompt(t, w, "start"), "Started subagent")
		require.NoError(t, w.root.Wait(t.Context()))
	})
}

// The depth limit: an agent that could start nothing has no tool for it, nor any for what it could not have started. One that
// was made when the limit was higher is refused, and told who is above it.
func TestDepthLimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var mu sync.Mutex
		tools := map[int]string{}
		dig := func(r turnOf) (*agent.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			tools[r.Agent.Depth] = r.names()
			if r.n == 0 && r.Agent.Depth < 2 {
				return do(start("deeper"))
			}
			return say("ok")
		}
		deep := continuable[0].Options
		deep.MaxDepth = tool.Some[int64](2)
		w := newWorld(t, map[string]brain{"": dig, "*": dig}, func(w *world) { w.cfg.Delegations = []subagent.Delegation{{Options: deep}} })
		w.begin("go")
		require.NoError(t, w.root.Wait(t.Context()))
		require.Equal(t, "subagent list_agents send_message interrupt_agent", tools[0])
		require.Equal(t, "subagent list_agents send_message interrupt_agent report", tools[1])
		require.Equal(t, "report", tools[2])
		w.close()

		shallow := continuable[0].Options
		shallow.MaxDepth = tool.Some[int64](1)
		again := newWorld(t, map[string]brain{
			"": obeying(map[string]agent.Call{"wake": send("a2", "once more")}),
			"deeper": func(r turnOf) (*agent.Response, error) {
				if r.n == 0 {
					return do(start("too deep"))
				}
				return say(r.results()[0])
			},
		}, func(v *world) {
			v.store, v.cfg.Process = w.store, "q"
			v.cfg.Delegations = []subagent.Delegation{{Options: shallow}}
		})
		defer again.close()
		var err error
		again.root, err = again.svc.Open(t.Context(), "a1")
		require.NoError(t, err)
		prompt(t, again, "wake")
		require.NoError(t, again.root.Wait(t.Context()))
		log := again.log("a2")
		require.Equal(t, "do the task yourself: a subagent of yours would be at depth 2, and the limit is 1 (you are a2, started by a1)", log[len(log)-1].Text)
	})
}

// Who looks for a place while another agent becomes resident does not take that one for one that has settled: it would wait for its
// end, and keep it from starting anything meanwhile.
func TestLimitWhileOneBegins(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var w *world
		w = newWorld(t, map[string]brain{
			"": delegating(start("a"), start("b")),
			"a": func(r turnOf) (*agent.Response, error) {
				if r.n == 0 {
					return do(start("x"))
				}
				return say("ok")
			},
			"b": func(r turnOf) (*agent.Response, error) {
				if r.n == 0 {
					if err := w.at(r, "starting"); err != nil {
						return nil, err
					}
					return do(start("y"))
				}
				return say(strings.Join(r.results(), "\n"))
			},
			"x": func(r turnOf) (*agent.Response, error) {
				if r.n == 0 {
					w.open("begun")
					return do(start("z"))
				}
				return say("ok")
			},
		}, limited(subagent.Limits{Total: 3}), func(w *world) {
			first := true
			w.store = &hooked{Store: w.store,
				before: func(step string, of store.ID, _ string) error {
					if step == "start" && of == "a2" {
						w.open("starting")  // x has its place
						<-w.fence("looked") // and b looks before x is resident
					}
					return nil
				},
				after: func(step string, _ store.ID, _ string) error {
					if step == "residents" && first {
						first = false
						w.open("looked")
						<-w.fence("begun") // and goes on when it is
					}
					return nil
				},
			}
		})
		defer w.close()
		w.begin("go")
		require.NoError(t, w.root.Wait(t.Context()))
		require.Contains(t, w.conv(w.id("b")).Text, "the limit is 3 resident subagents in all, and the places are held by a2 — a, ")
	})
}
