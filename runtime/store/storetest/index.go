package storetest

import (
	"fmt"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// What is said of listings and of deletion.
var indexTests = []test{
	{name: "ChildrenPageInTheOrderOfCreation", run: func(e *env) {
		a := e.root("r")
		for _, id := range []store.ID{"e", "d", "z", "a", "B", "b"} {
			a.run(id).start("below " + id)
		}
		e.root("second")
		for _, page := range []struct {
			parent, after store.ID
			limit         int
			want          string
		}{
			{"r", "", 0, "e d z a B b"}, {"r", "", 2, "e d"}, {"r", "d", 2, "z a"}, {"r", "a", 9, "B b"}, {"r", "b", 2, ""}, {"r", "z", 0, "a B b"},
			{"r", "", -1, "e d z a B b"}, {"", "", 0, "r second"}, {"", "r", 1, "second"}, {"", "", 1, "r"}, {"second", "", 0, ""},
			{"a", "", 0, "below a"},
		} {
			list, err := e.s2.Children(e.ctx, page.parent, page.after, page.limit)
			e.ok(err)
			e.equal(names(list), page.want)
			for _, c := range list {
				e.equal(c, e.get(c.ID))
			}
		}
		_, err := e.s.Children(e.ctx, "r", "x", 0)
		e.is(err, store.ErrUnknown)
	}},
	{name: "ChildrenPageOverDeletions", run: func(e *env) {
		a := e.root("r")
		for _, id := range []store.ID{"1", "2", "3", "4"} {
			a.run(id).settle("completed", "r")
		}
		e.ok(e.s.Delete(e.ctx, "2"))
		list, err := e.s2.Children(e.ctx, "r", "2", 0)
		e.ok(err)
		e.equal(names(list), "3 4")
		list, err = e.s2.Children(e.ctx, "r", "", 2)
		e.ok(err)
		e.equal(names(list), "1 3")
	}},
	{name: "PagesNeitherSkipNorRepeatWhileChildrenAreStarted", run: func(e *env) {
		a := e.root("r")
		for i := range 5 {
			a.start(store.ID(fmt.Sprint("old", i)))
		}
		var got []string
		for after, i := store.ID(""), 0; ; i++ {
			page, err := e.s2.Children(e.ctx, "r", after, 2)
			e.ok(err)
			for _, c := range page {
				got = append(got, string(c.ID))
				after = c.ID
			}
			if len(page) < 2 {
				break
			}
			if i < 2 {
				a.start(store.ID(fmt.Sprint("new", i)))
			}
		}
		e.equal(strings.Join(got, " "), "old0 old1 old2 old3 old4 new0 new1")
	}},
	{name: "WalkIsInPreOrder", run: func(e *env) {
		a := e.root("a")
		b := a.start("b")
		e.root("z").start("y")
		b.start("d")
		a.start("c").start("f")
		b.start("e")
		walk := func(root store.ID, until int) string {
			var got []store.Conversation
			e.ok(store.Walk(e.ctx, e.s2, root, func(c store.Conversation) bool {
				got = append(got, c)
				return len(got) != until
			}))
			return names(got)
		}
		e.equal(walk("a", 0), "b d e c f")
		e.equal(walk("", 0), "a b d e c f z y")
		e.equal(walk("", 4), "a b d e")
		e.is(store.Walk(e.ctx, e.s2, "x", func(store.Conversation) bool { return true }), store.ErrUnknown)
	}},
	{name: "ResidentsAreThoseBelow", run: func(e *env) {
		a := e.root("a")
		b := a.run("b")
		b.run("c").settle("completed", "b")
		d := b.start("d")
		a.start("e")
		e.root("z").start("y")
		residents := func(below store.ID, want string) {
			e.Helper()
			list, err := e.s2.Residents(e.ctx, below)
			e.ok(err)
			var got []string
			for _, c := range list {
				e.equal(c, e.get(c.ID))
				got = append(got, string(c.ID))
			}
			e.equal(sorted(got), want)
		}
		residents("a", "b, d, e")
		residents("b", "d")
		residents("d", "")
		residents("", "a, b, d, e, y, z")
		e.ok(d.s.Lose(e.ctx, d.lease, d.end("lost", "b")))
		e.ok(b.s.Lose(e.ctx, b.lease, b.end("lost", "a")))
		residents("a", "e")
		e.acquire(proc, "d") // below one that is not resident
		residents("a", "d, e")
	}},
	{name: "DeleteRemovesATree", run: func(e *env) {
		a := e.root("a")
		before := e.dump(e.s)
		b := a.run("b")
		c := b.run("c")
		c.append("something")
		e.user("c", "waiting", store.Turn, true)
		c.settle("completed", "b")
		b.claim(store.AtTurn)
		b.settle("completed", "a")
		e.ok(e.s2.Delete(e.ctx, "b"))
		for _, id := range []store.ID{"b", "c"} {
			for name, step := range e.unknown(id, store.Lease{Conversation: id, Process: proc, Token: 1, Activation: 1}) {
				err := step()
				if name == "Delete" {
					e.ok(err) // again
				} else if !isUnknown(err) {
					e.Errorf("%s of %s: got the error %v", name, id, err)
				}
			}
		}
		// What the tree has said to others stays.
		e.equal(e.waiting("a"), "end 1 of b")
		e.equal(e.kinds("a"), "started")
		list, err := e.s.Children(e.ctx, "a", "", 0)
		e.ok(err)
		e.equal(len(list), 0)
		a.claim(store.AtTurn)
		a.settle("completed", "")
		e.ok(e.s.Delete(e.ctx, "a"))
		if d := e.dump(e.s); d != "" || before == "" {
			e.Fatalf("left: %s", d)
		}
	}},
	{name: "DeleteIsRefusedWhileOneIsResident", run: func(e *env) {
		a := e.root("a")
		b := a.run("b")
		c := b.run("c")
		d := b.run("d")
		d.settle("completed", "b")
		before := e.dump(e.s)
		e.resident(e.s2.Delete(e.ctx, "a"), "a", true, 2)
		e.resident(e.s2.Delete(e.ctx, "b"), "b", true, 1)
		e.resident(e.s2.Delete(e.ctx, "c"), "c", true, 0)
		e.equal(e.dump(e.s), before)
		e.ok(b.s.Lose(e.ctx, b.lease, b.end("lost", "a")))
		e.resident(e.s2.Delete(e.ctx, "b"), "b", false, 1)
		e.ok(e.s2.Delete(e.ctx, "d"))
		c.settle("completed", "b")
		e.ok(e.s2.Delete(e.ctx, "b"))
		e.is(e.s.Delete(e.ctx, "never"), store.ErrUnknown)
	}},
	{name: "IDsAreNeverUsedAgain", run: func(e *env) {
		a := e.root("a")
		a.run("b").settle("completed", "a")
		e.ok(e.s.Delete(e.ctx, "b"))
		_, err := e.s2.Create(e.ctx, proc, rootConversation("b"))
		e.is(err, store.ErrExists)
		_, _, _, err = a.s.Start(e.ctx, a.lease, a.last, "another call", childConversation("b", "a", store.Job), prompt(a.lease, "b"))
		e.is(err, store.ErrExists)
	}},
	{name: "DamagedEntriesHideNoOther", needs: func(h Harness) bool { return h.Damage != nil }, run: func(e *env) {
		for problem, want := range map[store.Problem]error{store.Corrupt: store.ErrDamaged, store.Unsupported: store.ErrUnsupported} {
			e := e.again()
			a := e.root("a")
			for _, id := range []store.ID{"1", "2", "3"} {
				c := a.run(id)
				c.append("something")
				c.settle("completed", "a")
			}
			sound := e.get("1")
			e.h.Damage("2", problem)
			list, err := e.s2.Children(e.ctx, "a", "", 0)
			e.ok(err)
			e.equal(names(list), "1 2 3")
			e.equal([]any{list[0], list[0].Problem, list[1].Problem, list[2].Problem}, []any{sound, store.Problem(""), problem, store.Problem("")})
			e.equal(e.get("2").Problem, problem)
			_, err = e.s2.Acquire(e.ctx, proc, "2")
			e.is(err, want)
			a.claim(store.AtTurn)
			a.start("4")
			e.acquire(proc, "1").append("goes on")
			e.ok(e.s.Delete(e.ctx, "2"))
			_, err = e.s.Get(e.ctx, "2")
			e.is(err, store.ErrUnknown)
		}
	}},
	{name: "DamagedEntriesOfALogEndIt", needs: func(h Harness) bool { return h.DamageLog != nil }, run: func(e *env) {
		a, b := e.root("a"), e.root("b")
		a.append("1", "2", "3")
		b.append("1", "2", "3")
		e.h.DamageLog("a", 2)
		log, err := e.s2.Log(e.ctx, "a", 0, 0)
		e.is(err, store.ErrDamaged)
		e.equal(len(log), 1)
		if !strings.Contains(err.Error(), "a") || !strings.Contains(err.Error(), "entry 2") {
			e.Fatalf("the error does not say where: %v", err)
		}
		log, err = e.s2.Log(e.ctx, "a", 2, 0)
		e.ok(err)
		e.equal(len(log), 1)
		e.equal(len(e.log("b")), 3)
		a.append("4")
		a.settle("completed", "")
	}},
}

func names(list []store.Conversation) string {
	var out []string
	for _, c := range list {
		out = append(out, string(c.ID))
	}
	return strings.Join(out, " ")
}
