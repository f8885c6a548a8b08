package agent

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

func entry(seq int64, kind, data string) store.Entry {
	return store.Entry{Seq: seq, Kind: kind, Data: json.RawMessage(data)}
}

func replay(entries ...store.Entry) (*History, error) {
	h := newHistory("c")
	for _, e := range entries {
		if err := h.apply(e); err != nil {
			return h, err
		}
	}
	return h, nil
}

// The formats of version 1, as they lie in stores: a later version has to read them.
func TestFormats(t *testing.T) {
	h, err := replay(
		entry(1, "message", `{"id":"m1","to":"c","kind":"user","lane":"turn","data":{"v":1,"text":"hello"},"seq":1}`),
		entry(2, "assistant", `{"v":1,"text":"let me see","calls":[{"id":"a","name":"Read-File","arguments":"{"},{"id":"b","name":"x","arguments":"{}"}],"stop":"calls","usage":{"input":5,"output":2},"extra":{"k":1}}`),
		entry(3, "started", `{"call":"2/b","child":"d"}`),
		entry(4, "result", `{"v":1,"call":"a","name":"read_file","text":"no","error":true,"arguments":"{\"invalid_arguments\":\"{\"}"}`),
		entry(5, "result", `{"v":1,"call":"b","name":"x","text":"yes"}`),
		entry(6, "message", `{"id":"s","to":"c","from":"d","kind":"settlement","lane":"step","activation":1,"data":{"v":1,"text":"done","label":"d","outcome":"completed"},"seq":2}`),
		entry(7, "turn", `{"v":1,"outcome":"failed","reason":"the model gave no answer","steps":1,"usage":{"input":5}}`),
	)
	require.NoError(t, err)
	require.Equal(t, []Message{
		{Author: User, Text: "hello", ID: "m1"},
		{Author: Assistant, Text: "let me see", Extra: json.RawMessage(`{"k":1}`), Calls: []Call{
			{ID: "a", Name: "read_file", Arguments: `{"invalid_arguments":"{"}`}, {ID: "b", Name: "x", Arguments: "{}"}}},
		{Author: ToolResult, Call: "a", Name: "read_file", Text: "no", IsError: true},
		{Author: ToolResult, Call: "b", Name: "x", Text: "yes"},
		{Author: Settlement, Text: "done", ID: "s", From: "d", Label: "d"},
	}, h.Messages)
	require.EqualValues(t, 7, h.Last)
	require.Equal(t, "let me see", h.Text)
	require.Equal(t, 1, h.FailedTurns)
	require.Empty(t, h.mend(nil), "nothing is missing")
	require.NoError(t, h.apply(entry(8, "settled", `{"outcome":"failed","activation":1}`)))
	require.Zero(t, h.FailedTurns)
	require.Empty(t, h.Text, "the next residency has said nothing yet")
}

// An entry of an unknown version, or of an unknown kind, is unsupported; one whose data is damaged is damaged.
func TestUnreadable(t *testing.T) {
	for _, c := range []struct {
		e    store.Entry
		want error
	}{
		{entry(1, "assistant", `{"v":2}`), store.ErrUnsupported},
		{entry(1, "assistant", `{"text":"no version"}`), store.ErrDamaged},
		{entry(1, "result", `{"v":9}`), store.ErrUnsupported},
		{entry(1, "turn", `{"v":9}`), store.ErrUnsupported},
		{entry(1, "dream", `{"v":1}`), store.ErrUnsupported},
		{entry(1, "message", `{"kind":"user","data":{"v":2}}`), store.ErrUnsupported},
		{entry(1, "message", `{"kind":"user"}`), store.ErrDamaged},
		{entry(1, "message", `{"kind":"user","data":7}`), store.ErrDamaged},
		{entry(1, "assistant", `{`), store.ErrDamaged},
		{entry(1, "turn", ``), store.ErrDamaged},
		{entry(1, "started", `[]`), store.ErrDamaged},
	} {
		_, err := replay(c.e)
		var format *FormatError
		require.ErrorAs(t, err, &format, "%s %s", c.e.Kind, c.e.Data)
		require.ErrorIs(t, err, c.want, "%s %s", c.e.Kind, c.e.Data)
		require.Equal(t, store.ID("c"), format.Conversation)
		require.EqualValues(t, 1, format.Seq)
		require.Contains(t, err.Error(), "entry 1 of c")
	}
}

// What a process that died has left is mended: a result for each call, in order, and the end of the turn.
func TestMend(t *testing.T) {
	h, err := replay(
		entry(1, "message", `{"id":"m1","kind":"user","data":{"v":1,"text":"hello"}}`),
		entry(2, "assistant", `{"v":1,"calls":[{"id":"a","name":"x","arguments":"{}"},{"id":"b","name":"y","arguments":"nonsense"},{"id":"c","name":"z","arguments":""}]}`),
		entry(3, "started", `{"call":"2/c","child":"d"}`),
	)
	require.NoError(t, err)
	out := h.mend(func(child store.ID) (string, bool, bool) { return "started " + string(child), false, true })
	require.Len(t, out, 4)
	for i, e := range out {
		e.Seq = int64(4 + i)
		require.NoError(t, h.apply(e))
	}
	require.Empty(t, h.mend(nil), "mended once")
	require.Equal(t, []Message{
		{Author: ToolResult, Call: "a", Name: "x", Text: interruptedText, IsError: true},
		{Author: ToolResult, Call: "b", Name: "y", Text: interruptedText, IsError: true},
		{Author: ToolResult, Call: "c", Name: "z", Text: "started d"},
	}, h.Messages[2:])
	require.JSONEq(t, `{"invalid_arguments":"nonsense"}`, h.Messages[1].Calls[1].Arguments)
	require.Equal(t, "{}", h.Messages[1].Calls[2].Arguments)
}

// FuzzHistory: whatever lies in a log, reading it gives a conversation or says what is wrong.
func FuzzHistory(f *testing.F) {
	f.Add("assistant", `{"v":1,"calls":[{"id":"a","name":"x","arguments":"{}"}]}`, "result", `{"v":1,"call":"a"}`)
	f.Add("message", `{"kind":"user","data":{"v":1,"text":"x"}}`, "turn", `{"v":1}`)
	f.Add("started", `{"call":"1/a","child":"d"}`, "settled", `{}`)
	f.Fuzz(func(t *testing.T, kind1, data1, kind2, data2 string) {
		h, err := replay(entry(1, kind1, data1), entry(2, kind2, data2))
		var format *FormatError
		if err != nil && !errors.As(err, &format) {
			t.Fatal(err)
		}
		for i, e := range h.mend(nil) {
			e.Seq = int64(3 + i)
			if err := h.apply(e); err != nil {
				t.Fatalf("what mends cannot be read: %v", err)
			}
		}
	})
}
