package acp

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// Ids of tool calls: the root's calls, the agents themselves, and the agents' calls, apart whatever a model calls its calls.
const (
	rootCall  = "call:"
	agentCall = "agent:"
)

func callID(of agent.Identity, call string) sdk.ToolCallId {
	if of.Kind == store.Root {
		return sdk.ToolCallId(rootCall + call)
	}
	return sdk.ToolCallId(agentCall + string(of.ID) + "/" + rootCall + call)
}

// agentID is the call that stands for the nth residency of an agent that this session has seen.
func agentID(of store.ID, n int) sdk.ToolCallId {
	if n > 1 {
		return sdk.ToolCallId(fmt.Sprintf("%s%s#%d", agentCall, of, n))
	}
	return sdk.ToolCallId(agentCall + string(of))
}

func (s *session) shown(c tool.Call) Shown {
	var shown Shown
	if s.conn.cfg.Show != nil {
		shown = s.conn.cfg.Show(s.dir, c)
	}
	if shown.Title == "" {
		shown.Title = c.Name
	}
	if shown.Kind == "" {
		shown.Kind = Other
	}
	return shown
}

func locations(shown Shown) []sdk.ToolCallLocation {
	var out []sdk.ToolCallLocation
	for _, f := range shown.Files {
		l := sdk.ToolCallLocation{Path: f.Path}
		if f.Line > 0 {
			l.Line = sdk.Ptr(f.Line)
		}
		out = append(out, l)
	}
	return out
}

// rawInput is a call's arguments as JSON, or as the text that is none.
func rawInput(arguments json.RawMessage) any {
	if !json.Valid(arguments) {
		return string(arguments)
	}
	return arguments
}

// pending is a call that the model has made.
func (s *session) pending(of agent.Identity, c agent.Call) sdk.SessionUpdate {
	call := tool.Call{ID: c.ID, Name: c.Name, Arguments: json.RawMessage(c.Arguments)}
	shown := s.shown(call)
	u := &sdk.SessionUpdateToolCall{
		ToolCallId: callID(of, c.ID), Title: oneLine(shown.Title), Kind: sdk.ToolKind(shown.Kind), Status: sdk.ToolCallStatusPending,
		Locations: locations(shown), RawInput: rawInput(call.Arguments),
	}
	if of.Kind != store.Root {
		u.Meta = meta(agentMeta{Agent: string(of.ID)})
	}
	return sdk.SessionUpdate{ToolCall: u}
}

func status(id sdk.ToolCallId, s sdk.ToolCallStatus) sdk.SessionUpdate {
	return sdk.SessionUpdate{ToolCallUpdate: &sdk.SessionToolCallUpdate{ToolCallId: id, Status: sdk.Ptr(s)}}
}

// result is a call that has its result.
func result(id sdk.ToolCallId, text string, isError bool) sdk.SessionUpdate {
	st := sdk.ToolCallStatusCompleted
	if isError {
		st = sdk.ToolCallStatusFailed
	}
	u := status(id, st)
	u.ToolCallUpdate.Content = content(text)
	return u
}

func content(text string) []sdk.ToolCallContent {
	if text == "" {
		return nil
	}
	return []sdk.ToolCallContent{sdk.ToolContent(sdk.TextBlock(clipped(text)))}
}

// shownBytes is how much of a tool's result is shown. The model gets what the tool's own limit leaves.
const shownBytes = 64 << 10

// clipped is the beginning of a text, cut between characters.
func clipped(text string) string {
	if len(text) <= shownBytes {
		return text
	}
	n := shownBytes
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return fmt.Sprintf("%s\n[%d more bytes are not shown]", text[:n], len(text)-n)
}

// started is an agent that has become resident.
func started(id sdk.ToolCallId, of agent.Identity, resumed bool) sdk.SessionUpdate {
	return sdk.SessionUpdate{ToolCall: &sdk.SessionUpdateToolCall{
		ToolCallId: id, Title: "Agent: " + oneLine(of.Label), Kind: sdk.ToolKindThink, Status: sdk.ToolCallStatusInProgress,
		Meta: meta(agentMeta{
			Agent: string(of.ID), Parent: string(of.Parent), Label: of.Label, Kind: string(of.Kind), Depth: of.Depth, Resumed: resumed,
		}),
	}}
}

// settled is the end of its residency.
func settled(id sdk.ToolCallId, of store.ID, outcome agent.Outcome, text string) sdk.SessionUpdate {
	u := result(id, text, outcome != agent.Completed)
	u.ToolCallUpdate.Meta = meta(agentMeta{Agent: string(of), Outcome: outcome})
	return u
}

// noticesOf are those among the messages of a claim.
func noticesOf(messages []agent.Message) []notice {
	var out []notice
	for _, m := range messages {
		if m.Author == agent.Settlement || m.Author == agent.Report {
			out = append(out, notice{Kind: m.Author, Agent: string(m.From), Label: m.Label, Text: clipped(m.Text)})
		}
	}
	return out
}
