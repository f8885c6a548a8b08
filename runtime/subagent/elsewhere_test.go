package subagent_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
)

// beating lets a world say that it lives, and look for those that do not.
func beating(w *world) { w.cfg.Heartbeat = 0 }

// apart makes a child a2 of the root a1 of a world, and another process, whose agents have brains of their own.
func apart(t *testing.T, w *world, brains map[string]brain) *process {
	t.Helper()
	w.create()
	require.Contains(t, prompt(t, w, "start"), "Started")
	require.NoError(t, w.root.Wait(t.Context()))
	return newProcess(t, w.store, "q", brains)
}

// adopt lets a2 go on with a message in a process.
func (p *process) adopt(t *testing.T, w *world) {
	t.Helper()
	tell(t, w, "work")
	require.NoError(t, p.svc.Adopt(t.Context(), "a2"))
	synctest.Wait()
}

// tell sends a2 what its parent says.
func tell(t *testing.T, w *world, text string) {
	t.Helper()
	require.NoError(t, w.store.Send(t.Context(), store.Message{
		ID: "told " + text, To: "a2", From: "a1", Kind: store.FromParent, Lane: store.Turn, Activation: w.conv("a1").Activation,
		Data: agent.Content{Text: text}.Encode(),
	}))
}

// controlling is the brain of a root that starts c, and does to a2 and a3 what it is told.
func controlling() brain {
	return obeying(map[string]agent.Call{
		"start": start("c"), "list": list("children"), "list all": list("descendants"), "first": send("a2", "m1"), "second": send("a2", "m2"),
		"stop": interrupt("a2"), "stop below": interrupt("a3"),
	})
}

// A child that lives in another process gets messages, is listed as it is, and is interrupted there, and so is what it has
// started. Its notices reach the parent here, and once it has settled it is resumed here.
func TestElsewhere(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, map[string]brain{"": controlling(), "c": func(r turnOf) (*agent.Response, error) {
			return say(fmt.Sprintf("here, %d new", len(r.fresh())))
		}}, beating)
		defer w.close()
		var there *process
		there = apart(t, w, map[string]brain{
			"c": func(r turnOf) (*agent.Response, error) {
				switch {
				case r.n == 0:
					return do(start("leaf"))
				case r.n == 1:
					return &agent.Response{Text: "waiting"}, there.at(r, "rest")
				case r.n == 2:
					return &agent.Response{Text: "m1"}, there.at(r, "m1")
				}
				return say(fmt.Sprintf("there, %d new", len(r.fresh())))
			},
			"leaf": func(r turnOf) (*agent.Response, error) { return &agent.Response{Text: "leaf"}, there.at(r, "leaf") },
		})
		defer there.close()
		there.adopt(t, w)
		require.Equal(t, "a2 [running] — c\n", prompt(t, w, "list"))
		there.open("rest")
		synctest.Wait()
		require.Equal(t, "a2 [idle] — c (started by a1, depth 1)\na3 [running] — leaf (started by a2, depth 2)\n", prompt(t, w, "list all"))
		require.Equal(t, rendered(agents.InterruptAgentNotRunning{ID: "a2"}), prompt(t, w, "stop"))

		// One between turns starts at once, one at work takes the message after its turn.
		require.Equal(t, rendered(agents.SendMessageDelivered{ID: "a2"}), prompt(t, w, "first"))
		synctest.Wait()
		require.Equal(t, "m1", content(t, last(w.inbox("a2"))).Text)
		require.Equal(t, rendered(agents.SendMessageQueued{ID: "a2"}), prompt(t, w, "second"))
		require.Equal(t, rendered(agents.InterruptAgentInterrupted{ID: "a2", Parked: 1}), prompt(t, w, "stop"))
		synctest.Wait()
		require.True(t, w.conv("a2").Resident, "what it has started runs on, and keeps it")
		require.Equal(t, 3, there.asked("a2"), "what is parked begins no turn")
		require.Equal(t, rendered(agents.InterruptAgentInterrupted{ID: "a3"}), prompt(t, w, "stop below"), "an ancestor is enough")
		require.NoError(t, w.root.Wait(t.Context()))
		require.Equal(t, []string{"a3/1 interrupted"}, there.notices("a2"))
		require.Equal(t, []string{"a2/1 completed", "a2/2 completed"}, w.notices("a1"))
		require.Equal(t, "there, 3 new", w.conv("a2").Text, "the message whose turn was stopped, what was parked, the leaf's notice")
		require.Equal(t, rendered(agents.InterruptAgentNotRunning{ID: "a2"}), prompt(t, w, "stop"))
		require.Equal(t, "a2 [ready] — c\n", prompt(t, w, "list"))
		require.Empty(t, w.probs)
		require.Empty(t, there.probs)
	})
}

func last[T any](list []T) T { return list[len(list)-1] }

// At every interleaving of two processes, an interruption stops the turn that was in progress when it was asked for, and no other:
// as many turns were stopped as calls say so. Messages are processed once and in order, and what is parked begins no turn.
func TestInterruptElsewhereRaces(t *testing.T) {
	stopped, finished := 0, 0
	for seed := range seeds(t, 1000) {
		bubble(t, func(t *testing.T) {
			said := 0
			w := newWorld(t, map[string]brain{
				"": func(r turnOf) (*agent.Response, error) {
					for _, text := range r.results() {
						said += strings.Count(text, "Interrupted")
						finished += strings.Count(text, "no turn in progress")
					}
					switch {
					case r.n == 0:
						return do(start("c"))
					case r.has(agent.User, "on"):
						return do(interrupt("a2"), send("a2", "m1"), interrupt("a2"), send("a2", "m2"), interrupt("a2"))
					}
					return say("done")
				},
				"c": saying("first"),
			}, scheduled(seed))
			defer w.close()
			w.create()
			require.NoError(t, w.root.Send(t.Context(), "go", false))
			synctest.Wait()
			there := newWorld(t, map[string]brain{"c": func(turnOf) (*agent.Response, error) { return say("c") }},
				func(v *world) { v.store, v.sched, v.cfg.Process = w.store, w.sched, "q" })
			defer there.close()
			tell(t, w, "work")
			w.sched.hold()
			adopted := make(chan error, 1)
			go func() { adopted <- there.svc.Adopt(t.Context(), "a2") }()
			for n := uint64(0); w.sched.step(); n++ {
				if n == 4+seed%12 {
					go func() { _ = w.svc.Send(t.Context(), "a1", "on") }()
				}
			}
			require.NoError(t, <-adopted)
			w.sched.open()
			time.Sleep(time.Minute)
			synctest.Wait()
			turns := 0
			for _, x := range append(w.turns, there.turns...) {
				if x.ID == "a2" && x.Outcome == agent.Interrupted {
					turns++
				}
			}
			require.Equal(t, said, turns, "seed %d:\n%s", seed, w.trace())
			stopped += said
			var got []string
			for _, m := range w.inbox("a2") {
				if m.Kind == store.FromParent {
					got = append(got, content(t, m).Text)
				}
			}
			require.Equal(t, []string{"do c", "work", "m1", "m2"}, got, "seed %d:\n%s", seed, w.trace())
			for _, m := range unclaimed(w, "a2") {
				require.True(t, m.Parked, "seed %d:\n%s", seed, w.trace())
			}
			require.False(t, w.conv("a2").Resident, "seed %d:\n%s", seed, w.trace())
			require.Len(t, w.notices("a1"), int(w.conv("a2").Activation), "seed %d:\n%s", seed, w.trace())
		})
	}
	require.NotZero(t, stopped)
	require.NotZero(t, finished)
}

// An interruption that is noticed late stops nothing: the turn that it meant has ended, and the next one is not meant.
func TestLateInterruptElsewhere(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, map[string]brain{"": controlling(), "c": saying("first")}, beating)
		defer w.close()
		var there *process
		there = apart(t, w, map[string]brain{"c": func(r turnOf) (*agent.Response, error) {
			return &agent.Response{Text: fmt.Sprint("turn ", r.n)}, there.at(r, fmt.Sprint("turn ", r.n))
		}})
		defer there.close()
		there.adopt(t, w)
		require.Contains(t, prompt(t, w, "first"), "Queued")
		activation, upTo := w.conv("a2").Activation, int64(len(logOf(w, "a2"))) // as whoever interrupts has read it
		there.open("turn 0")
		synctest.Wait()
		require.Equal(t, 2, there.asked("a2"))
		require.NoError(t, w.store.Interrupt(t.Context(), "a2", activation, upTo))
		synctest.Wait()
		time.Sleep(time.Minute)
		require.True(t, w.conv("a2").Driving)
		there.open("turn 1")
		require.NoError(t, w.root.Wait(t.Context()))
		require.Equal(t, []string{"a2/1 completed", "a2/2 completed"}, w.notices("a1"))
	})
}

func logOf(w *world, id store.ID) []store.Entry {
	entries, err := w.store.Log(w.t.Context(), id, 0, 0)
	require.NoError(w.t, err)
	return entries
}

// Where the process that has the child dies, the interruption is lost with it, and says that nothing was stopped; the child's next
// residency is not touched.
func TestInterruptOfTheDead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, map[string]brain{"": controlling(), "c": saying("again")}, beating)
		defer w.close()
		var there *process
		there = apart(t, w, map[string]brain{"c": func(r turnOf) (*agent.Response, error) {
			<-r.ctx.Done()
			<-there.fence("never")
			return nil, r.ctx.Err()
		}})
		there.adopt(t, w)
		there.kill()
		require.Contains(t, prompt(t, w, "first"), "Queued", "nobody knows yet that the holder is dead")
		asked := time.Now()
		require.Equal(t, rendered(agents.InterruptAgentNotRunning{ID: "a2"}), prompt(t, w, "stop"))
		require.Less(t, time.Since(asked), 40*time.Second)
		require.Equal(t, []string{"a2/1 completed", "a2/2 lost"}, w.notices("a1"))
		require.Contains(t, prompt(t, w, "second"), "Resumed")
		require.NoError(t, w.root.Wait(t.Context()))
		require.Equal(t, []string{"a2/1 completed", "a2/2 lost", "a2/3 completed"}, w.notices("a1"))
		there.open("never")
		there.revive()
		require.NoError(t, there.svc.Close(t.Context()))
	})
}

// Whatever step fails while a turn is interrupted elsewhere, before it happens or after, the turn is stopped once and the call says
// so.
func TestInterruptElsewhereFailsOnce(t *testing.T) {
	for _, step := range []string{"get", "log", "interrupt", "park", "append", "settle"} {
		for nth := range 4 {
			for _, how := range []fault{failsBefore, failsAfter} {
				t.Run(fmt.Sprintf("%s %d %d", step, nth, how), func(t *testing.T) {
					bubble(t, func(t *testing.T) {
						var count atomic.Int32 // of the steps since the interruption; negative before and after it
						count.Store(-100)
						w := newWorld(t, map[string]brain{"": controlling(), "c": saying("first")}, failing(func(s string, id store.ID) fault {
							if s == step && id == "a2" && count.Add(1) == int32(nth+1) {
								return how
							}
							return works
						}))
						defer w.close()
						there := apart(t, w, map[string]brain{"c": func(r turnOf) (*agent.Response, error) { <-r.ctx.Done(); return nil, r.ctx.Err() }})
						defer there.close()
						there.adopt(t, w)
						count.Store(0)
						require.Equal(t, rendered(agents.InterruptAgentInterrupted{ID: "a2"}), prompt(t, w, "stop"))
						count.Store(-100)
						require.NoError(t, w.root.Wait(t.Context()))
						require.Equal(t, []string{"a2/1 completed", "a2/2 interrupted"}, w.notices("a1"))
					})
				})
			}
		}
	}
}

// A store that fails for longer than there is patience leaves it open whether the turn was stopped, and the error says so; where
// the request was not made, it says what failed.
func TestInterruptElsewhereWithoutStore(t *testing.T) {
	for step, says := range map[string]string{
		"interrupt": "whether the turn of a2 was stopped is not known: the disk has failed",
		"get":       "the disk has failed",
	} {
		bubble(t, func(t *testing.T) {
			var down atomic.Bool
			w := newWorld(t, map[string]brain{"": controlling(), "c": saying("first")}, failing(func(s string, id store.ID) fault {
				if down.Load() && s == step && id == "a2" {
					return failsBefore
				}
				return works
			}))
			there := apart(t, w, map[string]brain{"c": func(r turnOf) (*agent.Response, error) { <-r.ctx.Done(); return nil, r.ctx.Err() }})
			there.adopt(t, w)
			down.Store(true)
			_, stopped, err := w.svc.Interrupt(t.Context(), "a2")
			require.ErrorContains(t, err, says)
			require.False(t, stopped)
			down.Store(false)
			require.True(t, w.conv("a2").Driving)
			there.close()
			w.close()
		})
	}
}

// Service.Interrupt reaches a root in another process, too; nothing else than the turn ends there.
func TestInterruptRootElsewhere(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, map[string]brain{"": func(r turnOf) (*agent.Response, error) {
			if r.n == 0 {
				<-r.ctx.Done()
				return nil, r.ctx.Err()
			}
			return say(fmt.Sprint(len(r.fresh()), " new"))
		}}, withTool("own", true, nil))
		defer w.close()
		w.begin("go")
		twin := newWorld(t, nil, func(v *world) { v.store, v.cfg.Process = w.store, "q" })
		defer twin.close()
		synctest.Wait()
		require.NoError(t, twin.svc.Send(t.Context(), "a1", "queued"))
		parked, stopped, err := twin.svc.Interrupt(t.Context(), "a1")
		require.NoError(t, err)
		require.True(t, stopped)
		require.Equal(t, 1, parked)
		_, stopped, err = twin.svc.Interrupt(t.Context(), "a1")
		require.NoError(t, err)
		require.False(t, stopped)
		require.Equal(t, agent.Interrupted, w.root.Last().Outcome)
		require.Equal(t, "3 new", prompt(t, w, "next"), "what began the turn that was stopped, what was parked, and the prompt")
		_, _, err = twin.svc.Interrupt(t.Context(), "nobody")
		require.ErrorIs(t, err, store.ErrUnknown)
	})
}

// An agent that does not know yet that it has lost its lease is not the one that is meant: the turn of the new holder is stopped.
func TestInterruptOfTheNewHolder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var w *world
		w = newWorld(t, map[string]brain{"": controlling(), "c": func(r turnOf) (*agent.Response, error) {
			return &agent.Response{Text: "of the old one"}, w.at(r, "old")
		}}, beating)
		defer w.close()
		w.create()
		prompt(t, w, "start")
		synctest.Wait()
		var held *store.HeldError
		_, err := w.store.Acquire(t.Context(), "q", "a2")
		require.ErrorAs(t, err, &held)
		require.NoError(t, w.store.Lose(t.Context(), held.Lease, store.Settlement{Outcome: "lost", Activation: 1}))
		there := newProcess(t, w.store, "q", map[string]brain{"c": func(r turnOf) (*agent.Response, error) { <-r.ctx.Done(); return nil, r.ctx.Err() }})
		defer there.close()
		tell(t, w, "work")
		require.NoError(t, there.svc.Adopt(t.Context(), "a2"))
		synctest.Wait()
		require.Equal(t, rendered(agents.InterruptAgentInterrupted{ID: "a2"}), prompt(t, w, "stop"))
		require.Len(t, there.turns, 1)
		require.Equal(t, agent.Interrupted, there.turns[0].Outcome)
		w.open("old")
		require.NoError(t, w.root.Wait(t.Context()))
		require.Equal(t, []string{"a2/2 interrupted"}, w.notices("a1"))
		require.True(t, w.ends[0].LeaseLost)
	})
}
