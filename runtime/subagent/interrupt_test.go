package subagent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

func interrupt(id any) agent.Call { return call("interrupt_agent", args{"agent_id": id}) }

// obeying is a brain that carries out one call for each prompt of the test, and says what came of it.
func obeying(calls map[string]agent.Call) brain {
	return func(r turnOf) (*agent.Response, error) {
		var texts []string
		asked := ""
		for _, m := range r.fresh() {
			switch m.Author {
			case agent.User:
				asked, texts = m.Text, nil // results before it are of a turn that was interrupted
			case agent.ToolResult:
				texts = append(texts, m.Text)
			}
		}
		if len(texts) > 0 {
			return say(strings.Join(texts, "\n"))
		}
		if c, ok := calls[asked]; ok {
			return do(c)
		}
		return say("ok")
	}
}

func prompt(t *testing.T, w *world, text string) string {
	t.Helper()
	c, err := w.root.Prompt(t.Context(), text)
	require.NoError(t, err)
	require.Equal(t, agent.Completed, c.End.Outcome, "%+v", c.End)
	return c.End.Text
}

// interrupt_agent stops the current turn of a child and of a child's child, parks what waits, leaves the children of the
// interrupted one running, and does nothing to one that has finished. The notice counts what is parked, and the next message
// comes behind it.
func TestInterrupt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var w *world
		w = newWorld(t, map[string]brain{
			"": obeying(map[string]agent.Call{
				"start": start("c"), "first": send("a2", "m1"), "second": send("a2", "m2"), "third": send("a2", "m3"),
				"stop the child": interrupt("a2"), "stop the leaf": interrupt("a3"),
			}),
			"c": func(r turnOf) (*agent.Response, error) {
				if r.n == 0 {
					return do(start("leaf"))
				}
				if r.n == 1 {
					return &agent.Response{Text: "c"}, w.at(r, "c")
				}
				return say(fmt.Sprintf("got %d", len(r.fresh())))
			},
			"leaf": func(r turnOf) (*agent.Response, error) { return &agent.Response{Text: "leaf"}, w.at(r, "leaf") },
		})
		defer w.close()
		w.create()
		prompt(t, w, "start")
		synctest.Wait()
		require.Contains(t, prompt(t, w, "first"), "Queued")
		require.Contains(t, prompt(t, w, "second"), "Queued")
		require.Equal(t, rendered(agents.InterruptAgentInterrupted{ID: "a2", Parked: 2}), prompt(t, w, "stop the child"))
		synctest.Wait()
		require.Equal(t, 2, w.asked("a2"), "what is parked begins no turn")
		require.True(t, w.conv("a2").Resident, "its child runs on, and keeps it")
		require.True(t, w.conv("a3").Resident)
		require.Equal(t, rendered(agents.InterruptAgentNotRunning{ID: "a2"}), prompt(t, w, "stop the child"))

		require.Equal(t, rendered(agents.InterruptAgentInterrupted{ID: "a3"}), prompt(t, w, "stop the leaf"), "an ancestor is enough")
		require.NoError(t, w.root.Wait(t.Context()))
		// The leaf's notice woke the child, which took what was parked with it; the start's result had not been answered.
		require.Equal(t, []string{"a3/1 interrupted"}, w.notices("a2"))
		require.Equal(t, []string{"a2/1 completed"}, w.notices("a1"))
		require.Equal(t, rendered(agents.SettlementNotice{ID: "a2", Label: "c", Outcome: agents.RunOutcomeCompleted, Message: tool.Some("got 4")}),
			content(t, last(w.inbox("a1"))).Text, "nothing is parked any more")
		require.Equal(t, "got 4", w.log("a2")[len(w.log("a2"))-1].Text)
		require.Equal(t, rendered(agents.InterruptAgentNotRunning{ID: "a2"}), prompt(t, w, "stop the child"))

		require.Contains(t, prompt(t, w, "third"), "Resumed")
		require.NoError(t, w.root.Wait(t.Context()))
		var got []string
		for _, m := range w.log("a2") {
			if m.Author == agent.Coordinator {
				got = append(got, m.Text)
			}
		}
		require.Equal(t, []string{"do c", "m1", "m2", "m3"}, got)
	})
}

// A child that is interrupted and has nothing that keeps it settles: its notice says so, and counts what is parked.
func TestInterruptedSettles(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var w *world
		w = newWorld(t, map[string]brain{
			"": obeying(map[string]agent.Call{"start": start("c"), "first": send("a2", "m1"), "stop": interrupt("a2"), "more": send("a2", "m2")}),
			"c": func(r turnOf) (*agent.Response, error) {
				if r.n == 0 {
					return &agent.Response{Text: "c"}, w.at(r, "c")
				}
				var texts []string
				for _, m := range r.fresh() {
					texts = append(texts, m.Text)
				}
				return say(strings.Join(texts, "+"))
			},
		})
		defer w.close()
		w.create()
		prompt(t, w, "start")
		synctest.Wait()
		prompt(t, w, "first")
		require.Equal(t, rendered(agents.InterruptAgentInterrupted{ID: "a2", Parked: 1}), prompt(t, w, "stop"))
		require.NoError(t, w.root.Wait(t.Context()))
		require.Equal(t, []string{"a2/1 interrupted"}, w.notices("a1"))
		inbox := w.inbox("a1")
		require.Equal(t, rendered(agents.SettlementNotice{ID: "a2", Label: "c", Outcome: agents.RunOutcomeInterrupted, Parked: 1}), content(t, inbox[len(inbox)-1]).Text)
		require.Contains(t, prompt(t, w, "more"), "Resumed")
		require.NoError(t, w.root.Wait(t.Context()))
		require.Equal(t, "do c+m1+m2", w.log("a2")[3].Text, "what is parked comes before the next message, in one turn")
		require.Equal(t, "m1", w.log("a2")[1].Text)
	})
}

// At every interleaving: what waited when a turn was interrupted is parked, and begins no turn by itself; a message that comes
// after the interruption begins one.
func TestInterruptRaces(t *testing.T) {
	stopped := 0
	for seed := range seeds(t, 1000) {
		bubble(t, func(t *testing.T) {
			w := newWorld(t, map[string]brain{
				"": func(r turnOf) (*agent.Response, error) {
					switch r.n {
					case 0:
						return do(start("c"))
					case 1:
						return do(send("a2", "m1"), interrupt("a2"), send("a2", "m2"))
					}
					for _, text := range r.results() {
						stopped += strings.Count(text, "Interrupted")
					}
					return say("done")
				},
				"c": func(turnOf) (*agent.Response, error) { return say("c") },
			}, scheduled(seed))
			defer w.close()
			w.begin("go")
			w.sched.run()
			var got []string
			for _, m := range w.log("a2") {
				if m.Author == agent.Coordinator {
					got = append(got, m.Text)
				}
			}
			require.Equal(t, []string{"do c", "m1", "m2"}, got, "seed %d:\n%s", seed, w.trace())
			require.Empty(t, unclaimed(w, "a2"), "seed %d:\n%s", seed, w.trace())
		})
	}
	require.NotZero(t, stopped)
}

// Fact "authority": only an ancestor interrupts.
func TestOnlyAncestorsInterrupt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var w *world
		said := make(chan string, 4)
		w = newWorld(t, map[string]brain{
			"": delegating(start("held"), start("meddler")),
			"held": func(r turnOf) (*agent.Response, error) {
				return &agent.Response{Text: "held"}, w.at(r, "held")
			},
			"meddler": func(r turnOf) (*agent.Response, error) {
				switch r.n {
				case 0:
					<-w.fence("both run")
					return do(interrupt(w.id("held")), interrupt(w.root.ID()), interrupt("nobody"), interrupt(r.Agent.ID))
				}
				for _, text := range r.results() {
					said <- text
				}
				return say("ok")
			},
		})
		defer w.close()
		w.begin("go")
		synctest.Wait()
		w.open("both run")
		for range 4 {
			require.Contains(t, <-said, "is none of the subagents below you: there are none")
		}
		w.open("held")
		require.NoError(t, w.root.Wait(t.Context()))
		for _, turn := range w.turns {
			require.Equal(t, agent.Completed, turn.Outcome)
		}
	})
}

// Cancelling a root's turn stops it, and keeps what waits for the next one. Its children run on.
func TestInterruptRoot(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var w *world
		var cause error
		w = newWorld(t, map[string]brain{
			"": func(r turnOf) (*agent.Response, error) {
				switch r.n {
				case 0:
					return do(start("c"))
				case 1:
					return do(call("slow", args{}))
				}
				return say(fmt.Sprintf("got %d", len(r.fresh())))
			},
			"c": func(r turnOf) (*agent.Response, error) { return &agent.Response{Text: "c"}, w.at(r, "c") },
		}, withTool("slow", true, func(ctx context.Context) (string, error) {
			<-ctx.Done()
			cause = context.Cause(ctx)
			return "", ctx.Err()
		}))
		defer w.close()
		w.begin("go")
		synctest.Wait()
		queued := make(chan agent.Claimed, 1)
		go func() {
			c, err := w.root.Prompt(t.Context(), "queued")
			if err == nil {
				queued <- c
			}
		}()
		synctest.Wait()
		parked, stopped, err := w.root.Interrupt(t.Context())
		require.NoError(t, err)
		require.True(t, stopped)
		require.Equal(t, 1, parked)
		require.True(t, (<-queued).Parked)
		require.ErrorIs(t, cause, agent.ErrInterrupted, "its running tools are cancelled")
		require.Equal(t, agent.Interrupted, w.root.Last().Outcome)
		require.True(t, w.conv("a2").Driving)
		synctest.Wait()
		require.Equal(t, 2, w.asked("a1"))
		claimed, err := w.root.Prompt(t.Context(), "next")
		require.NoError(t, err)
		require.Equal(t, "got 3", claimed.End.Text, "the result of the call that was cancelled, what was parked, and the prompt")
		w.open("c")
		require.NoError(t, w.root.Wait(t.Context()))
		require.Equal(t, []string{"a2/1 completed"}, w.notices("a1"))
		var turn turned
		for _, x := range w.turns {
			if x.Outcome == agent.Interrupted {
				turn = x
			}
		}
		require.True(t, errors.Is(turn.Err, agent.ErrInterrupted))
	})
}
