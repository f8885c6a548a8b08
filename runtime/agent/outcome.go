package agent

import (
	"errors"
	"fmt"
)

// Outcome is how a turn, and with its last turn a residency, ended. The words are those of the notices' spec.
type Outcome string

// The outcomes.
const (
	Completed   Outcome = "completed"   // the model answered
	Failed      Outcome = "failed"      // it did not: see [Reason]
	TokenLimit  Outcome = "token_limit" // its answer was cut off
	Refused     Outcome = "refused"     // it refused to go on
	Interrupted Outcome = "interrupted" // it was stopped from outside
	Lost        Outcome = "lost"        // the process that ran it died, or another one took over
)

// failure reports whether a turn failed by itself.
func (o Outcome) failure() bool { return o == Failed || o == TokenLimit || o == Refused }

// Reason says why a turn failed, in words that hold nothing of the program's and the provider's own texts: it may be
// stored, and shown to another model.
type Reason string

// The reasons.
const (
	NoReason      Reason = ""
	ModelFailed   Reason = "the model could not be reached, or failed"
	NoAnswer      Reason = "the model gave no answer"
	Stalled       Reason = "nothing happened for too long"
	TooManySteps  Reason = "the turn took too many steps"
	RuntimeFailed Reason = "the runtime failed unexpectedly"
	StoreFailed   Reason = "the conversation could not be stored"
)

// The causes with which a turn's context ends. A tool's handler and a model find them by [context.Cause].
var (
	ErrInterrupted = errors.New("agent: the turn was interrupted")
	ErrStalled     = errors.New("agent: the turn stalled")
	ErrStopped     = errors.New("agent: the agent was stopped")
)

// PanicError is a panic of a model, an observer or the loop.
type PanicError struct {
	Value any
	Stack []byte
}

// Error gives the panic's value.
func (e *PanicError) Error() string { return fmt.Sprintf("agent: panic: %v", e.Value) }

// TurnEnd is how one turn ended.
type TurnEnd struct {
	Outcome Outcome
	Reason  Reason // of a failed turn
	// Err is what the program's own logs want to know of it. It may hold a provider's text, and reaches no store and no
	// model.
	Err   error
	Text  string // the model's last text of the turn; after an interruption, what there was of it
	Steps int    // calls of the model
	Usage Usage
	// Parked counts the messages that waited when the turn was interrupted.
	Parked int
	// Abandoned counts handlers, and the model, that were still running when the turn went on without them.
	Abandoned int
	// Messages are the ids of the messages with which the turn began and which joined it.
	Messages []string
}

// End is how a residency ended.
type End struct {
	TurnEnd           // of the last turn; the outcome of a residency that was stopped before any turn is interrupted
	Activation  int64 // the residency
	Turns       int   // how many turns it held
	FailedTurns int   // how many before the last one failed, were cut off or refused
	Total       Usage // of all turns
	LeaseLost   bool  // another holder took over: nothing of the end was written
}
