package agent

import (
	"context"
	"errors"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// Steps of the store change what lasts, and their errors may leave unknown whether they happened. So every step is made
// without the caller's context, which would only end it half way, and is made again until it is known.

// unknown reports whether a step may have happened, or the log is not what it was thought to be.
func unknown(err error) bool { return !store.Refused(err) || errors.Is(err, store.ErrConflict) }

// Pauses between attempts.
const (
	firstPause = 10 * time.Millisecond
	longPause  = 5 * time.Second
)

// forever is a patience without an end.
const forever = -1

// insist makes a step until the store takes or refuses it: for as long as patience is, until the agent is abandoned, or until
// a channel is closed (which may be nil). Each failure is reported.
func (a *Agent) insist(patience time.Duration, until <-chan struct{}, step func(context.Context) error) error {
	ctx := context.Background()
	pause, spent := firstPause, time.Duration(0)
	for {
		err := step(ctx)
		if err == nil || store.Refused(err) {
			return err
		}
		a.problem(err)
		if patience >= 0 && spent >= patience {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-a.gaveUp:
			timer.Stop()
			return err
		case <-until:
			timer.Stop()
			return err
		}
		spent += pause
		pause = min(2*pause, longPause)
	}
}

// write appends to the log, for as long as the agent has patience.
func (a *Agent) write(entries ...store.Entry) error {
	a.log.lock()
	defer a.log.unlock()
	if err := a.sure(a.set.Patience, nil); err != nil {
		return err
	}
	return a.append(a.set.Patience, nil, entries)
}

// sure finds out what the log holds where a step before left that open. The log is locked.
func (a *Agent) sure(patience time.Duration, until <-chan struct{}) error {
	if !a.log.unsure {
		return nil
	}
	return a.insist(patience, until, a.catchUp)
}

// append is write where the log is locked, and where it stands is known.
func (a *Agent) append(patience time.Duration, until <-chan struct{}, entries []store.Entry) error {
	err := a.insist(patience, until, func(ctx context.Context) error {
		last, err := a.store.Append(ctx, a.log.lease, a.log.last, entries...)
		if err == nil {
			a.log.last = last
		}
		return err
	})
	if err != nil {
		a.log.unsure = unknown(err)
		return err
	}
	for i, e := range entries {
		// What the log holds is what the model will see: both come from the same data.
		e.Seq = a.log.last - int64(len(entries)-1-i)
		if err := a.history.apply(e); err != nil {
			return err
		}
	}
	return nil
}

// claim takes messages from the inbox.
func (a *Agent) claim(at store.Boundary, patience time.Duration, until <-chan struct{}) ([]Message, error) {
	a.log.lock()
	defer a.log.unlock()
	if a.log.unsure {
		if err := a.sure(patience, until); err != nil {
			return nil, err
		}
		if err := a.mend(context.Background(), patience, until); err != nil {
			return nil, err
		}
	}
	var messages []store.Message
	err := a.insist(patience, until, func(ctx context.Context) error {
		got, last, err := a.store.Claim(ctx, a.log.lease, a.log.last, at)
		if err == nil {
			messages, a.log.last = got, last
		}
		return err
	})
	if err != nil {
		a.log.unsure = unknown(err)
		return nil, err
	}
	had, first := len(a.history.Messages), a.log.last-int64(len(messages))+1
	for i, m := range messages {
		if err := a.history.message(first+int64(i), m); err != nil {
			return nil, err
		}
		a.history.Last = first + int64(i)
	}
	return a.history.Messages[had:len(a.history.Messages):len(a.history.Messages)], nil
}

// drive says whether a turn is in progress, for listings elsewhere. Nothing depends on it, so a failure is only reported.
func (a *Agent) drive(driving bool) {
	if a.driving == driving {
		return
	}
	err := a.store.Drive(context.Background(), a.log.lease, driving)
	if err == nil {
		a.driving = driving
	} else if !lost(err) {
		a.problem(err)
	}
}

// park parks what waits, and notes that for whoever waits for it.
func (a *Agent) park() (int, error) {
	parked := 0
	err := a.insist(forever, nil, func(ctx context.Context) (err error) {
		parked, err = a.store.Park(ctx, a.log.lease)
		return err
	})
	if err != nil {
		return 0, err
	}
	a.parked = parked
	a.mu.Lock()
	var ids []string
	for id := range a.prompts {
		ids = append(ids, id)
	}
	a.mu.Unlock()
	if parked > 0 && len(ids) > 0 {
		waiting, err := a.store.Waiting(context.Background(), a.me.ID)
		if err != nil {
			a.problem(err)
			return parked, nil
		}
		for _, m := range waiting {
			if m.Parked {
				a.news = append(a.news, news{[]string{m.ID}, Claimed{Parked: true}})
			}
		}
	}
	return parked, nil
}
