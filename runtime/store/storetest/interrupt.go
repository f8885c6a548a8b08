package storetest

import (
	"fmt"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// What is said of requests to stop a turn.
var interruptTests = []test{
	{name: "InterruptIsNotedWithTheResidency", run: func(e *env) {
		a := e.root("r")
		c := a.run("c")
		c.append("2", "3")
		log := e.kinds("c")
		e.ok(e.s2.Interrupt(e.ctx, "c", 1, 2))
		e.equal(e.get("c").Interrupt, int64(2))
		e.ok(e.s.Interrupt(e.ctx, "c", 1, 1)) // the highest counts
		e.equal(e.get("c").Interrupt, int64(2))
		e.ok(e.s2.Interrupt(e.ctx, "c", 1, 3))
		e.equal(e.get("c").Interrupt, int64(3))
		list, err := e.s2.Children(e.ctx, "r", "", 0)
		e.ok(err)
		e.equal(list[0], e.get("c"))
		// It is the holder's to act on, and changes nothing else.
		e.equal(e.kinds("c"), log)
		e.equal(e.get("c").Driving, false)
		e.equal(e.get("r").Interrupt, int64(0))
		c.append("4")
		p, err := e.s2.Pending(e.ctx, "c")
		e.ok(err)
		e.equal(p, store.Pending{})
		c.settle("interrupted", "r")
	}},
	{name: "InterruptDoneAgainDoesNothing", run: func(e *env) {
		c := e.root("r").run("c")
		e.ok(e.s.Interrupt(e.ctx, "c", 1, 1))
		before := e.dump(e.s)
		e.ok(e.s2.Interrupt(e.ctx, "c", 1, 1))
		e.equal(e.dump(e.s), before)
		c.append("2")
		before = e.dump(e.s)
		e.ok(e.s2.Interrupt(e.ctx, "c", 1, 1)) // the log has gone on, and the request has not
		e.equal(e.dump(e.s), before)
	}},
	{name: "InterruptEndsWithTheResidency", run: func(e *env) {
		for _, way := range []string{"settled", "lost", "released"} {
			e := e.again()
			c := e.root("r")
			if way != "released" { // only roots are
				c = c.run("c")
			} else {
				c.append("1")
			}
			e.ok(e.s2.Interrupt(e.ctx, c.id(), 1, 1))
			switch parent := e.get(c.id()).Parent; way {
			case "settled":
				c.settle("completed", parent)
			case "lost":
				e.ok(e.s2.Lose(e.ctx, c.lease, c.end("lost", parent)))
			default:
				e.ok(c.s.Release(e.ctx, c.lease))
			}
			e.equal(e.get(c.id()).Interrupt, int64(0))
			before := e.dump(e.s)
			e.ok(e.s2.Interrupt(e.ctx, c.id(), 1, 1)) // too late
			e.equal(e.dump(e.s), before)
			e.acquire("process 2", c.id())
			before = e.dump(e.s)
			e.ok(e.s2.Interrupt(e.ctx, c.id(), 1, 1)) // not the one that was meant
			e.ok(e.s2.Interrupt(e.ctx, c.id(), 3, 1))
			e.equal(e.dump(e.s), before)
			e.equal(e.get(c.id()).Interrupt, int64(0))
		}
	}},
	{name: "InterruptStopsNothingThatIsToCome", run: func(e *env) {
		c := e.root("r").run("c")
		before := e.dump(e.s)
		e.is(e.s2.Interrupt(e.ctx, "c", 1, 2), store.ErrConflict)
		for _, of := range [][2]int64{{0, 1}, {-1, 1}, {1, 0}, {1, -1}} {
			e.is(e.s2.Interrupt(e.ctx, "c", of[0], of[1]), store.ErrInvalid)
		}
		e.is(e.s2.Interrupt(e.ctx, "x", 1, 1), store.ErrUnknown)
		e.equal(e.dump(e.s), before)
		c.append("2")
		e.ok(e.s2.Interrupt(e.ctx, "c", 1, 2))
	}},
	{name: "WatchSeesInterrupts", run: func(e *env) {
		a := e.root("r")
		a.append("1")
		b := e.root("s")
		b.append("1")
		seen, own := e.watch(e.s2), e.watch(e.s)
		e.ok(e.s.Interrupt(e.ctx, "r", 1, 1))
		seen.until("r")
		own.until("r")
		e.ok(e.s.Interrupt(e.ctx, "s", 1, 1))
		seen.until("s")
	}},
	{name: "InterruptsOfManyAreOne", run: func(e *env) {
		e.rounds(10, func(round int) {
			a := e.root(store.ID(fmt.Sprint("r", round)))
			a.append("1", "2", "3", "4", "5", "6", "7", "8")
			e.together(8, func(i int, s store.Store) { e.check(s.Interrupt(e.ctx, a.id(), 1, int64(i+1))) })
			e.equal(e.get(a.id()).Interrupt, int64(8))
		})
	}},
}
