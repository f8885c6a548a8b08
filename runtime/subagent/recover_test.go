package subagent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/memory"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// process is a world that shares a store, and can be killed: from then on nothing of it reaches the store. The store's steps are
// the same for a process that is only paused, which comes back.
type process struct {
	*world
	kill, revive func()
}

func newProcess(t *testing.T, s store.Store, name string, brains map[string]brain, edit ...func(*world)) *process {
	way, kill, revive := mortal(s)
	p := &process{kill: kill, revive: revive}
	p.world = newWorld(t, brains, append(edit, func(w *world) {
		w.store, w.cfg.Process, w.cfg.Heartbeat = way, name, 0
	})...)
	p.world.store = s // what the test looks at
	return p
}

// Fact "restart": after the death of a process, what was running settles as lost with its notice, the leaves first; what had
// settled keeps its result; notices that wait wake nobody, and arrive once, in the first turn that somebody starts; nothing is
// revived by itself; every id that a notice offers resolves, with the conversation that it had.
func TestProcessDies(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := memory.New()
		held := func(r turnOf) (*agent.Response, error) { <-r.ctx.Done(); return nil, r.ctx.Err() }
		first := newProcess(t, s, "p", map[string]brain{
			"":     obeying(map[string]agent.Call{"start done": start("done"), "start held": start("held"), "start parent": start("parent")}),
			"done": saying("my result"), "held": held, "leaf": held,
			"parent": func(r turnOf) (*agent.Response, error) {
				if r.n == 0 {
					return do(start("leaf"))
				}
				return say("my leaf works")
			},
		})
		first.create()
		for _, label := range []string{"done", "held", "parent"} {
			prompt(t, first.world, "start "+label)
			synctest.Wait()
		}
		notices := len(first.notices("a1"))
		first.kill()

		second := newProcess(t, s, "q", map[string]brain{
			"": func(r turnOf) (*agent.Response, error) {
				switch {
				case r.has(agent.User, "hello"):
					var got []string
					for _, m := range r.fresh() {
						got = append(got, string(m.Author)+" "+m.Label)
					}
					return say(strings.Join(got, "|"))
				case r.has(agent.User, "send"):
					return do(send("a4", "go on"), send("a3", "go on"))
				}
				return say("ok")
			},
			"*": func(r turnOf) (*agent.Response, error) { return say(fmt.Sprintf("%d new", len(r.fresh()))) },
		})
		defer second.close()
		_, err := second.svc.Open(t.Context(), "a1")
		require.ErrorIs(t, err, store.ErrHeld, "nobody knows yet that the holder is dead")
		time.Sleep(40 * time.Second)
		require.Equal(t, []string{"a2/1 completed", "a3/1 lost", "a4/1 lost"}, second.notices("a1"))
		require.Equal(t, 1, notices)
		require.Equal(t, []string{"a5/1 lost"}, second.notices("a4"))
		require.Equal(t, "my result", second.conv("a2").Text)
		for id, outcome := range map[store.ID]string{"a1": "lost", "a2": "completed", "a3": "lost", "a4": "lost", "a5": "lost"} {
			require.Equal(t, outcome, second.conv(id).Outcome, id)
			require.False(t, second.conv(id).Resident, "nothing is revived")
		}
		m := second.inbox("a1")
		require.Equal(t, rendered(agents.SettlementNotice{ID: "a4", Label: "parent", Outcome: agents.RunOutcomeLost, Message: tool.Some("my leaf works"), Parked: 1}),
			content(t, m[len(m)-1]).Text)

		second.root, err = second.svc.Open(t.Context(), "a1")
		require.NoError(t, err)
		synctest.Wait()
		require.Empty(t, second.calls, "what waits wakes nobody")
		said := prompt(t, second.world, "hello")
		require.Equal(t, "settlement held|settlement parent|user ", said, "that of the other one had arrived")
		prompt(t, second.world, "send")
		require.NoError(t, second.root.Wait(t.Context()))
		require.Equal(t, []string{"a2/1 completed", "a3/1 lost", "a4/1 lost", "a4/2 completed", "a3/2 completed"}, sortedBy(second.notices("a1"), 3))
		require.Equal(t, "2 new", second.conv("a4").Text, "the leaf's notice and the message")
		first.revive()
		require.NoError(t, first.svc.Close(t.Context()))
		require.Len(t, second.notices("a1"), 5, "the dead say nothing more")
	})
}

// sortedBy leaves a prefix and puts the rest into a fixed order: who of two settles first is the scheduler's affair.
func sortedBy(list []string, n int) []string {
	if len(list) == n+2 && strings.HasPrefix(list[n], "a3") {
		list[n], list[n+1] = list[n+1], list[n]
	}
	return list
}

// A call that had started a child gets its result again; every other call without a result gets an error; none is carried out
// again, and the turn is not taken up by itself.
func TestCallsAfterDeath(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := memory.New()
		ran := 0
		slow := withTool("slow", true, func(ctx context.Context) (string, error) {
			ran++
			<-ctx.Done()
			return "", ctx.Err()
		})
		first := newProcess(t, s, "p", map[string]brain{
			"": func(turnOf) (*agent.Response, error) {
				return do(start("background"), call("slow", args{}), start("foreground", args{"run_in_background": false}),
					start("quick", args{"run_in_background": false}), agent.Call{Name: "slow", Arguments: "{not json"})
			},
			"quick": saying("quick answer"),
			"*":     func(r turnOf) (*agent.Response, error) { <-r.ctx.Done(); return nil, r.ctx.Err() },
		}, slow)
		first.begin("go")
		synctest.Wait()
		first.kill()

		second := newProcess(t, s, "q", map[string]brain{"": func(r turnOf) (*agent.Response, error) {
			require.JSONEq(t, `{"invalid_arguments":"{not json"}`, r.Messages[1].Calls[4].Arguments, "providers take nothing else")
			return say(strings.Join(r.results(), "|"))
		}}, slow)
		defer second.close()
		time.Sleep(40 * time.Second)
		var err error
		second.root, err = second.svc.Open(t.Context(), "a1")
		require.NoError(t, err)
		synctest.Wait()
		require.Empty(t, second.calls)
		id := string(first.id("background"))
		require.Equal(t, rendered(agents.SubagentContinuable{ID: id, Label: "background"})+"|"+
			"The process ended before this call had a result. Part of its work may be done.|"+
			"the subagent gave no answer: the process that ran it has ended|"+
			"quick answer|"+
			"The process ended before this call had a result. Part of its work may be done.", prompt(t, second.world, "hello"))
		require.Equal(t, 1, ran)
		first.revive()
		require.NoError(t, first.svc.Close(t.Context()))
	})
}

// A process that was only paused comes back and finds its leases lost: it writes nothing, reports nothing and notifies nobody.
// Its heart tells its agents, resting ones too; without one, they find out when they act.
func TestPausedProcess(t *testing.T) {
	for _, beats := range []bool{true, false} {
		bubble(t, func(t *testing.T) {
			s := memory.New()
			var first *process
			first = newProcess(t, s, "p", map[string]brain{
				"": delegating(start("c")),
				"c": func(r turnOf) (*agent.Response, error) {
					if r.n == 0 {
						return do(report("early"))
					}
					<-first.fence("late")
					return do(report("too late"))
				},
			})
			first.begin("go")
			synctest.Wait()
			first.kill()
			second := newProcess(t, s, "q", nil)
			defer second.close()
			time.Sleep(40 * time.Second)
			require.Equal(t, []string{"a2/1 lost"}, second.notices("a1"))
			before, err := s.Log(t.Context(), "a2", 0, 0)
			require.NoError(t, err)
			first.revive()
			if beats {
				time.Sleep(time.Minute)
				synctest.Wait()
				require.Len(t, first.ends, 2)
			}
			first.open("late")
			time.Sleep(time.Minute)
			synctest.Wait()
			after, err := s.Log(t.Context(), "a2", 0, 0)
			require.NoError(t, err)
			require.Equal(t, before, after, "a late writer is refused")
			require.Equal(t, []string{"early"}, second.reports("a1"))
			require.Equal(t, []string{"a2/1 lost"}, second.notices("a1"))
			require.Len(t, first.ends, 2)
			for _, e := range first.ends {
				require.True(t, e.LeaseLost)
				require.Equal(t, agent.Lost, e.Outcome)
			}
			require.NoError(t, first.svc.Close(t.Context()))
		})
	}
}

// Of several processes that find a dead one, one writes its end.
func TestOneRecovers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := memory.New()
		first := newProcess(t, s, "p", map[string]brain{"": delegating(start("a"), start("b")), "*": func(r turnOf) (*agent.Response, error) {
			<-r.ctx.Done()
			return nil, r.ctx.Err()
		}})
		first.begin("go")
		synctest.Wait()
		first.kill()
		var all []*process
		for i := range 5 {
			all = append(all, newProcess(t, s, fmt.Sprintf("q%d", i), nil))
		}
		time.Sleep(time.Minute)
		require.ElementsMatch(t, []string{"a2/1 lost", "a3/1 lost"}, all[0].notices("a1"))
		for _, p := range all {
			p.close()
			require.Empty(t, p.probs)
		}
		first.revive()
		require.NoError(t, first.svc.Close(t.Context()))
	})
}
