package anthropic

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model"
	"github.com/toolgen-dev/toolgen/runtime/model/internal/wire"
	provider "github.com/toolgen-dev/toolgen/runtime/provider/anthropic"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// pauseTurn says that the answer goes on with another request.
const pauseTurn agent.Stop = "pause_turn"

// block is one block of an answer on its way.
type block struct {
	kind      string
	raw       string // how it began, of a kind that is not known here
	text      strings.Builder
	signature strings.Builder
	data      string // of thoughts that are not shown
	id, name  string
	whole     string // the input with which it began
	input     strings.Builder
	call      int // its place among the calls
}

// answer is what has come of an answer, over all its requests.
type answer struct {
	blocks      []*block
	calls       int // how many of them are calls
	stop        agent.Stop
	explanation string // of a refusal
	usage       agent.Usage
}

// reader puts the events of one stream together.
type reader struct {
	answer
	before agent.Usage // of the requests before
	delta  func(agent.Delta)
	begun  bool // something was given to the observer
	open   map[int64]*block
	word   string // the reason to stop
}

func newReader(came answer, delta func(agent.Delta)) *reader {
	return &reader{answer: answer{blocks: slices.Clone(came.blocks), calls: came.calls}, before: came.usage, delta: delta, open: map[int64]*block{}}
}

// show gives the observer a piece.
func (r *reader) show(d agent.Delta) {
	r.begun = true
	r.delta(d)
}

// event takes one event of the stream.
func (r *reader) event(e sdk.MessageStreamEventUnion) {
	switch e.Type {
	case "message_start":
		u := e.Message.Usage
		r.usage = agent.Usage{
			Input:  u.InputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens,
			Cached: u.CacheReadInputTokens, Output: u.OutputTokens,
		}
	case "content_block_start":
		r.start(e.Index, e.ContentBlock)
	case "content_block_delta":
		r.piece(e.Index, e.Delta)
	case "message_delta":
		if e.Delta.StopReason != "" {
			r.word = string(e.Delta.StopReason)
			r.explanation = e.Delta.StopDetails.Explanation
		}
		u := e.Usage
		if u.JSON.OutputTokens.Valid() {
			r.usage.Output = u.OutputTokens
		}
		if u.InputTokens > 0 { // the whole, where it is said again
			r.usage.Input = u.InputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens
			r.usage.Cached = u.CacheReadInputTokens
		}
	}
}

// start begins a block. There are servers that give each the same index: the last one counts.
func (r *reader) start(index int64, c sdk.ContentBlockStartEventContentBlockUnion) {
	b := &block{kind: c.Type}
	r.blocks = append(r.blocks, b)
	r.open[index] = b
	switch c.Type {
	case "text":
		r.add(b, c.Text)
	case "thinking":
		b.signature.WriteString(c.Signature)
		r.add(b, c.Thinking)
	case "redacted_thinking":
		b.data = c.Data
	case "tool_use":
		b.id, b.name, b.whole = c.ID, c.Name, c.JSON.Input.Raw()
		b.call = r.calls
		r.calls++
		r.show(agent.Delta{Call: &agent.CallDelta{Index: b.call, ID: b.id, Name: b.name}})
	default:
		b.raw = c.RawJSON()
	}
}

// add adds to a text or a thought.
func (r *reader) add(b *block, text string) {
	if text == "" {
		return
	}
	b.text.WriteString(text)
	if b.kind == "thinking" {
		r.show(agent.Delta{Thought: text})
	} else {
		r.show(agent.Delta{Text: text})
	}
}

func (r *reader) piece(index int64, d sdk.MessageStreamEventUnionDelta) {
	b := r.open[index]
	if kind, ok := strings.CutSuffix(d.Type, "_delta"); ok && (kind == "text" || kind == "thinking") && (b == nil || b.kind != kind) {
		b = &block{kind: kind} // a server that does not begin its blocks
		r.blocks = append(r.blocks, b)
		r.open[index] = b
	}
	if b == nil {
		return
	}
	switch d.Type {
	case "text_delta":
		r.add(b, d.Text)
	case "thinking_delta":
		r.add(b, d.Thinking)
	case "signature_delta":
		b.signature.WriteString(d.Signature)
	case "input_json_delta":
		b.input.WriteString(d.PartialJSON)
		if b.kind == "tool_use" && d.PartialJSON != "" {
			r.show(agent.Delta{Call: &agent.CallDelta{Index: b.call, Arguments: d.PartialJSON}})
		}
	}
}

// ending reads a reason to stop.
func ending(word string) (agent.Stop, bool) {
	switch word {
	case "end_turn", "stop_sequence":
		return agent.StopEnd, true
	case "tool_use":
		return agent.StopCalls, true
	case "max_tokens", "model_context_window_exceeded":
		return agent.StopTokenLimit, true
	case "refusal":
		return agent.StopRefused, true
	case "pause_turn":
		return pauseTurn, true
	}
	return "", false
}

// end is the answer, or says why it is none. What went wrong behind the end of the answer is nobody's concern.
func (r *reader) end(err error) (answer, error) {
	if r.word == "" {
		var event *sdk.Error
		switch {
		case errors.As(err, &event):
			return answer{}, wire.Event([]byte(event.RawJSON()))
		case err != nil:
			return answer{}, wire.Broken(err)
		}
		return answer{}, model.ErrTruncated
	}
	if r.calls > wire.MaxCalls {
		return answer{}, wire.TooManyCalls(r.calls)
	}
	stop, known := ending(r.word)
	if !known {
		return answer{}, wire.Final("the answer ended for a reason that is not known: " + r.word)
	}
	r.stop = stop
	r.usage = r.before.Add(r.usage)
	if stop == agent.StopRefused && strings.TrimSpace(r.text()) == "" && r.explanation != "" {
		r.show(agent.Delta{Text: r.explanation})
		r.blocks = append(r.blocks, &block{kind: "text"})
		r.blocks[len(r.blocks)-1].text.WriteString(r.explanation)
	}
	return r.answer, nil
}

func (a *answer) text() string {
	var b strings.Builder
	for _, x := range a.blocks {
		if x.kind == "text" {
			b.WriteString(x.text.String())
		}
	}
	return b.String()
}

// response is the whole answer.
func (a *answer) response() *agent.Response {
	res := &agent.Response{Text: a.text(), Stop: a.stop, Usage: a.usage}
	if a.stop == agent.StopTokenLimit || a.stop == agent.StopRefused {
		return res
	}
	for _, b := range a.blocks {
		if b.kind == "tool_use" {
			res.Calls = append(res.Calls, agent.Call{ID: b.id, Name: b.name, Arguments: b.arguments()})
		}
	}
	res.Stop = agent.StopEnd
	if len(res.Calls) > 0 {
		res.Stop = agent.StopCalls
	}
	res.Extra = a.keep()
	return res
}

// arguments are the pieces, or else the input with which the block began.
func (b *block) arguments() string {
	if b.input.Len() > 0 {
		return b.input.String()
	}
	return b.whole
}

// kept is what a message's Extra holds: under the provider's name, since a conversation may go on with another one.
type kept struct {
	Anthropic *content `json:"anthropic,omitempty"`
}

type content struct {
	Content []part `json:"content"`
}

// part is a call, by its place, since a conversation keeps other arguments than the model wrote where those are no object; or
// a block as it goes back.
type part struct {
	Call  *int            `json:"call,omitempty"`
	Block json.RawMessage `json:"block,omitempty"`
}

// keep is what has to go back with the answer: nothing where its text and its calls are all of it.
func (a *answer) keep() json.RawMessage {
	var parts []part
	more := false
	for _, b := range a.blocks {
		if b.kind == "tool_use" {
			parts = append(parts, part{Call: &b.call})
		} else if raw := b.encode(); raw != nil {
			parts = append(parts, part{Block: raw})
			more = more || b.kind != "text"
		}
	}
	if !more {
		return nil
	}
	return encode(kept{Anthropic: &content{parts}})
}

// encode is a block as it goes back, or nil where none may.
func (b *block) encode() json.RawMessage {
	switch b.kind {
	case "text":
		if strings.TrimSpace(b.text.String()) == "" {
			return nil
		}
		return encode(struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}{"text", b.text.String()})
	case "thinking":
		if b.signature.Len() == 0 { // the provider would refuse it, and it came from somewhere else
			return nil
		}
		return encode(struct {
			Type      string `json:"type"`
			Thinking  string `json:"thinking"`
			Signature string `json:"signature"`
		}{"thinking", b.text.String(), b.signature.String()})
	case "redacted_thinking":
		return encode(struct {
			Type string `json:"type"`
			Data string `json:"data"`
		}{"redacted_thinking", b.data})
	}
	fields := map[string]json.RawMessage{}
	if json.Unmarshal([]byte(b.raw), &fields) != nil || len(fields) == 0 {
		return nil
	}
	if b.input.Len() > 0 && json.Valid([]byte(b.input.String())) {
		fields["input"] = json.RawMessage(b.input.String())
	}
	return encode(fields)
}

// encode writes JSON without escapes for the sake of HTML. Texts, and JSON that was read, can always be written.
func encode(v any) json.RawMessage {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return nil
	}
	return json.RawMessage(strings.TrimSuffix(b.String(), "\n"))
}

// restore is a message as it was kept, with its calls in their places. Calls that nothing places come last.
func restore(extra json.RawMessage, calls []tool.Call) []sdk.ContentBlockParamUnion {
	var k kept
	if json.Unmarshal(extra, &k) != nil || k.Anthropic == nil {
		return nil
	}
	var out []sdk.ContentBlockParamUnion
	placed := make([]bool, len(calls))
	for _, p := range k.Anthropic.Content {
		switch {
		case p.Call != nil && *p.Call >= 0 && *p.Call < len(calls) && !placed[*p.Call]:
			placed[*p.Call] = true
			out = append(out, provider.Call(calls[*p.Call]))
		case len(p.Block) > 0:
			out = append(out, param.Override[sdk.ContentBlockParamUnion](p.Block))
		}
	}
	for i, c := range calls {
		if !placed[i] {
			out = append(out, provider.Call(c))
		}
	}
	return out
}

// blockParams is the answer so far, to be continued.
func (a *answer) blockParams() []sdk.ContentBlockParamUnion {
	var out []sdk.ContentBlockParamUnion
	for _, b := range a.blocks {
		if b.kind == "tool_use" {
			out = append(out, provider.Call(tool.Call{ID: b.id, Name: b.name, Arguments: []byte(b.arguments())}))
		} else if raw := b.encode(); raw != nil {
			out = append(out, param.Override[sdk.ContentBlockParamUnion](raw))
		}
	}
	return out
}
