package subagent_test

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

func report(text string) agent.Call { return call("report", args{"output": text}) }

// names is what a request offers.
func (r turnOf) names() string {
	var out []string
	for _, d := range r.Tools {
		out = append(out, d.Name)
	}
	return strings.Join(out, " ")
}

// `report` is mounted only in continuable children, and no restriction removes it. With it comes the prompt that a final report
// is mandatory and earlier ones are for what changes the parent's next action.
func TestReportIsMounted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		type shown struct{ tools, system string }
		var mu sync.Mutex
		saw := map[string]shown{}
		look := func(r turnOf) (*agent.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			saw[r.Agent.Label] = shown{r.names(), r.System}
			return say("ok")
		}
		w := newWorld(t, map[string]brain{
			"": func(r turnOf) (*agent.Response, error) {
				_, _ = look(r)
				if r.n > 0 {
					return say("ok")
				}
				return do(start("continuable"), start("foreground", args{"run_in_background": false}),
					call("work", args{"description": "job", "prompt": "p", "run_in_background": true}),
					call("bare", args{"description": "bare", "prompt": "p"}),
					call("bare", args{"description": "bare foreground", "prompt": "p", "run_in_background": false}))
			},
			"*": look,
		}, func(w *world) {
			w.cfg.Delegations = []subagent.Delegation{
				{Options: continuable[0].Options, Primary: true}, {Name: "work"},
				{Name: "bare", Options: continuable[0].Options, Allow: []string{}},
			}
		})
		defer w.close()
		w.begin("go")
		require.NoError(t, w.root.Wait(t.Context()))
		require.Equal(t, "report", saw["bare"].tools)
		require.Contains(t, saw["continuable"].tools, "report")
		for label, s := range saw {
			has := label == "continuable" || label == "bare"
			require.Equal(t, has, strings.Contains(" "+s.tools+" ", " report "), label)
			// The words are the prompt's, whose obligations tests/agents pins.
			system := strings.ToLower(s.system)
			require.Equal(t, has, strings.Contains(system, "exactly one final report"), label)
			require.Equal(t, has, strings.Contains(system, "finding that changes the parent's next action"), label)
		}
		require.Len(t, saw, 6)
		require.Empty(t, saw["bare foreground"].tools)
	})
}

// A report reaches only the direct parent. Under next-step it wakes an idle one.
func TestReportWakes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var w *world
		w = newWorld(t, map[string]brain{
			"":       delegating(start("middle")),
			"middle": delegating(start("leaf")),
			"leaf": func(r turnOf) (*agent.Response, error) {
				if r.n == 0 {
					<-w.fence("all idle")
					return do(report("I found it"))
				}
				return &agent.Response{Text: "leaf"}, w.at(r, "end")
			},
		})
		defer w.close()
		w.begin("go")
		synctest.Wait()
		require.Equal(t, 2, w.asked("a2"))
		w.open("all idle")
		synctest.Wait()
		require.Equal(t, 3, w.asked("a2"), "the parent is woken")
		require.Equal(t, []string{"I found it"}, w.reports("a2"))
		require.Equal(t, 2, w.asked("a1"))
		require.Empty(t, w.reports("a1"), "and nobody else is told")
		m := w.log("a2")
		require.Equal(t, agent.Report, m[len(m)-2].Author)
		require.Equal(t, store.ID("a3"), m[len(m)-2].From)
		require.Equal(t, rendered(agents.ReportNotice{ID: "a3", Label: "leaf", Output: "I found it"}), m[len(m)-2].Text)
		w.open("end")
		require.NoError(t, w.root.Wait(t.Context()))
	})
}

// Under quiet a report wakes nobody and keeps nobody, and comes with whatever is next, before the settlement.
func TestQuietReport(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var w *world
		w = newWorld(t, map[string]brain{
			"": delegating(start("c")),
			"c": func(r turnOf) (*agent.Response, error) {
				if r.n == 0 {
					<-w.fence("idle")
					return do(report("I found it"))
				}
				return &agent.Response{Text: "c"}, w.at(r, "end")
			},
		}, func(w *world) { w.cfg.Report = agents.ReportOptions{ReportDelivery: agents.ReportReportDeliveryQuiet} })
		defer w.close()
		w.begin("go")
		synctest.Wait()
		w.open("idle")
		synctest.Wait()
		require.Equal(t, 2, w.asked("a1"), "it does not wake")
		require.Equal(t, []string{"I found it"}, w.reports("a1"), "it is in the inbox")
		w.open("end")
		require.NoError(t, w.root.Wait(t.Context()))
		require.Equal(t, "got 2", w.root.Last().Text)
		log := w.log("a1")
		require.Equal(t, agent.Report, log[len(log)-3].Author)
		require.Equal(t, agent.Settlement, log[len(log)-2].Author)
	})
}

// Fact "authority": only the live child reports. A call that names no agent, and one of a conversation that cannot report, are
// errors.
func TestOnlyTheChildReports(t *testing.T) {
	w := newWorld(t, nil)
	defer w.close()
	scope, err := w.cfg.Tools.Scope()
	require.NoError(t, err)
	for _, name := range []string{"report", "subagent", "list_agents", "send_message", "interrupt_agent"} {
		arguments := map[string]string{
			"report": `{"output":"x"}`, "subagent": `{"description":"d","prompt":"p"}`, "list_agents": `{}`,
			"send_message": `{"subagent_id":"a","message":"m"}`, "interrupt_agent": `{"agent_id":"a"}`,
		}[name]
		res := scope.Call(t.Context(), tool.Call{ID: "1", Name: name, Arguments: []byte(arguments)})
		require.True(t, res.IsError)
		require.Contains(t, res.Text, "the call comes from no agent", name)
	}
}
