package sqlite

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/store/storetest"
)

// TestMigrationAtEachFailingWrite: the file is what it was before, or what it is after.
func TestMigrationAtEachFailingWrite(t *testing.T) {
	befores, afters := 0, 0
	for n, fired := 1, true; fired; n++ {
		path, dump := old(t)
		var h storetest.Harness
		faulty := faults(t, filepath.Dir(path), &h)
		hit := h.FailWrite(n)
		s, err := Open(path, later(grow), faulty)
		if err == nil {
			_ = s.Close() // what is moved into the file at the end may stay in the log
		}
		if fired = hit(); !fired {
			require.NoError(t, err)
		}
		var version int
		query(t, path, "PRAGMA user_version", &version)
		switch version {
		case len(versions):
			befores++
			holds(t, path, dump, version)
		case len(versions) + 1:
			afters++
			holds(t, path, dump, version, later(grow))
		default:
			t.Fatal(fmt.Sprint("the file has the version ", version))
		}
	}
	t.Logf("%d times before, %d times after", befores, afters)
	require.Greater(t, befores, 3)
	require.NotZero(t, afters)
}
