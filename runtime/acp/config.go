package acp

import (
	"cmp"
	"context"
	"errors"
	"log/slog"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// Config says what is served.
type Config struct {
	Store store.Store
	// Agents makes the agents of a session. It gives [Session.Observer] to the service, and [Session.Ask] to the tools that
	// need permission.
	Agents func(context.Context, *Session) (Agents, error)
	// Show says how a call is shown to the user; dir is the session's folder. Without it, a call is shown by its name.
	Show func(dir string, call tool.Call) Shown
	Log  *slog.Logger // where it is nil, nothing is logged

	Name, Title, Version string // of the program, as the client is told
	Limits               Limits
}

// Agents are the agents of one session.
type Agents struct {
	Service *subagent.Service // over Config.Store; it is closed with the session
	Root    subagent.RootSpec // what a new session is created with
	Close   func() error      // called after the service was closed; may be nil
}

// Limits bound what a client can make the program do. The zero value of each is its default.
type Limits struct {
	Line     int // bytes of a line from the client: 8 MiB
	Out      int // bytes on their way to the client, beside one message: 8 MiB
	Requests int // that are worked on: 128
	Sessions int // that are open: 32
	Prompts  int // of a session, that wait or run: 16
}

func (l Limits) resolved() Limits {
	return Limits{
		Line: cmp.Or(l.Line, 8<<20), Out: cmp.Or(l.Out, 8<<20), Requests: cmp.Or(l.Requests, 128),
		Sessions: cmp.Or(l.Sessions, 32), Prompts: cmp.Or(l.Prompts, 16),
	}
}

// Session is one session as its agents see it.
type Session struct {
	Dir string // its folder: absolute, without links

	s *session
}

// Observer is what the session's service has to report to. A deployment that has an observer of its own calls both.
func (s *Session) Observer() *agent.Observer { return s.s.observer() }

// Kind is what a call does, for a symbol beside it.
type Kind string

// The kinds.
const (
	Read    Kind = "read"
	Edit    Kind = "edit"
	Search  Kind = "search"
	Execute Kind = "execute"
	Think   Kind = "think"
	Other   Kind = "other"
)

// Shown is how a call is shown to the user.
type Shown struct {
	Title string // one line; empty is the tool's name
	Kind  Kind   // empty is [Other]
	Files []File // that the call is about
}

// File is a place in a file.
type File struct {
	Path string // absolute
	Line int    // from 1; 0 is none
}

// Errors of Session.Ask. Their texts are for the model.
var (
	ErrNotPermitted = errors.New("the user did not permit it; nothing was done")
	ErrNotAsked     = errors.New("the user could not be asked for permission; nothing was done")
)
