package subagent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// LimitError says that there is no place for another agent, and who holds the places.
type LimitError struct {
	Limit   int
	Of      string   // what is limited
	Holders []string // who holds the places, oldest first: id and label
}

// maxHolders is how many holders an error names.
const maxHolders = 10

// Error names the limit and the holders.
func (e *LimitError) Error() string {
	names := e.Holders
	if len(names) > maxHolders {
		names = append(slices.Clone(names[:maxHolders]), fmt.Sprintf("and %d more", len(names)-maxHolders))
	}
	return fmt.Sprintf("no other subagent can run now: the limit is %d %s, and the places are held by %s. A place becomes free when one of them has finished.",
		e.Limit, e.Of, strings.Join(names, ", "))
}

// errStopped is for a child that would be attached to an agent that is being stopped.
var errStopped = errors.New("nothing can be started any more: this agent is being stopped")

// place is the right to be resident. Roots need none.
type place struct {
	s     *Service
	of    *resident // the parent
	label string    // of who holds it
	n     int       // the order in which places were taken

	// Under the service's mutex.
	held int       // by whom it has to be freed: the agent, and who sends it a message
	by   *resident // who has it, once it is resident
}

// free gives the place back, once everyone has who holds it.
func (p *place) free() {
	if p == nil {
		return
	}
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.drop()
}

func (p *place) drop() {
	if p.held--; p.held == 0 {
		p.of.children--
		delete(p.of.root.places, p)
	}
}

// leave is free for the agent that had the place.
func (p *place) leave() {
	if p == nil {
		return
	}
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.by = nil
	p.drop()
}

// keep holds the place of an agent that is resident here, so that it can be resumed in it if it settles meanwhile. It is nil
// where the agent has given it back.
func (s *Service) keep(id store.ID) *place {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.residents[id]
	if r == nil || r.place == nil || r.place.held == 0 {
		return nil
	}
	r.place.held++
	return r.place
}

// holder names who holds the place.
func (p *place) holder() string {
	if p.by == nil {
		return "one that is starting — " + p.label
	}
	return string(p.by.conv.ID) + " — " + p.label
}

// reserve takes a place for a child of an agent.
func (s *Service) reserve(ctx context.Context, p *resident, label string) (*place, error) {
	select {
	case s.limits <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-s.limits }()
	for {
		taken, full, err := s.tryReserve(p, label)
		if full == nil {
			return taken, err
		}
		// An agent gives its place back a moment after it has settled. Who was told of that must find the place free.
		leaving, err := s.leaving(ctx, p, full)
		if err != nil {
			return nil, err
		}
		if leaving == nil && len(full.Holders) < full.Limit {
			continue // a place has become free since
		}
		if leaving == nil {
			return nil, full
		}
		leaving.agent.Wake() // one that has lost its lease may not know
		select {
		case <-leaving.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// tryReserve takes a place, or says which limit leaves none.
func (s *Service) tryReserve(p *resident, label string) (*place, *LimitError, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	limits := s.cfg.Limits
	switch {
	case s.closed || p.ctx.Err() != nil:
		return nil, nil, errStopped
	case limits.Children > 0 && p.children >= limits.Children:
		return nil, &LimitError{Limit: limits.Children, Of: ofOne}, nil
	case limits.Total > 0 && len(p.root.places) >= limits.Total:
		return nil, &LimitError{Limit: limits.Total, Of: ofAll}, nil
	}
	s.taken++
	taken := &place{s: s, of: p, label: label, n: s.taken, held: 1}
	p.children++
	p.root.places[taken] = true
	return taken, nil, nil
}

// leaving returns an agent that holds one of the limited places and has settled, or fills in who holds them. Only an agent that
// was resident before the store was asked can have settled: one that becomes resident meanwhile is in no answer either, and whoever
// waited for its end, while others wait for a place, would wait for ever.
func (s *Service) leaving(ctx context.Context, p *resident, full *LimitError) (*resident, error) {
	before := s.limited(p, full)
	stored, err := s.cfg.Store.Residents(ctx, p.root.conv.ID)
	if err != nil {
		return nil, err
	}
	live := make(map[store.ID]bool, len(stored))
	for _, c := range stored {
		live[c.ID] = true
	}
	for _, r := range before {
		if r != nil && !live[r.conv.ID] {
			return r, nil
		}
	}
	holders := slices.SortedFunc(maps.Keys(before), func(a, b *place) int { return cmp.Compare(a.n, b.n) })
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, x := range holders {
		full.Holders = append(full.Holders, x.holder())
	}
	return nil, nil
}

// limited returns the places that a limit counts, with who has them.
func (s *Service) limited(p *resident, full *LimitError) map[*place]*resident {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := map[*place]*resident{}
	for x := range p.root.places {
		if full.Of != ofOne || x.of == p {
			out[x] = x.by
		}
	}
	return out
}

// What limits are of.
const (
	ofOne = "resident subagents of one agent"
	ofAll = "resident subagents in all"
)
