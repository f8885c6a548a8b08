package store

import "context"

// Walk calls fn for every descendant of a conversation in stable pre-order: a conversation before its children, children
// in the order in which they were created. The descendants of the empty id are all conversations. It ends early where fn returns false.
func Walk(ctx context.Context, s Store, root ID, fn func(Conversation) bool) error {
	_, err := walk(ctx, s, root, fn)
	return err
}

// page bounds how many children are read at once.
const page = 256

func walk(ctx context.Context, s Store, parent ID, fn func(Conversation) bool) (more bool, err error) {
	for after := ID(""); ; {
		children, err := s.Children(ctx, parent, after, page)
		if err != nil {
			return false, err
		}
		for _, c := range children {
			if !fn(c) {
				return false, nil
			}
			if more, err := walk(ctx, s, c.ID, fn); err != nil || !more {
				return false, err
			}
			after = c.ID
		}
		if len(children) < page {
			return true, nil
		}
	}
}
