package subagent_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/sqlite"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// What a process costs that comes to a file with so many stored agents: to open it, find nobody dead, and make a root resident again,
// a small one or the one that has started them all; and to list all of its agents.
func BenchmarkRestart(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		path := filepath.Join(b.TempDir(), "store.db")
		var large, small store.ID
		fill := func(w *world) {
			s, err := sqlite.Open(path)
			require.NoError(b, err)
			w.store = s
		}
		w := newWorld(b, map[string]brain{"": spawning(n, 50), "*": saying("done")}, fill)
		w.begin("go")
		require.NoError(b, w.root.Wait(b.Context()))
		large = w.root.ID()
		w.brains[""] = saying("ok")
		w.create()
		small = w.root.ID()
		_, err := w.root.Prompt(b.Context(), "go")
		require.NoError(b, err)
		w.close()
		require.NoError(b, w.store.Close())
		for _, one := range []struct {
			what string
			root store.ID
		}{{"small", small}, {"large", large}} {
			b.Run(fmt.Sprintf("%d/%s root", n, one.what), func(b *testing.B) {
				for range b.N {
					again(b, path, w.cfg, func(svc *subagent.Service) {
						_, err := svc.Open(b.Context(), one.root)
						require.NoError(b, err)
					})
				}
			})
		}
		b.Run(fmt.Sprintf("%d/list", n), func(b *testing.B) {
			again(b, path, w.cfg, func(svc *subagent.Service) {
				for b.Loop() {
					all, err := svc.Children(b.Context(), large)
					require.NoError(b, err)
					require.Len(b, all, n)
				}
			})
		})
	}
}

// again opens a file as a new process does.
func again(b *testing.B, path string, cfg subagent.Config, f func(*subagent.Service)) {
	s, err := sqlite.Open(path)
	require.NoError(b, err)
	cfg.Store, cfg.Tools, cfg.Process, cfg.Observer = s, tool.NewRegistry(), "", nil
	svc, err := subagent.New(cfg)
	require.NoError(b, err)
	require.NoError(b, svc.Recover(b.Context()))
	f(svc)
	require.NoError(b, svc.Close(context.Background()))
	require.NoError(b, s.Close())
}
