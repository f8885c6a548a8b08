package subagent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model/scripted"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// scenarios are the scripts in testdata, with the deployment and the prompts that they are for.
var scenarios = map[string]struct {
	delegation subagent.Delegation
	prompts    []string
	answer     string
}{
	"subagent-settlement":  {continuable[0], []string{"How long is the log?"}, "The log has 312 lines."},
	"subagent-list-agents": {continuable[0], []string{"Start", "Which subagents are there?"}, "a2 is ready."},
	"subagent-report":      {continuable[0], []string{"Find the fault"}, "The fault is in line 7."},
	"subagent-restriction": {subagent.Delegation{Options: continuable[0].Options, Allow: []string{}}, []string{"Read it"}, "It was read."},
	"subagent-foreground":  {continuable[0], []string{"What is 6 times 7?"}, "It is 42."},
	"subagent-one-shot":    {subagent.Delegation{}, []string{"Work"}, "Both have answered."},
	"subagent-disabled":    {subagent.Delegation{Options: agents.SubagentOptions{EnableRunInBackground: tool.Off}}, []string{"Ask"}, "It was asked."},
	"subagent-resume":      {continuable[0], []string{"Count", "And on"}, "Five."},
	"subagent-nested":      {continuable[0], []string{"Plan the week"}, "Stay at home on Friday."},
	"subagent-interrupt":   {continuable[0], []string{"Dig"}, "It found a coin."},
}

// TestScenarios plays the notes' scenarios from their scripts.
func TestScenarios(t *testing.T) {
	files, err := os.ReadDir(filepath.Join("testdata", "scenarios"))
	require.NoError(t, err)
	require.Len(t, files, len(scenarios))
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".txt")
		t.Run(name, func(t *testing.T) {
			script, err := os.ReadFile(filepath.Join("testdata", "scenarios", f.Name()))
			require.NoError(t, err)
			bubble(t, func(t *testing.T) {
				model, err := scripted.Parse(f.Name(), string(script))
				require.NoError(t, err)
				s := scenarios[name]
				w := newWorld(t, nil, deployment(s.delegation), func(w *world) {
					w.cfg.Models = func(string) (agent.Model, error) { return model, nil }
				})
				defer w.close()
				w.create()
				for _, p := range s.prompts {
					require.NoError(t, w.root.Send(t.Context(), p, false))
					synctest.Wait()
					require.NoError(t, w.root.Wait(t.Context()))
				}
				require.NoError(t, model.Finish())
				require.Equal(t, s.answer, w.root.Last().Text)
				require.Equal(t, agent.Completed, w.root.Last().Outcome)
			})
		})
	}
}
