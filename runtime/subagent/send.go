package subagent

import (
	"context"
	"errors"
	"fmt"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// sendMessage carries out a call of `send_message`.
func (s *Service) sendMessage(ctx context.Context, call tool.Call, args agents.SendMessageArgs) (agents.SendMessageResult, error) {
	caller, p, err := s.caller(ctx)
	if err != nil {
		return nil, err
	}
	m := store.Message{
		ID: fmt.Sprintf("sent/%s/%s", p.conv.ID, caller.Key(call.ID)), To: store.ID(args.SubagentID),
		Kind: store.FromParent, Lane: store.Turn, Data: agent.Content{Text: args.Message, Label: p.conv.Label}.Encode(),
	}
	for sent := false; ; {
		c, err := s.addressee(ctx, p, m.To)
		if err != nil {
			return nil, err
		}
		var o *outfit
		var place *place
		if !c.Resident {
			// Whatever could be wrong with the child is found before it is promised the message.
			if o, place, err = s.ready(ctx, p, c); err != nil && sent {
				return nil, fmt.Errorf("%s has just stopped, and could not be resumed; the message is kept for its next turn: %w", c.ID, err)
			} else if err != nil {
				return nil, err
			}
		}
		if !sent {
			if err := caller.Send(m); err != nil {
				place.free()
				return nil, err
			}
			sent = true
			ctx = context.WithoutCancel(ctx) // whoever accepts a message brings it to its turn
		}
		if o != nil {
			resumed, err := s.resume(caller, c, o, p, place)
			if err != nil {
				return nil, err
			}
			if resumed {
				return agents.SendMessageResumed{ID: string(c.ID)}, nil
			}
		}
		// It was resident, or others have resumed it. Whoever has it cannot settle while the message waits; where it waits and
		// nobody has it, it came just after the end.
		c, waits, err := s.arrived(ctx, m)
		switch {
		case err != nil:
			return nil, err
		case waits && c.Resident && s.driving(c):
			return agents.SendMessageQueued{ID: string(c.ID)}, nil
		case !waits || c.Resident:
			return agents.SendMessageDelivered{ID: string(c.ID)}, nil
		}
	}
}

// addressee returns the conversation to which an agent may send, or an error that helps.
func (s *Service) addressee(ctx context.Context, p *resident, id store.ID) (store.Conversation, error) {
	c, err := s.cfg.Store.Get(ctx, id)
	switch {
	case errors.Is(err, store.ErrUnknown) || err == nil && c.Parent != p.conv.ID:
		return c, s.unknown(ctx, p, string(id), true)
	case err != nil:
		return c, err
	case c.Kind == store.Job:
		return c, fmt.Errorf("%s is a job: it runs once and takes no messages", id)
	case c.Kind != store.Continuable:
		return c, fmt.Errorf("%s ran in the foreground: it cannot be continued", id)
	}
	return c, nil
}

// ready makes what a child needs that is to be resumed, and takes a place for it.
func (s *Service) ready(ctx context.Context, p *resident, c store.Conversation) (*outfit, *place, error) {
	comp, problem := problemOf(c)
	if problem != "" {
		return nil, nil, fmt.Errorf("%s cannot be resumed: its stored conversation is %s", c.ID, problem)
	}
	o, err := s.outfit(ctx, c.Kind, comp)
	if err != nil {
		return nil, nil, err
	}
	if o.log, err = agent.Load(ctx, s.cfg.Store, c.ID, 0); err != nil {
		return nil, nil, fmt.Errorf("%s cannot be resumed: %w", c.ID, err)
	}
	place, err := s.reserve(ctx, p, c.Label)
	return o, place, err
}

// resume makes a child resident again; it is false where somebody else was faster. The place is used or given back.
func (s *Service) resume(caller *agent.Caller, c store.Conversation, o *outfit, p *resident, place *place) (bool, error) {
	defer s.lock(c.ID)()
	lease, err := s.acquire(caller, c.ID)
	if err == nil {
		if old := s.local(c.ID); old != nil {
			<-old.done // it has settled: what the observer is told of one residency comes before the next one
		}
		_, err = s.spawn(c, lease, o, p, place, true)
	}
	if err != nil {
		place.free()
		if errors.Is(err, store.ErrHeld) {
			return false, nil
		}
	}
	return err == nil, err
}

// arrived says how a conversation stands, and whether a message still waits for it.
func (s *Service) arrived(ctx context.Context, m store.Message) (c store.Conversation, waits bool, err error) {
	waiting, err := s.cfg.Store.Waiting(ctx, m.To)
	if err != nil {
		return c, false, err
	}
	for _, w := range waiting {
		waits = waits || w.ID == m.ID
	}
	c, err = s.cfg.Store.Get(ctx, m.To)
	return c, waits, err
}

// driving reports whether a turn of a resident conversation is in progress. Of the agents here it is known exactly.
func (s *Service) driving(c store.Conversation) bool {
	if r := s.local(c.ID); r != nil {
		return r.agent.Running()
	}
	return c.Driving
}
