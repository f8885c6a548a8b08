package subagent_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// book is the reference: what the results of the calls promised, and what each inbox must hold for it. It knows nothing of
// how the runtime keeps its promises.
type book struct {
	mu       sync.Mutex
	asked    map[string]tool.Call               // calls that have begun, by agent and id
	tellings map[store.ID][]telling             // what a child has told its parent, in order
	sent     map[store.ID][]sending             // what a child was sent, in order
	outcomes map[store.ID][]agent.Outcome       // of a child's Activations
	resumed  map[store.ID]int                   // how often a message resumed it
	maybe    map[store.ID]int                   // how often one may have
	stopped  map[store.ID]int                   // turns that interrupt_agent says it stopped
	turns    map[store.ID]map[agent.Outcome]int // turns that ended so
	last     map[store.ID]agent.Outcome         // of the turns of the Activation so far
	stops    bool                               // something was interrupted or stopped: an Activation may end as interrupted
	faults   []string
}

// telling is a report (with its text), or the settlement of an Activation. A report whose call failed may have arrived.
type telling struct {
	activation int64
	report     string
	outcome    agent.Outcome
	maybe      bool
}

// sending is a message of a parent's. One whose call failed may have arrived.
type sending struct {
	text  string
	maybe bool
}

func newBook() *book {
	return &book{
		asked: map[string]tool.Call{}, tellings: map[store.ID][]telling{}, sent: map[store.ID][]sending{},
		outcomes: map[store.ID][]agent.Outcome{}, resumed: map[store.ID]int{}, maybe: map[store.ID]int{},
		stopped: map[store.ID]int{}, turns: map[store.ID]map[agent.Outcome]int{}, last: map[store.ID]agent.Outcome{},
	}
}

// observe makes the book's entries of what happens in a world.
func (b *book) observe(w *world) {
	o := w.cfg.Observer
	started, settled, ended := o.Started, o.Settled, o.TurnEnded
	o.Calling = func(id agent.Identity, c tool.Call) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.asked[string(id.ID)+c.ID] = c
		b.stops = b.stops || c.Name == "interrupt_agent"
	}
	o.Called = func(id agent.Identity, r tool.CallResult) { b.called(w, id, r) }
	o.Started = func(id agent.Identity, resumed bool) { started(id, resumed) }
	o.Settled = func(id agent.Identity, e agent.End) {
		settled(id, e)
		b.mu.Lock()
		defer b.mu.Unlock()
		want, ran := b.last[id.ID]
		delete(b.last, id.ID)
		if e.Outcome != want && !(e.Outcome == agent.Interrupted && (b.stops || !ran) || id.Kind == store.Foreground) {
			b.faults = append(b.faults, fmt.Sprintf("%s ended as %s after a turn that was %s", id.ID, e.Outcome, want))
		}
		if id.Kind == store.Continuable {
			b.tellings[id.ID] = append(b.tellings[id.ID], telling{activation: e.Activation, outcome: e.Outcome})
		}
		b.outcomes[id.ID] = append(b.outcomes[id.ID], e.Outcome)
	}
	o.TurnEnded = func(id agent.Identity, e agent.TurnEnd) {
		ended(id, e)
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.turns[id.ID] == nil {
			b.turns[id.ID] = map[agent.Outcome]int{}
		}
		b.turns[id.ID][e.Outcome]++
		b.last[id.ID] = e.Outcome
	}
}

func (b *book) called(w *world, id agent.Identity, r tool.CallResult) {
	activation := w.conv(id.ID).Activation
	b.mu.Lock()
	defer b.mu.Unlock()
	c, begun := b.asked[string(id.ID)+r.ID]
	maybe := r.Outcome == tool.Cancelled && r.Started
	if strings.Contains(r.Text, "is kept for its next turn") {
		b.faults = append(b.faults, fmt.Sprintf("%s: an error means that nothing was delivered: %s", id.ID, r.Text))
	}
	if !begun || r.IsError && !maybe {
		return
	}
	var a struct {
		Output, Message     string
		SubagentID, AgentID string
	}
	_ = json.Unmarshal([]byte(strings.NewReplacer("subagent_id", "SubagentID", "agent_id", "AgentID").Replace(string(c.Arguments))), &a)
	switch c.Name {
	case "report":
		b.tellings[id.ID] = append(b.tellings[id.ID], telling{activation: activation, report: a.Output, maybe: maybe})
	case "send_message":
		child := store.ID(a.SubagentID)
		b.sent[child] = append(b.sent[child], sending{a.Message, maybe})
		if maybe {
			b.maybe[child]++
		} else if strings.HasPrefix(r.Text, "Resumed") {
			b.resumed[child]++
		}
	case "interrupt_agent":
		if maybe {
			return // it may be refused yet
		}
		above := false
		for c := w.conv(store.ID(a.AgentID)); c.Parent != ""; c = w.conv(c.Parent) {
			above = above || c.Parent == id.ID
		}
		if !above {
			b.faults = append(b.faults, fmt.Sprintf("%s interrupted %s, which is not below it", id.ID, a.AgentID))
		}
		if strings.HasPrefix(r.Text, "Interrupted") {
			b.stopped[store.ID(a.AgentID)]++
		}
	}
}

// audit compares the store with the book, when everything is quiet.
func (w *world) audit(b *book, about string) {
	t := w.t
	b.mu.Lock()
	defer b.mu.Unlock()
	require.Empty(t, b.faults, about)
	var all []store.Conversation
	top, err := w.store.Get(t.Context(), w.root.ID())
	require.NoError(t, err)
	all = append(all, top)
	require.NoError(t, store.Walk(t.Context(), w.store, w.root.ID(), func(c store.Conversation) bool {
		all = append(all, c)
		return true
	}))
	for _, c := range all {
		if c.Kind != store.Root {
			require.False(t, c.Resident, "%s: %s is resident", about, c.ID)
			require.Len(t, b.outcomes[c.ID], int(c.Activation), "%s: %s has ended as often as it began", about, c.ID)
		}
		if c.Kind == store.Continuable {
			extra := int(c.Activation) - 1 - b.resumed[c.ID]
			require.True(t, extra >= 0 && extra <= b.maybe[c.ID], "%s: %s had %d Activations and was resumed %d times", about, c.ID, c.Activation, b.resumed[c.ID])
		}
		// Two ancestors may stop one turn.
		require.False(t, b.stopped[c.ID] > 0 && b.turns[c.ID][agent.Interrupted] == 0, "%s: no turn of %s was interrupted", about, c.ID)
		w.auditInbox(b, c, about)
		w.auditCalls(c, about)
	}
}

// auditInbox compares what a conversation got with what it was promised.
func (w *world) auditInbox(b *book, c store.Conversation, about string) {
	t := w.t
	told := map[store.ID][]telling{}
	var sent []string
	seen := map[string]bool{}
	for _, m := range w.inbox(c.ID) {
		require.Equal(t, c.ID, m.To, about)
		require.False(t, seen[m.ID], "%s: %s got %s twice", about, c.ID, m.ID)
		seen[m.ID] = true
		text := content(t, m)
		switch m.Kind {
		case store.FromParent:
			require.Equal(t, c.Parent, m.From, about)
			sent = append(sent, text.Text)
		case store.FromChild:
			_, report, _ := strings.Cut(text.Text, "\n")
			told[m.From] = append(told[m.From], telling{activation: m.Activation, report: report})
		case store.FromSettlement:
			told[m.From] = append(told[m.From], telling{activation: m.Activation, outcome: text.Outcome})
		}
	}
	for _, m := range unclaimed(w, c.ID) {
		// What waits without being parked was sent by a call that failed half way, or to a root that is closed.
		ok := m.Parked || m.Quiet || c.Kind == store.Root && !c.Resident ||
			slices.Contains(b.sent[c.ID], sending{content(t, m).Text, true})
		require.True(t, ok, "%s: %s waits for %s", about, m.ID, c.ID)
	}
	children, err := w.store.Children(t.Context(), c.ID, "", 0)
	require.NoError(t, err)
	for _, child := range children {
		require.True(t, matches(told[child.ID], b.tellings[child.ID], func(got, want telling) bool {
			want.maybe = false
			return got == want
		}, func(want telling) bool { return want.maybe }), "%s: %s was told of %s %v, and should have been told %v", about, c.ID, child.ID, told[child.ID], b.tellings[child.ID])
		delete(told, child.ID)
	}
	require.Empty(t, told, "%s: strangers told %s something", about, c.ID)
	if c.Kind != store.Root {
		require.NotEmpty(t, sent, about)
		require.True(t, matches(sent[1:], b.sent[c.ID], func(got string, want sending) bool { return got == want.text },
			func(want sending) bool { return want.maybe }), "%s: %s was sent %v, and got %v", about, c.ID, b.sent[c.ID], sent[1:])
	}
}

// matches reports whether a list is what was wanted, in order, but for what is optional.
func matches[G, W any](got []G, want []W, same func(G, W) bool, optional func(W) bool) bool {
	for _, x := range want {
		switch {
		case len(got) > 0 && same(got[0], x):
			got = got[1:]
		case !optional(x):
			return false
		}
	}
	return len(got) == 0
}

// auditCalls checks that each call of a conversation has exactly one result, behind it, in order.
func (w *world) auditCalls(c store.Conversation, about string) {
	var open []string
	for _, m := range w.log(c.ID) {
		if m.Author == agent.ToolResult {
			require.NotEmpty(w.t, open, "%s: %s has a result for nothing", about, c.ID)
			require.Equal(w.t, open[0], m.Call, "%s: results of %s in order", about, c.ID)
			open = open[1:]
			continue
		}
		require.Empty(w.t, open, "%s: calls of %s without a result", about, c.ID)
		for _, call := range m.Calls {
			open = append(open, call.ID)
		}
	}
	require.Empty(w.t, open, "%s: calls of %s without a result", about, c.ID)
}

// trace shows how a failing schedule went.
func (w *world) trace() string {
	if w.sched == nil {
		return ""
	}
	lines := slices.Clone(w.sched.trace)
	return fmt.Sprint(strings.Join(lines, "\n"))
}
