package acp

import (
	"errors"
	"io"
	"sync"
	"time"
)

// errGone says that nothing can be sent any more.
var errGone = errors.New("acp: the connection has ended")

// outbox writes lines to the client, one after the other, from a goroutine of its own: so that whoever sends can be told to go
// on where the client does not read.
type outbox struct {
	w      io.Writer
	most   int         // how many bytes may wait, beside one line
	failed func(error) // called once, where the client cannot be written to
	done   chan struct{}

	mu      sync.Mutex
	changed sync.Cond
	lines   [][]byte
	size    int
	leaving bool // whoever finds no room is refused
	closed  bool
}

func newOutbox(w io.Writer, most int, failed func(error)) *outbox {
	o := &outbox{w: w, most: most, failed: failed, done: make(chan struct{})}
	o.changed.L = &o.mu
	go o.write()
	return o
}

// send puts a line on its way. It waits for room.
func (o *outbox) send(line []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.size >= o.most && !o.closed && !o.leaving {
		o.changed.Wait()
	}
	if o.closed || o.size >= o.most {
		return errGone
	}
	o.lines = append(o.lines, line)
	o.size += len(line)
	o.changed.Broadcast()
	return nil
}

func (o *outbox) write() {
	defer close(o.done)
	for {
		line := o.next()
		if line == nil {
			return
		}
		if _, err := o.w.Write(line); err != nil {
			o.mu.Lock()
			o.closed, o.lines, o.size = true, nil, 0
			o.changed.Broadcast()
			o.mu.Unlock()
			o.failed(err)
			return
		}
		o.mu.Lock()
		o.size -= len(line)
		o.changed.Broadcast()
		o.mu.Unlock()
	}
}

// next is nil when everything is written.
func (o *outbox) next() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.lines) == 0 && !o.closed {
		o.changed.Wait()
	}
	if len(o.lines) == 0 {
		return nil
	}
	line := o.lines[0]
	o.lines = o.lines[1:]
	return line
}

// hurry lets nobody wait for room any more.
func (o *outbox) hurry() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.leaving = true
	o.changed.Broadcast()
}

// close writes what is there, for at most so long. A client that does not read leaves the goroutine behind, in its write.
func (o *outbox) close(atMost time.Duration) {
	o.mu.Lock()
	o.closed = true
	o.changed.Broadcast()
	o.mu.Unlock()
	t := time.NewTimer(atMost)
	defer t.Stop()
	select {
	case <-o.done:
	case <-t.C:
	}
}
