package storetest

import (
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
			newGame(e.again(), seed).play()
			return
		}
		games := 5
		if detector {
			games = 1
		}
		for range games * factor() {
			newGame(e.again(), rand.Uint64()).play()
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
	e      *env
	rand   *rand.Rand
	seed   uint64
	model  *reference
	leases []pair // every one that was ever given, the newest last
	ids    []store.ID
	made   int
	taken  int // moves that were no errors
}

func newGame(e *env, seed uint64) *game {
	return &game{e: e, rand: rand.New(rand.NewPCG(seed, 0)), seed: seed, model: &reference{}, ids: []store.ID{"unknown"}}
}

func (g *game) play() {
	g.e.Helper()
	var last move
	for i := range moves {
		if i == 0 || g.rand.IntN(8) > 0 { // else the last one again
			last = g.next()
		}
		g.try(i, last)
		if g.rand.IntN(25) == 0 {
			g.compare(i, last)
		}
	}
	g.compare(moves, last)
	g.e.Logf("STORETEST_SEED=%d: %d steps were taken and %d refused", g.seed, g.taken, moves-g.taken)
}

// try does a move on both sides, each time over either handle.
func (g *game) try(i int, m move) {
	g.e.Helper()
	s := g.e.s
	if g.rand.IntN(2) == 0 {
		s = g.e.s2
	}
	want, wantErr := m.do(g.model, func(p pair) store.Lease { return p.model })
	got, err := m.do(s, func(p pair) store.Lease { return p.real })
	if class(err) != class(wantErr) {
		g.e.Fatalf("STORETEST_SEED=%d, move %d, %s: got the error %v, want %v", g.seed, i, m.name, err, wantErr)
	}
	if l, is := got.(store.Lease); is && err == nil && l != (store.Lease{}) {
		g.leases = append(g.leases, pair{l, want.(store.Lease)})
	}
	if err == nil && plain(got) != plain(want) {
		g.e.Fatalf("STORETEST_SEED=%d, move %d, %s:\ngot  %s\nwant %s", g.seed, i, m.name, plain(got), plain(want))
	}
	if err == nil {
		g.taken++
	}
}

// class is what of an error the interface defines.
func class(err error) string {
	var held *store.HeldError
	var busy *store.BusyError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &held):
		return ": held by " + plain(held.Lease)
	case errors.As(err, &busy):
		return ": " + busy.Error()
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

func (g *game) compare(i int, m move) {
	g.e.Helper()
	want, err := dump(g.e.ctx, g.model)
	g.e.ok(err)
	got, err := dump(g.e.ctx, g.e.s2)
	if err != nil || got != want {
		g.e.Fatalf("STORETEST_SEED=%d, after move %d, %s: %v\n%s", g.seed, i, m.name, err, differ(got, want))
	}
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
		return fmt.Sprint(prefix, g.rand.IntN(g.made))
	}
	return fmt.Sprint(prefix, g.made)
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
	ctx := g.e.ctx
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
		} else if c, err := g.model.find(behind); err == nil {
			id = c.Parent
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
