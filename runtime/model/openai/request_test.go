package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3/option"
	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model/internal/wiretest"
	"github.com/toolgen-dev/toolgen/runtime/model/openai"
	"github.com/toolgen-dev/toolgen/runtime/provider"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// stream is a recorded answer of these chunks.
func stream(chunks ...string) wiretest.Response {
	return wiretest.Response{Text: "HTTP/1.1 200 OK\nContent-Type: text/event-stream\n\ndata: " +
		strings.Join(append(chunks, "[DONE]"), "\n\ndata: ") + "\n\n"}
}

func says(text string) wiretest.Response {
	return stream(fmt.Sprintf(`{"choices":[{"index":0,"delta":{"content":%q},"finish_reason":"stop"}]}`, text))
}

// body is what a server gets of a request.
func body(t *testing.T, change func(*openai.Config), req *agent.Request) wiretest.Request {
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
	schema := string(ask.Tools[0].Parameters)
	want := `{"messages":[{"content":"You measure files.","role":"system"},{"content":"How long is app.log?","role":"user"}],` +
		`"model":"small","stream_options":{"include_usage":true},"tools":[{"function":{"name":"measure",` +
		`"description":"Measures a file <& more>.","parameters":` + escapeHTML(schema) + `},"type":"function"}],"stream":true}`
	var first wiretest.Request
	for i := range 30 {
		got := body(t, nil, ask)
		require.Equal(t, want, got.Body)
		if i == 0 {
			first = got
		}
	}
	require.Equal(t, "/v1/chat/completions", first.Path)
	require.Equal(t, "Bearer "+string(key), first.Header.Get("Authorization"))
}

// escapeHTML is what the SDK makes of three characters in a schema: another writing of the same text.
func escapeHTML(s string) string {
	return strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`).Replace(s)
}

// Each setting is a field or a header.
func TestSettings(t *testing.T) {
	got := body(t, func(c *openai.Config) {
		c.APIKey = ""
		c.MaxTokens, c.Temperature, c.ReasoningEffort, c.NoUsage = 100, new(0.0), "low", true
		c.Headers = map[string]string{"X-Team": "night shift"}
		c.Options = []option.RequestOption{option.WithJSONSet("seed", 7)}
	}, &agent.Request{Model: "the deployment's word", Messages: []agent.Message{{Author: agent.User, Text: "Hi"}}})
	require.Equal(t, `{"messages":[{"content":"Hi","role":"user"}],"model":"small","max_tokens":100,"temperature":0,`+
		`"reasoning_effort":"low","seed":7,"stream":true}`, got.Body)
	require.Empty(t, got.Header.Get("Authorization"))
	require.Equal(t, "night shift", got.Header.Get("X-Team"))

	got = body(t, func(c *openai.Config) { c.MaxTokens, c.MaxTokensField = 100, "max_completion_tokens" }, wiretest.Ask())
	require.Contains(t, got.Body, `"max_completion_tokens":100`)
	require.NotContains(t, got.Body, `"max_tokens"`)
}

// The environment is the program's affair.
func TestEnvironment(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-of-the-environment")
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("OPENAI_ORG_ID", "org")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Custom: yes")
	got := body(t, func(c *openai.Config) { c.APIKey = "" }, wiretest.Ask())
	for _, name := range []string{"Authorization", "OpenAI-Organization", "X-Custom"} {
		require.Empty(t, got.Header.Get(name))
	}
	_, err := openai.New(openai.Config{Model: "m"})
	require.ErrorContains(t, err, "APIKey is missing")
}

// A conversation as the protocol wants it: each result behind its call, in the calls' order; frames in the user's role; one
// message for texts that follow each other.
func TestHistory(t *testing.T) {
	got := body(t, nil, &agent.Request{System: "S", Messages: []agent.Message{
		{Author: agent.User, Text: "one"},
		{Author: agent.User, Text: " "},
		{Author: agent.Assistant, Text: "", Calls: []agent.Call{
			{ID: "a", Name: "measure", Arguments: `{"z":1,"a":2}`},
			{ID: "b", Name: "no such tool!", Arguments: `{"cut`},
			{ID: "c", Name: "measure", Arguments: ``},
		}, Extra: json.RawMessage(`{"openai":{"reasoning_content":"Hm."}}`)},
		{Author: agent.ToolResult, Call: "b", Text: "no", IsError: true},
		{Author: agent.Settlement, From: "c1", ID: "m1", Text: "completed"},
		{Author: agent.ToolResult, Call: "a", Text: ""},
		{Author: agent.ToolResult, Call: "from nowhere", Text: "x"},
		{Author: agent.Assistant, Text: " \n"},
		{Author: agent.Report, From: "c1", ID: "m2", Text: "half"},
		{Author: agent.Assistant, Text: "done", Extra: json.RawMessage(`{"anthropic":{"content":[]}}`)},
		{Author: agent.Coordinator, From: "p", ID: "m3", Text: "go on"},
	}})
	var have struct{ Messages []json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(got.Body), &have))
	frame := func(m agent.Message) string { return m.UserText() }
	user := func(text string) string {
		b, err := json.Marshal(map[string]string{"role": "user", "content": text})
		require.NoError(t, err)
		return string(b)
	}
	want := []string{
		`{"role":"system","content":"S"}`,
		user("one\n\n(no text)"),
		`{"role":"assistant","tool_calls":[` +
			`{"id":"a","type":"function","function":{"name":"measure","arguments":"{\"z\":1,\"a\":2}"}},` +
			`{"id":"b","type":"function","function":{"name":"no_such_tool_","arguments":"{\"invalid_arguments\":\"{\\\"cut\"}"}},` +
			`{"id":"c","type":"function","function":{"name":"measure","arguments":"{}"}}],"reasoning_content":"Hm."}`,
		`{"role":"tool","tool_call_id":"a","content":""}`,
		`{"role":"tool","tool_call_id":"b","content":"no"}`,
		`{"role":"tool","tool_call_id":"c","content":"There is no result of this call."}`,
		user(frame(agent.Message{Author: agent.Settlement, From: "c1", ID: "m1", Text: "completed"}) + "\n\n" +
			frame(agent.Message{Author: agent.Report, From: "c1", ID: "m2", Text: "half"})),
		`{"role":"assistant","content":"done"}`,
		user(frame(agent.Message{Author: agent.Coordinator, From: "p", ID: "m3", Text: "go on"})),
	}
	require.Len(t, have.Messages, len(want))
	for i, w := range want {
		require.JSONEq(t, w, string(have.Messages[i]))
	}
}

// What the provider does not take is an error before any request.
func TestRefusedTools(t *testing.T) {
	s := serve(t)
	ask := wiretest.Ask()
	ask.Tools = append(ask.Tools, tool.Definition{Name: "a.b", Parameters: json.RawMessage(`{"type":"object"}`)})
	_, err := newModel(t, s.URL, nil).Generate(t.Context(), ask, func(agent.Delta) {})
	var refused *provider.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, []provider.Fault{{Tool: "a.b", Rule: provider.Name, Text: "a name has 1 to 64 letters, digits, _ and -"}}, refused.Faults)
	require.Empty(t, s.Requests())

	_, err = newModel(t, s.URL, nil).Generate(t.Context(), &agent.Request{}, func(agent.Delta) {})
	require.EqualError(t, err, "openai: there is no message to answer")
	require.Empty(t, s.Requests())
}

func TestNew(t *testing.T) {
	for want, change := range map[string]func(*openai.Config){
		"openai: the Model is missing":                       func(c *openai.Config) { c.Model = "" },
		"openai: MaxTokens must not be negative":             func(c *openai.Config) { c.MaxTokens = -1 },
		"openai: MaxConcurrent must not be negative":         func(c *openai.Config) { c.MaxConcurrent = -1 },
		"openai: the settings of Retry must not be negative": func(c *openai.Config) { c.Retry.Attempts = -1 },
		"openai: the BaseURL is no URL of http or https":     func(c *openai.Config) { c.BaseURL = "localhost:80" },
		"openai: the BaseURL is no URL":                      func(c *openai.Config) { c.BaseURL = "http://[" + string(key) },
		"openai: the BaseURL has more than a path":           func(c *openai.Config) { c.BaseURL = "http://h/?key=" + string(key) },
		"openai: the BaseURL has a user or password; set the APIKey, or a header": func(c *openai.Config) {
			c.BaseURL = "http://u:" + string(key) + "@h"
		},
		"openai: the APIKey has white space or control characters, which no header can carry": func(c *openai.Config) {
			c.APIKey = key + "\n"
		},
		`openai: "a b" is no name of a header`:                                            func(c *openai.Config) { c.Headers = map[string]string{"a b": "c"} },
		"openai: the value of the header A has control characters":                        func(c *openai.Config) { c.Headers = map[string]string{"A": "b\nc"} },
		`openai: the MaxTokensField is max_tokens or max_completion_tokens, not "tokens"`: func(c *openai.Config) { c.MaxTokensField = "tokens" },
	} {
		cfg := openai.Config{Model: "m", BaseURL: "http://h", APIKey: key}
		change(&cfg)
		_, err := openai.New(cfg)
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

// A proxy is the program's HTTP client.
func TestHTTPClient(t *testing.T) {
	used := false
	got := body(t, func(c *openai.Config) {
		c.HTTPClient = &http.Client{Transport: wiretest.RoundTrip(func(req *http.Request) (*http.Response, error) {
			used = true
			return http.DefaultTransport.RoundTrip(req)
		})}
	}, wiretest.Ask())
	require.True(t, used)
	require.Equal(t, "POST", got.Method)
}
