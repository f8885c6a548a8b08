package subagent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// start carries out a call of `subagent`.
func (s *Service) start(ctx context.Context, d *Delegation, call tool.Call, args agents.SubagentArgs) (agents.SubagentResult, error) {
	caller, p, err := s.caller(ctx)
	if err != nil {
		return nil, err
	}
	if depth, most := p.conv.Depth+1, d.maxDepth(); depth > most {
		return nil, fmt.Errorf("do the task yourself: a subagent of yours would be at depth %d, and the limit is %d (%s)", depth, most, p.line())
	}
	kind := d.kindOf(args)
	r, err := s.child(ctx, caller, p, d, kind, call.ID, oneLine(args.Description), args.Prompt)
	if err != nil {
		return nil, err
	}
	switch kind {
	case store.Continuable:
		return agents.SubagentContinuable{ID: string(r.conv.ID), Label: r.conv.Label}, nil
	case store.Job:
		return agents.SubagentJob{ID: string(r.conv.ID), Label: r.conv.Label}, nil
	}
	return s.foreground(ctx, caller, r)
}

// line names an agent and those above it.
func (r *resident) line() string {
	var ids []string
	for ; r != nil; r = r.parent {
		ids = append(ids, string(r.conv.ID))
	}
	return "you are " + strings.Join(ids, ", started by ")
}

// starts reports whether a call of a tool starts a child.
func (s *Service) starts(name string) bool { return s.delegations[name] != nil }

// child makes a child of an agent and lets it run. Children of one message are made in the order of its calls, so that
// listings, ids and places do not depend on which goroutine was faster.
func (s *Service) child(ctx context.Context, caller *agent.Caller, p *resident, d *Delegation, kind store.Kind, call, label, prompt string) (*resident, error) {
	o, err := s.outfit(ctx, kind, s.childOf(p, d, kind, caller.Asked()))
	if err != nil {
		return nil, err
	}
	if err := caller.InOrder(ctx, call, s.starts); err != nil {
		return nil, err
	}
	defer caller.Passed(call)
	place, err := s.reserve(ctx, p, label)
	if err != nil {
		return nil, err
	}
	for {
		n := store.NewConversation{Kind: kind, Parent: p.conv.ID, Label: label, Composition: o.comp.encode()}
		n.ID = s.cfg.NewID(n)
		r, err := s.startChild(caller, p, place, o, call, n, prompt)
		if errors.Is(err, store.ErrExists) {
			continue // the id is taken
		}
		if err != nil {
			place.free()
		}
		return r, err
	}
}

// startChild makes the child in the store, and lets it run.
func (s *Service) startChild(caller *agent.Caller, p *resident, place *place, o *outfit, call string, n store.NewConversation, prompt string) (*resident, error) {
	defer s.lock(n.ID)()
	conv, lease, started, err := caller.Start(call, n, store.Message{
		ID: "prompt/" + string(n.ID), To: n.ID, From: p.conv.ID, Kind: store.FromParent, Lane: store.Turn, Activation: p.agent.Activation(),
		Data: agent.Content{Text: prompt, Label: p.conv.Label}.Encode(),
	})
	if err == nil && !started {
		// The step had happened when an attempt at it seemed to fail: the lease is ours.
		lease, err = s.acquire(caller, conv.ID)
	}
	if err != nil {
		if !store.Refused(err) {
			s.forsake(n.ID) // the child may be there
		}
		return nil, err
	}
	return s.spawn(conv, lease, o, p, place, false)
}

// acquire takes the lease of a conversation, for as long as the caller has patience. The conversation is locked.
func (s *Service) acquire(caller *agent.Caller, id store.ID) (lease store.Lease, err error) {
	err = caller.Insist(func(ctx context.Context) (err error) {
		lease, err = s.acquireOnce(ctx, id)
		return err
	})
	return lease, err
}

// acquireOnce takes the lease of a conversation, also one that an attempt before had got without knowing. The conversation is
// locked.
func (s *Service) acquireOnce(ctx context.Context, id store.ID) (store.Lease, error) {
	lease, err := s.cfg.Store.Acquire(ctx, s.cfg.Process, id)
	var held *store.HeldError
	if errors.As(err, &held) && held.Lease.Process == s.cfg.Process {
		if r := s.local(id); r == nil || r.agent.Activation() != held.Lease.Activation {
			return held.Lease, nil
		}
	}
	return lease, err
}

// lock keeps others from making a conversation resident, from before its lease is taken until its agent is there: so a lease
// of this process without an agent is one that nobody knows of.
func (s *Service) lock(id store.ID) (unlock func()) {
	for {
		s.mu.Lock()
		busy := s.opening[id]
		if busy == nil {
			ch := make(chan struct{})
			s.opening[id] = ch
			s.mu.Unlock()
			return func() {
				s.mu.Lock()
				delete(s.opening, id)
				s.mu.Unlock()
				close(ch)
			}
		}
		s.mu.Unlock()
		<-busy
	}
}

// foreground waits for a child, and returns its output as the call's result. When the call ends first, the child stops.
func (s *Service) foreground(ctx context.Context, caller *agent.Caller, r *resident) (agents.SubagentResult, error) {
	defer caller.Waits()()
	stop := context.AfterFunc(ctx, func() { r.cancel(context.Cause(ctx)) })
	defer stop()
	<-r.done
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if r.end.Outcome != agent.Completed {
		return nil, errors.New("the subagent gave no answer: " + output(r.end))
	}
	return agents.SubagentForeground{Output: r.end.Text}, nil
}

// output is what a one-shot child leaves: its last message, and in front of it what went wrong.
func output(end agent.End) string {
	if end.Outcome == agent.Completed {
		return end.Text
	}
	text := string(end.Outcome)
	if end.Reason != agent.NoReason {
		text += ", " + string(end.Reason)
	}
	if end.Text != "" {
		text += ". Its last message:\n" + end.Text
	}
	return text
}

// restore gives the result of a call that had started a child, when the process that waited for it has died.
func (s *Service) restore(ctx context.Context, child store.ID) (text string, isError, ok bool) {
	c, err := s.cfg.Store.Get(ctx, child)
	if err != nil {
		return "", false, false
	}
	switch c.Kind {
	case store.Continuable:
		return string(agents.SubagentContinuable{ID: string(c.ID), Label: c.Label}.AppendText(nil)), false, true
	case store.Job:
		return string(agents.SubagentJob{ID: string(c.ID), Label: c.Label}.AppendText(nil)), false, true
	case store.Foreground:
		if !c.Resident && c.Outcome == string(agent.Completed) {
			return string(agents.SubagentForeground{Output: c.Text}.AppendText(nil)), false, true
		}
		return "the subagent gave no answer: the process that ran it has ended", true, true
	}
	return "", false, false
}
