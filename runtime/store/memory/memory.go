// Package memory is a store that ends with its process: for tests, and for agents that nobody needs to come back to.
//
// It keeps what package store says of every step, under one mutex. Whoever shares it shares the value: it has one handle.
package memory

import (
	"context"
	"sync"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// Option is a setting of a store.
type Option func(*Store)

// Limits bounds what the store takes; there are no limits otherwise.
func Limits(l store.Limits) Option { return func(s *Store) { s.limits = l } }

// Clock is where the store takes the time from; it is time.Now otherwise.
func Clock(now func() time.Time) Option { return func(s *Store) { s.now = now } }

// Store implements [store.Store].
type Store struct {
	limits   store.Limits
	now      func() time.Time
	watchers store.Watchers

	mu        sync.Mutex
	closed    bool
	created   int // conversations so far, deleted ones too
	all       map[store.ID]*conversation
	gone      map[store.ID]int // deleted conversations and their numbers
	roots     []*conversation
	residents map[*conversation]bool
	processes map[string]time.Time // when each was last heard of
}

var _ store.Store = (*Store)(nil)

// conversation is all that is known of one.
type conversation struct {
	store.Conversation
	number   int // its place in the order of creation
	parent   *conversation
	children []*conversation // in the order of creation
	resident int             // how many of them are resident

	process string // who holds the lease, while it is resident
	lost    bool   // the last residency was ended by others
	log     []store.Entry
	size    int // bytes of the log and the composition
	inbox   []store.Message
	sent    int64 // the Seq of the last message
	seen    map[string]bool
	settled map[activation]bool // whose settlements have been sent here
	calls   map[string]store.ID
}

type activation struct {
	of store.ID
	n  int64
}

// New makes an empty store.
func New(options ...Option) *Store {
	s := &Store{
		now: time.Now, all: map[store.ID]*conversation{}, gone: map[store.ID]int{},
		residents: map[*conversation]bool{}, processes: map[string]time.Time{},
	}
	for _, o := range options {
		o(s)
	}
	return s
}

// lock begins a step. The caller unlocks, unless it is an error.
func (s *Store) lock(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return store.ErrClosed
	}
	return nil
}

// find begins a step over one conversation.
func (s *Store) find(ctx context.Context, id store.ID) (*conversation, error) {
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	c := s.all[id]
	if c == nil {
		s.mu.Unlock()
		return nil, store.ErrUnknown
	}
	return c, nil
}

// held begins a step under a lease.
func (s *Store) held(ctx context.Context, l store.Lease) (*conversation, error) {
	c, err := s.find(ctx, l.Conversation)
	if err == nil && !c.heldBy(l) {
		s.mu.Unlock()
		return nil, store.ErrFenced
	}
	return c, err
}

// heldBy says whether a lease is the one that was given last and has not ended. A lease is given with each Activation, so
// that their number is the token.
func (c *conversation) heldBy(l store.Lease) bool { return c.Resident && c.Activation == l.Token }

func (c *conversation) last() int64 { return int64(len(c.log)) }

func (c *conversation) lease() store.Lease {
	return store.Lease{Conversation: c.ID, Process: c.process, Token: c.Activation, Activation: c.Activation, Last: c.last()}
}

// make adds a conversation, without a lease.
func (s *Store) make(n store.NewConversation, parent *conversation) (*conversation, error) {
	if _, gone := s.gone[n.ID]; gone || s.all[n.ID] != nil {
		return nil, store.ErrExists
	}
	if err := store.CheckSize("a conversation", len(n.Composition), s.limits.Conversation); err != nil {
		return nil, err
	}
	s.created++
	c := &conversation{
		number: s.created, parent: parent, size: len(n.Composition),
		seen: map[string]bool{}, settled: map[activation]bool{}, calls: map[string]store.ID{},
	}
	c.NewConversation, c.Created = n, s.time()
	c.Composition = clone(n.Composition)
	s.all[n.ID] = c
	if parent == nil {
		s.roots = append(s.roots, c)
	} else {
		c.Depth = parent.Depth + 1
		parent.children = append(parent.children, c)
	}
	return c, nil
}

// begin gives the conversation's lease.
func (s *Store) begin(c *conversation, process string) store.Lease {
	c.Activation++
	c.Resident, c.process, c.lost = true, process, false
	s.residents[c] = true
	if c.parent != nil {
		c.parent.resident++
	}
	if _, known := s.processes[process]; !known {
		s.processes[process] = s.now()
	}
	return c.lease()
}

// end takes the conversation's lease.
func (s *Store) end(c *conversation) {
	c.Resident, c.Driving, c.Interrupt, c.process = false, false, 0, ""
	delete(s.residents, c)
	if c.parent != nil {
		c.parent.resident--
	}
}

// write adds entries to the log and returns the last one's number.
func (s *Store) write(c *conversation, entries ...store.Entry) int64 {
	now := s.time()
	for _, e := range entries {
		c.log = append(c.log, store.Entry{Seq: c.last() + 1, Kind: e.Kind, Data: clone(e.Data), Time: now})
		c.size += len(e.Data)
	}
	return c.last()
}

// room says whether entries still fit.
func (s *Store) room(c *conversation, entries ...store.Entry) error {
	size := c.size
	for _, e := range entries {
		size += len(e.Data)
	}
	return store.CheckSize("a conversation", size, s.limits.Conversation)
}

// take puts a message into an inbox, unless it was there before.
func (s *Store) take(c *conversation, m store.Message) {
	if c.knows(m) {
		return
	}
	c.seen[m.ID] = true
	if m.Kind == store.FromSettlement {
		c.settled[activation{m.From, m.Activation}] = true
	}
	c.sent++
	m.Seq, m.Parked, m.Data = c.sent, false, clone(m.Data)
	c.inbox = append(c.inbox, m)
}

func (c *conversation) knows(m store.Message) bool {
	return c.seen[m.ID] || m.Kind == store.FromSettlement && c.settled[activation{m.From, m.Activation}]
}

func (c *conversation) pending() store.Pending {
	p := store.Pending{Children: c.resident}
	for _, m := range c.inbox {
		if !m.Parked && !m.Quiet {
			p.Waiting++
		}
	}
	return p
}

// time is the present without what only this process understands of it.
func (s *Store) time() time.Time { return s.now().UTC().Round(0) }

// clone keeps callers and the store out of each other's bytes.
func clone(b []byte) []byte { return append([]byte(nil), b...) }
