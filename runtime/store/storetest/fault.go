package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// What is said of steps that fail by the store's own fault.
var faultTests = []test{
	{name: "FailingWritesLeaveAllOrNothing", needs: func(h Harness) bool { return h.FailWrite != nil }, run: func(e *env) {
		for _, step := range steps {
			e.Run(step.name, func(t *testing.T) { failing(newEnv(t, e.make), step) })
		}
	}},
	{name: "FullDisksAreSaidAndChangeNothing", needs: func(h Harness) bool { return h.FillDisk != nil }, run: func(e *env) {
		for _, step := range steps {
			e.Run(step.name, func(t *testing.T) { full(newEnv(t, e.make), step) })
		}
	}},
	{name: "SlowDisksChangeNothing", needs: func(h Harness) bool { return h.SlowDisk != nil }, run: slow},
	{name: "StepsThatAreGivenUpLeaveAllOrNothing", needs: func(h Harness) bool { return h.SlowDisk != nil }, run: func(e *env) {
		for _, step := range steps {
			e.Run(step.name, func(t *testing.T) { givenUp(newEnv(t, e.make), step) })
		}
	}},
}

// world is the state in which each step is tried: a root r, driving, that runs a child c which has messages; a root gone
// that nobody holds.
type world struct {
	e    *env
	r, c *agent
}

func newWorld(e *env) world {
	r := e.root("r")
	c := r.run("c")
	c.append("1")
	e.user("r", "a", store.Step, false)
	e.user("r", "b", store.Turn, false)
	e.user("r", "q", store.Step, true)
	g := e.root("gone")
	g.run("below gone").settle("completed", "gone")
	g.claim(store.AtTurn)
	g.settle("completed", "")
	return world{e, r, c}
}

// step is a step of the interface. again is what a caller does who does not know whether it happened; nil is the same.
type step struct {
	name  string
	do    func(context.Context, world) error
	again func(context.Context, world) error
}

var steps = []step{
	{name: "Create",
		do: func(ctx context.Context, w world) error {
			_, err := w.e.s.Create(ctx, proc, rootConversation("new"))
			return err
		},
		again: func(ctx context.Context, w world) error {
			_, err := w.e.s.Create(ctx, proc, rootConversation("new"))
			if errors.Is(err, store.ErrExists) {
				return mine(w.e.s.Acquire(ctx, proc, "new"))
			}
			return err
		}},
	{name: "Start",
		do: func(ctx context.Context, w world) error {
			_, _, _, err := w.e.s.Start(ctx, w.r.lease, w.r.last, "call", childConversation("new", "r", store.Job), prompt(w.r.lease, "new"))
			return err
		},
		again: func(ctx context.Context, w world) error {
			_, _, started, err := w.e.s.Start(ctx, w.r.lease, w.r.last, "call", childConversation("new", "r", store.Job), prompt(w.r.lease, "new"))
			if err == nil && !started {
				return mine(w.e.s.Acquire(ctx, proc, "new"))
			}
			return err
		}},
	{name: "Acquire",
		do: func(ctx context.Context, w world) error {
			_, err := w.e.s.Acquire(ctx, proc, "gone")
			return err
		},
		again: func(ctx context.Context, w world) error {
			l, err := w.e.s.Acquire(ctx, proc, "gone")
			if err == nil {
				return nil
			}
			return mine(l, err)
		}},
	{name: "Release", do: func(ctx context.Context, w world) error { return w.e.s.Release(ctx, w.r.lease) }},
	{name: "Append", do: func(ctx context.Context, w world) error {
		_, err := w.e.s.Append(ctx, w.c.lease, w.c.last, entries("2", "3", strings.Repeat("4", 20_000))...)
		return err
	}},
	{name: "Send", do: func(ctx context.Context, w world) error { return w.e.s.Send(ctx, w.c.report("r", "new")) }},
	{name: "Claim", do: func(ctx context.Context, w world) error {
		got, _, err := w.e.s.Claim(ctx, w.r.lease, w.r.last, store.AtTurn)
		if err == nil && ids(got) != "a, q, b" {
			return fmt.Errorf("claimed %s", ids(got))
		}
		return err
	}},
	{name: "Park", do: func(ctx context.Context, w world) error { _, err := w.e.s.Park(ctx, w.r.lease); return err }},
	{name: "Drive", do: func(ctx context.Context, w world) error { return w.e.s.Drive(ctx, w.r.lease, true) }},
	{name: "Interrupt", do: func(ctx context.Context, w world) error {
		return w.e.s.Interrupt(ctx, "c", w.c.lease.Activation, w.c.last)
	}},
	{name: "Settle", do: func(ctx context.Context, w world) error {
		return w.e.s.Settle(ctx, w.c.lease, w.c.last, w.c.end("completed", "r"))
	}},
	{name: "Lose",
		do: func(ctx context.Context, w world) error { return w.e.s.Lose(ctx, w.c.lease, w.c.end("lost", "r")) },
		again: func(ctx context.Context, w world) error {
			err := w.e.s.Lose(ctx, w.c.lease, w.c.end("lost", "r"))
			if errors.Is(err, store.ErrFenced) {
				return nil
			}
			return err
		}},
	{name: "Heartbeat", do: func(ctx context.Context, w world) error { return w.e.s.Heartbeat(ctx, "new process") }},
	{name: "Delete", do: func(ctx context.Context, w world) error { return w.e.s.Delete(ctx, "gone") }},
}

func (s step) redo(ctx context.Context, w world) error {
	if s.again != nil {
		return s.again(ctx, w)
	}
	return s.do(ctx, w)
}

// mine is how a process finds out that it has a lease of which it was not told.
func mine(_ store.Lease, err error) error {
	if l := heldBy(err); l.Process != proc {
		return fmt.Errorf("the lease is not found: %w", err)
	}
	return nil
}

// sides are what a store holds before a step and after it.
func sides(e *env, s step) (before, after string) {
	e.Helper()
	w := newWorld(e.again())
	before = e.dump(w.e.s)
	e.ok(s.do(e.ctx, w))
	return before, e.dump(w.e.s)
}

// failing fails each write of a step in turn.
func failing(e *env, s step) {
	before, after := sides(e, s)
	stride := 1
	if detector {
		stride = 8
	}
	for n := 1; ; n += stride * (1 + n/32) { // a step that writes much is tried here and there
		w := newWorld(e.again())
		fired := w.e.h.FailWrite(n)
		err := s.do(e.ctx, w)
		if !fired() {
			e.ok(err)
			if n == 1 {
				e.Fatal("the step writes nothing")
			}
			break
		}
		for _, sentinel := range refusals {
			if errors.Is(err, sentinel) {
				e.Fatalf("write %d: the failing disk is said to be %v", n, err)
			}
		}
		found := e.dump(w.e.s2)
		switch {
		case err == nil && found != after:
			e.Fatalf("write %d failed, and the step said that it happened: %s", n, differ(found, after))
		case found != before && found != after:
			e.Fatalf("write %d failed, and left a part: %s", n, differ(found, after))
		}
		for range 2 {
			if err := s.redo(e.ctx, w); err != nil {
				e.Fatalf("write %d failed, and the step cannot be done again: %v", n, err)
			}
		}
		if found := e.dump(w.e.s2); found != after {
			e.Fatalf("write %d failed, and the step was done again: %s", n, differ(found, after))
		}
	}
}

// refusals are the errors that say that a request was refused for what it is.
var refusals = []error{
	store.ErrUnknown, store.ErrExists, store.ErrHeld, store.ErrFenced, store.ErrConflict, store.ErrInvalid, store.ErrTooLarge,
	store.ErrDamaged, store.ErrUnsupported, store.ErrClosed,
}

// full tries a step without space. It may still find some; if it does not, nothing has changed, and what is stored can be
// read.
func full(e *env, s step) {
	before, after := sides(e, s)
	w := newWorld(e.again())
	free := w.e.h.FillDisk()
	err := s.do(e.ctx, w)
	found := e.dump(w.e.s2)
	if err == nil {
		e.equal(differ(found, after), "")
	} else {
		e.is(err, store.ErrFull)
		e.equal(differ(found, before), "")
	}
	free()
	e.ok(s.redo(e.ctx, w))
	e.equal(differ(e.dump(w.e.s2), after), "")
}

// slow lets steps wait for the disk together. Readers need not wait for it, and may.
func slow(e *env) {
	a := e.root("r")
	waiting, release := e.h.SlowDisk()
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.together(8, func(i int, s store.Store) {
			e.check(s.Send(e.ctx, userMessage("r", fmt.Sprint("m", i), store.Step, false)))
		})
	}()
	<-waiting
	select {
	case <-done:
		e.Fatal("the steps happened without the disk")
	default:
	}
	release()
	<-done
	e.equal(sorted(strings.Split(a.claim(store.AtTurn), ", ")), "m0, m1, m2, m3, m4, m5, m6, m7")
}

// givenUp ends a step's context while it waits for the disk.
func givenUp(e *env, s step) {
	before, after := sides(e, s)
	w := newWorld(e.again())
	waiting, release := w.e.h.SlowDisk()
	ctx, cancel := context.WithCancel(e.ctx)
	defer cancel()
	result := make(chan error, 1)
	go func() { result <- s.do(ctx, w) }()
	<-waiting
	cancel()
	release()
	err := <-result
	found := e.dump(w.e.s2)
	switch {
	case err == nil && found != after:
		e.Fatalf("the step said that it happened: %s", differ(found, after))
	case found != before && found != after:
		e.Fatalf("a part is left: %s", differ(found, after))
	}
	e.ok(s.redo(e.ctx, w))
	e.equal(differ(e.dump(w.e.s2), after), "")
}
