package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// formatVersion is that of the data of entries and messages. A program reads the versions up to its own.
const formatVersion = 1

// The kinds of entries that an agent writes into its log. The store's own kinds stand beside them.
const (
	entryAssistant = "assistant" // what the model answered, before its calls are carried out
	entryResult    = "result"    // one call's result
	entryTurn      = "turn"      // a turn has ended
)

type assistantData struct {
	Version int             `json:"v"`
	Text    string          `json:"text,omitempty"`
	Calls   []Call          `json:"calls,omitempty"`
	Stop    Stop            `json:"stop,omitempty"` // empty where the answer was interrupted
	Usage   Usage           `json:"usage,omitzero"`
	Extra   json.RawMessage `json:"extra,omitempty"`
}

type resultData struct {
	Version int    `json:"v"`
	Call    string `json:"call"`
	Name    string `json:"name"`
	Text    string `json:"text"`
	IsError bool   `json:"error,omitempty"`
	// Arguments are what the conversation keeps of the call's, where that is not what the model wrote: see
	// [tool.HistoryCall].
	Arguments string `json:"arguments,omitempty"`
}

type turnData struct {
	Version int     `json:"v"`
	Outcome Outcome `json:"outcome"`
	Reason  Reason  `json:"reason,omitempty"`
	Steps   int     `json:"steps,omitempty"`
	Usage   Usage   `json:"usage,omitzero"`
	Parked  int     `json:"parked,omitempty"` // messages that were parked, of one that was interrupted
}

// encode writes JSON without escapes for the sake of HTML. What is encoded here are structs of strings and numbers, and raw
// JSON that was valid when it came; where a model's Extra is not, the entry is refused by the store.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// FormatError says that a log has an entry that this program cannot read.
type FormatError struct {
	Conversation store.ID
	Seq          int64
	Version      int   // where it is not known here, else 0
	Err          error // where the data is damaged
}

// known says what is wrong with a version, or returns nil.
func known(version int) *FormatError {
	switch {
	case version < 1:
		return &FormatError{Err: errors.New("it has no version")}
	case version > formatVersion:
		return &FormatError{Version: version}
	}
	return nil
}

// Error says which entry, and why.
func (e *FormatError) Error() string {
	if e.Version != 0 {
		return fmt.Sprintf("agent: entry %d of %s has the version %d, which is not known here", e.Seq, e.Conversation, e.Version)
	}
	return fmt.Sprintf("agent: entry %d of %s is damaged: %v", e.Seq, e.Conversation, e.Err)
}

// Is makes the error comparable with the store's: [store.ErrUnsupported] or [store.ErrDamaged].
func (e *FormatError) Is(target error) bool {
	if e.Version != 0 {
		return target == store.ErrUnsupported
	}
	return target == store.ErrDamaged
}

// Unwrap returns what was wrong with damaged data.
func (e *FormatError) Unwrap() error { return e.Err }

// History is what a log says of a conversation.
type History struct {
	Messages []Message
	Last     int64 // the last entry that was read

	// Since the last residency ended:
	Text        string // the last text of the assistant
	FailedTurns int    // the turns that failed, were cut off or refused

	id       store.ID
	callIDs  map[string]bool
	asked    int64               // the entry of the last assistant message
	calls    []Call              // its calls
	open     []Call              // those that have no result yet, in order
	started  map[string]store.ID // by the calls' keys: the children that open calls started
	unclosed bool                // something was claimed after the last end of a turn
}

// InTurn reports whether a turn was in progress when the log ended.
func (h *History) InTurn() bool { return h.unclosed }

func newHistory(id store.ID) *History { return &History{id: id, callIDs: map[string]bool{}} }

// Load reads a conversation's log up to an entry (0: all of it). It changes nothing, and needs no lease. A log that is damaged,
// or was written by a later version, is a *[FormatError].
func Load(ctx context.Context, s store.Store, id store.ID, upTo int64) (*History, error) {
	h := newHistory(id)
	if err := h.read(ctx, s, upTo); err != nil {
		return nil, err
	}
	return h, nil
}

// page is how many entries are read at once.
const page = 256

// read reads what the log has behind what was read.
func (h *History) read(ctx context.Context, s store.Store, upTo int64) error {
	for {
		entries, err := s.Log(ctx, h.id, h.Last, page)
		for _, e := range entries {
			if upTo > 0 && e.Seq > upTo {
				return nil
			}
			if err := h.apply(e); err != nil {
				return err
			}
		}
		if err != nil {
			if errors.Is(err, store.ErrDamaged) {
				return &FormatError{Conversation: h.id, Seq: h.Last + 1, Err: err}
			}
			return err
		}
		if len(entries) < page {
			return nil
		}
	}
}

// apply adds one entry.
func (h *History) apply(e store.Entry) error {
	version := 0
	decode := func(into any, v *int) error {
		if err := json.Unmarshal(e.Data, into); err != nil {
			return &FormatError{Conversation: h.id, Seq: e.Seq, Err: err}
		}
		if v != nil {
			version = *v
		}
		return nil
	}
	var err error
	switch e.Kind {
	case entryAssistant:
		var d assistantData
		if err = decode(&d, &d.Version); err == nil {
			h.assistant(e.Seq, d)
		}
	case entryResult:
		var d resultData
		if err = decode(&d, &d.Version); err == nil {
			h.result(d)
		}
	case entryTurn:
		var d turnData
		if d, err = turnOf(h.id, e); err == nil {
			h.unclosed = false
			if d.Outcome.failure() {
				h.FailedTurns++
			}
		}
	case store.EntryMessage:
		var d store.Message
		if err = decode(&d, nil); err == nil {
			err = h.message(e.Seq, d)
		}
	case store.EntryStarted:
		var d store.Started
		if err = decode(&d, nil); err == nil {
			h.start(d.Call, d.Child)
		}
	case store.EntrySettled: // nothing of the conversation
		h.Text, h.FailedTurns = "", 0
	default:
		// A kind that came with a later version.
		return &FormatError{Conversation: h.id, Seq: e.Seq, Version: formatVersion + 1}
	}
	if err != nil {
		return err
	}
	switch e.Kind {
	case entryAssistant, entryResult:
		if err := known(version); err != nil {
			err.Conversation, err.Seq = h.id, e.Seq
			return err
		}
	}
	h.Last = e.Seq
	return nil
}

// turnOf reads the entry of a turn's end.
func turnOf(id store.ID, e store.Entry) (d turnData, err error) {
	if err := json.Unmarshal(e.Data, &d); err != nil {
		return d, &FormatError{Conversation: id, Seq: e.Seq, Err: err}
	}
	if err := known(d.Version); err != nil {
		err.Conversation, err.Seq = id, e.Seq
		return d, err
	}
	return d, nil
}

func (h *History) assistant(seq int64, d assistantData) {
	for _, c := range d.Calls {
		h.callIDs[c.ID] = true
	}
	h.asked, h.calls, h.open, h.started = seq, d.Calls, slices.Clone(d.Calls), nil
	if strings.TrimSpace(d.Text) != "" {
		h.Text = d.Text
	}
	h.Messages = append(h.Messages, Message{Author: Assistant, Text: d.Text, Calls: d.Calls, Extra: d.Extra})
}

func (h *History) result(d resultData) {
	h.open = slices.DeleteFunc(slices.Clone(h.open), func(c Call) bool { return c.ID == d.Call })
	// No request has shown the calls yet: they are shown with their results.
	for i := range h.calls {
		if c := &h.calls[i]; c.ID == d.Call {
			c.Name = d.Name
			c.Arguments = cmp.Or(d.Arguments, c.Arguments)
		}
	}
	h.Messages = append(h.Messages, Message{Author: ToolResult, Call: d.Call, Name: d.Name, Text: d.Text, IsError: d.IsError})
}

func (h *History) start(key string, child store.ID) {
	if h.started == nil {
		h.started = map[string]store.ID{}
	}
	h.started[key] = child
}

// message adds a claimed message.
func (h *History) message(seq int64, m store.Message) error {
	msg, err := received(m)
	if err != nil {
		var format *FormatError
		if errors.As(err, &format) {
			format.Conversation, format.Seq = h.id, seq
		}
		return err
	}
	h.unclosed = true
	h.Messages = append(h.Messages, msg)
	return nil
}

// received turns a message that was on its way into one of the conversation.
func received(m store.Message) (Message, error) {
	var c Content
	if err := json.Unmarshal(m.Data, &c); err != nil {
		return Message{}, &FormatError{Err: err}
	}
	if err := known(c.Version); err != nil {
		return Message{}, err
	}
	return Message{Author: authorOf(m.Kind), Text: c.Text, ID: m.ID, From: m.From, Label: c.Label}, nil
}

// key names a call for ever: the ids of providers come again.
func key(asked int64, call string) string { return fmt.Sprintf("%d/%s", asked, call) }

const interruptedText = "The process ended before this call had a result. Part of its work may be done."

// mend returns the entries that a conversation needs before it can go on, where the process that wrote it has died: a result
// for each call without one. No call is carried out again. A call that had started a child gets its result from restore.
func (h *History) mend(restore func(child store.ID) (text string, isError bool, ok bool)) []store.Entry {
	var out []store.Entry
	for _, c := range h.open {
		res := tool.CallResult{ID: c.ID, Name: c.Name, IsError: true, Text: interruptedText}
		if child, ok := h.started[key(h.asked, c.ID)]; ok && restore != nil {
			if text, isError, ok := restore(child); ok {
				res.Text, res.IsError = text, isError
			}
		}
		out = append(out, resultEntry(tool.Call{ID: c.ID, Name: c.Name, Arguments: []byte(c.Arguments)}, res))
	}
	if h.unclosed {
		out = append(out, store.Entry{Kind: entryTurn, Data: encode(turnData{Version: formatVersion, Outcome: Lost})})
	}
	return out
}
