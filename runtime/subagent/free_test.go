package subagent_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/memory"
	"github.com/toolgen-dev/toolgen/runtime/store/sqlite"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// TestFreeTrees runs random trees as the machine schedules them, over both stores, and compares each inbox with the book.
func TestFreeTrees(t *testing.T) {
	open := map[string]struct {
		n    uint64
		open func(t *testing.T) store.Store
	}{
		"memory": {150, func(*testing.T) store.Store { return memory.New() }},
		"sqlite": {8, func(t *testing.T) store.Store {
			s, err := sqlite.Open(filepath.Join(t.TempDir(), "store.db"))
			require.NoError(t, err)
			return s
		}},
	}
	for name, c := range open {
		t.Run(name, func(t *testing.T) {
			for seed := range seeds(t, c.n) {
				freeTree(t, seed, c.open(t))
			}
		})
	}
}

func freeTree(t *testing.T, seed uint64, s store.Store) {
	c := &chaos{seed: seed, budget: 20 + int(seed%60), kids: map[store.ID][]store.ID{}}
	b := newBook()
	b.stops = true
	w := newWorld(t, map[string]brain{"": c.think, "*": c.think}, func(w *world) {
		w.store = s
		w.cfg.Delegations = []subagent.Delegation{
			{Options: agents.SubagentOptions{BackgroundMode: agents.SubagentBackgroundModeContinuable}, Primary: true},
			{Options: agents.SubagentOptions{MaxDepth: tool.Some[int64](2)}, Name: "work"},
		}
		b.observe(w)
		started := w.cfg.Observer.Started
		w.cfg.Observer.Started = func(id agent.Identity, resumed bool) {
			started(id, resumed)
			c.note(id, resumed)
		}
	})
	c.w = w
	w.begin("begin")
	require.NoError(t, w.root.Wait(t.Context()))
	w.audit(b, fmt.Sprintf("seed %d", seed))
	w.close()
	w.audit(b, fmt.Sprintf("seed %d, closed", seed))
	require.NoError(t, s.Close())
}
