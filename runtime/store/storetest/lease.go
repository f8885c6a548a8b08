package storetest

import (
	"errors"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

func isUnknown(err error) bool { return errors.Is(err, store.ErrUnknown) }

func isClosed(err error) bool { return errors.Is(err, store.ErrClosed) }

// heldBy is who an error says has the lease.
func heldBy(err error) store.Lease {
	var held *store.HeldError
	if errors.As(err, &held) {
		return held.Lease
	}
	return store.Lease{}
}

// What is said of leases, fences and processes.
var leaseTests = []test{
	{name: "AcquireBeginsAResidency", run: func(e *env) {
		a := e.root("r")
		a.append("1")
		a.settle("completed", "")
		b := e.acquire("process 2", "r")
		if b.lease.Token <= a.lease.Token {
			e.Fatalf("the token %d follows %d", b.lease.Token, a.lease.Token)
		}
		e.equal(b.lease, store.Lease{Conversation: "r", Process: "process 2", Token: b.lease.Token, Activation: 2, Last: 2})
		c := e.get("r")
		e.equal([]any{c.Activation, c.Resident, c.Driving, c.Outcome, c.Ended}, []any{int64(2), true, false, "completed", int64(1)})
		b.append("3")
		e.equal(e.kinds("r"), "note settled note")
	}},
	{name: "AcquireSaysWhoHoldsIt", run: func(e *env) {
		a := e.root("r")
		e.held("r", a.lease)
		a.append("1")
		a.lease.Last = 1 // the log's end by now
		e.held("r", a.lease)
		_, err := e.s.Acquire(e.ctx, proc, "r") // the holder's own process too
		e.is(err, store.ErrHeld)
		e.equal(heldBy(err), a.lease)
		c := a.start("c")
		e.held("c", c.lease)
		_, err = e.s.Acquire(e.ctx, "", "r")
		e.is(err, store.ErrInvalid)
	}},
	{name: "ReleaseGivesUpARoot", run: func(e *env) {
		a := e.root("r")
		a.append("1")
		e.ok(a.s.Drive(e.ctx, a.lease, true))
		e.ok(a.s.Release(e.ctx, a.lease))
		e.equal(e.get("r").Resident, false)
		e.equal(e.kinds("r"), "note")
		e.ok(e.s2.Release(e.ctx, a.lease)) // again
		b := e.acquire(proc, "r")
		e.equal(e.get("r").Driving, false)
		e.is(a.s.Release(e.ctx, a.lease), store.ErrFenced)
		e.held("r", b.lease)
		b.settle("completed", "")
		e.ok(b.s.Release(e.ctx, b.lease))
	}},
	{name: "ReleaseRefusesChildren", run: func(e *env) {
		c := e.root("r").start("c")
		e.is(c.s.Release(e.ctx, c.lease), store.ErrInvalid)
		e.equal(e.get("c").Resident, true)
	}},
	{name: "DriveIsShownWhileResident", run: func(e *env) {
		a := e.root("r")
		for _, driving := range []bool{true, true, false, true} {
			e.ok(a.s.Drive(e.ctx, a.lease, driving))
			e.equal(e.get("r").Driving, driving)
		}
		a.settle("completed", "")
		e.equal(e.get("r").Resident, false)
		e.acquire(proc, "r")
		e.equal(e.get("r").Driving, false)
	}},
	{name: "LateWritersAreRefusedInEveryStep", run: func(e *env) {
		// The lease of c ended in each of the ways in which one can, with and without another holder.
		for _, way := range []string{"settled", "lost", "released", "settled, acquired", "lost, acquired", "released, acquired"} {
			e := e.again()
			c := e.root("r")
			if way[:2] != "re" { // only roots are released
				c = c.run("c")
			}
			c.append("of the first holder")
			late := c.lease
			late.Last = c.last
			switch parent := e.get(c.id()).Parent; way[:2] {
			case "se":
				c.settle("completed", parent)
			case "lo":
				e.ok(e.s2.Lose(e.ctx, c.lease, c.end("lost", parent)))
			case "re":
				e.ok(c.s.Release(e.ctx, c.lease))
			}
			if len(way) > len("released") {
				e.acquire("process 2", c.id()).append("of the second")
			}
			e.user(c.id(), "waiting", store.Step, false)
			before := e.dump(e.s)
			done := *c
			done.lease = late
			for name, step := range e.fenced(&done) {
				if err := step(); !errors.Is(err, store.ErrFenced) {
					e.Errorf("%s after %s: got the error %v", name, way, err)
				}
			}
			e.equal(e.dump(e.s), before)
		}
	}},
	{name: "LeasesThatEndByThemselvesFence", needs: func(h Harness) bool { return h.LoseLease != nil }, run: func(e *env) {
		a := e.root("r")
		c := a.run("c")
		c.append("1")
		e.h.LoseLease(c.lease)
		before := e.dump(e.s)
		for name, step := range e.fenced(c) {
			if err := step(); !errors.Is(err, store.ErrFenced) {
				e.Errorf("%s: got the error %v", name, err)
			}
		}
		e.equal(e.dump(e.s), before)
		a.append("the parent goes on")
		b := e.acquire("process 2", "c")
		if b.lease.Token <= c.lease.Token {
			e.Fatalf("the token %d follows %d", b.lease.Token, c.lease.Token)
		}
	}},
	{name: "DeadListsSilentProcesses", run: func(e *env) {
		a := e.root("r")
		e.dead(time.Hour, "")
		e.dead(-time.Hour, "r") // so is everyone who was heard of before that
		e.ok(e.s2.Heartbeat(e.ctx, proc))
		e.dead(time.Hour, "")
		a.settle("completed", "")
		e.dead(-time.Hour, "")
		e.is(e.s.Heartbeat(e.ctx, ""), store.ErrInvalid)
	}},
	{name: "DeadIsByTheBound", needs: func(h Harness) bool { return h.Advance != nil }, run: func(e *env) {
		e.root("first of 1")
		e.ok(e.s2.Heartbeat(e.ctx, "process 2")) // registers itself
		e.h.Advance(time.Minute)
		e.acquire2("process 2", "of 2")
		e.acquire2("process 3", "of 3") // its lease registers it
		e.acquire2(proc, "second of 1") // a lease is no heartbeat
		e.dead(59*time.Second, "first of 1, of 2, second of 1")
		e.dead(2*time.Minute, "")
		e.ok(e.s.Heartbeat(e.ctx, proc))
		e.dead(59*time.Second, "of 2")
		e.h.Advance(time.Minute)
		e.dead(59*time.Second, "first of 1, of 2, of 3, second of 1")
		e.dead(90*time.Second, "of 2")
	}},
	{name: "DeadListsLeavesFirst", run: func(e *env) {
		a := e.root("r")
		c := a.start("c")
		c.start("d").start("e")
		c.start("f")
		a.start("g")
		leases, err := e.s2.Dead(e.ctx, -time.Hour)
		e.ok(err)
		depth := 3
		for _, l := range leases {
			d := e.get(l.Conversation).Depth
			if d > depth {
				e.Fatalf("%s of depth %d comes after depth %d", l.Conversation, d, depth)
			}
			depth = d
		}
		e.equal(len(leases), 6)
		e.held("r", leases[5])
		e.held("e", leases[0])
	}},
	{name: "LoseEndsAResidencyWhateverKeepsIt", run: func(e *env) {
		a := e.root("r")
		b := a.run("b")
		b.run("c")
		b.append("1")
		e.ok(b.s.Drive(e.ctx, b.lease, true))
		e.user("b", "m", store.Turn, false)
		e.ok(e.s2.Lose(e.ctx, b.lease, b.end("lost", "r")))
		e.equal(e.kinds("b"), "message started note settled")
		e.equal(decode[store.Settlement](e, e.log("b")[3], store.EntrySettled), withoutNotice(b.end("lost", "r")))
		got := e.get("b")
		e.equal([]any{got.Resident, got.Outcome, got.Text, got.Activation}, []any{false, "lost", "last words of b", int64(1)})
		e.equal(e.waiting("r"), "end 1 of b")
		e.equal(e.waiting("b"), "m")
		e.equal(e.get("c").Resident, true)
		e.equal(e.acquire(proc, "b").claim(store.AtTurn), "m")
	}},
	{name: "LoseTakesTheLeaseThatItWasGiven", run: func(e *env) {
		a := e.root("r")
		b := a.run("b")
		e.ok(e.s2.Lose(e.ctx, b.lease, b.end("lost", "r")))
		before := e.dump(e.s)
		e.is(e.s.Lose(e.ctx, b.lease, b.end("lost", "r")), store.ErrFenced)
		e.equal(e.dump(e.s), before)
		second := e.acquire("process 2", "b")
		e.is(e.s.Lose(e.ctx, b.lease, b.end("lost", "r")), store.ErrFenced)
		e.held("b", second.lease)
		wrong := second.end("lost", "r")
		wrong.Activation = 1
		e.is(e.s.Lose(e.ctx, second.lease, wrong), store.ErrInvalid)
		e.ok(e.s.Lose(e.ctx, a.lease, a.end("lost", "")))
		e.equal(e.get("r").Outcome, "lost")
	}},
}

// acquire2 is a new root of a process.
func (e *env) acquire2(process string, id store.ID) {
	e.Helper()
	_, err := e.s.Create(e.ctx, process, rootConversation(id))
	e.ok(err)
}

// dead demands whose leases are of silent processes.
func (e *env) dead(bound time.Duration, want string) {
	e.Helper()
	leases, err := e.s2.Dead(e.ctx, bound)
	e.ok(err)
	var got []string
	for _, l := range leases {
		got = append(got, string(l.Conversation))
	}
	e.equal(sorted(got), want)
}

// fenced is every step under a lease, with what is valid otherwise: what the holder could have meant to do next, or to do
// again.
func (e *env) fenced(a *agent) map[string]func() error {
	parent := e.get(a.id()).Parent
	child := store.ID("child of " + a.id())
	steps := map[string]func() error{
		"Start": func() error {
			_, _, _, err := a.s.Start(e.ctx, a.lease, a.last, "new call", childConversation(child, a.id(), store.Job), prompt(a.lease, child))
			return err
		},
		"Append": func() error { _, err := a.s.Append(e.ctx, a.lease, a.last, entries("late")...); return err },
		"Append again": func() error {
			_, err := a.s.Append(e.ctx, a.lease, a.last-1, entries("of the first holder")...)
			return err
		},
		"Claim":  func() error { _, _, err := a.s.Claim(e.ctx, a.lease, a.last, store.AtTurn); return err },
		"Park":   func() error { _, err := a.s.Park(e.ctx, a.lease); return err },
		"Drive":  func() error { return a.s.Drive(e.ctx, a.lease, true) },
		"Settle": func() error { return a.s.Settle(e.ctx, a.lease, a.last, a.end("late", parent)) },
		"Lose":   func() error { return a.s.Lose(e.ctx, a.lease, a.end("late", parent)) },
	}
	if parent != "" {
		steps["Send"] = func() error { return a.s.Send(e.ctx, a.report(parent, "late report")) }
	}
	return steps
}

func withoutNotice(s store.Settlement) store.Settlement {
	s.Notice = nil
	return s
}
