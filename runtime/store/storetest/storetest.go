// Package storetest is the conformance suite of package store: what every store has to keep of what the interface says.
//
// A store's author calls [Run] from a test and gives it a [Harness]. Faults are the store's own, so the harness has hooks
// for them. A hook that is missing leaves out the tests that need it, and Run says which.
//
// The suite waits for nothing but for what it has caused; run it with the race detector. Random tests print their seeds;
// STORETEST_SEED runs one of them again, and STORETEST_ROUNDS sets how many there are.
package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// Harness is one store, new and empty, and what can be done to it from outside. Only Open is needed.
type Harness struct {
	// Open returns a handle on the store: another one each time where the store can be shared, and otherwise the same. The
	// harness closes what it opened when the test ends; the suite may have closed it before.
	Open func() store.Store

	// Limited opens a handle that has limits.
	Limited func(store.Limits) store.Store

	// Advance moves the time on, for every handle.
	Advance func(time.Duration)

	// FailWrite makes the n-th write from now on fail, counted from 1 over all handles, as a disk fails; the writes after
	// it succeed. A store decides what a write is: at least every point after which a kill would leave something else
	// behind, and one point after which a step has happened and its caller is not told. fired says whether it came to that,
	// and ends it.
	FailWrite func(n int) (fired func() bool)

	// FillDisk leaves no space for anything new. free gives it back.
	FillDisk func() (free func())

	// SlowDisk makes the next write wait, and every later one. waiting is closed when one does; release ends it.
	SlowDisk func() (waiting <-chan struct{}, release func())

	// LoseLease makes a lease end without a step of the holder's or of Lose: by expiry, or by whatever a store has.
	LoseLease func(store.Lease)

	// Damage makes a conversation's entry in the index unreadable, for the given reason, and nothing else.
	Damage func(store.ID, store.Problem)

	// DamageLog damages the data of one entry of a log, and nothing else.
	DamageLog func(id store.ID, seq int64)
}

// missing names the hooks that the harness lacks, each with what cannot be tested without it.
func (h Harness) missing() []string {
	var out []string
	for _, hook := range []struct {
		name, what string
		there      bool
	}{
		{"Limited", "limits on size", h.Limited != nil},
		{"Advance", "bounds of silence, times", h.Advance != nil},
		{"FailWrite", "steps at each failing write", h.FailWrite != nil},
		{"FillDisk", "a full disk", h.FillDisk != nil},
		{"SlowDisk", "steps over a slow disk", h.SlowDisk != nil},
		{"LoseLease", "leases that end by themselves", h.LoseLease != nil},
		{"Damage", "damaged entries of the index", h.Damage != nil},
		{"DamageLog", "damaged entries of a log", h.DamageLog != nil},
	} {
		if !hook.there {
			out = append(out, hook.name+": "+hook.what)
		}
	}
	return out
}

// test is one part of the suite.
type test struct {
	name  string
	run   func(*env)
	needs func(Harness) bool // nil: nothing
}

// Run tests a store. harness makes a new one for each test.
func Run(t *testing.T, harness func(*testing.T) Harness) {
	t.Helper()
	for _, hook := range harness(t).missing() {
		t.Logf("left out, for there is no hook %s", hook)
	}
	for _, tests := range [][]test{
		logTests, startTests, leaseTests, messageTests, interruptTests, settleTests, indexTests, watchTests, dataTests, raceTests, faultTests,
		modelTests,
	} {
		for _, one := range tests {
			if h := harness; one.needs == nil || one.needs(h(t)) {
				t.Run(one.name, func(t *testing.T) { one.run(newEnv(t, h)) })
			}
		}
	}
}

// env is one test's store and what the tests say often.
type env struct {
	*testing.T
	ctx  context.Context
	make func(*testing.T) Harness
	h    Harness
	s    store.Store // one handle
	s2   store.Store // another one, or the same

	turned bool // the goroutines of the last race were begun from the last to the first
}

func newEnv(t *testing.T, harness func(*testing.T) Harness) *env {
	t.Helper()
	h := harness(t)
	return &env{T: t, ctx: t.Context(), make: harness, h: h, s: h.Open(), s2: h.Open()}
}

// again is another new store of the same test.
func (e *env) again() *env { return newEnv(e.T, e.make) }
