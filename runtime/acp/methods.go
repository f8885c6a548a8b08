package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// at makes a call of a function that needs nothing but its time.
func at(run func(context.Context) (any, error)) call { return call{run: run} }

func (s *server) initialize(params json.RawMessage) (call, error) {
	if _, err := decode[sdk.InitializeRequest](params); err != nil {
		return call{}, err
	}
	s.mu.Lock()
	s.greeted = true
	s.mu.Unlock()
	// Whatever version the client has: this is the one that the agent has, and the client decides.
	res := sdk.InitializeResponse{
		ProtocolVersion: sdk.ProtocolVersionNumber,
		AgentInfo:       &sdk.Implementation{Name: s.cfg.Name, Version: s.cfg.Version},
		AgentCapabilities: sdk.AgentCapabilities{
			LoadSession:         true,
			SessionCapabilities: sdk.SessionCapabilities{Close: &sdk.SessionCloseCapabilities{}, Resume: &sdk.SessionResumeCapabilities{}},
		},
	}
	if s.cfg.Title != "" {
		res.AgentInfo.Title = &s.cfg.Title
	}
	return at(func(context.Context) (any, error) { return res, nil }), nil
}

func (s *server) authenticate(params json.RawMessage) (call, error) {
	if _, err := decode[sdk.AuthenticateRequest](params); err != nil {
		return call{}, err
	}
	return call{}, sdk.NewInvalidParams(because("/methodId: there are no methods to authenticate"))
}

// greetedFirst refuses what comes before initialize.
func (s *server) greetedFirst(m func(json.RawMessage) (call, error)) func(json.RawMessage) (call, error) {
	return func(params json.RawMessage) (call, error) {
		s.mu.Lock()
		greeted := s.greeted
		s.mu.Unlock()
		if !greeted {
			return call{}, sdk.NewInvalidRequest(because("initialize comes first"))
		}
		return m(params)
	}
}

func (s *server) newSession(params json.RawMessage) (call, error) {
	p, err := decode[sdk.NewSessionRequest](params)
	if err != nil {
		return call{}, err
	}
	dir, meta, err := s.place(p.Cwd, p.AdditionalDirectories, p.McpServers)
	if err != nil {
		return call{}, err
	}
	if err := s.take(); err != nil {
		return call{}, err
	}
	x := newSession(s, dir)
	return at(func(ctx context.Context) (any, error) {
		if err := x.create(ctx); err != nil {
			s.giveBack()
			return nil, err
		}
		return sdk.NewSessionResponse{SessionId: sdk.SessionId(x.id), Meta: meta}, nil
	}), nil
}

func (s *server) loadSession(params json.RawMessage) (call, error) {
	p, err := decode[sdk.LoadSessionRequest](params)
	if err != nil {
		return call{}, err
	}
	dir, meta, err := s.place(p.Cwd, p.AdditionalDirectories, p.McpServers)
	if err != nil {
		return call{}, err
	}
	open, err := s.open(p.SessionId, dir, true)
	return at(func(ctx context.Context) (any, error) { return sdk.LoadSessionResponse{Meta: meta}, open(ctx) }), err
}

func (s *server) resumeSession(params json.RawMessage) (call, error) {
	p, err := decode[sdk.ResumeSessionRequest](params)
	if err != nil {
		return call{}, err
	}
	dir, meta, err := s.place(p.Cwd, p.AdditionalDirectories, p.McpServers)
	if err != nil {
		return call{}, err
	}
	open, err := s.open(p.SessionId, dir, false)
	return at(func(ctx context.Context) (any, error) { return sdk.ResumeSessionResponse{Meta: meta}, open(ctx) }), err
}

// open makes a stored session one of the connection's, or finds that it is one. What it returns does the work. The session is
// known at once, so that a prompt may follow without waiting for an answer.
func (s *server) open(id sdk.SessionId, dir string, replay bool) (func(context.Context) error, error) {
	s.mu.Lock()
	x := s.sessions[store.ID(id)]
	s.mu.Unlock()
	if x != nil && !x.over() {
		if x.dir != dir {
			return nil, sdk.NewInvalidParams(because(fmt.Sprintf("/cwd: the session is open in %s", x.dir)))
		}
		return func(ctx context.Context) error { return x.again(ctx, replay) }, nil
	}
	if x == nil {
		if err := s.take(); err != nil {
			return nil, err
		}
	}
	before, x := x, newSession(s, dir)
	x.id = store.ID(id)
	s.mu.Lock()
	s.sessions[x.id] = x
	s.mu.Unlock()
	return func(ctx context.Context) error {
		if before != nil { // it has ended by itself: another process has taken it over, or its store has failed
			if err := before.close(ctx); err != nil {
				s.log.Warn("a session that had ended was not closed well", "session", id, "error", err)
			}
		}
		err := x.load(ctx, replay)
		if err != nil {
			s.forget(x)
		}
		return err
	}, nil
}

// forget takes a session out of the connection's.
func (s *server) forget(x *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions[x.id] == x {
		delete(s.sessions, x.id)
		s.places--
	}
}

func (s *server) prompt(params json.RawMessage) (call, error) {
	p, err := decode[sdk.PromptRequest](params)
	if err != nil {
		return call{}, err
	}
	x, err := s.session(p.SessionId)
	if err != nil {
		return call{}, err
	}
	text, err := promptText(x.dir, p.Prompt)
	if err != nil {
		return call{}, err
	}
	q, err := x.admit(text)
	if err != nil {
		return call{}, err
	}
	return call{
		run: func(ctx context.Context) (any, error) {
			reason, err := x.prompt(ctx, q)
			if err != nil {
				return nil, err
			}
			return sdk.PromptResponse{StopReason: reason}, nil
		},
		answered: func() { x.answered(q) },
	}, nil
}

func (s *server) cancelSession(params json.RawMessage) error {
	p, err := decode[sdk.CancelNotification](params)
	if err != nil {
		return err
	}
	x, err := s.session(p.SessionId)
	if err != nil {
		return err
	}
	x.cancel()
	return nil
}

func (s *server) closeSession(params json.RawMessage) (call, error) {
	p, err := decode[sdk.CloseSessionRequest](params)
	if err != nil {
		return call{}, err
	}
	x, err := s.session(p.SessionId)
	if err != nil {
		return call{}, err
	}
	return at(func(ctx context.Context) (any, error) {
		err := x.close(context.WithoutCancel(ctx))
		s.forget(x)
		return sdk.CloseSessionResponse{}, err
	}), nil
}

// methodStopAgents stops agents that run in the background, which a cancel leaves running.
const methodStopAgents = "_toolgen/stop_agents"

type stopAgents struct {
	SessionID sdk.SessionId `json:"sessionId"`
	Agent     string        `json:"agent,omitempty"` // without it, all of them
}

// Validate checks nothing that looking for the agents does not.
func (*stopAgents) Validate() error { return nil }

type stoppedAgents struct {
	Stopped []string `json:"stopped"`
}

func (s *server) stopAgents(params json.RawMessage) (call, error) {
	p, err := decode[stopAgents](params)
	if err != nil {
		return call{}, err
	}
	x, err := s.session(p.SessionID)
	if err != nil {
		return call{}, err
	}
	return at(func(ctx context.Context) (any, error) { return x.stopAgents(ctx, store.ID(p.Agent)) }), nil
}

// place is where a session is: its folder, and what the client is told of what it asked for in vain.
func (s *server) place(cwd string, more []string, servers []sdk.McpServer) (dir string, meta map[string]any, err error) {
	if !filepath.IsAbs(cwd) {
		return "", nil, sdk.NewInvalidParams(because("/cwd: it has to be absolute"))
	}
	dir, err = filepath.EvalSymlinks(cwd)
	if err == nil {
		var info os.FileInfo
		if info, err = os.Stat(dir); err == nil && !info.IsDir() {
			err = errors.New("no folder")
		}
	}
	if err != nil {
		return "", nil, sdk.NewInvalidParams(because("/cwd: there is no such folder"))
	}
	if len(more) > 0 {
		return "", nil, sdk.NewInvalidParams(because("/additionalDirectories: a session has one folder, as sessionCapabilities says"))
	}
	var ignored []string
	for i, m := range servers {
		if m.Stdio == nil {
			return "", nil, sdk.NewInvalidParams(because(fmt.Sprintf("/mcpServers/%d: this transport is not served, as mcpCapabilities says", i)))
		}
		ignored = append(ignored, m.Stdio.Name)
	}
	if len(ignored) > 0 {
		s.log.Warn("MCP servers are not connected", "servers", ignored)
		meta = map[string]any{"toolgen": map[string]any{"ignoredMcpServers": ignored}}
	}
	return dir, meta, nil
}
