// Package scripted is a model that plays answers from a file: for examples without a key, and for tests.
//
// A script is a text with a section for each agent, and in a section one block of lines for each call of the model, in order.
// Blocks are separated by empty lines. This is all of a conversation in which a root delegates, ends its turn, and answers
// when it is told that the child has finished:
//
//	What stands before the first section is a comment.
//
//	-- root --
//	expect user How long is the log?
//	call subagent {"description": "measure the log", "prompt": "Count the lines of app.log."}
//
//	expect result Started subagent
//	say I have asked.
//
//	expect settlement completed
//	say It has 312 lines.
//
//	-- label: measure the log --
//	say 312
//
// A section is for the agents that its name fits, and each of them plays it from the beginning. The first section that fits
// counts. `root` is the root, `label: L` every agent of that label, `id: I` the conversation of that id, `depth: N` every agent
// at that depth (0 is the root), and `any` is every agent.
//
// A block says what has to be there, and what the model answers. What has to be there:
//
//	expect AUTHOR TEXT    since its last answer the agent got a message of this author that has the text in it: user, result,
//	                      coordinator, report or settlement; without a text, any
//	refuse AUTHOR TEXT    it got none
//	tools NAME...         these tools are offered
//	no-tools NAME...      these are not
//	prompt TEXT           the system prompt has the text in it
//	no-prompt TEXT        it has not
//	let NAME REGEXP       the first group, found in those messages, is what ${NAME} stands for from here on
//
// What the model does, in this order where it stands so:
//
//	hold FENCE            waits until the fence is open
//	release FENCE         opens it
//	think TEXT            streams a thought
//	say TEXT              streams an answer
//	call NAME JSON        calls a tool
//	usage INPUT OUTPUT    counts tokens
//	stop REASON           stops for a reason other than its own: token_limit or refused
//	fail TEXT             fails, as a provider does
//	stall                 does nothing until the turn is ended
//
// Lines that begin with a blank go on with the line before. Within `say`, `call` and `fail`, ${NAME} is what `let` has found.
//
// A request that the script does not expect is an error: the turn fails, and [Script.Finish] tells of it. It also tells of
// blocks that nobody has played.
package scripted
