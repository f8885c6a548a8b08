package subagent

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
)

// Service runs the agents of one process over a store. Its methods are safe for concurrent use.
type Service struct {
	cfg         Config
	delegations map[string]*Delegation // by mounted name
	control     map[string]bool        // the mounted names of what serves those who delegate
	reporting   bool                   // `report` is mounted
	ctx         context.Context        // every agent's; it ends with the service
	cancel      context.CancelCauseFunc
	unwatch     func()
	beating     chan struct{}  // closed when the heart has stopped
	burials     sync.WaitGroup // of conversations that could not run

	viewsMu sync.Mutex
	views   map[viewKey]*agent.View

	limits chan struct{} // of one: held while a limit is compared with what the store says

	mu        sync.RWMutex // never held while the store is called
	closed    bool
	residents map[store.ID]*resident
	opening   map[store.ID]chan struct{}   // what is being made resident
	taken     int                          // how many places were ever taken
	changes   map[store.ID][]chan struct{} // who waits for something to change for a conversation
}

// resident is an agent of this process.
type resident struct {
	conv   store.Conversation
	comp   composition
	view   *agent.View
	agent  *agent.Agent
	parent *resident // nil for a root
	root   *resident // itself for a root
	place  *place    // nil for a root
	ctx    context.Context
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when the service has forgotten it
	end    agent.End     // once done is closed

	// Under the service's mutex.
	attached map[*resident]bool // the children that are in this process
	children int                // places that its children hold: those that are about to be resident have one, too
	places   map[*place]bool    // of a root: those that its whole tree holds
}

// ErrClosed says that the service was closed.
var ErrClosed = errors.New("subagent: the service is closed")

// New makes a service, and mounts the agents' tools. Errors are those of mounting and of a deployment that cannot be: an
// unknown tool in a restriction, a scope of children that cannot be made.
func New(cfg Config) (*Service, error) {
	if cfg.Store == nil || cfg.Tools == nil || cfg.Models == nil {
		return nil, errors.New("subagent: a service needs a store, tools and models")
	}
	cfg.NoticeBytes = cmp.Or(cfg.NoticeBytes, DefaultNoticeBytes)
	cfg.Heartbeat = cmp.Or(cfg.Heartbeat, DefaultHeartbeat)
	cfg.DeadAfter = cmp.Or(cfg.DeadAfter, DefaultDeadAfter)
	cfg.Process = cmp.Or(cfg.Process, strings.ToLower(rand.Text()))
	if cfg.NewID == nil {
		cfg.NewID = func(store.NewConversation) store.ID { return store.ID("agent-" + strings.ToLower(rand.Text()[:10])) }
	}
	s := &Service{
		cfg: cfg, delegations: map[string]*Delegation{}, control: map[string]bool{}, views: map[viewKey]*agent.View{},
		residents: map[store.ID]*resident{}, changes: map[store.ID][]chan struct{}{}, beating: make(chan struct{}),
		opening: map[store.ID]chan struct{}{}, limits: make(chan struct{}, 1),
	}
	if err := s.mount(); err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.unwatch = cfg.Store.Watch(s.changed)
	go s.beat()
	return s, nil
}

// changed is told by the store that something may have changed for a conversation.
func (s *Service) changed(id store.ID) {
	s.mu.Lock()
	r, waiting := s.residents[id], s.changes[id]
	delete(s.changes, id)
	s.mu.Unlock()
	if r != nil {
		r.agent.Changed()
	}
	for _, ch := range waiting {
		close(ch)
	}
}

// change returns a channel that is closed when something next changes for a conversation.
func (s *Service) change(id store.ID) <-chan struct{} {
	ch := make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes[id] = append(s.changes[id], ch)
	return ch
}

// local returns the agent of a conversation that is resident in this process, or nil.
func (s *Service) local(id store.ID) *resident {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.residents[id]
}

// attached returns the children of an agent that are in this process.
func (s *Service) attached(parent *resident) []*resident {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Collect(maps.Keys(parent.attached))
}

// tree returns the agents of a root that are in this process, itself left out.
func (s *Service) tree(root *resident) []*resident {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []*resident
	for _, r := range s.residents {
		if r.root == root && r != root {
			out = append(out, r)
		}
	}
	return out
}

// caller returns the agent for which a handler works.
func (s *Service) caller(ctx context.Context) (*agent.Caller, *resident, error) {
	c, ok := agent.CallerOf(ctx)
	if !ok {
		return nil, nil, errors.New("subagent: the call comes from no agent")
	}
	r := s.local(c.Agent().Identity().ID)
	if r == nil || r.agent != c.Agent() {
		return nil, nil, agent.ErrCallEnded
	}
	return c, r, nil
}

// spawn makes a conversation resident whose lease was just given, and lets it run. The place that was taken is given back when the agent has
// ended, and by the caller where it cannot begin.
func (s *Service) spawn(conv store.Conversation, lease store.Lease, o *outfit, parent *resident, taken *place, resumed bool) (*resident, error) {
	ctx := s.ctx
	if parent != nil {
		ctx = parent.ctx
	}
	r := &resident{conv: conv, comp: o.comp, view: o.view, parent: parent, place: taken, attached: map[*resident]bool{}, done: make(chan struct{})}
	if parent != nil {
		r.root = parent.root
	} else {
		r.root, r.places = r, map[*place]bool{}
	}
	a, err := agent.Open(context.WithoutCancel(ctx), s.agentConfig(conv, lease, o))
	if err != nil {
		s.bury(conv, lease, err)
		return nil, err
	}
	r.agent = a
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	s.mu.Lock()
	closed := s.closed && parent == nil // a child ends with its parent
	if !closed {
		s.residents[conv.ID] = r
		if parent != nil {
			parent.attached[r] = true
			taken.by = r
		}
	}
	s.mu.Unlock()
	if closed {
		s.bury(conv, lease, ErrClosed)
		return nil, ErrClosed
	}
	if s.cfg.Observer != nil && s.cfg.Observer.Started != nil {
		s.cfg.Observer.Started(a.Identity(), resumed)
	}
	go s.live(r)
	return r, nil
}

func (s *Service) agentConfig(conv store.Conversation, lease store.Lease, o *outfit) agent.Config {
	// The service tells the observer of ends itself, in order.
	var observer agent.Observer
	if s.cfg.Observer != nil {
		observer = *s.cfg.Observer
		observer.Settled = nil
	}
	cfg := agent.Config{
		Store: s.cfg.Store, Conversation: conv, Lease: lease,
		Model: o.model, ModelName: o.comp.Model, View: o.view, Before: o.before, History: o.log,
		Stay: conv.Kind == store.Root, Restore: s.restore,
		Settings: s.cfg.Settings, Observer: &observer,
	}
	switch conv.Kind {
	case store.Continuable:
		cfg.Notice = func(end agent.End) *store.Message { return s.notice(conv, end) }
	case store.Job, store.Foreground:
		cfg.Output = output
	}
	return cfg
}

// live runs an agent to its end. The deferred part also runs where something ends the goroutine.
func (s *Service) live(r *resident) {
	r.end = agent.End{TurnEnd: agent.TurnEnd{Outcome: agent.Lost}, LeaseLost: true}
	defer func() {
		r.cancel(agent.ErrStopped)
		// Its children have settled, unless it has lost its lease; the observer is told of their ends first.
		for _, child := range s.attached(r) {
			<-child.done
		}
		if o := s.cfg.Observer; o != nil && o.Settled != nil {
			o.Settled(r.agent.Identity(), r.end)
		}
		s.mu.Lock()
		if s.residents[r.conv.ID] == r {
			delete(s.residents, r.conv.ID)
		}
		if r.parent != nil {
			delete(r.parent.attached, r)
		}
		s.mu.Unlock()
		r.place.leave()
		close(r.done)
	}()
	r.end = r.agent.Run(r.ctx)
}

// bury ends the residency of a conversation that cannot run. Where the store fails, it is tried again as long as the service
// lives: a lease of a process that lives, without an agent, would keep the parent for ever.
func (s *Service) bury(conv store.Conversation, lease store.Lease, why error) {
	s.problem(conv, fmt.Errorf("subagent: %s cannot run: %w", conv.ID, why))
	if !s.tryBury(conv, lease) {
		s.insist(func() bool { return s.tryBury(conv, lease) })
	}
}

// forsake ends the residency that a step may have begun of which it is not known whether it happened: it has no agent either.
func (s *Service) forsake(id store.ID) {
	s.insist(func() bool {
		defer s.lock(id)()
		ctx := context.WithoutCancel(s.ctx)
		c, err := s.cfg.Store.Get(ctx, id)
		if errors.Is(err, store.ErrUnknown) || err == nil && !c.Resident {
			return true
		} else if err != nil {
			s.problem(c, err)
			return false
		}
		lease, err := s.acquireOnce(ctx, id)
		if errors.Is(err, store.ErrHeld) {
			return true // another process has it, or an agent of this one
		} else if err != nil {
			s.problem(c, err)
			return false
		}
		return s.tryBury(c, lease)
	})
}

// insist tries something at once, and every second as long as the service lives, and once more when it ends.
func (s *Service) insist(try func() bool) {
	s.burials.Add(1)
	go func() {
		defer s.burials.Done()
		pause := time.NewTicker(time.Second)
		defer pause.Stop()
		for !try() && s.ctx.Err() == nil {
			select {
			case <-pause.C:
			case <-s.ctx.Done():
			}
		}
	}()
}

// tryBury is one attempt; it is false where another one may succeed.
func (s *Service) tryBury(conv store.Conversation, lease store.Lease) bool {
	err := s.settleFailed(context.WithoutCancel(s.ctx), conv, lease)
	if err == nil || errors.Is(err, store.ErrFenced) || errors.Is(err, store.ErrClosed) {
		return true
	}
	s.problem(conv, err)
	return false
}

func (s *Service) settleFailed(ctx context.Context, conv store.Conversation, lease store.Lease) error {
	if conv.Kind == store.Root {
		return s.cfg.Store.Release(ctx, lease)
	}
	parked, err := s.cfg.Store.Park(ctx, lease)
	if err != nil {
		return err
	}
	end := agent.End{TurnEnd: agent.TurnEnd{Outcome: agent.Failed, Reason: agent.StoreFailed, Parked: parked}, Activation: lease.Activation}
	settlement := store.Settlement{Outcome: string(end.Outcome), Parked: parked, Activation: lease.Activation}
	switch conv.Kind {
	case store.Continuable:
		settlement.Notice = s.notice(conv, end)
	case store.Job, store.Foreground:
		settlement.Text = output(end)
	}
	return s.cfg.Store.Settle(ctx, lease, lease.Last, settlement)
}

func (s *Service) problem(conv store.Conversation, err error) {
	if o := s.cfg.Observer; o != nil && o.Problem != nil {
		o.Problem(agent.Identity{ID: conv.ID, Parent: conv.Parent, Kind: conv.Kind, Label: conv.Label, Depth: conv.Depth}, err)
	}
}

// Stop ends a conversation's residency and those of its whole tree: their turns stop, what waits for them is parked, and each
// settles as interrupted, the leaves first. It returns when all of them have ended; it does nothing where the conversation is
// not resident here.
func (s *Service) Stop(ctx context.Context, id store.ID) error {
	r := s.local(id)
	if r == nil {
		return nil
	}
	r.cancel(agent.ErrStopped)
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("subagent: %s has not stopped: %w", id, context.Cause(ctx))
	}
}

// Close stops every agent and then the service. Where the context ends before they have stopped, they are abandoned: their
// leases are found dead later, by whoever has the store open.
func (s *Service) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	var all []*resident
	for _, r := range s.residents {
		all = append(all, r)
	}
	s.mu.Unlock()
	s.cancel(agent.ErrStopped)
	var err error
	for _, r := range all {
		select {
		case <-r.done:
		case <-ctx.Done():
			if err == nil {
				err = fmt.Errorf("subagent: not all agents have stopped: %w", context.Cause(ctx))
			}
			r.agent.Abandon()
		}
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		<-s.beating
		s.burials.Wait()
	}()
	select {
	case <-over:
	case <-ctx.Done():
		if err == nil {
			err = fmt.Errorf("subagent: the store does not answer: %w", context.Cause(ctx))
		}
	}
	s.unwatch()
	return err
}
