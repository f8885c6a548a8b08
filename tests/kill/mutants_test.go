//go:build unix

package kill

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// A mutant is a process whose way to the store has one fault, by name, and what the checker has to say of it.
var mutants = map[string]struct {
	make  func(store.Store, *life) store.Store
	found string
}{
	"no notice of those who are lost":        {func(s store.Store, _ *life) store.Store { return silentLoss{s} }, "had 0 notices of"},
	"deliveries are replayed":                {func(s store.Store, _ *life) store.Store { return replay{s} }, "which nobody has sent"},
	"the lost are revived":                   {func(s store.Store, l *life) store.Store { return revival{s, l.name} }, "was revived after Activation"},
	"what waits wakes the root":              {func(s store.Store, _ *life) store.Store { return unparked{s} }, "before anybody had started a turn"},
	"starts are forgotten":                   {func(s store.Store, _ *life) store.Store { return forgetful{s} }, "and the call's result is"},
	"calls come before their log":            {func(s store.Store, _ *life) store.Store { return &late{Store: s, held: map[store.ID]held{}} }, "is in no log"},
	"parents are lost before their children": {func(s store.Store, _ *life) store.Store { return rootsFirst{s} }, "before its child"},
	"calls are carried out again":            {func(s store.Store, l *life) store.Store { return again{s, l} }, "was carried out twice"},
	"reports come after the notice":          {func(s store.Store, _ *life) store.Store { return &lateReports{Store: s} }, "behind the notice of"},
	"messages of users are dropped":          {func(s store.Store, _ *life) store.Store { return deaf{s} }, "was accepted, and is nowhere"},
	"the lost have completed":                {func(s store.Store, _ *life) store.Store { return glossed{s} }, "and its process was dead"},
	"leases are handed on":                   {func(s store.Store, _ *life) store.Store { return inherited{s} }, "has not ended, and its process is dead"},
	"the lost are deleted":                   {func(s store.Store, _ *life) store.Store { return tidy{s} }, "is gone"},
}

func mutate(s store.Store, l *life) (store.Store, error) {
	if l.Mutant == "" {
		return s, nil
	}
	m, ok := mutants[l.Mutant]
	if !ok {
		return nil, fmt.Errorf("no mutant %q", l.Mutant)
	}
	return m.make(s, l), nil
}

// TestMutants: each fault is found, within a few trees.
func TestMutants(t *testing.T) {
	const trees = 30
	for name, m := range mutants {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s sums
			seed := rand.Uint64() >> 1
			var all faults
			for i := range uint64(trees) {
				found := killed(t, orders{Dir: t.TempDir(), Seed: seed + i, Root: "root", Mutant: name}, &s)
				all = append(all, found...)
				if slices.ContainsFunc(found, func(f string) bool { return strings.Contains(f, m.found) }) {
					return
				}
			}
			t.Errorf("in %d trees from KILL_SEED=%d on, nobody found that %s; what was found: %q", trees, seed, name, all)
		})
	}
}

type silentLoss struct{ store.Store }

func (s silentLoss) Lose(ctx context.Context, l store.Lease, end store.Settlement) error {
	end.Notice = nil
	return s.Store.Lose(ctx, l, end)
}

type replay struct{ store.Store }

func (s replay) Claim(ctx context.Context, l store.Lease, after int64, at store.Boundary) ([]store.Message, int64, error) {
	got, last, err := s.Store.Claim(ctx, l, after, at)
	for _, m := range got {
		if m.Kind == store.FromParent && !strings.HasSuffix(m.ID, "again") {
			m.ID, m.Activation = m.ID+"again", 0
			_ = s.Send(ctx, m)
		}
	}
	return got, last, err
}

type revival struct {
	store.Store
	process string
}

func (s revival) Lose(ctx context.Context, l store.Lease, end store.Settlement) error {
	err := s.Store.Lose(ctx, l, end)
	if end.Notice != nil && err == nil {
		_, err = s.Acquire(ctx, s.process, l.Conversation)
	}
	return err
}

type unparked struct{ store.Store }

func (s unparked) Park(context.Context, store.Lease) (int, error) { return 0, nil }

type forgetful struct{ store.Store }

func (s forgetful) Log(ctx context.Context, id store.ID, after int64, limit int) ([]store.Entry, error) {
	log, err := s.Store.Log(ctx, id, after, 0)
	return slices.DeleteFunc(log, func(e store.Entry) bool { return e.Kind == store.EntryStarted }), err
}

// late keeps what is appended of an answer until the conversation's next step.
type late struct {
	store.Store
	mu   sync.Mutex
	held map[store.ID]held
}

type held struct {
	lease   store.Lease
	after   int64
	entries []store.Entry
}

func (s *late) flush(ctx context.Context, id store.ID) error {
	s.mu.Lock()
	h, some := s.held[id]
	delete(s.held, id)
	s.mu.Unlock()
	if !some {
		return nil
	}
	_, err := s.Store.Append(ctx, h.lease, h.after, h.entries...)
	return err
}

func (s *late) Append(ctx context.Context, l store.Lease, after int64, entries ...store.Entry) (int64, error) {
	if entries[0].Kind == "assistant" && len(entries) == 1 {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.held[l.Conversation] = held{l, after, entries}
		return after + 1, nil
	}
	if err := s.flush(ctx, l.Conversation); err != nil {
		return 0, err
	}
	return s.Store.Append(ctx, l, after, entries...)
}

func (s *late) Start(ctx context.Context, l store.Lease, after int64, call string, c store.NewConversation, m store.Message) (store.Conversation, store.Lease, bool, error) {
	if err := s.flush(ctx, l.Conversation); err != nil {
		return store.Conversation{}, store.Lease{}, false, err
	}
	return s.Store.Start(ctx, l, after, call, c, m)
}

type rootsFirst struct{ store.Store }

func (s rootsFirst) Dead(ctx context.Context, bound time.Duration) ([]store.Lease, error) {
	list, err := s.Store.Dead(ctx, bound)
	slices.Reverse(list)
	return list, err
}

// again carries out the calls without a result when a root is opened.
type again struct {
	store.Store
	l *life
}

func (s again) Acquire(ctx context.Context, process string, id store.ID) (store.Lease, error) {
	l, err := s.Store.Acquire(ctx, process, id)
	if err != nil {
		return l, err
	}
	log, err := s.Log(ctx, id, 0, 0)
	if err != nil {
		return l, err
	}
	r := &record{}
	for _, e := range log {
		one, err := decode(e)
		if err != nil {
			return l, err
		}
		r.log = append(r.log, one)
	}
	for key, c := range r.calls() {
		if c.result == nil && (c.Name == "effect" || c.Name == "probe") {
			if _, err := fmt.Fprintf(s.l.effects, "%s %s %d %s\n", process, id, l.Activation, key); err != nil {
				return l, err
			}
		}
	}
	return l, nil
}

type lateReports struct {
	store.Store
	mu   sync.Mutex
	held []store.Message
}

func (s *lateReports) Send(ctx context.Context, m store.Message) error {
	if m.Kind != store.FromChild {
		return s.Store.Send(ctx, m)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = append(s.held, m)
	return nil
}

func (s *lateReports) Settle(ctx context.Context, l store.Lease, after int64, end store.Settlement) error {
	err := s.Store.Settle(ctx, l, after, end)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = slices.DeleteFunc(s.held, func(m store.Message) bool {
		m.Activation = 0
		return err == nil && m.From == l.Conversation && s.Store.Send(ctx, m) == nil
	})
	return err
}

type deaf struct{ store.Store }

func (s deaf) Send(ctx context.Context, m store.Message) error {
	if m.Kind == store.FromUser && m.Lane == store.Step {
		return nil
	}
	return s.Store.Send(ctx, m)
}

type glossed struct{ store.Store }

func (s glossed) Lose(ctx context.Context, l store.Lease, end store.Settlement) error {
	end.Outcome = "completed"
	return s.Store.Lose(ctx, l, end)
}

type inherited struct{ store.Store }

func (s inherited) Acquire(ctx context.Context, process string, id store.ID) (store.Lease, error) {
	l, err := s.Store.Acquire(ctx, process, id)
	var held *store.HeldError
	if errors.As(err, &held) {
		return held.Lease, nil
	}
	return l, err
}

func (s inherited) Dead(context.Context, time.Duration) ([]store.Lease, error) { return nil, nil }

type tidy struct{ store.Store }

func (s tidy) Lose(ctx context.Context, l store.Lease, end store.Settlement) error {
	err := s.Store.Lose(ctx, l, end)
	if err == nil && end.Notice != nil {
		_ = s.Delete(ctx, l.Conversation) // where a child of it is resident, it stays
	}
	return err
}
