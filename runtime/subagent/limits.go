package subagent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// LimitError says that there is no place for another agent, and who holds the places.
type LimitError struct {
	Limit   int
	Of      string     // what is limited
	Holders []store.ID // who holds the places
	names   []string   // the same with their labels
	parent  *resident  // whose children are limited; nil for a whole tree
}

// maxHolders is how many holders an error names.
const maxHolders = 10

// Error names the limit and the holders.
func (e *LimitError) Error() string {
	names := e.names
	if len(names) > maxHolders {
		names = append(slices.Clone(names[:maxHolders]), fmt.Sprintf("and %d more", len(e.names)-maxHolders))
	}
	return fmt.Sprintf("no other subagent can run now: the limit is %d %s, and the places are held by %s. A place becomes free when one of them has finished.",
		e.Limit, e.Of, strings.Join(names, ", "))
}

// errStopped is for a child that would be attached to an agent that is being stopped.
var errStopped = errors.New("nothing can be started any more: this agent is being stopped")

// place is the right to be resident. Roots need none.
type place struct {
	s    *Service
	of   *resident // the parent
	once sync.Once
}

// free gives the place back; the second time it does nothing.
func (p *place) free() {
	if p == nil {
		return
	}
	p.once.Do(func() {
		p.s.mu.Lock()
		defer p.s.mu.Unlock()
		p.of.children--
		p.of.root.below--
	})
}

// reserve takes a place for a child of an agent.
func (s *Service) reserve(ctx context.Context, p *resident) (*place, error) {
	select {
	case s.limits <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-s.limits }()
	for {
		full, err := s.tryReserve(p)
		if err != nil {
			return nil, err
		}
		if full == nil {
			return &place{s: s, of: p}, nil
		}
		// An agent gives its place back a moment after it has settled. Who was told of that must find the place free.
		leaving, err := s.leaving(ctx, p, full)
		if err != nil {
			return nil, err
		}
		if leaving == nil {
			return nil, full
		}
		select {
		case <-leaving.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// tryReserve takes a place, or says which limit leaves none.
func (s *Service) tryReserve(p *resident) (full *LimitError, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	limits := s.cfg.Limits
	switch {
	case s.closed || p.ctx.Err() != nil:
		return nil, errStopped
	case limits.Children > 0 && p.children >= limits.Children:
		return &LimitError{Limit: limits.Children, Of: "resident subagents of one agent", parent: p}, nil
	case limits.Total > 0 && p.root.below >= limits.Total:
		return &LimitError{Limit: limits.Total, Of: "resident subagents in all"}, nil
	}
	p.children++
	p.root.below++
	return nil, nil
}

// leaving returns an agent that holds one of the limited places and has settled, or fills in who holds them.
func (s *Service) leaving(ctx context.Context, p *resident, full *LimitError) (*resident, error) {
	stored, err := s.cfg.Store.Residents(ctx, p.root.conv.ID)
	if err != nil {
		return nil, err
	}
	live := make(map[store.ID]bool, len(stored))
	for _, c := range stored {
		live[c.ID] = true
	}
	var holders []*resident
	s.mu.RLock()
	defer s.mu.RUnlock()
	for id, r := range s.residents {
		switch {
		case r.root != p.root || r.parent == nil || full.parent != nil && r.parent != full.parent:
		case !live[id]:
			return r, nil
		default:
			holders = append(holders, r)
		}
	}
	slices.SortFunc(holders, func(a, b *resident) int {
		return cmp.Or(a.conv.Created.Compare(b.conv.Created), cmp.Compare(a.conv.ID, b.conv.ID))
	})
	for _, r := range holders {
		full.Holders = append(full.Holders, r.conv.ID)
		full.names = append(full.names, string(r.conv.ID)+" — "+r.conv.Label)
	}
	return nil, nil
}
