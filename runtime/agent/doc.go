// Package agent runs one conversation between a model and its tools, over a store that keeps it.
//
// The loop is small. Messages wait in the conversation's inbox. A claim takes some of them and begins a turn: a call of the
// model, then the calls that it asks for, through the dispatcher of the agent's scope, then the model again, until it
// answers without calls. Between two steps of a turn, what came into the inbox's lane for the next step joins it, the whole
// lane at once. After a turn comes the next claim; where nothing waits, the agent settles, or rests until it is woken.
//
//	view := agent.NewView(scope, sections)
//	a, err := agent.Open(ctx, agent.Config{Store: s, Conversation: c, Lease: lease, Model: model, View: view, Stay: true})
//	go a.Run(ctx)
//	err = s.Send(ctx, store.Message{ID: "1", To: c.ID, Kind: store.FromUser, Lane: store.Turn, Data: agent.Content{Text: "Hello"}.Encode()})
//	a.Wake()
//	err = a.Quiet(ctx)
//
// Package subagent does this for trees of agents; a program hardly ever does it by itself.
//
// # What lasts
//
// Everything is in the log before it is acted on: claimed messages with their claim, an answer before its calls are carried
// out, results before the model sees them, and the start of a child in the same step as the child. [Open] rebuilds a
// conversation from its log alone. After a crash a call that had started a child gets its result again, every other call
// without a result gets an error, and no call is carried out a second time. The data of each entry has a version.
//
// # How turns end
//
// A turn is completed where the model answered with a text. Failures, an answer that was cut off, a refusal and an
// interruption are outcomes of their own, never a completed turn; a final answer without a text has failed. A turn in which
// nothing happens for too long has failed as well, and so has one of too many steps: see [Settings]. A model or a handler
// that does not return when its context has ended is abandoned and counted.
//
// # Who says what
//
// Messages are typed by their [Author]. What another agent wrote is shown to the model in a frame that it cannot close or
// imitate: see [Message.UserText].
package agent
