package sqlite

import (
	"time"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// Watch calls changed for what changes. This handle's own steps are known at once; those of others are looked for.
func (s *Store) Watch(changed func(store.ID)) (stop func()) {
	s.polling.Do(func() {
		var p poller
		if c, err := connect(s.db, s.options, "query_only=ON"); err == nil {
			// What cannot be read now is read later; until then, everything is news.
			p.conn = c
			_ = p.begin()
		}
		s.polls.Add(1)
		go s.poll(&p)
	})
	return s.watchers.Watch(changed)
}

// poller looks for what has changed.
type poller struct {
	conn    *conn
	version int64 // of the data, as SQLite counts the commits of others
	changed int64 // the last change that was seen
}

func (s *Store) poll(p *poller) {
	defer s.polls.Done()
	defer func() {
		if p.conn != nil {
			_ = p.conn.close()
		}
	}()
	ticker := time.NewTicker(s.options.poll)
	defer ticker.Stop()
	for {
		select {
		case <-s.ended:
			return
		case <-ticker.C:
		}
		if p.conn == nil {
			c, err := connect(s.db, s.options, "query_only=ON")
			if err != nil {
				continue
			}
			p.conn = c
		}
		// What cannot be read now is read at the next tick: the version is remembered only after it was.
		_ = p.look(func(id store.ID) { s.watchers.Changed(id) })
	}
}

// begin takes all that has changed so far for known.
func (p *poller) begin() error {
	var version int64
	if _, err := p.conn.row([]any{&version}, "PRAGMA data_version"); err != nil {
		return err
	}
	if _, err := p.conn.row([]any{&p.changed}, "SELECT coalesce(max(changed), 0) FROM states"); err != nil {
		return err
	}
	p.version = version
	return nil
}

// look calls for each conversation that has changed since it last did.
func (p *poller) look(changed func(store.ID)) error {
	var version int64
	if _, err := p.conn.row([]any{&version}, "PRAGMA data_version"); err != nil || version == p.version {
		return err
	}
	if err := p.conn.rows(func(scan func(...any) error) error {
		var id store.ID
		if err := scan(&id, &p.changed); err != nil {
			return err
		}
		changed(id)
		return nil
	}, `SELECT c.id, s.changed FROM states s JOIN conversations c ON c.n = s.conversation
		WHERE s.changed > ? ORDER BY s.changed`, p.changed); err != nil {
		return err
	}
	p.version = version
	return nil
}
