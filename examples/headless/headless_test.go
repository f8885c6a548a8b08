package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/agent"

	"github.com/toolgen-dev/toolgen/examples/internal/assemble"
	"github.com/toolgen-dev/toolgen/examples/workspace"
)

// The tree is drawn below what stays, and drawn anew in its place.
func TestTree(t *testing.T) {
	var b bytes.Buffer
	tree := newTree(&b, func() (int, int) { return 20, 5 })
	next := func(want string, do func()) {
		t.Helper()
		b.Reset()
		do()
		tree.flush()
		require.Equal(t, want, b.String())
	}
	next("headless: conversation r\nroot: starts\n", func() { tree.event(event{Type: "start", Agent: "r", Label: "root"}) })
	next("\x1b[1A\x1b[Jroot: starts\n  a: started\n", func() { tree.event(event{Type: "agent", Agent: "a", Parent: "r", Label: "a", State: "started"}) })
	next("\x1b[2A\x1b[Jroot: starts\n  a: started\n  b: started\n", func() { tree.event(event{Type: "agent", Agent: "b", Parent: "r", Label: "b", State: "started"}) })
	next("\x1b[3A\x1b[Jroot: starts\n  a: started\n… and 2 more\n", func() { tree.event(event{Type: "agent", Agent: "c", Parent: "a", Label: "c", State: "started"}) })
	next("\x1b[3A\x1b[Jlog\nroot: starts\n  a: started\n… and 2 more\n", func() { tree.text("log\n") })
	next("\x1b[3A\x1b[JRun it? ", func() { tree.pause("Run it? ") })
	next("", func() { tree.event(event{Type: "message", Agent: "a", Author: "coordinator"}) })
	next("root: starts\n  a: thinks\n… and 2 more\n", func() { tree.resume() })
	next("\x1b[3A\x1b[Jroot: starts\n  a: calls read_fil\n… and 2 more\n", func() {
		tree.event(event{Type: "answer", Agent: "a", Calls: []call{{Name: "read_file\x1b[2J"}}})
	})
	one := exitFailed
	next("\x1b[3A\x1b[Jroot: failed\n  a: calls read_fil\n… and 2 more\nheadless: c — c\\x1b was still running, and was stopped\nheadless: failed: why\n", func() {
		tree.event(event{Type: "end", Agent: "r", Outcome: "failed", Reason: "why", Exit: &one, Left: []left{{"c", "c\x1b"}}})
	})
	next("late\n", func() { tree.text("late\n") })
	require.Equal(t, "漢", fit("漢字", 3))
}

// A line is JSON of printable characters, and says what was said.
func TestEncode(t *testing.T) {
	text := "a\x1b[2J\u009b\u202e\u2028\x7f\U000e0001 ü漢😀 <&>\xff"
	line := encode(event{Type: "answer", Text: text})
	require.Equal(t, `{"type":"answer","text":"a\u001b[2J\u009b\u202e\u2028\u007f\udb40\udc01 ü漢😀 <&>\ufffd"}`+"\n", string(line))
	var e event
	require.NoError(t, json.Unmarshal(line, &e))
	require.Equal(t, strings.ToValidUTF8(text, "\uFFFD"), e.Text)
}

// What ended a run is said with it: of the cause one line, without a key and not all of it.
func TestCause(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-secret-1")
	keys := assemble.TakeKeys()
	e := ending{turn: agent.TurnEnd{Outcome: agent.Failed, Reason: agent.ModelFailed, Err: errors.New("sk-secret-1\n\x1b[2J" + strings.Repeat("x", 1000))}}
	e.finish(nil, nil, keys)
	require.Equal(t, exitFailed, e.exit)
	require.Equal(t, "the model could not be reached, or failed: [key] \\x1b[2J"+strings.Repeat("x", maxCause-len("[key] \\x1b[2J")-1)+"…", e.reason)
	e = ending{turn: agent.TurnEnd{Outcome: agent.Failed, Reason: agent.NoAnswer, Err: errors.New("the same")}}
	e.finish(nil, nil, keys)
	require.Equal(t, "the model gave no answer", e.reason)
}

// An answer is for the question that was asked: what is typed for one that was called off permits nothing else.
func TestStaleAnswer(t *testing.T) {
	in, typed := io.Pipe()
	out := newOutput(options{quiet: true}, io.Discard, nil, func(error) {})
	a := newAsker(in, out)
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan error)
	go func() {
		_, err := a.permit(ctx, workspace.Command{Line: "first"})
		asked <- err
	}()
	_, err := typed.Write([]byte("y")) // half a line: the read is going on
	require.NoError(t, err)
	cancel()
	require.ErrorIs(t, <-asked, context.Canceled)

	answer := make(chan bool)
	go func() {
		ok, err := a.permit(t.Context(), workspace.Command{Line: "second"})
		if err != nil {
			ok = true
		}
		answer <- ok
	}()
	_, err = typed.Write([]byte("\nn\n"))
	require.NoError(t, err)
	require.False(t, <-answer, "the first y was not for it")

	go func() { answer <- errors.Is(typed.Close(), nil) }()
	require.True(t, <-answer)
	ok, err := a.permit(t.Context(), workspace.Command{Line: "third"})
	require.NoError(t, err, "the user was there")
	require.False(t, ok)
	_, err = newAsker(iotest.ErrReader(errors.New("gone")), out).permit(t.Context(), workspace.Command{Line: "fourth"})
	require.ErrorContains(t, err, "the input cannot be read")
	require.NoError(t, out.close())
}
