package storetest

import (
	"context"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// What is said of conversations, logs and entries.
var logTests = []test{
	{name: "CreateMakesARoot", run: func(e *env) {
		l, err := e.s.Create(e.ctx, proc, rootConversation("r"))
		e.ok(err)
		e.equal(l, store.Lease{Conversation: "r", Process: proc, Token: l.Token, Activation: 1})
		c := e.get("r")
		if c.Created.IsZero() {
			e.Fatal("created at no time")
		}
		e.equal(c, store.Conversation{NewConversation: rootConversation("r"), Created: c.Created, Activation: 1, Resident: true})
	}},
	{name: "CreateRefusesAKnownID", run: func(e *env) {
		e.root("r").start("c")
		for _, id := range []store.ID{"r", "c"} {
			_, err := e.s2.Create(e.ctx, proc, rootConversation(id))
			e.is(err, store.ErrExists)
		}
	}},
	{name: "CreateRefusesWhatIsNoRoot", run: func(e *env) {
		before := e.dump(e.s)
		for _, c := range []store.NewConversation{
			{}, {ID: "x"}, {ID: "x", Kind: "tree"}, {ID: "x", Kind: store.Job}, {ID: "x", Kind: store.Root, Parent: "y"}, {Kind: store.Root},
			{ID: "x\xff", Kind: store.Root}, {ID: "x", Kind: store.Root, Label: "\xff"},
		} {
			_, err := e.s.Create(e.ctx, proc, c)
			e.is(err, store.ErrInvalid)
		}
		for _, process := range []string{"", "\xff"} {
			_, err := e.s.Create(e.ctx, process, rootConversation("x"))
			e.is(err, store.ErrInvalid)
		}
		e.equal(e.dump(e.s), before)
	}},
	{name: "CreateDoneAgainNamesTheHolder", run: func(e *env) {
		a := e.root("r")
		_, err := e.s.Create(e.ctx, proc, rootConversation("r"))
		e.is(err, store.ErrExists)
		e.held("r", a.lease)
	}},
	{name: "AppendCountsFromOneWithoutGaps", run: func(e *env) {
		a := e.root("r")
		a.append("1")
		a.append("2", "3")
		a.append()
		e.equal(e.log("r"), []store.Entry{
			{Seq: 1, Kind: "note", Data: quote("1")}, {Seq: 2, Kind: "note", Data: quote("2")}, {Seq: 3, Kind: "note", Data: quote("3")},
		})
	}},
	{name: "AppendSetsSeqAndTime", run: func(e *env) {
		a := e.root("r")
		old := time.Unix(1, 0)
		_, err := a.s.Append(e.ctx, a.lease, 0, store.Entry{Seq: 77, Kind: "note", Time: old})
		e.ok(err)
		log, err := e.s2.Log(e.ctx, "r", 0, 0)
		e.ok(err)
		if log[0].Seq != 1 || !log[0].Time.After(old) {
			e.Fatalf("got %+v", log[0])
		}
	}},
	{name: "AppendDoneAgainDoesNothing", run: func(e *env) {
		a := e.root("r")
		a.append("1")
		a.append("2", "3")
		before := e.dump(e.s)
		for _, again := range []struct {
			after int64
			texts []string
		}{{1, []string{"2", "3"}}, {0, []string{"1"}}, {0, []string{"1", "2"}}, {2, []string{"3"}}, {3, nil}, {1, nil}} {
			last, err := e.s2.Append(e.ctx, a.lease, again.after, entries(again.texts...)...)
			e.ok(err)
			e.equal(last, again.after+int64(len(again.texts)))
		}
		e.equal(e.dump(e.s), before)
	}},
	{name: "AppendElsewhereIsAConflict", run: func(e *env) {
		a := e.root("r")
		a.append("1", "2")
		before := e.dump(e.s)
		for _, other := range []struct {
			after int64
			texts []string
		}{{0, []string{"2"}}, {1, []string{"1"}}, {1, []string{"2", "3"}}, {3, []string{"3"}}, {3, nil}, {-1, []string{"1"}}, {-1, nil}} {
			_, err := a.s.Append(e.ctx, a.lease, other.after, entries(other.texts...)...)
			e.is(err, store.ErrConflict)
		}
		_, err := a.s.Append(e.ctx, a.lease, 1, store.Entry{Kind: "other", Data: quote("2")})
		e.is(err, store.ErrConflict)
		e.equal(e.dump(e.s), before)
	}},
	{name: "AppendRefusesEntriesOfSteps", run: func(e *env) {
		a := e.root("r")
		before := e.dump(e.s)
		for _, kind := range []string{"", store.EntryMessage, store.EntryStarted, store.EntrySettled, "\xff"} {
			_, err := a.s.Append(e.ctx, a.lease, 0, store.Entry{Kind: "note"}, store.Entry{Kind: kind})
			e.is(err, store.ErrInvalid)
		}
		e.equal(e.dump(e.s), before)
	}},
	{name: "LogPages", run: func(e *env) {
		a := e.root("r")
		a.append("1", "2", "3", "4", "5")
		for _, page := range []struct {
			after int64
			limit int
			want  string
		}{{0, 0, "12345"}, {0, 2, "12"}, {2, 2, "34"}, {4, 2, "5"}, {5, 2, ""}, {9, 0, ""}, {3, 0, "45"}, {-1, 1, "1"}, {0, -1, "12345"}} {
			log, err := e.s2.Log(e.ctx, "r", page.after, page.limit)
			e.ok(err)
			got := ""
			for _, entry := range log {
				got += string(entry.Data[1 : len(entry.Data)-1])
			}
			e.equal(got, page.want)
		}
	}},
	{name: "TimesAreOfTheStoreAndDoNotGoBack", run: func(e *env) {
		a := e.root("r")
		a.append("1")
		a.append("2")
		log, err := e.s2.Log(e.ctx, "r", 0, 0)
		e.ok(err)
		if created := e.get("r").Created; log[0].Time.Before(created) || log[1].Time.Before(log[0].Time) {
			e.Fatalf("created %v, then %v, then %v", created, log[0].Time, log[1].Time)
		}
	}},
	{name: "TimesAreOfTheClock", needs: func(h Harness) bool { return h.Advance != nil }, run: func(e *env) {
		a := e.root("r")
		a.append("1")
		e.h.Advance(time.Hour)
		a.append("2")
		log, err := e.s2.Log(e.ctx, "r", 0, 0)
		e.ok(err)
		if d := log[1].Time.Sub(log[0].Time); d < time.Hour {
			e.Fatalf("%v apart", d)
		}
	}},
	{name: "UnknownConversationsAreErrors", run: func(e *env) {
		a := e.root("r")
		a.lease.Conversation = "x"
		for name, err := range e.unknown("x", a.lease) {
			if err := err(); err == nil || !isUnknown(err) {
				e.Errorf("%s: got the error %v", name, err)
			}
		}
	}},
	{name: "ContextsThatEndedStopSteps", run: func(e *env) {
		a := e.root("r")
		a.append("1")
		before := e.dump(e.s)
		ended, cancel := context.WithCancel(e.ctx)
		cancel()
		live := e.ctx
		e.ctx = ended
		steps := e.unknown("r", a.lease)
		e.ctx = live
		for name, step := range steps {
			e.ctx = ended
			err := step()
			e.ctx = live
			if err == nil {
				e.Errorf("%s: no error", name)
			}
		}
		e.equal(e.dump(e.s), before)
	}},
	{name: "ClosedStoresRefuseEveryStep", run: func(e *env) {
		a := e.root("r")
		e.ok(e.s2.Close())
		steps := e.unknown("r", a.lease)
		s := e.s
		e.s = e.s2
		for name, step := range steps {
			if err := step(); err == nil || !isClosed(err) {
				e.Errorf("%s: got the error %v", name, err)
			}
		}
		e.s2.Watch(func(store.ID) {})()
		if s != e.s2 {
			_, err := s.Get(e.ctx, "r")
			e.ok(err)
		}
	}},
}

// held demands that a conversation is held by a lease, which an attempt to acquire it says.
func (e *env) held(id store.ID, want store.Lease) {
	e.Helper()
	_, err := e.s2.Acquire(e.ctx, "another process", id)
	e.is(err, store.ErrHeld)
	e.equal(heldBy(err), want)
}

// unknown is every method over one conversation, with what is valid otherwise, on whatever e.s is when it is called.
func (e *env) unknown(id store.ID, l store.Lease) map[string]func() error {
	a := &agent{e: e, lease: l}
	return map[string]func() error{
		"Start": func() error {
			_, _, _, err := e.s.Start(e.ctx, l, l.Last, "call", childConversation("c", id, store.Job), prompt(l, "c"))
			return err
		},
		"Acquire":   func() error { _, err := e.s.Acquire(e.ctx, proc, id); return err },
		"Release":   func() error { return e.s.Release(e.ctx, l) },
		"Append":    func() error { _, err := e.s.Append(e.ctx, l, l.Last, entries("1")...); return err },
		"Send":      func() error { return e.s.Send(e.ctx, userMessage(id, "m", store.Step, false)) },
		"Claim":     func() error { _, _, err := e.s.Claim(e.ctx, l, l.Last, store.AtTurn); return err },
		"Park":      func() error { _, err := e.s.Park(e.ctx, l); return err },
		"Drive":     func() error { return e.s.Drive(e.ctx, l, true) },
		"Settle":    func() error { return e.s.Settle(e.ctx, l, l.Last, a.end("completed", "")) },
		"Lose":      func() error { return e.s.Lose(e.ctx, l, a.end("lost", "")) },
		"Interrupt": func() error { return e.s.Interrupt(e.ctx, id, 1, 1) },
		"Pending":   func() error { _, err := e.s.Pending(e.ctx, id); return err },
		"Get":       func() error { _, err := e.s.Get(e.ctx, id); return err },
		"Children": func() error {
			_, err := e.s.Children(e.ctx, id, "", 0)
			return err
		},
		"Residents": func() error { _, err := e.s.Residents(e.ctx, id); return err },
		"Log":       func() error { _, err := e.s.Log(e.ctx, id, 0, 0); return err },
		"Waiting":   func() error { _, err := e.s.Waiting(e.ctx, id); return err },
		"Delete":    func() error { return e.s.Delete(e.ctx, id) },
	}
}
