package subagent_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
)

var oneShot = deployment(subagent.Delegation{})

func inBackground(label string) agent.Call { return start(label, args{"run_in_background": true}) }

func jobCall(name, id string, more ...args) agent.Call {
	a := args{"job_id": id}
	for _, m := range more {
		for k, v := range m {
			a[k] = v
		}
	}
	return call("job_"+name, a)
}

// Jobs are listed, collected with and without waiting, and stopped; one that has ended keeps its output and its status.
func TestJobs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var w *world
		held := func(r turnOf) (*agent.Response, error) {
			return &agent.Response{Text: "output of " + r.Agent.Label}, w.at(r, r.Agent.Label)
		}
		w = newWorld(t, map[string]brain{
			"": obeying(map[string]agent.Call{
				"start one": inBackground("one"), "start two": inBackground("two"), "start three": inBackground("three"),
				"list": call("job_list", args{}), "wait": jobCall("output", "a2", args{"wait": true}), "look": jobCall("output", "a3"),
				"kill": jobCall("kill", "a3"), "kill the first": jobCall("kill", "a2"), "nonsense": jobCall("output", "a9"),
			}),
			"one": held, "two": held, "three": func(turnOf) (*agent.Response, error) { return nil, errors.New("down") },
		}, oneShot)
		defer w.close()
		w.create()
		require.Equal(t, "No jobs.", prompt(t, w, "list"))
		require.Equal(t, `"a9" is no job of yours: you have started none`, prompt(t, w, "nonsense"))
		for _, label := range []string{"one", "two", "three"} {
			prompt(t, w, "start "+label)
			synctest.Wait()
		}
		require.Equal(t, "a2 [running] — one\na3 [running] — two\na4 [failed] — three", prompt(t, w, "list"))
		require.Equal(t, `"a9" is no job of yours; those are a2, a3, a4`, prompt(t, w, "nonsense"))
		waited := make(chan string, 1)
		go func() {
			c, _ := w.root.Prompt(t.Context(), "wait")
			waited <- c.End.Text
		}()
		time.Sleep(9 * time.Minute)
		require.Empty(t, waited)
		w.open("one")
		require.Equal(t, "a2 [completed]\noutput of one", <-waited)
		require.Equal(t, "a3 [running]", prompt(t, w, "look"))
		require.Equal(t, "a3 [killed]", prompt(t, w, "kill"))
		require.Equal(t, "a3 [killed]\ninterrupted", prompt(t, w, "look"))
		require.Equal(t, "a2 [completed]", prompt(t, w, "kill the first"))
		require.Equal(t, "a2 [completed] — one\na3 [killed] — two\na4 [failed] — three", prompt(t, w, "list"))
		require.Empty(t, w.notices("a1"))
		require.NoError(t, w.root.Wait(t.Context()))
	})
}

// A store that fails while a job is stopped leaves it open whether it was, and the error says so: an error that says nothing of the
// kind means that nothing was stopped.
func TestKillWhenTheStoreFails(t *testing.T) {
	for _, stops := range []bool{false, true} {
		bubble(t, func(t *testing.T) {
			var down, ended atomic.Bool
			w := newWorld(t, map[string]brain{
				"":    obeying(map[string]agent.Call{"start": inBackground("job"), "kill": jobCall("kill", "a2"), "look": jobCall("output", "a2")}),
				"job": func(r turnOf) (*agent.Response, error) { <-r.ctx.Done(); return nil, r.ctx.Err() },
			}, oneShot, func(w *world) {
				w.store = &hooked{Store: w.store, before: func(step string, of store.ID, _ string) error {
					if of == "a2" && step == "settle" {
						ended.Store(true)
					}
					if of == "a2" && step == "get" && down.Load() && (ended.Load() || !stops) {
						return errDisk
					}
					return nil
				}}
			})
			defer w.close()
			w.create()
			prompt(t, w, "start")
			down.Store(true)
			says, status := "the disk has failed", "a2 [running]"
			if stops {
				says, status = "whether a2 was stopped is not known: the disk has failed", "a2 [killed]\ninterrupted"
			}
			require.Equal(t, says, prompt(t, w, "kill"))
			down.Store(false)
			require.Equal(t, status, prompt(t, w, "look"))
		})
	}
}

// While a call waits for a job, its turn does not stall: the job has a bound of its own.
func TestWaitingForAJobIsNoStall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, map[string]brain{
			"":    obeying(map[string]agent.Call{"start": inBackground("job"), "wait": jobCall("output", "a2", args{"wait": true})}),
			"job": func(r turnOf) (*agent.Response, error) { <-r.ctx.Done(); return nil, r.ctx.Err() },
		}, oneShot, func(w *world) { w.cfg.Settings.Stall = time.Minute })
		defer w.close()
		w.create()
		prompt(t, w, "start")
		require.Equal(t, "a2 [failed]\nfailed, nothing happened for too long", prompt(t, w, "wait"))
	})
}

// A parent ends no run while a job of it runs; a job that runs in another process is waited for by what the store says.
func TestJobElsewhere(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, map[string]brain{
			"":  obeying(map[string]agent.Call{"start": inBackground("job"), "wait": jobCall("output", "a2", args{"wait": true}), "kill": jobCall("kill", "a2"), "look": jobCall("output", "a2")}),
			"*": saying("first"),
		}, oneShot)
		defer w.close()
		w.create()
		prompt(t, w, "start")
		require.NoError(t, w.root.Wait(t.Context()))
		lease, err := w.store.Acquire(t.Context(), "other", "a2")
		require.NoError(t, err)
		require.ErrorIs(t, w.root.Wait(timeout(t, time.Minute)), context.DeadlineExceeded, "the run is not over")
		require.Equal(t, "a2 runs in another process, and can be stopped only there", prompt(t, w, "kill"))
		require.Equal(t, "a2 [running]", prompt(t, w, "look"), "without the output of before")
		waited := make(chan string, 1)
		go func() {
			c, _ := w.root.Prompt(t.Context(), "wait")
			waited <- c.End.Text
		}()
		synctest.Wait()
		require.Empty(t, waited)
		require.NoError(t, w.store.Settle(t.Context(), lease, lease.Last, store.Settlement{Outcome: "completed", Text: "second", Activation: 2}))
		require.Equal(t, "a2 [completed]\nsecond", <-waited)
	})
}

// A job elsewhere that ends just before somebody begins to wait for its end is not waited for.
func TestJobEndsAsItIsAsked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		end := func() error { return nil }
		var gets atomic.Int32
		w := newWorld(t, map[string]brain{
			"":  obeying(map[string]agent.Call{"start": inBackground("job"), "wait": jobCall("output", "a2", args{"wait": true})}),
			"*": saying("first"),
		}, oneShot, func(w *world) {
			w.store = &hooked{Store: w.store, after: func(step string, of store.ID, _ string) error {
				if step != "get" || of != "a2" || gets.Load() == 0 || gets.Add(-1) > 0 {
					return nil
				}
				return end()
			}}
		})
		defer w.close()
		w.create()
		prompt(t, w, "start")
		require.NoError(t, w.root.Wait(t.Context()))
		lease, err := w.store.Acquire(t.Context(), "other", "a2")
		require.NoError(t, err)
		end = func() error {
			err := w.store.Settle(t.Context(), lease, lease.Last, store.Settlement{Outcome: "completed", Text: "second", Activation: 2})
			synctest.Wait() // whoever was told of it has been
			return err
		}
		gets.Store(2) // the call's own, and the first look of who waits
		require.Equal(t, "a2 [completed]\nsecond", prompt(t, w, "wait"))
	})
}

// The job tools are for jobs of one's own: not for other subagents, and not for jobs that others have started.
func TestOnlyOwnJobs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		job := func(label string) agent.Call {
			return call("work", args{"description": label, "prompt": label, "run_in_background": true})
		}
		w := newWorld(t, map[string]brain{
			"": obeying(map[string]agent.Call{"start": start("c"), "own": job("own"), "mine": jobCall("output", "a4"),
				"other kind": jobCall("output", "a2"), "of another": jobCall("kill", "a3")}),
			"c":   delegating(job("theirs")),
			"own": saying("mine"), "theirs": saying("theirs"),
		}, func(w *world) {
			w.cfg.Delegations = []subagent.Delegation{{Options: continuable[0].Options, Primary: true}, {Name: "work"}}
		})
		defer w.close()
		w.create()
		for _, text := range []string{"start", "own"} {
			prompt(t, w, text)
			require.NoError(t, w.root.Wait(t.Context()))
		}
		require.Equal(t, store.Job, w.conv("a3").Kind)
		require.Equal(t, store.ID("a2"), w.conv("a3").Parent)
		require.Equal(t, "a4 [completed]\nmine", prompt(t, w, "mine"))
		require.Equal(t, `"a2" is no job of yours; those are a4`, prompt(t, w, "other kind"))
		require.Equal(t, `"a3" is no job of yours; those are a4`, prompt(t, w, "of another"))
	})
}

func timeout(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
