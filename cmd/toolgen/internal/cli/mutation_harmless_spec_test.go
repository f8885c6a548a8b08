package cli

// harmlessSpecs are changes of specs and files that are complete: what they touch follows.
func harmlessSpecs() []harmless {
	const killGo = "gen/agents/job_kill_tool_gen.go"
	kill := func(lines string) edit { return after(jobsCue, "title: \"Stop a job\"", lines) }
	return []harmless{
		// Nothing that a model or a program sees.
		{"a comment", after(enumsCue, "enums: job_status:", "\t// Jobs are one-shot; complete, ready and idle are no words of theirs."), nil},
		{"blank lines and spaces for tabs", each(subEach(jobsCue, 3, "\tparams: ", "    params:   "), sub(jobsCue, "\tclauses: {\n\t\tpurpose: \"Stops", "\n\tclauses: {\n\n\t\tpurpose: \"Stops")), nil},
		{"a struct on one line", sub(enumsCue, "facts: {\n\t\t\tactivity: enums.agent_activity.type\n\t\t\tdriving:  bool // whether a turn is in progress\n\t\t}", "facts: {activity: enums.agent_activity.type, driving: bool}"), nil},
		{"paths written out", sub(jobsCue, "hints: {destructive: true, openWorld: false}", "hints: destructive: true\n\thints: openWorld:   false"), nil},
		{"quoted labels", sub(jobsCue, "stopped: {\n", "\"stopped\": {\n"), nil},
		{"a text in quotes of another kind", sub(jobsCue, "\"Stops a background job that you started.\"", "#\"Stops a background job that you started.\"#"), nil},
		{"an escape for a character", sub(subagentCue, "\"A label of 3–5 words for this task, for people who watch.\"", "\"A label of 3\\u20135 words for this task, for people who watch.\""), nil},
		{"a let for a reference", each(sub(controlCue, "params: agent_id:", "let next = tools.send_message.name\n\tparams: agent_id:"), sub(controlCue, "`\\(tools.send_message.name)` starts its next turn.", "`\\(next)` starts its next turn.")), nil},
		{"a reference with spaces", sub(delegation, "with `{{subagent}}`", "with `{{ subagent }}`"), nil},
		{"blank lines at the end of a prompt", sub(reporting, "else early.\n", "else early.\n\n\n"), nil},
		{"line ends of Windows in a prompt", crlf(delegation), nil},
		{"line ends of Windows in a spec", crlf(enumsCue), nil},
		{"a hidden spec, a hidden prompt, and a page beside the specs", each(create("spec/agents/_draft.cue", "package nothing\n"), create("prompts/agents/_draft.md", "{{nothing"), create("spec/README.md", "# Specs\n")), nil},
		{"a hidden file among the outputs", create("gen/.gitattributes", "** linguist-generated\n"), nil},
		{"read-only outputs", each(chmod(killGo, 0o444), chmod(catalogJSON, 0o444)), nil},
		{"modes of specs", each(chmod(jobsCue, 0o600), chmod(delegation, 0o755)), nil},
		{"a comment in the module's file", sub("go.mod", "module github.com/toolgen-dev/toolgen\n", "// Tools.\nmodule github.com/toolgen-dev/toolgen\n"), nil},
		{"a prompt file renamed with its section", each(rename(delegation, "prompts/agents/delegate.md"), sub(subagentCue, "agents/delegation.md", "agents/delegate.md")), shows(contractsJSON, "delegate.md")},
		{"a section's text in the spec", each(remove(reporting), sub(controlCue, "file: \"agents/reporting.md\"", "text: \"Report with `\\(tools.report.name)`.\"")), shows(sectionsJSON, "\"text\": \"Report with `report`.\"")},

		// Another place.
		{"a tool in another file", each(sub(jobsCue, job, ""), create("spec/agents/kill.cue", "package agents\n\n"+job)), shows(catalogMarkdown, "`spec/agents/kill.cue`")},
		{"a file renamed", rename(jobsCue, "spec/agents/work.cue"), shows(catalogMarkdown, "`spec/agents/work.cue`")},
		{"a package in two folders of prompts", each(rename(reporting, "prompts/reports/all.md"), sub(controlCue, "agents/reporting.md", "reports/all.md")), shows(contractsJSON, "reports/all.md")},
		{"a second package", create("spec/shop/tools.cue", "// Package shop sells.\npackage shop\n\nimport \"github.com/toolgen-dev/toolgen/spec/toolspec\"\n\ntools: toolspec.#Tools\n\n// Finds.\ntools: find: {description: \"Finds articles.\", params: q: {type: string, doc: \"What to look for.\"}}\n"), shows(catalogJSON, "Finds articles.")},

		// More than there was.
		{"a title changed", sub(jobsCue, "\"Stop a job\"", "\"End a job\""), shows(catalogJSON, "\"title\": \"End a job\"")},
		{"a title dropped", drop(jobsCue, "title: \"Stop a job\""), shows(catalogMarkdown, "## job_kill\n\nDeclared")},
		{"an example", kill("\texamples: [{title: \"Stop it\", args: job_id: \"job-1\"}]"), shows(catalogMarkdown, "Stop it")},
		{"an alias, a limit and a former name", each(sub(jobsCue, "doc: \"The id of the job to stop.\"", "doc: \"The id of the job to stop.\", aliases: [\"job\"]"), kill("\tlimits: timeout: \"30s\"\n\tretired: names: [\"kill_job\"]")), shows(killGo, "kill_job").and(contractsJSON, "30s")},
		{"an optional parameter", sub(jobsCue, "params: job_id: {type: string, doc: \"The id of the job to stop.\"}", "params: {job_id: {type: string, doc: \"The id of the job to stop.\"}, reason: {type: string, optional: true, doc: \"Why, for people.\"}}"), shows(catalogJSON, "Why, for people.")},
		{"a bound on a parameter", sub(jobsCue, "params: job_id: {type: string,", "params: job_id: {type: =~\"^job-\","), shows(catalogJSON, "\"pattern\": \"^job-\"")},
		{"a value of an option, with its text", each(sub(controlCue, "*\"next-step\" | \"quiet\"", "*\"next-step\" | \"quiet\" | \"daily\""),
			sub(controlCue, "\t\tturn:  \"Reporting", "\t\tif options.reportDelivery == \"daily\" {delivery: \"The parent sees it once a day.\"}\n\t\tturn:  \"Reporting")), shows(catalogJSON, "The parent sees it once a day.")},
		{"a word of an enum", after(enumsCue, "killed: doc:", "\tqueued: doc: \"The job has not begun.\""), shows("gen/agents/enums_gen.go", "The job has not begun.")},
		{"a word of an enum with its mapping", each(after(enumsCue, "ready: doc:", "\t\tlost: doc: \"Nobody knows where it is.\""),
			sub(enumsCue, "driving:  bool", "driving:  bool\n\t\t\tfound: bool"), sub(enumsCue, "{activity: \"running\", driving: true}", "{activity: \"running\", driving: true, found: true}"),
			sub(enumsCue, "{activity: \"running\", driving: false}", "{activity: \"running\", driving: false, found: true}"),
			sub(enumsCue, "{when: activity: \"inactive\", value: \"ready\"}", "{when: {activity: \"inactive\", found: true}, value: \"ready\"},\n\t\t\t{when: found: false, value: \"lost\"}")), shows("gen/agents/enums_gen.go", "Nobody knows where it is.")},
		{"a retired word", after(enumsCue, "retired: complete:", "\tretired: asleep: {use: \"idle\", why: \"It sounded like something to wake.\"}"), shows(contractsJSON, "asleep")},
		{"a field of a result", each(sub(jobsCue, "status: {type: enums.job_status.type, doc: \"The job's status now.\"}", "status: {type: enums.job_status.type, doc: \"The job's status now.\"}\n\t\t\t\tby: {type: string, optional: true, doc: \"Who did it.\"}"),
			sub(jobsCue, "render: \"{{.id}} [{{.status}}]\"", "render: \"{{.id}} [{{.status}}]{{if .by}} by {{.by}}{{end}}\"")), shows(killGo, "Who did it.")},

		// Renamed or flipped as a whole.
		{"a tool renamed everywhere", each(subEach(jobsCue, 1, "tools: job_list:", "tools: list_jobs:"), subEach(subagentCue, 2, "tools.job_list.name", "tools.list_jobs.name")), shows(catalogJSON, "`list_jobs` shows all jobs").and("gen/agents/list_jobs_tool_gen.go", "ListJobs")},
		{"a parameter renamed everywhere", each(sub(jobsCue, "wait: {", "block: {"), sub(jobsCue, "params.wait.name", "params.block.name")), shows(catalogJSON, "With `block` set to true")},
		{"a word renamed everywhere", each(sub(enumsCue, "idle: doc:", "resting: doc:"), sub(enumsCue, "value: \"idle\"", "value: \"resting\""), sub(controlCue, "values.idle.word", "values.resting.word")), shows(catalogJSON, "`resting` means")},
		{"a tool mounted under another name", kill("\twire: \"end-job\""), shows(catalogJSON, "and `end-job` stops one")},
		{"a default flipped, which the text follows", sub(jobsCue, "default: false", "default: true"), shows(catalogJSON, "Defaults to true: the call returns")},
		{"a default of an option flipped", sub(subagentCue, "*\"fresh\" | \"inherited\"", "\"fresh\" | *\"inherited\""), shows(catalogMarkdown, "| `\"inherited\"` | What the")},
		{"parameters in another order", each(drop(controlCue, "subagent_id: {type"), after(controlCue, "message: {type: strings", "\t\tsubagent_id: {type: string, doc: \"The durable id of a subagent that you started.\"}")),
			shows(catalogJSON, "\"required\": [\n\t\t\t\t\t\t\t\"message\",\n\t\t\t\t\t\t\t\"subagent_id\"")},
		{"sections in another order", sub(controlCue, "order: 118", "order: 110"), shows(sectionsJSON, "\"order\": 110")},
	}
}

// job is the declaration of a tool.
const job = `// Stops a background job.
tools: job_kill: {
	title: "Stop a job"
	params: job_id: {type: string, doc: "The id of the job to stop."}
	clauses: {
		purpose: "Stops a background job that you started."
		ended:   "A job that has already ended keeps its output and its status."
	}
	hints: {destructive: true, openWorld: false}
	results: {
		// The job's status after the call.
		stopped: {
			fields: {
				id: {type: string, doc: "The job's id."}
				status: {type: enums.job_status.type, doc: "The job's status now."}
			}
			render: "{{.id}} [{{.status}}]"
		}
	}
}
`
