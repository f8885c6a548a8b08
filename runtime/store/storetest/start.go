package storetest

import (
	"fmt"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// What is said of the start of children.
var startTests = []test{
	{name: "StartIsOneStep", run: func(e *env) {
		a := e.root("r")
		a.append("1")
		for i, kind := range []store.Kind{store.Continuable, store.Foreground, store.Job} {
			id := store.ID(fmt.Sprint("c", i))
			n := childConversation(id, "r", kind)
			c, l, started, err := a.s.Start(e.ctx, a.lease, a.last, "call "+string(id), n, prompt(a.lease, id))
			e.ok(err)
			a.last++
			e.equal(started, true)
			e.equal(l, store.Lease{Conversation: id, Process: proc, Token: l.Token, Activation: 1})
			e.equal(c, store.Conversation{NewConversation: n, Depth: 1, Created: c.Created, Activation: 1, Resident: true})
			e.equal(e.get(id), c)
			e.equal(decode[store.Started](e, e.log("r")[a.last-1], store.EntryStarted), store.Started{Call: "call " + string(id), Child: id})
			first := prompt(a.lease, id)
			first.Seq = 1
			waiting, err := e.s2.Waiting(e.ctx, id)
			e.ok(err)
			e.equal(waiting, []store.Message{first})
		}
		e.equal(e.get("r").Depth, 0)
	}},
	{name: "StartByKeyReturnsTheChildAgain", run: func(e *env) {
		a := e.root("r")
		c := a.run("c")
		a.append("the log goes on")
		c.settle("completed", "r")
		before := e.dump(e.s)
		for _, after := range []int64{0, 1, a.last, 99} {
			// The caller that does not know has made up another id.
			got, l, started, err := e.s2.Start(e.ctx, a.lease, after, "call of c", childConversation("other", "r", store.Job), prompt(a.lease, "other"))
			e.ok(err)
			e.equal(started, false)
			e.equal(l, store.Lease{})
			e.equal(got, e.get("c"))
		}
		e.equal(e.dump(e.s), before)
	}},
	{name: "StartByKeyIsPerParent", run: func(e *env) {
		a, b := e.root("a"), e.root("b")
		for _, p := range []*agent{a, b} {
			id := "child of " + p.id()
			_, _, started, err := p.s.Start(e.ctx, p.lease, p.last, "call", childConversation(id, p.id(), store.Job), prompt(p.lease, id))
			e.ok(err)
			e.equal(started, true)
		}
	}},
	{name: "StartByKeyOfADeletedChild", run: func(e *env) {
		a := e.root("r")
		a.run("c").settle("completed", "r")
		e.ok(e.s.Delete(e.ctx, "c"))
		before := e.dump(e.s)
		_, _, _, err := a.s.Start(e.ctx, a.lease, a.last, "call of c", childConversation("d", "r", store.Job), prompt(a.lease, "d"))
		e.is(err, store.ErrUnknown)
		e.equal(e.dump(e.s), before)
	}},
	{name: "StartUnderAnotherParentsLeaseHoldsAfterItIsResumed", run: func(e *env) {
		// After a restart, the call's result is rebuilt under the new lease.
		a := e.root("r")
		a.start("c")
		e.ok(a.s.Release(e.ctx, a.lease))
		b := e.acquire("process 2", "r")
		got, _, started, err := b.s.Start(e.ctx, b.lease, b.last, "call of c", childConversation("d", "r", store.Continuable), prompt(b.lease, "d"))
		e.ok(err)
		e.equal([]any{got.ID, started}, []any{store.ID("c"), false})
		d := b.start("e")
		e.equal(d.lease.Process, "process 2")
	}},
	{name: "StartRefusesAKnownID", run: func(e *env) {
		a := e.root("r")
		a.start("c")
		before := e.dump(e.s)
		for _, id := range []store.ID{"r", "c"} {
			_, _, _, err := a.s.Start(e.ctx, a.lease, a.last, "new call", childConversation(id, "r", store.Job), prompt(a.lease, id))
			e.is(err, store.ErrExists)
		}
		e.equal(e.dump(e.s), before)
	}},
	{name: "StartElsewhereIsAConflict", run: func(e *env) {
		a := e.root("r")
		a.append("1", "2")
		before := e.dump(e.s)
		for _, after := range []int64{-1, 0, 1, 3} {
			_, _, _, err := a.s.Start(e.ctx, a.lease, after, "call", childConversation("c", "r", store.Job), prompt(a.lease, "c"))
			e.is(err, store.ErrConflict)
		}
		e.equal(e.dump(e.s), before)
	}},
	{name: "StartRefusesWhatIsNoChild", run: func(e *env) {
		a := e.root("r")
		before := e.dump(e.s)
		valid := func() (string, store.NewConversation, store.Message) {
			return "call", childConversation("c", "r", store.Job), prompt(a.lease, "c")
		}
		for name, spoil := range map[string]func(call *string, c *store.NewConversation, m *store.Message){
			"no call":          func(call *string, _ *store.NewConversation, _ *store.Message) { *call = "" },
			"no id":            func(_ *string, c *store.NewConversation, m *store.Message) { c.ID, m.To = "", "" },
			"a root":           func(_ *string, c *store.NewConversation, _ *store.Message) { c.Kind = store.Root },
			"no kind":          func(_ *string, c *store.NewConversation, _ *store.Message) { c.Kind = "" },
			"another parent":   func(_ *string, c *store.NewConversation, _ *store.Message) { c.Parent = "x" },
			"another inbox":    func(_ *string, _ *store.NewConversation, m *store.Message) { m.To = "r" },
			"no message id":    func(_ *string, _ *store.NewConversation, m *store.Message) { m.ID = "" },
			"no lane":          func(_ *string, _ *store.NewConversation, m *store.Message) { m.Lane = "" },
			"a broken message": func(_ *string, _ *store.NewConversation, m *store.Message) { m.Data = []byte("{") },
			"a broken label":   func(_ *string, c *store.NewConversation, _ *store.Message) { c.Label = "\xff" },
		} {
			call, c, m := valid()
			spoil(&call, &c, &m)
			if _, _, _, err := a.s.Start(e.ctx, a.lease, 0, call, c, m); !isInvalid(err) {
				e.Errorf("%s: got the error %v", name, err)
			}
		}
		e.equal(e.dump(e.s), before)
		call, c, m := valid()
		_, _, _, err := a.s.Start(e.ctx, a.lease, 0, call, c, m)
		e.ok(err)
	}},
	{name: "DepthCountsParents", run: func(e *env) {
		a := e.root("r")
		for depth := 1; depth < 6; depth++ {
			a = a.start(store.ID(fmt.Sprint("d", depth)))
			e.equal(e.get(a.id()).Depth, depth)
		}
	}},
}
