package sqlite

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// writer does every step of a store, in one goroutine and on one connection. The steps that wait for it at the same time
// are one transaction, so that they wait for the disk together; each is a savepoint in it, so that one that is refused
// takes nothing from the others.
type writer struct {
	conn   *conn
	busy   time.Duration
	single bool // for measurements: one step a transaction
	jobs   chan *job
	done   chan struct{}

	mu     sync.Mutex
	closed bool
	using  sync.WaitGroup // those who may still give it jobs
}

// job is a step, or what is done outside of all transactions.
type job struct {
	step    func(*conn) error
	outside bool
	taken   atomic.Bool // by the writer, which then does it, or by its owner, who has given it up
	err     error
	done    chan struct{}
}

// take says whether the job is the caller's.
func (j *job) take() bool { return j.taken.CompareAndSwap(false, true) }

func (j *job) finish(err error) {
	j.err = err
	close(j.done)
}

// together is the most steps of one transaction.
const together = 128

func newWriter(c *conn, o options) *writer {
	w := &writer{conn: c, busy: o.busy, single: o.single, jobs: make(chan *job, together), done: make(chan struct{})}
	go w.run()
	return w
}

// write does a step: all of it, or nothing.
func (s *Store) write(ctx context.Context, step func(*conn) error) error {
	if s.options.readOnly {
		return errReadOnly
	}
	return s.writer.do(ctx, &job{step: step, done: make(chan struct{})})
}

// outside does something between transactions.
func (s *Store) outside(ctx context.Context, f func(*conn) error) error {
	return s.writer.do(ctx, &job{step: f, outside: true, done: make(chan struct{})})
}

// do waits for a job until it is done. Its context counts until it begins, which is after the wait for other processes:
// then it is done to the end, so that whether it happened is known.
func (w *writer) do(ctx context.Context, j *job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return store.ErrClosed
	}
	w.using.Add(1)
	w.mu.Unlock()
	defer w.using.Done()
	select {
	case w.jobs <- j:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-j.done:
		return j.err
	case <-ctx.Done():
	}
	if j.take() {
		return ctx.Err()
	}
	<-j.done
	return j.err
}

func (w *writer) close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.using.Wait()
	close(w.jobs)
	<-w.done
}

func (w *writer) run() {
	defer close(w.done)
	for j, more := <-w.jobs; more; j, more = <-w.jobs {
		batch := []*job{j}
		for !batch[len(batch)-1].outside && len(batch) < together && !w.single {
			next, some := w.waiting()
			if !some {
				break
			}
			batch = append(batch, next)
		}
		last := batch[len(batch)-1]
		if last.outside {
			batch = batch[:len(batch)-1]
		}
		if len(batch) > 0 {
			w.transact(batch)
		}
		if last.outside && last.take() {
			last.finish(last.step(w.conn))
		}
	}
}

// waiting is a job that waits now.
func (w *writer) waiting() (*job, bool) {
	select {
	case j, more := <-w.jobs:
		return j, more
	default:
		return nil, false
	}
}

// transact does steps in one transaction.
func (w *writer) transact(batch []*job) {
	err := w.begin()
	var live []*job
	for _, j := range batch {
		if j.take() {
			live = append(live, j)
		}
	}
	switch {
	case err != nil:
		for _, j := range live {
			j.finish(err)
		}
	case len(live) == 0:
		w.rollback()
	case len(live) == 1:
		w.alone(live[0])
	default:
		w.several(live)
	}
}

// begin waits for the right to write. SQLite's own wait looks ever more seldom, up to ten times a second, so that a process
// that writes all the time leaves the others none: here each look has the same chance.
func (w *writer) begin() error {
	for end := time.Now().Add(w.busy); ; time.Sleep(time.Duration(rand.Int64N(int64(time.Millisecond)))) {
		_, err := w.conn.exec("BEGIN IMMEDIATE")
		var e *sqlite.Error
		if !errors.As(err, &e) || e.Code()&0xff != lib.SQLITE_BUSY || time.Now().After(end) {
			return err
		}
	}
}

// alone ends a transaction of one step.
func (w *writer) alone(j *job) {
	err := j.step(w.conn)
	if err == nil {
		_, err = w.conn.exec("COMMIT")
	}
	if err != nil {
		w.rollback()
	}
	j.finish(err)
}

// several ends a transaction of steps that are savepoints. If SQLite fails in one of them, none has happened, and each is
// tried alone, so that nobody fails for another.
func (w *writer) several(live []*job) {
	results := make([]error, len(live))
	for i, j := range live {
		result, err := w.savepoint(j)
		if err != nil {
			w.rollback()
			for _, j := range live {
				if err := w.begin(); err != nil {
					j.finish(err)
				} else {
					w.alone(j)
				}
			}
			return
		}
		results[i] = result
	}
	_, err := w.conn.exec("COMMIT")
	if err != nil {
		w.rollback()
	}
	for i, j := range live {
		j.finish(errors.Join(results[i], err))
	}
}

// savepoint does one of several steps. result is the step's refusal, err what SQLite has failed with.
func (w *writer) savepoint(j *job) (result, err error) {
	if _, err := w.conn.exec("SAVEPOINT step"); err != nil {
		return nil, err
	}
	result = j.step(w.conn)
	var failed *sqlite.Error
	if errors.As(result, &failed) {
		return nil, result
	}
	if result != nil {
		if _, err := w.conn.exec("ROLLBACK TO step"); err != nil {
			return nil, err
		}
	}
	_, err = w.conn.exec("RELEASE step")
	return result, err
}

// rollback ends a transaction that failed. SQLite may have ended it already, and says so by an error that means nothing.
func (w *writer) rollback() { _, _ = w.conn.exec("ROLLBACK") }
