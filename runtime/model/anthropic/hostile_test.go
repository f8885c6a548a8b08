package anthropic_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model"
	"github.com/toolgen-dev/toolgen/runtime/model/internal/wire"
	"github.com/toolgen-dev/toolgen/runtime/model/internal/wiretest"
)

// A server that is out of order or hostile gets an error and no second request.
func TestHostileServer(t *testing.T) {
	const streamed = "HTTP/1.1 200 OK\nContent-Type: text/event-stream\n\n"
	var calls strings.Builder
	for i := range wire.MaxCalls + 1 {
		fmt.Fprintf(&calls, "event: content_block_start\n"+`data: {"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","id":"c","name":"f","input":{}}}`+"\n\n", i)
	}
	calls.WriteString("event: message_delta\n" + `data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}` + "\n\nevent: message_stop\n" + `data: {"type":"message_stop"}` + "\n\n")
	for name, c := range map[string]struct{ response, want string }{
		"more calls than anyone makes": {streamed + calls.String(), "anthropic: the answer has 1001 calls; at most 1000 are taken"},
		"an event without an end":      {streamed + "data: " + strings.Repeat("x", 33<<20), "anthropic: the answer is too large"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, wiretest.Response{Text: c.response}, wiretest.Response{Text: c.response})
			_, err := newModel(t, s.URL, nil).Generate(t.Context(), wiretest.Ask(), func(agent.Delta) {})
			require.EqualError(t, err, c.want)
			if strings.Contains(c.want, "too large") {
				require.ErrorIs(t, err, model.ErrTooLarge)
			}
		})
	}
}
