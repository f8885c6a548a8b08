package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/memory"
	"github.com/toolgen-dev/toolgen/runtime/store/storetest"
)

// A mutant is a store with one fault, by name, and the test of the suite that has to find it.
var mutants = map[string]struct {
	make  func(store.Store) store.Store
	found string
}{
	"entries of late writers are taken":       {func(s store.Store) store.Store { return lateAppend{s} }, "LateWritersAreRefusedInEveryStep"},
	"appending again appends again":           {func(s store.Store) store.Store { return againAppend{s} }, "AppendDoneAgainDoesNothing"},
	"messages are taken twice":                {func(s store.Store) store.Store { return &twiceSend{Store: s} }, "SendTakesAMessageOnce"},
	"the dead can write":                      {func(s store.Store) store.Store { return deadSend{s} }, "SendOfAResidencyEndsWithIt"},
	"claims are in the order of sending":      {func(s store.Store) store.Store { return orderClaim{s} }, "OrderAtTurn"},
	"quiet messages begin a turn":             {func(s store.Store) store.Store { return quietClaim{s} }, "ParkedAndQuietMessagesBeginNoTurn"},
	"settling parks what waits":               {func(s store.Store) store.Store { return parkSettle{s} }, "SettleIsRefusedWhileAMessageWaits"},
	"settling looks first and acts then":      {func(s store.Store) store.Store { return &slowSettle{Store: s} }, "NoMessageIsLostAtTheFinishLine"},
	"settling waits for no child":             {func(s store.Store) store.Store { return loneSettle{s} }, "NoParentSettlesBeforeItsChild"},
	"the notice comes before the settlement":  {func(s store.Store) store.Store { return earlyNotice{s} }, "SettleIsRefusedWhileAChildIsResident"},
	"losing is agreed with, whoever has lost": {func(s store.Store) store.Store { return polite{s} }, "OneEndOfAResidency"},
	"everyone has the lease":                  {func(s store.Store) store.Store { return shared{s} }, "AcquireHasOneWinner"},
	"a call is started by its child's id":     {func(s store.Store) store.Store { return otherKey{s} }, "StartByKeyReturnsTheChildAgain"},
	"pages begin where the last one ended":    {func(s store.Store) store.Store { return overlap{s} }, "ChildrenPageInTheOrderOfCreation"},
	"residents are everybody's":               {func(s store.Store) store.Store { return everybody{s} }, "ResidentsAreThoseBelow"},
	"roots are alive":                         {func(s store.Store) store.Store { return rootsLast{s} }, "DeadListsLeavesFirst"},
	"whoever is resident is interrupted":      {func(s store.Store) store.Store { return anyInterrupt{s} }, "InterruptEndsWithTheResidency"},
	"interrupts are for the turn that runs":   {func(s store.Store) store.Store { return nowInterrupt{s} }, "InterruptDoneAgainDoesNothing"},
	"contexts are ignored":                    {func(s store.Store) store.Store { return patient{s} }, "ContextsThatEndedStopSteps"},
}

// TestSuite is what TestMutants runs in a process of its own: the suite over one mutant.
func TestSuite(t *testing.T) {
	m, known := mutants[os.Getenv("STORETEST_MUTANT")]
	if !known {
		m.make = func(s store.Store) store.Store { return s }
	}
	storetest.Run(t, func(t *testing.T) storetest.Harness {
		s := m.make(memory.New())
		t.Cleanup(func() { s.Close() })
		return storetest.Harness{Open: func() store.Store { return s }}
	})
}

// TestMutants: the suite finds each fault, in the test that is for it.
func TestMutants(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	for name, m := range mutants {
		cmd := exec.Command(exe, "-test.run=^TestSuite$/^"+m.found+"$", "-test.timeout=2m")
		cmd.Env = append(os.Environ(), "STORETEST_MUTANT="+name, "STORETEST_ROUNDS=20")
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || !strings.Contains(string(out), "--- FAIL: TestSuite/"+m.found) {
			t.Errorf("nothing is wrong with a store where %s: %v\n%s", name, err, out)
		}
	}
}

// holder is the lease that a conversation has now.
func holder(ctx context.Context, s store.Store, id store.ID) store.Lease {
	_, err := s.Acquire(ctx, "nobody", id)
	var held *store.HeldError
	if errors.As(err, &held) {
		return held.Lease
	}
	return store.Lease{Conversation: id}
}

type lateAppend struct{ store.Store }

func (s lateAppend) Append(ctx context.Context, l store.Lease, after int64, entries ...store.Entry) (int64, error) {
	last, err := s.Store.Append(ctx, l, after, entries...)
	if errors.Is(err, store.ErrFenced) {
		l = holder(ctx, s.Store, l.Conversation)
		return s.Store.Append(ctx, l, l.Last, entries...)
	}
	return last, err
}

type againAppend struct{ store.Store }

func (s againAppend) Append(ctx context.Context, l store.Lease, after int64, entries ...store.Entry) (int64, error) {
	if now := holder(ctx, s.Store, l.Conversation); now.Token == l.Token && after < now.Last {
		after = now.Last
	}
	return s.Store.Append(ctx, l, after, entries...)
}

type twiceSend struct {
	store.Store
	n atomic.Int64
}

func (s *twiceSend) Send(ctx context.Context, m store.Message) error {
	m.ID += fmt.Sprint("#", s.n.Add(1))
	return s.Store.Send(ctx, m)
}

type anyInterrupt struct{ store.Store }

func (s anyInterrupt) Interrupt(ctx context.Context, id store.ID, activation, upTo int64) error {
	if c, err := s.Get(ctx, id); err == nil && activation > 0 {
		activation = max(c.Activation, 1)
	}
	return s.Store.Interrupt(ctx, id, activation, upTo)
}

type nowInterrupt struct{ store.Store }

func (s nowInterrupt) Interrupt(ctx context.Context, id store.ID, activation, upTo int64) error {
	if now := holder(ctx, s.Store, id).Last; upTo > 0 && upTo <= now {
		upTo = now
	}
	return s.Store.Interrupt(ctx, id, activation, upTo)
}

type deadSend struct{ store.Store }

func (s deadSend) Send(ctx context.Context, m store.Message) error {
	err := s.Store.Send(ctx, m)
	if errors.Is(err, store.ErrFenced) {
		m.Activation = 0
		return s.Store.Send(ctx, m)
	}
	return err
}

type orderClaim struct{ store.Store }

func (s orderClaim) Claim(ctx context.Context, l store.Lease, after int64, at store.Boundary) ([]store.Message, int64, error) {
	got, last, err := s.Store.Claim(ctx, l, after, at)
	slices.SortFunc(got, func(a, b store.Message) int { return int(a.Seq - b.Seq) })
	return got, last, err
}

type quietClaim struct{ store.Store }

func (s quietClaim) Claim(ctx context.Context, l store.Lease, after int64, at store.Boundary) ([]store.Message, int64, error) {
	got, last, err := s.Store.Claim(ctx, l, after, at)
	if err == nil && len(got) == 0 && at == store.AtTurn {
		return s.Store.Claim(ctx, l, after, store.AtStep)
	}
	return got, last, err
}

type parkSettle struct{ store.Store }

func (s parkSettle) Settle(ctx context.Context, l store.Lease, after int64, end store.Settlement) error {
	_, _ = s.Store.Park(ctx, l)
	return s.Store.Settle(ctx, l, after, end)
}

// slowSettle leaves between its look and its end the time in which a sender comes and looks.
type slowSettle struct {
	store.Store
	looks atomic.Int64
}

func (s *slowSettle) Get(ctx context.Context, id store.ID) (store.Conversation, error) {
	c, err := s.Store.Get(ctx, id)
	s.looks.Add(1)
	return c, err
}

func (s *slowSettle) Settle(ctx context.Context, l store.Lease, after int64, end store.Settlement) error {
	before := s.looks.Load()
	if p, err := s.Store.Pending(ctx, l.Conversation); err == nil && p == (store.Pending{}) && end.Notice == nil {
		const patience = 1_000_000 // there may be no sender
		for i := 0; i < patience && s.looks.Load() == before; i++ {
			runtime.Gosched()
		}
		return s.Store.Lose(ctx, l, end)
	}
	return s.Store.Settle(ctx, l, after, end)
}

type loneSettle struct{ store.Store }

func (s loneSettle) Settle(ctx context.Context, l store.Lease, after int64, end store.Settlement) error {
	err := s.Store.Settle(ctx, l, after, end)
	var busy *store.BusyError
	if errors.As(err, &busy) && busy.Waiting == 0 {
		return s.Store.Lose(ctx, l, end)
	}
	return err
}

type earlyNotice struct{ store.Store }

func (s earlyNotice) Settle(ctx context.Context, l store.Lease, after int64, end store.Settlement) error {
	if end.Notice != nil {
		_ = s.Store.Send(ctx, *end.Notice)
	}
	return s.Store.Settle(ctx, l, after, end)
}

type polite struct{ store.Store }

func (s polite) Lose(ctx context.Context, l store.Lease, end store.Settlement) error {
	err := s.Store.Lose(ctx, l, end)
	if errors.Is(err, store.ErrFenced) {
		return nil
	}
	return err
}

type shared struct{ store.Store }

func (s shared) Acquire(ctx context.Context, process string, id store.ID) (store.Lease, error) {
	l, err := s.Store.Acquire(ctx, process, id)
	var held *store.HeldError
	if errors.As(err, &held) {
		return held.Lease, nil
	}
	return l, err
}

type otherKey struct{ store.Store }

func (s otherKey) Start(ctx context.Context, l store.Lease, after int64, call string, c store.NewConversation, m store.Message) (store.Conversation, store.Lease, bool, error) {
	return s.Store.Start(ctx, l, after, string(c.ID), c, m)
}

type overlap struct{ store.Store }

func (s overlap) Children(ctx context.Context, parent, after store.ID, limit int) ([]store.Conversation, error) {
	list, err := s.Store.Children(ctx, parent, after, limit)
	if first, got := s.Get(ctx, after); got == nil && err == nil {
		list = append([]store.Conversation{first}, list...)
	}
	return list, err
}

type everybody struct{ store.Store }

func (s everybody) Residents(ctx context.Context, _ store.ID) ([]store.Conversation, error) {
	return s.Store.Residents(ctx, "")
}

type rootsLast struct{ store.Store }

func (s rootsLast) Dead(ctx context.Context, bound time.Duration) ([]store.Lease, error) {
	list, err := s.Store.Dead(ctx, bound)
	slices.Reverse(list)
	return list, err
}

type patient struct{ store.Store }

func (s patient) Send(_ context.Context, m store.Message) error {
	return s.Store.Send(context.Background(), m)
}
