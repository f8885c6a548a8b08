package subagent

import (
	"context"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
)

// Ended returns when a job has ended. It is what the job tools wait by.
func (s *Service) Ended(ctx context.Context, id store.ID) error {
	if caller, ok := agent.CallerOf(ctx); ok {
		defer caller.Waits()()
	}
	for {
		if r := s.local(id); r != nil {
			select {
			case <-r.done:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			continue
		}
		c, err := s.cfg.Store.Get(ctx, id)
		if err != nil || !c.Resident {
			return err
		}
		change := s.change(c.Parent)
		if c, err = s.cfg.Store.Get(ctx, id); err != nil || !c.Resident {
			return err
		}
		select {
		case <-change:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
