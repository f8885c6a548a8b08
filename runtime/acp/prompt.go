package acp

import (
	"context"
	"errors"
	"fmt"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
)

// prompt is one that the client waits for.
type prompt struct {
	id, text string
	after    <-chan struct{} // closed when it may be sent: the one before was
	previous *prompt         // it is answered first
	sent     chan struct{}   // closed when it was sent, or never will be
	once     sync.Once       // closes sent
	done     chan struct{}   // closed when it is answered

	// Under the session's mutex.
	cancelled bool
	decided   bool // the answer is known
}

func (p *prompt) out() { p.once.Do(func() { close(p.sent) }) }

// admit gives a prompt its place in the order. Requests are admitted in the order in which they come.
func (s *session) admit(text string) (*prompt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.prompts) >= s.conn.limits.Prompts {
		return nil, sdk.NewInternalError(because(fmt.Sprintf("%d prompts of the session wait for their answers", len(s.prompts))))
	}
	p := &prompt{id: subagent.NewMessageID(), text: text, after: s.gate, previous: s.last, sent: make(chan struct{}), done: make(chan struct{})}
	s.gate, s.last = p.sent, p
	s.prompts[p.id] = p
	s.ours[p.id] = true
	return p, nil
}

// prompt sends a prompt, and returns how the turn ended that it began. Prompts are answered in their order.
func (s *session) prompt(ctx context.Context, p *prompt) (sdk.StopReason, error) {
	reason, err := s.result(ctx, p)
	if p.previous != nil {
		<-p.previous.done
		p.previous = nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p.decided = true
	return reason, err
}

func (s *session) result(ctx context.Context, p *prompt) (sdk.StopReason, error) {
	defer p.out()
	if err := s.opened(ctx); err != nil {
		return "", err
	}
	select {
	case <-p.after:
	case <-ctx.Done():
		return sdk.StopReasonCancelled, nil
	}
	wait, err := s.root.Queue(ctx, p.id, p.text)
	p.out()
	var c agent.Claimed
	if err == nil {
		c, err = wait(context.WithoutCancel(ctx)) // the root ends with the connection
	}
	switch {
	case errors.Is(err, agent.ErrStopped) && s.ending():
		return sdk.StopReasonCancelled, nil
	case errors.Is(err, agent.ErrStopped):
		return "", sdk.NewInternalError(because("the session has ended; load it again"))
	case err != nil:
		return "", err
	case c.Parked || s.wasCancelled(p) && c.End.Outcome != agent.Completed:
		return sdk.StopReasonCancelled, nil
	}
	reason, failure := stopReason(c.End)
	if failure != nil {
		return "", failure
	}
	return reason, nil
}

func (s *session) wasCancelled(p *prompt) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return p.cancelled
}

// answered is called when the answer to a prompt is on its way.
func (s *session) answered(p *prompt) {
	s.mu.Lock()
	delete(s.prompts, p.id)
	s.mu.Unlock()
	close(p.done)
}

// cancelling is a cancel that is being carried out.
type cancelling struct {
	done  chan struct{} // closed when it is
	began bool          // it interrupts; under the session's mutex
}

// cancel ends the turn that runs, and every prompt that waits. It returns at once; prompts that come later wait until it is done.
// One that follows another, with no prompt between them, is the same as long as that has not begun: so a session has at most two
// more of them than prompts.
func (s *session) cancel() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.cancels; c != nil && !c.began && s.gate == c.done {
		return
	}
	var waiting []*prompt
	for _, p := range s.prompts {
		p.cancelled = true
		waiting = append(waiting, p)
	}
	before, c := s.gate, &cancelling{done: make(chan struct{})}
	s.gate, s.cancels = c.done, c
	s.conn.wire.goOn(func() {
		defer close(c.done)
		<-before // what waits is in the inbox: it is parked
		s.mu.Lock()
		c.began = true
		s.mu.Unlock()
		s.interrupt(waiting)
	})
}

// interrupt interrupts the root until prompts are answered: one that is in the inbox may begin its turn only after the first
// attempt.
func (s *session) interrupt(waiting []*prompt) {
	ctx := s.conn.wire.ctx
	if s.opened(ctx) != nil {
		return
	}
	for {
		s.mu.Lock()
		began := s.began
		s.mu.Unlock()
		if len(waiting) > 0 && allDone(waiting) {
			return
		}
		if _, _, err := s.root.Interrupt(ctx); err != nil {
			return
		}
		again := false
		for _, p := range waiting {
			select {
			case <-p.done:
				continue
			case <-began:
				again = true
			case <-ctx.Done():
			}
			break
		}
		if !again {
			return
		}
	}
}

func allDone(prompts []*prompt) bool {
	for _, p := range prompts {
		select {
		case <-p.done:
		default:
			return false
		}
	}
	return true
}

// ending reports whether the session is being closed.
func (s *session) ending() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closing
}
