package agents

import (
	"slices"
	"strings"
)

// A pin says what one text of the shipped contracts must keep saying, whatever its wording: what it refers to, and the
// words that carry its meaning.
type pin struct {
	at    string   // what is pinned, as [place] names it
	when  []string // option=value: the text stands where all of them hold, and nowhere else; none: in every variant
	refs  []string // all that it refers to: tool, tool.parameter, enum:word; of a rendering .field
	words []string // what it must contain, in lower or upper case
}

// stands reports whether the text is there under a choice of the options.
func (p pin) stands(options map[string]string) bool {
	return !slices.ContainsFunc(p.when, func(w string) bool {
		option, value, _ := strings.Cut(w, "=")
		return options[option] != value
	})
}

var (
	detached   = []string{"backgroundMode=continuable", "enableRunInBackground=true"}
	collected  = []string{"backgroundMode=one-shot", "enableRunInBackground=true"}
	foreground = []string{"enableRunInBackground=false"}
	fresh      = []string{"history=fresh"}
	inherited  = []string{"history=inherited"}
)

// pins are the pins of each tool, and of the notices under no name.
var pins = map[string][]pin{
	"list_agents": {
		{at: "clause purpose", words: []string{"recalls", "started", "id, status and label"}},
		{at: "clause running", refs: []string{"agent_status:running"}, words: []string{"turn", "in progress"}},
		{at: "clause idle", refs: []string{"agent_status:idle"}, words: []string{"resident between turns", "may be waiting", "agents that it started"}},
		{at: "clause ready", refs: []string{"agent_status:ready"}, words: []string{"only", "durable conversation", "can be resumed", "no final state", "no result"}},
		{at: "clause resume", refs: []string{"send_message"}, words: []string{"starts the next turn", "same conversation", "any status"}},
		{at: "clause no_poll", words: []string{"do not poll", "told when", "finishes"}},
		{at: "clause race", refs: []string{"send_message"}, words: []string{"out of date", "only the result", "delivered"}},
		{at: "doc scope", words: []string{"`children`", "you started", "`descendants`", "defaults to children"}},
		{at: "result listing", refs: []string{".agents", ".id", ".status", ".label", ".parent", ".depth", ".problems", ".problem"},
			words: []string{"no subagents", " [] — ", "started by", "could not be read"}},
	},
	"send_message": {
		{at: "clause purpose", words: []string{"continuable", "that you started", "next turn", "same conversation"}},
		{at: "clause status", words: []string{"any status", "interrupts nothing", "after its current turn", "at once", "only the conversation remains", "resumed"}},
		{at: "clause answer", words: []string{"result", "authoritative", "delivery"}},
		{at: "clause error", words: []string{"unless it says otherwise", "error", "nothing was delivered", "no continuable subagent that you started"}},
		{at: "clause notice", words: []string{"does not wait", "settlement notice", "finishes"}},
		{at: "doc subagent_id", words: []string{"durable id", "you started"}},
		{at: "doc message", words: []string{"next"}},
		{at: "result delivered", refs: []string{".id"}, words: []string{"delivered", "started a turn"}},
		{at: "result queued", refs: []string{".id"}, words: []string{"queued", "after its current turn"}},
		{at: "result resumed", refs: []string{".id"}, words: []string{"resumed", "next turn", "conversation"}},
	},
	"interrupt_agent": {
		{at: "clause purpose", words: []string{"stops", "current turn"}},
		{at: "clause keeps", words: []string{"conversation stays", "subagents that it started", "run on"}},
		{at: "clause parked", words: []string{"kept", "no turn by themselves", "before the next message"}},
		{at: "clause notice", words: []string{"settlement notice", "still comes", "agent that started it"}},
		{at: "clause followup", refs: []string{"send_message"}, words: []string{"if you started it", "next turn"}},
		{at: "clause error", words: []string{"unless it says otherwise", "error", "nothing was stopped", "below you"}},
		{at: "doc agent_id", words: []string{"durable id", "that you", "below you"}},
		{at: "result interrupted", refs: []string{".id", ".parked"}, words: []string{"interrupted", "kept for its next turn"}},
		{at: "result not_running", refs: []string{".id"}, words: []string{"no turn in progress", "nothing was stopped"}},
	},
	"report": {
		{at: "clause purpose", words: []string{"report", "parent", "agent that started you"}},
		{at: "clause delivery", when: []string{"reportDelivery=next-step"}, words: []string{"parent", "at its next step"}},
		{at: "clause delivery", when: []string{"reportDelivery=quiet"}, words: []string{"parent", "next has something to do", "does not wake"}},
		{at: "clause turn", words: []string{"does not end your turn"}},
		{at: "clause error", words: []string{"fails", "may have arrived"}},
		{at: "doc output", words: []string{"complete in itself", "does not see your conversation"}},
		{at: "section reporting", refs: []string{"report"}, words: []string{"exactly one final report", "understood by itself",
			"does not see this conversation", "before that", "changes the parent's next action", "nothing else"}},
		{at: "result accepted", words: []string{"reported"}},
	},
	"job_output": {
		{at: "clause purpose", words: []string{"status", "output", "background job", "you started"}},
		{at: "clause waiting", refs: []string{"job_output.wait"}, words: []string{"set to true", "has ended"}},
		{at: "clause error", refs: []string{"job_status:failed"}, words: []string{"went wrong", "an error means", "no job with that id"}},
		{at: "doc job_id", words: []string{"id", "start of the job"}},
		{at: "doc wait", words: []string{"wait until", "has ended", "defaults to false"}},
		{at: "result output", refs: []string{".id", ".status", ".output"}, words: []string{" []"}},
	},
	"job_list": {
		{at: "description", words: []string{"background jobs", "you started", "ended ones", "id, status and label", "without output"}},
		{at: "result listing", refs: []string{".id", ".status", ".label"}, words: []string{" [] — "}},
		{at: "result listing, empty", words: []string{"no jobs"}},
	},
	"job_kill": {
		{at: "clause purpose", words: []string{"stops", "background job", "you started"}},
		{at: "clause ended", words: []string{"already ended", "keeps its output"}},
		{at: "clause error", words: []string{"unless it says otherwise", "error", "nothing was stopped", "no job with that id"}},
		{at: "doc job_id", words: []string{"id", "to stop"}},
		{at: "result stopped", refs: []string{".id", ".status"}, words: []string{" []"}},
	},
	"subagent": {
		{at: "clause purpose", words: []string{"starts a subagent", "separate agent", "one task", "answers you"}},
		{at: "clause history", when: fresh, refs: []string{"subagent.prompt"}, words: []string{"empty conversation", "only"}},
		{at: "clause history", when: inherited, refs: []string{"subagent.prompt"}, words: []string{"copy of this conversation", "followed by"}},
		{at: "clause start", when: detached, refs: []string{"subagent.run_in_background"},
			words: []string{"defaults to true", "durable id", "at once", "while you go on"}},
		{at: "clause notice", when: detached, words: []string{"finishes", "however it ends", "settlement notice", "outcome", "last message", "do not poll"}},
		{at: "clause followup", when: detached, refs: []string{"send_message"}, words: []string{"that id", "next turn", "same conversation", "after it has finished"}},
		{at: "clause foreground", when: detached, refs: []string{"subagent.run_in_background"},
			words: []string{"set to false", "foreground", "waits", "answer", "cannot be continued", "no notice"}},
		{at: "clause start", when: collected, refs: []string{"subagent.run_in_background"}, words: []string{"waits", "answer", "defaults to false"}},
		{at: "clause job", when: collected, refs: []string{"subagent.run_in_background"},
			words: []string{"set to true", "job id at once", "nothing tells you", "ends"}},
		{at: "clause collect", when: collected, refs: []string{"job_output", "job_list", "job_kill"},
			words: []string{"collect the answer", "lists", "stops"}},
		{at: "clause start", when: foreground, words: []string{"waits", "has finished", "answer"}},
		{at: "clause error", words: []string{"error", "not started", "no full answer"}},
		{at: "doc description", when: detached, words: []string{"label", "3–5 words", "notices"}},
		{at: "doc description", when: collected, words: []string{"label", "3–5 words", "jobs"}},
		{at: "doc description", when: foreground, words: []string{"label", "3–5 words", "people"}},
		{at: "doc prompt", when: fresh, words: []string{"task", "complete in itself", "facts", "what to answer"}},
		{at: "doc prompt", when: inherited, words: []string{"task", "conversation so far", "what to answer"}},
		{at: "doc run_in_background", when: detached,
			words: []string{"at once", "background", "defaults to true", "to false only when", "next action depends"}},
		{at: "doc run_in_background", when: collected,
			words: []string{"job id at once", "waiting", "defaults to false", "to true when", "other work", "collect"}},
		{at: "section delegation", when: detached, refs: []string{"subagent", "subagent.run_in_background"},
			words: []string{"not depend on each other", "together", "defaults to true", "go on with useful work", "end your turn",
				"settlement notices", "foreground", "to false", "only when your next action depends"}},
		{at: "result foreground", refs: []string{".output"}},
		{at: "result continuable", when: detached, refs: []string{".id", ".label"}, words: []string{"started subagent", "background", "settlement notice", "finishes"}},
		{at: "result job", when: collected, refs: []string{".id", ".label"}, words: []string{"started job", "nothing will tell you", "collect"}},
	},
	"": {
		{at: "notice settlement", refs: []string{".id", ".label", ".outcome", ".reason", ".failed_turns", ".parked", ".message"},
			words: []string{"settlement notice", "outcome: ", "turns that failed", "kept for its next turn", "its last message", "no message"}},
		{at: "notice report", refs: []string{".id", ".label", ".output"}, words: []string{"report", "before its settlement notice"}},
	},
}
