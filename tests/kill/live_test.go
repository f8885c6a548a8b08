//go:build unix

package kill

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/sqlite"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/contracts"
)

// orders are what a process is to do.
type orders struct {
	Dir    string // where the store and the effects are
	Seed   uint64
	Run    int    // of how many this is: part of all that must be new in each run
	Root   string // the id of its root
	Hold   int64  // the moment at which it stops and says so
	Last   bool   // it becomes quiet, closes everything and ends
	Ahead  int64  // how many bounds its clock is ahead, so that those who ran before are silent for long enough
	Obey   bool   // its model does what users say, and users say what they are told
	Mutant string
}

func (o orders) store() string   { return o.Dir + "/store.db" }
func (o orders) effects() string { return o.Dir + "/effects" }

// bound is after how long without a heartbeat a process counts as dead. Nobody waits for it: clocks are set instead.
const bound = time.Hour

// says writes whole lines.
type says struct {
	mu sync.Mutex
	w  io.Writer
}

func (s *says) say(format string, a ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.w, format+"\n", a...)
}

// life is a process.
type life struct {
	orders
	says
	name  string
	ahead atomic.Int64 // bounds that the clock is ahead
	later atomic.Bool  // the clock goes on by another one with the next heartbeat
	goOn  chan struct{}
	looks atomic.Int64 // how often it still has to look for the dead before it says so
	texts chan string  // what users are told to say
	turns atomic.Bool  // somebody has started a turn

	store   store.Store
	svc     *subagent.Service
	root    *subagent.Root
	model   *thinker
	effects *os.File
	said    int
}

// live is a process's main function.
func live(o orders) error {
	l := newLife(o, os.Stdout)
	go l.listen()
	var err error
	if l.effects, err = os.OpenFile(o.effects(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
		return err
	}
	s, err := sqlite.Open(o.store(), sqlite.Poll(2*time.Millisecond), sqlite.Clock(l.now))
	if err != nil {
		return err
	}
	l.store = &gate{Store: s, at: o.Hold, held: func() {
		l.say("held")
		<-l.goOn
	}}
	if l.store, err = mutate(l.store, l); err != nil {
		return err
	}
	l.store = heart{l.store, l}
	if err := l.serve(); err != nil {
		return err
	}
	if err := l.open(); err != nil {
		return err
	}
	if err := l.drive(); err != nil {
		return err
	}
	if err := l.svc.Close(context.Background()); err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	l.say("closed")
	return nil
}

func newLife(o orders, w io.Writer) *life {
	l := &life{orders: o, says: says{w: w}, name: fmt.Sprintf("%s-run%d", o.Root, o.Run), goOn: make(chan struct{}), texts: make(chan string)}
	l.ahead.Store(o.Ahead)
	l.model = &thinker{seed: l.Seed, obedient: o.Obey, early: func() {
		if !l.turns.Load() {
			l.say("fault a model was asked before anybody had started a turn")
		}
	}, waits: func(id agent.Identity) { l.say("waiting %s", id.ID) }}
	if o.Last {
		l.model.left.Store(150)
	}
	return l
}

// now is the time of the process's clock.
func (l *life) now() time.Time { return time.Now().Add(time.Duration(l.ahead.Load()) * 2 * bound) }

// listen does what it is told.
func (l *life) listen() {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		switch word, rest, _ := strings.Cut(in.Text(), " "); word {
		case "go":
			close(l.goOn)
		case "later":
			l.later.Store(true)
		case "look":
			l.looks.Store(2) // of the first one nobody knows when it began
		case "rest":
			l.model.tired.Store(true)
		case "say":
			l.texts <- rest
		}
	}
	close(l.texts)
}

// heart tells what the service's heart does.
type heart struct {
	store.Store
	l *life
}

func (h heart) Heartbeat(ctx context.Context, process string) error {
	if h.l.later.Swap(false) {
		h.l.ahead.Add(1)
	}
	return h.Store.Heartbeat(ctx, process)
}

func (h heart) Dead(ctx context.Context, bound time.Duration) ([]store.Lease, error) {
	dead, err := h.Store.Dead(ctx, bound)
	if err == nil && h.l.looks.Load() > 0 && h.l.looks.Add(-1) == 0 {
		h.l.say("looked")
	}
	return dead, err
}

func (h heart) Lose(ctx context.Context, l store.Lease, end store.Settlement) error {
	err := h.Store.Lose(ctx, l, end)
	if err == nil {
		h.l.say("took %s", l.Conversation)
	}
	return err
}

// serve makes the service.
func (l *life) serve() error {
	reg := tool.NewRegistry()
	for _, t := range []tool.Definition{
		{Name: "effect", Description: "Does something, one at a time.", Parameters: json.RawMessage(`{"type":"object"}`)},
		{Name: "probe", Description: "Does something.", Parameters: json.RawMessage(`{"type":"object"}`)},
	} {
		c, err := contracts.FromDefinition("kill", t)
		if err != nil {
			return err
		}
		if err := contracts.Mount(reg, c, contracts.Options{}, l.effect); err != nil {
			return err
		}
	}
	var ids atomic.Int64
	report := agents.ReportOptions{}
	if l.Seed%3 == 0 {
		report.ReportDelivery = agents.ReportReportDeliveryQuiet
	}
	var err error
	l.svc, err = subagent.New(subagent.Config{
		Store: l.store, Tools: reg, Models: func(string) (agent.Model, error) { return l.model, nil }, Process: l.name,
		Delegations: []subagent.Delegation{
			{Options: agents.SubagentOptions{BackgroundMode: agents.SubagentBackgroundModeContinuable, MaxDepth: tool.Some[int64](3)}, Primary: true},
			{Options: agents.SubagentOptions{MaxDepth: tool.Some[int64](2)}, Name: "work"},
		},
		Report: report, Limits: subagent.Limits{Children: 4, Total: 12},
		NewID: func(n store.NewConversation) store.ID {
			if n.Kind == store.Root {
				return store.ID(l.Root)
			}
			return store.ID(fmt.Sprintf("%s-%d-%d", l.Root, l.Run, ids.Add(1)))
		},
		Heartbeat: 10 * time.Millisecond, DeadAfter: bound,
		Observer: &agent.Observer{
			Settled: func(id agent.Identity, e agent.End) {
				if e.LeaseLost {
					l.say("lost %s", id.ID)
				}
			},
			Problem: func(id agent.Identity, err error) { l.problem(id, err) },
		},
	})
	return err
}

// problem is told what is in nobody's result. A process that was found dead is refused; anything else is a fault.
func (l *life) problem(id agent.Identity, err error) {
	if !errors.Is(err, store.ErrFenced) {
		l.say("fault %s: %v", id.ID, err)
	}
}

// effect writes down that a call is carried out, where no store can forget it.
func (l *life) effect(ctx context.Context, c tool.Call, _ json.RawMessage) (tool.Output, error) {
	caller, ok := agent.CallerOf(ctx)
	if !ok {
		return nil, errors.New("no agent calls")
	}
	a := caller.Agent()
	// One write, so that lines stay whole.
	_, err := fmt.Fprintf(l.effects, "%s %s %d %s\n", l.name, a.Identity().ID, a.Activation(), caller.Key(c.ID))
	return tool.Plain("done"), err
}

// open makes the root resident, and shows that this wakes nobody.
func (l *life) open() (err error) {
	ctx := context.Background()
	l.root, err = l.svc.Open(ctx, store.ID(l.Root))
	if errors.Is(err, store.ErrUnknown) {
		l.root, err = l.svc.Create(ctx, subagent.RootSpec{Label: "root"})
	}
	if err != nil {
		return err
	}
	if err := l.root.Wait(ctx); err != nil {
		return err
	}
	l.say("opened")
	return nil
}

// drive is the user: messages until the process is killed or told to rest, or, in the last run, a few. Then all becomes quiet.
func (l *life) drive() error {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(l.Seed, uint64(l.Run)))
	l.turns.Store(true)
	var err error
	for text := range l.told() {
		if text == "quiet" {
			err = l.root.Wait(ctx)
		} else {
			_, err = l.root.Prompt(ctx, text)
			text = "answered"
		}
		if err != nil {
			return err
		}
		l.say("%s", text)
	}
	for i := 0; err == nil && !l.model.tired.Load() && (!l.Last || i < 3); i++ {
		switch p := rng.IntN(10); {
		case p < 4:
			err = l.prompt(ctx)
		case p < 8:
			if err = l.send(ctx, p < 6); err == nil {
				err = l.prompt(ctx)
			}
		case p < 9:
			if err = l.send(ctx, false); err == nil {
				_, _, err = l.root.Interrupt(ctx)
			}
		default:
			err = l.root.Wait(ctx)
		}
	}
	l.model.tired.Store(true)
	for range 2 { // the second one takes what the first one's end left
		if err == nil {
			err = l.prompt(ctx)
		}
		if err == nil {
			err = l.root.Wait(ctx)
		}
	}
	if errors.Is(err, agent.ErrStopped) {
		return nil // it was found dead
	}
	return err
}

// told gives what users are told to say.
func (l *life) told() <-chan string {
	if !l.Obey {
		none := make(chan string)
		close(none)
		return none
	}
	return l.texts
}

func (l *life) text() string {
	l.said++
	t := fmt.Sprintf("user %s %d", l.name, l.said)
	l.say("tried %s", t)
	return t
}

func (l *life) send(ctx context.Context, steer bool) error {
	t := l.text()
	err := l.root.Send(ctx, t, steer)
	if err == nil {
		l.say("accepted %s", t)
	}
	return err
}

func (l *life) prompt(ctx context.Context) error {
	t := l.text()
	_, err := l.root.Prompt(ctx, t)
	if err == nil {
		l.say("accepted %s", t)
	}
	return err
}
