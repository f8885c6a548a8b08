package subagent_test

import (
	"context"
	"errors"
	"sync"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

var errDisk = errors.New("the disk has failed")

// faulty is a store of which some steps fail, before they happen or after.
type faulty struct {
	store.Store
	mu   sync.Mutex
	fail func(step string, of store.ID) fault
}

type fault int

const (
	works fault = iota
	failsBefore
	failsAfter
)

func (f *faulty) do(step string, of store.ID, happen func() error) error {
	f.mu.Lock()
	how := f.fail(step, of)
	f.mu.Unlock()
	if how == failsBefore {
		return errDisk
	}
	err := happen()
	if how == failsAfter {
		return errDisk
	}
	return err
}

func (f *faulty) Start(ctx context.Context, parent store.Lease, after int64, call string, child store.NewConversation, first store.Message) (c store.Conversation, l store.Lease, started bool, err error) {
	err = f.do("start", parent.Conversation, func() (err error) {
		c, l, started, err = f.Store.Start(ctx, parent, after, call, child, first)
		return err
	})
	if err != nil {
		return store.Conversation{}, store.Lease{}, false, err
	}
	return c, l, started, nil
}

func (f *faulty) Append(ctx context.Context, l store.Lease, after int64, entries ...store.Entry) (last int64, err error) {
	err = f.do("append", l.Conversation, func() (err error) {
		last, err = f.Store.Append(ctx, l, after, entries...)
		return err
	})
	return last, err
}

func (f *faulty) Send(ctx context.Context, m store.Message) error {
	return f.do("send", m.To, func() error { return f.Store.Send(ctx, m) })
}

func (f *faulty) Claim(ctx context.Context, l store.Lease, after int64, at store.Boundary) (m []store.Message, last int64, err error) {
	err = f.do("claim", l.Conversation, func() (err error) {
		m, last, err = f.Store.Claim(ctx, l, after, at)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	return m, last, nil
}

func (f *faulty) Park(ctx context.Context, l store.Lease) (n int, err error) {
	err = f.do("park", l.Conversation, func() (err error) {
		n, err = f.Store.Park(ctx, l)
		return err
	})
	return n, err
}

func (f *faulty) Settle(ctx context.Context, l store.Lease, after int64, s store.Settlement) error {
	return f.do("settle", l.Conversation, func() error { return f.Store.Settle(ctx, l, after, s) })
}

func (f *faulty) Acquire(ctx context.Context, process string, id store.ID) (l store.Lease, err error) {
	err = f.do("acquire", id, func() (err error) {
		l, err = f.Store.Acquire(ctx, process, id)
		return err
	})
	return l, err
}

// failing makes a world over a store that fails as a function says.
func failing(fail func(step string, of store.ID) fault) func(*world) {
	return func(w *world) { w.store = &faulty{Store: w.store, fail: fail} }
}
