package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

func isInvalid(err error) bool { return errors.Is(err, store.ErrInvalid) }

func sorted(list []string) string {
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// What is said of messages: sending, order, parking.
var messageTests = []test{
	{name: "SendReachesWhoIsNotResident", run: func(e *env) {
		a := e.root("r")
		e.ok(a.s.Release(e.ctx, a.lease))
		e.user("r", "m", store.Turn, false)
		waiting, err := e.s.Waiting(e.ctx, "r")
		e.ok(err)
		m := userMessage("r", "m", store.Turn, false)
		m.Seq = 1
		e.equal(waiting, []store.Message{m})
		e.equal(e.get("r").Resident, false)
		e.equal(e.acquire(proc, "r").claim(store.AtTurn), "m")
	}},
	{name: "SendKeepsEveryField", run: func(e *env) {
		a := e.root("r")
		c := a.run("c")
		m := c.report("r", "m")
		m.Quiet, m.Lane = true, store.Turn
		m.Seq, m.Parked = 99, true // the store's to say
		e.ok(e.s2.Send(e.ctx, m))
		m.Seq, m.Parked = 1, false
		waiting, err := e.s.Waiting(e.ctx, "r")
		e.ok(err)
		e.equal(waiting, []store.Message{m})
		e.user("r", "wakes", store.Step, false)
		got, last, err := a.s.Claim(e.ctx, a.lease, a.last, store.AtTurn)
		e.ok(err)
		e.equal(got[1], m)
		e.equal(decode[store.Message](e, e.log("r")[last-1], store.EntryMessage), m)
	}},
	{name: "SendTakesAMessageOnce", run: func(e *env) {
		a, b := e.root("r"), e.root("other")
		e.user("r", "m", store.Step, false)
		e.user("r", "n", store.Step, false)
		before := e.dump(e.s)
		again := userMessage("r", "m", store.Turn, true) // the id counts, not what is said with it
		again.Data = quote("something else")
		e.ok(e.s.Send(e.ctx, again))
		e.equal(e.dump(e.s), before)
		e.equal(a.claim(store.AtTurn), "m, n")
		before = e.dump(e.s)
		e.user("r", "m", store.Step, false) // it is known after it was claimed
		e.equal(e.dump(e.s), before)
		a.settle("completed", "")
		a = e.acquire("process 2", "r")
		e.user("r", "m", store.Step, false)
		e.equal(a.claim(store.AtTurn), "")
		e.user("other", "m", store.Step, false) // another recipient's ids are its own
		e.equal(b.claim(store.AtTurn), "m")
	}},
	{name: "SendTakesASettlementOnce", run: func(e *env) {
		a := e.root("r")
		c := a.run("c")
		notice := *c.end("early", "r").Notice
		e.ok(c.s.Send(e.ctx, notice))
		notice.ID = "another id"
		e.ok(c.s.Send(e.ctx, notice))
		e.equal(e.waiting("r"), "end 1 of c")
		e.equal(a.claim(store.AtTurn), "end 1 of c")
		c.settle("completed", "r") // its notice comes too late
		e.equal(e.waiting("r"), "")
		c = e.acquire(proc, "c") // the next Activation has its own
		c.settle("completed", "r")
		e.equal(e.waiting("r"), "end 2 of c")
		e.user("r", "no settlement", store.Step, false)
	}},
	{name: "SendKnowsNoStranger", run: func(e *env) {
		e.is(e.s.Send(e.ctx, userMessage("x", "m", store.Step, false)), store.ErrUnknown)
	}},
	{name: "SendOfAResidencyEndsWithIt", run: func(e *env) {
		a := e.root("r")
		c := a.run("c")
		e.ok(c.s.Send(e.ctx, c.report("r", "in time")))
		e.ok(e.s2.Lose(e.ctx, c.lease, c.end("lost", "r")))
		e.is(c.s.Send(e.ctx, c.report("r", "late")), store.ErrFenced)
		e.ok(c.s.Send(e.ctx, c.report("r", "in time"))) // done again
		second := e.acquire("process 2", "c")
		e.is(c.s.Send(e.ctx, c.report("r", "late")), store.ErrFenced)
		e.ok(second.s.Send(e.ctx, second.report("r", "of the second")))
		stranger := c.report("r", "of a stranger")
		stranger.From = "x"
		e.is(c.s.Send(e.ctx, stranger), store.ErrFenced)
		unbound := c.report("r", "of no residency")
		unbound.Activation = 0
		e.ok(c.s.Send(e.ctx, unbound))
		e.equal(e.waiting("r"), "in time, end 1 of c, of the second, of no residency")
	}},
	{name: "SendRefusesWhatIsNoMessage", run: func(e *env) {
		e.root("r")
		before := e.dump(e.s)
		for name, spoil := range map[string]func(*store.Message){
			"no id":              func(m *store.Message) { m.ID = "" },
			"no recipient":       func(m *store.Message) { m.To = "" },
			"no kind":            func(m *store.Message) { m.Kind = "" },
			"no lane":            func(m *store.Message) { m.Lane = "" },
			"another lane":       func(m *store.Message) { m.Lane = "fast" },
			"no JSON":            func(m *store.Message) { m.Data = []byte("x") },
			"two values":         func(m *store.Message) { m.Data = []byte("1 2") },
			"anonymous end":      func(m *store.Message) { m.Kind = store.FromSettlement },
			"end of nothing":     func(m *store.Message) { m.Kind, m.From = store.FromSettlement, "r" },
			"nobody's residency": func(m *store.Message) { m.Activation = 1 },
			"broken id":          func(m *store.Message) { m.ID = "\xff" },
			"broken author":      func(m *store.Message) { m.From = "\xff" },
			"before the first":   func(m *store.Message) { m.From, m.Activation = "r", -1 },
		} {
			m := userMessage("r", "m", store.Step, false)
			spoil(&m)
			if err := e.s.Send(e.ctx, m); !isInvalid(err) {
				e.Errorf("%s: got the error %v", name, err)
			}
		}
		e.equal(e.dump(e.s), before)
	}},
	{name: "DataMayLoseItsSpaces", run: func(e *env) {
		a := e.root("r")
		for i, data := range []string{"", "null", "{}", ` { "a" : [ 1 , "<b> &" ] } `, "\"\u2028 \u00e9 \\u0000 \U0001f600\"", "\n1e400\t"} {
			m := userMessage("r", fmt.Sprint("m", i), store.Step, false)
			m.Data = []byte(data)
			e.ok(e.s.Send(e.ctx, m))
			waiting, err := e.s2.Waiting(e.ctx, "r")
			e.ok(err)
			got, last, err := a.s.Claim(e.ctx, a.lease, a.last, store.AtStep)
			e.ok(err)
			entry := decode[store.Message](e, e.log("r")[last-1], store.EntryMessage)
			a.last = last
			for where, found := range map[string][]byte{"waiting": waiting[0].Data, "claimed": got[0].Data, "log": entry.Data} {
				if compact(found) != compact([]byte(data)) {
					e.Errorf("%s %s: got %q", data, where, found)
				}
			}
		}
	}},

	{name: "OrderAtTurn", run: func(e *env) {
		a := e.root("r")
		e.user("r", "t1", store.Turn, false)
		e.user("r", "s1", store.Step, false)
		n, err := a.s.Park(e.ctx, a.lease)
		e.ok(err)
		e.equal(n, 2)
		e.user("r", "t2", store.Turn, false)
		e.user("r", "s2", store.Step, true)
		e.user("r", "t3", store.Turn, false)
		e.user("r", "s3", store.Step, false)
		e.equal(e.waiting("r"), "t1, s1, s2, s3, t2, t3")
		e.equal(a.claim(store.AtTurn), "t1, s1, s2, s3, t2")
		e.equal(e.waiting("r"), "t3")
		e.equal(a.claim(store.AtTurn), "t3")
		e.equal(a.claim(store.AtTurn), "")
		e.equal(e.kinds("r"), strings.TrimSpace(strings.Repeat("message ", 6)))
		a.settle("completed", "")
	}},
	{name: "OrderAtStep", run: func(e *env) {
		a := e.root("r")
		e.user("r", "s0", store.Step, false)
		_, err := a.s.Park(e.ctx, a.lease)
		e.ok(err)
		e.user("r", "t1", store.Turn, false)
		e.user("r", "s1", store.Step, false)
		e.user("r", "s2", store.Step, true)
		e.user("r", "s3", store.Step, false)
		e.equal(a.claim(store.AtStep), "s1, s2, s3")
		e.equal(a.claim(store.AtStep), "")
		e.equal(e.waiting("r"), "s0, t1")
		e.equal(a.claim(store.AtTurn), "s0, t1")
	}},
	{name: "ClaimedMessagesSayThatTheyWereParked", run: func(e *env) {
		a := e.root("r")
		e.user("r", "1", store.Turn, false)
		_, err := a.s.Park(e.ctx, a.lease)
		e.ok(err)
		e.user("r", "2", store.Turn, false)
		got, _, err := a.s.Claim(e.ctx, a.lease, 0, store.AtTurn)
		e.ok(err)
		e.equal([]any{got[0].Parked, got[0].Seq, got[1].Parked, got[1].Seq}, []any{true, int64(1), false, int64(2)})
		e.equal(decode[store.Message](e, e.log("r")[0], store.EntryMessage), got[0])
		e.equal(decode[store.Message](e, e.log("r")[1], store.EntryMessage), got[1])
	}},
	{name: "ParkedAndQuietMessagesBeginNoTurn", run: func(e *env) {
		a := e.root("r")
		e.user("r", "p", store.Turn, false)
		_, err := a.s.Park(e.ctx, a.lease)
		e.ok(err)
		e.equal(a.claim(store.AtTurn), "")
		e.user("r", "q", store.Step, true)
		e.user("r", "r", store.Turn, true)
		e.equal(a.claim(store.AtTurn), "")
		p, err := e.s2.Pending(e.ctx, "r")
		e.ok(err)
		e.equal(p, store.Pending{})
		e.equal(e.waiting("r"), "p, q, r")
		e.user("r", "s", store.Step, false)
		e.equal(a.claim(store.AtTurn), "p, q, s, r")
	}},
	{name: "QuietMessagesJoinARunningTurn", run: func(e *env) {
		a := e.root("r")
		e.user("r", "q", store.Step, true)
		e.equal(a.claim(store.AtStep), "q")
	}},
	{name: "ParkParksWhatWaits", run: func(e *env) {
		a := e.root("r")
		park := func(want int) {
			e.Helper()
			n, err := a.s.Park(e.ctx, a.lease)
			e.ok(err)
			e.equal(n, want)
		}
		park(0)
		e.user("r", "1", store.Step, false)
		e.user("r", "2", store.Step, true)
		park(2)
		park(2) // again
		e.user("r", "3", store.Turn, false)
		park(3)
		e.equal(e.waiting("r"), "1, 2, 3")
		a.settle("interrupted", "")
		a = e.acquire("process 2", "r") // they are parked still
		e.equal(a.claim(store.AtTurn), "")
		e.user("r", "4", store.Turn, false)
		e.equal(a.claim(store.AtTurn), "1, 2, 3, 4")
	}},
	{name: "ClaimDoneAgainReturnsTheSame", run: func(e *env) {
		a := e.root("r")
		a.append("before")
		e.user("r", "1", store.Step, false)
		e.user("r", "2", store.Step, false)
		first, last, err := a.s.Claim(e.ctx, a.lease, 1, store.AtTurn)
		e.ok(err)
		e.user("r", "3", store.Step, false)
		before := e.dump(e.s)
		again, last2, err := e.s2.Claim(e.ctx, a.lease, 1, store.AtTurn)
		e.ok(err)
		e.equal(again, first)
		e.equal(last2, last)
		e.equal(e.dump(e.s), before)
		a.last = last
		e.equal(a.claim(store.AtTurn), "3")
		e.equal(a.claim(store.AtTurn), "")
	}},
	{name: "ClaimElsewhereIsAConflict", run: func(e *env) {
		a := e.root("r")
		e.user("r", "1", store.Step, false)
		e.equal(a.claim(store.AtTurn), "1")
		a.append("2")
		e.user("r", "3", store.Step, false)
		before := e.dump(e.s)
		for _, after := range []int64{-1, 0, 1, 3} {
			_, _, err := a.s.Claim(e.ctx, a.lease, after, store.AtTurn)
			e.is(err, store.ErrConflict)
		}
		for _, at := range []store.Boundary{"", "end"} {
			_, _, err := a.s.Claim(e.ctx, a.lease, a.last, at)
			e.is(err, store.ErrInvalid)
		}
		e.equal(e.dump(e.s), before)
	}},
	{name: "InboxesAreApart", run: func(e *env) {
		a, b := e.root("a"), e.root("b")
		e.user("a", "1", store.Step, false)
		e.user("b", "2", store.Step, false)
		e.user("a", "3", store.Step, false)
		_, err := b.s.Park(e.ctx, b.lease)
		e.ok(err)
		e.equal(a.claim(store.AtTurn), "1, 3")
		e.equal(e.waiting("b"), "2")
		waiting, err := e.s.Waiting(e.ctx, "b")
		e.ok(err)
		e.equal(waiting[0].Seq, int64(1)) // each inbox counts for itself
	}},
}
