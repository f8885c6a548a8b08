//go:build unix

package kill

import (
	"context"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/sqlite"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// pairs plays a few pairs of processes on one file, with a tree each.
func pairs(t *testing.T, play func(t *testing.T, dir string, seed uint64, rng *rand.Rand)) {
	n := setting("KILL_TREES", 40) / 5
	if testing.Short() {
		n = 2
	}
	seed := setting("KILL_SEED", rand.Uint64()>>1)
	t.Logf("KILL_SEED=%d and on", seed)
	for i := range max(n, 1) {
		t.Run(fmt.Sprint(seed+i), func(t *testing.T) {
			t.Parallel()
			play(t, t.TempDir(), seed+i, rand.New(rand.NewPCG(seed+i, 9)))
		})
	}
}

// TestOneOfTwoIsKilled: the other one works on, leaves the dead one's agents alone for as long as the bound says, and then ends them
// by itself, the leaves first. Their root goes on in a third process.
func TestOneOfTwoIsKilled(t *testing.T) {
	pairs(t, func(t *testing.T, dir string, seed uint64, rng *rand.Rand) {
		one := spawn(t, orders{Dir: dir, Seed: seed, Root: "one", Hold: 60 + rng.Int64N(200)})
		two := spawn(t, orders{Dir: dir, Seed: seed + 1, Root: "two"})
		defer two.watched().Stop()
		require.Equal(t, "opened", two.hear("opened"))
		require.Equal(t, "held", one.hear("held"))
		one.kill()
		before, err := take(one.o, "one")
		require.NoError(t, err)
		require.Empty(t, before.always())
		two.tell("look")
		require.Equal(t, "looked", two.hear("looked"))
		require.Empty(t, two.took, "within the bound, silence means nothing")
		two.tell("later")
		require.NotEmpty(t, two.hear("took one"), "the root is the last one")
		require.Len(t, two.took, before.residents())

		third := spawn(t, orders{Dir: dir, Seed: seed, Root: "one", Run: 1, Ahead: 1, Last: true})
		defer third.watched().Stop()
		require.Equal(t, "closed", third.hear("closed"))
		two.tell("rest")
		require.Equal(t, "closed", two.hear("closed"))
		im, err := take(one.o, "")
		require.NoError(t, err)
		require.Empty(t, im.always())
		require.Empty(t, im.since(before, true))
		require.Empty(t, im.quiet())
		require.Empty(t, im.users("one", append(one.tried, third.tried...), append(one.accepted, third.accepted...)))
		require.Empty(t, im.users("two", two.tried, two.accepted))
		for _, p := range []*process{one, two, third} {
			require.Empty(t, p.faults)
		}
	})
}

// TestPausedProcess: one that was stopped for longer than the bound has lost its leases. Its root goes on in another process, and when
// it comes back, it writes nothing under them: every agent of it finds its lease lost.
func TestPausedProcess(t *testing.T) {
	pairs(t, func(t *testing.T, dir string, seed uint64, rng *rand.Rand) {
		one := spawn(t, orders{Dir: dir, Seed: seed, Root: "one", Hold: 60 + rng.Int64N(200)})
		require.Equal(t, "held", one.hear("held"))
		one.signal(syscall.SIGSTOP) // between two steps: nobody else waits for a write of it
		before, err := take(one.o, "")
		require.NoError(t, err)
		two := spawn(t, orders{Dir: dir, Seed: seed + 1, Root: "two", Ahead: 1})
		defer two.watched().Stop()
		require.NotEmpty(t, two.hear("took one"))
		third := spawn(t, orders{Dir: dir, Seed: seed, Root: "one", Run: 1, Ahead: 1, Last: true})
		defer third.watched().Stop()
		require.Equal(t, "closed", third.hear("closed"))
		im, err := take(one.o, "one")
		require.NoError(t, err)
		require.Empty(t, im.always())
		require.Empty(t, im.since(before, true))
		require.Empty(t, im.quiet())

		one.signal(syscall.SIGCONT)
		defer one.watched().Stop()
		one.tell("rest")
		one.tell("go")
		require.Equal(t, "closed", one.hear("closed"))
		for id, r := range before.all {
			if r.Resident {
				require.Contains(t, one.lost, string(id), "each of its agents has found that out")
			}
		}
		after, err := take(one.o, "one")
		require.NoError(t, err)
		require.Empty(t, after.always())
		for id, r := range after.all {
			// A message that was sent before the pause may resume a child that nobody holds. That is a residency of its own.
			if old := im.all[id]; len(old.log) != len(r.log) {
				require.False(t, old.Resident, "%s was written to", id)
				require.Equal(t, old.Activation+1, r.Activation, "%s was written to under a lease that was lost", id)
			}
		}
		require.Equal(t, len(im.all), len(after.all))
		require.Empty(t, after.carried())
		two.tell("rest")
		require.Equal(t, "closed", two.hear("closed"))
		for _, p := range []*process{one, two, third} {
			require.Empty(t, p.faults)
		}
	})
}

// residents counts who is resident.
func (im *image) residents() (n int) {
	for _, r := range im.all {
		if r.Resident {
			n++
		}
	}
	return n
}

func (im *image) carried() (f faults) {
	im.carriedOut(&f)
	return f
}

// TestMessageToAnotherProcess: a child that lives in another process than its parent hears of its messages there, and the parent
// is woken by the notice of its end.
func TestMessageToAnotherProcess(t *testing.T) {
	o := orders{Dir: t.TempDir(), Root: "root", Obey: true}
	there := spawn(t, o)
	defer there.watched().Stop()
	require.Equal(t, "opened", there.hear("opened"))
	there.tell("say start task")
	there.tell("say quiet")
	require.Equal(t, "quiet", there.hear("quiet"))

	s, err := sqlite.Open(o.store())
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	ctx := t.Context()
	children, err := s.Children(ctx, "root", "", 0)
	require.NoError(t, err)
	require.Len(t, children, 1)
	child := children[0]
	lease, err := s.Acquire(ctx, "here", child.ID)
	require.NoError(t, err)
	changed := make(chan store.ID, 100)
	defer s.Watch(func(id store.ID) { changed <- id })()
	there.tell("say send " + string(child.ID))
	there.tell("say quiet")
	for <-changed != child.ID { // the root's own changes come, too
	}

	scope, err := tool.NewRegistry().Scope()
	require.NoError(t, err)
	a, err := agent.Open(ctx, agent.Config{
		Store: s, Conversation: child, Lease: lease, View: agent.NewView(scope, nil),
		Model: agent.ModelFunc(func(_ context.Context, req *agent.Request, _ func(agent.Delta)) (*agent.Response, error) {
			return &agent.Response{Text: "here: " + req.Messages[len(req.Messages)-1].Text, Stop: agent.StopEnd}, nil
		}),
		Notice: func(e agent.End) *store.Message {
			return &store.Message{
				ID: "end", To: "root", From: child.ID, Activation: e.Activation, Kind: store.FromSettlement, Lane: store.Step,
				Data: agent.Content{Text: e.Text, Outcome: e.Outcome}.Encode(),
			}
		},
	})
	require.NoError(t, err)
	require.Equal(t, "here: more", a.Run(ctx).Text)
	require.Equal(t, "quiet", there.hear("quiet"))
	im, err := take(o, "")
	require.NoError(t, err)
	require.Empty(t, im.always())
	root := im.all["root"]
	require.Equal(t, "Delivered: "+string(child.ID)+" has started a turn with your message.", root.log[len(root.log)-6].result.Text)
	require.Equal(t, "end", root.log[len(root.log)-3].message.ID)
	require.Contains(t, string(root.log[len(root.log)-2].Data), "I have read: here: more")
	there.kill()
	require.Empty(t, there.faults)
}
