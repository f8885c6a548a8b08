package acp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// Permission is what a tool asks the user for, before it does something.
type Permission struct {
	Call  tool.Call // for which it is
	Title string    // what is to be done, in one line; empty is how the call is shown
	// Always names what the user may permit once for the rest of the session; empty offers no such choice.
	Always string
}

// The options of a permission.
const (
	allowOnce   = "allow_once"
	allowAlways = "allow_always"
	rejectOnce  = "reject_once"
)

// Ask asks the user, and returns nil where the user permits it. The context is the handler's: a turn that is cancelled does not
// wait for an answer.
func (s *Session) Ask(ctx context.Context, p Permission) error { return s.s.ask(ctx, p) }

func (s *session) ask(ctx context.Context, p Permission) error {
	if p.Always != "" && s.permitted(p.Always) {
		return nil
	}
	id := sdk.ToolCallId(rootCall + p.Call.ID)
	if c, ok := agent.CallerOf(ctx); ok {
		id = callID(c.Agent().Identity(), p.Call.ID)
		defer c.Waits()() // a user may take long, and the turn does not stall meanwhile
	}
	shown := s.shown(p.Call)
	if p.Title != "" {
		shown.Title = p.Title
	}
	req := sdk.RequestPermissionRequest{
		SessionId: sdk.SessionId(s.id),
		ToolCall: sdk.ToolCallUpdate{
			ToolCallId: id, Title: sdk.Ptr(oneLine(shown.Title)), Kind: sdk.Ptr(sdk.ToolKind(shown.Kind)),
			Status: sdk.Ptr(sdk.ToolCallStatusPending), Locations: locations(shown), RawInput: rawInput(p.Call.Arguments),
		},
		Options: []sdk.PermissionOption{{OptionId: allowOnce, Kind: sdk.PermissionOptionKindAllowOnce, Name: "Allow"}},
	}
	if p.Always != "" {
		req.Options = append(req.Options, sdk.PermissionOption{OptionId: allowAlways, Kind: sdk.PermissionOptionKindAllowAlways, Name: "Allow for this session"})
	}
	req.Options = append(req.Options, sdk.PermissionOption{OptionId: rejectOnce, Kind: sdk.PermissionOptionKindRejectOnce, Name: "Reject"})
	var raw json.RawMessage
	if err := s.conn.wire.ask(ctx, sdk.ClientMethodSessionRequestPermission, req, &raw); err != nil {
		if errors.Is(err, errGone) {
			<-ctx.Done() // the agents are being stopped
		}
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		s.conn.log.Warn("permission could not be asked for", "session", s.id, "error", err)
		return ErrNotAsked
	}
	chosen, err := chosen(raw)
	switch {
	case err != nil || !slices.ContainsFunc(req.Options, func(o sdk.PermissionOption) bool { return string(o.OptionId) == chosen }):
		if chosen == "" && err == nil {
			return ErrNotPermitted // the client's way to say that the turn was cancelled
		}
		s.conn.log.Warn("the answer to a request for permission was not understood", "session", s.id)
		return ErrNotAsked
	case chosen == rejectOnce:
		return ErrNotPermitted
	case chosen == allowAlways:
		s.permit(p.Always)
	}
	return nil
}

// chosen is the option that the user has chosen; it is empty where the client has cancelled.
func chosen(raw json.RawMessage) (string, error) {
	var res sdk.RequestPermissionResponse
	if err := json.Unmarshal(raw, &res); err != nil {
		return "", err
	}
	switch o := res.Outcome; {
	case o.Selected != nil && o.Selected.OptionId != "":
		return string(o.Selected.OptionId), nil
	case o.Cancelled != nil:
		return "", nil
	}
	return "", ErrNotAsked
}

func (s *session) permitted(what string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.always[what]
}

func (s *session) permit(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.always[what] = true
}
