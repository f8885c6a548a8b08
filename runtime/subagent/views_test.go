package subagent_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

var codeSpan = regexp.MustCompile("`[^`]*`")

// Fact "prompt names what is not there": for every subset of the tools, the whole system prompt, the host's sections included,
// names only that subset, and the dispatcher accepts exactly it.
func TestPromptNamesWhatIsThere(t *testing.T) {
	all := []string{"subagent", "list_agents", "send_message", "interrupt_agent", "own"}
	for mask := range 1 << len(all) {
		var visible, hidden []string
		for i, name := range all {
			if mask&(1<<i) != 0 {
				visible = append(visible, name)
			} else {
				hidden = append(hidden, name)
			}
		}
		bubble(t, func(t *testing.T) {
			shown, texts, said := "", "", ""
			w := newWorld(t, map[string]brain{"": func(r turnOf) (*agent.Response, error) {
				if r.n > 0 {
					said = strings.Join(r.results(), "\n")
					return say("ok")
				}
				shown, texts = r.names(), r.System
				for _, d := range r.Tools {
					texts += "\n" + d.Description + string(d.Parameters)
				}
				var calls []agent.Call
				for _, name := range append([]string{"report"}, hidden...) {
					calls = append(calls, call(name, args{}))
				}
				return do(calls...)
			}}, withTool("own", true, nil))
			defer w.close()
			var err error
			w.root, err = w.svc.Create(t.Context(), subagent.RootSpec{Label: "root", Allow: append([]string{}, visible...)})
			require.NoError(t, err)
			require.NoError(t, w.root.Send(t.Context(), "go", false))
			synctest.Wait()
			require.ElementsMatch(t, visible, strings.Fields(shown))
			for _, name := range append([]string{"report"}, hidden...) {
				require.NotContains(t, codeSpan.FindAllString(texts, -1), "`"+name+"`", "%v", visible)
				require.Contains(t, said, `there is no tool "`+name+`"`, "%v", visible)
			}
			require.Equal(t, slices.Contains(visible, "subagent"), strings.Contains(texts, `The kind "settlement"`))
		})
	}
}

// Fact "order churn": a system prompt is the same bytes each time, whatever the order in which the sections came.
func TestPromptIsStable(t *testing.T) {
	w := newWorld(t, nil)
	defer w.close()
	scope, err := w.cfg.Tools.Scope()
	require.NoError(t, err)
	host := []tool.PromptSection{{ID: "a", Order: 200, Text: "last"}, {ID: "b", Order: 1, Text: "first"}, {ID: "c", Order: 1, Text: "second"}}
	want := agent.NewView(scope, host).System()
	require.True(t, strings.HasPrefix(want, "first\n\nsecond\n\n"), want)
	require.True(t, strings.HasSuffix(want, "\n\nlast"), want)
	for range 1000 {
		require.Equal(t, want, agent.NewView(scope, host).System())
	}
}
