package storetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

func compact(data []byte) string {
	if len(data) == 0 {
		return ""
	}
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		return err.Error()
	}
	return b.String()
}

// strange are texts that a store might confuse, cut, fold or escape.
var strange = []string{
	"plain", "Plain", "PLAIN", " plain", "plain ", "a/b", "a.b", "a*", "a>", "%", "_", "'; --", `"`, `\`, "\n", "\t", "\x00", "a\x00b", "a\x00c",
	"é", "e\u0301", "\u2028", "\ufeff", "\U0001f600", "null", "0", "00", "1e3", "-", "", strings.Repeat("long ", 200),
}

// What is said of data: it comes back as it was given.
var dataTests = []test{
	{name: "StrangeTextsComeBack", run: func(e *env) {
		a := e.root("r")
		want := map[store.ID]store.NewConversation{}
		var order []string
		for _, s := range strange {
			if s == "" {
				continue // the only text that is no id
			}
			n := store.NewConversation{ID: store.ID(s), Kind: store.Job, Parent: "r", Label: s, Composition: quote(s)}
			m := store.Message{ID: s, To: n.ID, From: "r", Kind: store.FromParent, Lane: store.Turn, Data: quote(s)}
			_, l, started, err := a.s.Start(e.ctx, a.lease, a.last, s, n, m)
			e.ok(err)
			e.equal(started, true)
			a.last++
			want[n.ID] = n
			order = append(order, s)
			c := &agent{e: e, s: e.s, lease: l}
			e.equal(c.claim(store.AtTurn), s)
			_, err = e.s.Append(e.ctx, l, 1, store.Entry{Kind: "k" + s, Data: quote(s)})
			e.ok(err)
			e.ok(e.s.Settle(e.ctx, l, 2, store.Settlement{Outcome: "o" + s, Text: s, Activation: 1}))
		}
		list, err := e.s2.Children(e.ctx, "r", "", 0)
		e.ok(err)
		e.equal(names(list), strings.Join(order, " "))
		for _, c := range list {
			s := c.Label
			e.equal(c.NewConversation, want[c.ID])
			e.equal([]any{c.Outcome, c.Text}, []any{"o" + s, s})
			log := e.log(c.ID)
			e.equal(decode[store.Message](e, log[0], store.EntryMessage).ID, s)
			e.equal(log[1], store.Entry{Seq: 2, Kind: "k" + s, Data: quote(s)})
			e.equal(e.get(c.ID), c)
		}
	}},
	{name: "BytesOfEntriesComeBack", run: func(e *env) {
		// Entries are the agent's own, so they need not be JSON.
		a := e.root("r")
		every := make([]byte, 256)
		for i := range every {
			every[i] = byte(i)
		}
		given := [][]byte{nil, []byte(" "), []byte(" { }\n"), every, []byte("{")}
		for _, data := range given {
			_, err := a.s.Append(e.ctx, a.lease, a.last, store.Entry{Kind: "note", Data: data})
			e.ok(err)
			a.last++
		}
		for i, entry := range e.log("r") {
			e.equal([]byte(entry.Data), given[i])
		}
	}},
	{name: "CallersAndTheStoreShareNoBytes", run: func(e *env) {
		n := rootConversation("r")
		l, err := e.s.Create(e.ctx, proc, n)
		e.ok(err)
		entry, m := store.Entry{Kind: "note", Data: quote("entry")}, userMessage("r", "m", store.Step, false)
		_, err = e.s.Append(e.ctx, l, 0, entry)
		e.ok(err)
		e.ok(e.s.Send(e.ctx, m))
		spoil := func(b []byte) { copy(b, "#####") }
		spoil(n.Composition)
		spoil(entry.Data)
		spoil(m.Data)
		for range 2 { // what was read is spoilt too
			c := e.get("r")
			e.equal(c.Composition, quote("composition of r"))
			spoil(c.Composition)
			log, err := e.s.Log(e.ctx, "r", 0, 0)
			e.ok(err)
			e.equal(log[0].Data, quote("entry"))
			spoil(log[0].Data)
			waiting, err := e.s.Waiting(e.ctx, "r")
			e.ok(err)
			e.equal(waiting[0].Data, quote("text of m"))
			spoil(waiting[0].Data)
		}
	}},
	{name: "LargeDataComesBack", run: func(e *env) {
		a := e.root("r")
		size := 8 << 20
		if detector {
			size = 1 << 20
		}
		large := quote(strings.Repeat("0123456789abcdef", size/16))
		_, err := a.s.Append(e.ctx, a.lease, 0, store.Entry{Kind: "note", Data: large})
		e.ok(err)
		a.last++
		m := userMessage("r", "m", store.Step, false)
		m.Data = large
		e.ok(e.s.Send(e.ctx, m))
		got, last, err := a.s.Claim(e.ctx, a.lease, a.last, store.AtTurn)
		e.ok(err)
		a.last = last
		n := childConversation("c", "r", store.Job)
		n.Composition = large
		_, _, _, err = a.s.Start(e.ctx, a.lease, a.last, "call", n, prompt(a.lease, "c"))
		e.ok(err)
		log := e.log("r")
		for what, data := range map[string][]byte{
			"entry": log[0].Data, "claimed": got[0].Data, "log": decode[store.Message](e, log[1], store.EntryMessage).Data,
			"composition": e.get("c").Composition,
		} {
			if !bytes.Equal(data, large) {
				e.Errorf("%s: %d bytes came back", what, len(data))
			}
		}
	}},
	{name: "ManyEntriesAndMessages", run: func(e *env) {
		a := e.root("r")
		const many = 3000
		var texts []string
		for i := range many {
			texts = append(texts, fmt.Sprint(i))
		}
		a.append(texts...)
		a.append(texts...)
		log := e.log("r")
		e.equal(len(log), 2*many)
		for i, entry := range log {
			e.equal(entry, store.Entry{Seq: int64(i + 1), Kind: "note", Data: quote(texts[i%many])})
		}
		const messages = 300
		for i := range messages {
			e.user("r", texts[i], store.Step, false)
		}
		e.equal(a.claim(store.AtStep), strings.Join(texts[:messages], ", "))
	}},
	{name: "LimitsAreKept", needs: func(h Harness) bool { return h.Limited != nil }, run: limits},
}

// limits: what is as large as a limit is taken, one byte more is not, and nothing of it.
func limits(e *env) {
	of := func(n int) json.RawMessage { return quote(strings.Repeat("x", n-2)) }
	s := e.h.Limited(store.Limits{Entry: 1000, Message: 500, Conversation: 10_000})
	a := e.root("r")
	c := a.run("c")
	a.s, c.s = s, s

	message := userMessage("r", "m", store.Step, false)
	message.Data = of(501)
	e.is(s.Send(e.ctx, message), store.ErrTooLarge)
	first := prompt(a.lease, "d")
	first.Data = of(501)
	_, _, _, err := s.Start(e.ctx, a.lease, a.last, "call", childConversation("d", "r", store.Job), first)
	e.is(err, store.ErrTooLarge)
	big := childConversation("d", "r", store.Job)
	big.Composition = of(10_001)
	_, _, _, err = s.Start(e.ctx, a.lease, a.last, "call", big, prompt(a.lease, "d"))
	e.is(err, store.ErrTooLarge)
	root := rootConversation("s")
	root.Composition = of(10_001)
	_, err = s.Create(e.ctx, proc, root)
	e.is(err, store.ErrTooLarge)
	_, err = s.Append(e.ctx, a.lease, a.last, store.Entry{Kind: "note"}, store.Entry{Kind: "note", Data: of(1001)})
	e.is(err, store.ErrTooLarge)
	if !strings.Contains(err.Error(), "1001") || !strings.Contains(err.Error(), "1000") {
		e.Fatalf("the error says neither the size nor the limit: %v", err)
	}
	end := c.end("completed", "r")
	end.Notice.Data = of(501)
	e.is(s.Settle(e.ctx, c.lease, c.last, end), store.ErrTooLarge)
	end = c.end("completed", "r")
	end.Text = strings.Repeat("x", 1000)
	e.is(s.Settle(e.ctx, c.lease, c.last, end), store.ErrTooLarge)
	e.equal(e.kinds("r"), "started")
	e.equal(e.waiting("r"), "")
	e.equal(e.get("c").Resident, true)

	message.Data = of(500)
	e.ok(s.Send(e.ctx, message))
	e.equal(a.claim(store.AtTurn), "m")
	for range 10 {
		_, err = s.Append(e.ctx, a.lease, a.last, store.Entry{Kind: "note", Data: of(1000)})
		if err != nil {
			break
		}
		a.last++
	}
	e.is(err, store.ErrTooLarge) // of the conversation: there is the message too
	message.ID = "n"
	e.ok(s.Send(e.ctx, message))
	_, _, err = s.Claim(e.ctx, a.lease, a.last, store.AtTurn)
	e.is(err, store.ErrTooLarge)
	e.equal(e.waiting("r"), "n")

	// A conversation that is full can end.
	_, err = s.Park(e.ctx, a.lease)
	e.ok(err)
	c.settle("completed", "r")
	_, err = s.Park(e.ctx, a.lease)
	e.ok(err)
	end = a.end("token_limit", "")
	end.Text = strings.Repeat("x", 900)
	e.ok(s.Settle(e.ctx, a.lease, a.last, end))
	e.equal(e.get("r").Text, end.Text)
}
