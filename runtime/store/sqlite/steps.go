package sqlite

import (
	"context"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// make adds a conversation, without a lease.
func (s *Store) make(c *conn, now int64, n store.NewConversation, parent *state) (*state, error) {
	var one int
	if known, err := c.row([]any{&one}, "SELECT 1 FROM conversations WHERE id = ? UNION ALL SELECT 1 FROM gone WHERE id = ?",
		string(n.ID), string(n.ID)); err != nil {
		return nil, err
	} else if known {
		return nil, store.ErrExists
	}
	if err := store.CheckSize("a conversation", len(n.Composition), s.options.limits.Conversation); err != nil {
		return nil, err
	}
	st := &state{id: n.ID, kind: n.Kind, size: int64(len(n.Composition))}
	if parent != nil {
		st.parent, st.parentID, st.depth = parent.n, parent.id, parent.depth+1
	}
	row, err := c.insert(`INSERT INTO conversations (id, parent, kind, depth, created, version, sum, label, composition)
		VALUES (?, nullif(?, 0), ?, ?, ?, ?, 0, ?, ?)`,
		string(n.ID), st.parent, string(n.Kind), st.depth, now, logVersion, n.Label, []byte(n.Composition))
	if err != nil {
		return nil, err
	}
	st.n = row
	sum := conversationSum(row, st.parent, store.Conversation{NewConversation: n, Depth: st.depth, Created: at(now)}, logVersion)
	if _, err := c.exec("UPDATE conversations SET sum = ? WHERE n = ?", sum, row); err != nil {
		return nil, err
	}
	_, err = c.exec(`INSERT INTO states (conversation, activation, last, size, sent, settled, lost, changed) VALUES (?, 0, 0, 0, 0, 0, 0, 0)`, row)
	return st, err
}

// Create makes a root conversation.
func (s *Store) Create(ctx context.Context, process string, root store.NewConversation) (lease store.Lease, err error) {
	if err := store.CheckRoot(process, root); err != nil {
		return store.Lease{}, err
	}
	now := s.now()
	err = s.write(ctx, func(c *conn) error {
		st, err := s.make(c, now, root, nil)
		if err != nil {
			return err
		}
		if lease, err = st.begin(c, process, now); err != nil {
			return err
		}
		return st.save(c)
	})
	return given(lease, err)
}

// given is a lease, or nothing on an error.
func given(l store.Lease, err error) (store.Lease, error) {
	if err != nil {
		return store.Lease{}, err
	}
	return l, nil
}

// Start makes a child under its parent's lease.
func (s *Store) Start(ctx context.Context, parent store.Lease, after int64, call string, child store.NewConversation, first store.Message) (store.Conversation, store.Lease, bool, error) {
	if err := store.CheckChild(parent, call, child, first); err != nil {
		return store.Conversation{}, store.Lease{}, false, err
	}
	if err := store.CheckSize("a message", len(first.Data), s.options.limits.Message); err != nil {
		return store.Conversation{}, store.Lease{}, false, err
	}
	var made store.Conversation
	var lease store.Lease
	var started bool
	now := s.now()
	err := s.write(ctx, func(c *conn) error {
		made, lease, started = store.Conversation{}, store.Lease{}, false
		p, err := held(c, parent)
		if err != nil {
			return err
		}
		var known string
		if found, err := c.row([]any{&known}, "SELECT child FROM starts WHERE parent = ? AND call = ?", p.n, call); err != nil {
			return err
		} else if found {
			made, err = get(c, store.ID(known))
			return err
		}
		if after != p.last {
			return store.ErrConflict
		}
		entry := store.StartedEntry(store.Started{Call: call, Child: child.ID})
		if err := p.room(s.options.limits.Conversation, entry); err != nil {
			return err
		}
		st, err := s.make(c, now, child, p)
		if err != nil {
			return err
		}
		if lease, err = st.begin(c, p.process, now); err != nil {
			return err
		}
		if err := st.take(c, first); err != nil {
			return err
		}
		if err := st.save(c); err != nil {
			return err
		}
		if _, err := c.exec("INSERT INTO starts (parent, call, child) VALUES (?, ?, ?)", p.n, call, string(child.ID)); err != nil {
			return err
		}
		if err := p.write(c, now, entry); err != nil {
			return err
		}
		started = true
		made = store.Conversation{NewConversation: child, Depth: st.depth, Created: at(now), Activation: st.activation, Resident: true}
		return p.save(c)
	})
	if err != nil {
		return store.Conversation{}, store.Lease{}, false, err
	}
	if started {
		s.watchers.Changed(child.ID)
	}
	return made, lease, started, nil
}

// Acquire begins a residency.
func (s *Store) Acquire(ctx context.Context, process string, id store.ID) (lease store.Lease, err error) {
	if err := store.CheckProcess(process); err != nil {
		return store.Lease{}, err
	}
	now := s.now()
	err = s.write(ctx, func(c *conn) error {
		st, err := find(c, id)
		if err != nil {
			return err
		}
		if st.resident {
			return &store.HeldError{Lease: st.lease()}
		}
		if err := sound(c, id); err != nil {
			return err
		}
		if lease, err = st.begin(c, process, now); err != nil {
			return err
		}
		return st.save(c)
	})
	return given(lease, err)
}

// Release gives up a root's lease.
func (s *Store) Release(ctx context.Context, lease store.Lease) error {
	return s.write(ctx, func(c *conn) error {
		st, err := find(c, lease.Conversation)
		if err != nil {
			return err
		}
		if err := store.CheckRelease(st.id, st.kind); err != nil {
			return err
		}
		switch {
		case st.heldBy(lease):
			return st.end(c)
		case st.resident || st.activation != lease.Token || st.lost:
			return store.ErrFenced
		}
		return nil
	})
}

// Append adds to the log.
func (s *Store) Append(ctx context.Context, lease store.Lease, after int64, entries ...store.Entry) (int64, error) {
	if err := store.CheckEntries(entries); err != nil {
		return 0, err
	}
	for _, e := range entries {
		if err := store.CheckSize("an entry", len(e.Data), s.options.limits.Entry); err != nil {
			return 0, err
		}
	}
	now := s.now()
	err := s.write(ctx, func(c *conn) error {
		st, err := held(c, lease)
		if err != nil {
			return err
		}
		if after != st.last {
			if same, err := st.goesOn(c, after, entries...); err != nil || same {
				return err
			}
			return store.ErrConflict
		}
		if len(entries) == 0 {
			return nil
		}
		if err := st.room(s.options.limits.Conversation, entries...); err != nil {
			return err
		}
		if err := st.write(c, now, entries...); err != nil {
			return err
		}
		return st.save(c)
	})
	if err != nil {
		return 0, err
	}
	return after + int64(len(entries)), nil
}

// Send puts a message on its way.
func (s *Store) Send(ctx context.Context, m store.Message) error {
	if err := store.CheckMessage(m); err != nil {
		return err
	}
	taken := false
	err := s.write(ctx, func(c *conn) error {
		taken = false
		st, err := find(c, m.To)
		if err != nil {
			return err
		}
		if known, err := st.knows(c, m); err != nil || known {
			return err
		}
		if m.Activation != 0 {
			var one int
			if resident, err := c.row([]any{&one}, `SELECT 1 FROM conversations c JOIN states s ON s.conversation = c.n
					JOIN leases l ON l.conversation = c.n WHERE c.id = ? AND s.activation = ?`, string(m.From), m.Activation); err != nil {
				return err
			} else if !resident {
				return store.ErrFenced
			}
		}
		if err := store.CheckSize("a message", len(m.Data), s.options.limits.Message); err != nil {
			return err
		}
		taken = true
		if err := st.take(c, m); err != nil {
			return err
		}
		return st.save(c)
	})
	if err == nil && taken {
		s.watchers.Changed(m.To)
	}
	return err
}

// Claim moves messages into the log.
func (s *Store) Claim(ctx context.Context, lease store.Lease, after int64, at store.Boundary) (messages []store.Message, last int64, err error) {
	if err := store.CheckBoundary(at); err != nil {
		return nil, 0, err
	}
	now := s.now()
	err = s.write(ctx, func(c *conn) error {
		messages = nil
		st, err := held(c, lease)
		if err != nil {
			return err
		}
		last = st.last
		if after < 0 || after > st.last {
			return store.ErrConflict
		}
		if after < st.last {
			entries, err := st.behind(c, after, -1)
			if err != nil {
				return err
			}
			messages, err = store.Claimed(entries)
			return err
		}
		waiting, err := st.inbox(c)
		if err != nil {
			return err
		}
		ordered, taken := store.Order(waiting, at)
		messages = ordered[:taken:taken]
		if taken == 0 {
			return nil
		}
		entries := make([]store.Entry, taken)
		for i, m := range messages {
			entries[i] = store.MessageEntry(m)
		}
		if err := st.room(s.options.limits.Conversation, entries...); err != nil {
			return err
		}
		if err := st.write(c, now, entries...); err != nil {
			return err
		}
		for _, m := range messages {
			if _, err := c.exec("DELETE FROM messages WHERE recipient = ? AND seq = ?", st.n, m.Seq); err != nil {
				return err
			}
		}
		last = st.last
		return st.save(c)
	})
	if err != nil {
		return nil, 0, err
	}
	return messages, last, nil
}

// Park parks what waits.
func (s *Store) Park(ctx context.Context, lease store.Lease) (parked int, err error) {
	err = s.write(ctx, func(c *conn) error {
		st, err := held(c, lease)
		if err != nil {
			return err
		}
		if _, err := c.exec("UPDATE messages SET parked = 1 WHERE recipient = ? AND NOT parked", st.n); err != nil {
			return err
		}
		_, err = c.row([]any{&parked}, "SELECT count(*) FROM messages WHERE recipient = ?", st.n)
		return err
	})
	if err != nil {
		return 0, err
	}
	return parked, nil
}

// Interrupt asks the holder to stop a turn.
func (s *Store) Interrupt(ctx context.Context, id store.ID, activation, upTo int64) error {
	if err := store.CheckInterrupt(id, activation, upTo); err != nil {
		return err
	}
	noted := false
	err := s.write(ctx, func(c *conn) error {
		noted = false
		st, err := find(c, id)
		if err != nil || !st.resident || st.activation != activation {
			return err
		}
		if upTo > st.last {
			return store.ErrConflict
		}
		n, err := c.exec("UPDATE leases SET interrupt = ?1 WHERE conversation = ?2 AND interrupt < ?1", upTo, st.n)
		if err != nil || n == 0 {
			return err
		}
		noted = true
		if err := st.change(c); err != nil {
			return err
		}
		return st.save(c)
	})
	if err == nil && noted {
		s.watchers.Changed(id)
	}
	return err
}

// Drive says whether a turn is in progress.
func (s *Store) Drive(ctx context.Context, lease store.Lease, driving bool) error {
	return s.write(ctx, func(c *conn) error {
		st, err := held(c, lease)
		if err != nil {
			return err
		}
		_, err = c.exec("UPDATE leases SET driving = ?1 WHERE conversation = ?2 AND driving != ?1", number(driving), st.n)
		return err
	})
}
