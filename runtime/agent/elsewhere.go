package agent

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// Whoever is in another process asks by the store to have a turn stopped: see [store.Store.Interrupt]. The request says up
// to which entry of the log it was made, so it is for the turn that was in progress there, and for no later one.

// heed is what an agent knows of such requests. It looks for them while a turn runs and the store says that something is
// new: a turn without news reads nothing.
type heed struct {
	looking sync.WaitGroup // the goroutine that looks

	// Under the agent's mutex.
	busy, again bool
	upTo        int64 // the highest entry that was asked for
}

// Changed says that the store has something new for the agent: a message, the end of a child, or that its turn is to be
// stopped.
func (a *Agent) Changed() {
	a.Wake()
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.turn == nil: // a request is for a turn that is in the log, and that was claimed for one that is there
	case a.heed.busy:
		a.heed.again = true
	default:
		a.heed.busy = true
		a.heed.looking.Add(1)
		go a.look(a.turn)
	}
}

// look reads the request that there is, until nothing is new any more.
func (a *Agent) look(t *turn) {
	defer a.heed.looking.Done()
	for t != nil {
		var c store.Conversation
		err := persist(t.ctx, math.MaxInt64, func() (err error) {
			c, err = a.store.Get(t.ctx, a.me.ID)
			return err
		})
		t = a.looked(c, err)
	}
}

// looked acts on what was read, and returns the turn for which to look again.
func (a *Agent) looked(c store.Conversation, err error) *turn {
	a.mu.Lock()
	defer a.mu.Unlock()
	h := &a.heed
	if err == nil && c.Activation == a.cfg.Lease.Activation {
		h.upTo = max(h.upTo, c.Interrupt)
	}
	if t := a.turn; t != nil {
		h.stop(t)
		if h.again {
			h.again = false
			return t
		}
	}
	h.busy, h.again = false, false
	return nil
}

// begin notes the entry with which a turn has begun.
func (h *heed) begin(a *Agent, t *turn, first int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t.first = first
	h.stop(t)
}

// stop stops a turn that had begun when it was asked for.
func (h *heed) stop(t *turn) {
	if t.first > 0 && h.upTo >= t.first {
		t.interrupt()
	}
}

// Pauses of [InterruptElsewhere] between its looks.
const (
	firstLook = 10 * time.Millisecond
	longLook  = 250 * time.Millisecond
)

// InterruptElsewhere stops the turn in progress of a conversation that is resident in another process, and parks what waits for
// it, as [Agent.Interrupt] does in this one. It returns when that process has done so, or the turn has ended otherwise, or the
// process was found dead: then stopped is false, and nothing of the request is left. patience bounds how long it tries where the store
// fails; after that, whether the turn is to be stopped is not known.
func InterruptElsewhere(ctx context.Context, s store.Store, id store.ID, patience time.Duration) (parked int, stopped bool, err error) {
	var c store.Conversation
	var h *History
	err = persist(ctx, patience, func() (err error) {
		if c, err = s.Get(ctx, id); err == nil && c.Resident {
			h, err = Load(ctx, s, id, 0)
		}
		return err
	})
	if err != nil || h == nil || !h.InTurn() {
		return 0, false, err
	}
	// From here on it is this turn that is meant, however often the step is made.
	upTo := h.Last
	err = persist(ctx, patience, func() error { return s.Interrupt(ctx, id, c.Activation, upTo) })
	if err != nil {
		return 0, false, unsure(id, err)
	}
	for pause := firstLook; ; pause = min(2*pause, longLook) {
		var end turnData
		var over, ended bool
		err := persist(ctx, patience, func() (err error) {
			// What the log has not after the residency has ended it will not have any more.
			now, err := s.Get(ctx, id)
			if err != nil {
				return err
			}
			over = !now.Resident || now.Activation != c.Activation
			end, ended, err = endOfTurn(ctx, s, id, upTo)
			return err
		})
		switch {
		case errors.Is(err, store.ErrUnknown):
			return 0, false, nil // it has ended, and was deleted
		case err != nil:
			return 0, false, unsure(id, err)
		case ended:
			return end.Parked, end.Outcome == Interrupted, nil
		case over:
			return 0, false, nil
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return 0, false, unsure(id, context.Cause(ctx))
		}
	}
}

func unsure(id store.ID, err error) error {
	return fmt.Errorf("agent: whether the turn of %s was stopped is not known: %w", id, err)
}

// persist does something until the store takes or refuses it, for as long as patience is.
func persist(ctx context.Context, patience time.Duration, do func() error) error {
	pause, spent := firstPause, time.Duration(0)
	for {
		err := do()
		if err == nil || store.Refused(err) || ctx.Err() != nil || spent >= patience {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		}
		spent += pause
		pause = min(2*pause, longPause)
	}
}

// endOfTurn reads how the turn ended that was in progress at an entry.
func endOfTurn(ctx context.Context, s store.Store, id store.ID, after int64) (end turnData, ended bool, err error) {
	for {
		entries, err := s.Log(ctx, id, after, page)
		for _, e := range entries {
			after = e.Seq
			if e.Kind == entryTurn {
				end, err := turnOf(id, e)
				return end, err == nil, err
			}
		}
		if err != nil || len(entries) < page {
			return end, false, err
		}
	}
}
