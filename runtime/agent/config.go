package agent

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// Config is what an agent is made of.
type Config struct {
	Store        store.Store
	Conversation store.Conversation // the store's entry
	Lease        store.Lease        // the right to run it, just given

	Model     Model
	ModelName string // what [Request.Model] says
	View      *View
	// History is what was read of the log by [Load], or nil. The agent reads on from there, and has it for its own.
	History *History
	// Before is what the conversation starts with that is not its own: a child's copy of its parent's messages.
	Before []Message

	// Stay makes the agent resident until its context ends, as a root that a person talks to. Without it, it settles as
	// soon as nothing keeps it.
	Stay bool

	// Notice gives what the parent is told of the end, or nil. It may be called more than once: a settlement is refused
	// while a message waits.
	Notice func(End) *store.Message
	// Output gives what is kept as the text of the end; without it, it is the last message.
	Output func(End) string
	// Restore gives the result of a call that had started a child when the process died; ok is false where the call gets the
	// error that every other call gets.
	Restore func(ctx context.Context, child store.ID) (text string, isError, ok bool)

	Settings Settings
	Observer *Observer
}

// Settings bound what an agent does. The zero value of each is its default.
type Settings struct {
	// MaxSteps is how many calls of the model a turn may take. Without it, it is [DefaultMaxSteps]; negative is no limit.
	MaxSteps int
	// Stall is for how long nothing may happen in a turn: no piece of an answer, no result of a call, no child that a call
	// waits for. Then the turn fails. Without it, it is [DefaultStall]; negative is no limit.
	Stall time.Duration
	// Grace is for how long a model may go on after its context has ended. Then the turn goes on without it. Without it, it
	// is [DefaultGrace].
	Grace time.Duration
	// Patience is for how long a step of a turn is tried again that the store fails to take. Then the turn fails. Without
	// it, it is [DefaultPatience].
	Patience time.Duration
	// TogetherBytes bounds what a model is shown of reports and notices that came at once, be they of any number of children: the
	// longest are cut to one length. It leaves 512 bytes of each. The log has all of them. Without it, it is [DefaultTogetherBytes];
	// negative is no limit.
	TogetherBytes int
}

// The defaults of [Settings].
const (
	DefaultMaxSteps = 500
	DefaultStall    = 10 * time.Minute
	DefaultGrace    = time.Second
	DefaultPatience = 10 * time.Second

	DefaultTogetherBytes = 256 << 10
)

func (s Settings) resolved() Settings {
	s.MaxSteps = cmp.Or(s.MaxSteps, DefaultMaxSteps)
	s.Stall = cmp.Or(s.Stall, DefaultStall)
	s.Grace = cmp.Or(s.Grace, DefaultGrace)
	s.Patience = cmp.Or(s.Patience, DefaultPatience)
	s.TogetherBytes = cmp.Or(s.TogetherBytes, DefaultTogetherBytes)
	return s
}

// View is what a model is shown beside the conversation, and how its calls are run. Agents that are shown the same share it.
type View struct {
	scope    *tool.Scope
	system   string
	tools    []tool.Definition
	dispatch []tool.DispatchOption
}

// NewView returns the view of a scope with sections of the host's own. All sections are in one order. The options are for
// the dispatcher that each agent has.
func NewView(scope *tool.Scope, host []tool.PromptSection, dispatch ...tool.DispatchOption) *View {
	sections := append(slices.Clone(host), scope.Sections()...)
	slices.SortStableFunc(sections, func(a, b tool.PromptSection) int { return cmp.Compare(a.Order, b.Order) })
	texts := make([]string, len(sections))
	for i, s := range sections {
		texts[i] = s.Text
	}
	return &View{scope: scope, system: strings.Join(texts, "\n\n"), tools: scope.Tools(), dispatch: dispatch}
}

// System returns the system prompt.
func (v *View) System() string { return v.system }

// Scope returns the scope.
func (v *View) Scope() *tool.Scope { return v.scope }
