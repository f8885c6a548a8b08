package cli

// harmlessProse are words that look like claims or names to somebody who only searches for words, and are neither.
func harmlessProse() []harmless {
	clause := func(added string) edit { return behind(controlCue, "tools: list_agents…purpose: \"", added+" ") }
	doc := func(added string) edit {
		return behind(jobsCue, "tools: job_kill…job_id: {type: string, doc: \"", added+" ")
	}
	prompt := func(added string) edit { return add(reporting, added) }
	section := func(name, added, shown string) harmless {
		return harmless{name, prompt(added), shows(sectionsJSON, shown)}
	}
	description := func(name, added string) harmless {
		return harmless{name, clause(added), shows(catalogJSON, added)}
	}
	return []harmless{
		// In a description.
		description("a retired word as an English one", "It shows the complete tree, and a listing is complete when it ends."),
		description("words of an enum as English ones", "Running and idle ones are resident, and may be idle for long, running or not."),
		description("a word as a part of another", "It is a ready-made list, already sorted, for long-running work; nothing is incomplete."),
		description("names of tools as English words", "A subagent may report in its own words; a report is no answer."),
		description("names of parameters as English words", "The scope of a listing is wide; wait, and the output gives a prompt label."),
		description("default as an English word", "By default nobody is woken, which is a good default, and the default way to wait."),
		description("a shell command in a code span", "Like `ps aux | grep agent` it shows what is there, and `git status --short` does not."),
		description("a path and a file name in code spans", "Nothing of `./src/main.go`, `README.md` or `node_modules` is touched."),
		description("an address", "See https://example.com/guide/running?idle=ready&scope=all#complete for more."),
		description("JSON in a code span", "A line is no `{'id': 1, 'label': null}`, and no `[1, 2]`."),
		description("a list of words that is no enum", "A label is one of red, green or blue, or `north | south`."),
		description("an enumeration of conditions", "It ends when it is idle, has no child or waits."),
		description("arithmetic and comparisons", "Depth 1 < 2 and 2*3 = 6, a|b is no list, and 3–5 words are enough."),
		description("Chinese", "它列出所有子代理：运行中、空闲或就绪。默认值不重要。"),
		description("Russian and emoji", "Показывает всех 🙂, кто работает."),
		description("a name in typographic quotes", "Some say “agents” or ‘helpers’, as one says “go on”."),
		description("a version and a date", "Since v2.0 (2026-01-31) it is sorted, true to its name."),
		description("a code span with a space, and an empty one", "Write ` ` for a blank, and nothing for ``."),
		description("a word of no enum with an underscore", "The variable MY_AGENT_HOME and some_other_thing are not read."),

		// In a parameter's doc.
		{"true and false in a doc", doc("It is false that a wrong id is true to anything."), shows(catalogJSON, "true to anything")},
		{"braces in a doc", doc("It has no { and no }, and not {id} either."), shows(catalogJSON, "not {id} either")},
		{"templates in a doc", doc("It fills {{name}}, and `{{job_id}}` in a template."), shows(catalogJSON, "It fills {{name}}, and `{{job_id}}`")},
		{"a fenced template in a doc", doc(`Like this:\n\n` + "```" + `\n{{job_id}}\n` + "```" + `\n\n`), shows(catalogJSON, `{{job_id}}`)},
		{"a long doc", doc(long), shows(catalogJSON, long)},

		// In a prompt file.
		section("a fenced block of shell in a prompt", "\n```sh\nmake test | tee out.txt  # default: all\n```", "make test | tee out.txt"),
		section("a fenced block of JSON in a prompt", "\n```json\n{\"ok\": true, \"default\": \"none\", \"limit\": 3}\n```", "\\\"limit\\\": 3}"),
		section("a fenced block of Go in a prompt", "\n~~~go\nif err := run(ctx); err != nil {\n\treturn err // complete\n}\n~~~", "return err // complete"),
		section("a table in a prompt", "\n| when | what |\n|---|---|\n| early | one line |", "| early | one line |"),
		section("headings and emphasis in a prompt", "\n## Early *and* late\n\n**Never** twice; _seldom_ at all.", "**Never** twice"),
		section("a link in a prompt", "- See [the guide](https://example.com/report/default), too.", "[the guide](https://example.com/report/default)"),
		section("an HTML comment in a prompt", "<!-- the default is to wait -->", "<!-- the default is to wait -->"),
		section("a literal pair of braces in a prompt", "- Write \\{{name}} where a name goes.", "Write {{name}} where"),
		section("Chinese in a prompt", "- 报告要简短、完整。", "报告要简短、完整。"),
		section("a default in plain prose in a prompt", "- The parent's default is patience.", "default is patience"),

		// Other words for the same.
		{"a clause reworded",
			sub(controlCue, "no_poll: ", "no_poll: \"There is no need to poll.\" // "),
			shows(catalogJSON, "There is no need to poll.")},
		{"a clause of one variant reworded",
			sub(subagentCue, "if !background {\n\t\t\tstart: ", "if !background {\n\t\t\tstart: \"It is always waited for.\" // "),
			shows(catalogJSON, "It is always waited for.")},
		{"a doc reworded",
			sub(subagentCue, "prompt: {…doc: ", "doc: \"All that there is to know.\" // "),
			shows(catalogJSON, "All that there is to know.")},
		{"a prompt reworded",
			rewrite(delegation, "Use `{{subagent}}` for what can be done apart.\n"),
			shows(sectionsJSON, "Use `subagent` for what")},
		{"a result reworded",
			sub(controlCue, "accepted: render: ", "accepted: render: \"The parent has it.\" // "),
			shows(contractsJSON, "The parent has it.")},
		{"a notice reworded",
			behind(noticesCue, "notices: settlement…render: \"\"\"\n\t\t", "Listen: "),
			shows(contractsJSON, "Listen: ")},
		{"a doc of a word reworded",
			sub(enumsCue, "enums: job_status…running: doc: ", "running: doc: \"The job is at work.\" // "),
			shows("gen/agents/enums_gen.go", "The job is at work.")},
		{"a doc comment reworded",
			before(jobsCue, "tools: job_kill", "// And puts an end to it.\n"),
			shows("gen/agents/job_kill_tool_gen.go", "And puts an end to it.")},
		{"independent clauses in another order",
			each(drop(controlCue, "no_poll:"), after(controlCue, "tools: list_agents…race:", "\t\tno_poll: \"Do not poll at all.\"")),
			shows(catalogJSON, " Do not poll at all.\"")},
		{"a clause split in two",
			sub(jobsCue, "ended: ", "ended: \"What has ended stays as it is.\"\n\t\tkept: \"Its output can still be read.\" // "),
			shows(catalogJSON, "stays as it is. Its output can still be read.")},
	}
}

// long is a doc of several sentences, on one line of several hundred characters.
const long = "The start of the job returned it, and so does each listing; it is opaque, never used twice, and stays valid when " +
	"the job has ended. An id of another session is not known here. Ids are compared byte by byte, so copy them as they " +
	"are, without quotes, brackets or blanks around them, and do not shorten them."
