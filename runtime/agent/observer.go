package agent

import "github.com/toolgen-dev/toolgen/runtime/tool"

// Observer is told what happens, for front ends and logs. Each function may be nil. They are called as it happens, on the
// goroutines of the agents, several at once for several agents; they must not block, and must not call the agent back.
// What they are told is theirs to read and not to change.
type Observer struct {
	// TurnBegan: these messages were claimed, and begin a turn.
	TurnBegan func(Identity, []Message)
	// Joined: these messages were claimed, and join the turn that runs.
	Joined func(Identity, []Message)
	// Delta: a piece of the model's answer. An answer that fails half way is not taken back.
	Delta func(Identity, Delta)
	// Answered: the model's whole answer, before its calls are carried out.
	Answered func(Identity, Message)
	// Calling: a call begins. Called: it has its result. Called may come without Calling, where a call was refused.
	Calling func(Identity, tool.Call)
	Called  func(Identity, tool.CallResult)
	// TurnEnded: the turn is over, and its end is in the log.
	TurnEnded func(Identity, TurnEnd)
	// Rested: nothing is to be done; the agent is resident between turns.
	Rested func(Identity)
	// Started: an agent has become resident, by a call of another one (resumed is false), or by a message (true).
	Started func(agent Identity, resumed bool)
	// Settled: an agent's residency has ended, and its parent's notice is on its way where it gets one.
	Settled func(Identity, End)
	// Problem: something went wrong that is in nobody's result: a store that does not answer, a handler that was abandoned.
	Problem func(Identity, error)
}

func (o *Observer) turnBegan(id Identity, m []Message) {
	if o != nil && o.TurnBegan != nil {
		o.TurnBegan(id, m)
	}
}

func (o *Observer) joined(id Identity, m []Message) {
	if o != nil && o.Joined != nil {
		o.Joined(id, m)
	}
}

func (o *Observer) delta(id Identity, d Delta) {
	if o != nil && o.Delta != nil {
		o.Delta(id, d)
	}
}

func (o *Observer) answered(id Identity, m Message) {
	if o != nil && o.Answered != nil {
		o.Answered(id, m)
	}
}

func (o *Observer) calling(id Identity, c tool.Call) {
	if o != nil && o.Calling != nil {
		o.Calling(id, c)
	}
}

func (o *Observer) called(id Identity, r tool.CallResult) {
	if o != nil && o.Called != nil {
		o.Called(id, r)
	}
}

func (o *Observer) turnEnded(id Identity, e TurnEnd) {
	if o != nil && o.TurnEnded != nil {
		o.TurnEnded(id, e)
	}
}

func (o *Observer) rested(id Identity) {
	if o != nil && o.Rested != nil {
		o.Rested(id)
	}
}

func (o *Observer) settled(id Identity, e End) {
	if o != nil && o.Settled != nil {
		o.Settled(id, e)
	}
}

func (o *Observer) problem(id Identity, err error) {
	if o != nil && o.Problem != nil {
		o.Problem(id, err)
	}
}
