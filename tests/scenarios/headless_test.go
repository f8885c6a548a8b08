package scenarios

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// scenario is a conversation of examples/headless: a script, flags and a prompt.
type scenario struct {
	says   string // what it shows
	flags  []string
	prompt string
	check  func(t *testing.T, w *wire) // beside the golden file
}

// The scenarios whose scripts are those of runtime/subagent, which plays them without a program.
var scenarios = map[string]scenario{
	"subagent-settlement": {"A call that leaves out run_in_background returns a durable id at once. The root's turn ends, and the child's end wakes it.", nil, "How long is the log?",
		func(t *testing.T, w *wire) {
			start := w.calls("root", "subagent")
			require.Len(t, start, 1)
			require.NotContains(t, start[0].Arguments, "run_in_background")
			require.Contains(t, w.result(start[0].ID), "Started subagent measure-the-log")
			require.Equal(t, []string{"subagent"}, w.called("root"), "nobody polls")
			require.Empty(t, w.called("measure-the-log"), "the child does not report")
			require.Equal(t, []string{"user", "settlement"}, w.authors("root"))
			require.Equal(t, "The log has 312 lines.", w.end().Text)
			turns := w.of("root", "turn")
			require.Len(t, turns, 2, "the root was idle between the call and the notice")
		}},
	"subagent-report": {"A child reports, and then settles: the parent gets both, the report first.", nil, "Find the fault",
		func(t *testing.T, w *wire) {
			require.Equal(t, []string{"user", "report", "settlement"}, w.authors("root"))
			require.Equal(t, []string{"report"}, w.called("find-the-fault"))
		}},
	"subagent-restriction": {"A child whose tools exclude delegation has neither its schemas nor its guidance. Its own report stays.",
		[]string{"-child-tools", "read_file,list_files"}, "Read it",
		func(t *testing.T, w *wire) {
			root, child := w.requests("root")[0], w.requests("read-it")[0]
			require.Contains(t, root, "\ntools: read_file list_files search_files run_command subagent list_agents send_message interrupt_agent\n")
			require.Contains(t, child, "\ntools: read_file list_files report\n")
			for _, word := range []string{"subagent", "send_message", "list_agents", "interrupt_agent", "run_in_background", "settlement notice"} {
				require.Contains(t, root, word)
				require.NotContains(t, child, word)
			}
		}},
	"subagent-foreground": {"An explicit false waits for the answer. No notice follows, and nobody is listed.", nil, "What is 6 times 7?",
		func(t *testing.T, w *wire) {
			require.Equal(t, "42", w.result(w.calls("root", "subagent")[0].ID))
			require.Equal(t, []string{"user"}, w.authors("root"))
		}},
	"subagent-one-shot": {"With one-shot the foreground is the default. In the background a job runs, of whose end nothing tells.",
		[]string{"-delegation", "one-shot"}, "Work",
		func(t *testing.T, w *wire) {
			require.Equal(t, []string{"user"}, w.authors("root"))
			require.Equal(t, []string{"subagent", "subagent", "job_list", "job_output"}, w.called("root"))
		}},
	"subagent-disabled": {"Without the background there is no parameter for it. A forced true is refused, and calls run in the foreground.",
		[]string{"-delegation", "foreground"}, "Ask",
		func(t *testing.T, w *wire) {
			require.NotContains(t, w.requests("root")[0], "run_in_background")
			require.Contains(t, w.result(w.calls("root", "subagent")[0].ID), "/run_in_background: ")
			require.Equal(t, []string{"user"}, w.authors("root"))
		}},
	"subagent-nested": {"A child has a child: it is told of its end first, and settles after it. The root hears of its own child alone.", nil, "Plan the week",
		func(t *testing.T, w *wire) {
			require.Equal(t, []string{"user", "settlement"}, w.authors("root"))
			require.Equal(t, []string{"coordinator", "settlement"}, w.authors("plan"))
			require.Less(t, w.settled("weather"), w.settled("plan"))
		}},
	"subagent-interrupt": {"An interrupt ends the child's turn. The notice comes, and the conversation goes on with the next message.", nil, "Dig",
		func(t *testing.T, w *wire) {
			require.Equal(t, []string{"user", "settlement", "settlement"}, w.authors("root"))
			require.Equal(t, []string{"coordinator", "coordinator"}, w.authors("dig"))
			turns := w.of("dig", "turn")
			require.Equal(t, []string{"interrupted", "completed"}, []string{turns[0].Outcome, turns[1].Outcome})
		}},
}

// TestHeadless plays each scenario on the built program. What models were sent, and the JSON lines that came out, are golden
// files for people to read.
func TestHeadless(t *testing.T) {
	program := build(t, "examples/headless")
	for name, s := range scenarios {
		t.Run(name, func(t *testing.T) {
			script := filepath.Join("..", "..", "runtime", "subagent", "testdata", "scenarios", name+".txt")
			r := run(t, program, folder(t), script, append(slices.Clone(s.flags), s.prompt)...)
			require.Zero(t, r.exit, r.stderr)
			w := parse(t, r)
			s.check(t, w)
			require.Equal(t, "completed", w.end().Outcome)
			golden(t, name, s.says+"\n\nheadless "+strings.Join(append(slices.Clone(s.flags), quoted(s.prompt)), " ")+"\n\n"+w.String())
		})
	}
}
