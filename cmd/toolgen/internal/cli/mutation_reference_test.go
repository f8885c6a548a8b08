package cli

// referenceMutations are declarations and references that no longer agree: something was renamed, dropped, hidden or
// misspelt.
func referenceMutations() []mutation {
	const (
		unknown = "ref-unknown"
		absent  = "ref-absent"
		foreign = "ref-foreign"
		param   = "run_in_background"
	)
	return []mutation{
		// Renamed in the declaration, not in the texts.
		{"tool renamed",
			sub(jobsCue, "tools: job_output:", "tools: read_job:"),
			finds(unknown, subagentCue, "collect:…‸tools.job_output.name").finds(unknown, subagentCue, "needs: [‸tools.job_output.name").others()},
		{"tool renamed that many texts name",
			sub(controlCue, "tools: send_message:", "tools: message_agent:"),
			finds(unknown, controlCue, "tools: list_agents…resume:…‸tools.send_message.name").
				finds(unknown, controlCue, "tools: list_agents…race:…‸tools.send_message.name").
				finds(unknown, controlCue, "tools: interrupt_agent…followup:…‸tools.send_message.name").
				finds(unknown, subagentCue, "clauses:…followup:…‸tools.send_message.name").others()},
		{"tool renamed that a prompt file names",
			sub(controlCue, "tools: report:", "tools: tell_parent:"),
			finds(unknown, reporting, "…‸{{report}}").others()},
		{"parameter renamed",
			sub(jobsCue, "wait: {", "block: {"),
			finds(unknown, jobsCue, "waiting:…‸params.wait.name").others()},
		{"parameter renamed that a prompt file names",
			each(subAll(subagentCue, "params."+param+".", "params.in_background."), sub(subagentCue, "fixed: "+param, "fixed: in_background"),
				sub(subagentCue, param+": {", "in_background: {")),
			finds(unknown, delegation, "‸{{subagent."+param+".default}}").says("in_background").others()},
		{"parameter renamed in two conditions",
			sub(subagentCue, "prompt: {", "task: {"),
			finds(unknown, subagentCue, "clauses:…if options.history == \"fresh\"…‸params.prompt.name").
				finds(unknown, subagentCue, "clauses:…if options.history == \"inherited\"…‸params.prompt.name").others()},
		{"enum word renamed",
			sub(enumsCue, "idle: doc:", "resting: doc:"),
			finds(unknown, controlCue, "‸enums.agent_status.values.idle.word").finds("enum-from", enumsCue, "value: ‸\"idle\"")},
		{"enum word dropped",
			drop(enumsCue, "ready: doc:"),
			finds(unknown, controlCue, "‸enums.agent_status.values.ready.word").finds("enum-from", enumsCue, "value: ‸\"ready\"").
				finds("enum-retired", enumsCue, "retired: ‸complete")},
		{"enum renamed",
			sub(enumsCue, "enums: agent_problem:", "enums: read_problem:"),
			finds(unknown, controlCue, "‸enums.agent_problem.type")},
		{"file of tools emptied",
			rewrite(jobsCue, "package agents\n"),
			finds(unknown, subagentCue, "collect:…‸tools.job_output.name").finds(unknown, subagentCue, "collect:…‸tools.job_list.name").
				finds(unknown, subagentCue, "collect:…‸tools.job_kill.name").others()},

		// Misspelt.
		{"reference to a tool misspelt",
			sub(controlCue, "race:…tools.send_message.name", "tools.send_mesage.name"),
			finds(unknown, controlCue, "‸tools.send_mesage.name").says("send_message")},
		{"reference to a parameter misspelt",
			sub(jobsCue, "waiting:…params.wait.name", "params.wiat.name"),
			finds(unknown, jobsCue, "‸params.wiat.name").says("wait")},
		{"reference to an enum misspelt",
			sub(controlCue, "idle:…enums.agent_status", "enums.agent_staus"),
			finds(unknown, controlCue, "‸enums.agent_staus").says("agent_status")},
		{"reference to a word misspelt",
			sub(controlCue, "values.running.word", "values.runing.word"),
			finds(unknown, controlCue, "‸enums.agent_status.values.runing.word").says("running")},
		{"reference in a prompt misspelt: tool",
			sub(delegation, "…{{subagent}}", "{{subagnt}}"),
			finds(unknown, delegation, "‸{{subagnt}}").says("subagent")},
		{"reference in a prompt misspelt: parameter",
			sub(delegation, "{{subagent."+param+".default}}…{{subagent."+param+"}}", "{{subagent.run_in_backgruond}}"),
			finds(unknown, delegation, "‸{{subagent.run_in_backgruond}}").says(param)},
		{"reference in a prompt misspelt: default",
			sub(delegation, param+".default", param+".defualt"),
			finds("prompt-syntax", delegation, "‸{{subagent."+param+".defualt}}")},
		{"needed tool misspelt",
			sub(subagentCue, "needs: [tools.job_output.name", "needs: [tools.job_ouput.name"),
			finds(unknown, subagentCue, "‸tools.job_ouput.name").says("job_output")},
		{"needed tool written as text",
			sub(subagentCue, "needs: [tools.job_output.name", "needs: [\"job_ouput\""),
			finds("needs-unknown", subagentCue, "needs: [").says("job_ouput", "tools.T.name")},
		{"type of a field misspelt",
			sub(noticesCue, "enums.run_outcome.type", "enums.run_outcom.type"),
			finds(unknown, noticesCue, "‸enums.run_outcom.type").says("run_outcome")},

		// There, but not here.
		{"section under the opposite condition",
			sub(subagentCue, "if detached {\n\t\tsections", "if !background {\n\t\tsections"),
			finds(absent, delegation, "‸{{subagent."+param+".default}}").says("enableRunInBackground").others()},
		{"section without its condition",
			sub(subagentCue, "if detached {\n\t\tsections", "if true {\n\t\tsections"),
			finds(absent, delegation, "‸{{subagent."+param+".default}}").says("enableRunInBackground").others()},
		{"words of an enum that no tool uses any more",
			sub(controlCue, "type: enums.agent_status.type", "type: string"),
			finds(absent, controlCue, "enums.agent_status.values.running").
				finds(absent, controlCue, "enums.agent_status.values.idle").
				finds(absent, controlCue, "enums.agent_status.values.ready")},
		{"word of an enum that only a notice uses",
			behind(controlCue, "tools: report…turn:…\"", "No run is `\\(enums.run_outcome.values.lost.word)`. "),
			finds(absent, controlCue, "enums.run_outcome")},
		{"parameter of another tool's other variant",
			each(sub(subagentCue, "enableRunInBackground: *true | false", "enableRunInBackground: true | *false"),
				behind(controlCue, "tools: interrupt_agent…purpose:…\"", "As with `\\(tools.subagent.params."+param+".name)`. ")),
			finds(absent, controlCue, "‸tools.subagent.params")},
		{"reference under the opposite condition",
			behind(subagentCue, "if !background {\n\t\t\tstart: \"", "No `\\(params.run_in_background.name)` here. "),
			finds(absent, subagentCue, "No `\\(‸params.run_in_background.name)").says("enableRunInBackground")},
		{"parameter under the opposite condition",
			sub(subagentCue, "if background {\n\t\t\trun_in_background", "if !background {\n\t\t\trun_in_background"),
			finds(absent, subagentCue, "if detached {\n\t\t\tstart:…‸params.run_in_background.name").says("enableRunInBackground").
				finds("param-doc", subagentCue, "‸run_in_background: {").others()},

		// Where it may not be.
		{"doc of a parameter names another tool",
			behind(controlCue, "subagent_id: {type: string, doc: \"", "An id that `\\(tools.list_agents.name)` gave. "),
			finds(foreign, controlCue, "tools.list_agents.name")},
		{"doc of a parameter uses another tool's word",
			behind(controlCue, "subagent_id: {type: string, doc: \"", "The id of one that is `\\(enums.job_status.values.killed.word)`. "),
			finds(foreign, controlCue, "enums.job_status")},
		{"result names a tool",
			behind(subagentCue, "job: {…render: \"", "See \\(tools.interrupt_agent.name). "),
			finds("result-tool", subagentCue, "tools.interrupt_agent.name")},
		{"doc of a result's field names a tool",
			behind(jobsCue, "tools: job_kill…status: {…doc: \"", "As \\(tools.job_list.name) shows it. "),
			finds("result-tool", jobsCue, "tools.job_list.name")},
		{"notice names a tool",
			behind(noticesCue, "notices: settlement…render: \"\"\"\n\t\t", "Ask by \\(tools.send_message.name). "),
			finds("result-tool", noticesCue, "notices: settlement…render: ‸\"\"\"")},
		{"doc of an enum's word names a tool",
			behind(enumsCue, "enums: job_status…completed: doc: \"", "Ask by \\(tools.job_output.name). "),
			finds(foreign, enumsCue, "tools.job_output.name")},
		{"text computes with a name",
			each(sub(jobsCue, "package agents\n", "package agents\n\nimport \"strings\"\n"),
				sub(jobsCue, "waiting:…params.wait.name", "strings.ToUpper(params.wait.name)")),
			finds("text-computed", jobsCue, "strings.ToUpper")},
		{"text states another tool's default",
			behind(controlCue, "tools: interrupt_agent…purpose:…\"", "(\\(tools.job_output.params.wait.default)) "),
			finds("text-default", controlCue, "‸tools.job_output.params.wait.default")},
		{"text reads another tool's text",
			behind(jobsCue, "tools: job_list…description: \"", "\\(tools.job_output.title). "),
			finds("text-reference", jobsCue, "tools.job_output.title")},
		{"text reads a setting of the runtime",
			behind(subagentCue, "clauses: {…purpose: \"", "\\(options.maxDepth) deep. "),
			finds("open-option", subagentCue, "‸options.maxDepth) deep")},
	}
}
