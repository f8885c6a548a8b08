package storetest

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// Each of these lets steps begin at one moment, over two handles, many times. Which comes first is not said; what must hold
// either way is.
var raceTests = []test{
	{name: "AcquireHasOneWinner", run: func(e *env) {
		e.root("r").settle("completed", "")
		e.rounds(20, func(round int) {
			won := make([]store.Lease, 6)
			errs := make([]error, len(won))
			e.together(len(won), func(i int, s store.Store) {
				won[i], errs[i] = s.Acquire(e.ctx, fmt.Sprint("process ", i), "r")
			})
			winner := -1
			for i, err := range errs {
				if err == nil {
					if winner >= 0 {
						e.Fatalf("round %d: %d and %d have won", round, winner, i)
					}
					winner = i
				}
			}
			if winner < 0 {
				e.Fatalf("round %d: nobody has won: %v", round, errs)
			}
			for i, err := range errs {
				if i != winner {
					e.is(err, store.ErrHeld)
					e.equal(heldBy(err), won[winner])
				}
			}
			a := &agent{e: e, s: e.s, lease: won[winner], last: won[winner].Last}
			a.settle("completed", "")
		})
	}},
	{name: "NoMessageIsLostAtTheFinishLine", run: func(e *env) {
		// A sender that finds its recipient resident, after Send, relies on it: then the recipient must not have settled.
		a := e.root("r")
		e.rounds(40, func(round int) {
			var settled error
			var found store.Conversation
			e.together(2, func(i int, s store.Store) {
				if i == 0 {
					settled = s.Settle(e.ctx, a.lease, a.last, a.end("completed", ""))
					return
				}
				e.check(s.Send(e.ctx, userMessage("r", fmt.Sprint("m", round), store.Turn, false)))
				var err error
				found, err = s.Get(e.ctx, "r")
				e.check(err)
			})
			switch {
			case settled == nil && found.Resident:
				// The sender saw the residency before it ended, which can only be if Send came after the end. It did not.
				e.Fatalf("round %d: the recipient settled over a message whose sender found it resident", round)
			case settled == nil:
				a = e.acquire(proc, "r")
			default:
				e.busy(settled, 1, 0)
			}
			e.equal(a.claim(store.AtTurn), fmt.Sprint("m", round))
		})
	}},
	{name: "NoParentSettlesBeforeItsChild", run: func(e *env) {
		a := e.root("r")
		c := a.run("c")
		e.rounds(40, func(round int) {
			var parent error
			e.together(2, func(i int, s store.Store) {
				if i == 0 {
					e.check(s.Settle(e.ctx, c.lease, c.last, c.end("completed", "r")))
				} else {
					parent = s.Settle(e.ctx, a.lease, a.last, a.end("completed", ""))
				}
			})
			var busy *store.BusyError
			if !errors.As(parent, &busy) || busy.Waiting+busy.Children != 1 {
				e.Fatalf("round %d: the parent got %v", round, parent)
			}
			e.equal(a.claim(store.AtTurn), fmt.Sprintf("end %d of c", round+1))
			c = e.acquire(proc, "c")
		})
	}},
	{name: "OneEndOfAResidency", run: func(e *env) {
		// The holder settles while others take it for dead.
		a := e.root("r")
		c := a.run("c")
		e.rounds(30, func(round int) {
			errs := make([]error, 4)
			e.together(len(errs), func(i int, s store.Store) {
				if i == 0 {
					errs[i] = s.Settle(e.ctx, c.lease, c.last, c.end("completed", "r"))
				} else {
					errs[i] = s.Lose(e.ctx, c.lease, c.end("lost", "r"))
				}
			})
			wins := 0
			for _, err := range errs {
				if err == nil {
					wins++
				} else {
					e.is(err, store.ErrFenced)
				}
			}
			e.equal(wins, 1)
			outcome := "lost"
			if errs[0] == nil {
				outcome = "completed"
			}
			e.equal(e.get("c").Outcome, outcome)
			e.equal(strings.Count(e.kinds("c"), "settled"), round+1)
			e.equal(a.claim(store.AtTurn), fmt.Sprintf("end %d of c", round+1))
			c = e.acquire(proc, "c")
		})
	}},
	{name: "OneStartOfACall", run: func(e *env) {
		a := e.root("r")
		e.rounds(15, func(round int) {
			started := make([]bool, 5)
			children := make([]store.ID, len(started))
			errs := make([]error, len(started))
			e.together(len(started), func(i int, s store.Store) {
				id := store.ID(fmt.Sprint("c", round, "-", i))
				var c store.Conversation
				c, _, started[i], errs[i] = s.Start(e.ctx, a.lease, a.last, fmt.Sprint("call ", round), childConversation(id, "r", store.Job), prompt(a.lease, id))
				children[i] = c.ID
			})
			a.last++
			n := 0
			for i := range started {
				e.ok(errs[i])
				e.equal(children[i], children[0])
				if started[i] {
					n++
				}
			}
			e.equal(n, 1)
			list, err := e.s.Children(e.ctx, "r", "", 0)
			e.ok(err)
			e.equal(len(list), round+1)
		})
	}},
	{name: "OneWriterBehindAnEntry", run: func(e *env) {
		a := e.root("r")
		e.rounds(20, func(round int) {
			errs := make([]error, 4)
			e.together(len(errs), func(i int, s store.Store) {
				_, errs[i] = s.Append(e.ctx, a.lease, a.last, entries(fmt.Sprint(round, "-", i))...)
			})
			wins := 0
			for _, err := range errs {
				if err == nil {
					wins++
				} else {
					e.is(err, store.ErrConflict)
				}
			}
			e.equal(wins, 1)
			a.last++
		})
	}},
	{name: "MessagesAreTakenOnceAndClaimedOnce", run: func(e *env) {
		// Many send, everyone twice, while the recipient claims: each message is in the log once, and each sender's are in
		// its own order.
		a := e.root("r")
		const senders, each = 5, 12
		done := make(chan struct{})
		go func() {
			defer close(done)
			e.together(senders, func(i int, s store.Store) {
				for n := range each {
					m := userMessage("r", fmt.Sprint(i, "-", n), store.Step, false)
					e.check(s.Send(e.ctx, m))
					e.check(e.s2.Send(e.ctx, m))
				}
			})
		}()
		var got []string
		claim := func() {
			if s := a.claim(store.AtStep); s != "" {
				got = append(got, strings.Split(s, ", ")...)
			}
		}
		for sending := true; sending; {
			select {
			case <-done:
				sending = false
			default:
			}
			claim()
		}
		claim()
		e.equal(len(got), senders*each)
		next := map[string]int{}
		for _, id := range got {
			sender, n, _ := strings.Cut(id, "-")
			e.equal(n, strconv.Itoa(next[sender]))
			next[sender]++
		}
		e.equal(len(e.log("r")), senders*each)
	}},
	{name: "OneSettlementOfAnActivationIsTaken", run: func(e *env) {
		a := e.root("r")
		c := a.run("c")
		e.rounds(15, func(round int) {
			e.together(4, func(i int, s store.Store) {
				notice := *c.end("completed", "r").Notice
				notice.ID = fmt.Sprint(round, "-", i)
				e.check(s.Send(e.ctx, notice))
			})
			got, err := e.s.Waiting(e.ctx, "r")
			e.ok(err)
			e.equal(len(got), 1)
			a.claim(store.AtTurn)
			c.settle("completed", "r")
			e.equal(e.waiting("r"), "")
			c = e.acquire(proc, "c")
		})
	}},
	{name: "DeleteAndAcquireExcludeEachOther", run: func(e *env) {
		e.rounds(20, func(round int) {
			id := store.ID(fmt.Sprint("r", round))
			e.root(id).settle("completed", "")
			var deleted, acquired error
			e.together(2, func(i int, s store.Store) {
				if i == 0 {
					deleted = s.Delete(e.ctx, id)
				} else {
					_, acquired = s.Acquire(e.ctx, proc, id)
				}
			})
			if deleted == nil {
				e.is(acquired, store.ErrUnknown)
			} else {
				e.resident(deleted, id, true, 0)
				e.ok(acquired)
			}
		})
	}},
	{name: "TreesOfManyAreNotMixedUp", run: func(e *env) {
		// Everyone works on a tree of their own, all at once.
		e.together(6, func(i int, s store.Store) {
			root := store.ID(fmt.Sprint("r", i))
			l, err := s.Create(e.ctx, proc, rootConversation(root))
			e.check(err)
			for n := range 4 {
				id := store.ID(fmt.Sprint(root, "-", n))
				_, child, _, err := s.Start(e.ctx, l, int64(n), string(id), childConversation(id, root, store.Continuable), prompt(l, id))
				e.check(err)
				_, last, err := s.Claim(e.ctx, child, 0, store.AtTurn)
				e.check(err)
				a := &agent{e: e, s: s, lease: child}
				e.check(s.Settle(e.ctx, child, last, a.end("completed", root)))
			}
		})
		for i := range 6 {
			root := store.ID(fmt.Sprint("r", i))
			var want []string
			for n := range 4 {
				want = append(want, fmt.Sprintf("end 1 of %s-%d", root, n))
			}
			e.equal(e.waiting(root), strings.Join(want, ", "))
		}
	}},
}

// together runs f n times at one moment, every other time over the other handle, and returns when all have.
func (e *env) together(n int, f func(i int, s store.Store)) {
	var ready, done sync.WaitGroup
	begin := make(chan struct{})
	ready.Add(n)
	e.turned = !e.turned
	for k := range n {
		i := k
		if e.turned {
			i = n - 1 - k // where one processor runs them all, the order in which they begin decides
		}
		s := e.s
		if i%2 == 1 {
			s = e.s2
		}
		done.Go(func() {
			ready.Done()
			<-begin
			f(i, s)
		})
	}
	ready.Wait()
	close(begin)
	done.Wait()
}

// check is ok for goroutines that are not the test's.
func (e *env) check(err error) {
	e.Helper()
	if err != nil {
		e.Errorf("unexpected error: %v", err)
	}
}

// rounds runs f some times, or as many times more as STORETEST_ROUNDS says.
func (e *env) rounds(n int, f func(round int)) {
	for i := range n * factor() {
		f(i)
	}
}

func factor() int {
	n, err := strconv.Atoi(os.Getenv("STORETEST_ROUNDS"))
	if err != nil || n < 1 {
		return 1
	}
	return n
}
