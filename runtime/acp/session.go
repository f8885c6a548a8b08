package acp

import (
	"context"
	"errors"
	"fmt"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
)

// session is a root conversation that the client has open.
type session struct {
	conn *server
	dir  string
	id   store.ID

	ready  chan struct{} // closed when it is open, or failed to open
	err    error         // once ready is closed
	agents Agents
	root   *subagent.Root

	once   sync.Once // ends it
	endErr error

	order sync.Mutex // held while the client is told something: a replay is one piece

	mu      sync.Mutex
	closing bool
	prompts map[string]*prompt                   // that are not answered, by their messages' ids
	ours    map[string]bool                      // ids of messages that are this client's, answered or not
	gate    <-chan struct{}                      // the next prompt waits for it
	cancels *cancelling                          // the latest cancel
	last    *prompt                              // the latest one
	turn    *turn                                // the root's that runs, or nil
	before  []*prompt                            // of the turn before: they are answered before the client hears of the next one
	began   chan struct{}                        // closed when the root next begins a turn
	seen    map[store.ID]int                     // how many residencies of an agent
	live    map[store.ID]chan struct{}           // closed when the client was told of the end of an agent\'s residency
	calls   map[store.ID]map[sdk.ToolCallId]bool // calls without a result, by their agent
	always  map[string]bool                      // what the user has permitted for the session
}

// turn is one of the root's.
type turn struct {
	woken bool // no prompt of this client began it
	said  bool // a piece of the answer that is being made was sent
}

func newSession(conn *server, dir string) *session {
	open := make(chan struct{})
	close(open)
	return &session{
		conn: conn, dir: dir, ready: make(chan struct{}), gate: open, began: make(chan struct{}),
		prompts: map[string]*prompt{}, ours: map[string]bool{}, seen: map[store.ID]int{}, live: map[store.ID]chan struct{}{}, always: map[string]bool{},
		calls: map[store.ID]map[sdk.ToolCallId]bool{},
	}
}

// create makes a new conversation.
func (s *session) create(ctx context.Context) error {
	err := s.make(ctx, func() (err error) {
		s.root, err = s.agents.Service.Create(ctx, s.agents.Root)
		return err
	})
	if err == nil {
		s.id = s.root.ID()
		s.conn.mu.Lock()
		s.conn.sessions[s.id] = s
		closed := s.conn.closed
		s.conn.mu.Unlock()
		if closed { // nobody else closes it
			err = errors.Join(errGone, s.end(context.WithoutCancel(ctx)))
		}
	}
	s.err = err
	close(s.ready)
	return err
}

// load opens a stored one.
func (s *session) load(ctx context.Context, replay bool) error {
	s.order.Lock() // whatever happens from now on is told after the replay
	defer s.order.Unlock()
	s.err = s.make(ctx, func() error {
		conv, err := s.conn.cfg.Store.Get(ctx, s.id)
		if errors.Is(err, store.ErrUnknown) || err == nil && conv.Kind != store.Root {
			return notFound(sdk.SessionId(s.id), "no such session is stored")
		}
		if err == nil {
			s.root, err = s.agents.Service.Open(ctx, s.id)
		}
		if err == nil && replay {
			err = s.replay(ctx)
		}
		return s.why(err)
	})
	close(s.ready)
	return s.err
}

// why puts what the store refuses into words for the user.
func (s *session) why(err error) error {
	switch {
	case errors.Is(err, store.ErrHeld):
		return sdk.NewInternalError(because("the session is open in another process"))
	case errors.Is(err, store.ErrDamaged):
		return sdk.NewInternalError(because("the stored session is damaged"))
	case errors.Is(err, store.ErrUnsupported):
		return sdk.NewInternalError(because("the stored session was written by a later version"))
	}
	return err
}

// make has the agents made and then the root; where that fails, nothing is left.
func (s *session) make(ctx context.Context, root func() error) (err error) {
	if s.agents, err = s.conn.cfg.Agents(ctx, &Session{Dir: s.dir, s: s}); err != nil {
		return err
	}
	if err := root(); err != nil {
		if closeErr := s.end(context.WithoutCancel(ctx)); closeErr != nil {
			s.conn.log.Warn("a session that was not opened was not closed well", "error", closeErr)
		}
		return err
	}
	return nil
}

// again is a load of a session that is open.
func (s *session) again(ctx context.Context, replay bool) error {
	if err := s.opened(ctx); err != nil || !replay {
		return err
	}
	s.answersFirst()
	s.order.Lock()
	defer s.order.Unlock()
	s.mu.Lock()
	busy := s.turn != nil
	for _, p := range s.prompts {
		busy = busy || !p.decided
	}
	s.mu.Unlock()
	if busy {
		return sdk.NewInvalidRequest(because("a turn of the session runs; cancel it first, or wait for its end"))
	}
	return s.why(s.replay(ctx))
}

// opened waits until the session is open.
func (s *session) opened(ctx context.Context) error {
	select {
	case <-s.ready:
		return s.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// over reports whether a session that was open has ended by itself.
func (s *session) over() bool {
	select {
	case <-s.ready:
	default:
		return false
	}
	if s.root == nil {
		return true
	}
	select {
	case <-s.root.Done():
		return true
	default:
		return false
	}
}

// close ends a session that is open or is being opened.
func (s *session) close(ctx context.Context) error {
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	select {
	case <-s.ready:
	case <-ctx.Done():
		return fmt.Errorf("acp: the session %s has not opened: %w", s.id, context.Cause(ctx))
	}
	if s.err != nil {
		return nil
	}
	return s.end(ctx)
}

func (s *session) end(ctx context.Context) error {
	s.once.Do(func() {
		s.endErr = s.agents.Service.Close(ctx)
		if s.agents.Close != nil {
			s.endErr = errors.Join(s.endErr, s.agents.Close())
		}
	})
	return s.endErr
}

// stopAgents stops one agent below the root, or all.
func (s *session) stopAgents(ctx context.Context, id store.ID) (stoppedAgents, error) {
	res := stoppedAgents{Stopped: []string{}}
	if err := s.opened(ctx); err != nil {
		return res, err
	}
	left, err := s.root.Left(ctx)
	if err != nil {
		return res, err
	}
	for _, e := range left {
		if id != "" && e.ID != id || id == "" && e.Parent != s.id {
			continue
		}
		if err := s.agents.Service.Stop(ctx, e.ID); err != nil {
			return res, err
		}
		res.Stopped = append(res.Stopped, string(e.ID))
	}
	return res, nil
}

// tell sends an update. The answer to a prompt comes first, where its turn has ended.
func (s *session) tell(updates ...sdk.SessionUpdate) {
	s.answersFirst()
	s.order.Lock()
	defer s.order.Unlock()
	s.send(updates...)
}

func (s *session) answersFirst() {
	s.mu.Lock()
	before := s.before
	s.mu.Unlock()
	for _, p := range before {
		<-p.done
	}
}

// send is tell for who has the order.
func (s *session) send(updates ...sdk.SessionUpdate) {
	for _, u := range updates {
		s.conn.wire.notify(sdk.ClientMethodSessionUpdate, sdk.SessionNotification{SessionId: sdk.SessionId(s.id), Update: u})
	}
}

// note sends a notification that the protocol does not have.
func (s *session) note(method string, params any) {
	s.answersFirst()
	s.order.Lock()
	defer s.order.Unlock()
	s.conn.wire.notify(method, params)
}

// replay tells the conversation from its beginning.
func (s *session) replay(ctx context.Context) error {
	h, err := agent.Load(ctx, s.conn.cfg.Store, s.id, 0)
	if err != nil {
		return err
	}
	me := agent.Identity{ID: s.id, Kind: store.Root}
	for _, m := range h.Messages {
		switch m.Author {
		case agent.User:
			s.send(sdk.UpdateUserMessageText(m.Text))
		case agent.Assistant:
			if m.Text != "" {
				s.send(sdk.UpdateAgentMessageText(m.Text))
			}
			for _, c := range m.Calls {
				s.send(s.pending(me, c))
			}
		case agent.ToolResult:
			s.send(result(callID(me, m.Call), m.Text, m.IsError))
		case agent.Settlement, agent.Report:
			s.conn.wire.notify(noteNotices, notices{SessionID: sdk.SessionId(s.id), Notices: noticesOf([]agent.Message{m})})
		}
	}
	return nil
}
