package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// explained says of an id that means nothing which one may have been meant.
func explained(ctx context.Context, s store.Store, id store.ID, err error) error {
	if !errors.Is(err, store.ErrUnknown) {
		return err
	}
	if n := near(ctx, s, id); len(n) > 0 {
		return fmt.Errorf("there is no conversation %q; did you mean %s?", id, strings.Join(n, ", "))
	}
	return fmt.Errorf("there is no conversation %q; `agentstore tree FILE` lists those that there are", id)
}

// maxNear is how many ids are named.
const maxNear = 5

// near are the ids that an id is a part of, or else those that are a slip or two away.
func near(ctx context.Context, s store.Store, id store.ID) []string {
	var parts, slips []string
	_ = store.Walk(ctx, s, "", func(c store.Conversation) bool { // what cannot be read was not meant
		switch {
		case strings.Contains(string(c.ID), string(id)):
			parts = append(parts, fmt.Sprintf("%q", c.ID))
		case distance(string(id), string(c.ID)) <= 2:
			slips = append(slips, fmt.Sprintf("%q", c.ID))
		}
		return len(parts) < maxNear
	})
	found := parts
	if len(found) == 0 {
		found = slips
	}
	return found[:min(len(found), maxNear)]
}

// distance counts the bytes that have to be added, removed or replaced; where that are many, it may say fewer, but more than two.
func distance(a, b string) int {
	if len(a)-len(b) > 2 || len(b)-len(a) > 2 {
		return 3
	}
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := slices.Clone(last)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, last[j]+cost)
		}
		last = row
	}
	return last[len(b)]
}
