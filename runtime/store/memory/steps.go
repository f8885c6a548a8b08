package memory

import (
	"context"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// Create makes a root conversation.
func (s *Store) Create(ctx context.Context, process string, root store.NewConversation) (store.Lease, error) {
	if err := store.CheckRoot(process, root); err != nil {
		return store.Lease{}, err
	}
	if err := s.lock(ctx); err != nil {
		return store.Lease{}, err
	}
	defer s.mu.Unlock()
	c, err := s.make(root, nil)
	if err != nil {
		return store.Lease{}, err
	}
	return s.begin(c, process), nil
}

// Start makes a child under its parent's lease.
func (s *Store) Start(ctx context.Context, parent store.Lease, after int64, call string, child store.NewConversation, first store.Message) (store.Conversation, store.Lease, bool, error) {
	no := func(err error) (store.Conversation, store.Lease, bool, error) {
		return store.Conversation{}, store.Lease{}, false, err
	}
	if err := store.CheckChild(parent, call, child, first); err != nil {
		return no(err)
	}
	p, err := s.held(ctx, parent)
	if err != nil {
		return no(err)
	}
	defer s.mu.Unlock()
	if id, known := p.calls[call]; known {
		c := s.all[id]
		if c == nil {
			return no(store.ErrUnknown)
		}
		return c.entry(), store.Lease{}, false, nil
	}
	if after != p.last() {
		return no(store.ErrConflict)
	}
	started := store.StartedEntry(store.Started{Call: call, Child: child.ID})
	if err := s.room(p, started); err != nil {
		return no(err)
	}
	if err := store.CheckSize("a message", len(first.Data), s.limits.Message); err != nil {
		return no(err)
	}
	c, err := s.make(child, p)
	if err != nil {
		return no(err)
	}
	p.calls[call] = c.ID
	s.write(p, started)
	lease := s.begin(c, p.process)
	s.take(c, first)
	s.watchers.Changed(c.ID)
	return c.entry(), lease, true, nil
}

// Acquire begins a residency.
func (s *Store) Acquire(ctx context.Context, process string, id store.ID) (store.Lease, error) {
	if err := store.CheckProcess(process); err != nil {
		return store.Lease{}, err
	}
	c, err := s.find(ctx, id)
	if err != nil {
		return store.Lease{}, err
	}
	defer s.mu.Unlock()
	if c.Resident {
		return store.Lease{}, &store.HeldError{Lease: c.lease()}
	}
	return s.begin(c, process), nil
}

// Release gives up a root's lease.
func (s *Store) Release(ctx context.Context, lease store.Lease) error {
	c, err := s.find(ctx, lease.Conversation)
	if err != nil {
		return err
	}
	defer s.mu.Unlock()
	if err := store.CheckRelease(c.ID, c.Kind); err != nil {
		return err
	}
	switch {
	case c.heldBy(lease):
		s.end(c)
	case c.Resident || c.Activation != lease.Token || c.lost:
		return store.ErrFenced
	}
	return nil
}

// Append adds to the log.
func (s *Store) Append(ctx context.Context, lease store.Lease, after int64, entries ...store.Entry) (int64, error) {
	if err := store.CheckEntries(entries); err != nil {
		return 0, err
	}
	c, err := s.held(ctx, lease)
	if err != nil {
		return 0, err
	}
	defer s.mu.Unlock()
	if c.goesOn(after, entries...) {
		return after + int64(len(entries)), nil
	}
	if after != c.last() {
		return 0, store.ErrConflict
	}
	for _, e := range entries {
		if err := store.CheckSize("an entry", len(e.Data), s.limits.Entry); err != nil {
			return 0, err
		}
	}
	if err := s.room(c, entries...); err != nil {
		return 0, err
	}
	return s.write(c, entries...), nil
}

// goesOn says whether a log has the very same entries behind an entry.
func (c *conversation) goesOn(after int64, entries ...store.Entry) bool {
	if after < 0 || after > c.last()-int64(len(entries)) {
		return false
	}
	for i, e := range entries {
		if !c.log[after+int64(i)].Same(e) {
			return false
		}
	}
	return true
}

// Send puts a message on its way.
func (s *Store) Send(ctx context.Context, m store.Message) error {
	if err := store.CheckMessage(m); err != nil {
		return err
	}
	c, err := s.find(ctx, m.To)
	if err != nil {
		return err
	}
	defer s.mu.Unlock()
	if c.knows(m) {
		return nil
	}
	if m.Activation != 0 {
		if author := s.all[m.From]; author == nil || !author.Resident || author.Activation != m.Activation {
			return store.ErrFenced
		}
	}
	if err := store.CheckSize("a message", len(m.Data), s.limits.Message); err != nil {
		return err
	}
	s.take(c, m)
	s.watchers.Changed(c.ID)
	return nil
}

// Claim moves messages into the log.
func (s *Store) Claim(ctx context.Context, lease store.Lease, after int64, at store.Boundary) ([]store.Message, int64, error) {
	if err := store.CheckBoundary(at); err != nil {
		return nil, 0, err
	}
	c, err := s.held(ctx, lease)
	if err != nil {
		return nil, 0, err
	}
	defer s.mu.Unlock()
	if after < 0 || after > c.last() {
		return nil, 0, store.ErrConflict
	}
	if after < c.last() {
		claimed, err := store.Claimed(c.log[after:])
		if err != nil {
			return nil, 0, err
		}
		return claimed, c.last(), nil
	}
	messages, taken := store.Order(c.inbox, at)
	messages = messages[:taken:taken]
	entries := make([]store.Entry, taken)
	for i, m := range messages {
		entries[i] = store.MessageEntry(m)
	}
	if err := s.room(c, entries...); err != nil {
		return nil, 0, err
	}
	s.write(c, entries...)
	claimed := map[int64]bool{}
	for _, m := range messages {
		claimed[m.Seq] = true
	}
	var left []store.Message
	for _, m := range c.inbox {
		if !claimed[m.Seq] {
			left = append(left, m)
		}
	}
	c.inbox = left
	return messages, c.last(), nil
}

// Park parks what waits.
func (s *Store) Park(ctx context.Context, lease store.Lease) (int, error) {
	c, err := s.held(ctx, lease)
	if err != nil {
		return 0, err
	}
	defer s.mu.Unlock()
	for i := range c.inbox {
		c.inbox[i].Parked = true
	}
	return len(c.inbox), nil
}

// Drive says whether a turn is in progress.
func (s *Store) Drive(ctx context.Context, lease store.Lease, driving bool) error {
	c, err := s.held(ctx, lease)
	if err != nil {
		return err
	}
	defer s.mu.Unlock()
	c.Driving = driving
	return nil
}

// Interrupt asks the holder to stop a turn.
func (s *Store) Interrupt(ctx context.Context, id store.ID, activation, upTo int64) error {
	if err := store.CheckInterrupt(id, activation, upTo); err != nil {
		return err
	}
	c, err := s.find(ctx, id)
	if err != nil {
		return err
	}
	defer s.mu.Unlock()
	switch {
	case !c.Resident || c.Activation != activation:
		return nil
	case upTo > c.last():
		return store.ErrConflict
	case upTo > c.Interrupt:
		c.Interrupt = upTo
		s.watchers.Changed(c.ID)
	}
	return nil
}

// Settle ends a residency.
func (s *Store) Settle(ctx context.Context, lease store.Lease, after int64, end store.Settlement) error {
	c, err := s.find(ctx, lease.Conversation)
	if err != nil {
		return err
	}
	defer s.mu.Unlock()
	if err := store.CheckSettlement(lease, c.Parent, end); err != nil {
		return err
	}
	switch entry := store.SettledEntry(end); {
	case c.goesOn(after, entry):
		return nil
	case !c.heldBy(lease):
		return store.ErrFenced
	case after != c.last():
		return store.ErrConflict
	}
	if p := c.pending(); p != (store.Pending{}) {
		return &store.BusyError{Pending: p}
	}
	return s.settle(c, end, false)
}

// Lose ends the residency of a dead holder.
func (s *Store) Lose(ctx context.Context, dead store.Lease, end store.Settlement) error {
	c, err := s.find(ctx, dead.Conversation)
	if err != nil {
		return err
	}
	defer s.mu.Unlock()
	if err := store.CheckSettlement(dead, c.Parent, end); err != nil {
		return err
	}
	if !c.heldBy(dead) {
		return store.ErrFenced
	}
	return s.settle(c, end, true)
}

// settle is what both ends of a residency do.
func (s *Store) settle(c *conversation, end store.Settlement, lost bool) error {
	entry := store.SettledEntry(end)
	if err := store.CheckSize("a settlement", len(entry.Data), s.limits.Entry); err != nil {
		return err
	}
	if n := end.Notice; n != nil {
		if err := store.CheckSize("a notice", len(n.Data), s.limits.Message); err != nil {
			return err
		}
		s.take(c.parent, *n)
	}
	s.write(c, entry)
	c.Outcome, c.Text, c.Ended, c.lost = end.Outcome, string([]rune(end.Text)), end.Activation, lost // as it is written: mended where it is no Unicode
	s.end(c)
	if c.parent != nil {
		s.watchers.Changed(c.Parent)
	}
	return nil
}

// Heartbeat says that a process lives.
func (s *Store) Heartbeat(ctx context.Context, process string) error {
	if err := store.CheckProcess(process); err != nil {
		return err
	}
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	s.processes[process] = s.now()
	return nil
}

// Dead lists the leases of processes that are silent.
func (s *Store) Dead(ctx context.Context, bound time.Duration) ([]store.Lease, error) {
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	now := s.now()
	var dead []*conversation
	for c := range s.residents {
		if now.Sub(s.processes[c.process]) > bound {
			dead = append(dead, c)
		}
	}
	return leavesFirst(dead), nil
}

// Delete removes a tree.
func (s *Store) Delete(ctx context.Context, id store.ID) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	c := s.all[id]
	if _, gone := s.gone[id]; c == nil && gone {
		return nil
	} else if c == nil {
		return store.ErrUnknown
	}
	tree := c.tree(nil)
	resident := &store.ResidentError{Conversation: id, Itself: c.Resident}
	for _, d := range tree[1:] {
		if d.Resident {
			resident.Below++
		}
	}
	if resident.Itself || resident.Below > 0 {
		return resident
	}
	for _, d := range tree {
		delete(s.all, d.ID)
		s.gone[d.ID] = d.number
	}
	siblings := &s.roots
	if c.parent != nil {
		siblings = &c.parent.children
	}
	*siblings = without(*siblings, c)
	return nil
}

// Watch calls changed for what changes.
func (s *Store) Watch(changed func(store.ID)) (stop func()) { return s.watchers.Watch(changed) }

// Close ends the store and everything in it.
func (s *Store) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.watchers.Close()
	return nil
}
