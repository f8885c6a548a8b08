package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/memory"
	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// bench is one root over a store, and what an observer saw of it.
type bench struct {
	t     *testing.T
	store store.Store
	agent *agent.Agent
	done  chan agent.End
	stop  context.CancelFunc
	sent  int

	mu   sync.Mutex
	seen []string
}

func (b *bench) saw(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen = append(b.seen, fmt.Sprintf(format, args...))
}

func (b *bench) observer() *agent.Observer {
	return &agent.Observer{
		TurnBegan: func(_ agent.Identity, m []agent.Message) { b.saw("began %d", len(m)) },
		Joined:    func(_ agent.Identity, m []agent.Message) { b.saw("joined %d", len(m)) },
		Delta:     func(_ agent.Identity, d agent.Delta) { b.saw("delta %s", d.Text) },
		Answered:  func(_ agent.Identity, m agent.Message) { b.saw("answered %s %d", m.Text, len(m.Calls)) },
		Calling:   func(_ agent.Identity, c tool.Call) { b.saw("calling %s", c.Name) },
		Called:    func(_ agent.Identity, r tool.CallResult) { b.saw("called %s %s", r.Name, r.Outcome) },
		TurnEnded: func(_ agent.Identity, e agent.TurnEnd) { b.saw("ended %s", e.Outcome) },
		Rested:    func(agent.Identity) { b.saw("rested") },
		Settled:   func(_ agent.Identity, e agent.End) { b.saw("settled %s", e.Outcome) },
		Problem:   func(_ agent.Identity, err error) { b.saw("problem %v", err) },
	}
}

// scope has one tool, `echo`, which returns its text, and a long one for "large".
func scope(t *testing.T) *tool.Scope {
	t.Helper()
	reg := tool.NewRegistry()
	type echo struct{ Text string }
	require.NoError(t, tool.Mount(reg, tool.Binding{
		Contract: &tool.Contract{Package: "example.com/p", Name: "echo", Mounted: "echo", Combinations: []tool.Combination{{}},
			Variants: []tool.Variant{{
				Description: []tool.Clause{{Text: tool.Text{{Lit: "Says it again."}}}},
				Schema:      tool.Text{{Lit: `{"type":"object"}`}},
				Params: &schema.Schema{Root: &schema.Type{Kind: schema.Object, Fields: []schema.Field{
					{Name: "text", Slot: 0, Type: &schema.Type{Kind: schema.String}, Required: true},
				}}},
			}}},
		Decode: func(d *decode.Decoder) any {
			var a echo
			o := d.Object()
			for d.NextField(&o) {
				a.Text = d.String()
			}
			return &a
		},
		Run: func(_ context.Context, _ tool.Call, args any) (tool.Output, error) {
			text := args.(*echo).Text
			if text == "large" {
				text = strings.Repeat("x", 3000)
			}
			return tool.Plain(text), nil
		},
	}))
	s, err := reg.Scope()
	require.NoError(t, err)
	return s
}

// newBench makes a root that runs. It is stopped at the end of the bubble by close.
func newBench(t *testing.T, model agent.ModelFunc, edit ...func(*agent.Config)) *bench {
	b := &bench{t: t, store: memory.New(), done: make(chan agent.End, 1)}
	cfg := agent.Config{Store: b.store, Model: model, View: agent.NewView(scope(t), nil), Stay: true, Observer: b.observer()}
	for _, e := range edit {
		e(&cfg)
	}
	b.store = cfg.Store
	var err error
	cfg.Lease, err = b.store.Create(t.Context(), "p", store.NewConversation{ID: "r", Kind: store.Root})
	require.NoError(t, err)
	cfg.Conversation, err = b.store.Get(t.Context(), "r")
	require.NoError(t, err)
	b.agent, err = agent.Open(t.Context(), cfg)
	require.NoError(t, err)
	var ctx context.Context
	ctx, b.stop = context.WithCancel(context.Background())
	go func() { b.done <- b.agent.Run(ctx) }()
	return b
}

func (b *bench) close() agent.End {
	b.stop()
	return <-b.done
}

// send puts a user's message into the inbox, and wakes the agent.
func (b *bench) send(text string, lane store.Lane) string {
	b.t.Helper()
	b.sent++
	id := fmt.Sprintf("m%d", b.sent)
	require.NoError(b.t, b.store.Send(b.t.Context(), store.Message{
		ID: id, To: "r", Kind: store.FromUser, Lane: lane, Data: agent.Content{Text: text}.Encode()}))
	b.agent.Wake()
	return id
}

func (b *bench) messages() (out []string) {
	h, err := agent.Load(b.t.Context(), b.store, "r", 0)
	require.NoError(b.t, err)
	for _, m := range h.Messages {
		s := string(m.Author) + ":" + m.Text
		for _, c := range m.Calls {
			s += " " + c.ID + "=" + c.Name + c.Arguments
		}
		out = append(out, s)
	}
	return out
}

func echo(id, text string) agent.Call {
	data, _ := json.Marshal(map[string]string{"text": text})
	return agent.Call{ID: id, Name: "echo", Arguments: string(data)}
}

// A turn goes from step to step until the model answers without calls, and a front end sees all of it in order.
func TestTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		b := newBench(t, func(_ context.Context, req *agent.Request, delta func(agent.Delta)) (*agent.Response, error) {
			n++
			require.Len(t, req.Messages, 2*n-1)
			require.Equal(t, "echo", req.Tools[0].Name)
			if n < 3 {
				return &agent.Response{Calls: []agent.Call{echo("x", fmt.Sprint("say ", n))}, Stop: agent.StopCalls, Usage: agent.Usage{Input: 10, Output: 1}}, nil
			}
			delta(agent.Delta{Text: "all "})
			delta(agent.Delta{Text: "done"})
			return &agent.Response{Text: "all done", Stop: agent.StopEnd, Usage: agent.Usage{Input: 30, Output: 3}}, nil
		})
		b.send("go", store.Turn)
		require.NoError(t, b.agent.Quiet(t.Context()))
		require.Equal(t, []string{"user:go", `assistant: x=echo{"text":"say 1"}`, "result:say 1", `assistant: x_1=echo{"text":"say 2"}`, "result:say 2", "assistant:all done"},
			b.messages(), "an id that comes again gets another one")
		last := b.agent.Last()
		require.Equal(t, agent.Completed, last.Outcome)
		require.Equal(t, 3, last.Steps)
		require.Equal(t, agent.Usage{Input: 50, Output: 5}, last.Usage)
		require.Equal(t, agent.Interrupted, b.close().Outcome)
		require.Equal(t, []string{"began 1", "answered  1", "calling echo", "called echo done", "answered  1", "calling echo", "called echo done",
			"delta all ", "delta done", "answered all done 0", "ended completed", "rested", "settled interrupted"}, b.seen)
	})
}

// The inbox has two lanes: the next step joins a running turn at its next boundary, the whole lane at once; the next turn waits
// its turn, one message after the other.
func TestLanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		go1, go2 := make(chan struct{}), make(chan struct{})
		var saw []string
		b := newBench(t, func(_ context.Context, req *agent.Request, _ func(agent.Delta)) (*agent.Response, error) {
			var fresh []string
			for i := len(req.Messages) - 1; i >= 0 && req.Messages[i].Author != agent.Assistant; i-- {
				fresh = append([]string{req.Messages[i].Text}, fresh...)
			}
			saw = append(saw, strings.Join(fresh, "+"))
			switch len(saw) {
			case 1:
				<-go1
				return &agent.Response{Calls: []agent.Call{echo("1", "echo")}}, nil
			case 2:
				<-go2
			}
			return &agent.Response{Text: "ok"}, nil
		})
		b.send("t1", store.Turn)
		synctest.Wait()
		b.send("t2", store.Turn)
		b.send("s1", store.Step)
		b.send("t3", store.Turn)
		b.send("s2", store.Step)
		close(go1)
		synctest.Wait()
		b.send("s3", store.Step) // while the last answer is made: it begins a turn of its own, with the next message
		close(go2)
		require.NoError(t, b.agent.Quiet(t.Context()))
		require.Equal(t, []string{"t1", "echo+s1+s2", "s3+t2", "t3"}, saw)
		b.close()
	})
}

// Cancelling stops the turn; what was not claimed stays, and what the model had said stays as well.
func TestInterruptKeeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(ctx context.Context, req *agent.Request, delta func(agent.Delta)) (*agent.Response, error) {
			if len(req.Messages) > 1 {
				return &agent.Response{Text: "ok"}, nil
			}
			delta(agent.Delta{Text: "I was about to"})
			<-ctx.Done()
			return nil, ctx.Err()
		})
		b.send("one", store.Turn)
		synctest.Wait()
		two := b.send("two", store.Turn)
		claimed, forget := b.agent.Expect(two)
		defer forget()
		parked, stopped, err := b.agent.Interrupt(t.Context())
		require.NoError(t, err)
		require.True(t, stopped)
		require.Equal(t, 1, parked)
		require.True(t, (<-claimed).Parked)
		last := b.agent.Last()
		require.Equal(t, agent.Interrupted, last.Outcome)
		require.Equal(t, "I was about to", last.Text)
		_, stopped, err = b.agent.Interrupt(t.Context())
		require.NoError(t, err)
		require.False(t, stopped)
		b.send("three", store.Turn)
		require.NoError(t, b.agent.Quiet(t.Context()))
		require.Equal(t, []string{"user:one", "assistant:I was about to", "user:two", "user:three", "assistant:ok"}, b.messages())
		b.close()
	})
}

// A store that fails for a while holds the agent up; one that fails for longer than the agent has patience fails the turn, and
// the conversation goes on from what the store has.
func TestStoreFails(t *testing.T) {
	for _, after := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := &failing{Store: memory.New(), after: after}
			b := newBench(t, func(_ context.Context, req *agent.Request, _ func(agent.Delta)) (*agent.Response, error) {
				if len(req.Messages) == 1 {
					s.set(5 * time.Second)
					return &agent.Response{Calls: []agent.Call{echo("1", "echo")}}, nil
				}
				if strings.Contains(req.Messages[len(req.Messages)-1].Text, "again") {
					return &agent.Response{Text: "here I am"}, nil
				}
				s.set(time.Hour)
				return &agent.Response{Text: "lost, or not"}, nil
			}, func(cfg *agent.Config) { cfg.Store = s })
			b.send("go", store.Turn)
			time.Sleep(time.Minute)
			require.Equal(t, agent.Failed, b.agent.Last().Outcome)
			require.Equal(t, agent.StoreFailed, b.agent.Last().Reason)
			require.ErrorIs(t, b.agent.Last().Err, errDown)
			time.Sleep(2 * time.Hour)
			b.send("again", store.Turn)
			require.NoError(t, b.agent.Quiet(t.Context()))
			want := []string{"user:go", `assistant: 1=echo{"text":"echo"}`, "result:echo"}
			if after {
				want = append(want, "assistant:lost, or not")
			}
			require.Equal(t, append(want, "user:again", "assistant:here I am"), b.messages())
			require.Equal(t, agent.Completed, b.agent.Last().Outcome)
			b.close()
		})
	}
}

var errDown = errors.New("the store is down")

// failing is a store whose appends fail for a while, before they happen or after.
type failing struct {
	store.Store
	after bool
	mu    sync.Mutex
	until time.Time
}

func (f *failing) set(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.until = time.Now().Add(d)
}

func (f *failing) down() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return time.Now().Before(f.until)
}

func (f *failing) Append(ctx context.Context, l store.Lease, after int64, entries ...store.Entry) (int64, error) {
	if f.down() && !f.after {
		return 0, errDown
	}
	last, err := f.Store.Append(ctx, l, after, entries...)
	if err == nil && f.down() {
		return 0, errDown
	}
	return last, err
}

// What the store takes for too large ends the turn, or leaves its place to a note: the conversation can go on.
func TestTooLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		big := strings.Repeat("x", 3000)
		b := newBench(t, func(_ context.Context, req *agent.Request, _ func(agent.Delta)) (*agent.Response, error) {
			switch last := req.Messages[len(req.Messages)-1]; {
			case last.Text == "a result":
				return &agent.Response{Calls: []agent.Call{echo("1", big)}}, nil
			case last.Text == "a large result":
				return &agent.Response{Calls: []agent.Call{echo("1", "large")}}, nil
			case last.Text == "an answer":
				return &agent.Response{Text: big}, nil
			case last.Author == agent.ToolResult:
				return &agent.Response{Text: last.Text}, nil
			}
			return &agent.Response{Text: "ok"}, nil
		}, func(cfg *agent.Config) { cfg.Store = memory.New(memory.Limits(store.Limits{Entry: 2000})) })
		b.send("a result", store.Turn)
		require.NoError(t, b.agent.Quiet(t.Context()))
		require.Equal(t, agent.StoreFailed, b.agent.Last().Reason, "the call itself was too large")
		b.send("an answer", store.Turn)
		require.NoError(t, b.agent.Quiet(t.Context()))
		require.Equal(t, agent.StoreFailed, b.agent.Last().Reason)
		require.ErrorIs(t, b.agent.Last().Err, store.ErrTooLarge)
		b.send("hello", store.Turn)
		require.NoError(t, b.agent.Quiet(t.Context()))
		require.Equal(t, []string{"user:a result", "user:an answer", "user:hello", "assistant:ok"}, b.messages())
		b.send("a large result", store.Turn)
		require.NoError(t, b.agent.Quiet(t.Context()))
		require.Equal(t, "The result, of 3000 bytes, was too large to be kept.", b.agent.Last().Text)
		b.close()
	})
}

// A last message that is larger than what the store takes does not keep a residency from ending: less of it is kept.
func TestSettlementTooLarge(t *testing.T) {
	for limit, want := range map[int]int{4000: 3000, 2000: 1024, 600: 0} {
		synctest.Test(t, func(t *testing.T) {
			s := memory.New(memory.Limits(store.Limits{Message: limit}))
			root, err := s.Create(t.Context(), "p", store.NewConversation{ID: "r", Kind: store.Root})
			require.NoError(t, err)
			c, lease, _, err := s.Start(t.Context(), root, 0, "1", store.NewConversation{ID: "c", Kind: store.Continuable, Parent: "r"},
				store.Message{ID: "m", To: "c", Kind: store.FromParent, Lane: store.Turn, Data: agent.Content{Text: "go"}.Encode()})
			require.NoError(t, err)
			a, err := agent.Open(t.Context(), agent.Config{Store: s, Conversation: c, Lease: lease, View: agent.NewView(scope(t), nil),
				Model: agent.ModelFunc(func(context.Context, *agent.Request, func(agent.Delta)) (*agent.Response, error) {
					return &agent.Response{Text: strings.Repeat("é", 1500)}, nil
				}),
				Notice: func(e agent.End) *store.Message {
					return &store.Message{ID: "n", To: "r", From: "c", Activation: 1, Kind: store.FromSettlement, Lane: store.Step,
						Data: agent.Content{Text: "told: " + e.Text}.Encode()}
				}})
			require.NoError(t, err)
			end := a.Run(t.Context())
			require.False(t, end.LeaseLost)
			require.Equal(t, agent.Completed, end.Outcome)
			waiting, err := s.Waiting(t.Context(), "r")
			require.NoError(t, err)
			require.Len(t, waiting, 1)
			c, err = s.Get(t.Context(), "c")
			require.NoError(t, err)
			require.False(t, c.Resident)
			require.Len(t, c.Text, want)
		})
	}
}

// An observer that panics within a turn fails the turn; the agent goes on.
func TestObserverPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(_ context.Context, req *agent.Request, _ func(agent.Delta)) (*agent.Response, error) {
			return &agent.Response{Text: req.Messages[len(req.Messages)-1].Text}, nil
		}, func(cfg *agent.Config) {
			answered := cfg.Observer.Answered
			cfg.Observer.Answered = func(id agent.Identity, m agent.Message) {
				answered(id, m)
				if m.Text == "boom" {
					panic("boom")
				}
			}
		})
		b.send("boom", store.Turn)
		require.NoError(t, b.agent.Quiet(t.Context()))
		require.Equal(t, agent.RuntimeFailed, b.agent.Last().Reason)
		var p *agent.PanicError
		require.ErrorAs(t, b.agent.Last().Err, &p)
		b.send("fine", store.Turn)
		require.NoError(t, b.agent.Quiet(t.Context()))
		require.Equal(t, "fine", b.agent.Last().Text)
		b.close()
	})
}

// An observer that panics, or ends the goroutine, outside of a turn ends the agent: as failed, and with its lease given back.
func TestObserverEndsTheAgent(t *testing.T) {
	for _, end := range []func(){func() { panic("boom") }, runtime.Goexit} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, func(context.Context, *agent.Request, func(agent.Delta)) (*agent.Response, error) {
				return &agent.Response{Text: "ok"}, nil
			}, func(cfg *agent.Config) { cfg.Observer.TurnEnded = func(agent.Identity, agent.TurnEnd) { end() } })
			b.send("go", store.Turn)
			<-b.agent.Done()
			require.Equal(t, agent.Failed, b.agent.Last().Outcome)
			require.Equal(t, agent.RuntimeFailed, b.agent.Last().Reason)
			c, err := b.store.Get(t.Context(), "r")
			require.NoError(t, err)
			require.False(t, c.Resident)
			_, stopped, err := b.agent.Interrupt(t.Context())
			require.NoError(t, err)
			require.False(t, stopped)
			b.stop()
		})
	}
}

// What a provider wants back with a message comes back with it; what is no JSON fails the turn and damages nothing.
func TestExtra(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(_ context.Context, req *agent.Request, _ func(agent.Delta)) (*agent.Response, error) {
			switch len(req.Messages) {
			case 1:
				return &agent.Response{Text: "a", Extra: json.RawMessage(`{"signed":"thought"}`)}, nil
			case 3:
				require.JSONEq(t, `{"signed":"thought"}`, string(req.Messages[1].Extra))
				return &agent.Response{Text: "b", Extra: json.RawMessage(`{`)}, nil
			}
			return &agent.Response{Text: "c"}, nil
		})
		for _, want := range []agent.Outcome{agent.Completed, agent.Failed, agent.Completed} {
			b.send("go", store.Turn)
			require.NoError(t, b.agent.Quiet(t.Context()))
			require.Equal(t, want, b.agent.Last().Outcome)
		}
		b.close()
	})
}

// While nothing is to be done, nothing happens: no call of the model, no step of the store.
func TestRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		b := newBench(t, func(context.Context, *agent.Request, func(agent.Delta)) (*agent.Response, error) {
			calls++
			return &agent.Response{Text: "ok"}, nil
		})
		b.send("go", store.Turn)
		require.NoError(t, b.agent.Quiet(t.Context()))
		require.False(t, b.agent.Running())
		rests := len(b.seen)
		time.Sleep(24 * time.Hour)
		require.Equal(t, 1, calls)
		require.Len(t, b.seen, rests)
		b.close()
		require.ErrorIs(t, b.agent.Quiet(t.Context()), agent.ErrStopped)
	})
}
