package memory

import (
	"cmp"
	"context"
	"slices"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// Pending says what keeps a conversation.
func (s *Store) Pending(ctx context.Context, id store.ID) (store.Pending, error) {
	c, err := s.find(ctx, id)
	if err != nil {
		return store.Pending{}, err
	}
	defer s.mu.Unlock()
	return c.pending(), nil
}

// Get returns one conversation.
func (s *Store) Get(ctx context.Context, id store.ID) (store.Conversation, error) {
	c, err := s.find(ctx, id)
	if err != nil {
		return store.Conversation{}, err
	}
	defer s.mu.Unlock()
	return c.entry(), nil
}

// entry is a copy for a caller.
func (c *conversation) entry() store.Conversation {
	e := c.Conversation
	e.Composition = clone(e.Composition)
	return e
}

// Children lists children, or roots.
func (s *Store) Children(ctx context.Context, parent, after store.ID, limit int) ([]store.Conversation, error) {
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	children := s.roots
	if parent != "" {
		c := s.all[parent]
		if c == nil {
			return nil, store.ErrUnknown
		}
		children = c.children
	}
	if after != "" {
		number, gone := s.gone[after]
		if c := s.all[after]; c != nil {
			number = c.number
		} else if !gone {
			return nil, store.ErrUnknown
		}
		i, _ := slices.BinarySearchFunc(children, number+1, func(c *conversation, n int) int { return cmp.Compare(c.number, n) })
		children = children[i:]
	}
	var out []store.Conversation
	for _, c := range first(children, limit) {
		out = append(out, c.entry())
	}
	return out, nil
}

// Residents lists the resident descendants.
func (s *Store) Residents(ctx context.Context, below store.ID) ([]store.Conversation, error) {
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	top := s.all[below]
	if below != "" && top == nil {
		return nil, store.ErrUnknown
	}
	var out []store.Conversation
	for c := range s.residents {
		if top == nil || c.below(top) {
			out = append(out, c.entry())
		}
	}
	return out, nil
}

func (c *conversation) below(top *conversation) bool {
	for p := c.parent; p != nil; p = p.parent {
		if p == top {
			return true
		}
	}
	return false
}

// Log reads entries.
func (s *Store) Log(ctx context.Context, id store.ID, after int64, limit int) ([]store.Entry, error) {
	c, err := s.find(ctx, id)
	if err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	out := slices.Clone(first(c.log[min(max(after, 0), c.last()):], limit))
	for i := range out {
		out[i].Data = clone(out[i].Data)
	}
	return out, nil
}

// Waiting lists what has not been claimed.
func (s *Store) Waiting(ctx context.Context, id store.ID) ([]store.Message, error) {
	c, err := s.find(ctx, id)
	if err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	out, _ := store.Order(c.inbox, store.AtTurn)
	for i := range out {
		out[i].Data = clone(out[i].Data)
	}
	return out, nil
}

// tree adds a conversation and its descendants to a list.
func (c *conversation) tree(list []*conversation) []*conversation {
	list = append(list, c)
	for _, child := range c.children {
		list = child.tree(list)
	}
	return list
}

// leavesFirst gives the leases of conversations, the deepest ones first.
func leavesFirst(list []*conversation) []store.Lease {
	slices.SortFunc(list, func(a, b *conversation) int {
		return cmp.Or(cmp.Compare(b.Depth, a.Depth), cmp.Compare(a.number, b.number))
	})
	var out []store.Lease
	for _, c := range list {
		out = append(out, c.lease())
	}
	return out
}

func without(list []*conversation, c *conversation) []*conversation {
	return slices.DeleteFunc(list, func(o *conversation) bool { return o == c })
}

// first is a list of at most limit; 0 is no limit.
func first[T any](list []T, limit int) []T {
	if limit > 0 && len(list) > limit {
		return list[:limit]
	}
	return list
}
