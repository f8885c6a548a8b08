package anthropic_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model"
	"github.com/toolgen-dev/toolgen/runtime/model/anthropic"
	"github.com/toolgen-dev/toolgen/runtime/model/internal/wiretest"
	"github.com/toolgen-dev/toolgen/runtime/store/sqlite"
)

const thought = `{"type":"thinking","thinking":"Two <logs>.","signature":"c2lnbg=="}`

// calls is a recorded answer that thinks, and then calls tools: names and arguments.
func calls(pairs ...string) wiretest.Response {
	events := []string{`{"type":"content_block_start","index":0,"content_block":` + thought + `}`}
	for i := 0; i < len(pairs); i += 2 {
		n := i/2 + 1
		events = append(events,
			fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","id":"toolu_%d","name":%q,"input":{}}}`, n, n, pairs[i]),
			fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"input_json_delta","partial_json":%q}}`, n, pairs[i+1]),
			fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, n))
	}
	return stream("tool_use", events...)
}

// run runs an agent over a server, with a store in a file. It returns how its turns ended, and everything that was written.
func run(t *testing.T, s *wiretest.Server, change func(*anthropic.Config), prompts ...string) ([]agent.TurnEnd, string) {
	t.Helper()
	dir := t.TempDir()
	db, err := sqlite.Open(filepath.Join(dir, "agents.db"))
	require.NoError(t, err)
	var log bytes.Buffer
	ends, err := wiretest.Agent(t.Context(), db, newModel(t, s.URL, change), &log, prompts...)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	written := log.String()
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		require.NoError(t, err)
		written += string(b)
	}
	return ends, written
}

// A whole agent: thoughts and calls, their results, the answer; then a turn that begins with what was said.
func TestAgent(t *testing.T) {
	s := serve(t,
		calls("measure", `{"path":"a.log"}`, "measure", `{"path":"b.log","lines":0}`, "measure", `{"path":`),
		says("Two were refused."),
		says("Yes."))
	ends, written := run(t, s, nil, "How long are they?", "Sure?")
	require.Len(t, ends, 2)
	require.Equal(t, agent.Completed, ends[0].Outcome, "%v", ends[0].Err)
	require.Equal(t, "Two were refused.", ends[0].Text)
	require.Equal(t, agent.Usage{Input: 20, Output: 4}, ends[0].Usage)
	require.Equal(t, "Yes.", ends[1].Text)
	require.NotContains(t, written, string(key))

	var last struct {
		Messages []struct {
			Role    string
			Content []map[string]any
		}
	}
	requests := s.Requests()
	require.Len(t, requests, 3)
	require.NoError(t, json.Unmarshal([]byte(requests[2].Body), &last))
	var shape []string
	for _, m := range last.Messages {
		for _, b := range m.Content {
			shape = append(shape, m.Role+" "+b["type"].(string))
		}
	}
	require.Equal(t, []string{
		"user text", "assistant thinking", "assistant tool_use", "assistant tool_use", "assistant tool_use",
		"user tool_result", "user tool_result", "user tool_result", "assistant text", "user text",
	}, shape)
	require.Contains(t, strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(requests[2].Body), thought)
	require.Equal(t, map[string]any{"invalid_arguments": `{"path":`}, last.Messages[1].Content[3]["input"])
	results := last.Messages[2].Content
	require.Nil(t, results[0]["is_error"])
	require.Equal(t, true, results[1]["is_error"])
	for i, want := range []string{"toolu_1", "toolu_2", "toolu_3"} {
		require.Equal(t, want, results[i]["tool_use_id"])
	}
	// What is before the last messages is the same in each request, to the byte: a prompt cache lives from it.
	for i := 1; i < 3; i++ {
		before, _, _ := strings.Cut(requests[i-1].Body, `],"model":`)
		require.True(t, strings.HasPrefix(requests[i].Body, before), "request %d", i)
	}
}

// A child in the background: its settlement reaches the model in the user's role, in its frame.
func TestBackground(t *testing.T) {
	// The root and its child ask at once, so each answer must do for either.
	s, err := wiretest.ServeBy(func(body string) string {
		switch {
		case strings.Contains(body, "You measure one file."):
			return says("312").Text
		case strings.Contains(body, `kind=\"settlement\"`):
			return says("It has 312 lines.").Text
		case strings.Contains(body, `"tool_result"`):
			return says("I have asked.").Text
		}
		return calls("subagent", `{"description":"measure","prompt":"Measure a.log."}`).Text
	})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	ends, _ := run(t, s, nil, "How long is it?")
	require.Equal(t, "It has 312 lines.", ends[len(ends)-1].Text)
	require.Contains(t, s.Requests()[len(s.Requests())-1].Body, `message kind=\"settlement\" from=\"agent-2\"`)
}

// Each way to end.
func TestOutcomes(t *testing.T) {
	it := `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"It"}}`
	half := `{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"a","name":"measure","input":{}}}`
	for _, c := range []struct {
		response wiretest.Response
		outcome  agent.Outcome
		reason   agent.Reason
		text     string
		err      string
	}{
		{says("Yes."), agent.Completed, "", "Yes.", ""},
		{stream("max_tokens", it, half), agent.TokenLimit, "", "It", ""},
		{stream("refusal", it, half), agent.Refused, "", "It", ""},
		{stream("end_turn"), agent.Failed, agent.NoAnswer, "", "agent: the model gave neither a text nor a call"},
		{stream("weather", it), agent.Failed, agent.ModelFailed, "It", "anthropic: the answer ended for a reason that is not known: weather"},
		{wiretest.Response{Text: "HTTP/1.1 401 Unauthorized\n\n{\"error\":{\"message\":\"no such key: " + string(key) + "\"}}"},
			agent.Failed, agent.ModelFailed, "", "anthropic: 401 Unauthorized: no such key: [key]"},
	} {
		ends, written := run(t, serve(t, c.response), nil, "Go")
		require.Len(t, ends, 1)
		require.Equal(t, c.outcome, ends[0].Outcome)
		require.Equal(t, c.reason, ends[0].Reason)
		require.Equal(t, c.text, ends[0].Text)
		if c.err == "" {
			require.NoError(t, ends[0].Err)
		} else {
			require.EqualError(t, ends[0].Err, c.err)
		}
		require.NotContains(t, written, string(key))
	}
}

// A key is nowhere: not in prints of what holds it, not in errors, whichever way they are written.
func TestKeyIsNowhere(t *testing.T) {
	s := serve(t, wiretest.Response{Text: "HTTP/1.1 403 Forbidden\nRequest-Id: " + string(key) + "\n\n" +
		`{"type":"error","error":{"message":"not ` + string(key) + `","type":"` + string(key) + `"}}`})
	m := newModel(t, s.URL, nil)
	_, err := m.Generate(t.Context(), wiretest.Ask(), func(agent.Delta) {})
	var e *model.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "anthropic: 403 Forbidden: not [key] ([key], request [key])", err.Error())
	cfg := anthropic.Config{Model: "m", APIKey: key}
	printed, jsonErr := json.Marshal(e)
	require.NoError(t, jsonErr)
	for _, v := range []any{err, e, *e, m, *m, &m, cfg, &cfg, []any{cfg}, struct{ M *anthropic.Model }{m}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			printed = fmt.Appendf(printed, verb, v)
		}
	}
	require.NotContains(t, string(printed), string(key))
	require.NotContains(t, string(printed), fmt.Sprintf("%x", string(key)))
	require.Equal(t, "Bearer "+string(key), s.Requests()[0].Header.Get("Authorization"))
}
