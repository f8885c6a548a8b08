package subagent

import (
	"context"
	"errors"
	"fmt"
	"slices"

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
	// Whatever could be wrong with the child is found before it is promised the message, and a place is there for it: its own,
	// as long as it has one, else another, which is given back where it was not needed after all.
	var place *place
	defer func() { place.free() }()
	for sent := false; ; sent = true {
		c, err := s.addressee(ctx, caller, p, m.To)
		if err != nil && sent {
			return nil, unsure(m.To, err)
		} else if err != nil {
			return nil, err
		}
		if place == nil {
			place = s.keep(c.ID)
		}
		var o *outfit
		if !c.Resident {
			o, err = s.ready(ctx, c)
		}
		if err == nil && place == nil {
			place, err = s.reserve(ctx, p, c.Label)
		}
		if err == nil && !sent {
			if err = caller.Send(m); err != nil && !store.Refused(err) && !errors.Is(err, agent.ErrCallEnded) {
				err = fmt.Errorf("whether the message has reached %s is not known: %w", c.ID, err)
			}
			ctx = context.WithoutCancel(ctx) // whoever accepts a message brings it to its turn
		} else if err != nil && sent {
			err = kept(c.ID, err)
		}
		if err != nil {
			return nil, err
		}
		if o != nil {
			switch resumed, err := s.resume(caller, c, o, p, place); {
			case err != nil:
				return nil, kept(c.ID, err)
			case resumed:
				place = nil // it is the child's
				return agents.SendMessageResumed{ID: string(c.ID)}, nil
			}
		}
		// It was resident, or others have resumed it. Whoever has it cannot settle while the message waits; where it waits and
		// nobody has it, it came just after the end.
		c, driving, waits, err := s.arrived(ctx, caller, m)
		switch {
		case err != nil:
			return nil, unsure(m.To, err)
		case waits && c.Resident && driving:
			return agents.SendMessageQueued{ID: string(c.ID)}, nil
		case !waits || c.Resident:
			return agents.SendMessageDelivered{ID: string(c.ID)}, nil
		}
	}
}

// kept is the error for a message that has reached a child which could not be resumed, and unsure the one where not even that is
// known. A store that fails for longer than there is patience can bring either about; nothing else can, but for a child that
// becomes unreadable, or whose place is taken, between the message and its turn.
func kept(id store.ID, err error) error {
	return fmt.Errorf("%s has stopped, and could not be resumed; the message is kept for its next turn: %w", id, err)
}

func unsure(id store.ID, err error) error {
	return fmt.Errorf("the message has reached %s; whether it has begun a turn is not known: %w", id, err)
}

// addressee returns the conversation to which an agent may send, or an error that helps.
func (s *Service) addressee(ctx context.Context, caller *agent.Caller, p *resident, id store.ID) (c store.Conversation, err error) {
	err = caller.Insist(func(context.Context) (err error) {
		c, err = s.cfg.Store.Get(ctx, id)
		return err
	})
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

// ready makes what a child needs that is to be resumed.
func (s *Service) ready(ctx context.Context, c store.Conversation) (*outfit, error) {
	comp, problem := problemOf(c)
	if problem != "" {
		return nil, fmt.Errorf("%s cannot be resumed: its stored conversation is %s", c.ID, problem)
	}
	o, err := s.outfit(ctx, c.Kind, comp)
	if err != nil {
		return nil, err
	}
	if o.log, err = agent.Load(ctx, s.cfg.Store, c.ID, 0); err != nil {
		return nil, fmt.Errorf("%s cannot be resumed: %w", c.ID, err)
	}
	return o, nil
}

// resume makes a child resident again, in a place that is the child's from then on; it is false where somebody else was faster.
func (s *Service) resume(caller *agent.Caller, c store.Conversation, o *outfit, p *resident, place *place) (bool, error) {
	defer s.lock(c.ID)()
	lease, err := s.acquire(caller, c.ID)
	if errors.Is(err, store.ErrHeld) {
		return false, nil
	}
	if err != nil {
		if !store.Refused(err) {
			s.forsake(c.ID) // it may be resident
		}
		return false, err
	}
	if old := s.local(c.ID); old != nil {
		old.agent.Wake()
		<-old.done // it has settled: what the observer is told of one residency comes before the next one
	}
	_, err = s.spawn(c, lease, o, p, place, true)
	return err == nil, err
}

// arrived says how a conversation stands, and whether a message still waits for it after that: a turn that ran before is none that
// the message has begun.
func (s *Service) arrived(ctx context.Context, caller *agent.Caller, m store.Message) (c store.Conversation, driving, waits bool, err error) {
	err = caller.Insist(func(context.Context) (err error) {
		if c, err = s.cfg.Store.Get(ctx, m.To); err != nil {
			return err
		}
		driving = s.driving(c)
		waiting, err := s.cfg.Store.Waiting(ctx, m.To)
		waits = slices.ContainsFunc(waiting, func(w store.Message) bool { return w.ID == m.ID })
		return err
	})
	return c, driving, waits, err
}

// driving reports whether a turn of a resident conversation is in progress. Of the agents here it is known exactly.
func (s *Service) driving(c store.Conversation) bool {
	if r := s.local(c.ID); r != nil {
		return r.agent.Running()
	}
	return c.Driving
}
