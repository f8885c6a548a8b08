package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// turn is one turn, from the claim that may begin it to its end in the log.
type turn struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when it has ended, and what waits was parked if it was interrupted
	dog    *watchdog

	// Under the agent's mutex.
	first       int64 // the entry with which it began; 0 as long as it has not
	interrupted bool
	sealed      bool // how it ends is decided

	// Written before done is closed.
	began  bool
	parked int
}

// interrupt stops the turn, unless how it ends is decided. The agent's mutex is locked.
func (t *turn) interrupt() {
	if !t.sealed {
		t.interrupted = true
		t.cancel(ErrInterrupted)
	}
}

// progress is how far a turn has come.
type progress struct {
	TurnEnd
	tail []store.Entry // what is still to be written, with the turn's end
}

// run runs a turn to its end in the log, whatever the model and the tools do.
func (a *Agent) run(t *turn, messages []Message) TurnEnd {
	t.began = true
	a.heed.begin(a, t, a.history.Last-int64(len(messages))+1)
	t.dog = watch(a.set.Stall, func() { t.cancel(ErrStalled) })
	defer t.dog.stop()
	defer t.cancel(nil)
	p := &progress{}
	a.steps(t, p, messages)
	return a.seal(t, p)
}

// steps goes from step to step, until p says how the turn ends.
func (a *Agent) steps(t *turn, p *progress, messages []Message) {
	defer func() {
		if v := recover(); v != nil {
			a.closeBatch()
			p.fail(RuntimeFailed, &PanicError{Value: v, Stack: debug.Stack()})
		}
	}()
	p.join(messages)
	a.observer.turnBegan(a.me, messages)
	for p.Outcome == "" {
		a.step(t, p)
	}
}

// step is one call of the model, and what follows from it.
func (a *Agent) step(t *turn, p *progress) {
	if a.set.MaxSteps >= 0 && p.Steps >= a.set.MaxSteps {
		p.fail(TooManySteps, fmt.Errorf("agent: the turn took %d steps", p.Steps))
		return
	}
	if a.cut(t, p) {
		return
	}
	p.Steps++
	res, partial, err := a.generate(t)
	if err != nil {
		if partial != "" {
			p.Text = partial
			p.tail = append(p.tail, assistantEntry(&Response{Text: partial}))
		}
		if !a.cut(t, p) {
			p.fail(ModelFailed, err)
		}
		return
	}
	p.Usage = p.Usage.Add(res.Usage)
	if len(res.Extra) > 0 && !json.Valid(res.Extra) {
		p.fail(ModelFailed, errors.New("agent: what the provider wants back with the answer is no JSON"))
		return
	}
	calls := res.Calls
	if res.Stop == StopTokenLimit || res.Stop == StopRefused {
		calls = nil // a call that was cut off, or that the model takes back, is none
	}
	res.Calls = a.unique(calls)
	if strings.TrimSpace(res.Text) != "" {
		p.Text = res.Text
	}
	entry := assistantEntry(res)
	if len(res.Calls) == 0 {
		p.tail = append(p.tail, entry)
		a.answered(res)
		switch {
		case res.Stop == StopTokenLimit:
			p.Outcome = TokenLimit
		case res.Stop == StopRefused:
			p.Outcome = Refused
		case strings.TrimSpace(res.Text) == "":
			p.fail(NoAnswer, errors.New("agent: the model gave neither a text nor a call"))
		default:
			p.Outcome = Completed
		}
		return
	}
	if err := a.write(entry); err != nil {
		p.fail(StoreFailed, err)
		return
	}
	a.answered(res)
	if err := a.carryOut(t, res.Calls); err != nil {
		p.fail(StoreFailed, err)
		return
	}
	if a.cut(t, p) {
		return
	}
	joined, err := a.claim(store.AtStep, a.set.Patience, t.ctx.Done())
	if err != nil && !a.cut(t, p) {
		p.fail(StoreFailed, err)
	} else if len(joined) > 0 {
		p.join(joined)
		a.observer.joined(a.me, joined)
	}
}

// cut reports whether the turn's context has ended, and notes what that makes of the turn.
func (a *Agent) cut(t *turn, p *progress) bool {
	if t.ctx.Err() == nil {
		return false
	}
	if errors.Is(context.Cause(t.ctx), ErrStalled) {
		p.fail(Stalled, ErrStalled)
	} else {
		p.Outcome, p.Err = Interrupted, context.Cause(t.ctx)
	}
	return true
}

func (p *progress) fail(reason Reason, err error) { p.Outcome, p.Reason, p.Err = Failed, reason, err }

func (p *progress) join(messages []Message) {
	for _, m := range messages {
		p.Messages = append(p.Messages, m.ID)
	}
}

func (a *Agent) answered(res *Response) {
	a.observer.answered(a.me, Message{Author: Assistant, Text: res.Text, Calls: res.Calls, Extra: res.Extra})
}

// seal decides how the turn ends, writes that, and parks what waits where the turn was interrupted.
func (a *Agent) seal(t *turn, p *progress) TurnEnd {
	a.mu.Lock()
	t.sealed = true
	interrupted := t.interrupted
	a.mu.Unlock()
	if interrupted {
		p.Outcome, p.Reason, p.Err = Interrupted, NoReason, ErrInterrupted
	}
	p.Abandoned = a.abandoned()
	if interrupted {
		// Before the turn's end is in the log, where whoever asked from elsewhere finds how many there are.
		parked, err := a.park()
		if err != nil {
			a.problem(err)
		}
		p.Parked = parked
	}
	end := store.Entry{Kind: entryTurn, Data: encode(turnData{
		Version: formatVersion, Outcome: p.Outcome, Reason: p.Reason, Steps: p.Steps, Usage: p.Usage, Parked: p.Parked,
	})}
	if err := a.write(append(p.tail, end)...); err != nil {
		p.fail(StoreFailed, err)
		// The answer may be what the store does not take.
		if !lost(err) && store.Refused(err) {
			_ = a.write(end)
		}
	}
	return p.TurnEnd
}

func assistantEntry(res *Response) store.Entry {
	return store.Entry{Kind: entryAssistant, Data: encode(assistantData{
		Version: formatVersion, Text: res.Text, Calls: res.Calls, Stop: res.Stop, Usage: res.Usage, Extra: res.Extra,
	})}
}
