package wire

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// Turn is what one side says before the other does. The sides take turns, but for two messages of the assistant that follow
// each other, and a user begins.
type Turn struct {
	// Assistant is its message, or nil where the turn is the user's.
	Assistant *agent.Message
	// Results are those of all calls of the message before, in the order of the calls.
	Results []tool.CallResult
	// Texts are what is shown in the user's role, frames included, after the results.
	Texts []string
}

// What stands where a provider wants a text and there is none.
const (
	noResult = "There is no result of this call."
	noText   = "(no text)"
	onward   = "(what came before is not shown)"
)

// Turns arranges a conversation as every provider takes it: each call has one result, right behind it; arguments are one
// object; no text is empty; the first message is a user's. A result without a call is left out, and so is a message of the
// assistant that says nothing. The same messages give the same turns, and further messages change none but the last.
func Turns(messages []agent.Message) []Turn {
	var turns []Turn
	user := func() *Turn {
		if n := len(turns); n == 0 || turns[n-1].Assistant != nil {
			turns = append(turns, Turn{})
		}
		return &turns[len(turns)-1]
	}
	for _, m := range messages {
		switch {
		case m.Author == agent.Assistant && strings.TrimSpace(m.Text) == "" && len(m.Calls) == 0:
		case m.Author == agent.Assistant:
			if len(turns) == 0 {
				user().Texts = []string{onward}
			}
			m.Calls = slices.Clone(m.Calls)
			for i, c := range m.Calls {
				kept := tool.HistoryCall(tool.Call{ID: c.ID, Arguments: json.RawMessage(c.Arguments)}, tool.CallResult{ID: c.ID, Name: c.Name})
				m.Calls[i].Name, m.Calls[i].Arguments = kept.Name, string(kept.Arguments)
			}
			turns = append(turns, Turn{Assistant: &m})
			if len(m.Calls) > 0 {
				for t := user(); len(t.Results) < len(m.Calls); {
					c := m.Calls[len(t.Results)]
					t.Results = append(t.Results, tool.CallResult{ID: c.ID, Name: c.Name, Text: noResult, IsError: true})
				}
			}
		case m.Author == agent.ToolResult:
			if len(turns) == 0 {
				continue
			}
			last := turns[len(turns)-1].Results
			if i := slices.IndexFunc(last, func(r tool.CallResult) bool { return r.ID == m.Call }); i >= 0 {
				last[i].Text, last[i].IsError = m.Text, m.IsError
			}
		default:
			text := m.UserText()
			if strings.TrimSpace(text) == "" {
				text = noText
			}
			t := user()
			t.Texts = append(t.Texts, text)
		}
	}
	return turns
}

// Text is the turn's texts as one.
func (t Turn) Text() string { return strings.Join(t.Texts, "\n\n") }
