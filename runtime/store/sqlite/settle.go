package sqlite

import (
	"context"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// Settle ends a residency.
func (s *Store) Settle(ctx context.Context, lease store.Lease, after int64, end store.Settlement) error {
	var parent store.ID
	now := s.now()
	err := s.write(ctx, func(c *conn) error {
		parent = ""
		st, err := find(c, lease.Conversation)
		if err != nil {
			return err
		}
		if err := store.CheckSettlement(lease, st.parentID, end); err != nil {
			return err
		}
		entry := store.SettledEntry(end)
		if same, err := st.goesOn(c, after, entry); err != nil || same {
			return err
		}
		switch {
		case !st.heldBy(lease):
			return store.ErrFenced
		case after != st.last:
			return store.ErrConflict
		}
		p, err := st.pending(c)
		if err != nil {
			return err
		}
		if p != (store.Pending{}) {
			return &store.BusyError{Pending: p}
		}
		parent = st.parentID
		return s.settle(c, now, st, entry, end.Notice)
	})
	if err == nil && parent != "" {
		s.watchers.Changed(parent)
	}
	return err
}

// Lose ends the residency of a dead holder.
func (s *Store) Lose(ctx context.Context, dead store.Lease, end store.Settlement) error {
	var parent store.ID
	now := s.now()
	err := s.write(ctx, func(c *conn) error {
		st, err := find(c, dead.Conversation)
		if err != nil {
			return err
		}
		parent = st.parentID
		if err := store.CheckSettlement(dead, st.parentID, end); err != nil {
			return err
		}
		if !st.heldBy(dead) {
			return store.ErrFenced
		}
		st.lost = true
		return s.settle(c, now, st, store.SettledEntry(end), end.Notice)
	})
	if err == nil && parent != "" {
		s.watchers.Changed(parent)
	}
	return err
}

// settle is what both ends of a residency do.
func (s *Store) settle(c *conn, now int64, st *state, entry store.Entry, notice *store.Message) error {
	if err := store.CheckSize("a settlement", len(entry.Data), s.options.limits.Entry); err != nil {
		return err
	}
	if notice != nil {
		if err := store.CheckSize("a notice", len(notice.Data), s.options.limits.Message); err != nil {
			return err
		}
	}
	if err := st.write(c, now, entry); err != nil {
		return err
	}
	st.settled = st.last
	if err := st.end(c); err != nil {
		return err
	}
	if err := st.save(c); err != nil {
		return err
	}
	if st.parent == 0 {
		return nil
	}
	p, err := find(c, st.parentID)
	if err != nil {
		return err
	}
	if notice != nil {
		if known, err := p.knows(c, *notice); err != nil {
			return err
		} else if !known {
			if err := p.take(c, *notice); err != nil {
				return err
			}
			return p.save(c)
		}
	}
	if err := p.change(c); err != nil {
		return err
	}
	return p.save(c)
}

// Heartbeat says that a process lives.
func (s *Store) Heartbeat(ctx context.Context, process string) error {
	if err := store.CheckProcess(process); err != nil {
		return err
	}
	now := s.now()
	return s.write(ctx, func(c *conn) error {
		known, err := c.exec("UPDATE processes SET heard = ? WHERE name = ?", now, process)
		if err != nil || known > 0 {
			return err
		}
		// There is one row for each run of a program, so those that are long over are removed when a new one comes.
		if _, err := c.exec("DELETE FROM processes WHERE heard < ? AND name NOT IN (SELECT process FROM leases)",
			now-(7*24*time.Hour).Nanoseconds()); err != nil {
			return err
		}
		_, err = c.exec("INSERT INTO processes (name, heard) VALUES (?, ?)", process, now)
		return err
	})
}

// Dead lists the leases of processes that are silent, one too whose conversation has lost its state: whoever ends it hears of that.
func (s *Store) Dead(ctx context.Context, bound time.Duration) (leases []store.Lease, err error) {
	heard := s.now() - bound.Nanoseconds()
	err = s.read(ctx, func(c *conn) error {
		return c.rows(func(scan func(...any) error) error {
			var l store.Lease
			err := scan(&l.Conversation, &l.Process, &l.Token, &l.Last)
			l.Activation = l.Token
			leases = append(leases, l)
			return err
		}, `SELECT c.id, l.process, coalesce(s.activation, 0), coalesce(s.last, 0)
			FROM processes p
			JOIN leases l ON l.process = p.name
			JOIN conversations c ON c.n = l.conversation
			LEFT JOIN states s ON s.conversation = l.conversation
			WHERE p.heard < ? ORDER BY c.depth DESC, c.n`, heard)
	})
	return leases, err
}
