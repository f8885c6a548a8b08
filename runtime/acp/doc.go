// Package acp serves agents to an editor: it is an agent of the Agent Client Protocol, version 1, over a pair of streams.
//
//	err := acp.Serve(ctx, acp.Config{Store: s, Agents: agents, Log: log}, os.Stdin, os.Stdout)
//
// A session is a root conversation in the store, and its id is the conversation's. Each session has a [subagent.Service] of its
// own, which Config.Agents makes: so the tools of a session know its folder, whom to ask for permission, and no other session.
//
// # Turns
//
// A prompt is answered when its turn has ended. Prompts that come while a turn runs wait, in order. The protocol knows no turn
// that the agent begins; where a notice of a subagent wakes the root, the turn's updates are sent between the notifications
// `_toolgen/turn_began` and `_toolgen/turn_ended`. What a subagent does is shown as a tool call of its own, from its start to its
// settlement, and the calls that it makes are tool calls beside it; what the root is told by notices and reports is the
// notification `_toolgen/notices`. docs/acp.md has all of them.
//
// To cancel ends the turn, and every prompt that waits, with the stop reason `cancelled`. What waited stays in the conversation:
// the model sees it before the next prompt. Subagents run on.
//
// # The wire
//
// Lines are handled in the order in which they come, and what is told about one session is sent in the order in which it happens;
// the SDK's own connection begins a goroutine for each request, and loses both. Types, their decoding and their checks are the
// SDK's. Whatever a client sends gets an answer, and none ends the connection: no JSON, a batch, a line that is too long, a method
// that is unknown. What is on its way to a client that does not read is bounded; when the bound is reached, the agents wait.
//
// When the input ends, or nobody reads the output any more, everything is stopped and stored before [Serve] returns.
package acp
