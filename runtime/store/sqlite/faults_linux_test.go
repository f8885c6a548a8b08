package sqlite

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	lib "modernc.org/sqlite/lib"

	"github.com/toolgen-dev/toolgen/runtime/store/storetest"
)

// faults gives a harness the hooks that need a disk of the test's own, and returns the option that puts stores on it.
func faults(t *testing.T, dir string, h *storetest.Harness) Option {
	d := newDisk(t)
	h.FailWrite = func(n int) func() bool {
		var mu sync.Mutex
		fired := false
		d.set(func(o op) int32 {
			mu.Lock()
			defer mu.Unlock()
			if n--; n != 0 {
				return lib.SQLITE_OK
			}
			fired = true
			switch o.kind {
			case "write":
				return lib.SQLITE_IOERR_WRITE
			case "sync":
				return lib.SQLITE_IOERR_FSYNC
			case "truncate":
				return lib.SQLITE_IOERR_TRUNCATE
			}
			return lib.SQLITE_IOERR
		})
		return func() bool {
			d.set(nil)
			mu.Lock()
			defer mu.Unlock()
			return fired
		}
	}
	h.FillDisk = func() func() {
		sizes := map[string]int64{}
		files, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, f := range files {
			info, err := os.Stat(filepath.Join(dir, f.Name()))
			require.NoError(t, err)
			sizes[f.Name()] = info.Size()
		}
		d.set(func(o op) int32 {
			if o.kind == "write" && o.at+int64(len(o.data)) > sizes[o.file] {
				return lib.SQLITE_FULL
			}
			return lib.SQLITE_OK
		})
		return func() { d.set(nil) }
	}
	h.SlowDisk = func() (<-chan struct{}, func()) {
		waiting, released := make(chan struct{}), make(chan struct{})
		var once, twice sync.Once
		d.set(func(op) int32 {
			once.Do(func() { close(waiting) })
			<-released
			return lib.SQLITE_OK
		})
		release := func() {
			twice.Do(func() {
				d.set(nil)
				close(released)
			})
		}
		t.Cleanup(release)
		return waiting, release
	}
	return d.on
}
