package subagent_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// hooked is a store with something before and after each step. An error before keeps the step from happening; an error after
// hides that it has happened.
type hooked struct {
	store.Store
	before, after func(step string, of store.ID, about string) error
}

func (h *hooked) do(step string, of store.ID, about string, happen func() error) error {
	if h.before != nil {
		if err := h.before(step, of, about); err != nil {
			return err
		}
	}
	err := happen()
	if err == nil && h.after != nil {
		err = h.after(step, of, about)
	}
	return err
}

// gated makes a world's steps wait for their turn.
func gated(s store.Store, g *sched) *hooked {
	return &hooked{Store: s, before: func(step string, of store.ID, about string) error {
		g.pass(step + " " + string(of) + about)
		return nil
	}}
}

var errDisk = errors.New("the disk has failed")

type fault int

const (
	works fault = iota
	failsBefore
	failsAfter
)

// failing makes a world over a store that fails as a function says.
func failing(fail func(step string, of store.ID) fault) func(*world) {
	return func(w *world) {
		var mu sync.Mutex
		next := map[string]int{} // by step and conversation: how many that are being made fail at their ends
		w.store = &hooked{Store: w.store,
			before: func(step string, of store.ID, _ string) error {
				mu.Lock()
				defer mu.Unlock()
				switch fail(step, of) {
				case failsBefore:
					return errDisk
				case failsAfter:
					next[step+" "+string(of)]++
				}
				return nil
			},
			after: func(step string, of store.ID, _ string) error {
				mu.Lock()
				defer mu.Unlock()
				if key := step + " " + string(of); next[key] > 0 {
					next[key]--
					return errDisk
				}
				return nil
			},
		}
	}
}

// mortal is the way of a process to a store: as long as the process is dead, nothing gets there.
func mortal(s store.Store) (way store.Store, kill, revive func()) {
	var dead atomic.Bool
	before := func(string, store.ID, string) error {
		if dead.Load() {
			return errDead
		}
		return nil
	}
	return &hooked{Store: s, before: before}, func() { dead.Store(true) }, func() { dead.Store(false) }
}

var errDead = errors.New("the process is dead")

func (h *hooked) Create(ctx context.Context, process string, root store.NewConversation) (l store.Lease, err error) {
	err = h.do("create", root.ID, "", func() (err error) {
		l, err = h.Store.Create(ctx, process, root)
		return err
	})
	return l, err
}

func (h *hooked) Start(ctx context.Context, parent store.Lease, after int64, call string, child store.NewConversation, first store.Message) (c store.Conversation, l store.Lease, started bool, err error) {
	err = h.do("start", parent.Conversation, " "+call, func() (err error) {
		c, l, started, err = h.Store.Start(ctx, parent, after, call, child, first)
		return err
	})
	if err != nil {
		return store.Conversation{}, store.Lease{}, false, err
	}
	return c, l, started, nil
}

func (h *hooked) Acquire(ctx context.Context, process string, id store.ID) (l store.Lease, err error) {
	err = h.do("acquire", id, "", func() (err error) {
		l, err = h.Store.Acquire(ctx, process, id)
		return err
	})
	return l, err
}

func (h *hooked) Release(ctx context.Context, l store.Lease) error {
	return h.do("release", l.Conversation, "", func() error { return h.Store.Release(ctx, l) })
}

func (h *hooked) Append(ctx context.Context, l store.Lease, after int64, entries ...store.Entry) (last int64, err error) {
	err = h.do("append", l.Conversation, "", func() (err error) {
		last, err = h.Store.Append(ctx, l, after, entries...)
		return err
	})
	return last, err
}

func (h *hooked) Send(ctx context.Context, m store.Message) error {
	return h.do("send", m.To, " "+m.ID, func() error { return h.Store.Send(ctx, m) })
}

func (h *hooked) Claim(ctx context.Context, l store.Lease, after int64, at store.Boundary) (m []store.Message, last int64, err error) {
	err = h.do("claim", l.Conversation, "", func() (err error) {
		m, last, err = h.Store.Claim(ctx, l, after, at)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	return m, last, nil
}

func (h *hooked) Park(ctx context.Context, l store.Lease) (n int, err error) {
	err = h.do("park", l.Conversation, "", func() (err error) {
		n, err = h.Store.Park(ctx, l)
		return err
	})
	return n, err
}

func (h *hooked) Drive(ctx context.Context, l store.Lease, driving bool) error {
	return h.do("drive", l.Conversation, "", func() error { return h.Store.Drive(ctx, l, driving) })
}

func (h *hooked) Interrupt(ctx context.Context, id store.ID, activation, upTo int64) error {
	return h.do("interrupt", id, "", func() error { return h.Store.Interrupt(ctx, id, activation, upTo) })
}

func (h *hooked) Settle(ctx context.Context, l store.Lease, after int64, s store.Settlement) error {
	return h.do("settle", l.Conversation, "", func() error { return h.Store.Settle(ctx, l, after, s) })
}

func (h *hooked) Pending(ctx context.Context, id store.ID) (p store.Pending, err error) {
	err = h.do("pending", id, "", func() (err error) {
		p, err = h.Store.Pending(ctx, id)
		return err
	})
	return p, err
}

func (h *hooked) Get(ctx context.Context, id store.ID) (c store.Conversation, err error) {
	err = h.do("get", id, "", func() (err error) {
		c, err = h.Store.Get(ctx, id)
		return err
	})
	return c, err
}

func (h *hooked) Waiting(ctx context.Context, id store.ID) (m []store.Message, err error) {
	err = h.do("waiting", id, "", func() (err error) {
		m, err = h.Store.Waiting(ctx, id)
		return err
	})
	return m, err
}

func (h *hooked) Children(ctx context.Context, parent, after store.ID, limit int) (c []store.Conversation, err error) {
	err = h.do("children", parent, "", func() (err error) {
		c, err = h.Store.Children(ctx, parent, after, limit)
		return err
	})
	return c, err
}

func (h *hooked) Residents(ctx context.Context, below store.ID) (c []store.Conversation, err error) {
	err = h.do("residents", below, "", func() (err error) {
		c, err = h.Store.Residents(ctx, below)
		return err
	})
	return c, err
}

func (h *hooked) Log(ctx context.Context, id store.ID, after int64, limit int) (e []store.Entry, err error) {
	err = h.do("log", id, "", func() (err error) {
		e, err = h.Store.Log(ctx, id, after, limit)
		return err
	})
	return e, err
}

func (h *hooked) Dead(ctx context.Context, bound time.Duration) (l []store.Lease, err error) {
	err = h.do("dead", "", "", func() (err error) {
		l, err = h.Store.Dead(ctx, bound)
		return err
	})
	return l, err
}

func (h *hooked) Lose(ctx context.Context, l store.Lease, s store.Settlement) error {
	return h.do("lose", l.Conversation, "", func() error { return h.Store.Lose(ctx, l, s) })
}

func (h *hooked) Heartbeat(ctx context.Context, process string) error {
	return h.do("heartbeat", "", "", func() error { return h.Store.Heartbeat(ctx, process) })
}

func (h *hooked) Watch(changed func(store.ID)) (stop func()) {
	return h.Store.Watch(func(id store.ID) {
		if h.before == nil || h.before("wake", id, "") == nil {
			changed(id)
		}
	})
}
