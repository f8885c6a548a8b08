package scripted

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// Script is a model that plays a script. It is safe for concurrent use.
type Script struct {
	name     string
	sections []section

	mu     sync.Mutex
	acts   map[string]*act   // by conversation
	fences map[string]*fence // by name
	played []int             // for each section: the most blocks that an agent has played
	errs   []error
}

var _ agent.Model = (*Script)(nil)

// act is where one agent is in its section.
type act struct {
	section int
	next    int
	vars    map[string]string
}

// fence is what a model call waits at.
type fence struct{ open, reached chan struct{} }

func newScript(name string) *Script {
	return &Script{name: name, acts: map[string]*act{}, fences: map[string]*fence{}}
}

// UnexpectedError is a request that the script does not expect.
type UnexpectedError struct {
	Script string
	Line   int // of the script; 0 where there is none for the request
	Agent  agent.Identity
	What   string
}

// Error says which agent asked, and what was expected.
func (e *UnexpectedError) Error() string {
	at := e.Script
	if e.Line > 0 {
		at = fmt.Sprintf("%s:%d", at, e.Line)
	}
	return fmt.Sprintf("%s: the request of %s (label %q, depth %d) is not expected: %s", at, e.Agent.ID, e.Agent.Label, e.Agent.Depth, e.What)
}

// Release opens a fence.
func (s *Script) Release(name string) {
	f := s.fence(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	open(f.open)
}

// Held is closed when a call has come to a fence.
func (s *Script) Held(name string) <-chan struct{} { return s.fence(name).reached }

func (s *Script) fence(name string) *fence {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.fences[name]
	if f == nil {
		f = &fence{make(chan struct{}), make(chan struct{})}
		s.fences[name] = f
	}
	return f
}

// open closes a channel that may be closed already. The script is locked.
func open(ch chan struct{}) {
	select {
	case <-ch:
	default:
		close(ch)
	}
}

// Finish reports what was asked and not expected, and the blocks that nobody has played.
func (s *Script) Finish() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	errs := slices.Clone(s.errs)
	for i, sec := range s.sections {
		n := 0
		if i < len(s.played) {
			n = s.played[i]
		}
		if n < len(sec.blocks) {
			errs = append(errs, fmt.Errorf("%s:%d: nobody has played this block of %q", s.name, sec.blocks[n].line, sec.name))
		}
	}
	return errors.Join(errs...)
}

// Generate plays the next block of the agent's section.
func (s *Script) Generate(ctx context.Context, req *agent.Request, delta func(agent.Delta)) (*agent.Response, error) {
	a, b, err := s.next(req)
	if err != nil {
		return nil, err
	}
	p := player{script: s, req: req, act: a, delta: delta, res: &agent.Response{Stop: agent.StopEnd}}
	for _, d := range b.lines {
		if err := p.play(ctx, d); err != nil {
			var unexpected *UnexpectedError
			if errors.As(err, &unexpected) {
				s.mu.Lock()
				s.errs = append(s.errs, err)
				s.mu.Unlock()
			}
			return nil, err
		}
	}
	if len(p.res.Calls) > 0 && p.res.Stop == agent.StopEnd {
		p.res.Stop = agent.StopCalls
	}
	return p.res, nil
}

// next finds the block that a request plays.
func (s *Script) next(req *agent.Request) (*act, block, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	unexpected := func(what string) error {
		err := &UnexpectedError{Script: s.name, Agent: req.Agent, What: what + "; the last message is " + last(req)}
		s.errs = append(s.errs, err)
		return err
	}
	a := s.acts[string(req.Agent.ID)]
	if a == nil {
		i := slices.IndexFunc(s.sections, func(sec section) bool { return sec.fits(req.Agent) })
		if i < 0 {
			return nil, block{}, unexpected("no section is for it")
		}
		a = &act{section: i, vars: map[string]string{}}
		s.acts[string(req.Agent.ID)] = a
	}
	sec := s.sections[a.section]
	if a.next >= len(sec.blocks) {
		return nil, block{}, unexpected(fmt.Sprintf("its section %q has only %d blocks", sec.name, len(sec.blocks)))
	}
	a.next++
	for len(s.played) <= a.section {
		s.played = append(s.played, 0)
	}
	s.played[a.section] = max(s.played[a.section], a.next)
	return a, sec.blocks[a.next-1], nil
}

// last shows the last message of a request.
func last(req *agent.Request) string {
	if len(req.Messages) == 0 {
		return "missing"
	}
	m := req.Messages[len(req.Messages)-1]
	return fmt.Sprintf("of %s: %.200q", m.Author, m.Text)
}

// player plays one block.
type player struct {
	script *Script
	req    *agent.Request
	act    *act // one call at a time comes from a conversation
	delta  func(agent.Delta)
	res    *agent.Response
}

func (p *player) unexpected(d directive, format string, args ...any) error {
	return &UnexpectedError{Script: p.script.name, Line: d.line, Agent: p.req.Agent, What: fmt.Sprintf(format, args...)}
}

// fresh is what the agent got since its last answer.
func (p *player) fresh() []agent.Message {
	i := len(p.req.Messages)
	for i > 0 && p.req.Messages[i-1].Author != agent.Assistant {
		i--
	}
	return p.req.Messages[i:]
}

// show lists messages for an error.
func show(messages []agent.Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "\n\t%s: %.300q", m.Author, m.Text)
	}
	if b.Len() == 0 {
		return " nothing"
	}
	return b.String()
}

// play plays one line.
func (p *player) play(ctx context.Context, d directive) error {
	first, rest, _ := strings.Cut(d.arg, " ")
	switch d.word {
	case "expect", "refuse":
		text := strings.TrimSpace(p.fill(rest))
		who, _ := author(first)
		got := slices.ContainsFunc(p.fresh(), func(m agent.Message) bool { return m.Author == who && strings.Contains(m.Text, text) })
		if got != (d.word == "expect") {
			return p.unexpected(d, "%s %s %q; it got%s", d.word, first, text, show(p.fresh()))
		}
	case "tools", "no-tools":
		for _, name := range strings.Fields(d.arg) {
			got := slices.ContainsFunc(p.req.Tools, func(t tool.Definition) bool { return t.Name == name })
			if got != (d.word == "tools") {
				return p.unexpected(d, "%s %s", d.word, name)
			}
		}
	case "prompt", "no-prompt":
		if strings.Contains(p.req.System, d.arg) != (d.word == "prompt") {
			return p.unexpected(d, "%s %q; the system prompt is %q", d.word, d.arg, p.req.System)
		}
	case "let":
		return p.let(d, first)
	case "hold":
		return p.hold(ctx, d.arg)
	case "release":
		p.script.Release(d.arg)
	case "stall":
		<-ctx.Done()
		return context.Cause(ctx)
	case "fail":
		return errors.New(p.fill(d.arg))
	default:
		p.answer(d, first, rest)
	}
	return nil
}

// answer adds to the answer.
func (p *player) answer(d directive, first, rest string) {
	switch d.word {
	case "think":
		p.delta(agent.Delta{Thought: d.arg})
	case "say":
		text := p.fill(d.arg)
		if p.res.Text != "" {
			text = "\n" + text
		}
		for _, word := range strings.SplitAfter(text, " ") {
			p.delta(agent.Delta{Text: word})
		}
		p.res.Text += text
	case "call":
		c := agent.Call{ID: fmt.Sprintf("call_%d", len(p.res.Calls)+1), Name: first, Arguments: strings.TrimSpace(p.fill(rest))}
		p.delta(agent.Delta{Call: &agent.CallDelta{Index: len(p.res.Calls), ID: c.ID, Name: c.Name, Arguments: c.Arguments}})
		p.res.Calls = append(p.res.Calls, c)
	case "usage":
		var u agent.Usage
		_, _ = fmt.Sscanf(d.arg, "%d %d", &u.Input, &u.Output) // it was read when the script was
		p.res.Usage = u
	case "stop":
		p.res.Stop = agent.Stop(d.arg)
	}
}

// let finds a text in what the agent got.
func (p *player) let(d directive, name string) error {
	for _, m := range p.fresh() {
		if found := d.pattern.FindStringSubmatch(m.Text); found != nil {
			p.act.vars[name] = found[1]
			return nil
		}
	}
	return p.unexpected(d, "let %s finds nothing; it got%s", name, show(p.fresh()))
}

// hold waits at a fence.
func (p *player) hold(ctx context.Context, name string) error {
	f := p.script.fence(name)
	p.script.mu.Lock()
	open(f.reached)
	p.script.mu.Unlock()
	select {
	case <-f.open:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// fill puts in what let has found.
func (p *player) fill(text string) string {
	var pairs []string
	for name, value := range p.act.vars {
		pairs = append(pairs, "${"+name+"}", value)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
