//go:build unix

package kill

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// gate counts the moments before and after each step that changes a store, and can stop the process at one of them: whatever
// is in the middle of a step ends it, and no other step begins.
type gate struct {
	store.Store
	at   int64  // the moment at which it stops; 0 is none
	held func() // is called there, and returns when the process may go on

	moments atomic.Int64
	inside  sync.RWMutex
}

func (g *gate) pass() {
	if g.moments.Add(1) == g.at {
		g.inside.Lock()
		defer g.inside.Unlock()
		g.held()
	}
}

func (g *gate) do(step func() error) error {
	g.pass()
	g.inside.RLock()
	err := step()
	g.inside.RUnlock()
	g.pass()
	return err
}

func (g *gate) Create(ctx context.Context, process string, root store.NewConversation) (l store.Lease, err error) {
	err = g.do(func() (err error) {
		l, err = g.Store.Create(ctx, process, root)
		return err
	})
	return l, err
}

func (g *gate) Start(ctx context.Context, parent store.Lease, after int64, call string, child store.NewConversation, first store.Message) (c store.Conversation, l store.Lease, started bool, err error) {
	err = g.do(func() (err error) {
		c, l, started, err = g.Store.Start(ctx, parent, after, call, child, first)
		return err
	})
	return c, l, started, err
}

func (g *gate) Acquire(ctx context.Context, process string, id store.ID) (l store.Lease, err error) {
	err = g.do(func() (err error) {
		l, err = g.Store.Acquire(ctx, process, id)
		return err
	})
	return l, err
}

func (g *gate) Release(ctx context.Context, l store.Lease) error {
	return g.do(func() error { return g.Store.Release(ctx, l) })
}

func (g *gate) Append(ctx context.Context, l store.Lease, after int64, entries ...store.Entry) (last int64, err error) {
	err = g.do(func() (err error) {
		last, err = g.Store.Append(ctx, l, after, entries...)
		return err
	})
	return last, err
}

func (g *gate) Send(ctx context.Context, m store.Message) error {
	return g.do(func() error { return g.Store.Send(ctx, m) })
}

func (g *gate) Claim(ctx context.Context, l store.Lease, after int64, at store.Boundary) (m []store.Message, last int64, err error) {
	err = g.do(func() (err error) {
		m, last, err = g.Store.Claim(ctx, l, after, at)
		return err
	})
	return m, last, err
}

func (g *gate) Park(ctx context.Context, l store.Lease) (n int, err error) {
	err = g.do(func() (err error) {
		n, err = g.Store.Park(ctx, l)
		return err
	})
	return n, err
}

func (g *gate) Settle(ctx context.Context, l store.Lease, after int64, s store.Settlement) error {
	return g.do(func() error { return g.Store.Settle(ctx, l, after, s) })
}

func (g *gate) Lose(ctx context.Context, l store.Lease, s store.Settlement) error {
	return g.do(func() error { return g.Store.Lose(ctx, l, s) })
}

func (g *gate) Heartbeat(ctx context.Context, process string) error {
	return g.do(func() error { return g.Store.Heartbeat(ctx, process) })
}

func (g *gate) Drive(ctx context.Context, l store.Lease, driving bool) error {
	return g.do(func() error { return g.Store.Drive(ctx, l, driving) })
}
