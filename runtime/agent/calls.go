package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// newDispatcher makes the dispatcher that the agent has for as long as it lives.
func (a *Agent) newDispatcher(v *View) *tool.Dispatcher {
	result := func(ctx context.Context, _ *tool.Invocation, res tool.CallResult) {
		if c, ok := CallerOf(ctx); ok {
			c.batch.turn.dog.pat()
			c.batch.passed(res.ID)
		}
		a.observer.called(a.me, res)
	}
	return v.scope.Dispatcher(append(v.dispatch[:len(v.dispatch):len(v.dispatch)], tool.WithHooks(tool.Hooks{
		Start: func(ctx context.Context, inv *tool.Invocation) {
			if c, ok := CallerOf(ctx); ok {
				c.batch.began(inv.Call().ID, inv.Call().Name)
			}
			a.observer.calling(a.me, inv.Call())
		},
		Refused: result,
		Finish:  result,
		Abandoned: func(ctx context.Context, inv *tool.Invocation, res tool.CallResult) {
			result(ctx, inv, res)
			a.problem(fmt.Errorf("agent: the handler of %s goes on although its context has ended", res.Name))
		},
	}))...)
}

// abandoned counts what runs on although its turn has gone on without it: handlers, and calls of the model.
func (a *Agent) abandoned() int { return a.dispatcher.Abandoned() + int(a.wandering.Load()) }

// unique gives calls ids that the conversation has not had.
func (a *Agent) unique(calls []Call) []Call {
	given := make([]tool.Call, len(calls))
	for i, c := range calls {
		given[i] = tool.Call{ID: c.ID, Name: c.Name, Arguments: []byte(c.Arguments)}
	}
	out := make([]Call, len(calls))
	for i, c := range tool.UniqueIDs(given, func(id string) bool { return a.history.callIDs[id] }) {
		out[i] = Call{ID: c.ID, Name: c.Name, Arguments: string(c.Arguments)}
	}
	return out
}

// carryOut runs the calls of one message, and writes their results.
func (a *Agent) carryOut(t *turn, calls []Call) error {
	asked := make([]tool.Call, len(calls))
	for i, c := range calls {
		asked[i] = tool.Call{ID: c.ID, Name: c.Name, Arguments: []byte(c.Arguments)}
	}
	b := a.openBatch(t, asked)
	results := a.dispatcher.Dispatch(context.WithValue(t.ctx, callerKey{}, &Caller{a, b}), asked)
	a.closeBatch()
	entries := make([]store.Entry, len(results))
	for i, r := range results {
		entries[i] = resultEntry(asked[i], r)
	}
	err := a.write(entries...)
	if errors.Is(err, store.ErrTooLarge) {
		// A conversation that lacks a result cannot go on; one whose result says what happened can.
		for i, r := range results {
			r.Text, r.IsError = fmt.Sprintf("The result, of %d bytes, was too large to be kept.", len(r.Text)), true
			entries[i] = resultEntry(asked[i], r)
		}
		err = a.write(entries...)
	}
	return err
}

// resultEntry is the entry of a result, with what the conversation keeps of its call in place of what the model wrote.
func resultEntry(c tool.Call, r tool.CallResult) store.Entry {
	kept := tool.HistoryCall(c, r)
	d := resultData{Version: formatVersion, Call: c.ID, Name: kept.Name, Text: r.Text, IsError: r.IsError}
	if string(kept.Arguments) != string(c.Arguments) {
		d.Arguments = string(kept.Arguments)
	}
	return store.Entry{Kind: entryResult, Data: encode(d)}
}
