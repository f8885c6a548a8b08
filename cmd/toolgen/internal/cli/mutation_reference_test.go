package cli

// referenceMutations are declarations and references that no longer agree: something was renamed, dropped, hidden or
// misspelt.
func referenceMutations() []mutation {
	return []mutation{
		// Renamed in the declaration, not in the texts.
		{"tool renamed",
			sub(jobsCue, "tools: job_output:", "tools: read_job:"),
			finds("ref-unknown", subagentCue, "Collect the answer with `\\(‸tools.job_output.name)").finds("ref-unknown", subagentCue, "needs: [‸tools.job_output").
				spurious("cue-invalid", "needs-unknown")},
		{"tool renamed that many texts name",
			sub(controlCue, "tools: send_message:", "tools: message_agent:"),
			finds("ref-unknown", controlCue, "`\\(‸tools.send_message.name)` starts the next").
				finds("ref-unknown", controlCue, "the answer of `\\(‸tools.send_message.name)").
				finds("ref-unknown", controlCue, "`\\(‸tools.send_message.name)` starts its").
				finds("ref-unknown", subagentCue, "‸tools.send_message.name")},
		{"tool renamed that a prompt file names",
			each(sub(controlCue, "tools: report:", "tools: tell_parent:"), sub(reporting, "report with `{{report}}`", "report with it")),
			finds("ref-unknown", reporting, "Reporting with `‸{{report}}`")},
		{"parameter renamed",
			sub(jobsCue, "wait: {", "block: {"),
			finds("ref-unknown", jobsCue, "With `\\(‸params.wait.name)")},
		{"parameter renamed that a prompt file names",
			each(subEach(subagentCue, 6, "params.run_in_background.", "params.in_background."), sub(subagentCue, "fixed: run_in_background", "fixed: in_background"),
				sub(subagentCue, "run_in_background: {", "in_background: {")),
			finds("ref-unknown", delegation, "- `‸{{subagent.run_in_background}}` defaults").says("in_background").
				finds("ref-unknown", delegation, "‸{{subagent.run_in_background.default}}").
				finds("ref-unknown", delegation, "with `‸{{subagent.run_in_background}}` set").spurious("default-claim")},
		{"parameter renamed in two conditions",
			sub(subagentCue, "prompt: {", "task: {"),
			finds("ref-unknown", subagentCue, "knows only what `\\(‸params.prompt.name)").
				finds("ref-unknown", subagentCue, "goes on from there with `\\(‸params.prompt.name)")},
		{"enum word renamed",
			sub(enumsCue, "idle: doc:", "resting: doc:"),
			finds("ref-unknown", controlCue, "‸enums.agent_status.values.idle.word").finds("enum-from", enumsCue, "value: ‸\"idle\"").
				spurious("cue-invalid")},
		{"enum word dropped",
			drop(enumsCue, "ready: doc:"),
			finds("ref-unknown", controlCue, "‸enums.agent_status.values.ready.word").finds("enum-from", enumsCue, "value: ‸\"ready\"").
				spurious("cue-invalid")},
		{"enum renamed",
			sub(enumsCue, "enums: agent_problem:", "enums: read_problem:"),
			finds("ref-unknown", controlCue, "‸enums.agent_problem.type")},
		{"file of tools emptied",
			rewrite(jobsCue, "package agents\n"),
			finds("ref-unknown", subagentCue, "Collect the answer with `\\(‸tools.job_output").finds("ref-unknown", subagentCue, "needs: [‸tools.job_output").
				times(6, "ref-unknown").spurious("cue-invalid", "needs-unknown")},

		// Misspelt.
		{"reference to a tool misspelt",
			sub(controlCue, "the answer of `\\(tools.send_message", "the answer of `\\(tools.send_mesage"),
			finds("ref-unknown", controlCue, "‸tools.send_mesage.name").says("send_message")},
		{"reference to a parameter misspelt",
			sub(jobsCue, "params.wait.name", "params.wiat.name"),
			finds("ref-unknown", jobsCue, "‸params.wiat.name").says("wait")},
		{"reference to an enum misspelt",
			sub(controlCue, "enums.agent_status.values.idle.word", "enums.agent_staus.values.idle.word"),
			finds("ref-unknown", controlCue, "‸enums.agent_staus.values.idle").says("agent_status")},
		{"reference to a word misspelt",
			sub(controlCue, "values.running.word", "values.runing.word"),
			finds("ref-unknown", controlCue, "‸enums.agent_status.values.runing.word").says("running")},
		{"reference in a prompt misspelt: tool",
			sub(delegation, "with `{{subagent}}`", "with `{{subagnt}}`"),
			finds("ref-unknown", delegation, "‸{{subagnt}}").says("subagent")},
		{"reference in a prompt misspelt: parameter",
			sub(delegation, "with `{{subagent.run_in_background}}` set", "with `{{subagent.run_in_backgruond}}` set"),
			finds("ref-unknown", delegation, "‸{{subagent.run_in_backgruond}}").says("run_in_background")},
		{"reference in a prompt misspelt: default",
			sub(delegation, "run_in_background.default", "run_in_background.defualt"),
			finds("prompt-syntax", delegation, "‸{{subagent.run_in_background.defualt}}")},
		{"needed tool misspelt",
			sub(subagentCue, "needs: [tools.job_output.name,", "needs: [tools.job_ouput.name,"),
			finds("ref-unknown", subagentCue, "‸tools.job_ouput.name").says("job_output").spurious("cue-invalid", "needs-unknown")},
		{"needed tool written as text",
			sub(subagentCue, "needs: [tools.job_output.name,", "needs: [\"job_ouput\","),
			finds("needs-unknown", subagentCue, "needs: [").says("job_ouput", "tools.T.name")},
		{"type of a field misspelt",
			sub(noticesCue, "enums.run_outcome.type", "enums.run_outcom.type"),
			finds("ref-unknown", noticesCue, "‸enums.run_outcom.type").says("run_outcome")},

		// There, but not here.
		{"section under the opposite condition",
			sub(subagentCue, "if detached {\n\t\tsections", "if !background {\n\t\tsections"),
			finds("ref-absent", delegation, "- `‸{{subagent.run_in_background}}` defaults").
				finds("ref-absent", delegation, "‸{{subagent.run_in_background.default}}").
				finds("ref-absent", delegation, "with `‸{{subagent.run_in_background}}` set").spurious("default-claim")},
		{"section without its condition",
			sub(subagentCue, "if detached {\n\t\tsections", "if true {\n\t\tsections"),
			finds("ref-absent", delegation, "- `‸{{subagent.run_in_background}}` defaults").
				finds("ref-absent", delegation, "‸{{subagent.run_in_background.default}}").
				finds("ref-absent", delegation, "with `‸{{subagent.run_in_background}}` set").spurious("default-claim")},
		{"word of an enum that no tool uses any more",
			sub(controlCue, "type: enums.agent_status.type", "type: string"),
			finds("ref-absent", controlCue, "enums.agent_status.values.running").
				finds("ref-absent", controlCue, "enums.agent_status.values.idle").
				finds("ref-absent", controlCue, "enums.agent_status.values.ready")},
		{"word of an enum that only a notice uses",
			sub(controlCue, "turn:  \"Reporting", "turn:  \"No run is `\\(enums.run_outcome.values.lost.word)`. Reporting"),
			finds("ref-absent", controlCue, "enums.run_outcome")},
		{"parameter of another tool's other variant",
			each(sub(subagentCue, "*true | false\n", "true | *false\n"),
				sub(controlCue, "Stops the current turn of a subagent.\"", "Stops a turn, also with `\\(tools.subagent.params.run_in_background.name)`.\"")),
			finds("ref-absent", controlCue, "‸tools.subagent.params")},

		// Where it may not be.
		{"doc of a parameter names another tool",
			sub(controlCue, "The durable id of a subagent that you started.\"", "An id that `\\(tools.list_agents.name)` gave.\""),
			finds("ref-foreign", controlCue, "that `\\(tools.list_agents.name)` gave")},
		{"doc of a parameter uses another tool's word",
			sub(controlCue, "The durable id of a subagent that you started.\"", "The id of one that is `\\(enums.agent_status.values.ready.word)`.\""),
			finds("ref-foreign", controlCue, "of one that is `\\(enums.agent_status")},
		{"result names a tool",
			sub(subagentCue, "ends; collect its output.\"", "ends; use \\(tools.job_output.name).\""),
			finds("result-tool", subagentCue, "use \\(tools.job_output.name)")},
		{"doc of a result's field names a tool",
			sub(jobsCue, "The job's status now.", "The job's status, as \\(tools.job_list.name) shows it."),
			finds("result-tool", jobsCue, "as \\(tools.job_list.name) shows")},
		{"notice names a tool",
			sub(noticesCue, "It left no message.", "It left no message; ask by \\(tools.send_message.name)."),
			finds("result-tool", noticesCue, "render: ‸\"\"\"\n\t\tSubagent")},
		{"doc of an enum's word names a tool",
			sub(enumsCue, "The job ended with output.", "The job ended; \\(tools.job_output.name) gives its output."),
			finds("ref-foreign", enumsCue, "tools.job_output.name")},
		{"text states another tool's default",
			sub(controlCue, "Stops the current turn of a subagent.\"", "Stops a turn (\\(tools.job_output.params.wait.default)).\""),
			finds("text-default", controlCue, "‸tools.job_output.params.wait.default")},
		{"text reads another tool's text",
			sub(jobsCue, "Lists the background jobs that you started,", "\\(tools.job_output.title), or list the background jobs,"),
			finds("text-reference", jobsCue, "tools.job_output.title")},
		{"text reads a setting of the runtime",
			sub(subagentCue, "answers you in text.", "answers you in text, \\(options.maxDepth) deep."),
			finds("open-option", subagentCue, "‸options.maxDepth) deep")},
	}
}
