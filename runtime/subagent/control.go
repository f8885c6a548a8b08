package subagent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// report carries out a call of `report`: a child tells its direct parent something.
func (s *Service) report(ctx context.Context, call tool.Call, args agents.ReportArgs) (agents.ReportResult, error) {
	caller, r, err := s.caller(ctx)
	if err != nil {
		return nil, err
	}
	if r.conv.Kind != store.Continuable {
		return nil, errors.New("there is nobody to report to: your answer is what you are asked for")
	}
	n := agents.ReportNotice{ID: string(r.conv.ID), Label: r.conv.Label, Output: capped(args.Output, s.cfg.NoticeBytes)}
	err = caller.Send(store.Message{
		ID: fmt.Sprintf("report/%s/%s", r.conv.ID, caller.Key(call.ID)), To: r.conv.Parent, Kind: store.FromChild, Lane: store.Step,
		Quiet: agents.ReportOptionsOf(call).ReportDelivery == agents.ReportReportDeliveryQuiet,
		Data:  agent.Content{Text: string(n.AppendText(nil)), Label: r.conv.Label}.Encode(),
	})
	if err != nil {
		return nil, err
	}
	return agents.ReportAccepted{}, nil
}

// interruptAgent carries out a call of `interrupt_agent`: an ancestor stops the current turn of an agent.
func (s *Service) interruptAgent(ctx context.Context, _ tool.Call, args agents.InterruptAgentArgs) (agents.InterruptAgentResult, error) {
	caller, p, err := s.caller(ctx)
	if err != nil {
		return nil, err
	}
	var c store.Conversation
	err = caller.Insist(func(context.Context) (err error) {
		if c, err = s.cfg.Store.Get(ctx, store.ID(args.AgentID)); err != nil {
			return err
		}
		below, err := s.below(ctx, c, p.conv.ID)
		if err == nil && !below {
			err = store.ErrUnknown
		}
		return err
	})
	if errors.Is(err, store.ErrUnknown) {
		return nil, s.unknown(ctx, p, args.AgentID, false)
	} else if err != nil {
		return nil, err
	}
	parked, stopped, err := s.interrupt(ctx, c)
	if err != nil {
		return nil, err
	}
	if !stopped {
		return agents.InterruptAgentNotRunning{ID: string(c.ID)}, nil
	}
	return agents.InterruptAgentInterrupted{ID: string(c.ID), Parked: int64(parked)}, nil
}

// Interrupt stops the turn in progress of an agent, in whichever process it lives, and parks what waits for it. Its children run
// on. stopped is false where there was no turn.
func (s *Service) Interrupt(ctx context.Context, id store.ID) (parked int, stopped bool, err error) {
	c, err := s.cfg.Store.Get(ctx, id)
	if err != nil {
		return 0, false, err
	}
	return s.interrupt(ctx, c)
}

func (s *Service) interrupt(ctx context.Context, c store.Conversation) (parked int, stopped bool, err error) {
	if r := s.local(c.ID); r != nil && (!c.Resident || r.agent.Activation() == c.Activation) {
		return r.agent.Interrupt(ctx)
	}
	return agent.InterruptElsewhere(ctx, s.cfg.Store, c.ID, cmp.Or(s.cfg.Settings.Patience, agent.DefaultPatience))
}

// below reports whether a conversation is a descendant of another one.
func (s *Service) below(ctx context.Context, c store.Conversation, top store.ID) (bool, error) {
	for c.Parent != "" {
		if c.Parent == top {
			return true, nil
		}
		var err error
		if c, err = s.cfg.Store.Get(ctx, c.Parent); err != nil {
			return false, err
		}
	}
	return false, nil
}

// maxNamed is how many ids an error lists.
const maxNamed = 20

// unknown is the error for an id that means nothing to an agent: it lists those that do. direct leaves out what its children
// have started, and what cannot be continued.
func (s *Service) unknown(ctx context.Context, p *resident, id string, direct bool) error {
	entries, err := s.list(ctx, p.conv.ID, !direct)
	if err != nil {
		return err
	}
	var names []string
	more := 0
	for _, e := range entries {
		switch {
		case e.Problem != "" || direct && e.Kind != store.Continuable:
		case len(names) < maxNamed:
			names = append(names, string(e.ID)+" — "+e.Label)
		default:
			more++
		}
	}
	if more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	whose := "subagents below you"
	if direct {
		whose = "subagents that you started and can continue"
	}
	if len(names) == 0 {
		return fmt.Errorf("%q is none of the %s: there are none", id, whose)
	}
	return fmt.Errorf("%q is none of the %s, which are: %s", id, whose, strings.Join(names, ", "))
}
