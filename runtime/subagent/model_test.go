package subagent_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// chaos decides what the agents of a random tree do. An agent's decisions depend on the seed, on who it is and on how often it
// was asked, and not on the schedule.
type chaos struct {
	w      *world
	seed   uint64
	budget int // calls of the model that may still start something; under the world's mutex
	texts  int
	kids   map[store.ID][]store.ID
	all    []store.ID
}

func (c *chaos) rng(r turnOf) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s %d", c.seed, r.Agent.ID, r.n)
	return rand.New(rand.NewPCG(h.Sum64(), c.seed))
}

// note remembers an agent that has started.
func (c *chaos) note(id agent.Identity, resumed bool) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	if !resumed {
		c.kids[id.Parent] = append(c.kids[id.Parent], id.ID)
		if id.Parent != "" {
			c.all = append(c.all, id.ID)
		}
	}
}

func (c *chaos) text(what string) string {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	c.texts++
	return fmt.Sprintf("%s %d", what, c.texts)
}

// think is every agent's brain.
func (c *chaos) think(r turnOf) (*agent.Response, error) {
	rng := c.rng(r)
	c.w.mu.Lock()
	c.budget--
	spent := c.budget <= 0
	kids, all := slices.Clone(c.kids[r.Agent.ID]), slices.Clone(c.all)
	c.w.mu.Unlock()
	p := rng.IntN(100)
	switch {
	case p < 3:
		return nil, errors.New("the provider is down")
	case p < 5:
		return &agent.Response{Text: "I will not", Stop: agent.StopRefused}, nil
	case p < 7:
		return &agent.Response{Text: "and so", Stop: agent.StopTokenLimit}, nil
	case p < 9:
		return &agent.Response{Stop: agent.StopEnd}, nil
	case p < 10:
		panic("chaos")
	case spent || p < 40:
		return say(c.text("answer"))
	}
	var calls []agent.Call
	for range 1 + rng.IntN(3) {
		calls = append(calls, c.call(r, rng, kids, all))
	}
	return do(calls...)
}

// call makes one call, of a tool that is there.
func (c *chaos) call(r turnOf, rng *rand.Rand, kids, all []store.ID) agent.Call {
	there := func(name string) bool {
		return slices.ContainsFunc(r.Tools, func(d tool.Definition) bool { return d.Name == name })
	}
	pick := func(ids []store.ID) string {
		if len(ids) == 0 || rng.IntN(12) == 0 {
			return "nobody"
		}
		return string(ids[rng.IntN(len(ids))])
	}
	known := kids
	if rng.IntN(8) == 0 {
		known = all // others' children, which must be refused
	}
	for {
		switch p := rng.IntN(100); {
		case p < 40 && there("subagent"):
			return start(c.text("child"), args{"run_in_background": rng.IntN(4) > 0})
		case p < 48 && there("work"):
			return call("work", args{"description": "job", "prompt": "job", "run_in_background": rng.IntN(3) > 0})
		case p < 60 && there("report"):
			return call("report", args{"output": c.text("finding")})
		case p < 80 && there("send_message"):
			return call("send_message", args{"subagent_id": pick(known), "message": c.text("more")})
		case p < 90 && there("interrupt_agent"):
			return call("interrupt_agent", args{"agent_id": pick(all)})
		case p < 94 && there("list_agents"):
			return call("list_agents", args{"scope": "descendants"})
		case p < 97 && there("job_list"):
			return call("job_list", args{})
		default:
			return call("no_such_tool", args{"x": 1})
		}
	}
}

// TestRandomTrees runs random trees of starts, messages, reports, interrupts, stops and failures under random schedules, and
// compares each inbox with the book.
func TestRandomTrees(t *testing.T) {
	n := uint64(2000)
	if s := os.Getenv("TOOLGEN_TREES"); s != "" {
		var err error
		n, err = strconv.ParseUint(s, 10, 64)
		require.NoError(t, err)
	}
	var turns, settled, trees int
	for seed := range seeds(t, n) {
		bubble(t, func(t *testing.T) {
			w := randomTree(t, seed)
			trees++
			turns += len(w.turns)
			settled += len(w.ends)
		})
	}
	t.Logf("%d trees, %d turns, %d residencies", trees, turns, settled)
	require.Greater(t, settled, trees, "the trees are trees")
}

func randomTree(t *testing.T, seed uint64) *world {
	c := &chaos{seed: seed, budget: 8 + int(seed%40), kids: map[store.ID][]store.ID{}}
	b := newBook()
	rng := rand.New(rand.NewPCG(seed, 0xc4a05))
	w := newWorld(t, map[string]brain{"": c.think, "*": c.think}, scheduled(seed), func(w *world) {
		w.cfg.Delegations = []subagent.Delegation{
			{Options: agents.SubagentOptions{BackgroundMode: agents.SubagentBackgroundModeContinuable}, Primary: true},
			{Options: agents.SubagentOptions{MaxDepth: tool.Some[int64](2)}, Name: "work"},
		}
		if rng.IntN(3) == 0 {
			w.cfg.Report.ReportDelivery = agents.ReportReportDeliveryQuiet
		}
		if rng.IntN(3) == 0 {
			w.cfg.Limits = subagent.Limits{Children: 1 + rng.IntN(3), Total: 2 + rng.IntN(6)}
		}
		b.observe(w)
		started := w.cfg.Observer.Started
		w.cfg.Observer.Started = func(id agent.Identity, resumed bool) {
			started(id, resumed)
			c.note(id, resumed)
		}
	})
	c.w = w
	ctx := t.Context()
	w.begin("begin")
	for w.sched.step() {
		if rng.IntN(60) > 0 {
			continue
		}
		w.mu.Lock()
		all := slices.Clone(c.all)
		w.mu.Unlock()
		p := rng.IntN(10)
		b.mu.Lock()
		b.stops = b.stops || p >= 4
		b.mu.Unlock()
		switch {
		case p < 4:
			go func() { _ = w.root.Send(ctx, "go on", rng.IntN(2) == 0) }()
		case p < 6:
			go func() { _, _, _ = w.root.Interrupt(ctx) }()
		case len(all) > 0:
			go func(id store.ID) { _ = w.svc.Stop(context.Background(), id) }(all[rng.IntN(len(all))])
		}
	}
	about := fmt.Sprintf("seed %d", seed)
	w.sched.open()
	time.Sleep(time.Hour) // of the bubble's time: whatever waits for a timer goes on
	if t.Failed() {
		return w
	}
	require.NoError(t, w.root.Wait(ctx), about)
	w.audit(b, about)
	b.stops = true
	w.close()
	w.audit(b, about+", closed")
	return w
}
