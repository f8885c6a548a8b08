package sqlite

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/store/memory"
	"github.com/toolgen-dev/toolgen/runtime/store/storetest"
)

// tape is what was written to a disk, in order, with marks of the steps that were told of.
type tape struct {
	mu  sync.Mutex
	ops []op
}

func (t *tape) add(o op) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ops = append(t.ops, o)
}

// after is what a disk may hold when the power goes after the first n operations: of each file everything that was synced,
// and of the rest what chance has it, in any order and not always whole. told is how many steps were told of by then.
func (t *tape) after(n int, rnd *rand.Rand) (files map[string][]byte, told int) {
	synced := map[string]int{} // by file, up to which operation
	for i, o := range t.ops[:n] {
		switch {
		case o.kind == "sync", o.kind == "delete" && o.at != 0:
			synced[o.file] = i
		case o.kind == "told":
			told++
		}
	}
	files = map[string][]byte{}
	apply := func(o op) {
		f := files[o.file]
		switch o.kind {
		case "write":
			if end := int(o.at) + len(o.data); end > len(f) {
				f = append(f, make([]byte, end-len(f))...)
			}
			copy(f[o.at:], o.data)
		case "truncate":
			f = append(f[:min(int(o.at), len(f))], make([]byte, max(0, int(o.at)-len(f)))...)
		case "delete":
			delete(files, o.file)
			return
		default:
			return
		}
		files[o.file] = f
	}
	var loose []op
	for i, o := range t.ops[:n] {
		if last, some := synced[o.file]; some && i <= last {
			apply(o)
		} else if o.kind != "told" {
			loose = append(loose, o)
		}
	}
	if rnd.IntN(3) > 0 { // else in order, as most disks do
		rnd.Shuffle(len(loose), func(i, j int) { loose[i], loose[j] = loose[j], loose[i] })
	}
	for _, o := range loose {
		switch rnd.IntN(3) {
		case 0: // lost
		case 1: // whole
			apply(o)
		case 2: // torn at a sector
			if o.kind == "write" {
				o.data = o.data[:min(len(o.data), rnd.IntN(len(o.data)/512+1)*512)]
			}
			apply(o)
		}
	}
	return files, told
}

// recordSteps plays a game to a store whose disk is recorded, from the making of the file on.
func recordSteps(t *testing.T, seed uint64, steps int, opts ...Option) *tape {
	t.Helper()
	d, rec := newDisk(t), &tape{}
	d.entered = rec.add
	s, err := Open(filepath.Join(t.TempDir(), "store.db"), append(opts, d.on)...)
	require.NoError(t, err)
	// A small file needs no checkpoint by itself. Here there are some in the middle.
	checkpoint := func(c *conn) error {
		var busy, log, moved int
		_, err := c.row([]any{&busy, &log, &moved}, "PRAGMA wal_checkpoint(TRUNCATE)")
		return err
	}
	require.NoError(t, storetest.Play(t.Context(), s, seed, "", steps, func(i int) error {
		rec.add(op{kind: "told"})
		if i%13 == 7 {
			return s.outside(t.Context(), checkpoint)
		}
		return nil
	}))
	require.NoError(t, s.Close())
	return rec
}

// statesOf is what a store holds before the first of a game's steps and after each.
func statesOf(t *testing.T, seed uint64, steps int) []string {
	t.Helper()
	m, states := memory.New(), []string{""}
	require.NoError(t, storetest.Play(t.Context(), m, seed, "", steps, func(int) error {
		d, err := storetest.Dump(t.Context(), m, "")
		states = append(states, d)
		return err
	}))
	return states
}

// survives opens what is left after a loss of power, and says what is wrong with it.
func survives(t *testing.T, rec *tape, states []string, n int, rnd *rand.Rand) error {
	t.Helper()
	files, told := rec.after(n, rnd)
	dir := t.TempDir()
	for name, data := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	s, err := Open(filepath.Join(dir, "store.db"), unsynced)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Check(t.Context()); err != nil {
		return err
	}
	found, err := storetest.Dump(t.Context(), s, "")
	if err != nil {
		return err
	}
	if found != states[told] && (told+1 >= len(states) || found != states[told+1]) {
		return fmt.Errorf("after %d steps that were told of, %s hold something else:\n%s", told, slices.Sorted(maps.Keys(files)), found)
	}
	return nil
}

// TestPowerLoss: when the power goes, at any write, each step that was told of is there, and none is there by half,
// whatever the disk had not yet written. The disk is a simulated one; its memory is what SQLite has asked of the real one.
func TestPowerLoss(t *testing.T) {
	tries := 200
	if detector || testing.Short() {
		tries = 15
	}
	if n, err := strconv.Atoi(os.Getenv("STORETEST_KILLS")); err == nil {
		tries = n
	}
	seed := rand.Uint64()
	if n, err := strconv.ParseUint(os.Getenv("STORETEST_SEED"), 10, 64); err == nil {
		seed = n
	}
	t.Logf("STORETEST_SEED=%d", seed)
	rnd := rand.New(rand.NewPCG(seed, 2))
	const steps = 60
	rec, states := recordSteps(t, seed, steps), statesOf(t, seed, steps)
	kinds := map[string]int{}
	for _, o := range rec.ops {
		kinds[strings.TrimSpace(o.kind+" "+o.file)]++
	}
	t.Logf("the disk was asked for %v", kinds)
	for range tries {
		n := rnd.IntN(len(rec.ops) + 1)
		if err := survives(t, rec, states, n, rnd); err != nil {
			t.Fatalf("STORETEST_SEED=%d, the power goes after %d operations: %v", seed, n, err)
		}
	}
}

// TestPowerLossIsSeen: a store that does not wait for its disk does lose steps, so the test above would see it.
func TestPowerLossIsSeen(t *testing.T) {
	const seed, steps = 1, 60
	rnd := rand.New(rand.NewPCG(seed, 2))
	rec, states := recordSteps(t, seed, steps, unsynced), statesOf(t, seed, steps)
	for range 100 {
		if survives(t, rec, states, rnd.IntN(len(rec.ops)+1), rnd) != nil {
			return
		}
	}
	t.Fatal("nothing was lost without a sync")
}
