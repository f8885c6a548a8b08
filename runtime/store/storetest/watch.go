package storetest

import (
	"time"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// patience ends a test that waits for what does not come. It bounds nothing else.
const patience = 30 * time.Second

// What is said of watching. The one who watches and the one who changes have different handles, where there are such.
var watchTests = []test{
	{name: "WatchSeesMessages", run: func(e *env) {
		for _, id := range []store.ID{"r", "s", "t"} {
			e.root(id)
		}
		seen := e.watch(e.s2)
		e.ok(e.s.Send(e.ctx, userMessage("r", "1", store.Step, false)))
		seen.until("r")
		e.ok(e.s.Send(e.ctx, userMessage("s", "1", store.Turn, false)))
		seen.until("s")
		e.ok(e.s.Send(e.ctx, userMessage("t", "1", store.Step, true)))
		seen.until("t")
	}},
	{name: "WatchSeesThePromptOfAChild", run: func(e *env) {
		a := e.root("r")
		seen := e.watch(e.s2)
		a.start("c")
		seen.until("c")
	}},
	{name: "WatchSeesTheEndsOfChildren", run: func(e *env) {
		a, b, c := e.root("a").run("child of a"), e.root("b").run("child of b"), e.root("c").run("child of c")
		seen := e.watch(e.s2)
		e.ok(a.s.Settle(e.ctx, a.lease, a.last, withoutNotice(a.end("completed", "a"))))
		seen.until("a")
		b.settle("completed", "b")
		seen.until("b")
		e.ok(e.s.Lose(e.ctx, c.lease, withoutNotice(c.end("lost", "c"))))
		seen.until("c")
	}},
	{name: "WatchSeesItsOwnHandle", run: func(e *env) {
		e.root("r")
		seen := e.watch(e.s)
		e.ok(e.s.Send(e.ctx, userMessage("r", "1", store.Step, false)))
		seen.until("r")
	}},
	{name: "WatchHasNoCallAfterItsEnd", run: func(e *env) {
		e.root("r")
		calls := 0 // not guarded: the race detector is to see a call that comes late
		stop := e.s2.Watch(func(store.ID) { calls++ })
		e.ok(e.s.Send(e.ctx, userMessage("r", "1", store.Step, false)))
		stop()
		before := calls
		seen := e.watch(e.s2)
		e.ok(e.s.Send(e.ctx, userMessage("r", "2", store.Step, false)))
		seen.until("r")
		e.equal(calls, before)
		stop() // again
	}},
	{name: "WatchersAreSeveral", run: func(e *env) {
		e.root("r")
		first, second, third := e.watch(e.s), e.watch(e.s2), e.watch(e.s2)
		e.ok(e.s.Send(e.ctx, userMessage("r", "1", store.Step, false)))
		for _, w := range []watched{first, second, third} {
			w.until("r")
		}
	}},
	{name: "WatchMayUseTheStore", run: func(e *env) {
		a := e.root("r")
		claimed := make(chan string)
		defer e.s2.Watch(func(id store.ID) {
			got, _, err := e.s2.Claim(e.ctx, a.lease, 0, store.AtTurn)
			if err == nil && len(got) > 0 {
				select {
				case claimed <- ids(got):
				case <-e.ctx.Done():
				}
			}
		})()
		e.ok(e.s.Send(e.ctx, userMessage("r", "1", store.Step, false)))
		select {
		case got := <-claimed:
			e.equal(got, "1")
		case <-time.After(patience):
			e.Fatal("nothing was claimed")
		}
	}},
	{name: "WatchEndsWithTheHandle", run: func(e *env) {
		e.root("r")
		calls := 0
		stop := e.s2.Watch(func(store.ID) { calls++ })
		e.ok(e.s2.Close())
		before := calls
		if e.s != e.s2 {
			e.ok(e.s.Send(e.ctx, userMessage("r", "1", store.Step, false)))
		}
		e.equal(calls, before)
		stop()
	}},
}

// watched hands on what a watcher hears.
type watched struct {
	e     *env
	calls chan store.ID
}

func (e *env) watch(s store.Store) watched {
	w := watched{e, make(chan store.ID, 1000)}
	e.Cleanup(s.Watch(func(id store.ID) {
		select {
		case w.calls <- id:
		default: // nobody reads any more
		}
	}))
	return w
}

// until waits for a conversation. Others may be heard of, and this one before.
func (w watched) until(id store.ID) {
	w.e.Helper()
	for {
		select {
		case got := <-w.calls:
			if got == id {
				return
			}
		case <-time.After(patience):
			w.e.Fatalf("%s changed, and nobody heard of it", id)
		}
	}
}
