package sqlite

import (
	"context"
	"fmt"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// Pending says what keeps a conversation.
func (s *Store) Pending(ctx context.Context, id store.ID) (p store.Pending, err error) {
	err = s.read(ctx, func(c *conn) error {
		found, err := c.row([]any{&p.Waiting, &p.Children}, `SELECT
				(SELECT count(*) FROM messages WHERE recipient = c.n AND NOT quiet AND NOT parked),
				(SELECT count(*) FROM leases WHERE parent = c.n)
			FROM conversations c WHERE c.id = ?`, string(id))
		if err == nil && !found {
			return store.ErrUnknown
		}
		return err
	})
	return p, err
}

// The parts of a query of index entries, from all conversations or from those that are resident. Whatever is missing of an
// entry is NULL, so that damage hides none.
const (
	columns = `SELECT c.n, c.id, c.parent, p.id, c.kind, c.depth, c.created, c.version, c.sum, c.label, c.composition,
		s.activation, s.settled, l.process, l.driving, l.interrupt, e.kind, e.time, e.sum, e.data `
	details = `LEFT JOIN states s ON s.conversation = c.n
		LEFT JOIN conversations p ON p.n = c.parent
		LEFT JOIN entries e ON e.conversation = c.n AND e.seq = s.settled `
	fromAll = columns + "FROM conversations c LEFT JOIN leases l ON l.conversation = c.n " + details
	// CROSS, so that the residents are what is gone through.
	fromResidents = columns + "FROM leases l CROSS JOIN conversations c ON c.n = l.conversation " + details
)

// scanConversation reads an index entry, and finds what is wrong with it.
func scanConversation(scan func(...any) error) (store.Conversation, error) {
	values := make([]any, 20)
	dest := make([]any, len(values))
	for i := range values {
		dest[i] = &values[i]
	}
	if err := scan(dest...); err != nil {
		return store.Conversation{}, err
	}
	r := &record{values: values}
	var c store.Conversation
	n := r.int()
	c.ID = store.ID(r.text())
	parent := r.orInt()
	c.Parent = store.ID(r.orText())
	c.Kind, c.Depth, c.Created = store.Kind(r.text()), int(r.int()), at(r.int())
	version, sum := r.int(), r.int()
	c.Label, c.Composition = r.text(), r.data()
	c.Activation = r.int()
	settled := r.int()
	c.Resident = r.values[0] != nil
	_ = r.orText()
	c.Driving = r.orInt() != 0
	c.Interrupt = r.orInt()
	if settled != 0 && version <= logVersion {
		e := store.Entry{Seq: settled, Kind: r.text(), Time: at(r.int())}
		entry := r.int()
		e.Data = r.data()
		end, err := store.Settled(e)
		if err != nil || entry != entrySum(n, e) {
			r.bad = true
		}
		c.Outcome, c.Text, c.Ended = end.Outcome, end.Text, end.Activation
	}
	switch {
	case version > logVersion:
		c.Problem = store.Unsupported
	case r.bad || sum != conversationSum(n, parent, c, version):
		c.Problem = store.Corrupt
	}
	return c, nil
}

// record reads the values of a row, one after the other, and notes what is not of the type that it should have.
type record struct {
	values []any
	bad    bool
}

func next[T any](r *record, null bool) T {
	v, is := r.values[0].(T)
	r.bad = r.bad || !is && (!null || r.values[0] != nil)
	r.values = r.values[1:]
	return v
}

func (r *record) int() int64     { return next[int64](r, false) }
func (r *record) orInt() int64   { return next[int64](r, true) }
func (r *record) text() string   { return next[string](r, false) }
func (r *record) orText() string { return next[string](r, true) }
func (r *record) data() []byte   { return next[[]byte](r, true) }

// get reads an index entry.
func get(c *conn, id store.ID) (found store.Conversation, err error) {
	some := false
	err = c.rows(func(scan func(...any) error) (err error) {
		some = true
		found, err = scanConversation(scan)
		return err
	}, fromAll+"WHERE c.id = ?", string(id))
	if err == nil && !some {
		err = store.ErrUnknown
	}
	return found, err
}

// sound says whether a conversation can go on.
func sound(c *conn, id store.ID) error {
	found, err := get(c, id)
	switch {
	case err != nil:
		return err
	case found.Problem == store.Unsupported:
		return fmt.Errorf("conversation %q: %w", id, store.ErrUnsupported)
	case found.Problem != "":
		return fmt.Errorf("conversation %q: %w", id, store.ErrDamaged)
	}
	return nil
}

// Get returns one conversation.
func (s *Store) Get(ctx context.Context, id store.ID) (found store.Conversation, err error) {
	err = s.read(ctx, func(c *conn) (err error) {
		found, err = get(c, id)
		return err
	})
	return found, err
}

// known looks up a conversation's number, of one that was deleted too if gone is true.
func known(c *conn, id store.ID, gone bool) (n int64, err error) {
	query := "SELECT n FROM conversations WHERE id = ?1"
	if gone {
		query += " UNION ALL SELECT n FROM gone WHERE id = ?1"
	}
	found, err := c.row([]any{&n}, query, string(id))
	if err == nil && !found {
		err = store.ErrUnknown
	}
	return n, err
}

// Children lists children, or roots.
func (s *Store) Children(ctx context.Context, parent, after store.ID, limit int) (list []store.Conversation, err error) {
	err = s.read(ctx, func(c *conn) error {
		where, of, behind := "c.parent IS nullif(?, 0)", int64(0), int64(0)
		if parent != "" {
			n, err := known(c, parent, false)
			if err != nil {
				return err
			}
			where, of = "c.parent = ?", n
		}
		if after != "" {
			n, err := known(c, after, true)
			if err != nil {
				return err
			}
			behind = n
		}
		return c.rows(func(scan func(...any) error) error {
			found, err := scanConversation(scan)
			list = append(list, found)
			return err
		}, fromAll+"WHERE "+where+" AND c.n > ? ORDER BY c.n LIMIT ?", of, behind, most(limit))
	})
	return list, err
}

// most is a limit as SQLite has it.
func most(limit int) int {
	if limit <= 0 {
		return -1
	}
	return limit
}

// Residents lists the resident descendants: of each that is resident anywhere, the ancestors are few.
func (s *Store) Residents(ctx context.Context, below store.ID) (list []store.Conversation, err error) {
	err = s.read(ctx, func(c *conn) error {
		top := int64(0)
		if below != "" {
			n, err := known(c, below, false)
			if err != nil {
				return err
			}
			top = n
		}
		return c.rows(func(scan func(...any) error) error {
			found, err := scanConversation(scan)
			list = append(list, found)
			return err
		}, fromResidents+`WHERE (?1 = 0 OR ?1 IN (
			WITH RECURSIVE above (n) AS (
				SELECT c.parent
				UNION ALL SELECT a.parent FROM above JOIN conversations a ON a.n = above.n
			) SELECT n FROM above WHERE n IS NOT NULL))`, top)
	})
	return list, err
}

// Log reads entries.
func (s *Store) Log(ctx context.Context, id store.ID, after int64, limit int) (entries []store.Entry, err error) {
	err = s.read(ctx, func(c *conn) error {
		st, err := find(c, id)
		if err != nil {
			return err
		}
		entries, err = st.behind(c, after, most(limit))
		return err
	})
	return entries, err
}

// Waiting lists what has not been claimed.
func (s *Store) Waiting(ctx context.Context, id store.ID) (messages []store.Message, err error) {
	err = s.read(ctx, func(c *conn) error {
		n, err := known(c, id, false)
		if err != nil {
			return err
		}
		waiting, err := (&state{n: n, id: id}).inbox(c)
		messages, _ = store.Order(waiting, store.AtTurn)
		return err
	})
	return messages, err
}
