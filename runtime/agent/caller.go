package agent

import (
	"context"
	"errors"

	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// ErrCallEnded says that a handler acts for a call that has its result already: it was abandoned.
var ErrCallEnded = errors.New("agent: the call has ended")

// Caller is the agent whose call a handler carries out. Whatever the call leaves in the store goes through it, so that
// nothing comes from a call that has its result, or from an agent whose residency has ended.
type Caller struct {
	agent *Agent
	batch *batch
}

type callerKey struct{}

// CallerOf returns the agent whose call a handler's context belongs to; ok is false where no agent called.
func CallerOf(ctx context.Context) (c *Caller, ok bool) {
	c, ok = ctx.Value(callerKey{}).(*Caller)
	return c, ok
}

// Agent returns the agent.
func (c *Caller) Agent() *Agent { return c.agent }

// Key names a call of the agent for ever.
func (c *Caller) Key(call string) string { return key(c.batch.asked, call) }

// Asked is the log entry of the message that made the call.
func (c *Caller) Asked() int64 { return c.batch.asked }

// Start makes a child in the store, with its first message and its lease, and records in the log that the call did it.
// started is false where the call had done it before.
func (c *Caller) Start(call string, child store.NewConversation, first store.Message) (conv store.Conversation, lease store.Lease, started bool, err error) {
	err = c.act(func() error {
		a := c.agent
		if err := a.sure(a.set.Patience, nil); err != nil {
			return err
		}
		err := c.Insist(func(ctx context.Context) (err error) {
			conv, lease, started, err = a.store.Start(ctx, a.log.lease, a.log.last, c.Key(call), child, first)
			return err
		})
		switch {
		case err != nil:
			a.log.unsure = unknown(err)
		case started:
			a.log.last++
		default:
			a.log.unsure = true // an attempt that seemed to fail has written the log
		}
		return err
	})
	return conv, lease, started, err
}

// Send puts a message of the agent's on its way.
func (c *Caller) Send(m store.Message) error {
	m.From, m.Activation = c.agent.me.ID, c.agent.Activation()
	return c.act(func() error {
		return c.Insist(func(ctx context.Context) error { return c.agent.store.Send(ctx, m) })
	})
}

// Insist makes a step of the store until the store takes or refuses it, for as long as the agent has patience.
func (c *Caller) Insist(step func(context.Context) error) error {
	return c.agent.insist(c.agent.set.Patience, nil, step)
}

// InOrder returns when it is the call's turn among those of its message that of picks by their tools' names: each earlier
// one has its result, or has said by Passed that it is over what is done in order. It is the context's cause where that
// ends first.
func (c *Caller) InOrder(ctx context.Context, call string, of func(name string) bool) error {
	for {
		moved, ready := c.batch.ready(call, of)
		if ready {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Passed says that later calls need not wait for this one any more.
func (c *Caller) Passed(call string) { c.batch.passed(call) }

// Waits says that the call waits for another agent, until done is called: meanwhile the turn does not stall.
func (c *Caller) Waits() (done func()) { return c.batch.turn.dog.sleep() }

// act does something while the calls run.
func (c *Caller) act(f func() error) error {
	a := c.agent
	a.log.lock()
	defer a.log.unlock()
	if a.log.batch != c.batch {
		return ErrCallEnded
	}
	return f()
}

func (a *Agent) openBatch(t *turn, calls []tool.Call) *batch {
	a.log.lock()
	defer a.log.unlock()
	a.log.batch = newBatch(a.history.asked, t, calls)
	return a.log.batch
}

func (a *Agent) closeBatch() {
	a.log.lock()
	defer a.log.unlock()
	a.log.batch = nil
}
