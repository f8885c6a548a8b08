package job_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/job"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/memory"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// The status of a job follows from how its conversation stands, and each word has its case. What the tools do with jobs that
// run is tested where jobs are run: in package subagent.
func TestStatus(t *testing.T) {
	cases := map[agents.JobStatus][]store.Conversation{
		agents.JobStatusRunning:   {{Resident: true}, {Resident: true, Outcome: "completed"}},
		agents.JobStatusCompleted: {{Outcome: "completed"}},
		agents.JobStatusKilled:    {{Outcome: "interrupted"}},
		agents.JobStatusFailed:    {{Outcome: "failed"}, {Outcome: "token_limit"}, {Outcome: "refused"}, {Outcome: "lost"}, {}},
	}
	for _, word := range agents.JobStatusValues() {
		require.NotEmpty(t, cases[word])
		for _, c := range cases[word] {
			require.Equal(t, word, job.Status(c), "%+v", c)
		}
	}
}

type nobody struct{}

func (nobody) Ended(context.Context, store.ID) error { return nil }
func (nobody) Stop(context.Context, store.ID) error  { return nil }

// The tools are mounted under the names that Names gives, and serve agents only.
func TestMount(t *testing.T) {
	reg := tool.NewRegistry()
	require.NoError(t, job.Mount(reg, memory.New(), nobody{}))
	scope, err := reg.Scope()
	require.NoError(t, err)
	var names []string
	for _, d := range scope.Tools() {
		names = append(names, d.Name)
		arguments := `{"job_id":"j"}`
		if d.Name == "job_list" {
			arguments = `{}`
		}
		res := scope.Call(t.Context(), tool.Call{ID: "1", Name: d.Name, Arguments: []byte(arguments)})
		require.True(t, res.IsError)
		require.Equal(t, "job: the call comes from no agent", res.Text)
	}
	require.ElementsMatch(t, job.Names(), names)
	require.True(t, slices.Contains(names, "job_output"))
	require.Error(t, job.Mount(reg, memory.New(), nobody{}), "twice")
}
