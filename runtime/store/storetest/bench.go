package storetest

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// Benchmark measures the steps of a store that open makes, new and empty, each time.
func Benchmark(b *testing.B, open func(testing.TB) store.Store) {
	b.Run("Append", func(b *testing.B) {
		f := newFleet(b, open(b))
		for b.Loop() {
			f.append(&f.root, f.root.last, text1K)
		}
	})
	b.Run("Send", func(b *testing.B) {
		f := newFleet(b, open(b))
		for b.Loop() {
			f.ok(f.s.Send(b.Context(), f.message("root")))
		}
	})
	// A turn: a message comes, is claimed, and the model's answer, a tool's result and the last answer are appended.
	b.Run("Turn", func(b *testing.B) {
		f := newFleet(b, open(b))
		for b.Loop() {
			f.turn(&f.root)
		}
	})
	b.Run("Start", func(b *testing.B) {
		f := newFleet(b, open(b))
		for b.Loop() {
			f.start()
		}
	})
	b.Run("Settle", func(b *testing.B) {
		f := newFleet(b, open(b))
		for b.Loop() {
			b.StopTimer()
			c := f.start()
			f.claim(&c)
			b.StartTimer()
			f.settle(&c)
		}
	})
	// A child's whole life: start, one turn, settlement; and the parent claims the notice.
	b.Run("Child", func(b *testing.B) {
		f := newFleet(b, open(b))
		for b.Loop() {
			c := f.start()
			f.live(&c)
			f.claim(&f.root)
		}
	})
	for _, n := range []int{10, 100} {
		b.Run(fmt.Sprint("ChildAtOnce/", n), func(b *testing.B) {
			f := newFleet(b, open(b))
			b.SetParallelism(n)
			var next atomic.Int64
			children := make([]member, b.N)
			for i := range children {
				children[i] = f.start()
			}
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					f.live(&children[next.Add(1)-1])
				}
			})
		})
	}
	for _, n := range []int{100, 1000, 10_000} {
		f := newFleet(b, open(b))
		f.fill(n)
		b.Run(fmt.Sprint("FirstPage/", n), func(b *testing.B) {
			for b.Loop() {
				list, err := f.s.Children(b.Context(), "root", "", 20)
				f.ok(err)
				if len(list) != 20 {
					b.Fatalf("%d children", len(list))
				}
			}
		})
		b.Run(fmt.Sprint("LastPage/", n), func(b *testing.B) {
			for b.Loop() {
				_, err := f.s.Children(b.Context(), "root", store.ID(fmt.Sprint("child ", n-20)), 20)
				f.ok(err)
			}
		})
		b.Run(fmt.Sprint("Dead/", n), func(b *testing.B) {
			for b.Loop() {
				_, err := f.s.Dead(b.Context(), 0)
				f.ok(err)
			}
		})
		b.Run(fmt.Sprint("Child/", n), func(b *testing.B) {
			for b.Loop() {
				c := f.start()
				f.live(&c)
				f.claim(&f.root)
			}
		})
	}
}

// Fill gives a store a root that has had n children, each of which has lived and settled: two messages and four entries
// each, of about a kilobyte.
func Fill(tb testing.TB, s store.Store, n int) {
	tb.Helper()
	newFleet(tb, s).fill(n)
}

var text1K = strings.Repeat("0123456789abcdef", 64)

// fleet is a root and what a benchmark does with it.
type fleet struct {
	testing.TB
	s        store.Store
	root     member
	children int
	messages atomic.Int64
}

type member struct {
	lease store.Lease
	last  int64
}

func newFleet(tb testing.TB, s store.Store) *fleet {
	tb.Helper()
	l, err := s.Create(tb.Context(), proc, rootConversation("root"))
	f := &fleet{TB: tb, s: s, root: member{lease: l}}
	f.ok(err)
	return f
}

func (f *fleet) ok(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fleet) message(to store.ID) store.Message {
	return store.Message{
		ID: fmt.Sprint("message ", f.messages.Add(1)), To: to, Kind: store.FromUser, Lane: store.Turn, Data: quote(text1K),
	}
}

func (f *fleet) append(m *member, after int64, texts ...string) {
	f.Helper()
	last, err := f.s.Append(f.Context(), m.lease, after, entries(texts...)...)
	f.ok(err)
	m.last = last
}

func (f *fleet) claim(m *member) {
	f.Helper()
	got, last, err := f.s.Claim(f.Context(), m.lease, m.last, store.AtTurn)
	f.ok(err)
	if len(got) == 0 {
		f.Fatal("nothing to claim")
	}
	m.last = last
}

func (f *fleet) turn(m *member) {
	f.Helper()
	f.ok(f.s.Send(f.Context(), f.message(m.lease.Conversation)))
	f.claim(m)
	f.append(m, m.last, text1K)
	f.append(m, m.last, text1K)
	f.append(m, m.last, text1K)
}

// start starts a child of the root. One goroutine does so.
func (f *fleet) start() member {
	f.Helper()
	f.children++
	id := store.ID(fmt.Sprint("child ", f.children))
	first := prompt(f.root.lease, id)
	first.Data = quote(text1K)
	_, l, _, err := f.s.Start(f.Context(), f.root.lease, f.root.last, string(id), childConversation(id, "root", store.Continuable), first)
	f.ok(err)
	f.root.last++
	return member{lease: l}
}

// live is a child's one turn and its end.
func (f *fleet) live(c *member) {
	f.Helper()
	f.claim(c)
	f.append(c, c.last, text1K)
	f.append(c, c.last, text1K)
	f.settle(c)
}

func (f *fleet) settle(c *member) {
	f.Helper()
	a := &agent{lease: c.lease}
	f.ok(f.s.Settle(f.Context(), c.lease, c.last, a.end("completed", "root")))
}

func (f *fleet) fill(n int) {
	f.Helper()
	for f.children < n {
		c := f.start()
		f.live(&c)
		f.claim(&f.root)
	}
}
