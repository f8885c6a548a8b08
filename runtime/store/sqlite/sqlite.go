// Package sqlite is a store in one file, which several processes of one machine may share.
//
// What is promised, what is not, and how it is tested is in docs/store.md. In short: a step that has returned is on the
// disk (write-ahead log, synchronous=FULL); a step that was cut off happened as a whole or not at all, whatever ended the
// process; steps of different goroutines that wait for the disk at once are written with one sync; damaged data is found by
// checksums and is an error of its conversation; a damaged file is an error, and not a crash.
//
// The file must be on a local disk: processes that share it share memory, which network file systems do not give them.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// Option is a setting of a store.
type Option func(*options)

type options struct {
	limits store.Limits
	poll   time.Duration
	busy   time.Duration
	now    func() time.Time

	readOnly bool

	// For tests and measurements.
	vfs    string   // SQLite's file system
	sync   string   // PRAGMA synchronous
	making string   // the same while a file is made
	single bool     // one step a transaction
	steps  []string // from each version to the next one
}

// The settings where no option says otherwise.
const (
	DefaultPoll = 50 * time.Millisecond
	DefaultBusy = 10 * time.Second

	DefaultEntryLimit        = 64 << 20
	DefaultMessageLimit      = 16 << 20
	DefaultConversationLimit = 1 << 30
)

// Limits bounds what the store takes. It replaces the default limits, those too that it leaves at 0.
func Limits(l store.Limits) Option { return func(o *options) { o.limits = l } }

// Poll is how often a store that is watched looks for what other processes have changed: the bound of Watch.
func Poll(d time.Duration) Option { return func(o *options) { o.poll = d } }

// Busy is how long a step waits for a process that is writing. After it, the step fails, and has not happened.
func Busy(d time.Duration) Option { return func(o *options) { o.busy = d } }

// Clock is where the store takes the time from; it is time.Now otherwise. Processes that share a file compare their
// heartbeats, so their clocks must agree.
func Clock(now func() time.Time) Option { return func(o *options) { o.now = now } }

// Store implements [store.Store].
type Store struct {
	options  options
	watchers store.Watchers
	writer   *writer
	readers  *readers
	db       *sql.DB

	polling sync.Once
	ended   chan struct{} // closed by Close
	polls   sync.WaitGroup
	closing sync.Once
	failed  error // what Close returned
}

var _ store.Store = (*Store)(nil)

// Open opens the store in a file, and makes the file if there is none. A file of a newer version is ErrUnsupported, one of
// an older version is brought up to date, and one that is no store is ErrDamaged or an error that says so.
func Open(path string, opts ...Option) (*Store, error) {
	o := options{
		limits: store.Limits{Entry: DefaultEntryLimit, Message: DefaultMessageLimit, Conversation: DefaultConversationLimit},
		poll:   DefaultPoll, busy: DefaultBusy, now: time.Now, sync: "FULL", making: "EXTRA", steps: versions,
	}
	for _, opt := range opts {
		opt(&o)
	}
	if o.poll <= 0 || o.busy < 0 {
		return nil, fmt.Errorf("%w: the settings Poll(%v), Busy(%v)", store.ErrInvalid, o.poll, o.busy)
	}
	s, err := open(path, o)
	if p, ok := err.(*fs.PathError); ok {
		return nil, &fs.PathError{Op: "open", Path: path, Err: p.Err} // which says the path once
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return s, nil
}

func open(path string, o options) (*Store, error) {
	dsn, err := source(path, o)
	if err != nil {
		return nil, err
	}
	connector, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	// The connections are this package's to count: a writer, readers, one that looks for changes.
	db := sql.OpenDB(connector)
	db.SetMaxIdleConns(0)
	first, err := prepareFile(db, o)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	s := &Store{options: o, db: db, ended: make(chan struct{})}
	s.writer = newWriter(first, o)
	s.readers = newReaders(func() (*conn, error) { return connect(db, o, "query_only=ON") })
	return s, nil
}

// source makes the file, unless it is to be read only, and says how SQLite opens it.
func source(path string, o options) (string, error) {
	if path == "" {
		return "", fmt.Errorf("%w: a store has a file", store.ErrInvalid)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if err := regular(path); err != nil {
		return "", err
	}
	reading := ""
	if o.readOnly {
		reading, err = existing(path)
	} else {
		err = makeFile(path)
	}
	if err != nil {
		return "", err
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive's letter
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: "_dqs=0&_defensive=1&_error_rc=1" + reading}
	if o.vfs != "" {
		u.RawQuery += "&vfs=" + o.vfs
	}
	return u.String(), nil
}

// regular refuses what is there and is no file: opening a pipe would wait for its other end.
func regular(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return &fs.PathError{Op: "open", Path: path, Err: errors.New("is a directory")}
	case !info.Mode().IsRegular():
		return &fs.PathError{Op: "open", Path: path, Err: errors.New("is no regular file")}
	}
	return nil
}

// makeFile makes a file that nobody else can read, where there is none.
func makeFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		// That the file is there is a fact of the folder. Not every system can sync one; those that cannot need not.
		_ = dir.Sync()
		_ = dir.Close()
	}
	return nil
}

// Close waits for the steps that have begun, and closes the file. The last process to close it leaves one file, without
// SQLite's files beside it.
func (s *Store) Close() error {
	s.closing.Do(func() {
		s.writer.close()
		close(s.ended)
		s.watchers.Close()
		s.polls.Wait()
		s.failed = errors.Join(s.readers.close(), s.writer.conn.close(), s.db.Close())
	})
	return s.failed
}

// now is the present as it is stored.
func (s *Store) now() int64 { return s.options.now().UnixNano() }

// at is a stored time.
func at(ns int64) time.Time { return time.Unix(0, ns).UTC() }

// read lends a connection for reading. What f reads is of one moment.
func (s *Store) read(ctx context.Context, f func(*conn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.readers.with(ctx, func(c *conn) error {
		if _, err := c.exec("BEGIN"); err != nil {
			return err
		}
		err := f(c)
		// Nothing was written, so there is nothing that its failing could undo.
		if _, ended := c.exec("ROLLBACK"); err == nil {
			err = ended
		}
		return err
	})
}
