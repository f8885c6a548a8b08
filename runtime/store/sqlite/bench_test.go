package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/storetest"
)

// BenchmarkStore is the store as it is.
func BenchmarkStore(b *testing.B) { bench(b) }

// BenchmarkUnsynced does not wait for the disk: the difference is what the disk costs.
func BenchmarkUnsynced(b *testing.B) { bench(b, unsynced) }

// BenchmarkSingle writes each step by itself: the difference is what sharing transactions saves.
func BenchmarkSingle(b *testing.B) { bench(b, func(o *options) { o.single = true }) }

func bench(b *testing.B, opts ...Option) {
	storetest.Benchmark(b, func(tb testing.TB) store.Store {
		return opened(tb, filepath.Join(tb.TempDir(), "store.db"), opts...)
	})
}

// BenchmarkOpen opens a file with so many stored conversations, reads the first page of children, and looks for the dead.
func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		path := filepath.Join(b.TempDir(), "store.db")
		s, err := Open(path, unsynced)
		require.NoError(b, err)
		storetest.Fill(b, s, n)
		require.NoError(b, s.Close())
		info, err := os.Stat(path)
		require.NoError(b, err)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				s, err := Open(path)
				require.NoError(b, err)
				_, err = s.Children(b.Context(), "root", "", 20)
				require.NoError(b, err)
				_, err = s.Dead(b.Context(), 0)
				require.NoError(b, err)
				require.NoError(b, s.Close())
			}
			b.ReportMetric(float64(info.Size())/float64(n), "file-B/child")
		})
	}
}
