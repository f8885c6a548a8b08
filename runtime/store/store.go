// Package store says what has to last of agents: conversations, what is on its way to them, and who runs them.
//
// A store holds, for each conversation, an append-only log; for all of them, an index with parents and states; one table
// of messages on their way, which is every inbox and every outbox at once; and for each conversation that is resident in
// some process, a lease with a fencing token. An agent's life is a few steps over these: [Store.Start], [Store.Append],
// [Store.Send], [Store.Claim], [Store.Settle]. Each step happens as a whole or not at all, and each is idempotent: a
// caller that does not know whether a step happened does it again. There is no general transaction, so that a store over
// streams can have the same steps.
//
// What the texts and log entries mean is the agent's affair: a store keeps them as bytes. It knows which conversation
// started which, what waits for whom, and who may write.
//
// A process names itself in each lease. The name is of one run of a program and is never used again, so that whoever has
// died cannot be taken for its successor.
//
// Package memory is a store that ends with its process, sqlite one in a file that processes may share. Package storetest
// is the conformance suite that a third one has to pass.
package store

import (
	"context"
	"encoding/json"
	"time"
)

// ID names a conversation, for ever: ids are never used again, not even after a deletion.
type ID string

// Kind says how a conversation came to be, and so what its end means.
type Kind string

// The kinds of conversations.
const (
	Root        Kind = "root"        // a user's; it has no parent
	Continuable Kind = "continuable" // a background child: it settles with a notice, and can be woken again
	Foreground  Kind = "foreground"  // a child for which a call waits; it runs once
	Job         Kind = "job"         // a background child that runs once, and whose output is collected
)

// NewConversation is what a conversation is created with. Nothing of it changes later.
type NewConversation struct {
	ID     ID
	Kind   Kind
	Parent ID     // empty for a root
	Label  string // for listings
	// Composition is what the conversation runs with: the agent's own data, in its own format.
	Composition json.RawMessage
}

// Conversation is an entry of the index.
type Conversation struct {
	NewConversation
	Depth   int // 0 for a root
	Created time.Time

	// Activation counts the residencies that have begun; 0 is none yet.
	Activation int64
	// Resident says that some process holds the conversation's lease.
	Resident bool
	// Driving says that a turn is in progress. It means nothing while the conversation is not resident.
	Driving bool
	// Interrupt is the highest entry for which [Store.Interrupt] has asked in this residency; 0 is none.
	Interrupt int64
	// Outcome and Text are what the last residency ended with that was settled; both are empty before the first one. Ended is
	// its Activation: a later one runs, or was released.
	Outcome string
	Text    string
	Ended   int64

	// Problem says why the rest of the entry cannot be relied on; empty where it can. One entry that is damaged hides no
	// other.
	Problem Problem
}

// Problem is a reason why a stored conversation cannot be read.
type Problem string

// The problems.
const (
	Corrupt     Problem = "corrupt"     // its data is damaged
	Unsupported Problem = "unsupported" // its data has a version that this program does not know
)

// Entry is one record of a log. Seq counts from 1 without gaps.
type Entry struct {
	Seq  int64
	Kind string // the agent's own, or one of the kinds below
	Data json.RawMessage
	Time time.Time // when the store wrote it
}

// The kinds of entries that steps write by themselves. Their data is the JSON of the type named with each.
const (
	EntryMessage = "message" // Message: it was claimed
	EntryStarted = "started" // Started: a call started a child
	EntrySettled = "settled" // Settlement: a residency ended
)

// Started records which child a call started.
type Started struct {
	Call  string `json:"call"` // the call's id, unique within the parent's log
	Child ID     `json:"child"`
}

// Lane says when a message joins its recipient's conversation.
type Lane string

// The lanes.
const (
	Step Lane = "step" // at the next step of a running turn; the whole lane joins at once
	Turn Lane = "turn" // as the beginning of a turn of its own
)

// MessageKind says who wrote a message, and so how far it can be trusted.
type MessageKind string

// The kinds of messages.
const (
	FromUser       MessageKind = "user"
	FromParent     MessageKind = "coordinator"
	FromChild      MessageKind = "report"
	FromSettlement MessageKind = "settlement"
)

// Message is something on its way to a conversation, and afterwards a part of its log.
type Message struct {
	ID   string      `json:"id"` // chosen by the sender; a message of a known id is not taken again
	To   ID          `json:"to"`
	From ID          `json:"from,omitempty"` // the author's conversation; empty for a user
	Kind MessageKind `json:"kind"`
	Lane Lane        `json:"lane"`
	// Activation is the author's residency in which the message was written. With From, it makes a settlement unique.
	// An author may write only while it is resident in it: see [Store.Send].
	Activation int64 `json:"activation,omitempty"`
	// Quiet messages wake nobody, and nobody stays resident for them.
	Quiet bool            `json:"quiet,omitempty"`
	Data  json.RawMessage `json:"data,omitempty"` // the agent's own; valid JSON, of which the store may drop spaces

	// Seq is the message's place in its recipient's inbox, given by the store: it counts from 1, in the order of sending,
	// and is not used again.
	Seq int64 `json:"seq,omitempty"`
	// Parked messages were waiting when a turn was interrupted: they keep nothing resident, and come before the next
	// message of the lane.
	Parked bool `json:"parked,omitempty"`
}

// Lease is the right to write a conversation's log and to claim its messages. A lease that was taken over is refused by
// its token in every step: see [ErrFenced].
type Lease struct {
	Conversation ID
	Process      string
	Token        int64 // rises with each holder
	Activation   int64 // the residency that the lease is for
	Last         int64 // the last entry of the log when the lease was returned
}

// Boundary says which messages a claim takes.
type Boundary string

// The boundaries.
const (
	// AtStep takes the whole step lane, and nothing that is parked.
	AtStep Boundary = "step"
	// AtTurn takes everything parked, the whole step lane, and the first message of the turn lane, in this order. Where
	// nothing but parked or quiet messages waits, it takes nothing.
	AtTurn Boundary = "turn"
)

// Settlement is the end of a residency.
type Settlement struct {
	Outcome string `json:"outcome"`
	Text    string `json:"text,omitempty"` // the conversation's last message; what of it is no UTF-8 is replaced
	// FailedTurns counts the earlier turns of the residency that failed, Parked the messages that are left for the next one.
	FailedTurns int   `json:"failedTurns,omitempty"`
	Parked      int   `json:"parked,omitempty"`
	Activation  int64 `json:"activation"`

	// Notice is what the parent is told; nil where nobody is (a root, a call that waits, a job).
	Notice *Message `json:"-"`
}

// Pending says what keeps a conversation from settling.
type Pending struct {
	Waiting  int // messages that wait, neither parked nor quiet
	Children int // children that are resident
}

// Store keeps conversations. Its methods are safe for concurrent use; each changes everything that it says, or nothing.
//
// Errors are compared by errors.Is with those of this package, or are the store's own: a failing disk, a context that
// ended. After an error of the store's own, whether the step happened is not known; doing it again is right, with the same
// arguments, and changes nothing if it had happened. A step that gives a lease gives it once: done again, it says by a
// *[HeldError] who has it, and a process that finds its own name there, and no agent of its own that runs, may use it.
//
// Every method that is given a lease compares its token, and is refused with [ErrFenced] once the lease was lost, released
// or settled.
type Store interface {
	// Create makes a root conversation and gives its lease. A known id, one of a deleted conversation too, is ErrExists.
	Create(ctx context.Context, process string, root NewConversation) (Lease, error)

	// Start makes a child and its lease, puts the first message into the child's inbox, and records Started in the
	// parent's log: one step, under the parent's lease. The call's id is the key: if the parent's log has the call
	// already, the child that it started is returned as it is now, with started false and no lease, whatever after says.
	// after is as for Append. If that child was deleted, it is ErrUnknown.
	Start(ctx context.Context, parent Lease, after int64, call string, child NewConversation, first Message) (c Conversation, lease Lease, started bool, err error)

	// Acquire begins a residency of a conversation that has none: a new lease, a new Activation. Where it is resident
	// already, the error is a *HeldError, which is ErrHeld and says who has it.
	Acquire(ctx context.Context, process string, id ID) (Lease, error)

	// Release gives up a lease without a settlement: of a root whose process ends well. Any other kind is ErrInvalid, since
	// its parent would never be told. Releasing what this lease's holder has released or settled already does nothing.
	Release(ctx context.Context, lease Lease) error

	// Append adds entries to the log behind the entry after, and returns the number of the last one of them. Their Seq and
	// Time are the store's to set. Where the log already goes on with the very same entries, it does nothing; where it goes
	// on otherwise, that is ErrConflict. Entries of the kinds that steps write are ErrInvalid.
	Append(ctx context.Context, lease Lease, after int64, entries ...Entry) (last int64, err error)

	// Send puts a message on its way. A message whose id its recipient knows, and a second settlement of one Activation, are
	// not taken again, which is no error. The recipient need not be resident; ErrUnknown says that there is none. Where the
	// message says its author's Activation, and the author is not resident in it, that is ErrFenced: nobody hears from a
	// residency after its end.
	Send(ctx context.Context, m Message) error

	// Claim moves messages from the inbox into the log, behind the entry after, one entry each: one step. It returns them
	// in their order, and the last entry's number. Where the log already goes on with claimed messages and ends with them,
	// it returns those and moves nothing; where it goes on otherwise, that is ErrConflict.
	Claim(ctx context.Context, lease Lease, after int64, at Boundary) (messages []Message, last int64, err error)

	// Park parks every message that waits, quiet ones too, and returns how many are parked now.
	Park(ctx context.Context, lease Lease) (int, error)

	// Drive says whether a turn is in progress, for listings elsewhere. It is not, when a residency begins.
	Drive(ctx context.Context, lease Lease, driving bool) error

	// Interrupt asks whoever holds a conversation's lease to stop the turn that was in progress when the log ended with the
	// entry upTo. The request is noted with the residency, and ends with it; of several, the highest entry counts. Where the
	// conversation is not resident in that Activation, there is nothing to stop, and nothing happens. An entry that the log
	// has not is ErrConflict: a turn that is to come cannot be stopped.
	Interrupt(ctx context.Context, id ID, activation, upTo int64) error

	// Settle ends the residency: it appends the settlement to the log, puts the notice on its way and releases the lease,
	// in one step. It is refused with a *BusyError while something keeps the conversation: then the residency goes on.
	// Where the log already goes on with this very settlement, it does nothing. The Activation is the lease's; a notice is a
	// settlement from the conversation to its parent.
	Settle(ctx context.Context, lease Lease, after int64, s Settlement) error

	// Pending says what keeps a conversation from settling now.
	Pending(ctx context.Context, id ID) (Pending, error)

	// Get returns one conversation of the index.
	Get(ctx context.Context, id ID) (Conversation, error)

	// Children lists the children of a conversation in the order in which they were created, at most limit of them (0: all),
	// behind the child after (empty: from the first; it may have been deleted since). The children of the empty id are the
	// roots. Descendants go by [Walk].
	Children(ctx context.Context, parent, after ID, limit int) ([]Conversation, error)

	// Residents lists the resident conversations below a conversation, itself left out, in no order; below the empty id are
	// all.
	Residents(ctx context.Context, below ID) ([]Conversation, error)

	// Log reads at most limit entries of a log (0: all), behind the entry after. A damaged entry ends it with ErrDamaged, and
	// with the entries before it.
	Log(ctx context.Context, id ID, after int64, limit int) ([]Entry, error)

	// Waiting lists what is on its way to a conversation, in the order in which it will be claimed.
	Waiting(ctx context.Context, id ID) ([]Message, error)

	// Heartbeat says that a process lives. A process is first heard of by its first heartbeat or lease.
	Heartbeat(ctx context.Context, process string) error

	// Dead lists the leases whose process has not been heard of for longer than bound, leaves before their parents.
	Dead(ctx context.Context, bound time.Duration) ([]Lease, error)

	// Lose ends the residency of a dead holder as Settle does, whatever keeps it, and behind whatever the log holds. It
	// compares the lease's token and takes the lease at once, so that of several processes that try, one wins; the others,
	// and whoever tries again, get ErrFenced.
	Lose(ctx context.Context, dead Lease, s Settlement) error

	// Watch calls changed for each conversation to which something was sent, which is to be interrupted, or whose child ended
	// its residency, by any process that shares the store, within a bound that is the store's. It may call for more than that. Calls come one at a
	// time, from a goroutine of the store's; changed must not block. stop ends it; no call follows once stop has returned, so
	// changed must not wait for it.
	Watch(changed func(ID)) (stop func())

	// Delete removes a conversation with its descendants, their logs and what is on its way to them. It is refused with a
	// *ResidentError while one of them is resident. Deleting what was deleted does nothing.
	Delete(ctx context.Context, id ID) error

	// Close releases what the store holds. Leases stay: a process that ends is found dead, unless it released them. Every
	// step after it is ErrClosed.
	Close() error
}
