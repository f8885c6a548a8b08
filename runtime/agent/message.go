package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// Author says who wrote a message, and so how a provider has to show it, and how far the model can trust it.
type Author string

// The authors.
const (
	User        Author = "user"        // the person or program that talks to a root
	Assistant   Author = "assistant"   // the model
	ToolResult  Author = "result"      // a tool, to one call
	Coordinator Author = "coordinator" // the agent that started this one
	Report      Author = "report"      // a child, by its own decision
	Settlement  Author = "settlement"  // the runtime, when a child's residency has ended
)

// Message is one message of a conversation.
type Message struct {
	Author Author
	Text   string

	Calls []Call          // an assistant's
	Extra json.RawMessage // an assistant's: [Response.Extra]

	Call    string // the id of the call that a result is for
	Name    string // the tool that was called
	IsError bool   // whether the result is an error

	ID    string   // of a message that was on its way
	From  store.ID // the conversation that a coordinator's message, a report or a settlement is of
	Label string   // of that conversation
}

// Framed reports whether the message has to be shown within a frame: it comes from another agent.
func (m Message) Framed() bool {
	return m.Author == Coordinator || m.Author == Report || m.Author == Settlement
}

// UserText is the text of a message that a provider shows in the user's role: a user's as it is, and what comes from
// another agent in a frame that nothing within the text can close or imitate. The frame's mark is derived from the message,
// so that it is the same in every request, and it does not occur in the text. [Guide] is what the model is told of frames.
func (m Message) UserText() string {
	if !m.Framed() {
		return m.Text
	}
	mark := m.mark()
	var b strings.Builder
	b.Grow(len(m.Text) + 96)
	b.WriteString("<message kind=\"" + string(m.Author) + "\" from=\"" + attribute(string(m.From)) + "\" mark=\"" + mark + "\">\n")
	b.WriteString(m.Text)
	b.WriteString("\n</message mark=\"" + mark + "\">")
	return b.String()
}

// mark returns eight hexadecimal digits that do not occur in the message's text.
func (m Message) mark() string {
	sum := sha256.Sum256([]byte(string(m.Author) + "\x00" + string(m.From) + "\x00" + m.ID + "\x00" + m.Text))
	for {
		mark := hex.EncodeToString(sum[:4])
		if !strings.Contains(m.Text, mark) {
			return mark
		}
		sum = sha256.Sum256(sum[:])
	}
}

// attribute keeps an id from leaving its quotes. The runtime's own ids have nothing that could.
func attribute(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == '"' || r == '<' || r == '>' {
			return '_'
		}
		return r
	}, s)
}

// Content is the data of a [store.Message]: what its author says.
type Content struct {
	Version int    `json:"v"`
	Text    string `json:"text"`
	Label   string `json:"label,omitempty"` // of the author's conversation
	// Outcome is a settlement's, for programs that show it.
	Outcome Outcome `json:"outcome,omitempty"`
}

// Encode returns the content as a message's data.
func (c Content) Encode() json.RawMessage {
	c.Version = formatVersion
	return encode(c)
}

// authors maps what the store knows of an author to ours.
func authorOf(k store.MessageKind) Author {
	switch k {
	case store.FromParent:
		return Coordinator
	case store.FromChild:
		return Report
	case store.FromSettlement:
		return Settlement
	}
	return User
}
