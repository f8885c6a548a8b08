package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

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

// BenchmarkShared lets three handles write to one file without a pause, four goroutines each, and reports how long the
// unluckiest step took.
func BenchmarkShared(b *testing.B) {
	path := filepath.Join(b.TempDir(), "store.db")
	var handles []*Store
	for range 3 {
		handles = append(handles, opened(b, path))
	}
	_, err := handles[0].Create(b.Context(), "p", store.NewConversation{ID: "r", Kind: store.Root})
	require.NoError(b, err)
	var next, longest atomic.Int64
	b.SetParallelism(12 / runtime.GOMAXPROCS(0))
	b.ResetTimer()
	var who atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		s := handles[who.Add(1)%3]
		for pb.Next() {
			begun := time.Now()
			m := store.Message{ID: fmt.Sprint(next.Add(1)), To: "r", Kind: store.FromUser, Lane: store.Step}
			if err := s.Send(b.Context(), m); err != nil {
				b.Error(err)
			}
			for took := time.Since(begun).Nanoseconds(); ; {
				if old := longest.Load(); took <= old || longest.CompareAndSwap(old, took) {
					break
				}
			}
		}
	})
	b.ReportMetric(float64(longest.Load())/1e6, "longest-ms")
}
