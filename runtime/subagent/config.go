package subagent

import (
	"cmp"
	"time"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// Config is a deployment of agents.
type Config struct {
	Store store.Store
	// Tools are the deployment's own tools. [New] mounts those of agents beside them.
	Tools *tool.Registry
	// Models gives the model of a name; the empty name is the default. It is asked when an agent becomes resident.
	Models func(name string) (agent.Model, error)

	// Delegations are the ways to start a child: a tool for each.
	Delegations []Delegation
	// Report are the options of `report`, which continuable children have.
	Report agents.ReportOptions

	Limits   Limits
	Settings agent.Settings
	// NoticeBytes bounds the text of a child in a notice or report: a longer one keeps its head and its tail. Without it, it is
	// [DefaultNoticeBytes].
	NoticeBytes int
	Dispatch    []tool.DispatchOption // for every agent's dispatcher
	Observer    *agent.Observer

	// Process names this run of the program in leases. It is never used again. Without it, it is random.
	Process string
	// NewID makes the id of a conversation, of which all but the id is known. One that is taken is not used: it is called
	// again. Models copy ids, so they should be short. Without it, they are random.
	NewID func(store.NewConversation) store.ID

	// Heartbeat is how often the service says that it lives, and looks for processes that do not. Without it, it is
	// [DefaultHeartbeat]; negative is never.
	Heartbeat time.Duration
	// DeadAfter is after how long without a heartbeat another process counts as dead. Without it, it is [DefaultDeadAfter].
	DeadAfter time.Duration
}

// The defaults of [Config].
const (
	DefaultNoticeBytes = 16 << 10
	DefaultHeartbeat   = 5 * time.Second
	DefaultDeadAfter   = 30 * time.Second
)

// Delegation is one way to start a child: a mount of the tool `subagent` with its options, and what its children are.
type Delegation struct {
	Options agents.SubagentOptions
	Name    string // the mounted name; empty is the contract's
	Primary bool   // the mount that other tools' texts speak of, where there are several

	// Persona is the system prompt of the children, in place of their parent's.
	Persona string
	// Model is the name of the children's model; empty is their parent's.
	Model string
	// Allow lets the children have these tools only, Deny hides tools from them, both by mounted name. A child never has a tool
	// that its parent has not, but for `report`, which no restriction removes.
	Allow, Deny []string
}

func (d Delegation) name() string { return cmp.Or(d.Name, "subagent") }

// continuable reports whether the delegation's background children are conversations that can be continued.
func (d Delegation) continuable() bool {
	o := d.Options.Resolved()
	return o.EnableRunInBackground == tool.On && o.BackgroundMode == agents.SubagentBackgroundModeContinuable
}

// jobs reports whether they are jobs.
func (d Delegation) jobs() bool {
	o := d.Options.Resolved()
	return o.EnableRunInBackground == tool.On && o.BackgroundMode == agents.SubagentBackgroundModeOneShot
}

// Limits bound how many agents are resident. What has settled holds no place. Zero is no limit.
type Limits struct {
	Children int // of one agent
	Total    int // below one root
}
