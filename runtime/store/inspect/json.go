package inspect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// The objects that are written as JSON, one a line. Type says which one it is.
type (
	conversationLine struct {
		Type        string          `json:"type"` // "conversation"
		ID          store.ID        `json:"id"`
		Parent      store.ID        `json:"parent,omitempty"`
		Kind        store.Kind      `json:"kind,omitempty"`
		Depth       int             `json:"depth"`
		Label       string          `json:"label,omitempty"`
		Created     *time.Time      `json:"created,omitempty"`
		Composition json.RawMessage `json:"composition,omitempty"`
		Activation  int64           `json:"activation"`
		Activity    string          `json:"activity,omitempty"`
		Outcome     string          `json:"outcome,omitempty"`
		Ended       int64           `json:"ended,omitempty"` // the Activation that outcome and text are of
		Text        string          `json:"text,omitempty"`
		Problem     store.Problem   `json:"problem,omitempty"`
	}
	entryLine struct {
		Type         string          `json:"type"` // "entry"
		Conversation store.ID        `json:"conversation"`
		Seq          int64           `json:"seq"`
		Kind         string          `json:"kind"`
		Time         time.Time       `json:"time"`
		Data         json.RawMessage `json:"data,omitempty"`
	}
	messageLine struct {
		Type string `json:"type"` // "message": it waits
		store.Message
	}
	problemLine struct {
		Type         string   `json:"type"` // "problem"
		Conversation store.ID `json:"conversation"`
		Seq          int64    `json:"seq,omitempty"` // of the entry that cannot be read
		Error        string   `json:"error"`
	}
)

// object writes one. What nobody would see is escaped, which leaves every text what it is.
func (w *writer) object(v any) {
	if w.err != nil {
		return
	}
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if w.err = e.Encode(v); w.err != nil {
		return
	}
	var out []byte
	for _, r := range line.String() {
		switch {
		case r < 0x7f || unicode.IsGraphic(r) && !unicode.Is(unicode.Zs, r): // below, JSON escapes what it has to
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	_, w.err = w.w.Write(out)
}

// raw is data as JSON; what is none becomes a string.
func raw(data []byte) json.RawMessage {
	if len(data) == 0 || json.Valid(data) {
		return data
	}
	text, err := json.Marshal(string(bytes.ToValidUTF8(data, []byte("\uFFFD"))))
	if err != nil {
		return nil // a string always can be written
	}
	return text
}

func lineOf(c store.Conversation, depth int) conversationLine {
	if c.Problem != "" {
		return conversationLine{Type: "conversation", ID: c.ID, Depth: depth, Problem: c.Problem}
	}
	return conversationLine{
		Type: "conversation", ID: c.ID, Parent: c.Parent, Kind: c.Kind, Depth: depth, Label: c.Label, Created: &c.Created,
		Composition: raw(c.Composition), Activation: c.Activation, Activity: activity(c), Outcome: c.Outcome, Ended: c.Ended, Text: c.Text,
	}
}
