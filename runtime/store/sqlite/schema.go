package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// application marks the file as a store, for this package and for file(1): "tlgn".
const application = 0x746c676e

// logVersion is how conversations are written: their entries of steps, their checksums. Each conversation says its own, so
// that one that is newer is no obstacle to the others.
const logVersion = 1

// versions are the steps from each version of the file to the next one, from nothing on. What was released is not changed.
var versions = []string{`
-- What a conversation was made with.
CREATE TABLE conversations (
	n           INTEGER PRIMARY KEY AUTOINCREMENT, -- its place in the order of creation, never used again
	id          TEXT NOT NULL UNIQUE,
	parent      INTEGER REFERENCES conversations (n),
	kind        TEXT NOT NULL,
	depth       INTEGER NOT NULL,
	created     INTEGER NOT NULL, -- nanoseconds since 1970, like all times
	version     INTEGER NOT NULL, -- of how its log and this row are written
	sum         INTEGER NOT NULL, -- of this row
	label       TEXT NOT NULL,
	composition BLOB -- what may be long comes last in every row, so that reading the others does not read it
) STRICT;
CREATE INDEX children ON conversations (parent);

-- What is deleted: ids are never used again, and pages of children begin behind what is gone.
CREATE TABLE gone (
	id TEXT PRIMARY KEY,
	n  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What changes of a conversation.
CREATE TABLE states (
	conversation INTEGER PRIMARY KEY REFERENCES conversations (n),
	activation   INTEGER NOT NULL, -- the last one, which is the token of its lease
	last         INTEGER NOT NULL, -- the last entry's number
	size         INTEGER NOT NULL, -- bytes of the log and the composition
	sent         INTEGER NOT NULL, -- the number of the last message that was sent to it
	settled      INTEGER NOT NULL, -- the entry that settled it last, 0 if none has
	lost         INTEGER NOT NULL, -- whether others ended the last Activation
	changed      INTEGER NOT NULL  -- rises over all conversations when others should look at this one
) STRICT;
CREATE INDEX changes ON states (changed);

-- A row is a residency.
CREATE TABLE leases (
	conversation INTEGER PRIMARY KEY REFERENCES conversations (n),
	parent       INTEGER, -- of the conversation
	process      TEXT NOT NULL REFERENCES processes (name),
	driving      INTEGER NOT NULL
) STRICT;
CREATE INDEX resident ON leases (parent);
CREATE INDEX held ON leases (process);

CREATE TABLE processes (
	name  TEXT PRIMARY KEY,
	heard INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE entries (
	conversation INTEGER NOT NULL REFERENCES conversations (n),
	seq          INTEGER NOT NULL,
	kind         TEXT NOT NULL,
	time         INTEGER NOT NULL,
	sum          INTEGER NOT NULL, -- of this row
	data         BLOB,
	PRIMARY KEY (conversation, seq)
) STRICT;

-- Which child a call has started. The child may be gone.
CREATE TABLE starts (
	parent INTEGER NOT NULL REFERENCES conversations (n),
	call   TEXT NOT NULL,
	child  TEXT NOT NULL,
	PRIMARY KEY (parent, call)
) STRICT, WITHOUT ROWID;

-- Messages on their way: every inbox and every outbox.
CREATE TABLE messages (
	recipient  INTEGER NOT NULL REFERENCES conversations (n),
	seq        INTEGER NOT NULL,
	id         TEXT NOT NULL,
	author     TEXT NOT NULL,
	activation INTEGER NOT NULL,
	kind       TEXT NOT NULL,
	lane       TEXT NOT NULL,
	quiet      INTEGER NOT NULL,
	parked     INTEGER NOT NULL,
	sum        INTEGER NOT NULL, -- of this row, but for parked
	data       BLOB,
	PRIMARY KEY (recipient, seq)
) STRICT;

-- What was sent to a conversation, so that it is not taken again: ids of messages, and authors with their Activations of
-- settlements.
CREATE TABLE seen (
	recipient  INTEGER NOT NULL REFERENCES conversations (n),
	id         TEXT NOT NULL,
	activation INTEGER NOT NULL, -- 0: id is a message's; otherwise an author's
	PRIMARY KEY (recipient, id, activation)
) STRICT, WITHOUT ROWID;

-- The highest value of states.changed that was deleted.
CREATE TABLE deleted (changed INTEGER NOT NULL) STRICT;
INSERT INTO deleted VALUES (0);
`, `
-- The entry up to which the residency was asked to stop its turn; 0 if it was not.
ALTER TABLE leases ADD COLUMN interrupt INTEGER NOT NULL DEFAULT 0;
`}

// prepareFile makes an empty file a store, brings an old one up to date, refuses what is none, and returns the connection,
// which is the one that writes.
func prepareFile(db *sql.DB, o options) (*conn, error) {
	c, err := connect(db, o)
	if err != nil {
		return nil, err
	}
	if err := c.prepare(o); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func (c *conn) prepare(o options) error {
	if o.readOnly {
		return c.prepareReading(o)
	}
	version, err := c.versionNow(o)
	if err != nil {
		return err
	}
	if version == 0 {
		for _, pragma := range []string{
			"auto_vacuum=INCREMENTAL", // counts only before anything is written, so it comes before the log
			"synchronous=" + o.making, // a file is made with a rollback journal, which must not come back after a loss of power
		} {
			if _, err := c.exec("PRAGMA " + pragma); err != nil {
				return err
			}
		}
	}
	if err := c.writeAhead(o); err != nil {
		return err
	}
	if version < len(o.steps) {
		if err := c.migrate(o); err != nil {
			return err
		}
	}
	for _, pragma := range []string{"synchronous=" + o.sync, "busy_timeout=0"} { // the writer waits by itself
		if _, err := c.exec("PRAGMA " + pragma); err != nil {
			return err
		}
	}
	// Deletions collect here what they delete.
	_, err = c.exec("CREATE TEMP TABLE doomed (n INTEGER PRIMARY KEY, id TEXT NOT NULL, changed INTEGER NOT NULL) STRICT")
	return err
}

// versionNow is version where there is no transaction: another process may be making the file meanwhile.
func (c *conn) versionNow(o options) (version int, err error) {
	if _, err := c.exec("BEGIN"); err != nil {
		return 0, err
	}
	version, err = c.version(o)
	if _, ended := c.exec("ROLLBACK"); err == nil {
		err = ended
	}
	return version, err
}

// version says which version of a store the file has; an empty file has none, 0. It reads several times, in a transaction.
func (c *conn) version(o options) (int, error) {
	var tables, app, version int
	for query, dest := range map[string]*int{
		"SELECT count(*) FROM sqlite_schema": &tables, "PRAGMA application_id": &app, "PRAGMA user_version": &version,
	} {
		if _, err := c.row([]any{dest}, query); err != nil {
			return 0, err
		}
	}
	switch {
	case tables == 0 && app == 0 && version == 0:
		return 0, nil
	case app != application:
		return 0, fmt.Errorf("%w: the file is a database of something else", store.ErrInvalid)
	case version > len(o.steps):
		return 0, fmt.Errorf("%w: the file has version %d, this program knows up to %d", store.ErrUnsupported, version, len(o.steps))
	}
	return version, nil
}

// writeAhead turns on the write-ahead log. Of processes that do so at once, some are told that the file is busy without
// their having waited.
func (c *conn) writeAhead(o options) error {
	for end := time.Now().Add(o.busy); ; time.Sleep(time.Millisecond) {
		var mode string
		_, err := c.row([]any{&mode}, "PRAGMA journal_mode=WAL")
		var e *sqlite.Error
		switch {
		case errors.As(err, &e) && e.Code()&0xff == lib.SQLITE_BUSY && time.Now().Before(end):
			continue
		case err != nil:
			return err
		case mode != "wal":
			return fmt.Errorf("store: the file system has no write-ahead log: the journal mode is %q", mode)
		}
		return nil
	}
}

// migrate brings the file to the present version in one transaction. Another process may have done so meanwhile.
func (c *conn) migrate(o options) (err error) {
	if _, err := c.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_, undone := c.exec("ROLLBACK")
			err = errors.Join(err, undone)
		}
	}()
	version, err := c.version(o)
	if err != nil {
		return err
	}
	for _, step := range o.steps[version:] {
		if _, err := c.exec(step); err != nil {
			return err
		}
	}
	for _, mark := range []string{
		fmt.Sprintf("PRAGMA application_id=%d", application), fmt.Sprintf("PRAGMA user_version=%d", len(o.steps)), "COMMIT",
	} {
		if _, err := c.exec(mark); err != nil {
			return err
		}
	}
	return nil
}
