package subagent_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// A child's scope is its parent's, narrowed: what a root may not use nobody below it may, and what one child may not use its own
// children may not either, whatever the deployment has mounted.
func TestScopesOnlyNarrow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		seen := map[string][]string{}
		var mu sync.Mutex
		see := func(r turnOf) {
			mu.Lock()
			defer mu.Unlock()
			for _, x := range r.Tools {
				if x.Name == "secret" || x.Name == "look" {
					seen[r.Agent.Label] = append(seen[r.Agent.Label], x.Name)
				}
			}
		}
		work := func(label string) agent.Call { return call("work", args{"description": label, "prompt": label}) }
		w := newWorld(t, map[string]brain{
			"":     delegating(start("free"), work("bound")),
			"free": func(r turnOf) (*agent.Response, error) { see(r); return say("ok") },
			"bound": func(r turnOf) (*agent.Response, error) {
				if r.n == 0 {
					see(r)
					return do(start("below"))
				}
				return say("ok")
			},
			"below": func(r turnOf) (*agent.Response, error) { see(r); return say("ok") },
		}, looking, withTool("secret", true, func(context.Context) (string, error) { return "", nil }), func(w *world) {
			w.cfg.Delegations = []subagent.Delegation{
				{Options: continuable[0].Options, Primary: true}, {Name: "work", Options: continuable[0].Options, Deny: []string{"look"}},
			}
		})
		defer w.close()
		var err error
		w.root, err = w.svc.Create(t.Context(), subagent.RootSpec{Deny: []string{"secret"}})
		require.NoError(t, err)
		prompt(t, w, "go")
		require.NoError(t, w.root.Wait(t.Context()))
		require.Equal(t, map[string][]string{"free": {"look"}}, seen)
		require.Equal(t, 1, w.started("below"))
	})
}

// A child that can start nobody is told what notices are where it begins with a conversation that may hold some, and not otherwise; a
// root is told of nobody who started it. All of them may use the same tools in one process.
func TestGuideIsForWhatComes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		systems := map[string]string{}
		var mu sync.Mutex
		see := func(r turnOf) (*agent.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			systems[r.Agent.Label] = r.System
			return say("ok")
		}
		foreground := func(name, label string) agent.Call {
			return call(name, args{"description": label, "prompt": label, "run_in_background": false})
		}
		one := tool.Some[int64](1)
		w := newWorld(t, map[string]brain{
			"": func(r turnOf) (*agent.Response, error) {
				if len(r.Tools) == 1 {
					return see(r)
				}
				if r.n == 0 {
					return do(foreground("subagent", "inherited"), foreground("work", "fresh"))
				}
				return say("ok")
			}, "inherited": see, "fresh": see,
		}, looking, func(w *world) {
			w.cfg.Delegations = []subagent.Delegation{
				{Options: agents.SubagentOptions{History: agents.SubagentHistoryInherited, MaxDepth: one}, Primary: true, Allow: []string{"look"}},
				{Name: "work", Options: agents.SubagentOptions{MaxDepth: one}, Allow: []string{"look"}},
			}
		})
		defer w.close()
		w.begin("go")
		require.NoError(t, w.root.Wait(t.Context()))
		guide, ok := agent.Guide(agent.Receives{Coordinator: true, Notices: true})
		require.True(t, ok)
		require.Equal(t, guide.Text, systems["inherited"])
		guide, ok = agent.Guide(agent.Receives{Coordinator: true})
		require.True(t, ok)
		require.Equal(t, guide.Text, systems["fresh"])
		root, err := w.svc.Create(t.Context(), subagent.RootSpec{Label: "bare", Allow: []string{"look"}})
		require.NoError(t, err)
		_, err = root.Prompt(t.Context(), "hello")
		require.NoError(t, err)
		require.Contains(t, systems, "bare")
		require.Empty(t, systems["bare"])
	})
}

// A deployment that took a tool away does not give it to a conversation of before, which goes on without it.
func TestToolTakenAway(t *testing.T) {
	bubble(t, func(t *testing.T) {
		first := newWorld(t, nil, looking)
		first.create()
		require.NoError(t, first.root.Close(t.Context()))
		first.close()
		var names []string
		second := newWorld(t, map[string]brain{"": func(r turnOf) (*agent.Response, error) {
			for _, x := range r.Tools {
				names = append(names, x.Name)
			}
			return say("hello")
		}}, func(w *world) { w.store, w.cfg.Process = first.store, "q" })
		defer second.close()
		var err error
		second.root, err = second.svc.Open(t.Context(), "a1")
		require.NoError(t, err)
		require.Equal(t, "hello", prompt(t, second, "hello"))
		require.NotEmpty(t, names)
		require.NotContains(t, names, "look")
	})
}
