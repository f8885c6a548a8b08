package storetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// agent is a holder of a lease, who remembers where the log ends.
type agent struct {
	e     *env
	s     store.Store
	lease store.Lease
	last  int64
}

func (a *agent) id() store.ID { return a.lease.Conversation }

// proc is the process of whoever is not said to be of another.
const proc = "process 1"

func (e *env) ok(err error) {
	e.Helper()
	if err != nil {
		e.Fatalf("unexpected error: %v", err)
	}
}

// is demands one of the interface's errors.
func (e *env) is(err, want error) {
	e.Helper()
	if !errors.Is(err, want) {
		e.Fatalf("got the error %v, want %v", err, want)
	}
}

// busy demands a BusyError that counts so much.
func (e *env) busy(err error, waiting, children int) {
	e.Helper()
	var b *store.BusyError
	if !errors.As(err, &b) || b.Waiting != waiting || b.Children != children {
		e.Fatalf("got the error %v, want %v", err, &store.BusyError{Pending: store.Pending{Waiting: waiting, Children: children}})
	}
}

// resident demands a ResidentError that says so.
func (e *env) resident(err error, id store.ID, itself bool, below int) {
	e.Helper()
	want := store.ResidentError{Conversation: id, Itself: itself, Below: below}
	var r *store.ResidentError
	if !errors.As(err, &r) || *r != want {
		e.Fatalf("got the error %v, want %v", err, &want)
	}
}

func (e *env) equal(got, want any) {
	e.Helper()
	if !reflect.DeepEqual(got, want) {
		e.Fatalf("got  %s\nwant %s", text(got), text(want))
	}
}

func text(v any) string {
	if s, is := v.(string); is {
		return s
	}
	return fmt.Sprintf("%+v", v)
}

// rootConversation and childConversation are what a test creates when only the id matters.
func rootConversation(id store.ID) store.NewConversation {
	return store.NewConversation{ID: id, Kind: store.Root, Label: "label of " + string(id), Composition: quote("composition of " + string(id))}
}

func childConversation(id, parent store.ID, kind store.Kind) store.NewConversation {
	return store.NewConversation{ID: id, Kind: kind, Parent: parent, Label: "label of " + string(id), Composition: quote("composition of " + string(id))}
}

// root creates a root conversation.
func (e *env) root(id store.ID) *agent {
	e.Helper()
	l, err := e.s.Create(e.ctx, proc, rootConversation(id))
	e.ok(err)
	return &agent{e: e, s: e.s, lease: l}
}

// prompt is the first message of a child.
func prompt(l store.Lease, id store.ID) store.Message {
	return store.Message{
		ID: "prompt of " + string(id), To: id, From: l.Conversation, Kind: store.FromParent, Lane: store.Turn,
		Activation: l.Activation, Data: quote("do " + string(id)),
	}
}

// start starts a continuable child, whose prompt waits.
func (a *agent) start(id store.ID) *agent {
	a.e.Helper()
	_, l, started, err := a.s.Start(a.e.ctx, a.lease, a.last, "call of "+string(id), childConversation(id, a.id(), store.Continuable), prompt(a.lease, id))
	a.e.ok(err)
	a.e.equal(started, true)
	a.last++
	return &agent{e: a.e, s: a.s, lease: l}
}

// run starts a child and claims its prompt.
func (a *agent) run(id store.ID) *agent {
	a.e.Helper()
	c := a.start(id)
	a.e.equal(c.claim(store.AtTurn), "prompt of "+string(id))
	return c
}

// append adds entries with these texts.
func (a *agent) append(texts ...string) {
	a.e.Helper()
	last, err := a.s.Append(a.e.ctx, a.lease, a.last, entries(texts...)...)
	a.e.ok(err)
	a.e.equal(last, a.last+int64(len(texts)))
	a.last = last
}

func entries(texts ...string) []store.Entry {
	var out []store.Entry
	for _, s := range texts {
		out = append(out, store.Entry{Kind: "note", Data: quote(s)})
	}
	return out
}

// user sends a message of the user's.
func (e *env) user(to store.ID, id string, lane store.Lane, quiet bool) {
	e.Helper()
	e.ok(e.s2.Send(e.ctx, userMessage(to, id, lane, quiet)))
}

func userMessage(to store.ID, id string, lane store.Lane, quiet bool) store.Message {
	return store.Message{ID: id, To: to, Kind: store.FromUser, Lane: lane, Quiet: quiet, Data: quote("text of " + id)}
}

// report is a message of a child's to its parent.
func (a *agent) report(to store.ID, id string) store.Message {
	return store.Message{
		ID: id, To: to, From: a.id(), Kind: store.FromChild, Lane: store.Step, Activation: a.lease.Activation, Data: quote("text of " + id),
	}
}

// claim claims and returns the messages' ids.
func (a *agent) claim(at store.Boundary) string {
	a.e.Helper()
	got, last, err := a.s.Claim(a.e.ctx, a.lease, a.last, at)
	a.e.ok(err)
	a.e.equal(last, a.last+int64(len(got)))
	a.last = last
	return ids(got)
}

// waiting is what waits for a conversation: ids, in order.
func (e *env) waiting(id store.ID) string {
	e.Helper()
	got, err := e.s2.Waiting(e.ctx, id)
	e.ok(err)
	return ids(got)
}

func ids(messages []store.Message) string {
	var out []string
	for _, m := range messages {
		out = append(out, m.ID)
	}
	return strings.Join(out, ", ")
}

// end is a settlement of the agent's, with a notice if it has a parent.
func (a *agent) end(outcome string, parent store.ID) store.Settlement {
	s := store.Settlement{Outcome: outcome, Text: "last words of " + string(a.id()), FailedTurns: 2, Parked: 1, Activation: a.lease.Activation}
	if parent != "" {
		s.Notice = &store.Message{
			ID: fmt.Sprintf("end %d of %s", a.lease.Activation, a.id()), To: parent, From: a.id(), Kind: store.FromSettlement,
			Lane: store.Step, Activation: a.lease.Activation, Data: quote(outcome),
		}
	}
	return s
}

// settle ends the residency.
func (a *agent) settle(outcome string, parent store.ID) {
	a.e.Helper()
	a.e.ok(a.s.Settle(a.e.ctx, a.lease, a.last, a.end(outcome, parent)))
	a.last++
}

// acquire begins another residency.
func (e *env) acquire(process string, id store.ID) *agent {
	e.Helper()
	l, err := e.s2.Acquire(e.ctx, process, id)
	e.ok(err)
	return &agent{e: e, s: e.s2, lease: l, last: l.Last}
}

func (e *env) get(id store.ID) store.Conversation {
	e.Helper()
	c, err := e.s2.Get(e.ctx, id)
	e.ok(err)
	return c
}

// log is a conversation's whole log, without the times.
func (e *env) log(id store.ID) []store.Entry {
	e.Helper()
	log, err := e.s2.Log(e.ctx, id, 0, 0)
	e.ok(err)
	return timeless(log)
}

func timeless(log []store.Entry) []store.Entry {
	for i := range log {
		log[i].Time = time.Time{}
	}
	return log
}

// kinds is a conversation's log as its entries' kinds.
func (e *env) kinds(id store.ID) string {
	e.Helper()
	var out []string
	for _, entry := range e.log(id) {
		out = append(out, entry.Kind)
	}
	return strings.Join(out, " ")
}

// decode reads an entry that a step wrote.
func decode[T any](e *env, entry store.Entry, kind string) T {
	e.Helper()
	e.equal(entry.Kind, kind)
	var v T
	d := json.NewDecoder(bytes.NewReader(entry.Data))
	d.DisallowUnknownFields()
	e.ok(d.Decode(&v))
	return v
}

func quote(s string) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		return nil
	}
	return b
}
