package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// conn is one connection with its prepared statements. One goroutine uses it at a time.
//
// No query has a context of its own: what a context ends in the middle of a transaction, SQLite rolls back as a whole, and
// with it the steps of others. A step looks at its context before it begins.
type conn struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
}

// connect opens a connection.
func connect(db *sql.DB, o options, pragmas ...string) (*conn, error) {
	c, err := db.Conn(context.Background())
	if err != nil {
		return nil, translate(err)
	}
	one := &conn{conn: c, stmts: map[string]*sql.Stmt{}}
	for _, p := range append([]string{
		fmt.Sprintf("busy_timeout=%d", o.busy.Milliseconds()),
		"synchronous=" + o.sync,
		"foreign_keys=ON",
		"temp_store=MEMORY",
		"trusted_schema=OFF",
		"cell_size_check=ON", // finds damaged pages earlier
		"secure_delete=FAST", // what was deleted is not left in pages that are written anyway
		fmt.Sprintf("journal_size_limit=%d", 64<<20),
	}, pragmas...) {
		if _, err := c.ExecContext(context.Background(), "PRAGMA "+p); err != nil {
			return nil, errors.Join(translate(err), one.close())
		}
	}
	return one, nil
}

func (c *conn) close() error {
	var errs []error
	for _, s := range c.stmts {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, c.conn.Close())...)
}

func (c *conn) stmt(query string) (*sql.Stmt, error) {
	if s := c.stmts[query]; s != nil {
		return s, nil
	}
	s, err := c.conn.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, misread(err)
	}
	c.stmts[query] = s
	return s, nil
}

// exec runs a statement and says how many rows it has changed.
func (c *conn) exec(query string, args ...any) (int64, error) {
	s, err := c.stmt(query)
	if err != nil {
		return 0, err
	}
	r, err := s.Exec(args...)
	if err != nil {
		return 0, translate(err)
	}
	n, err := r.RowsAffected()
	return n, translate(err)
}

// insert runs a statement and returns the row's number.
func (c *conn) insert(query string, args ...any) (int64, error) {
	s, err := c.stmt(query)
	if err != nil {
		return 0, err
	}
	r, err := s.Exec(args...)
	if err != nil {
		return 0, translate(err)
	}
	n, err := r.LastInsertId()
	return n, translate(err)
}

// row reads the first row of a query, if there is one. dest comes first, since the arguments are as many as they are.
func (c *conn) row(dest []any, query string, args ...any) (found bool, err error) {
	s, err := c.stmt(query)
	if err != nil {
		return false, err
	}
	switch err := s.QueryRow(args...).Scan(dest...); {
	case errors.Is(err, sql.ErrNoRows):
		return false, nil
	case err != nil:
		return false, misread(err)
	}
	return true, nil
}

// rows reads every row of a query.
func (c *conn) rows(each func(scan func(...any) error) error, query string, args ...any) error {
	s, err := c.stmt(query)
	if err != nil {
		return err
	}
	rows, err := s.Query(args...)
	if err != nil {
		return misread(err)
	}
	scan := func(dest ...any) error { return misread(rows.Scan(dest...)) }
	for rows.Next() {
		if err := each(scan); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return errors.Join(misread(rows.Err()), misread(rows.Close()))
}

// translate says an error of SQLite's in the words of package store, where it has some.
func translate(err error) error {
	var e *sqlite.Error
	if err == nil || !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case lib.SQLITE_FULL:
		return fmt.Errorf("%w: %w", store.ErrFull, err)
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB, lib.SQLITE_FORMAT:
		return fmt.Errorf("%w: %w", store.ErrDamaged, err)
	case lib.SQLITE_TOOBIG:
		return fmt.Errorf("%w: %w", store.ErrTooLarge, err)
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return fmt.Errorf("store: another process is writing: %w", err)
	}
	return fmt.Errorf("store: %w", err)
}

// misread says what an error means where something is read. The queries and the types of all columns are this package's
// own, and so is the size of what was written: where they do not fit, it is the file that is damaged.
func misread(err error) error {
	var e *sqlite.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e) && e.Code()&0xff != lib.SQLITE_ERROR && e.Code()&0xff != lib.SQLITE_TOOBIG:
		return translate(err)
	}
	return fmt.Errorf("%w: %w", store.ErrDamaged, err)
}

// readers are connections for reading, opened as they are needed.
type readers struct {
	open func() (*conn, error)
	free chan *conn // a nil one is yet to be opened

	mu     sync.Mutex
	closed bool
	using  sync.WaitGroup
}

// readerCount is how many can read at once.
const readerCount = 4

func newReaders(open func() (*conn, error)) *readers {
	r := &readers{open: open, free: make(chan *conn, readerCount)}
	for range readerCount {
		r.free <- nil
	}
	return r
}

func (r *readers) begin() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return store.ErrClosed
	}
	r.using.Add(1)
	return nil
}

func (r *readers) with(ctx context.Context, f func(*conn) error) error {
	if err := r.begin(); err != nil {
		return err
	}
	defer r.using.Done()
	var c *conn
	select {
	case c = <-r.free:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { r.free <- c }()
	if c == nil {
		opened, err := r.open()
		if err != nil {
			return err
		}
		c = opened
	}
	return f(c)
}

func (r *readers) close() error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.using.Wait()
	var errs []error
	for range readerCount {
		if c := <-r.free; c != nil {
			errs = append(errs, c.close())
		}
	}
	return errors.Join(errs...)
}
