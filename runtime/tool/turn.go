package tool

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
)

// batch is the calls of one message.
type batch struct {
	ctx     context.Context
	pending int           // calls without a result; under the dispatcher's lock
	done    chan struct{} // closed when there are none
}

// turn is one call in a dispatcher. What follows fault is under the dispatcher's lock.
type turn struct {
	inv   Invocation
	d     *Dispatcher
	batch *batch
	res   CallResult
	fault error // of hooks

	begun   time.Time   // when it got its turn
	has     bool        // it has it: from here on hooks are told of its start and its finish
	settled bool        // it is decided where its result comes from
	holds   bool        // it counts for exclusivity
	timer   *time.Timer // ends what it holds when it is abandoned
}

func (t *turn) exclusive() bool { return !t.inv.tool.variant.Safe }

// read finds the call's tool and reads its arguments. The result is that of a call that is refused, else zero.
func (t *turn) read() (res CallResult) {
	inv, call := &t.inv, &t.inv.call
	inv.tool = t.d.scope.find(call.Name)
	repaired := false
	if inv.tool.mounted == nil && !t.d.set.strict {
		inv.tool = t.d.scope.find(bareName(call.Name))
		repaired = true
	}
	m := inv.tool.mounted
	if m == nil {
		res = call.failed(Unknown, t.d.scope.unknown(call.Name))
		res.Name = legalise(call.Name)
		return res
	}
	defer func() {
		if p := recover(); p != nil {
			res = m.failed(t.batch.ctx, *call, newPanicError(p), false) // the binding's own code
		}
	}()
	call.Name, call.options = m.name, m.options
	engine := m.tolerant
	if t.d.set.strict {
		engine = m.strict
	}
	args, report := decode.Decode(engine, string(call.Arguments), m.decode)
	if repaired {
		report.Repairs = append([]decode.Repair{{Code: RepairCallName}}, report.Repairs...)
	}
	inv.report = report
	if !report.OK() {
		return call.refused(report)
	}
	inv.args = args
	return CallResult{}
}

// enter lets calls wait for their turns, together.
func (d *Dispatcher) enter(b *batch, turns []*turn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	b.pending = len(turns)
	d.live += len(turns)
	d.queue = append(d.queue, turns...)
	d.advance()
}

// advance starts what may start: never a call before another one that came earlier.
func (d *Dispatcher) advance() {
	for len(d.queue) > 0 {
		t := d.queue[0]
		if t.exclusive() && d.busy > 0 || d.alone || !t.exclusive() && d.safe >= d.set.parallel {
			return
		}
		d.queue[0] = nil
		if d.queue = d.queue[1:]; len(d.queue) == 0 {
			d.queue = nil
		}
		t.holds, t.begun = true, time.Now()
		d.busy++
		if t.exclusive() {
			d.alone = true
		} else {
			d.safe++
		}
		go t.run()
	}
}

// withdraw takes out of the queue what still waits of a message that is cancelled.
func (d *Dispatcher) withdraw(b *batch) {
	d.mu.Lock()
	var kept, out []*turn
	for _, t := range d.queue {
		if t.batch == b {
			t.settled = true
			out = append(out, t)
		} else {
			kept = append(kept, t)
		}
	}
	d.queue = kept
	d.advance()
	d.mu.Unlock()
	for _, t := range out {
		t.settle(t.inv.tool.failed(b.ctx, t.inv.call, cancelled(b.ctx), false))
		t.finish(false)
	}
}

// run has a call's turn, on a goroutine of its own.
func (t *turn) run() {
	var res CallResult
	returned := false
	defer func() {
		if !returned {
			// Something outside of the handler panicked, or something ended the goroutine.
			err := errGoexit
			if p := recover(); p != nil {
				err = newPanicError(p)
			}
			res = t.inv.tool.failed(t.batch.ctx, t.inv.call, err, t.inv.Started())
		}
		t.end(res)
	}()
	res = t.carryOut(t.batch.ctx)
	returned = true
}

func (t *turn) carryOut(ctx context.Context) CallResult {
	m, inv := t.inv.tool, &t.inv
	if ctx.Err() != nil {
		return m.failed(ctx, inv.call, cancelled(ctx), false)
	}
	if !t.start() {
		return CallResult{}
	}
	for _, h := range t.d.set.hooks {
		if h.Start != nil {
			h.Start(ctx, inv)
		}
	}
	out, err := t.d.invoke(ctx, inv)
	if err != nil {
		return m.failed(ctx, inv.call, err, inv.Started())
	}
	res := m.finished(inv.call, out)
	res.Started = inv.Started()
	return res
}

// start notes that the call has its turn, unless it was abandoned before this goroutine had any.
func (t *turn) start() bool {
	t.d.mu.Lock()
	defer t.d.mu.Unlock()
	t.has = !t.settled
	return t.has
}

// begin notes that the handler is called, unless its call has a result already.
func (t *turn) begin() bool {
	t.d.mu.Lock()
	defer t.d.mu.Unlock()
	if t.settled {
		return false
	}
	t.inv.started.Store(true)
	return true
}

// end is the end of a call's goroutine.
func (t *turn) end(res CallResult) {
	t.d.mu.Lock()
	late := t.settled
	t.settled = true
	if late {
		t.timer.Stop()
		t.release()
	}
	t.d.mu.Unlock()
	if late {
		t.returned(res.Err)
		return
	}
	defer t.finish(true)
	t.settle(res)
}

// returned tells hooks of an abandoned handler that has returned after all.
func (t *turn) returned(err error) {
	d := t.d
	defer func() {
		if p := recover(); p != nil && d.set.logger != nil {
			d.set.logger.Error("tool: a hook panicked", "panic", p) // there is no result any more that could say so
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.lost--
		d.rest()
	}()
	for _, h := range d.set.hooks {
		if t.has && h.Returned != nil {
			h.Returned(t.batch.ctx, &t.inv, err)
		}
	}
}

// settle gives the call its result, and tells those who want to know.
func (t *turn) settle(res CallResult) {
	d, inv := t.d, &t.inv
	res.Arguments = inv.report
	if t.has {
		res.Duration = time.Since(t.begun)
	}
	if len(inv.report.Repairs) > 0 && inv.args != nil && !isObject(inv.call.Arguments) {
		res.stored = inv.Arguments()
	}
	t.res = res
	for _, f := range slices.Backward(inv.settle(&t.res)) {
		t.tell(func() { f(res) })
	}
	for _, h := range d.set.hooks {
		switch {
		case !t.has && h.Refused != nil:
			t.tell(func() { h.Refused(t.batch.ctx, inv, res) })
		case t.has && res.Abandoned && h.Abandoned != nil:
			t.tell(func() { h.Abandoned(t.batch.ctx, inv, res) })
		case t.has && !res.Abandoned && h.Finish != nil:
			t.tell(func() { h.Finish(t.batch.ctx, inv, res) })
		}
	}
	if d.set.logger != nil {
		t.tell(func() { d.log(t.batch.ctx, inv, res) })
	}
}

// tell calls a function that must not take the call's result away. Its panic becomes a part of Err.
func (t *turn) tell(f func()) {
	defer func() {
		if p := recover(); p != nil {
			t.fault = errors.Join(t.fault, newPanicError(p))
		}
	}()
	f()
}

// final is the result, once there is one.
func (t *turn) final() CallResult {
	res := t.res
	if t.fault != nil {
		res.Err = errors.Join(res.Err, t.fault)
	}
	return res
}

// abandon gives a call that still runs a result, and goes on without it.
func (t *turn) abandon(err error) {
	d := t.d
	d.mu.Lock()
	if t.settled {
		d.mu.Unlock()
		return
	}
	t.settled = true
	d.lost++
	if !t.exclusive() {
		d.safe-- // a handler that does not listen must not take the place of others
	}
	t.timer = time.AfterFunc(d.set.hold, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		t.release()
	})
	d.advance()
	d.mu.Unlock()
	defer t.finish(false)
	if !t.has {
		t.settle(t.inv.tool.failed(t.batch.ctx, t.inv.call, err, false)) // its goroutine was not even scheduled
		return
	}
	t.settle(t.inv.tool.abandoned(t.batch.ctx, t.inv.call, err, t.inv.Started()))
}

// release ends what a call holds. The dispatcher is locked.
func (t *turn) release() {
	if !t.holds {
		return
	}
	t.holds = false
	t.d.busy--
	if t.exclusive() {
		t.d.alone = false
	} else if t.timer == nil {
		t.d.safe--
	}
	t.d.advance()
}

// finish notes that a call has its result, and ends what it holds where its goroutine ends too.
func (t *turn) finish(release bool) {
	d := t.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if release {
		t.release()
	}
	if t.batch.pending--; t.batch.pending == 0 {
		close(t.batch.done)
	}
	d.live--
	d.rest()
}

// rest wakes those who wait for the dispatcher to have nothing to do. It is locked.
func (d *Dispatcher) rest() {
	if d.live+d.lost == 0 && d.idle != nil {
		close(d.idle)
		d.idle = nil
	}
}
