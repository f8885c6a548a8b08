package scripted_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model/scripted"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

func parse(t *testing.T, text string) *scripted.Script {
	t.Helper()
	s, err := scripted.Parse("s", text)
	require.NoError(t, err)
	return s
}

// ask calls the script for an agent, and returns what it streamed, too.
func ask(t *testing.T, s *scripted.Script, id agent.Identity, messages ...agent.Message) (res *agent.Response, streamed string, err error) {
	t.Helper()
	res, err = s.Generate(t.Context(), &agent.Request{
		Agent: id, System: "Be brief.", Tools: []tool.Definition{{Name: "read"}, {Name: "write"}}, Messages: messages,
	}, func(d agent.Delta) {
		if d.Thought != "" {
			streamed += "(" + d.Thought + ")"
		}
		if d.Call != nil {
			streamed += "[" + d.Call.Name + d.Call.Arguments + "]"
		}
		streamed += d.Text
	})
	return res, streamed, err
}

var root = agent.Identity{ID: "r"}

// A block plays what it says, in order, streaming as it goes.
func TestPlay(t *testing.T) {
	s := parse(t, `A comment.

-- root --
expect user Hello
tools read write
no-tools delete
prompt brief
no-prompt long
think Hm.
say One line
  and another.
say A third.
call read {"path":
    "a.go"}
call write {}
usage 10 2

let NAME started (\S+)
refuse report
say Hello ${NAME}.
call read {"path": "${NAME}"}

say half
stop token_limit

fail the provider is down
`)
	res, streamed, err := ask(t, s, root, agent.Message{Author: agent.User, Text: "Hello there"})
	require.NoError(t, err)
	require.Equal(t, &agent.Response{
		Text: "One line\nand another.\nA third.", Stop: agent.StopCalls, Usage: agent.Usage{Input: 10, Output: 2},
		Calls: []agent.Call{{ID: "call_1", Name: "read", Arguments: "{\"path\":\n\"a.go\"}"}, {ID: "call_2", Name: "write", Arguments: "{}"}},
	}, res)
	require.Equal(t, "(Hm.)One line\nand another.\nA third.[read{\"path\":\n\"a.go\"}][write{}]", streamed)

	res, _, err = ask(t, s, root, agent.Message{Author: agent.Report, Text: "old"}, agent.Message{Author: agent.Assistant},
		agent.Message{Author: agent.ToolResult, Text: "it has started a7 now"})
	require.NoError(t, err, "what came before the last answer is not asked for")
	require.Equal(t, "Hello a7.", res.Text)
	require.Equal(t, `{"path": "a7"}`, res.Calls[0].Arguments)

	res, _, err = ask(t, s, root)
	require.NoError(t, err)
	require.Equal(t, agent.StopTokenLimit, res.Stop)
	_, _, err = ask(t, s, root)
	require.EqualError(t, err, "the provider is down")
	require.NoError(t, s.Finish(), "a failure that the script wants is no fault")
}

// Sections are for the agents that their names fit; the first that fits counts; each agent plays from the beginning.
func TestSections(t *testing.T) {
	s := parse(t, "-- id: x --\nsay id\n-- label: the log --\nsay label\n\nsay label again\n-- depth: 2 --\nsay depth\n-- root --\nsay root\n-- any --\nsay any\n")
	for want, id := range map[string]agent.Identity{
		"id":    {ID: "x", Parent: "r", Label: "the log"},
		"label": {ID: "y", Parent: "r", Label: "the log", Depth: 2},
		"depth": {ID: "z", Parent: "y", Label: "other", Depth: 2},
		"root":  {ID: "r"},
		"any":   {ID: "w", Parent: "r", Depth: 1},
	} {
		res, _, err := ask(t, s, id)
		require.NoError(t, err)
		require.Equal(t, want, res.Text)
	}
	res, _, err := ask(t, s, agent.Identity{ID: "y2", Parent: "r", Label: "the log"})
	require.NoError(t, err)
	require.Equal(t, "label", res.Text)
	require.EqualError(t, s.Finish(), `s:6: nobody has played this block of "label: the log"`)
}

// A request that the script does not expect fails loudly: with the agent, the line, and what came.
func TestUnexpected(t *testing.T) {
	hello := agent.Message{Author: agent.User, Text: "hello"}
	for script, want := range map[string]string{
		"-- label: x --\nsay x":          "no section is for it; the last message is of user: \"hello\"",
		"-- root --":                     `its section "root" has only 0 blocks`,
		"-- root --\nexpect user bye":    "s:2: the request of r (label \"\", depth 0) is not expected: expect user \"bye\"; it got\n\tuser: \"hello\"",
		"-- root --\nexpect settlement":  `expect settlement ""`,
		"-- root --\nrefuse user hello":  `refuse user "hello"`,
		"-- root --\ntools read missing": "tools missing",
		"-- root --\nno-tools write":     "no-tools write",
		"-- root --\nprompt verbose":     `prompt "verbose"; the system prompt is "Be brief."`,
		"-- root --\nno-prompt brief":    `no-prompt "brief"`,
		"-- root --\nlet X started (.*)": "let X finds nothing",
	} {
		s := parse(t, script)
		_, _, err := ask(t, s, root, hello)
		var unexpected *scripted.UnexpectedError
		require.ErrorAs(t, err, &unexpected, script)
		require.ErrorContains(t, err, want, script)
		require.ErrorContains(t, s.Finish(), want, script)
	}
}

// A script that could not be played is refused where it is read, at its line.
func TestParseErrors(t *testing.T) {
	for script, want := range map[string]string{
		"nothing":                           "s: the script has no section",
		"-- leaf --":                        `s:1: "leaf" is no section: it is root, any, label: L, id: I or depth: N`,
		"-- depth: x --":                    `s:1: "depth: x" is no section`,
		"-- root --\n  more":                "s:2: a line that begins with a blank",
		"-- root --\nsay a\n\n  more":       "s:4: a line that begins with a blank",
		"-- root --\nshout hello":           `s:2: "shout" is not known`,
		"-- root --\nsay a\n\nexpect child": `s:4: "child" is no author`,
		"-- root --\ncall read":             "s:2: call needs a tool and its arguments",
		"-- root --\nlet X (":               "s:2: let: error parsing regexp",
		"-- root --\nlet X a.b":             "s:2: let needs a name and a regular expression with one group",
		"-- root --\nusage many":            "s:2: usage needs two numbers",
		"-- root --\nstop end":              "s:2: stop needs token_limit or refused",
		"-- root --\nstall now":             "s:2: stall has nothing after it",
		"-- root --\nhold":                  "s:2: hold needs something after it",
	} {
		_, err := scripted.Parse("s", script)
		require.ErrorContains(t, err, want, script)
	}
}

// A call waits at a fence until somebody opens it, another agent's block or the test; or until its context ends.
func TestFences(t *testing.T) {
	s := parse(t, "-- root --\nhold gate\nsay through\n\nhold never\nsay no\n\nstall\n-- any --\nrelease gate\nsay opened\n")
	done := make(chan string, 1)
	go func() {
		res, _, err := ask(t, s, root)
		if err == nil {
			done <- res.Text
		}
	}()
	<-s.Held("gate")
	require.Empty(t, done)
	_, _, err := ask(t, s, agent.Identity{ID: "c", Parent: "r"})
	require.NoError(t, err)
	require.Equal(t, "through", <-done)
	s.Release("gate") // again

	for range 2 {
		ctx, cancel := context.WithCancelCause(t.Context())
		errs := make(chan error, 1)
		go func() {
			_, err := s.Generate(ctx, &agent.Request{Agent: root}, func(agent.Delta) {})
			errs <- err
		}()
		cancel(agent.ErrInterrupted)
		require.ErrorIs(t, <-errs, agent.ErrInterrupted)
	}
	require.NoError(t, s.Finish())
}

func TestLoad(t *testing.T) {
	file := filepath.Join(t.TempDir(), "script.txt")
	require.NoError(t, os.WriteFile(file, []byte("-- root --\r\nsay hello\r\n"), 0o600))
	s, err := scripted.Load(file)
	require.NoError(t, err)
	res, _, err := ask(t, s, root)
	require.NoError(t, err)
	require.Equal(t, "hello", res.Text)
	_, err = scripted.Load(file + ".not")
	require.True(t, errors.Is(err, os.ErrNotExist))
	require.NoError(t, os.Truncate(file, scripted.MaxSize+1))
	_, err = scripted.Load(file)
	require.EqualError(t, err, file+": the script is larger than 16 MiB")
}

// FuzzParse: no script makes the reader panic, and one that is read can be asked.
func FuzzParse(f *testing.F) {
	f.Add("-- root --\nexpect user hi\nsay a\n b\n\ncall x {}\n")
	f.Add("-- label: a --\nlet X (a)\nsay ${X}\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := scripted.Parse("s", text)
		if err != nil {
			return
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // for fences
		for range strings.Count(text, "\n") {
			_, _ = s.Generate(ctx, &agent.Request{Agent: root}, func(agent.Delta) {})
		}
		_ = s.Finish()
	})
}
