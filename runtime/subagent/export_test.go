package subagent

import (
	"context"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// Adopt makes a child resident whose parent lives in another process.
func (s *Service) Adopt(ctx context.Context, id store.ID) error {
	c, err := s.cfg.Store.Get(ctx, id)
	if err != nil {
		return err
	}
	o, err := s.ready(ctx, c)
	if err != nil {
		return err
	}
	lease, err := s.cfg.Store.Acquire(ctx, s.cfg.Process, id)
	if err != nil {
		return err
	}
	_, err = s.spawn(c, lease, o, nil, nil, true)
	return err
}
