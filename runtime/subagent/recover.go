package subagent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
)

// beat says that the process lives, and looks for others that do not, until the service is closed.
func (s *Service) beat() {
	defer close(s.beating)
	if s.cfg.Heartbeat < 0 {
		return
	}
	ticker := time.NewTicker(s.cfg.Heartbeat)
	defer ticker.Stop()
	last := wall()
	for {
		// First comes the sign of life: a process that was paused must not find itself dead.
		err := s.cfg.Store.Heartbeat(s.ctx, s.cfg.Process)
		if err == nil {
			if now := wall(); now.Sub(last) > s.cfg.DeadAfter {
				s.wakeAll() // others may have found this process dead, and its agents have lost their leases
			}
			last = wall()
			err = s.Recover(s.ctx)
		}
		if err != nil && s.ctx.Err() == nil {
			s.problem(store.Conversation{}, err)
		}
		select {
		case <-ticker.C:
		case <-s.ctx.Done():
			return
		}
	}
}

// wall is the time as other processes see it: it goes on while this machine sleeps.
func wall() time.Time { return time.Now().Round(0) }

// wakeAll has every agent look at the store.
func (s *Service) wakeAll() {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, r := range s.residents {
		r.agent.Wake()
	}
}

// Recover ends the residencies of processes that have died: each settles as lost, with its notice, the leaves first. Of
// several processes that try, one does it. Nothing is revived: a notice wakes its recipient only where that is resident. One that
// is damaged so that it cannot be ended is in the error, and keeps no other.
func (s *Service) Recover(ctx context.Context) error {
	dead, err := s.cfg.Store.Dead(ctx, s.cfg.DeadAfter)
	if err != nil {
		return err
	}
	var failed []error
	for _, lease := range dead {
		err := s.lose(ctx, lease)
		switch {
		case errors.Is(err, store.ErrFenced) || errors.Is(err, store.ErrUnknown):
		case errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrUnsupported):
			failed = append(failed, fmt.Errorf("subagent: %s cannot be ended: %w", lease.Conversation, err))
		case err != nil:
			return errors.Join(append(failed, err)...)
		}
	}
	return errors.Join(failed...)
}

// lose ends one residency of a dead process.
func (s *Service) lose(ctx context.Context, lease store.Lease) error {
	c, err := s.cfg.Store.Get(ctx, lease.Conversation)
	if err != nil {
		return err
	}
	// What cannot be read of an inbox or a log keeps nobody from being told.
	waiting, err := s.cfg.Store.Waiting(ctx, c.ID)
	if err != nil && !errors.Is(err, store.ErrDamaged) {
		return err
	}
	end := agent.End{TurnEnd: agent.TurnEnd{Outcome: agent.Lost, Parked: len(waiting)}, Activation: lease.Activation}
	if h, err := agent.Load(ctx, s.cfg.Store, c.ID, 0); err == nil {
		end.Text, end.FailedTurns = h.Text, h.FailedTurns
	}
	settlement := store.Settlement{
		Outcome: string(agent.Lost), Text: end.Text, FailedTurns: end.FailedTurns, Parked: end.Parked, Activation: lease.Activation,
	}
	switch c.Kind {
	case store.Continuable:
		settlement.Notice = s.notice(c, end)
	case store.Job, store.Foreground:
		settlement.Text = output(end)
	}
	return s.cfg.Store.Lose(ctx, lease, settlement)
}
