package agent

import (
	"context"
	"encoding/json"

	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// Model answers requests. An implementation turns a request into a provider's API call and streams the answer.
//
// Generate calls delta for each piece as it comes, one at a time and not after it has returned, and gives the whole answer
// at the end. It returns soon after its context has ended; a model that does not is abandoned. An error is one of the
// provider or of the way to it, after whatever retries the implementation makes: it fails the turn. A panic does too. The
// request is not to be changed, and may be kept.
type Model interface {
	Generate(ctx context.Context, req *Request, delta func(Delta)) (*Response, error)
}

// ModelFunc is a function as a [Model].
type ModelFunc func(ctx context.Context, req *Request, delta func(Delta)) (*Response, error)

// Generate calls the function.
func (f ModelFunc) Generate(ctx context.Context, req *Request, delta func(Delta)) (*Response, error) {
	return f(ctx, req, delta)
}

// Identity says which agent something is about.
type Identity struct {
	ID     store.ID // the conversation
	Parent store.ID // empty for a root
	Kind   store.Kind
	Label  string
	Depth  int // 0 for a root
}

// Request is one call of a model: everything that it is shown.
type Request struct {
	Agent    Identity
	Model    string // the model that the agent is to run on, by the deployment's name; empty is its default
	System   string
	Tools    []tool.Definition
	Messages []Message
}

// Stop says why a model stopped.
type Stop string

// The reasons to stop.
const (
	StopEnd        Stop = "end"         // the answer is complete
	StopCalls      Stop = "calls"       // the calls have to be carried out first
	StopTokenLimit Stop = "token_limit" // the answer was cut off
	StopRefused    Stop = "refused"     // the model, or its provider, refuses to go on
)

// Response is a model's whole answer.
type Response struct {
	Text  string
	Calls []Call
	Stop  Stop
	Usage Usage
	// Extra is the provider's own, which has to go back with this message in every later request: signed thoughts, for
	// example. It is kept in the conversation.
	Extra json.RawMessage
}

// Call is a call of a tool as the model wrote it.
type Call struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // may be no JSON
}

// Usage counts tokens.
type Usage struct {
	Input  int64 `json:"input,omitempty"`
	Cached int64 `json:"cached,omitempty"` // part of the input that the provider had already
	Output int64 `json:"output,omitempty"`
}

// Add returns the sum.
func (u Usage) Add(v Usage) Usage {
	return Usage{Input: u.Input + v.Input, Cached: u.Cached + v.Cached, Output: u.Output + v.Output}
}

// Delta is a piece of an answer on its way.
type Delta struct {
	Text    string
	Thought string     // what the model thinks before it answers, where the provider shows it
	Call    *CallDelta // a piece of a call
}

// CallDelta is a piece of a call on its way: ID and Name come first, arguments in pieces.
type CallDelta struct {
	Index     int // the call's place in the answer
	ID, Name  string
	Arguments string
}
