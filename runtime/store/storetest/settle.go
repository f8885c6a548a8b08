package storetest

import (
	"github.com/toolgen-dev/toolgen/runtime/store"
)

// What is said of the ends of residencies.
var settleTests = []test{
	{name: "SettleIsOneStep", run: func(e *env) {
		a := e.root("r")
		c := a.run("c")
		e.ok(c.s.Drive(e.ctx, c.lease, true))
		end := c.end("completed", "r")
		c.settle("completed", "r")
		e.equal(decode[store.Settlement](e, e.log("c")[1], store.EntrySettled), withoutNotice(end))
		got := e.get("c")
		e.equal([]any{got.Resident, got.Outcome, got.Text, got.Activation, got.Ended}, []any{false, "completed", "last words of c", int64(1), int64(1)})
		notice := *end.Notice
		notice.Seq = 1
		waiting, err := e.s2.Waiting(e.ctx, "r")
		e.ok(err)
		e.equal(waiting, []store.Message{notice})
		e.equal(e.get("r").Resident, true)
	}},
	{name: "SettleWithoutANotice", run: func(e *env) {
		a := e.root("r")
		_, l, _, err := a.s.Start(e.ctx, a.lease, 0, "call", childConversation("j", "r", store.Job), prompt(a.lease, "j"))
		e.ok(err)
		a.last++
		j := &agent{e: e, s: e.s, lease: l}
		j.claim(store.AtTurn)
		j.settle("completed", "")
		e.equal(e.waiting("r"), "")
		a.settle("completed", "")
		e.equal(e.get("r").Text, "last words of r")
	}},
	{name: "SettleDoneAgainDoesNothing", run: func(e *env) {
		a := e.root("r")
		c := a.run("c")
		end := c.end("completed", "r")
		c.settle("completed", "r")
		before := e.dump(e.s)
		e.ok(e.s2.Settle(e.ctx, c.lease, 1, end))
		e.equal(e.dump(e.s), before)
		a.claim(store.AtTurn)
		second := e.acquire("process 2", "c")
		second.append("more")
		before = e.dump(e.s)
		e.ok(c.s.Settle(e.ctx, c.lease, 1, end)) // it did happen, whatever came since
		e.equal(e.dump(e.s), before)
	}},
	{name: "SettleOnceOnly", run: func(e *env) {
		a := e.root("r")
		c := a.run("c")
		c.settle("completed", "r")
		before := e.dump(e.s)
		e.is(c.s.Settle(e.ctx, c.lease, 1, c.end("failed", "r")), store.ErrFenced)
		e.is(c.s.Settle(e.ctx, c.lease, 2, c.end("completed", "r")), store.ErrFenced)
		e.is(c.s.Lose(e.ctx, c.lease, c.end("lost", "r")), store.ErrFenced)
		e.equal(e.dump(e.s), before)
	}},
	{name: "SettleElsewhereIsAConflict", run: func(e *env) {
		a := e.root("r")
		a.append("1", "2")
		before := e.dump(e.s)
		for _, after := range []int64{-1, 0, 1, 3} {
			e.is(a.s.Settle(e.ctx, a.lease, after, a.end("completed", "")), store.ErrConflict)
		}
		e.equal(e.dump(e.s), before)
	}},
	{name: "SettleIsRefusedWhileAMessageWaits", run: func(e *env) {
		a := e.root("r")
		c := a.start("c")
		e.user("c", "2", store.Step, false)
		before := e.dump(e.s)
		e.busy(c.s.Settle(e.ctx, c.lease, c.last, c.end("completed", "r")), 2, 0)
		e.equal(e.dump(e.s), before)
		c.append("it goes on") // with the same lease
		e.equal(c.claim(store.AtTurn), "2, prompt of c")
		c.settle("completed", "r")
	}},
	{name: "SettleIsRefusedWhileAChildIsResident", run: func(e *env) {
		a := e.root("r")
		b := a.run("b")
		c, d := b.run("c"), b.run("d")
		f := d.run("f") // not a child of b
		before := e.dump(e.s)
		e.busy(b.s.Settle(e.ctx, b.lease, b.last, b.end("completed", "r")), 0, 2)
		e.equal(e.dump(e.s), before)
		c.settle("completed", "b")
		e.busy(b.s.Settle(e.ctx, b.lease, b.last, b.end("completed", "r")), 1, 1)
		f.settle("completed", "d")
		d.claim(store.AtTurn)
		d.settle("completed", "b")
		e.equal(b.claim(store.AtTurn), "end 1 of c, end 1 of d")
		b.settle("completed", "r")
	}},
	{name: "ChildrenOfEveryKindKeepTheirParent", run: func(e *env) {
		for _, kind := range []store.Kind{store.Continuable, store.Foreground, store.Job} {
			e := e.again()
			a := e.root("r")
			_, _, _, err := a.s.Start(e.ctx, a.lease, 0, "call", childConversation("c", "r", kind), prompt(a.lease, "c"))
			e.ok(err)
			e.busy(a.s.Settle(e.ctx, a.lease, 1, a.end("completed", "")), 0, 1)
		}
	}},
	{name: "ParkedAndQuietMessagesKeepNothing", run: func(e *env) {
		a := e.root("r")
		e.user("r", "p", store.Turn, false)
		_, err := a.s.Park(e.ctx, a.lease)
		e.ok(err)
		e.user("r", "q", store.Step, true)
		a.settle("completed", "")
		e.equal(e.waiting("r"), "p, q")
	}},
	{name: "ReportsPrecedeTheSettlement", run: func(e *env) {
		a := e.root("r")
		c := a.run("c")
		e.ok(c.s.Send(e.ctx, c.report("r", "1")))
		quiet := c.report("r", "2")
		quiet.Quiet = true
		e.ok(e.s2.Send(e.ctx, quiet))
		c.settle("completed", "r")
		e.equal(a.claim(store.AtTurn), "1, 2, end 1 of c")
	}},
	{name: "EveryActivationHasItsSettlement", run: func(e *env) {
		a := e.root("r")
		a.run("c").settle("completed", "r")
		for range 3 {
			c := e.acquire("process 2", "c")
			c.settle("failed", "r")
		}
		e.equal(e.waiting("r"), "end 1 of c, end 2 of c, end 3 of c, end 4 of c")
		e.equal(e.kinds("c"), "message settled settled settled settled")
		e.equal([]any{e.get("c").Activation, e.get("c").Outcome}, []any{int64(4), "failed"})
	}},
	{name: "SettleRefusesWhatIsNoSettlement", run: func(e *env) {
		a := e.root("r")
		c := a.run("c")
		before := e.dump(e.s)
		for name, spoil := range map[string]func(*store.Settlement){
			"no outcome":         func(s *store.Settlement) { s.Outcome = "" },
			"broken outcome":     func(s *store.Settlement) { s.Outcome = "\xff" },
			"another Activation": func(s *store.Settlement) { s.Activation = 2 },
			"to another":         func(s *store.Settlement) { s.Notice.To = "c" },
			"from another":       func(s *store.Settlement) { s.Notice.From = "r" },
			"of another":         func(s *store.Settlement) { s.Notice.Activation = 2 },
			"no settlement":      func(s *store.Settlement) { s.Notice.Kind = store.FromChild },
			"no id":              func(s *store.Settlement) { s.Notice.ID = "" },
			"no lane":            func(s *store.Settlement) { s.Notice.Lane = "" },
		} {
			end := c.end("completed", "r")
			spoil(&end)
			if err := c.s.Settle(e.ctx, c.lease, c.last, end); !isInvalid(err) {
				e.Errorf("Settle, %s: got the error %v", name, err)
			}
			if err := c.s.Lose(e.ctx, c.lease, end); !isInvalid(err) {
				e.Errorf("Lose, %s: got the error %v", name, err)
			}
		}
		root := a.end("completed", "")
		root.Notice = c.end("completed", "r").Notice
		e.is(a.s.Settle(e.ctx, a.lease, a.last, root), store.ErrInvalid)
		e.equal(e.dump(e.s), before)
	}},
	{name: "TextThatIsNoUnicodeIsMended", run: func(e *env) {
		a := e.root("r")
		end := a.end("completed", "")
		end.Text = "a\xffb\x00c"
		e.ok(a.s.Settle(e.ctx, a.lease, 0, end))
		e.equal(e.get("r").Text, "a\ufffdb\x00c")
		e.ok(a.s.Settle(e.ctx, a.lease, 0, end))
	}},
	{name: "PendingSaysWhatKeepsIt", run: func(e *env) {
		a := e.root("r")
		pending := func(want store.Pending) {
			e.Helper()
			p, err := e.s2.Pending(e.ctx, "r")
			e.ok(err)
			e.equal(p, want)
		}
		pending(store.Pending{})
		c := a.run("c")
		pending(store.Pending{Children: 1})
		e.user("r", "1", store.Turn, false)
		e.user("r", "2", store.Step, false)
		e.user("r", "3", store.Step, true)
		pending(store.Pending{Waiting: 2, Children: 1})
		c.settle("completed", "r")
		pending(store.Pending{Waiting: 3})
		_, err := a.s.Park(e.ctx, a.lease)
		e.ok(err)
		pending(store.Pending{})
	}},
}
