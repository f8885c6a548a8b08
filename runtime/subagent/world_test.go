package subagent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/memory"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// continuable is the delegation of most tests.
var continuable = []subagent.Delegation{{Options: agents.SubagentOptions{BackgroundMode: agents.SubagentBackgroundModeContinuable}}}

// turnOf is one call of the model, as a brain sees it.
type turnOf struct {
	ctx context.Context
	*agent.Request
	n int // how many calls this conversation has had before
}

// brain is a model for one agent.
type brain func(turnOf) (*agent.Response, error)

// world is a service with brains in place of a model, and a book of what happened.
type world struct {
	t     testing.TB
	cfg   subagent.Config
	store store.Store
	svc   *subagent.Service
	root  *subagent.Root
	sched *sched // nil: nothing is held up

	mu     sync.Mutex
	brains map[string]brain // by label; the root's is ""
	calls  map[store.ID]int
	starts map[string][]store.ID // by label
	fences map[string]chan struct{}
	ends   []ended
	turns  []turned
	probs  []error
}

type ended struct {
	agent.Identity
	agent.End
}

type turned struct {
	agent.Identity
	agent.TurnEnd
}

// newWorld makes a world of brains by label. edit changes the configuration before the service is made.
func newWorld(t testing.TB, brains map[string]brain, edit ...func(*world)) *world {
	w := &world{
		t: t, brains: brains, calls: map[store.ID]int{}, starts: map[string][]store.ID{}, fences: map[string]chan struct{}{},
		store: memory.New(),
	}
	n := 0
	w.cfg = subagent.Config{
		Tools: tool.NewRegistry(), Delegations: continuable, Process: "p", Heartbeat: -1,
		Models: func(string) (agent.Model, error) { return agent.ModelFunc(w.generate), nil },
		NewID: func(store.NewConversation) store.ID {
			w.mu.Lock()
			defer w.mu.Unlock()
			n++
			return store.ID(fmt.Sprintf("a%d", n))
		},
		Observer: &agent.Observer{
			Settled: func(id agent.Identity, e agent.End) {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.ends = append(w.ends, ended{id, e})
			},
			TurnEnded: func(id agent.Identity, e agent.TurnEnd) {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.turns = append(w.turns, turned{id, e})
			},
			Started: func(id agent.Identity, resumed bool) {
				w.mu.Lock()
				defer w.mu.Unlock()
				if !resumed {
					w.starts[id.Label] = append(w.starts[id.Label], id.ID)
				}
			},
			Problem: func(_ agent.Identity, err error) {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.probs = append(w.probs, err)
			},
		},
	}
	for _, e := range edit {
		e(w)
	}
	w.cfg.Store = w.store
	if w.sched != nil {
		w.cfg.Store = gated(w.store, w.sched)
	}
	var err error
	w.svc, err = subagent.New(w.cfg)
	require.NoError(t, err)
	return w
}

// begin makes the root and prompts it.
func (w *world) begin(prompt string) {
	w.create()
	if w.sched == nil {
		require.NoError(w.t, w.root.Send(w.t.Context(), prompt, false))
		return
	}
	synctest.Wait()
	w.sched.hold()
	go func() { assert.NoError(w.t, w.root.Send(w.t.Context(), prompt, false)) }()
}

// begin2 is begin where a step of the store may fail that no agent makes.
func (w *world) begin2(prompt string) {
	w.create()
	for w.root.Send(w.t.Context(), prompt, false) != nil {
	}
}

func (w *world) create() {
	var err error
	w.root, err = w.svc.Create(w.t.Context(), subagent.RootSpec{Label: "root"})
	require.NoError(w.t, err)
}

// close ends everything. In a bubble of synctest nothing may be left running after it.
func (w *world) close() {
	if w.sched != nil {
		w.sched.open()
	}
	require.NoError(w.t, w.svc.Close(context.Background()))
}

func (w *world) generate(ctx context.Context, req *agent.Request, _ func(agent.Delta)) (*agent.Response, error) {
	label := req.Agent.Label
	if req.Agent.Parent == "" {
		label = ""
	}
	w.mu.Lock()
	b := w.brains[label]
	if b == nil {
		b = w.brains["*"]
	}
	n := w.calls[req.Agent.ID]
	w.calls[req.Agent.ID]++
	w.mu.Unlock()
	if w.sched != nil {
		w.sched.pass("model " + string(req.Agent.ID))
	}
	if b == nil {
		return nil, fmt.Errorf("no brain for %q", label)
	}
	return b(turnOf{ctx, req, n})
}

// fence returns a channel by name; open closes it.
func (w *world) fence(name string) chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fences[name] == nil {
		w.fences[name] = make(chan struct{})
	}
	return w.fences[name]
}

func (w *world) open(name string) { close(w.fence(name)) }

// at waits for a fence, or for the end of the turn.
func (w *world) at(r turnOf, name string) error {
	select {
	case <-w.fence(name):
		return nil
	case <-r.ctx.Done():
		return context.Cause(r.ctx)
	}
}

// id is the conversation of a label.
func (w *world) id(label string) store.ID {
	w.mu.Lock()
	defer w.mu.Unlock()
	require.Len(w.t, w.starts[label], 1, "agents %q", label)
	return w.starts[label][0]
}

// started counts the agents of a label.
func (w *world) started(label string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.starts[label])
}

func (w *world) asked(id store.ID) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls[id]
}

// conv is a conversation of the index.
func (w *world) conv(id store.ID) store.Conversation {
	c, err := w.store.Get(context.Background(), id)
	require.NoError(w.t, err)
	return c
}

// log is the messages of a conversation's log.
func (w *world) log(id store.ID) []agent.Message {
	h, err := agent.Load(context.Background(), w.store, id, 0)
	require.NoError(w.t, err)
	return h.Messages
}

// inbox is what a conversation got from other agents, claimed or not, in order.
func (w *world) inbox(id store.ID) []store.Message {
	entries, err := w.store.Log(context.Background(), id, 0, 0)
	require.NoError(w.t, err)
	var out []store.Message
	for _, e := range entries {
		if e.Kind == store.EntryMessage {
			var m store.Message
			require.NoError(w.t, json.Unmarshal(e.Data, &m))
			out = append(out, m)
		}
	}
	waiting, err := w.store.Waiting(context.Background(), id)
	require.NoError(w.t, err)
	return append(out, waiting...)
}

// notices is the settlements in a conversation's inbox: author, Activation and outcome.
func (w *world) notices(id store.ID) []string {
	var out []string
	for _, m := range w.inbox(id) {
		if m.Kind == store.FromSettlement {
			out = append(out, fmt.Sprintf("%s/%d %s", m.From, m.Activation, content(w.t, m).Outcome))
		}
	}
	return out
}

// reports is the texts of the reports in a conversation's inbox.
func (w *world) reports(id store.ID) []string {
	var out []string
	for _, m := range w.inbox(id) {
		if m.Kind == store.FromChild {
			_, text, _ := strings.Cut(content(w.t, m).Text, "\n")
			out = append(out, text)
		}
	}
	return out
}

func content(t testing.TB, m store.Message) agent.Content {
	var c agent.Content
	require.NoError(t, json.Unmarshal(m.Data, &c))
	return c
}

// Parts of answers.

func say(text string) (*agent.Response, error) {
	return &agent.Response{Text: text, Stop: agent.StopEnd}, nil
}

func do(calls ...agent.Call) (*agent.Response, error) {
	for i := range calls {
		calls[i].ID = fmt.Sprintf("call_%d", i+1)
	}
	return &agent.Response{Calls: calls, Stop: agent.StopCalls}, nil
}

func call(name string, args any) agent.Call {
	data, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return agent.Call{Name: name, Arguments: string(data)}
}

type args map[string]any

// start is a call of subagent, with whatever else is given.
func start(label string, more ...args) agent.Call {
	a := args{"description": label, "prompt": "do " + label}
	for _, m := range more {
		for k, v := range m {
			a[k] = v
		}
	}
	return call("subagent", a)
}

// fresh is what a conversation got since its last answer.
func (r turnOf) fresh() []agent.Message {
	i := len(r.Messages)
	for i > 0 && r.Messages[i-1].Author != agent.Assistant {
		i--
	}
	return r.Messages[i:]
}

// has reports whether the fresh messages have one of an author with a text in it.
func (r turnOf) has(a agent.Author, text string) bool {
	return slices.ContainsFunc(r.fresh(), func(m agent.Message) bool { return m.Author == a && strings.Contains(m.Text, text) })
}

// from reports whether the fresh messages have one of an author that is of a child.
func (r turnOf) from(a agent.Author, label string) bool {
	return slices.ContainsFunc(r.fresh(), func(m agent.Message) bool { return m.Author == a && m.Label == label })
}

// rendered is the text of a result or a notice, as the spec words it.
func rendered(r interface{ AppendText([]byte) []byte }) string { return string(r.AppendText(nil)) }

// results are the texts of the fresh results.
func (r turnOf) results() []string {
	var out []string
	for _, m := range r.fresh() {
		if m.Author == agent.ToolResult {
			out = append(out, m.Text)
		}
	}
	return out
}

// bubble runs a test in a bubble of synctest, where Wait returns when every goroutine waits for something.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

// sched lets one thing happen at a time: every step of a store, every call of a model and every wake-up waits until it is
// its turn, and a seed says whose turn is next.
type sched struct {
	mu      sync.Mutex
	waiting []*ticket
	rng     *rand.Rand
	free    bool
	trace   []string
}

type ticket struct {
	what string
	go_  chan struct{}
}

func newSched(seed uint64) *sched {
	return &sched{free: true, rng: rand.New(rand.NewPCG(seed, 0x5eed))}
}

// pass waits for the turn of something.
func (s *sched) pass(what string) {
	s.mu.Lock()
	if s.free {
		s.mu.Unlock()
		return
	}
	t := &ticket{what, make(chan struct{})}
	s.waiting = append(s.waiting, t)
	s.mu.Unlock()
	<-t.go_
}

// step lets one thing happen; it is false where nothing waits.
func (s *sched) step() bool { return s.stepOf(func(string) bool { return true }) }

// stepOf lets one thing happen of those that a function picks.
func (s *sched) stepOf(pick func(what string) bool) bool {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	var ready []*ticket
	for _, t := range s.waiting {
		if pick(t.what) {
			ready = append(ready, t)
		}
	}
	if len(ready) == 0 {
		return false
	}
	slices.SortStableFunc(ready, func(a, b *ticket) int { return strings.Compare(a.what, b.what) })
	t := ready[s.rng.IntN(len(ready))]
	s.waiting = slices.DeleteFunc(s.waiting, func(o *ticket) bool { return o == t })
	s.trace = append(s.trace, t.what)
	close(t.go_)
	return true
}

// run lets everything happen.
func (s *sched) run() {
	for s.step() {
	}
}

// hold begins to hold up what comes.
func (s *sched) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = false
}

// open stops holding up anything.
func (s *sched) open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = true
	for _, t := range s.waiting {
		close(t.go_)
	}
	s.waiting = nil
}

// scheduled makes a world whose steps happen one at a time, as a seed says.
func scheduled(seed uint64) func(*world) {
	return func(w *world) { w.sched = newSched(seed) }
}

// seeds gives the numbers of the schedules to try.
func seeds(t testing.TB, n uint64) func(yield func(uint64) bool) {
	if testing.Short() {
		n = n/10 + 1
	}
	return func(yield func(uint64) bool) {
		for i := range n {
			if t.Failed() || !yield(i) {
				return
			}
		}
	}
}

func canceled(t testing.TB) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// unclaimed is what waits for a conversation.
func unclaimed(w *world, id store.ID) []store.Message {
	waiting, err := w.store.Waiting(context.Background(), id)
	require.NoError(w.t, err)
	return waiting
}
