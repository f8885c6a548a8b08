package openai_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model"
	"github.com/toolgen-dev/toolgen/runtime/model/internal/wiretest"
	"github.com/toolgen-dev/toolgen/runtime/model/openai"
	"github.com/toolgen-dev/toolgen/runtime/store/sqlite"
)

// calls is a recorded answer that calls tools: names and arguments.
func calls(pairs ...string) wiretest.Response {
	var pieces []string
	for i := 0; i < len(pairs); i += 2 {
		pieces = append(pieces, fmt.Sprintf(`{"index":%d,"id":"call_%d","type":"function","function":{"name":%q,"arguments":%q}}`,
			i/2, i/2, pairs[i], pairs[i+1]))
	}
	return stream(`{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[`+strings.Join(pieces, ",")+`]}}]}`,
		`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
		`{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}}`)
}

// run runs an agent over a server, with a store in a file. It returns how its turns ended, and everything that was written.
func run(t *testing.T, s *wiretest.Server, change func(*openai.Config), prompts ...string) ([]agent.TurnEnd, string) {
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

// A whole agent: calls, their results, the answer; then a turn that begins with what was said.
func TestAgent(t *testing.T) {
	s := serve(t,
		calls("measure", `{"path":"a.log"}`, "measure", `{"path":"b.log","lines":0}`, "measure", `{"path":`),
		says("Two were refused."),
		says("Yes."))
	ends, written := run(t, s, nil, "How long are they?", "Sure?")
	require.Len(t, ends, 2)
	require.Equal(t, agent.Completed, ends[0].Outcome, "%v", ends[0].Err)
	require.Equal(t, "Two were refused.", ends[0].Text)
	require.Equal(t, agent.Usage{Input: 10, Output: 2}, ends[0].Usage)
	require.Equal(t, "Yes.", ends[1].Text)
	require.NotContains(t, written, string(key))

	var last struct {
		Messages []struct {
			Role, Content string
			ToolCallID    string `json:"tool_call_id"`
			ToolCalls     []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
	}
	requests := s.Requests()
	require.Len(t, requests, 3)
	require.NoError(t, json.Unmarshal([]byte(requests[2].Body), &last))
	var roles []string
	for _, m := range last.Messages {
		roles = append(roles, m.Role)
	}
	require.Equal(t, []string{"system", "user", "assistant", "tool", "tool", "tool", "assistant", "user"}, roles)
	require.Equal(t, `{"invalid_arguments":"{\"path\":"}`, last.Messages[2].ToolCalls[2].Function.Arguments)
	require.Equal(t, `312 lines of {"path":"a.log"}`, last.Messages[3].Content)
	require.Contains(t, last.Messages[4].Content, "/lines")
	for i, want := range []string{"call_0", "call_1", "call_2"} {
		require.Equal(t, want, last.Messages[2].ToolCalls[i].ID)
		require.Equal(t, want, last.Messages[3+i].ToolCallID)
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
	byRole := func(t *testing.T, body string) string {
		switch {
		case strings.Contains(body, "You measure one file."):
			return says("312").Text
		case strings.Contains(body, `kind=\"settlement\"`):
			return says("It has 312 lines.").Text
		case strings.Contains(body, `"role":"tool"`):
			return says("I have asked.").Text
		}
		return calls("subagent", `{"description":"measure","prompt":"Measure a.log."}`).Text
	}
	s, err := wiretest.ServeBy(func(body string) string { return byRole(t, body) })
	require.NoError(t, err)
	t.Cleanup(s.Close)
	ends, _ := run(t, s, nil, "How long is it?")
	require.Equal(t, "It has 312 lines.", ends[len(ends)-1].Text)
	settled := s.Requests()[len(s.Requests())-1].Body
	require.Contains(t, settled, `\u003cmessage kind=\"settlement\" from=\"agent-2\"`[len(`\u003c`):])
	require.Contains(t, settled, `{"content":"I have asked.","role":"assistant"}`)
}

// Each way to end.
func TestOutcomes(t *testing.T) {
	limit := stream(`{"choices":[{"index":0,"delta":{"content":"It","tool_calls":[{"index":0,"id":"a","function":{"name":"measure","arguments":"{"}}]},"finish_reason":"length"}]}`)
	for _, c := range []struct {
		response wiretest.Response
		outcome  agent.Outcome
		reason   agent.Reason
		text     string
		err      string
	}{
		{says("Yes."), agent.Completed, "", "Yes.", ""},
		{limit, agent.TokenLimit, "", "It", ""},
		{stream(`{"choices":[{"index":0,"delta":{"refusal":"No."},"finish_reason":"stop"}]}`), agent.Refused, "", "No.", ""},
		{says(""), agent.Failed, agent.NoAnswer, "", "agent: the model gave neither a text nor a call"},
		{stream(`{"choices":[{"index":0,"delta":{"content":"Half"}}]}`), agent.Failed, agent.ModelFailed, "Half",
			"openai: the stream ended before the answer was complete"},
		{wiretest.Response{Text: "HTTP/1.1 401 Unauthorized\n\n{\"error\":{\"message\":\"no such key: " + string(key) + "\"}}"},
			agent.Failed, agent.ModelFailed, "", "openai: 401 Unauthorized: no such key: [key]"},
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
	const token = "token-of-a-gateway"
	s := serve(t, wiretest.Response{Text: "HTTP/1.1 403 Forbidden\nX-Request-Id: " + string(key) + "\n\n" +
		`{"error":{"message":"` + string(key) + ` and ` + token + `","type":"` + string(key) + `","code":"` + token + `"}}`})
	change := func(c *openai.Config) { c.Headers = map[string]string{"X-Gateway": "Bearer " + token} }
	m := newModel(t, s.URL, change)
	_, err := m.Generate(t.Context(), wiretest.Ask(), func(agent.Delta) {})
	var e *model.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "openai: 403 Forbidden: [key] and [key] ([key], request [key])", err.Error())
	asJSON, jsonErr := json.Marshal(struct {
		Key   model.Key
		Error *model.Error
	}{key, e})
	require.NoError(t, jsonErr)
	cfg := openai.Config{Model: "m", APIKey: key}
	for _, v := range []any{err, e, *e, m, *m, &m, cfg, &cfg, []any{cfg}, struct{ M *openai.Model }{m}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			asJSON = fmt.Appendf(asJSON, verb, v)
		}
	}
	require.NotContains(t, string(asJSON), string(key))
	require.NotContains(t, string(asJSON), fmt.Sprintf("%x", string(key)))
	require.NotContains(t, string(asJSON), token)
	require.Equal(t, string(key), strings.TrimPrefix(s.Requests()[0].Header.Get("Authorization"), "Bearer "))
}

// A piece is shown as it comes, and not when the answer is complete.
func TestStreaming(t *testing.T) {
	seen := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"one"}}]}`+"\n\n")
		w.(http.Flusher).Flush()
		select {
		case <-seen:
		case <-r.Context().Done():
		}
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":" two"},"finish_reason":"stop"}]}`+"\n\n")
	}))
	defer srv.Close()
	var once sync.Once
	res, err := newModel(t, srv.URL, nil).Generate(t.Context(), wiretest.Ask(), func(agent.Delta) { once.Do(func() { close(seen) }) })
	require.NoError(t, err)
	require.Equal(t, "one two", res.Text)
}
