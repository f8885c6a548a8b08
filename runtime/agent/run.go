package agent

import (
	"context"
	"errors"
	"runtime/debug"
	"unicode/utf8"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// Run is the agent's life, until its residency has ended: turns for as long as messages wait, and rest between them. It
// settles as soon as nothing keeps it, or, where it stays, goes on until the context ends.
//
// When the context ends, the turn stops, what waits is parked, and the residency ends as interrupted, once no child is
// resident any more: to stop those is the caller's affair, and a context that they share with the agent does it.
func (a *Agent) Run(ctx context.Context) (end End) {
	returned := false
	defer func() {
		if !returned {
			// A panic, or the end of the goroutine, outside of a turn: an observer's, since nothing else runs here.
			err := errEnded
			if p := recover(); p != nil {
				err = &PanicError{Value: p, Stack: debug.Stack()}
			}
			a.unwind()
			a.note(TurnEnd{Outcome: Failed, Reason: RuntimeFailed, Err: err})
			end = a.leave()
		}
		a.heed.looking.Wait()
		close(a.done)
	}()
	end = a.live(ctx)
	returned = true
	return end
}

// errEnded is why an agent ends whose goroutine was ended.
var errEnded = errors.New("agent: something ended the agent's goroutine")

// live is the loop.
func (a *Agent) live(ctx context.Context) End {
	stop := context.AfterFunc(ctx, a.Wake)
	defer stop()
	t := a.begin(ctx)
	for ctx.Err() == nil {
		quiet := a.waiters()
		messages, err := a.claim(store.AtTurn, forever, ctx.Done())
		if len(messages) > 0 {
			t = a.take(ctx, t, messages)
			continue
		}
		if err != nil {
			a.cannot(ctx, err)
			break
		}
		a.drop(t)
		ended, err := a.rest(ctx, quiet)
		switch {
		case err != nil && ctx.Err() == nil:
			a.cannot(ctx, err)
			return a.leave()
		case ended:
			return a.ended(false)
		}
		t = a.begin(ctx)
	}
	a.drop(t)
	if ctx.Err() != nil {
		a.stopped()
	}
	return a.leave()
}

// cannot notes that the agent cannot go on.
func (a *Agent) cannot(ctx context.Context, err error) {
	if ctx.Err() == nil {
		a.problem(err)
		a.note(TurnEnd{Outcome: Failed, Reason: StoreFailed, Err: err})
	}
}

// stopped notes that the residency ends because it was stopped, however its last turn ended.
func (a *Agent) stopped() {
	end := a.Last()
	if end.Outcome.failure() {
		a.failed++
	}
	end.Outcome, end.Reason, end.Err = Interrupted, NoReason, ErrStopped
	a.note(end)
}

// begin makes the turn that a claim may begin. At no time between two turns that follow each other there is none.
func (a *Agent) begin(ctx context.Context) *turn {
	t := &turn{done: make(chan struct{})}
	t.ctx, t.cancel = context.WithCancelCause(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.turn = t
	return t
}

// over tells who waits for the turn before, or interrupted it, that it is over: when it is known what comes after it. So
// whoever has been told sees the agent at rest, or in another turn.
func (a *Agent) over() {
	if a.before != nil {
		close(a.before.done)
		a.before = nil
	}
	for _, n := range a.news {
		a.tell(n)
	}
	a.news = nil
}

// drop ends a turn that never began.
func (a *Agent) drop(t *turn) {
	a.mu.Lock()
	a.turn = nil
	a.mu.Unlock()
	t.cancel(nil)
	close(t.done)
}

// unwind ends the turn that a panic has left.
func (a *Agent) unwind() {
	a.mu.Lock()
	t := a.turn
	a.turn = nil
	a.mu.Unlock()
	if t != nil {
		t.cancel(nil)
		close(t.done)
	}
}

// take runs a turn, and returns the one that the next claim may begin.
func (a *Agent) take(ctx context.Context, t *turn, messages []Message) *turn {
	a.over()
	a.parked = 0
	a.setResting(false)
	a.drive(true)
	if a.end.Outcome.failure() {
		a.failed++
	}
	a.turns++
	end := a.run(t, messages)
	a.total = a.total.Add(end.Usage)
	a.note(end)
	t.parked = end.Parked
	a.observer.turnEnded(a.me, end)
	a.news = append(a.news, news{end.Messages, Claimed{End: end}})
	a.before = t
	return a.begin(ctx)
}

// note keeps how the last turn ended, or why there can be no other.
func (a *Agent) note(end TurnEnd) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end = end
}

// waiters takes who waits for quiet: what they did before they asked is seen by the claim that follows.
func (a *Agent) waiters() []chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.quiet[:len(a.quiet):len(a.quiet)]
}

// rest is what the agent does when there is nothing to do: it settles, or says that all is quiet, or waits for something to
// change. ended is true where it has settled.
func (a *Agent) rest(ctx context.Context, quiet []chan struct{}) (ended bool, err error) {
	var p store.Pending
	if a.cfg.Stay {
		err = a.insist(forever, ctx.Done(), func(ctx context.Context) (err error) {
			p, err = a.store.Pending(ctx, a.me.ID)
			return err
		})
	} else {
		var busy *store.BusyError
		if err = a.settle(); errors.As(err, &busy) {
			p, err = busy.Pending, nil
		} else if err == nil {
			return true, nil
		}
	}
	if err != nil || p.Waiting > 0 {
		return false, err
	}
	a.drive(false)
	if a.setResting(true) {
		a.observer.rested(a.me)
	}
	a.over()
	if a.cfg.Stay && p.Children == 0 {
		a.mu.Lock()
		a.quiet = a.quiet[len(quiet):]
		a.mu.Unlock()
		for _, ch := range quiet {
			close(ch)
		}
	}
	select {
	case <-a.wake:
	case <-ctx.Done():
	}
	return false, nil
}

// settle ends the residency in the store, unless something keeps it. Where the last message is larger than what the store
// takes, less of it is kept: the end itself must not be lost.
func (a *Agent) settle() error {
	end := a.summary()
	err := a.settleAs(end)
	for _, most := range []int{1 << 10, 0} {
		if errors.Is(err, store.ErrTooLarge) {
			end.Text = clipped(end.Text, most)
			err = a.settleAs(end)
		}
	}
	return err
}

func (a *Agent) settleAs(end End) error {
	s := store.Settlement{Outcome: string(end.Outcome), Text: end.Text, FailedTurns: end.FailedTurns, Parked: end.Parked, Activation: end.Activation}
	if a.cfg.Output != nil {
		s.Text = a.cfg.Output(end)
	}
	if a.cfg.Notice != nil {
		s.Notice = a.cfg.Notice(end)
	}
	a.log.lock()
	defer a.log.unlock()
	step := func(ctx context.Context) error {
		if a.log.unsure {
			if err := a.catchUp(ctx); err != nil {
				return err
			}
		}
		return a.store.Settle(ctx, a.log.lease, a.log.last, s)
	}
	err := a.insist(forever, nil, step)
	if errors.Is(err, store.ErrConflict) {
		a.log.unsure = true
		err = a.insist(forever, nil, step)
	}
	return err
}

// clipped is the beginning of a text.
func clipped(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// leave ends the residency of an agent that is stopped, or cannot go on.
func (a *Agent) leave() End {
	for {
		again, err := a.tryLeave()
		switch {
		case err != nil:
			a.problem(err)
			return a.ended(true)
		case !again:
			return a.ended(false)
		}
		select {
		case <-a.wake: // a child has settled, or a message came
		case <-a.gaveUp:
			return a.ended(true)
		}
	}
}

// tryLeave is one attempt; again is true where a child is still resident.
func (a *Agent) tryLeave() (again bool, err error) {
	if a.cfg.Stay {
		var p store.Pending
		err := a.insist(forever, nil, func(ctx context.Context) (err error) {
			p, err = a.store.Pending(ctx, a.me.ID)
			return err
		})
		if err != nil || p.Children > 0 {
			return err == nil, err
		}
		return false, a.insist(forever, nil, func(ctx context.Context) error { return a.store.Release(ctx, a.log.lease) })
	}
	for {
		if _, err := a.park(); err != nil {
			return false, err
		}
		err := a.settle()
		var busy *store.BusyError
		if !errors.As(err, &busy) {
			return false, err
		}
		if busy.Children > 0 {
			return true, nil
		}
	}
}

// summary is the end as it stands.
func (a *Agent) summary() End {
	end := End{TurnEnd: a.end, Activation: a.cfg.Lease.Activation, Turns: a.turns, FailedTurns: a.failed, Total: a.total}
	end.Parked = a.parked
	if end.Outcome == "" {
		end.Outcome = Interrupted // it was stopped before any turn
	}
	return end
}

// ended tells everyone that the residency is over.
func (a *Agent) ended(leaseLost bool) End {
	end := a.summary()
	if end.LeaseLost = leaseLost; leaseLost {
		end.Outcome = Lost
	}
	a.observer.settled(a.me, end)
	a.over()
	return end
}
