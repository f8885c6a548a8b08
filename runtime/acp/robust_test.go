package acp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/acp"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
)

// Each of these runs in a bubble, which fails where a goroutine is left.

// hello opens a session, agent-1.
const hello = `send {"id":1,"method":"initialize","params":{"protocolVersion":1}}
wait "id":1
send {"id":2,"method":"session/new","params":{"cwd":"$DIR","mcpServers":[]}}
wait "id":2`

func prompting(id int, session, text string) string {
	return fmt.Sprintf(`send {"id":%d,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}}`, id, session, text)
}

const stalling = `-- root --
say Working.
call subagent {"description":"look","prompt":"Look."}

say Waiting.
stall

-- label: look --
stall
`

// stored checks that nothing is resident, and how the child ended.
func (w *world) stored() {
	w.t.Helper()
	residents, err := w.store.Residents(w.t.Context(), "")
	require.NoError(w.t, err)
	require.Empty(w.t, residents)
	roots, err := w.store.Children(w.t.Context(), "", "", 0)
	require.NoError(w.t, err)
	require.Len(w.t, roots, 1)
	children, err := w.store.Children(w.t.Context(), roots[0].ID, "", 0)
	require.NoError(w.t, err)
	require.Len(w.t, children, 1)
	require.Equal(w.t, string(agent.Interrupted), children[0].Outcome)
	h, err := agent.Load(w.t.Context(), w.store, roots[0].ID, 0)
	require.NoError(w.t, err)
	require.Equal(w.t, agent.Assistant, h.Messages[len(h.Messages)-1].Author)
	require.Equal(w.t, "Waiting.", h.Messages[len(h.Messages)-1].Text)
}

func TestClientEndsItsInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, stalling)
		w.start()
		w.play(hello + "\n" + prompting(3, "agent-1", "Go on.") + "\nwait Waiting.\nclose\n" +
			// The client may still read: the turn's answer comes.
			`wait "id":3,"result":{"stopReason":"cancelled"}` + "\nend")
		require.NoError(t, <-w.ended)
		w.stored()
	})
}

func TestClientTakesNoOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, stalling)
		w.start()
		w.play(hello + "\n" + prompting(3, "agent-1", "Go on.") + "\nwait Waiting.")
		require.NoError(t, w.out.CloseWithError(io.ErrClosedPipe))
		w.play(`send {"id":4,"method":"nothing"}`) // the answer finds the pipe broken
		require.ErrorContains(t, <-w.ended, "the client takes no output: io: read/write on closed pipe")
		w.stored()
	})
}

func TestContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, stalling)
		w.start()
		w.play(hello + "\n" + prompting(3, "agent-1", "Go on.") + "\nwait Waiting.")
		sigterm := errors.New("terminated")
		w.stop(sigterm)
		w.play(`wait "id":3,"result":{"stopReason":"cancelled"}` + "\nend")
		require.ErrorIs(t, <-w.ended, sigterm)
		w.stored()
	})
}

// deaf is a writer that takes nothing until it is closed.
type deaf struct{ closed chan struct{} }

func (d deaf) Write([]byte) (int, error) { <-d.closed; return 0, io.ErrClosedPipe }

// TestClientDoesNotRead checks that what waits for a client is bounded: a model that talks for ever is stopped from talking, and
// everything ends all the same.
func TestClientDoesNotRead(t *testing.T) {
	for _, end := range []string{"eof", "context"} {
		t.Run(end, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, "-- root --\nsay "+strings.Repeat("blah ", 10_000)+"\nstall\n")
				w.cfg.Limits.Out = 1 << 10
				in, inW := io.Pipe()
				d := deaf{make(chan struct{})}
				ctx, stop := context.WithCancelCause(t.Context())
				defer stop(nil)
				ended := make(chan error, 1)
				go func() { ended <- acp.Serve(ctx, w.cfg, in, d); _ = in.Close() }()
				write := func(text string) {
					_, err := io.WriteString(inW, text+"\n")
					require.NoError(t, err)
				}
				write(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`)
				write(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`, w.dir))
				synctest.Wait()
				roots, err := w.store.Children(ctx, "", "", 0)
				require.NoError(t, err)
				write(fmt.Sprintf(`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"Talk."}]}}`, roots[0].ID))
				synctest.Wait() // everybody waits
				c, err := w.store.Get(ctx, roots[0].ID)
				require.NoError(t, err)
				require.True(t, c.Driving, "the turn runs")
				if end == "eof" {
					require.NoError(t, inW.Close())
					require.NoError(t, <-ended)
				} else {
					stop(io.ErrUnexpectedEOF)
					require.ErrorIs(t, <-ended, io.ErrUnexpectedEOF)
				}
				residents, err := w.store.Residents(t.Context(), "")
				require.NoError(t, err)
				require.Empty(t, residents)
				close(d.closed)
			})
		})
	}
}

func TestLongLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "-- root --\nsay Yes.\n")
		w.cfg.Limits.Line = 1 << 10
		w.start()
		w.play(hello)
		w.play("raw " + strings.Repeat("x", 3<<20) + "\nwait a line may have 1024 bytes")
		w.play("raw " + strings.Repeat(" ", 1<<10) + "\nwait a line may have 1024 bytes")
		w.play(prompting(3, "agent-1", "Still there?") + "\nwait \"id\":3,\"result\"")
		w.finish()
	})
}

func TestLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "-- root --\nsay On it.\nstall\n")
		w.cfg.Limits = acp.Limits{Prompts: 2, Sessions: 1, Requests: 3}
		w.start()
		w.play(hello + "\n" +
			`send {"id":3,"method":"session/new","params":{"cwd":"$DIR","mcpServers":[]}}` + "\n" +
			`wait "id":3,"error":{"code":-32603,"message":"Internal error","data":{"error":"1 sessions are open; close one"}}` + "\n" +
			prompting(4, "agent-1", "One.") + "\n" + prompting(5, "agent-1", "Two.") + "\n" + prompting(6, "agent-1", "Three.") + "\n" +
			`wait "id":6,"error":{"code":-32603,"message":"Internal error","data":{"error":"2 prompts of the session wait for their answers"}}`)
		w.play(`send {"method":"session/cancel","params":{"sessionId":"agent-1"}}
wait "id":4,"result":{"stopReason":"cancelled"}
wait "id":5,"result":{"stopReason":"cancelled"}
send {"id":7,"method":"session/close","params":{"sessionId":"agent-1"}}
wait "id":7,"result"
send {"id":8,"method":"session/new","params":{"cwd":"$DIR","mcpServers":[]}}
wait "id":8,"result"`)
		w.play("close\nend")
		require.NoError(t, <-w.ended)
	})
}

// TestPromptAfterCancel sends a cancel and the next prompt without waiting between them.
func TestPromptAfterCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "-- root --\nsay On it.\nstall\n\nexpect user Two.\nsay Done.\n")
		w.start()
		w.play(hello + "\n" + prompting(3, "agent-1", "One.") + "\nwait On\n" +
			`send {"method":"session/cancel","params":{"sessionId":"agent-1"}}` + "\n" + prompting(4, "agent-1", "Two.") + "\n" +
			`wait "id":3,"result":{"stopReason":"cancelled"}` + "\n" + `wait "id":4,"result":{"stopReason":"end_turn"}`)
		w.finish()
	})
}

// TestCancelFollowsAtOnce sends a prompt and its cancel without waiting between them: the turn may not have begun.
func TestCancelFollowsAtOnce(t *testing.T) {
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, "-- root --\nstall\n\nsay Done.\n")
			w.start()
			w.play(hello + "\n" + prompting(3, "agent-1", "One.") + "\n" +
				`send {"method":"session/cancel","params":{"sessionId":"agent-1"}}` + "\n" +
				`wait "id":3,"result":{"stopReason":"cancelled"}`)
			w.play("close\nend")
			require.NoError(t, <-w.ended)
		})
	}
}

func TestStopReasons(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"end_turn", "say Yes.", `"result":{"stopReason":"end_turn"}`},
		{"max_tokens", "say Yes\nstop token_limit", `"result":{"stopReason":"max_tokens"}`},
		{"refusal", "say No.\nstop refused", `"result":{"stopReason":"refusal"}`},
		{"max_turn_requests", strings.Repeat("call list_agents {}\n\n", 5), `"result":{"stopReason":"max_turn_requests"}`},
		{"model", "fail key sk-1 is wrong", `"error":{"code":-32603,"message":"Internal error","data":{"error":"the turn failed: the model could not be reached, or failed"}}`},
		{"no answer", "usage 1 1", `"error":{"code":-32603,"message":"Internal error","data":{"error":"the turn failed: the model gave no answer"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, "-- root --\n"+c.script+"\n")
				w.start()
				w.play(hello + "\n" + prompting(3, "agent-1", "Go on.") + "\nwait \"id\":3," + c.want)
				w.finish()
				require.NotContains(t, w.Transcript(), "sk-1")
			})
		})
	}
}

// TestSessionsAtOnce prompts two sessions of one store, each of which waits for the other.
func TestSessionsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "-- root --\nexpect user hold\nhold other\nsay First.\n")
		second := newWorld(t, "-- root --\nrelease other\nsay Second.\n")
		first := w.cfg.Agents
		n := 0
		w.cfg.Agents = func(ctx context.Context, s *acp.Session) (acp.Agents, error) {
			if n++; n == 2 {
				second.store = w.store
				return second.agents(s)
			}
			return first(ctx, s)
		}
		w.start()
		w.play(hello + "\n" + `send {"id":3,"method":"session/new","params":{"cwd":"$DIR","mcpServers":[]}}` + "\nwait \"id\":3\n" +
			prompting(4, "agent-1", "hold"))
		<-w.script.Held("other")
		w.play(prompting(5, "agent-2", "go") + "\nwait \"id\":5,\"result\"")
		w.script.Release("other")
		w.play(`wait "id":4,"result"`)
		w.finish()
		require.NoError(t, second.script.Finish())
	})
}

// TestHeldElsewhere loads a session that another connection has open.
func TestHeldElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "-- root --\nsay Hello.\n")
		w.start()
		w.play(hello)
		other := newWorld(t, "-- root --\nsay Hello.\n")
		other.cfg.Store, other.store, other.dir = w.store, w.store, w.dir
		other.start()
		other.play(fmt.Sprintf(`send {"id":1,"method":"initialize","params":{"protocolVersion":1}}
wait "id":1
send {"id":2,"method":"session/load","params":{"sessionId":%q,"cwd":"$DIR","mcpServers":[]}}
wait "data":{"error":"the session is open in another process"}
close
end`, w.Meant("agent-1")))
		require.NoError(t, <-other.ended)
		w.play(prompting(3, "agent-1", "Still there?") + "\nwait \"id\":3,\"result\"")
		w.finish()
	})
}

// TestLostElsewhere takes a session away while it is open: another process believed this one dead.
func TestLostElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "-- root --\nsay Hello.\nstall\n\nexpect user Again.\nsay Again.\n")
		w.start()
		w.play(hello + "\n" + prompting(3, "agent-1", "Hello?") + "\nwait Hello.")
		dead, err := w.store.Dead(t.Context(), -1)
		require.NoError(t, err)
		require.Len(t, dead, 1)
		require.NoError(t, w.store.Lose(t.Context(), dead[0], store.Settlement{Outcome: string(agent.Lost), Activation: dead[0].Activation}))
		w.play(`send {"method":"session/cancel","params":{"sessionId":"agent-1"}}` + "\nwait \"id\":3,")
		w.play(prompting(4, "agent-1", "Gone?") + "\nwait \"id\":4,\"error\":{\"code\":-32603,\"message\":\"Internal error\",\"data\":{\"error\":\"the session has ended; load it again\"}}")
		w.play(`send {"id":5,"method":"session/load","params":{"sessionId":"agent-1","cwd":"$DIR","mcpServers":[]}}` + "\nwait \"id\":5,\"result\"\n" +
			prompting(6, "agent-1", "Again.") + "\nwait \"id\":6,\"result\":{\"stopReason\":\"end_turn\"}")
		w.finish()
	})
}

// TestStopAgents stops what a cancel leaves running.
func TestStopAgents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "-- root --\ncall subagent {\"description\":\"look\",\"prompt\":\"Look.\"}\n\nsay Asked.\n\nexpect settlement interrupted\nsay Stopped.\n\n-- label: look --\nsay Looking.\nstall\n")
		w.start()
		w.play(hello + "\n" + prompting(3, "agent-1", "Go on.") + "\nwait \"id\":3,\"result\"\n" +
			`send {"id":4,"method":"_toolgen/stop_agents","params":{"sessionId":"agent-1","agent":"agent-9"}}` + "\n" +
			`wait "id":4,"result":{"stopped":[]}` + "\n" +
			`send {"id":5,"method":"_toolgen/stop_agents","params":{"sessionId":"agent-1"}}` + "\n")
		w.play(`wait _toolgen/turn_ended`)
		synctest.Wait()
		require.Contains(t, w.Transcript(), `"id":5,"result":{"stopped":["agent-2"]}`)
		w.finish()
	})
}

// TestReport shows a report before the settlement notice of its author.
func TestReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "-- root --\ncall subagent {\"description\":\"look\",\"prompt\":\"Look.\"}\n\nsay Asked.\n\nexpect report Half.\nsay Half.\n\nexpect settlement All.\nsay All.\n\n"+
			"-- label: look --\nhold rest 1\ncall report {\"output\":\"Half.\"}\n\nhold rest 2\nsay All.\n")
		w.start()
		w.play(hello + "\n" + prompting(3, "agent-1", "Go on.") + "\nwait \"id\":3,\"result\"\n" +
			`wait {"method":"_toolgen/notices","params":{"sessionId":"agent-1","notices":[{"kind":"report","agent":"agent-2","label":"look","text":"Report of subagent agent-2` + "\n" +
			`wait {"method":"_toolgen/turn_ended","params":{"sessionId":"agent-1","stopReason":"end_turn"}}` + "\n" +
			`wait {"method":"_toolgen/notices","params":{"sessionId":"agent-1","notices":[{"kind":"settlement","agent":"agent-2"` + "\n" +
			`wait {"method":"_toolgen/turn_ended"`)
		w.finish()
	})
}
