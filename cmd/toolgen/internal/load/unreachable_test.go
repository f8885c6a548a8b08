package load

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What no choice of the options brings is found at its declaration, and nothing else is. Each ¦ marks a finding, in order
// of the source.
func TestUnreachable(t *testing.T) {
	// tool is a tool with two options of which one combination is rejected.
	tool := func(s string) string {
		return `tools: find: {
	options: {mode: *"fast" | "full" | "odd", log: *false | true}
	if options.mode == "odd" && options.log {error("odd mode keeps no log")}
` + s + "\n}\n"
	}
	const rest = "\tdescription: \"F.\"\n\tparams: {}\n"
	for _, c := range []struct {
		name, body string
		want       []string // "what is brought by no choice" of each finding
	}{
		// Found.
		{"clause", tool("params: {}, clauses: {x: \"X.\", if false {¦y: \"Y.\"}}"), []string{"clauses.y"}},
		{"clause outside of the struct", tool("params: {}, clauses: x: \"X.\"\nif false {clauses: ¦y: \"Y.\"}"), []string{"clauses.y"}},
		{"two clauses", tool("params: {}, clauses: x: \"X.\"\nif false {clauses: {¦y: \"Y.\", ¦z: \"Z.\"}}"), []string{"clauses.y", "clauses.z"}},
		{"rejected combination", tool("params: {}, clauses: {x: \"X.\", if options.mode == \"odd\" && options.log {¦y: \"Y.\"}}"), []string{"clauses.y"}},
		{"values that exclude each other", tool("params: {}, clauses: {x: \"X.\", if options.mode == \"full\" {if options.mode == \"fast\" {¦y: \"Y.\"}}}"), []string{"clauses.y"}},
		{"two conditions in a row", tool("params: {}, clauses: {x: \"X.\", if options.mode == \"full\" if options.mode == \"fast\" {¦y: \"Y.\"}}"), []string{"clauses.y"}},
		{"let within", tool("params: {}, clauses: {x: \"X.\", if options.mode == \"full\" let m = options.mode if m == \"fast\" {¦y: \"Y.\"}}"), []string{"clauses.y"}},
		{"condition on a parameter", tool("params: q: {type: int, default: 3, doc: \"Q.\"}, clauses: {x: \"X.\", if params.q.default > 3 {¦y: \"Y.\"}}"), []string{"clauses.y"}},
		{"condition by a name", tool("let o = options, params: {}, clauses: {x: \"X.\", if o.mode == \"odd\" && o.log {¦y: \"Y.\"}}"), []string{"clauses.y"}},
		{"description", tool("params: {}, if !false {description: \"F.\"}, if false {¦description: \"G.\"}"), []string{"this declaration of description"}},
		{"section", tool(rest + "if false {sections: ¦s: {order: 100, text: \"S.\"}}"), []string{"sections.s"}},
		{"section's text", tool(rest + "sections: s: {order: 100, if options.log || !options.log {text: \"S.\"}, if false {¦text: \"T.\"}}"), []string{"this declaration of sections.s.text"}},
		{"parameter", tool("description: \"F.\", params: {if false {¦q: {type: int, doc: \"Q.\"}}}"), []string{"params.q"}},
		{"parameter that is declared elsewhere", tool("description: \"F.\", params: {q: {type: int, doc: \"Q.\"}, if false {¦q: default: 3}}"), []string{"this declaration of params.q"}},
		{"doc", tool("description: \"F.\", params: q: {type: int, if options.log {doc: \"A.\"}, if !options.log {doc: \"B.\"}, if options.log && options.mode == \"odd\" {¦doc: \"C.\"}}"),
			[]string{"this declaration of params.q.doc"}},
		{"doc of a property", tool("description: \"F.\", params: q: {doc: \"Q.\", items: {doc: \"I.\", fields: r: {type: int, doc: \"A.\", if false {¦doc: \"B.\"}}}}"),
			[]string{"this declaration of params.q.items.fields.r.doc"}},
		{"property", tool("description: \"F.\", params: q: {doc: \"Q.\", fields: {r: {type: int, doc: \"A.\"}, if false {¦s: {type: int, doc: \"S.\"}}}}"), []string{"params.q.fields.s"}},
		{"result", tool(rest + "if false {results: ¦r: render: \"R.\"}"), []string{"results.r"}},
		{"field of a result", tool(rest + "results: r: {render: \"R.\", fields: {if false {¦f: {type: int, doc: \"F.\"}}}}"), []string{"results.r.fields.f"}},
		{"clause that is declared elsewhere", tool("params: {}, clauses: {if options.log {x: \"X.\"}, if !options.log {x: \"Y.\"}, if options.log && options.mode == \"odd\" {¦x: \"Z.\"}}"),
			[]string{"this declaration of clauses.x"}},
		{"same text under a condition", tool("params: {}, clauses: {x: \"X.\", if false {¦x: \"X.\"}}"), []string{"this declaration of clauses.x"}},
		{"beside what a loop makes", tool("params: {}, clauses: {for n in [\"x\", \"y\"] {(n): \"X.\"}, if false {¦x: \"X.\"}}"), nil}, // nobody can say what x comes from
		{"no options", "tools: find: {params: {}, clauses: {x: \"X.\", if false {¦y: \"Y.\"}}}\n", []string{"clauses.y"}},
		{"beside a reference", "_more: {params: {}}\ntools: find: _more & {clauses: {x: \"X.\", if false {¦y: \"Y.\"}}}\n", []string{"clauses.y"}},
		{"embedded", "tools: find: {params: {}, clauses: x: \"X.\", {if false {clauses: ¦y: \"Y.\"}}}\n", []string{"clauses.y"}},
		{"whole tool under a condition", "tools: find: {params: {}, clauses: x: \"X.\"}\nif false {tools: find: clauses: ¦y: \"Y.\"}\n", []string{"clauses.y"}},
		{"in two tools", "tools: a: {params: {}, clauses: {x: \"X.\", if false {¦y: \"Y.\"}}}\ntools: b: {params: {}, clauses: {x: \"X.\", if false {¦y: \"Y.\"}}}\n", []string{"clauses.y", "clauses.y"}},

		// Not found.
		{"used in one variant", tool("params: {}, clauses: {x: \"X.\", if options.mode == \"full\" && options.log {y: \"Y.\"}}"), nil},
		{"used in the last variant", tool("params: {}, clauses: {x: \"X.\", if options.mode == \"odd\" {y: \"Y.\"}}"), nil},
		{"same text twice", tool("params: {}, clauses: {x: \"X.\", if options.log {x: \"X.\"}}"), nil},
		{"same text twice, without a condition", tool("params: {}, clauses: {x: \"X.\", x: \"X.\"}"), nil},
		{"same text under two conditions", tool("params: {}, clauses: {if options.log {x: \"X.\"}, if !options.log {x: \"X.\"}}"), nil},
		{"two docs", tool("description: \"F.\", params: q: {type: int, if options.log {doc: \"A.\"}, if !options.log {doc: \"B.\"}}"), nil},
		{"type and doc apart", tool("description: \"F.\", params: q: {type: int, doc: \"A.\"}\nif options.log {params: q: default: 3}"), nil},
		{"pattern", tool("description: \"F.\", params: {[string]: secret: true, if options.log {q: {type: int, doc: \"Q.\"}}}"), nil},
		{"pattern under a condition", tool("description: \"F.\", params: {q: {type: int, doc: \"Q.\"}, if false {[string]: secret: true}}"), nil},
		{"shared struct", "_page: {on: bool, params: {q: {type: int, doc: \"Q.\"}, if on {r: {type: int, doc: \"R.\"}}}}\n" +
			"tools: a: {description: \"A.\", params: {(_page & {on: true}).params}}\ntools: b: {description: \"B.\", params: {(_page & {on: false}).params}}\n", nil},
		{"shared definition", "#Base: {_more: bool, params: {}, clauses: {x: \"X.\", if _more {y: \"Y.\"}}, ...}\n" +
			"tools: a: #Base & {_more: false}\ntools: b: #Base & {_more: false}\n", nil},
		{"hidden field of the tool", tool(rest + "_x: {if false {clauses: y: \"Y.\"}}"), nil},
		{"loop over nothing", tool("params: {}, clauses: {x: \"X.\", for n in [] {y: \"Y.\"}}"), nil},
		{"condition within a loop", tool("params: {}, clauses: {x: \"X.\", for n in [\"a\"] if n == \"b\" {y: \"Y.\"}}"), nil},
		{"what is no part", tool(rest + "if false {title: \"T.\", needs: [tools.find.name], fixed: q: 1, hints: readOnly: true}"), nil},
		{"inside a type", tool("description: \"F.\", params: q: {doc: \"Q.\", type: {a!: int, if false {b!: int}}}"), nil},
		{"computed label", tool("params: {}, clauses: {x: \"X.\", if false {(\"y\"): \"Y.\"}}"), nil},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			var want []string
			src := header + c.body
			for i, what := range c.want {
				before, after, found := strings.Cut(src, "¦")
				require.True(t, found, "mark %d", i)
				src = before + after
				line, column := 1+strings.Count(before, "\n"), len(before)-strings.LastIndex(before, "\n")
				name, _, _ := strings.Cut(before[strings.LastIndex(before, "tools: ")+len("tools: "):], ":")
				want = append(want, strings.Join([]string{"spec/shop/tools.cue", strconv.Itoa(line), strconv.Itoa(column)}, ":")+" clause-unreachable no choice of the options of "+name+" brings "+what)
			}
			src = strings.ReplaceAll(src, "¦", "")
			for _, reverse := range []bool{false, true} {
				p := project(t, map[string]string{"spec/shop/tools.cue": src, "spec/shop/z.cue": "package shop\n"})
				if reverse {
					reverseFiles(t, p)
				}
				res, err := Load(p)
				require.NoError(t, err)
				var got []string
				for _, f := range res.Findings {
					got = append(got, f.Pos.String()+" "+f.Rule+" "+f.Message)
					require.Len(t, f.Related, 1, "%s", f)
				}
				require.Equal(t, want, got)
			}
		})
	}
}

// A tool of which something else is wrong is not looked at: the condition can be a part of that. Its neighbour is.
func TestUnreachableBesideFaults(t *testing.T) {
	dead := "clauses: {x: \"X.\", if false {y: \"Y.\"}}"
	for _, fault := range []string{
		"params: q: {type: int, default: \"x\", doc: \"Q.\"}",                                 // of the evaluation
		"params: q: {type: string, doc: \"See \\(tools.none.name).\"}",                        // of the syntax, with another path
		"params: {}, options: mode: *\"a\" | \"b\", if options.mode == \"c\" {title: \"T.\"}", // a condition
		"params: {}, needs: [\"x\"]",                                                          // of one variant
	} {
		res, err := Load(spec(t, "tools: a: {"+fault+", "+dead+"}\ntools: b: {params: {}, "+dead+"}\n"))
		require.NoError(t, err)
		var rules, tools []string
		for _, f := range res.Findings {
			rules = append(rules, f.Rule)
			if f.Rule == "clause-unreachable" {
				tools = append(tools, f.Path)
			}
		}
		require.Equal(t, []string{"tools.b.clauses.y"}, tools, fault)
		require.Greater(t, len(rules), 1, fault)
	}
}

// A package outside of spec/ is the project's own; what is below cue.mod is not.
func TestUnreachableOfOthers(t *testing.T) {
	files := map[string]string{
		"lib/x.cue":       "package lib\n\nimport \"github.com/toolgen-dev/toolgen/spec/toolspec\"\n\ntools: toolspec.#Tools\ntools: other: {params: {}, clauses: {x: \"X.\", if false {y: \"Y.\"}}}\n",
		"spec/shop/x.cue": "package shop\n\nimport (\n\t\"example.com/shop/lib\"\n\t\"github.com/toolgen-dev/toolgen/spec/toolspec\"\n)\n\ntools: toolspec.#Tools\ntools: find: {description: \"See \\(lib.tools.other.name).\", params: {}}\n",
	}
	res, err := Load(project(t, files))
	require.NoError(t, err)
	require.Len(t, res.Findings, 1)
	require.Equal(t, "lib/x.cue:6:57 clause-unreachable", res.Findings[0].Pos.String()+" "+res.Findings[0].Rule)

	delete(files, "lib/x.cue")
	files["cue.mod/module.cue"] = "module: \"example.com/shop@v0\"\nlanguage: version: \"v0.17.0\"\n"
	files["cue.mod/pkg/example.com/other/lib/x.cue"] = "package lib\n\nimport \"github.com/toolgen-dev/toolgen/spec/toolspec\"\n\ntools: toolspec.#Tools\ntools: other: {params: {}, clauses: {x: \"X.\", if false {y: \"Y.\"}}}\n"
	files["spec/shop/x.cue"] = strings.Replace(files["spec/shop/x.cue"], "example.com/shop/lib", "example.com/other/lib", 1)
	res, err = Load(project(t, files))
	require.NoError(t, err)
	require.Empty(t, res.Findings)
}
