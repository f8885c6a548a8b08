//go:build unix

package kill

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// setting reads a number from the environment.
func setting(name string, otherwise uint64) uint64 {
	if n, err := strconv.ParseUint(os.Getenv(name), 10, 64); err == nil {
		return n
	}
	return otherwise
}

// killsEach is how often the process of one tree is killed.
const killsEach = 7

// TestKilledTrees: trees of agents whose process is killed again and again, each time at a random moment: between two steps of the
// store, or whenever a timer says. The next process goes on, and is killed in its turn, also while it recovers; the last one
// goes on until all is quiet.
func TestKilledTrees(t *testing.T) {
	trees := setting("KILL_TREES", 40)
	if os.Getenv("KILL_TREES") == "" && testing.Short() {
		trees = 5
	}
	seed := setting("KILL_SEED", rand.Uint64()>>1)
	if os.Getenv("KILL_SEED") != "" {
		trees = 1
	}
	var s sums
	t.Run("trees", func(t *testing.T) {
		for i := range trees {
			t.Run(fmt.Sprint(seed+i), func(t *testing.T) {
				t.Parallel()
				require.Empty(t, killed(t, orders{Dir: t.TempDir(), Seed: seed + i, Root: "root"}, &s), "KILL_SEED=%d", seed+i)
			})
		}
	})
	t.Logf("KILL_SEED=%d and on: %d kills, %d of them during a recovery; %d conversations, %d residencies, %d of them lost, %d messages, %d calls with an effect",
		seed, s.kills.Load(), s.recovering.Load(), s.conversations.Load(), s.residencies.Load(), s.lost.Load(), s.messages.Load(), s.effects.Load())
	if !t.Failed() && trees >= 20 { // of a few it may not be so
		require.Greater(t, s.lost.Load(), s.kills.Load(), "the trees are busy when they are killed")
	}
}

// sums says how much was tested.
type sums struct{ kills, recovering, conversations, residencies, lost, messages, effects atomic.Int64 }

// killed plays one tree, and returns what the checker found.
func killed(t *testing.T, o orders, s *sums) (found faults) {
	rng := rand.New(rand.NewPCG(o.Seed, 7))
	var tried, accepted []string
	var before *image
	for o.Run = 0; ; o.Run++ {
		o.Ahead, o.Hold, o.Last = int64(o.Run), 0, o.Run == killsEach
		var after time.Duration
		switch {
		case o.Last:
		case rng.IntN(3) == 0:
			after = time.Duration(rng.IntN(80_000)) * time.Microsecond
		case rng.IntN(4) == 0:
			o.Hold = 1 + rng.Int64N(12) // while it opens, or recovers
		default:
			o.Hold = 1 + rng.Int64N(250)
		}
		p := spawn(t, o)
		stuck := p.watched()
		if after > 0 {
			timer := time.AfterFunc(after, func() { _ = p.cmd.Process.Kill() })
			defer timer.Stop()
		}
		opened := p.hear("opened", "held", "error") == "opened"
		if opened {
			p.hear("held", "closed", "error")
		}
		stuck.Stop()
		if o.Last {
			if err := p.cmd.Wait(); err != nil {
				found.add("the last process ended with %v", err)
			}
		} else {
			p.kill()
			s.kills.Add(1)
			if !opened && o.Run > 0 {
				s.recovering.Add(1)
			}
		}
		tried, accepted, found = append(tried, p.tried...), append(accepted, p.accepted...), append(found, p.faults...)
		im, err := take(o, "")
		if before == nil && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrInvalid)) {
			continue // it was killed before there was a store
		}
		require.NoError(t, err, "KILL_SEED=%d", o.Seed)
		found = append(found, im.always()...)
		found = append(found, im.users("root", tried, accepted)...)
		if before != nil {
			found = append(found, im.since(before, opened)...)
		}
		before = im
		if o.Last {
			found = append(found, im.quiet()...)
			s.count(im)
		}
		if len(found) > 0 || o.Last {
			return found
		}
	}
}

func (s *sums) count(im *image) {
	for _, r := range im.all {
		s.conversations.Add(1)
		s.residencies.Add(r.Activation)
		for _, e := range r.ends() {
			if e.settled.Outcome == "lost" {
				s.lost.Add(1)
			}
		}
		s.messages.Add(int64(len(r.inbox())))
	}
	s.effects.Add(int64(len(im.effects)))
}
