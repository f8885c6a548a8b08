package subagent_test

import (
	"context"
	"fmt"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// gated is a store whose steps wait for their turn.
type gated struct {
	store.Store
	s *sched
}

func (g *gated) Create(ctx context.Context, process string, root store.NewConversation) (store.Lease, error) {
	g.s.pass("create")
	return g.Store.Create(ctx, process, root)
}

func (g *gated) Start(ctx context.Context, parent store.Lease, after int64, call string, child store.NewConversation, first store.Message) (store.Conversation, store.Lease, bool, error) {
	g.s.pass("start " + string(parent.Conversation) + " " + call)
	return g.Store.Start(ctx, parent, after, call, child, first)
}

func (g *gated) Acquire(ctx context.Context, process string, id store.ID) (store.Lease, error) {
	g.s.pass("acquire " + string(id))
	return g.Store.Acquire(ctx, process, id)
}

func (g *gated) Release(ctx context.Context, l store.Lease) error {
	g.s.pass("release " + string(l.Conversation))
	return g.Store.Release(ctx, l)
}

func (g *gated) Append(ctx context.Context, l store.Lease, after int64, entries ...store.Entry) (int64, error) {
	g.s.pass("append " + string(l.Conversation))
	return g.Store.Append(ctx, l, after, entries...)
}

func (g *gated) Send(ctx context.Context, m store.Message) error {
	g.s.pass("send " + m.ID)
	return g.Store.Send(ctx, m)
}

func (g *gated) Claim(ctx context.Context, l store.Lease, after int64, at store.Boundary) ([]store.Message, int64, error) {
	g.s.pass("claim " + string(l.Conversation))
	return g.Store.Claim(ctx, l, after, at)
}

func (g *gated) Park(ctx context.Context, l store.Lease) (int, error) {
	g.s.pass("park " + string(l.Conversation))
	return g.Store.Park(ctx, l)
}

func (g *gated) Drive(ctx context.Context, l store.Lease, driving bool) error {
	g.s.pass("drive " + string(l.Conversation))
	return g.Store.Drive(ctx, l, driving)
}

func (g *gated) Settle(ctx context.Context, l store.Lease, after int64, s store.Settlement) error {
	g.s.pass("settle " + string(l.Conversation))
	return g.Store.Settle(ctx, l, after, s)
}

func (g *gated) Pending(ctx context.Context, id store.ID) (store.Pending, error) {
	g.s.pass("pending " + string(id))
	return g.Store.Pending(ctx, id)
}

func (g *gated) Get(ctx context.Context, id store.ID) (store.Conversation, error) {
	g.s.pass("get " + string(id))
	return g.Store.Get(ctx, id)
}

func (g *gated) Waiting(ctx context.Context, id store.ID) ([]store.Message, error) {
	g.s.pass("waiting " + string(id))
	return g.Store.Waiting(ctx, id)
}

func (g *gated) Children(ctx context.Context, parent, after store.ID, limit int) ([]store.Conversation, error) {
	g.s.pass(fmt.Sprintf("children %s", parent))
	return g.Store.Children(ctx, parent, after, limit)
}

func (g *gated) Residents(ctx context.Context, below store.ID) ([]store.Conversation, error) {
	g.s.pass("residents " + string(below))
	return g.Store.Residents(ctx, below)
}

func (g *gated) Watch(changed func(store.ID)) (stop func()) {
	return g.Store.Watch(func(id store.ID) {
		g.s.pass("wake " + string(id))
		changed(id)
	})
}
