package agent

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// Agent is one conversation that is resident in this process. [Open] makes it, and [Agent.Run] is its life. The other
// methods are safe for concurrent use.
type Agent struct {
	me         Identity
	store      store.Store
	cfg        Config
	set        Settings
	observer   *Observer
	dispatcher *tool.Dispatcher
	wake       chan struct{} // holds one token while something may have changed
	gaveUp     chan struct{} // closed by Abandon
	done       chan struct{} // closed when Run has returned

	log log // what is written

	mu      sync.Mutex
	turn    *turn                     // the turn that runs, or the claim that may begin one; nil between turns
	quiet   []chan struct{}           // who waits until nothing is to be done
	prompts map[string]chan<- Claimed // who waits for a message's turn, by the message's id
	given   sync.Once                 // closes gaveUp

	wandering atomic.Int64 // calls of the model that run
	heed      heed

	end     TurnEnd // of the last turn
	resting bool    // nothing is to be done

	// What follows is the loop's own.
	history *History
	before  *turn // the turn that has ended, until it is known what comes after it
	news    []news
	driving bool
	parked  int // messages that are parked
	turns   int
	failed  int
	total   Usage
}

// log is the right to write, and where writing stands. Calls that run together start children at once, so it has a lock. It
// is a channel and no mutex, since it is held while the store works.
type log struct {
	held   chan struct{} // of one
	lease  store.Lease
	last   int64
	batch  *batch // the calls that run; nil between dispatches
	unsure bool   // a step failed, and may have happened: read before anything is written
}

func (l *log) lock()   { l.held <- struct{}{} }
func (l *log) unlock() { <-l.held }

// Claimed is what became of a message that somebody waits for: its turn has ended, or it was parked for a later one.
type Claimed struct {
	End    TurnEnd
	Parked bool
}

// news is what has become of messages, until whoever waits for them is told.
type news struct {
	messages []string
	claimed  Claimed
}

// Open makes an agent of a conversation whose lease was just given: it reads the log, and mends what a process that died
// has left. It begins nothing; [Agent.Run] does.
func Open(ctx context.Context, cfg Config) (*Agent, error) {
	c := cfg.Conversation
	a := &Agent{
		me:    Identity{ID: c.ID, Parent: c.Parent, Kind: c.Kind, Label: c.Label, Depth: c.Depth},
		store: cfg.Store, cfg: cfg, set: cfg.Settings.resolved(), observer: cfg.Observer,
		wake: make(chan struct{}, 1), gaveUp: make(chan struct{}), done: make(chan struct{}),
	}
	a.dispatcher = a.newDispatcher(cfg.View)
	a.log = log{held: make(chan struct{}, 1), lease: cfg.Lease}
	a.resting = cfg.Stay
	if a.history = cfg.History; a.history == nil {
		a.history = newHistory(c.ID)
	}
	if cfg.Lease.Last == 0 {
		return a, nil // a conversation that has just begun
	}
	if err := a.catchUp(ctx); err != nil {
		return nil, err
	}
	if err := a.mend(ctx, a.set.Patience, nil); err != nil {
		return nil, err
	}
	return a, nil
}

// catchUp reads what the log has behind what is known.
func (a *Agent) catchUp(ctx context.Context) error {
	if err := a.history.read(ctx, a.store, 0); err != nil {
		return err
	}
	a.log.last, a.log.unsure = a.history.Last, false
	return nil
}

// mend gives calls that will have no result any more an error as their result, or what they had started.
func (a *Agent) mend(ctx context.Context, patience time.Duration, until <-chan struct{}) error {
	entries := a.history.mend(func(child store.ID) (string, bool, bool) {
		if a.cfg.Restore == nil {
			return "", false, false
		}
		return a.cfg.Restore(ctx, child)
	})
	if len(entries) == 0 {
		return nil
	}
	return a.append(patience, until, entries)
}

// Identity says who the agent is.
func (a *Agent) Identity() Identity { return a.me }

// Activation is the residency that the agent was opened for.
func (a *Agent) Activation() int64 { return a.cfg.Lease.Activation }

// Done is closed when Run has returned.
func (a *Agent) Done() <-chan struct{} { return a.done }

// Running reports whether a turn is in progress, or is about to be: a residency begins with a message. Else the agent rests.
func (a *Agent) Running() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.resting
}

// setResting reports whether that is new.
func (a *Agent) setResting(resting bool) (changed bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	changed = a.resting != resting
	a.resting = resting
	return changed
}

// Last is how the last turn ended; before the first one, it is the zero value.
func (a *Agent) Last() TurnEnd {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.end
}

// Wake says that something may have changed for the agent: a message, or the end of a child.
func (a *Agent) Wake() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// Abandon makes an agent that is stopped, and whose store does not answer, return without having written its end. Its lease
// is found dead later.
func (a *Agent) Abandon() { a.given.Do(func() { close(a.gaveUp) }) }

// Interrupt stops the turn in progress, and parks what waits. It returns when the turn has ended, and the agent has settled, or
// rests, or has begun another turn for what came meanwhile. parked is how many messages are parked; stopped is false where there
// was no turn.
func (a *Agent) Interrupt(ctx context.Context) (parked int, stopped bool, err error) {
	for {
		a.mu.Lock()
		t := a.turn
		if t == nil {
			a.mu.Unlock()
			return 0, false, nil
		}
		t.interrupt()
		interrupted := t.interrupted
		a.mu.Unlock()
		select {
		case <-t.done:
		case <-ctx.Done():
			return 0, false, context.Cause(ctx)
		}
		// A turn that had its end before it could be interrupted may be followed by another one at once.
		if interrupted {
			return t.parked, t.began, nil
		}
	}
}

// Expect says on a channel what becomes of a message: call it before the message is sent. The channel gets one value, unless
// forget is called, or the agent ends before. By then, the agent rests, has begun another turn, or has ended.
func (a *Agent) Expect(id string) (claimed <-chan Claimed, forget func()) {
	ch := make(chan Claimed, 1)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.prompts == nil {
		a.prompts = map[string]chan<- Claimed{}
	}
	a.prompts[id] = ch
	return ch, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.prompts, id)
	}
}

// Quiet returns when the agent stays, no turn of it runs, no message waits for it and no child of it is resident. It is
// ErrStopped where the agent ends first.
func (a *Agent) Quiet(ctx context.Context) error {
	ch := make(chan struct{})
	a.mu.Lock()
	a.quiet = append(a.quiet, ch)
	a.mu.Unlock()
	a.Wake()
	select {
	case <-ch:
		return nil
	case <-a.done:
		return ErrStopped
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// tell tells whoever waits for messages what became of them.
func (a *Agent) tell(n news) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, id := range n.messages {
		if ch := a.prompts[id]; ch != nil {
			ch <- n.claimed
			delete(a.prompts, id)
		}
	}
}

// problem reports what is in nobody's result.
func (a *Agent) problem(err error) { a.observer.problem(a.me, err) }

// lost reports whether an error says that the agent may not write any more.
func lost(err error) bool { return errors.Is(err, store.ErrFenced) || errors.Is(err, store.ErrClosed) }
