package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// The same random steps are done to the store and to the reference. Every result must be the same, and now and then
// everything that they hold.
var modelTests = []test{
	{name: "RandomStepsAreThoseOfTheReference", run: func(e *env) {
		if seed, err := strconv.ParseUint(os.Getenv("STORETEST_SEED"), 10, 64); err == nil {
			e.play(seed)
			return
		}
		games := 5
		if detector {
			games = 1
		}
		for range games * factor() {
			e.again().play(rand.Uint64())
		}
	}},
}

// moves is how many steps one game has.
const moves = 300

// pair is a lease of the store's and the reference's for one residency.
type pair struct{ real, model store.Lease }

// move is a step with all its arguments, to be done to either side. It returns what can be compared.
type move struct {
	name string
	do   func(s store.Store, lease func(pair) store.Lease) (any, error)
}

type game struct {
	ctx    context.Context
	rand   *rand.Rand
	prefix string // of every id
	model  *reference
	leases []pair // every one that was ever given, the newest last
	ids    []store.ID
	made   int
	last   move
	taken  int // moves that were no errors
}

func newGame(ctx context.Context, seed uint64, prefix string) *game {
	return &game{ctx: ctx, rand: rand.New(rand.NewPCG(seed, 0)), prefix: prefix, model: &reference{}, ids: []store.ID{store.ID(prefix + "unknown")}}
}

// play plays a game to its end, over either handle.
func (e *env) play(seed uint64) {
	e.Helper()
	g := newGame(e.ctx, seed, "")
	for i := range moves {
		m, s := g.choose(), e.s
		if g.rand.IntN(2) == 0 {
			s = e.s2
		}
		err := g.try(s, m)
		if err == nil && (g.rand.IntN(25) == 0 || i == moves-1) {
			err = g.compare(s)
		}
		if err != nil {
			e.Fatalf("STORETEST_SEED=%d, move %d, %s: %v", seed, i, m.name, err)
		}
	}
	e.Logf("STORETEST_SEED=%d: %d steps were taken and %d refused", seed, g.taken, moves-g.taken)
}

// Play does n random steps to a store, one after the other, and calls done after each. Steps, ids and results are the same
// for the same seed and prefix, whatever the store is: what a store that has them all holds is what [Dump] says of any other
// with the same ones. Ids begin with the prefix, so that several can play at once. It is for tests that end a process in the
// middle.
func Play(ctx context.Context, s store.Store, seed uint64, prefix string, n int, done func(i int) error) error {
	g := newGame(ctx, seed, prefix)
	for i := range n {
		m := g.choose()
		if err := g.try(s, m); err != nil {
			return fmt.Errorf("step %d, %s: %w", i, m.name, err)
		}
		if err := done(i); err != nil {
			return err
		}
	}
	return nil
}

// choose makes up a move, or takes the last one again.
func (g *game) choose() move {
	if g.last.do == nil || g.rand.IntN(8) > 0 {
		g.last = g.next()
	}
	return g.last
}

// try does a move to the model and to a store, and says how they differ.
func (g *game) try(s store.Store, m move) error {
	want, wantErr := m.do(g.model, func(p pair) store.Lease { return p.model })
	got, err := m.do(s, func(p pair) store.Lease { return p.real })
	switch {
	case class(err) != class(wantErr):
		return fmt.Errorf("got the error %w, want %w", err, wantErr)
	case err != nil:
		return nil
	case plain(got) != plain(want):
		return fmt.Errorf("\ngot  %s\nwant %s", plain(got), plain(want))
	}
	if l, is := got.(store.Lease); is {
		g.leases = append(g.leases, pair{l, want.(store.Lease)})
	}
	g.taken++
	return nil
}

// compare says how what a store holds differs from the model.
func (g *game) compare(s store.Store) error {
	want, err := Dump(g.ctx, g.model, g.prefix)
	if err != nil {
		return err
	}
	got, err := Dump(g.ctx, s, g.prefix)
	if err == nil && got != want {
		err = errors.New(differ(got, want))
	}
	return err
}

// class is what of an error the interface defines.
func class(err error) string {
	var held *store.HeldError
	var busy *store.BusyError
	var resident *store.ResidentError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &held):
		return ": held by " + plain(held.Lease)
	case errors.As(err, &busy):
		return ": " + busy.Error()
	case errors.As(err, &resident):
		return ": " + resident.Error()
	}
	for _, sentinel := range refusals {
		if errors.Is(err, sentinel) {
			return ": " + strings.TrimPrefix(sentinel.Error(), "store: ")
		}
	}
	return ": another error"
}

// plain is a result without what the sides need not have in common: times and tokens.
func plain(v any) string {
	switch v := v.(type) {
	case store.Lease:
		v.Token = 0
		return fmt.Sprintf("%+v", v)
	case store.Conversation:
		v.Created = time.Time{}
		return fmt.Sprintf("%+v", v)
	case []store.Conversation:
		out := ""
		for _, c := range v {
			out += plain(c) + "\n"
		}
		return out
	case []store.Entry:
		out := ""
		for _, entry := range v {
			entry.Time = time.Time{}
			out += fmt.Sprintf("%+v\n", entry)
		}
		return out
	}
	return fmt.Sprintf("%+v", v)
}

func (g *game) id() store.ID { return g.ids[g.rand.IntN(len(g.ids))] }

// lease is one that was given, most often one that still holds.
func (g *game) lease() pair {
	for range 6 {
		p := g.leases[g.rand.IntN(len(g.leases))]
		if _, err := g.model.held(p.model); err == nil {
			return p
		}
	}
	return g.leases[g.rand.IntN(len(g.leases))]
}

// after is a place in the log of a lease's conversation, most often its end.
func (g *game) after(p pair) int64 {
	c, err := g.model.find(p.model.Conversation)
	if err != nil {
		return 0
	}
	if g.rand.IntN(8) > 0 {
		return c.last()
	}
	return g.rand.Int64N(c.last()+3) - 1
}

func (g *game) fresh(prefix string) string {
	g.made++
	if g.rand.IntN(10) == 0 {
		return fmt.Sprint(g.prefix, prefix, g.rand.IntN(g.made))
	}
	return fmt.Sprint(g.prefix, prefix, g.made)
}

// message is one to a conversation, from anybody.
func (g *game) message(to store.ID) store.Message {
	m := userMessage(to, g.fresh("m"), []store.Lane{store.Step, store.Turn}[g.rand.IntN(2)], g.rand.IntN(5) == 0)
	if g.rand.IntN(2) == 0 && len(g.leases) > 0 {
		author := g.lease().model
		m.From, m.Activation = author.Conversation, author.Activation
		m.Kind = []store.MessageKind{store.FromParent, store.FromChild, store.FromSettlement}[g.rand.IntN(3)]
	}
	return m
}

// settlement is an end of a lease's residency.
func (g *game) settlement(p pair, outcome string) store.Settlement {
	s := store.Settlement{Outcome: outcome, Text: "text", Parked: g.rand.IntN(2), Activation: p.model.Activation}
	if c, err := g.model.find(p.model.Conversation); err == nil && c.Parent != "" && c.Kind == store.Continuable {
		s.Notice = (&agent{lease: p.model}).end(outcome, c.Parent).Notice
	}
	return s
}

// next makes up a move.
func (g *game) next() move {
	ctx := g.ctx
	if len(g.leases) == 0 || g.rand.IntN(25) == 0 {
		id := store.ID(g.fresh("r"))
		g.ids = append(g.ids, id)
		return move{"Create", func(s store.Store, _ func(pair) store.Lease) (any, error) {
			return s.Create(ctx, "p", rootConversation(id))
		}}
	}
	p, id := g.lease(), g.id()
	after := g.after(p)
	process := fmt.Sprint("process ", g.rand.IntN(3))
	switch n := g.rand.IntN(100); {
	case n < 14:
		child := store.ID(g.fresh("c"))
		g.ids = append(g.ids, child)
		call := "call of " + string(child)
		c := childConversation(child, p.model.Conversation, []store.Kind{store.Continuable, store.Continuable, store.Job}[g.rand.IntN(3)])
		first := prompt(p.model, child)
		return move{"Start", func(s store.Store, lease func(pair) store.Lease) (any, error) {
			got, l, _, err := s.Start(ctx, lease(p), after, call, c, first)
			if err != nil || l == (store.Lease{}) {
				return got, err
			}
			return l, nil
		}}
	case n < 22:
		return move{"Acquire", func(s store.Store, _ func(pair) store.Lease) (any, error) { return s.Acquire(ctx, process, id) }}
	case n < 24:
		return move{"Release", func(s store.Store, lease func(pair) store.Lease) (any, error) { return nil, s.Release(ctx, lease(p)) }}
	case n < 34:
		list := entries([]string{"1", "2", "3"}[:g.rand.IntN(4)]...)
		return move{"Append", func(s store.Store, lease func(pair) store.Lease) (any, error) {
			return s.Append(ctx, lease(p), after, list...)
		}}
	case n < 52:
		m := g.message(id)
		return move{"Send", func(s store.Store, _ func(pair) store.Lease) (any, error) { return nil, s.Send(ctx, m) }}
	case n < 66:
		at := []store.Boundary{store.AtStep, store.AtTurn}[g.rand.IntN(2)]
		return move{"Claim", func(s store.Store, lease func(pair) store.Lease) (any, error) {
			messages, last, err := s.Claim(ctx, lease(p), after, at)
			return fmt.Sprintf("%+v, %d", messages, last), err
		}}
	case n < 69:
		return move{"Park", func(s store.Store, lease func(pair) store.Lease) (any, error) { return s.Park(ctx, lease(p)) }}
	case n < 72:
		driving := g.rand.IntN(2) == 0
		return move{"Drive", func(s store.Store, lease func(pair) store.Lease) (any, error) {
			return nil, s.Drive(ctx, lease(p), driving)
		}}
	case n < 76:
		activation, upTo := int64(g.rand.IntN(3)), after
		if g.rand.IntN(3) > 0 {
			id, activation = p.model.Conversation, p.model.Activation
		}
		return move{"Interrupt", func(s store.Store, _ func(pair) store.Lease) (any, error) {
			return nil, s.Interrupt(ctx, id, activation, upTo)
		}}
	case n < 84:
		end := g.settlement(p, []string{"completed", "failed"}[g.rand.IntN(2)])
		return move{"Settle", func(s store.Store, lease func(pair) store.Lease) (any, error) {
			return nil, s.Settle(ctx, lease(p), after, end)
		}}
	case n < 88:
		end := g.settlement(p, "lost")
		return move{"Lose", func(s store.Store, lease func(pair) store.Lease) (any, error) { return nil, s.Lose(ctx, lease(p), end) }}
	case n < 90:
		return move{"Delete", func(s store.Store, _ func(pair) store.Lease) (any, error) { return nil, s.Delete(ctx, id) }}
	case n < 94:
		behind, limit := g.id(), g.rand.IntN(4)
		if g.rand.IntN(2) == 0 {
			behind = ""
		} else if c, err := g.model.find(behind); err == nil && (c.Parent != "" || g.prefix == "") {
			id = c.Parent // others may have roots too
		}
		return move{"Children", func(s store.Store, _ func(pair) store.Lease) (any, error) { return s.Children(ctx, id, behind, limit) }}
	case n < 97:
		return move{"Residents", func(s store.Store, _ func(pair) store.Lease) (any, error) {
			list, err := s.Residents(ctx, id)
			var out []string
			for _, c := range list {
				out = append(out, plain(c))
			}
			return sorted(out), err
		}}
	default:
		behind, limit := g.rand.Int64N(6)-1, g.rand.IntN(4)
		return move{"Log", func(s store.Store, _ func(pair) store.Lease) (any, error) { return s.Log(ctx, id, behind, limit) }}
	}
}
