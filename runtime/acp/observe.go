package acp

import (
	"context"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// observer tells the client what the agents of the session do. Its functions wait where the client does not read and much is on
// its way to it: so do the agents then.
func (s *session) observer() *agent.Observer {
	return &agent.Observer{
		TurnBegan: s.turnBegan,
		Joined: func(id agent.Identity, messages []agent.Message) {
			if id.Kind == store.Root {
				s.endsFirst(messages)
				s.told(messages)
			}
		},
		Delta:     s.delta,
		Answered:  s.modelAnswered,
		Calling:   func(id agent.Identity, c tool.Call) { s.tell(status(callID(id, c.ID), sdk.ToolCallStatusInProgress)) },
		Called:    s.called,
		TurnEnded: s.turnEnded,
		Started:   s.started,
		Settled:   s.settled,
		Problem: func(id agent.Identity, err error) {
			s.conn.log.Warn("a problem of an agent", "session", s.id, "agent", id.ID, "error", err)
		},
	}
}

func (s *session) turnBegan(id agent.Identity, messages []agent.Message) {
	if id.Kind != store.Root {
		return
	}
	t := &turn{woken: true}
	s.mu.Lock()
	for _, m := range messages {
		if s.prompts[m.ID] != nil {
			t.woken = false
		}
	}
	s.turn = t
	close(s.began)
	s.began = make(chan struct{})
	s.mu.Unlock()
	s.endsFirst(messages)
	if t.woken {
		s.note(noteTurnBegan, turnBegan{sdk.SessionId(s.id)})
	}
	s.told(messages)
}

// told shows what the root is told: notices, and messages of users that did not come from this client.
func (s *session) told(messages []agent.Message) {
	if n := noticesOf(messages); len(n) > 0 {
		s.note(noteNotices, notices{sdk.SessionId(s.id), n})
	}
	for _, m := range messages {
		s.mu.Lock()
		ours := s.ours[m.ID]
		delete(s.ours, m.ID)
		s.mu.Unlock()
		if m.Author == agent.User && !ours {
			s.tell(sdk.UpdateUserMessageText(m.Text))
		}
	}
}

// endsFirst waits until the client was told of the ends of agents of which the root is told. The store has them already.
func (s *session) endsFirst(messages []agent.Message) {
	for _, m := range messages {
		s.mu.Lock()
		end := s.live[m.From]
		s.mu.Unlock()
		if m.Author != agent.Settlement || end == nil {
			continue
		}
		// Where it is resident, it has been resumed, and the notice is of an earlier end.
		if c, err := s.conn.cfg.Store.Get(context.Background(), m.From); err == nil && !c.Resident {
			<-end
		}
	}
}

func (s *session) turnEnded(id agent.Identity, end agent.TurnEnd) {
	s.giveUp(id.ID)
	if end.Err != nil && end.Outcome == agent.Failed {
		s.conn.log.Error("a turn failed", "session", s.id, "agent", id.ID, "reason", end.Reason, "error", end.Err)
	}
	if id.Kind != store.Root {
		return
	}
	s.mu.Lock()
	t := s.turn
	s.mu.Unlock()
	if t != nil && t.woken {
		n := turnEnded{SessionID: sdk.SessionId(s.id)}
		n.StopReason, n.Error = stopReason(end)
		s.note(noteTurnEnded, n)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn, s.before = nil, nil
	for _, m := range end.Messages {
		if p := s.prompts[m]; p != nil {
			s.before = append(s.before, p) // it is answered as soon as this function has returned
		}
	}
}

// giveUp shows calls as failed of which nothing more will be heard.
func (s *session) giveUp(id store.ID) {
	s.mu.Lock()
	left := s.calls[id]
	delete(s.calls, id)
	s.mu.Unlock()
	for call := range left {
		s.tell(status(call, sdk.ToolCallStatusFailed))
	}
}

func (s *session) delta(id agent.Identity, d agent.Delta) {
	if id.Kind != store.Root {
		return
	}
	if d.Thought != "" {
		s.tell(sdk.UpdateAgentThoughtText(d.Thought))
	}
	if d.Text != "" {
		s.say(true)
		s.tell(sdk.UpdateAgentMessageText(d.Text))
	}
}

// say notes whether a piece of the present answer was sent, and returns what was noted before.
func (s *session) say(said bool) (before bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn == nil {
		return true
	}
	before, s.turn.said = s.turn.said, said
	return before
}

func (s *session) modelAnswered(id agent.Identity, m agent.Message) {
	if id.Kind == store.Root {
		if !s.say(false) && m.Text != "" { // the model does not stream
			s.tell(sdk.UpdateAgentMessageText(m.Text))
		}
	}
	for _, c := range m.Calls {
		s.mu.Lock()
		if s.calls[id.ID] == nil {
			s.calls[id.ID] = map[sdk.ToolCallId]bool{}
		}
		s.calls[id.ID][callID(id, c.ID)] = true
		s.mu.Unlock()
		s.tell(s.pending(id, c))
	}
}

func (s *session) called(id agent.Identity, r tool.CallResult) {
	call := callID(id, r.ID)
	s.mu.Lock()
	delete(s.calls[id.ID], call)
	s.mu.Unlock()
	s.tell(result(call, r.Text, r.IsError))
}

func (s *session) started(id agent.Identity, resumed bool) {
	if id.Kind == store.Root {
		return
	}
	s.mu.Lock()
	s.seen[id.ID]++
	n := s.seen[id.ID]
	s.live[id.ID] = make(chan struct{})
	s.mu.Unlock()
	s.tell(started(agentID(id.ID, n), id, resumed))
}

func (s *session) settled(id agent.Identity, end agent.End) {
	if id.Kind == store.Root {
		return
	}
	s.mu.Lock()
	n := s.seen[id.ID]
	s.mu.Unlock()
	s.tell(settled(agentID(id.ID, n), id.ID, end.Outcome, end.Text))
	s.mu.Lock()
	defer s.mu.Unlock()
	if ch := s.live[id.ID]; ch != nil {
		close(ch)
		delete(s.live, id.ID)
	}
}
