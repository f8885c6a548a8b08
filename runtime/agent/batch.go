package agent

import (
	"slices"
	"sync"

	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// batch is the calls of one message while they run.
type batch struct {
	asked int64 // the entry of the message
	turn  *turn

	mu    sync.Mutex
	calls []queued      // in the order of the message
	moved chan struct{} // closed when one of them has come further
}

// queued is how far a call has come.
type queued struct {
	id     string
	name   string // of its tool, once the call has begun
	passed bool   // nobody waits for it any more
}

func newBatch(asked int64, t *turn, calls []tool.Call) *batch {
	b := &batch{asked: asked, turn: t, calls: make([]queued, len(calls)), moved: make(chan struct{})}
	for i, c := range calls {
		b.calls[i].id = c.ID
	}
	return b
}

// ready reports whether a call has to wait for no earlier one, and else when to look again.
func (b *batch) ready(call string, of func(name string) bool) (moved <-chan struct{}, ready bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.calls {
		if c.id == call {
			break
		}
		// Of one that has not begun it is not known what it calls. It begins soon: calls get their turns in order.
		if !c.passed && (c.name == "" || of(c.name)) {
			return b.moved, false
		}
	}
	return nil, true
}

func (b *batch) began(call, name string) { b.move(call, func(q *queued) { q.name = name }) }

func (b *batch) passed(call string) { b.move(call, func(q *queued) { q.passed = true }) }

func (b *batch) move(call string, to func(*queued)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.IndexFunc(b.calls, func(q queued) bool { return q.id == call }); i >= 0 {
		to(&b.calls[i])
		close(b.moved)
		b.moved = make(chan struct{})
	}
}
