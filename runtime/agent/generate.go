package agent

import (
	"errors"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

// answer is what a call of the model came to.
type answer struct {
	res *Response
	err error
}

// stream gathers the pieces of an answer, until the turn goes on without it.
type stream struct {
	mu     sync.Mutex
	text   strings.Builder
	closed bool
}

// errNoAnswer is for a model that returns neither an answer nor an error, or ends its goroutine.
var errNoAnswer = errors.New("agent: the model returned no response")

// generate calls the model. When the turn's context has ended it gives the model a while to return, and then goes on
// without it. partial is the text that came of an answer that did not.
func (a *Agent) generate(t *turn) (res *Response, partial string, err error) {
	req := &Request{
		Agent: a.me, Model: a.cfg.ModelName, System: a.cfg.View.system, Tools: a.cfg.View.tools, Messages: a.messages(),
	}
	s := &stream{}
	answers := make(chan answer, 1)
	a.wandering.Add(1)
	go func() {
		ans := answer{err: errNoAnswer}
		defer func() {
			if v := recover(); v != nil {
				ans = answer{err: &PanicError{Value: v, Stack: debug.Stack()}}
			}
			a.wandering.Add(-1)
			answers <- ans
		}()
		ans.res, ans.err = a.cfg.Model.Generate(t.ctx, req, func(d Delta) { a.piece(t, s, d) })
		if ans.res == nil && ans.err == nil {
			ans.err = errNoAnswer
		}
	}()
	ans, ok := await(t, answers, a.set.Grace)
	partial = s.end()
	if !ok {
		return nil, partial, errors.New("agent: the model did not return when its context had ended")
	}
	t.dog.pat()
	return ans.res, partial, ans.err
}

// await waits for an answer, for as long as the turn's context and then the grace last.
func await(t *turn, answers <-chan answer, grace time.Duration) (ans answer, ok bool) {
	select {
	case ans = <-answers:
		return ans, true
	case <-t.ctx.Done():
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case ans = <-answers:
		return ans, true
	case <-timer.C:
		return ans, false
	}
}

// piece takes a piece of the answer.
func (a *Agent) piece(t *turn, s *stream, d Delta) {
	t.dog.pat()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.text.WriteString(d.Text)
		a.observer.delta(a.me, d)
	}
}

func (s *stream) end() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return s.text.String()
}

// messages is what the model is shown. It is a new slice where the conversation starts with another one's messages, or where
// something is left out; else the history itself, which only grows.
func (a *Agent) messages() []Message {
	own := a.history.Messages[:len(a.history.Messages):len(a.history.Messages)]
	if before := a.cfg.Before; len(before) > 0 {
		own = append(before[:len(before):len(before)], own...)
	}
	return fitting(own, a.set.TogetherBytes)
}
