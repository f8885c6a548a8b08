package openai

import (
	"encoding/json"
	"errors"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/respjson"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model"
	"github.com/toolgen-dev/toolgen/runtime/model/internal/wire"
)

// reader puts the chunks of one stream together.
type reader struct {
	delta func(agent.Delta)
	begun bool // something was given to the observer

	text, refusal strings.Builder
	thought       strings.Builder
	thoughtField  string // the field in which thoughts come
	keepThoughts  bool
	calls         []*call
	latest        map[int64]int // the place of the latest call of each of the server's indexes
	finish        string
	usage         agent.Usage
}

// call is a call on its way.
type call struct {
	id, name  string
	arguments strings.Builder
	shape     shape
}

func newReader(delta func(agent.Delta), keepThoughts bool) *reader {
	return &reader{delta: delta, keepThoughts: keepThoughts, latest: map[int64]int{}}
}

// show gives the observer a piece.
func (r *reader) show(d agent.Delta) {
	r.begun = true
	r.delta(d)
}

// chunk takes one event of the stream.
func (r *reader) chunk(c sdk.ChatCompletionChunk) {
	if c.JSON.Usage.Valid() { // in the last chunk, which has no choices; or in each one, for as much as there is
		r.usage = agent.Usage{
			Input: c.Usage.PromptTokens, Cached: c.Usage.PromptTokensDetails.CachedTokens, Output: c.Usage.CompletionTokens,
		}
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue // one was asked for
		}
		r.piece(choice.Delta)
		if choice.FinishReason != "" {
			r.finish = choice.FinishReason
		}
	}
}

func (r *reader) piece(d sdk.ChatCompletionChunkChoiceDelta) {
	for _, field := range [...]string{"reasoning_content", "reasoning"} {
		if text := stringOf(d.JSON.ExtraFields[field]); text != "" {
			r.thought.WriteString(text)
			r.thoughtField = field
			r.show(agent.Delta{Thought: text})
			break // some servers send both, and the same in them
		}
	}
	if d.Content != "" {
		r.text.WriteString(d.Content)
		r.show(agent.Delta{Text: d.Content})
	}
	if d.Refusal != "" {
		r.refusal.WriteString(d.Refusal)
		r.show(agent.Delta{Text: d.Refusal})
	}
	for _, t := range d.ToolCalls {
		r.callPiece(t)
	}
}

// stringOf is a field that the SDK does not know, where it is a text.
func stringOf(f respjson.Field) string {
	var s string
	if f.Raw() == "" || json.Unmarshal([]byte(f.Raw()), &s) != nil {
		return ""
	}
	return s
}

// callPiece adds a piece to its call. Calls above [wire.MaxCalls] are only counted: the answer fails by them.
func (r *reader) callPiece(t sdk.ChatCompletionChunkChoiceDeltaToolCall) {
	place := r.find(t)
	if place < 0 {
		place = len(r.calls)
		r.calls = append(r.calls, &call{})
	}
	r.latest[t.Index] = place
	if place >= wire.MaxCalls {
		return
	}
	c := r.calls[place]
	d := agent.CallDelta{Index: place, Arguments: t.Function.Arguments}
	if c.id == "" && t.ID != "" {
		c.id, d.ID = t.ID, t.ID
	}
	if c.name == "" && t.Function.Name != "" { // some servers repeat it
		c.name, d.Name = t.Function.Name, t.Function.Name
	}
	c.arguments.WriteString(t.Function.Arguments)
	c.shape.read(t.Function.Arguments)
	if d != (agent.CallDelta{Index: place}) {
		r.show(agent.Delta{Call: &d})
	}
}

// find returns the place of the call that a piece belongs to, or -1 where it begins one. By the protocol the index says that.
// There are servers that give every call the index 0, or none; their calls come one after the other, so a piece can only
// belong to the last one of its index.
func (r *reader) find(t sdk.ChatCompletionChunkChoiceDeltaToolCall) int {
	place := len(r.calls) - 1
	if t.JSON.Index.Valid() {
		var ok bool
		if place, ok = r.latest[t.Index]; !ok {
			return -1
		}
	}
	if place < 0 {
		return -1
	}
	c := r.calls[place]
	switch {
	case t.ID != "" && c.id != "" && t.ID != c.id:
		return -1
	case t.ID == "" && c.id == "" && t.Function.Name != "" && c.name != "" && c.shape.whole():
		return -1
	}
	return place
}

// shape follows arguments piece by piece, to know when they are a whole object. It does not look at the same byte twice, and does
// not care what is between the braces.
type shape struct {
	depth         int
	begun         bool
	text, escaped bool // within a string, behind a backslash
}

func (s *shape) read(piece string) {
	for _, c := range []byte(piece) {
		switch {
		case s.escaped:
			s.escaped = false
		case s.text:
			s.escaped, s.text = c == '\\', c != '"'
		case c == '"':
			s.text = true
		case c == '{' || c == '[':
			s.begun = true
			s.depth++
		case c == '}' || c == ']':
			s.depth--
		}
	}
}

// whole reports whether what was opened is closed.
func (s *shape) whole() bool { return s.begun && s.depth <= 0 && !s.text }

// ending reads a finish reason. The words of the protocol stand first.
func ending(word string) (agent.Stop, bool) {
	switch strings.ToLower(word) {
	case "stop", "eos", "eos_token", "stop_sequence", "end_turn":
		return agent.StopEnd, true
	case "tool_calls", "tool_use":
		return agent.StopCalls, true
	case "length", "max_tokens", "model_length", "model_context_window_exceeded":
		return agent.StopTokenLimit, true
	case "content_filter", "safety", "refusal":
		return agent.StopRefused, true
	}
	return "", false
}

// end makes the answer of what came, or says why it is none. What went wrong behind the end of the answer is nobody's concern.
func (r *reader) end(err error) (*agent.Response, error) {
	if r.finish == "" {
		var event *ssestream.StreamError
		switch {
		case errors.As(err, &event):
			return nil, wire.Event(event.Event.Data)
		case err != nil:
			return nil, wire.Broken(err)
		}
		return nil, model.ErrTruncated
	}
	if len(r.calls) > wire.MaxCalls {
		return nil, wire.TooManyCalls(len(r.calls))
	}
	stop, known := ending(r.finish)
	if !known {
		return nil, wire.Final("the answer ended for a reason that is not known: " + r.finish)
	}
	res := &agent.Response{Text: r.text.String(), Stop: stop, Usage: r.usage}
	if r.refusal.Len() > 0 {
		res.Text, res.Stop = res.Text+r.refusal.String(), agent.StopRefused
	}
	if res.Stop == agent.StopTokenLimit || res.Stop == agent.StopRefused {
		return res, nil
	}
	for _, c := range r.calls {
		res.Calls = append(res.Calls, agent.Call{ID: c.id, Name: c.name, Arguments: c.arguments.String()})
	}
	res.Stop = agent.StopEnd
	if len(res.Calls) > 0 { // some servers say stop
		res.Stop = agent.StopCalls
		if r.keepThoughts {
			res.Extra = extra(r.thoughtField, r.thought.String())
		}
	}
	return res, nil
}

// kept is what a message's Extra holds: under the provider's name, since a conversation may go on with another one.
type kept struct {
	OpenAI map[string]string `json:"openai,omitempty"`
}

func extra(field, thought string) json.RawMessage {
	if thought == "" {
		return nil
	}
	b, err := json.Marshal(kept{OpenAI: map[string]string{field: thought}})
	if err != nil {
		return nil // texts can always be written
	}
	return b
}

// reasoningOf is what goes back with a message.
func reasoningOf(extra json.RawMessage) map[string]any {
	var k kept
	if json.Unmarshal(extra, &k) != nil {
		return nil
	}
	fields := map[string]any{}
	for _, field := range [...]string{"reasoning_content", "reasoning"} {
		if text := k.OpenAI[field]; text != "" {
			fields[field] = text
		}
	}
	return fields
}
