package anthropic_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model/anthropic"
	"github.com/toolgen-dev/toolgen/runtime/model/internal/wiretest"
	"github.com/toolgen-dev/toolgen/runtime/provider"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// stream is a recorded answer of these events, which name their types, and an end for this reason.
func stream(reason string, events ...string) wiretest.Response {
	events = append([]string{`{"type":"message_start","message":{"content":[],"usage":{"input_tokens":10,"output_tokens":1}}}`}, events...)
	events = append(events, `{"type":"message_delta","delta":{"stop_reason":"`+reason+`"},"usage":{"output_tokens":2}}`, `{"type":"message_stop"}`)
	text := "HTTP/1.1 200 OK\nContent-Type: text/event-stream\n\n"
	for _, e := range events {
		kind, _, _ := strings.Cut(strings.TrimPrefix(e, `{"type":"`), `"`)
		text += "event: " + kind + "\ndata: " + e + "\n\n"
	}
	return wiretest.Response{Text: text}
}

func says(text string) wiretest.Response {
	return stream("end_turn", fmt.Sprintf(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":%q}}`, text))
}

// body is what a server gets of a request.
func body(t *testing.T, change func(*anthropic.Config), req *agent.Request) wiretest.Request {
	t.Helper()
	s := serve(t, says("ok"))
	_, err := newModel(t, s.URL, change).Generate(t.Context(), req, func(agent.Delta) {})
	require.NoError(t, err)
	require.Len(t, s.Requests(), 1)
	return s.Requests()[0]
}

// The whole body, byte by byte, with a schema in its own order, and the same in every request.
func TestBody(t *testing.T) {
	ask := wiretest.Ask()
	want := `{"max_tokens":16384,"messages":[{"content":[{"text":"How long is app.log?","type":"text"}],"role":"user"}],"model":"small",` +
		`"system":[{"text":"You measure files.","type":"text"}],"tools":[{"input_schema":` + string(ask.Tools[0].Parameters) +
		`,"name":"measure","description":"Measures a file <& more>."}],"stream":true}`
	escape := strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`) // another writing of the same text
	for range 30 {
		got := body(t, nil, ask)
		require.Equal(t, escape.Replace(want), escape.Replace(got.Body))
		require.Equal(t, "/v1/messages", got.Path)
		require.Equal(t, "Bearer "+string(key), got.Header.Get("Authorization"))
		require.NotEmpty(t, got.Header.Get("Anthropic-Version"))
	}
}

// Each setting is a field or a header.
func TestSettings(t *testing.T) {
	got := body(t, func(c *anthropic.Config) {
		c.BaseURL += "/v1/"
		c.APIKey, c.MaxTokens, c.Temperature, c.ThinkingTokens, c.Effort, c.Cache = "", 5000, new(0.5), 2000, "low", true
		c.Headers = map[string]string{"X-Api-Key": "another"}
		c.Options = []option.RequestOption{option.WithJSONSet("metadata.user_id", "u")}
	}, wiretest.Ask())
	require.Equal(t, "/v1/messages", got.Path)
	require.Empty(t, got.Header.Get("Authorization"))
	require.Equal(t, "another", got.Header.Get("X-Api-Key"))
	var have map[string]any
	require.NoError(t, json.Unmarshal([]byte(got.Body), &have))
	mark := map[string]any{"type": "ephemeral"}
	require.Equal(t, mark, have["cache_control"])
	require.Equal(t, mark, have["system"].([]any)[0].(map[string]any)["cache_control"])
	require.Equal(t, mark, have["tools"].([]any)[0].(map[string]any)["cache_control"])
	require.EqualValues(t, 5000, have["max_tokens"])
	require.EqualValues(t, 0.5, have["temperature"])
	require.Equal(t, map[string]any{"type": "enabled", "budget_tokens": 2000.0}, have["thinking"])
	require.Equal(t, map[string]any{"effort": "low"}, have["output_config"])
	require.Equal(t, map[string]any{"user_id": "u"}, have["metadata"])

	got = body(t, func(c *anthropic.Config) { c.Thinking = "adaptive" }, &agent.Request{Messages: []agent.Message{{Author: agent.User, Text: "Hi"}}})
	require.Equal(t, `{"max_tokens":16384,"messages":[{"content":[{"text":"Hi","type":"text"}],"role":"user"}],"model":"small",`+
		`"thinking":{"type":"adaptive"},"stream":true}`, got.Body)
}

// The environment is the program's affair.
func TestEnvironment(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-of-the-environment")
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "token-of-the-environment")
	t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Custom: yes")
	got := body(t, func(c *anthropic.Config) { c.APIKey = "" }, wiretest.Ask())
	for _, name := range []string{"Authorization", "X-Api-Key", "X-Custom"} {
		require.Empty(t, got.Header.Get(name))
	}
	_, err := anthropic.New(anthropic.Config{Model: "m"})
	require.ErrorContains(t, err, "APIKey is missing")
}

// A conversation as the protocol wants it: a user's message first, roles in turns, results first in theirs, no empty text.
func TestHistory(t *testing.T) {
	thoughts := `{"anthropic":{"content":[{"block":{"type":"thinking","thinking":"Hm.","signature":"c2ln"}},{"call":1},{"block":{"type":"text","text":"Both."}},{"call":7}]}}`
	got := body(t, nil, &agent.Request{System: " ", Messages: []agent.Message{
		{Author: agent.Assistant, Text: "Hello."},
		{Author: agent.User, Text: "one"},
		{Author: agent.User, Text: "\n"},
		{Author: agent.Assistant, Text: "Both.", Calls: []agent.Call{
			{ID: "toolu_a", Name: "measure", Arguments: `{"z":1,"a":2}`},
			{ID: "functions.x:1", Name: "no such tool!", Arguments: `{"cut`},
			{ID: "functions.x_1", Name: "measure", Arguments: ``},
		}, Extra: json.RawMessage(thoughts)},
		{Author: agent.ToolResult, Call: "functions.x:1", Text: "no", IsError: true},
		{Author: agent.Settlement, From: "c1", ID: "m1", Text: "completed"},
		{Author: agent.ToolResult, Call: "toolu_a", Text: " "},
		{Author: agent.Report, From: "c1", ID: "m2", Text: "half"},
		{Author: agent.Assistant, Text: "done", Extra: json.RawMessage(`{"openai":{"reasoning_content":"Hm."}}`)},
		{Author: agent.Coordinator, From: "p", ID: "m3", Text: "go on"},
	}})
	text := func(s string) string {
		b, err := json.Marshal(map[string]string{"type": "text", "text": s})
		require.NoError(t, err)
		return string(b)
	}
	frame := func(m agent.Message) string { return text(m.UserText()) }
	var have struct {
		System   []any
		Messages []struct {
			Role    string
			Content []json.RawMessage
		}
	}
	require.NoError(t, json.Unmarshal([]byte(got.Body), &have))
	require.Empty(t, have.System)
	want := []struct {
		role   string
		blocks []string
	}{
		{"user", []string{text("(what came before is not shown)")}},
		{"assistant", []string{text("Hello.")}},
		{"user", []string{text("one"), text("(no text)")}},
		{"assistant", []string{
			`{"type":"thinking","thinking":"Hm.","signature":"c2ln"}`,
			`{"type":"tool_use","id":"functions_x_1_ID1","name":"no_such_tool_","input":{"invalid_arguments":"{\"cut"}}`,
			text("Both."),
			`{"type":"tool_use","id":"toolu_a","name":"measure","input":{"z":1,"a":2}}`,
			`{"type":"tool_use","id":"functions_x_1_ID2","name":"measure","input":{}}`,
		}},
		{"user", []string{
			`{"type":"tool_result","tool_use_id":"toolu_a"}`,
			`{"type":"tool_result","tool_use_id":"functions_x_1_ID1","is_error":true,"content":[{"type":"text","text":"no"}]}`,
			`{"type":"tool_result","tool_use_id":"functions_x_1_ID2","is_error":true,"content":[{"type":"text","text":"There is no result of this call."}]}`,
			frame(agent.Message{Author: agent.Settlement, From: "c1", ID: "m1", Text: "completed"}),
			frame(agent.Message{Author: agent.Report, From: "c1", ID: "m2", Text: "half"}),
		}},
		{"assistant", []string{text("done")}},
		{"user", []string{frame(agent.Message{Author: agent.Coordinator, From: "p", ID: "m3", Text: "go on"})}},
	}
	require.Len(t, have.Messages, len(want))
	ids := strings.NewReplacer("_ID1", id(t, have.Messages[3].Content[1]), "_ID2", id(t, have.Messages[3].Content[4]))
	for i, w := range want {
		require.Equal(t, w.role, have.Messages[i].Role)
		require.Len(t, have.Messages[i].Content, len(w.blocks))
		for j, b := range w.blocks {
			require.JSONEq(t, ids.Replace(b), string(have.Messages[i].Content[j]))
		}
	}
	require.NotEqual(t, ids.Replace("_ID1"), ids.Replace("_ID2"))
}

// id is what an id that was not legal has at its end.
func id(t *testing.T, block json.RawMessage) string {
	t.Helper()
	var b struct{ ID string }
	require.NoError(t, json.Unmarshal(block, &b))
	require.Regexp(t, `^functions_x_1_[0-9a-f]{8}$`, b.ID)
	return strings.TrimPrefix(b.ID, "functions_x_1")
}

// A paused answer is asked for again with what came of it, and no more often than it may be.
func TestPaused(t *testing.T) {
	pause := stream("pause_turn", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}`)
	nothing := stream("pause_turn")
	s := serve(t, nothing, pause, pause, says("b"))
	res, err := newModel(t, s.URL, nil).Generate(t.Context(), wiretest.Ask(), func(agent.Delta) {})
	require.NoError(t, err)
	require.Equal(t, "aab", res.Text)
	require.Equal(t, agent.Usage{Input: 40, Output: 8}, res.Usage)
	require.Equal(t, s.Requests()[0].Body, s.Requests()[1].Body)
	require.Contains(t, s.Requests()[2].Body, `{"content":[{"type":"text","text":"a"}],"role":"assistant"}]`)
	require.Contains(t, s.Requests()[3].Body, `{"content":[{"type":"text","text":"a"},{"type":"text","text":"a"}],"role":"assistant"}]`)

	many := make([]wiretest.Response, anthropic.MaxPauses+1)
	for i := range many {
		many[i] = pause
	}
	s = serve(t, many...)
	_, err = newModel(t, s.URL, nil).Generate(t.Context(), wiretest.Ask(), func(agent.Delta) {})
	require.EqualError(t, err, "anthropic: the answer was paused more than 10 times")
	require.Zero(t, s.Left())
}

// What the provider does not take is an error before any request.
func TestRefusedTools(t *testing.T) {
	s := serve(t)
	ask := wiretest.Ask()
	ask.Tools = append(ask.Tools, tool.Definition{Name: "b", Parameters: json.RawMessage(`{"type":"object","properties":{"$top":{}}}`)})
	_, err := newModel(t, s.URL, nil).Generate(t.Context(), ask, func(agent.Delta) {})
	var refused *provider.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, provider.PropertyName, refused.Faults[0].Rule)
	require.Equal(t, "/properties/$top", refused.Faults[0].At)
	_, err = newModel(t, s.URL, nil).Generate(t.Context(), &agent.Request{}, func(agent.Delta) {})
	require.EqualError(t, err, "anthropic: there is no message to answer")
	require.Empty(t, s.Requests())
}

func TestNew(t *testing.T) {
	for want, change := range map[string]func(*anthropic.Config){
		"anthropic: the Model is missing":                              func(c *anthropic.Config) { c.Model = "" },
		"anthropic: MaxTokens and ThinkingTokens must not be negative": func(c *anthropic.Config) { c.MaxTokens = -1 },
		"anthropic: Thinking is adaptive or disabled, not \"much\"":    func(c *anthropic.Config) { c.Thinking = "much" },
		"anthropic: ThinkingTokens must be less than MaxTokens":        func(c *anthropic.Config) { c.MaxTokens, c.ThinkingTokens = 9, 9 },
		"anthropic: the BaseURL is no URL of http or https":            func(c *anthropic.Config) { c.BaseURL = "localhost:80" },
		"anthropic: Thinking and ThinkingTokens exclude each other":    func(c *anthropic.Config) { c.Thinking, c.ThinkingTokens = "adaptive", 9 },
		"anthropic: the value of the header A has control characters":  func(c *anthropic.Config) { c.Headers = map[string]string{"A": "b\nc"} },
	} {
		cfg := anthropic.Config{Model: "m", BaseURL: "http://h", APIKey: key}
		change(&cfg)
		_, err := anthropic.New(cfg)
		require.EqualError(t, err, want)
	}
}

// A context that has ended is the error, with its cause.
func TestCancel(t *testing.T) {
	s := serve(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(agent.ErrInterrupted)
	_, err := newModel(t, s.URL, nil).Generate(ctx, wiretest.Ask(), func(agent.Delta) {})
	require.Equal(t, agent.ErrInterrupted, err)
}
