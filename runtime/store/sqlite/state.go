package sqlite

import (
	"database/sql"
	"fmt"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// state is what the steps need to know of a conversation, as it is before them and, once they save it, after them.
type state struct {
	n        int64
	id       store.ID
	kind     store.Kind
	depth    int
	parent   int64 // 0 for a root
	parentID store.ID

	resident bool
	process  string

	activation, last, size, sent, settled, changed int64
	lost                                           bool
}

// find reads a conversation's state.
func find(c *conn, id store.ID) (*state, error) {
	s := &state{id: id}
	var process sql.NullString
	found, err := c.row([]any{
		&s.n, &s.kind, &s.depth, &s.parent, &s.parentID, &process,
		&s.activation, &s.last, &s.size, &s.sent, &s.settled, &s.lost, &s.changed,
	}, `SELECT c.n, c.kind, c.depth, coalesce(c.parent, 0), coalesce(p.id, ''), l.process,
			s.activation, s.last, s.size, s.sent, s.settled, s.lost, s.changed
		FROM conversations c
		LEFT JOIN states s ON s.conversation = c.n
		LEFT JOIN leases l ON l.conversation = c.n
		LEFT JOIN conversations p ON p.n = c.parent
		WHERE c.id = ?`, string(id))
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, store.ErrUnknown
	}
	s.resident, s.process = process.Valid, process.String
	return s, nil
}

// held reads the state of a conversation for the holder of its lease.
func held(c *conn, l store.Lease) (*state, error) {
	s, err := find(c, l.Conversation)
	if err == nil && !s.heldBy(l) {
		return nil, store.ErrFenced
	}
	return s, err
}

// heldBy says whether a lease is the one that was given last and has not ended. A lease is given with each Activation, so
// that their number is the token.
func (s *state) heldBy(l store.Lease) bool { return s.resident && s.activation == l.Token }

func (s *state) lease() store.Lease {
	return store.Lease{Conversation: s.id, Process: s.process, Token: s.activation, Activation: s.activation, Last: s.last}
}

// save writes what a step has changed.
func (s *state) save(c *conn) error {
	_, err := c.exec(`UPDATE states SET activation = ?, last = ?, size = ?, sent = ?, settled = ?, lost = ?, changed = ?
		WHERE conversation = ?`, s.activation, s.last, s.size, s.sent, s.settled, number(s.lost), s.changed, s.n)
	return err
}

// change makes others look at the conversation.
func (s *state) change(c *conn) error {
	_, err := c.row([]any{&s.changed},
		`SELECT max((SELECT coalesce(max(changed), 0) FROM states), (SELECT changed FROM deleted)) + 1`)
	return err
}

// begin gives the conversation's lease to a process.
func (s *state) begin(c *conn, process string, now int64) (store.Lease, error) {
	s.activation++
	s.resident, s.process, s.lost = true, process, false
	if _, err := c.exec("INSERT INTO processes (name, heard) VALUES (?, ?) ON CONFLICT DO NOTHING", process, now); err != nil {
		return store.Lease{}, err
	}
	_, err := c.exec("INSERT INTO leases (conversation, parent, process, driving) VALUES (?, nullif(?, 0), ?, 0)", s.n, s.parent, process)
	return s.lease(), err
}

// end takes the conversation's lease.
func (s *state) end(c *conn) error {
	s.resident, s.process = false, ""
	_, err := c.exec("DELETE FROM leases WHERE conversation = ?", s.n)
	return err
}

// write adds entries to the log.
func (s *state) write(c *conn, now int64, entries ...store.Entry) error {
	for _, e := range entries {
		s.last++
		s.size += int64(len(e.Data))
		e.Seq, e.Time = s.last, at(now)
		if _, err := c.exec("INSERT INTO entries (conversation, seq, kind, time, sum, data) VALUES (?, ?, ?, ?, ?, ?)",
			s.n, e.Seq, e.Kind, now, entrySum(s.n, e), []byte(e.Data)); err != nil {
			return err
		}
	}
	return nil
}

// room says whether entries still fit.
func (s *state) room(limit int, entries ...store.Entry) error {
	size := s.size
	for _, e := range entries {
		size += int64(len(e.Data))
	}
	return store.CheckSize("a conversation", int(size), limit)
}

// behind reads the entries behind one, at most limit; less than 0 is no limit. What comes before one that is damaged, or
// missing, comes with the error.
func (s *state) behind(c *conn, after int64, limit int) (entries []store.Entry, err error) {
	after = max(after, 0)
	next := after + 1
	err = c.rows(func(scan func(...any) error) error {
		e, err := scanEntry(scan, s.n, s.id)
		if err != nil {
			return err
		}
		if e.Seq != next {
			return fmt.Errorf("conversation %q, entry %d is missing: %w", s.id, next, store.ErrDamaged)
		}
		next++
		entries = append(entries, e)
		return nil
	}, "SELECT seq, kind, time, sum, data FROM entries WHERE conversation = ? AND seq > ? ORDER BY seq LIMIT ?", s.n, after, limit)
	if err == nil && (limit < 0 || len(entries) < limit) && after <= s.last && next <= s.last {
		err = fmt.Errorf("conversation %q, entry %d is missing: %w", s.id, next, store.ErrDamaged)
	}
	return entries, err
}

func scanEntry(scan func(...any) error, n int64, id store.ID) (store.Entry, error) {
	var e store.Entry
	var time, sum int64
	if err := scan(&e.Seq, &e.Kind, &time, &sum, (*[]byte)(&e.Data)); err != nil {
		return e, fmt.Errorf("conversation %q: %w", id, err)
	}
	e.Time = at(time)
	if sum != entrySum(n, e) {
		return e, fmt.Errorf("conversation %q, entry %d: %w", id, e.Seq, store.ErrDamaged)
	}
	return e, nil
}

// goesOn says whether the log has the very same entries behind one.
func (s *state) goesOn(c *conn, after int64, entries ...store.Entry) (bool, error) {
	if after < 0 || after > s.last-int64(len(entries)) {
		return false, nil
	}
	if len(entries) == 0 {
		return true, nil
	}
	found, err := s.behind(c, after, len(entries))
	if err != nil || len(found) != len(entries) {
		return false, err
	}
	for i, e := range entries {
		if !found[i].Same(e) {
			return false, nil
		}
	}
	return true, nil
}

// knows says whether a message, or the settlement that it is, was sent to the conversation before.
func (s *state) knows(c *conn, m store.Message) (bool, error) {
	var one int
	const query = "SELECT 1 FROM seen WHERE recipient = ? AND id = ? AND activation = ?"
	known, err := c.row([]any{&one}, query, s.n, m.ID, 0)
	if err == nil && !known && m.Kind == store.FromSettlement {
		return c.row([]any{&one}, query, s.n, string(m.From), m.Activation)
	}
	return known, err
}

// take puts a message that is not known into the conversation's inbox.
func (s *state) take(c *conn, m store.Message) error {
	s.sent++
	m.Seq = s.sent
	if _, err := c.exec("INSERT INTO seen (recipient, id, activation) VALUES (?, ?, 0)", s.n, m.ID); err != nil {
		return err
	}
	if m.Kind == store.FromSettlement {
		if _, err := c.exec("INSERT INTO seen (recipient, id, activation) VALUES (?, ?, ?)", s.n, string(m.From), m.Activation); err != nil {
			return err
		}
	}
	if _, err := c.exec(`INSERT INTO messages (recipient, seq, id, author, activation, kind, lane, quiet, parked, sum, data)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)`,
		s.n, m.Seq, m.ID, string(m.From), m.Activation, string(m.Kind), string(m.Lane), number(m.Quiet), messageSum(s.n, m), []byte(m.Data),
	); err != nil {
		return err
	}
	return s.change(c)
}

// inbox reads what waits, in the order in which it was sent.
func (s *state) inbox(c *conn) (messages []store.Message, err error) {
	err = c.rows(func(scan func(...any) error) error {
		m, err := scanMessage(scan, s.n, s.id)
		messages = append(messages, m)
		return err
	}, "SELECT seq, id, author, activation, kind, lane, quiet, parked, sum, data FROM messages WHERE recipient = ? ORDER BY seq", s.n)
	return messages, err
}

func scanMessage(scan func(...any) error, n int64, id store.ID) (store.Message, error) {
	m := store.Message{To: id}
	var sum int64
	if err := scan(&m.Seq, &m.ID, &m.From, &m.Activation, &m.Kind, &m.Lane, &m.Quiet, &m.Parked, &sum, (*[]byte)(&m.Data)); err != nil {
		return m, fmt.Errorf("conversation %q: %w", id, err)
	}
	if sum != messageSum(n, m) {
		return m, fmt.Errorf("conversation %q, message %d: %w", id, m.Seq, store.ErrDamaged)
	}
	return m, nil
}

// pending says what keeps the conversation.
func (s *state) pending(c *conn) (p store.Pending, err error) {
	_, err = c.row([]any{&p.Waiting, &p.Children}, `SELECT
		(SELECT count(*) FROM messages WHERE recipient = ? AND NOT quiet AND NOT parked),
		(SELECT count(*) FROM leases WHERE parent = ?)`, s.n, s.n)
	return p, err
}
