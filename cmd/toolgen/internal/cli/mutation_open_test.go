package cli

// openMutations are faults of which toolgen says something else than what helps.
func openMutations() []mutation {
	return []mutation{
		{"reference under the opposite condition",
			sub(subagentCue, "start: \"The call waits until", "start: \"`\\(params.run_in_background.name)` is gone: the call waits until"),
			finds("ref-absent", subagentCue, "‸params.run_in_background.name)` is gone").says("enableRunInBackground")},
		{"parameter under the opposite condition",
			sub(subagentCue, "if background {\n\t\t\trun_in_background", "if !background {\n\t\t\trun_in_background"),
			finds("ref-absent", subagentCue, "start: \"`\\(‸params.run_in_background.name)")},
		{"text computes with a name",
			each(sub(jobsCue, "package agents\n", "package agents\n\nimport \"strings\"\n"),
				sub(jobsCue, "With `\\(params.wait.name)`", "With `\\(strings.ToUpper(params.wait.name))`")),
			finds("text-computed", jobsCue, "strings.ToUpper")},
		{"field of a parameter misspelt",
			sub(jobsCue, "default: false", "defualt: false"),
			finds("field-unknown", jobsCue, "‸defualt").says("default")},
		{"condition of a doc flipped",
			sub(subagentCue, "if options.history == \"inherited\" {\n\t\t\t\tdoc:", "if options.history == \"fresh\" {\n\t\t\t\tdoc:"),
			finds("cue-invalid", subagentCue, "‸doc: \"The task, complete").finds("param-doc", subagentCue, "‸prompt: {")},
		{"mapping of a value that the fact does not have",
			sub(enumsCue, "{when: activity: \"inactive\"", "{when: activity: \"stopped\""),
			finds("enum-from", enumsCue, "\"stopped\"")},
		{"word of the service renamed",
			sub(enumsCue, "inactive: doc:", "stopped: doc:"),
			finds("enum-from", enumsCue, "\"inactive\"")},
		{"control of direction in a comment",
			sub(jobsCue, "// Lists the background jobs.", "// Lists the \u202ebackground jobs."),
			finds("hidden-unicode", jobsCue, "the ‸\u202ebackground")},
	}
}
