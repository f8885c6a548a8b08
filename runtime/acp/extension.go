package acp

import (
	sdk "github.com/coder/acp-go-sdk"

	"github.com/toolgen-dev/toolgen/runtime/agent"
)

// The notifications that the protocol does not have. docs/acp.md describes them.
const (
	noteTurnBegan = "_toolgen/turn_began"
	noteTurnEnded = "_toolgen/turn_ended"
	noteNotices   = "_toolgen/notices"
)

// turnBegan: a turn began that no prompt of this client did.
type turnBegan struct {
	SessionID sdk.SessionId `json:"sessionId"`
}

// turnEnded: that turn has ended. Either a reason or an error is there, as in the answer to a prompt.
type turnEnded struct {
	SessionID  sdk.SessionId     `json:"sessionId"`
	StopReason sdk.StopReason    `json:"stopReason,omitempty"`
	Error      *sdk.RequestError `json:"error,omitempty"`
}

// notices: what the root was told by its subagents, at this point of its conversation.
type notices struct {
	SessionID sdk.SessionId `json:"sessionId"`
	Notices   []notice      `json:"notices"`
}

type notice struct {
	Kind  agent.Author `json:"kind"` // settlement or report
	Agent string       `json:"agent"`
	Label string       `json:"label,omitempty"`
	Text  string       `json:"text"` // as the root's model is told
}

// meta is what tool calls say of agents, under the key "toolgen" of _meta.
func meta(of agentMeta) map[string]any { return map[string]any{"toolgen": of} }

type agentMeta struct {
	Agent   string        `json:"agent"`
	Parent  string        `json:"parent,omitempty"` // the root's id is the session's
	Label   string        `json:"label,omitempty"`
	Kind    string        `json:"kind,omitempty"` // continuable, foreground or job
	Depth   int           `json:"depth,omitempty"`
	Resumed bool          `json:"resumed,omitempty"`
	Outcome agent.Outcome `json:"outcome,omitempty"`
}
