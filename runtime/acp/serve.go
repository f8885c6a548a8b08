package acp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

const (
	stopWithin  = 15 * time.Second // in which agents have to stop when the connection has ended
	flushWithin = 2 * time.Second  // in which the client has to take the last of what is sent
)

// server is one connection.
type server struct {
	cfg    Config
	limits Limits
	log    *slog.Logger
	wire   *wire
	cancel context.CancelCauseFunc // ends the wire's context

	mu       sync.Mutex
	greeted  bool // the client has said initialize
	closed   bool
	sessions map[store.ID]*session
	places   int // that sessions hold, those that are being made too
}

// Serve serves one client until it ends its input, or takes no output, or the context ends; then it stops and stores everything.
// It returns nil after the end of the input. Where the context has ended, a read of the input may still be in progress: whoever
// has the input ends it by closing it.
func Serve(ctx context.Context, cfg Config, in io.Reader, out io.Writer) error {
	broken := make(chan error, 1)
	s := newServer(cfg, in, newOutbox(out, cfg.Limits.resolved().Out, func(err error) { broken <- err }))
	ended := make(chan error, 1)
	go func() { ended <- s.wire.read() }()
	var err error
	select {
	case err = <-ended:
		s.log.Debug("the input has ended")
	case cause := <-broken:
		err = fmt.Errorf("acp: the client takes no output: %w", cause)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return errors.Join(err, s.stop())
}

func newServer(cfg Config, in io.Reader, out *outbox) *server {
	s := &server{cfg: cfg, limits: cfg.Limits.resolved(), log: cfg.Log, sessions: map[store.ID]*session{}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	s.cancel = cancel
	s.wire = &wire{
		in: bufio.NewReaderSize(in, 64<<10), most: s.limits.Line, out: out, log: s.log, ctx: ctx,
		slots: make(chan struct{}, s.limits.Requests), asked: map[string]chan<- *message{},
	}
	s.wire.methods = map[string]func(json.RawMessage) (call, error){
		sdk.AgentMethodInitialize:    s.initialize,
		sdk.AgentMethodAuthenticate:  s.authenticate,
		sdk.AgentMethodSessionNew:    s.greetedFirst(s.newSession),
		sdk.AgentMethodSessionLoad:   s.greetedFirst(s.loadSession),
		sdk.AgentMethodSessionResume: s.greetedFirst(s.resumeSession),
		sdk.AgentMethodSessionPrompt: s.greetedFirst(s.prompt),
		sdk.AgentMethodSessionClose:  s.greetedFirst(s.closeSession),
		methodStopAgents:             s.greetedFirst(s.stopAgents),
	}
	s.wire.notes = map[string]func(json.RawMessage) error{sdk.AgentMethodSessionCancel: s.cancelSession}
	return s
}

// stop stops every agent, and has what they have to say written.
func (s *server) stop() error {
	s.wire.out.hurry()
	s.mu.Lock()
	s.closed = true
	all := slices.Collect(maps.Values(s.sessions))
	s.mu.Unlock()
	s.cancel(errGone)
	ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
	defer cancel()
	errs := make([]error, len(all)+1)
	var closing sync.WaitGroup
	for i, x := range all {
		closing.Go(func() { errs[i] = x.close(ctx) })
	}
	closing.Wait()
	errs[len(all)] = s.wire.finish(ctx)
	s.wire.out.close(flushWithin)
	return errors.Join(errs...)
}

// take takes a place for a session.
func (s *server) take() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return sdk.NewInternalError(because("the program is ending"))
	}
	if s.places >= s.limits.Sessions {
		return sdk.NewInternalError(because(fmt.Sprintf("%d sessions are open; close one", s.places)))
	}
	s.places++
	return nil
}

func (s *server) giveBack() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.places--
}

// session returns one that is open, or is being opened.
func (s *server) session(id sdk.SessionId) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.sessions[store.ID(id)]
	if x == nil {
		return nil, unknownSession(id)
	}
	return x, nil
}

// codeNotFound is the protocol's code for something that does not exist.
const codeNotFound = -32002

func unknownSession(id sdk.SessionId) error {
	return notFound(id, "there is no such session here; session/load opens one that is stored")
}

func notFound(id sdk.SessionId, why string) error {
	return &sdk.RequestError{Code: codeNotFound, Message: "Resource not found", Data: map[string]any{"error": why, "sessionId": id}}
}
