package subagent

import (
	"fmt"
	"strings"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// notice is what the parent of a continuable child is told of the end of an Activation. It does not ask whether the child
// has reported.
func (s *Service) notice(c store.Conversation, end agent.End) *store.Message {
	n := agents.SettlementNotice{
		ID: string(c.ID), Label: c.Label, Outcome: agents.RunOutcome(end.Outcome),
		FailedTurns: int64(end.FailedTurns), Parked: int64(end.Parked),
	}
	if end.Reason != agent.NoReason {
		n.Reason = tool.Some(string(end.Reason))
	}
	if strings.TrimSpace(end.Text) != "" {
		n.Message = tool.Some(capped(end.Text, s.cfg.NoticeBytes))
	}
	return &store.Message{
		ID: fmt.Sprintf("settlement/%s/%d", c.ID, end.Activation), To: c.Parent, From: c.ID, Activation: end.Activation,
		Kind: store.FromSettlement, Lane: store.Step,
		Data: agent.Content{Text: string(n.AppendText(nil)), Label: c.Label, Outcome: end.Outcome}.Encode(),
	}
}
