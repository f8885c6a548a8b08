package cli

// reachMutations are declarations that nothing brings, and texts that are too long.
func reachMutations() []mutation {
	// Text that stands in no variant.
	clause := func(condition string) edit {
		return before(subagentCue, "clauses: {…purpose:", "if "+condition+" {never: \"Never said.\"}\n\t\t")
	}
	top := func(line string) edit { return after(subagentCue, "tools: subagent…let collected", "\t"+line) }
	budgets := func(b string) edit {
		return after(enumsCue, "notices: toolspec.#Notices", "budgets: toolspec.#Budgets & {"+b+"}")
	}
	return []mutation{
		{"clause under two values of one option",
			clause("options.backgroundMode == \"one-shot\" && options.backgroundMode == \"continuable\""),
			finds("clause-unreachable", subagentCue, "never: \"Never")},
		{"clause under a condition and its opposite",
			clause("detached && !background"),
			finds("clause-unreachable", subagentCue, "never: \"Never")},
		{"clause that nothing brings, and a name by hand elsewhere: both at once",
			each(clause("false"), behind(jobsCue, "tools: job_kill…purpose: \"", "Unlike `job_list`, this acts. ")),
			finds("clause-unreachable", subagentCue, "never: \"Never").finds("name-literal", jobsCue, "Unlike `‸job_list`")},
		{"clause of a tool without options",
			behind(controlCue, "tools: interrupt_agent…clauses: {", "\n\t\tif false {never: \"Never said.\"}"),
			finds("clause-unreachable", controlCue, "never: \"Never")},
		{"clause under a combination that is rejected",
			each(top("if collected && options.history == \"inherited\" {clauses: error(\"a job cannot inherit\")}"), clause("collected && options.history == \"inherited\"")),
			finds("clause-unreachable", subagentCue, "never: \"Never")},
		{"section in no variant",
			top("if detached && collected {sections: never: {order: 117, text: \"Never said.\"}}"),
			finds("clause-unreachable", subagentCue, "sections: never:")},
		{"section's condition flipped to none",
			sub(subagentCue, "if detached {\n\t\tsections", "if detached && !background {\n\t\tsections"),
			finds("clause-unreachable", subagentCue, "sections: delegation")},
		{"parameter in no variant",
			top("if detached && collected {params: never: {type: string, doc: \"Never taken.\"}}"),
			finds("clause-unreachable", subagentCue, "params: never:")},
		{"result in no variant",
			top("if detached && collected {results: never: render: \"Never said.\"}"),
			finds("clause-unreachable", subagentCue, "results: never:")},

		{"descriptions over their budget",
			budgets("description: 300"),
			finds("budget", controlCue, "tools: list_agents…clauses: {\n\t\t‸purpose").others()},
		{"doc over its budget",
			each(budgets("doc: 300"), behind(jobsCue, "tools: job_kill…job_id: {type: string, doc: \"", long+" ")),
			finds("budget", jobsCue, "tools: job_kill…‸job_id: {")},
		{"section over its budget",
			each(budgets("section: 1000"), add(reporting, "- "+long+"\n- "+long+"\n- "+long)),
			finds("budget", controlCue, "sections: ‸reporting")},
		{"tool over its budget",
			each(budgets("tool: 2000"), behind(jobsCue, "tools: job_kill…purpose: \"", long+long+long+long+long+long+long+long+long+long+" ")),
			finds("budget", jobsCue, "tools: ‸job_kill")},
	}
}
