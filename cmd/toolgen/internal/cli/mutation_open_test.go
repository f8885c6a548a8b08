package cli

// openMutations are faults of which toolgen says something else than what helps.
func openMutations() []mutation {
	return []mutation{
		{"reference under the opposite condition",
			behind(subagentCue, "if !background {\n\t\t\tstart: \"", "No `\\(params.run_in_background.name)` here. "),
			finds("ref-absent", subagentCue, "No `\\(‸params.run_in_background.name)").says("enableRunInBackground")},
		{"parameter under the opposite condition",
			sub(subagentCue, "if background {\n\t\t\trun_in_background", "if !background {\n\t\t\trun_in_background"),
			finds("ref-absent", subagentCue, "if detached {\n\t\t\tstart:…‸params.run_in_background.name").others()},
		{"text computes with a name",
			each(sub(jobsCue, "package agents\n", "package agents\n\nimport \"strings\"\n"),
				sub(jobsCue, "waiting:…params.wait.name", "strings.ToUpper(params.wait.name)")),
			finds("text-computed", jobsCue, "strings.ToUpper")},
		{"field of a parameter misspelt",
			sub(jobsCue, "default: false", "defualt: false"),
			finds("field-unknown", jobsCue, "‸defualt").says("default")},
		{"condition of a doc flipped",
			sub(subagentCue, "if options.history == \"inherited\" {\n\t\t\t\tdoc:", "if options.history == \"fresh\" {\n\t\t\t\tdoc:"),
			finds("cue-invalid", subagentCue, "prompt: {…‸doc:").finds("param-doc", subagentCue, "‸prompt: {")},
		{"mapping of a value that the fact does not have",
			sub(enumsCue, "{when: activity: \"inactive\"", "{when: activity: \"stopped\""),
			finds("enum-from", enumsCue, "\"stopped\"")},
		{"word of the service renamed",
			sub(enumsCue, "inactive: doc:", "stopped: doc:"),
			finds("enum-from", enumsCue, "\"inactive\"")},
	}
}
