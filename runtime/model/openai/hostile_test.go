package openai_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model"
	"github.com/toolgen-dev/toolgen/runtime/model/internal/wire"
	"github.com/toolgen-dev/toolgen/runtime/model/internal/wiretest"
	"github.com/toolgen-dev/toolgen/runtime/model/openai"
)

const streamed = "HTTP/1.1 200 OK\nContent-Type: text/event-stream\n"

// A server that is out of order or hostile gets an error and no second request, and no time or memory beyond what it sends.
func TestHostileServer(t *testing.T) {
	var calls strings.Builder
	for i := range wire.MaxCalls + 1 {
		fmt.Fprintf(&calls, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"id":"c","function":{"name":"f","arguments":"{}"}}]}}]}`+"\n\n", i)
	}
	calls.WriteString(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n")
	for name, c := range map[string]struct{ response, want string }{
		"more calls than anyone makes": {streamed + "\n" + calls.String(), "openai: the answer has 1001 calls; at most 1000 are taken"},
		"an event without an end":      {streamed + "\ndata: " + strings.Repeat("x", 33<<20), "openai: the answer is too large"},
		"nesting": {streamed + "\ndata: {\"choices\":" + strings.Repeat("[", 1<<20) + "\n\n",
			"openai: an event of the stream could not be read: invalid character '[' exceeded max depth (2 attempts)"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, wiretest.Response{Text: c.response}, wiretest.Response{Text: c.response})
			_, err := newModel(t, s.URL, func(c *openai.Config) { c.Retry.Attempts = 2 }).Generate(t.Context(), wiretest.Ask(), func(agent.Delta) {})
			require.EqualError(t, err, c.want)
			if strings.Contains(c.want, "too large") {
				require.ErrorIs(t, err, model.ErrTooLarge)
			}
		})
	}
}

// Where a server repeats the name and gives no id, long arguments in many pieces are looked at once: twice as many take twice as
// long, and not four times. With the square, this test does not end.
func TestManyPieces(t *testing.T) {
	const pieces = 60_000
	piece := func(arguments string) string {
		return `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":` + quoted(arguments) + `}}]}}]}` + "\n\n"
	}
	body := piece(`{"a":"\"{`) + strings.Repeat(piece(`}{ and some more of a text `), pieces) + piece(`"}`) + piece(`{"b":1}`) +
		`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	res, err := newModel(t, serve(t, wiretest.Response{Text: streamed + "\n" + body}).URL, nil).Generate(t.Context(), wiretest.Ask(), func(agent.Delta) {})
	require.NoError(t, err)
	require.Len(t, res.Calls, 2)
	require.Len(t, res.Calls[0].Arguments, len(`{"a":"\"{`)+pieces*len(`}{ and some more of a text `)+len(`"}`))
	require.Equal(t, `{"b":1}`, res.Calls[1].Arguments)
}

func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
