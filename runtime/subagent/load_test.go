package subagent_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// spawning is the brain of an agent that starts n children, at most batch in a message, and then waits for them.
func spawning(n, batch int) brain {
	return func(r turnOf) (*agent.Response, error) {
		begun := r.n * batch
		if begun >= n {
			return say("ok")
		}
		var calls []agent.Call
		for i := begun; i < min(begun+batch, n); i++ {
			calls = append(calls, start(fmt.Sprintf("child %d", i)))
		}
		return do(calls...)
	}
}

// crowd makes a root with n children that do as they please.
func crowd(t testing.TB, n int, child brain) *world {
	w := newWorld(t, map[string]brain{"": spawning(n, 50), "*": child})
	w.begin("go")
	return w
}

// Load: 1,000 children under one parent settle with nothing lost.
func TestThousandChildren(t *testing.T) {
	const n = 1000
	b := newBook()
	w := newWorld(t, map[string]brain{"": spawning(n, 50), "*": func(r turnOf) (*agent.Response, error) {
		if r.n == 0 {
			return do(report("half way"))
		}
		return say("I am " + r.Agent.Label)
	}}, func(w *world) { b.observe(w) })
	w.begin("go")
	require.NoError(t, w.root.Wait(t.Context()))
	require.Len(t, w.notices(w.root.ID()), n)
	require.Len(t, w.reports(w.root.ID()), n)
	w.audit(b, "a thousand children")
	w.close()
	residents, err := w.store.Residents(t.Context(), "")
	require.NoError(t, err)
	require.Empty(t, residents)
}

// Load: a tree 5 deep, of 4 children each, settles from the leaves up with nothing lost.
func TestDeepTree(t *testing.T) {
	const deep, wide = 5, 4
	b := newBook()
	spawn := spawning(wide, wide)
	grow := func(r turnOf) (*agent.Response, error) {
		if r.Agent.Depth == deep {
			return say("leaf")
		}
		return spawn(r)
	}
	w := newWorld(t, map[string]brain{"": grow, "*": grow}, func(w *world) {
		options := continuable[0].Options
		options.MaxDepth = tool.Some[int64](deep)
		w.cfg.Delegations = []subagent.Delegation{{Options: options}}
		b.observe(w)
	})
	w.begin("go")
	require.NoError(t, w.root.Wait(t.Context()))
	require.Len(t, w.ends, 4+16+64+256+1024)
	settled := map[store.ID]bool{}
	for _, e := range w.ends {
		settled[e.ID] = true
		children, err := w.svc.Children(t.Context(), e.ID)
		require.NoError(t, err)
		for _, c := range children {
			require.True(t, settled[c.ID], "%s before its parent", c.ID)
		}
	}
	w.audit(b, "a deep tree")
	w.close()
}

// What a child costs from its start to its notice, by how many there are under one parent: the time per child says how that grows.
func BenchmarkChildren(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				w := crowd(b, n, saying("done"))
				require.NoError(b, w.root.Wait(b.Context()))
				w.close()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/child")
		})
	}
}

// What a child that is resident holds in memory, by how many there are.
func BenchmarkResidentMemory(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for range b.N {
				before := heap()
				w := crowd(b, n, func(r turnOf) (*agent.Response, error) { <-r.ctx.Done(); return nil, r.ctx.Err() })
				for w.residents() < n {
					runtime.Gosched()
				}
				b.ReportMetric(float64(heap()-before)/float64(n), "B/child")
				w.close()
			}
		})
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

// residents counts the children that have been asked for an answer and not given one.
func (w *world) residents() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.calls) - 1
}

// What one turn costs: a message, a call of the model and its end.
func BenchmarkTurn(b *testing.B) {
	w := newWorld(b, map[string]brain{"": saying("ok")})
	w.create()
	b.ReportAllocs()
	for range b.N {
		if _, err := w.root.Prompt(b.Context(), "go"); err != nil {
			b.Fatal(err)
		}
	}
	w.close()
}
