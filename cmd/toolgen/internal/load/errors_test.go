package load

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// bad is a spec with one fault: the body follows header, so its first line is line 8.
type bad struct {
	name string
	body string
	want []string // "line:column rule key words", in order; key words are separated by spaces and each must be in message or fix
}

func TestErrors(t *testing.T) {
	tool := func(s string) string { return "tools: find: {description: \"Finds.\", params: {}\n" + s + "}\n" }
	for _, c := range []bad{
		{"misspelt field of a tool", tool("\tdescriptoin: \"x\"\n"), []string{`9:2 field-unknown descriptoin description`}},
		{"name by hand", tool("\tname: \"x\"\n"), []string{`9:2 field-unknown label`}},
		{"misspelt field of a parameter", "tools: find: {description: \"F.\", params: q: {\n\ttype: string\n\tdock: \"x\"\n\tdoc: \"Q.\"}}", []string{`10:2 field-unknown dock doc`}},
		{"misspelt field of a nested parameter", "tools: find: {description: \"F.\", params: q: {doc: \"Q.\", items: {doc: \"I.\", fields: {\n\ta: {type: int, doc: \"A.\", optinal: true}}}}}",
			[]string{`9:28 field-unknown optinal optional`}},
		{"unknown top-level field", "tool: x: 1\n", []string{`8:1 field-unknown tool tools`}},
		{"option without a default", tool("\toptions: deep: true | false\n"), []string{`9:11 option-default default`}},
		{"option with one value", tool("\toptions: deep: true\n"), []string{`9:11 option-kind nothing to choose`}},
		{"option with an empty value", tool("\toptions: deep: *\"a\" | \"\"\n"), []string{`9:11 option-kind empty`}},
		{"too many combinations", tool("\toptions: {" + strings.Join(repeat(9, func(i int) string { return fmt.Sprintf("o%d: *true | false", i) }), ", ") + "}\n"),
			[]string{`9:2 option-combinations 256`}},
		{"defaults rejected", tool("\toptions: deep: *true | false\n\tif options.deep {error(\"not now\")}\n"), []string{`9:2 combination-rejected not now`}},
		{"no doc", "tools: find: {description: \"F.\", params: q: {type: string}}\n", []string{`8:42 param-doc doc`}},
		{"no type", "tools: find: {description: \"F.\", params: q: {doc: \"Q.\"}}\n", []string{`8:42 type-missing type`}},
		{"two types", "tools: find: {description: \"F.\", params: q: {type: string, items: {type: int, doc: \"I.\"}, doc: \"Q.\"}}\n", []string{`8:42 type-missing more than one`}},
		{"default does not fit", "tools: find: {description: \"F.\", params: q: {\n\ttype: int & >3\n\tdefault: 1\n\tdoc: \"Q.\"}}\n", []string{`10:2 default-invalid type`}},
		{"default not concrete", "tools: find: {description: \"F.\", params: q: {\n\ttype: int\n\tdefault: int\n\tdoc: \"Q.\"}}\n", []string{`10:11 default-not-concrete value`}},
		{"default inside the type", "tools: find: {description: \"F.\", params: q: {\n\ttype: int | *5\n\tdoc: \"Q.\"}}\n", []string{`9:2 type-default type: default:`}},
		{"unsupported constraint", "import \"net\"\ntools: find: {description: \"F.\", params: q: {\n\ttype: net.IP\n\tdoc: \"Q.\"}}\n", []string{`10:2 type-unsupported`}},
		{"reference to nothing", "tools: find: {params: {}, clauses: a: \"See \\(tools.fnd.name).\"}\n", []string{`8:46 ref-unknown tools.fnd find`}},
		{"parameter that does not exist", "tools: find: {params: query: {type: int, doc: \"Q.\"}, clauses: a: \"See \\(params.qury.name).\"}\n", []string{`8:73 ref-unknown qury params.query`}},
		{"default through tools", "tools: find: {params: q: {type: int, default: 1, doc: \"Q.\"}, clauses: a: \"See \\(tools.find.params.q.default).\"}\n", []string{`8:81 text-default options params.P.default`}},
		{"reads an open option", "tools: find: {options: top: int | *3, params: {}, description: \"Up to \\(options.top).\"}\n", []string{`8:73 open-option top`}},
		{"computes with a name", "import \"strings\"\ntools: find: {params: {}, description: \"See \\(strings.Replace(tools.find.name, \"f\", \"\", -1))\"}\n", []string{`9:63 text-computed tools.find.name`}},
		{"marker broken", "tools: find: {params: {}, description: \"See \\(tools.find.name[0:4]) or\"}\n", []string{`8:47 text-computed tools.find.name`}},
		{"prompt file missing", tool("\tsections: a: {order: 100, file: \"shop/none.md\"}\n"), []string{`9:34 section-file prompts/shop/none.md`}},
		{"prompt path leads out", tool("\tsections: a: {order: 100, file: \"../x.md\"}\n"), []string{`9:34 section-file plain path`}},
		{"section without text", tool("\tsections: a: {order: 100}\n"), []string{`9:12 section-text text`}},
		{"description and clauses", tool("\tclauses: a: \"A.\"\n"), []string{`8:15 text-missing both`}},
		{"needs no tool", tool("\tneeds: [\"find\"]\n"), []string{`9:9 needs-unknown tools.T.name`}},
		{"result names a tool", tool("\tresults: a: render: \"Use \\(tools.find.name).\"\n"), []string{`9:22 result-tool find`}},
		{"fact of no kind", "enums: e: {values: a: doc: \"A.\", from: {facts: n: int, rules: [{when: {}, value: \"a\"}]}}\n", []string{`8:48 enum-from boolean`}},
		{"type differs", "tools: find: {options: deep: *true | false, description: \"F.\", params: q: {\n\tif options.deep {type: int}\n\tif !options.deep {type: string}\n\tdoc: \"Q.\"}}\n", []string{`8:72 type-varies`}},
		{"result differs", tool("\toptions: deep: *true | false\n\tresults: a: {\n\t\tif options.deep {render: \"A.\"}\n\t\tif !options.deep {render: \"B.\"}\n\t}\n"), []string{`10:11 result-varies`}},
		{"parameter with a question mark", "tools: find: {description: \"F.\", params: q?: {type: string, doc: \"Q.\"}}\n", []string{`8:42 field-constraint q? optional:`}},
		{"section with a question mark", tool("\tsections?: a: {order: 100, text: \"x\"}\n"), []string{`9:2 field-constraint sections?`}},
		{"misspelt option in a condition", "tools: find: {options: mode: *\"a\" | \"b\", params: {}, clauses: {x: \"X.\", if options.mod == \"b\" {y: \"Y.\"}}}\n", []string{`8:76 option-unknown mod options.mode`}},
		{"option compared with no value of it", "tools: find: {options: mode: *\"fast\" | \"exact\", params: {}, clauses: {x: \"X.\", if options.mode == \"exactly\" {y: \"Y.\"}}}\n", []string{`8:99 option-unknown mode exact`}},
		{"label with a hyphen", "tools: \"get-weather\": {description: \"W.\", params: {}}\n", []string{`8:8 label-invalid get-weather wire:`}},
		{"type in quotes", "tools: find: {description: \"F.\", params: q: {type: \"string\", doc: \"Q.\"}}\n", []string{`8:46 type-literal string quotes`}},
		{"JSON Schema's words", "tools: find: {description: \"F.\", params: q: {type: string, required: true, description: \"Q.\", doc: \"Q.\"}}\n",
			[]string{`8:60 field-unknown required optional`, `8:76 field-unknown description doc`}},
		{"prompt reference in CUE", "tools: find: {description: \"Not {{find}} but {{.find}}.\", params: {}}\n", []string{`8:28 text-reference {{find}} tools.find.name`}},
		{"wrong word in a mapping", "enums: e: {values: {open: doc: \"O.\", shut: doc: \"S.\"}, from: {facts: up: bool, rules: [{when: up: true, value: \"opn\"}, {when: upp: false, value: \"shut\"}]}}\n",
			[]string{`8:112 enum-from opn open`, `8:127 enum-from upp up`}},
		{"section of a tool with another fault", "tools: find: {description: \"F.\", options: deep: *true | false, params: q: {\n\ttype: \"x\" | \"y\"\n\tdefault: \"z\"\n\tdoc: \"Q.\"}\n\tsections: a: {order: 100, text: \"See \\(tools.find.name).\"}}\n",
			[]string{`10:2 default-invalid type`}},
		{"section without an order", tool("\tsections: a: text: \"A.\"\n"), []string{`9:12 section-text order 120`}},
		{"two descriptions", tool("") + "tools: find: description: \"Other.\"\n", []string{`8:15 cue-invalid more than once`}},
		{"enum without its type", "enums: e: values: a: doc: \"A.\"\ntools: find: {description: \"F.\", params: q: {type: enums.e, doc: \"Q.\"}}\n", []string{`9:52 text-reference enums.E.type`}},
		{"parameter called options", "tools: find: {options: deep: *true | false, description: \"F.\", params: {options: {type: int, doc: \"O.\"}}}\n", []string{`8:73 option-shadowed options`}},
		{"misspelt budget", "budgets: toolspec.#Budgets\nbudgets: {description: 5, docs: 9}\n" + tool(""), []string{`9:27 field-unknown docs doc`}},
		{"misspelt budgets", "budget: description: 5\n" + tool(""), []string{`8:1 field-unknown budget budgets`}},
		{"budget of nothing", "budgets: toolspec.#Budgets & {\n\tdoc: 0\n}\n" + tool(""), []string{`9:7 limit-invalid characters zero`}},
		{"budget below nothing", "budgets: toolspec.#Budgets & {\n\tdoc: -1\n}\n" + tool(""), []string{`9:7 limit-invalid characters zero`}},
		{"budget in words", "budgets: toolspec.#Budgets & {\n\ttool: \"many\"\n}\n" + tool(""), []string{`9:8 limit-invalid characters`}},
		{"budget without a number", "budgets: toolspec.#Budgets & {\n\tsection: int\n}\n" + tool(""), []string{`9:11 limit-invalid characters`}},
		{"budget beyond 64 bits", "budgets: toolspec.#Budgets & {\n\tsection: 9223372036854775808\n}\n" + tool(""), []string{`9:11 limit-invalid characters`}},
		{"budget in fractions", "budgets: toolspec.#Budgets & {\n\tsection: 1.5\n}\n" + tool(""), []string{`9:11 limit-invalid characters`}},
		{"two budgets", "budgets: toolspec.#Budgets & {\n\tdoc: 5\n}\nbudgets: doc: 6\n" + tool(""), []string{`9:2 cue-invalid more than once`}},
		{"budgets that are a number", "budgets: toolspec.#Budgets & 5\n" + tool(""), []string{`8:1 cue-invalid`}},
		{"budgets that nothing checks", "budgets: doc: 5\n" + tool(""), []string{`8:1 language-missing #Budgets`}},
		{"budget with a question mark", "budgets: toolspec.#Budgets\nbudgets: doc?: 5\n" + tool(""), []string{`9:10 field-constraint doc?`}},
		{"marker in the source", "tools: find: {description: \"F \ue000find\ue001\", params: {}}\n", []string{`8:31 text-marker U+E000`, `8:38 text-marker U+E001`}},
		{"too deep", "tools: find: {description: \"F.\", params: q: {doc: \"Q.\", type: " + strings.Repeat("{a: ", 300) + "int" + strings.Repeat("}", 300) + "}}\n", []string{`8:1079 spec-bounds 256`}},
		{"structural cycle", "#A: {a: #A}\ntools: find: {description: \"F.\", params: q: {type: #A, doc: \"Q.\"}}\n", []string{`8:6 cue-invalid cycle`}},
		{"text that needs itself", "tools: find: {params: q: {type: int, doc: \"Q \\(doc)\"}, description: \"F.\"}\n", []string{`8:38 text-reference`}},
		{"open option by index", "tools: find: {options: top: int | *3, params: {}, description: \"Up to \\(options[\"top\"]).\"}\n", []string{`8:24 open-option top`}},
		{"open option by an alias", "tools: find: {O=options: top: int | *3, params: {}, description: \"Up to \\(O.top).\"}\n", []string{`8:26 open-option top`}},
		{"open option decides a parameter", "tools: find: {options: top: int | *3, let t = options, params: {if t.top > 2 {q: {type: int, doc: \"Q.\"}}}, description: \"F.\"}\n", []string{`8:68 open-option top`}},
		{"default through an alias of tools", "T=tools: find: {params: q: {type: int, default: 1, doc: \"Q.\"}, clauses: a: \"See \\(T.find.params.q.default).\"}\n", []string{`8:83 text-default options`}},
		{"example of no variant", "tools: find: {options: m: *\"a\" | \"b\", params: {}, description: \"F.\", examples: [\n\t{args: {}},\n\t{options: m: \"z\", args: {}},\n\t{options: n: \"a\", args: {}}]}\n",
			[]string{`10:2 example-invalid variant`, `11:2 example-invalid variant`}},
		{"title with a reference", tool("\ttitle: \"See \\(tools.find.name)\"\n"), []string{`9:9 text-reference title`}},
		{"section with text and file", tool("\tsections: a: {order: 100, text: \"x\", file: \"y.md\"}\n"), []string{`9:12 section-text one of text and file`}},
		{"type of itself", "tools: find: {description: \"F.\", params: q: {type: params.q.type, doc: \"Q.\"}}\n", []string{`8:46 type-unsupported itself`}},
		{"type of itself and more", "tools: find: {description: \"F.\", params: q: {type: string & type, doc: \"Q.\"}}\n", []string{`8:46 type-unsupported itself`}},
		{"types of each other", "tools: find: {description: \"F.\", params: {a: {type: params.b.type, doc: \"A.\"}, b: {type: params.a.type, doc: \"B.\"}}}\n",
			[]string{`8:47 type-unsupported itself`, `8:84 type-unsupported itself`}},
		{"default by reference", "tools: find: {description: \"F.\", params: q: {type: string, default: tools.find.name, doc: \"Q.\"}}\n", []string{`8:69 text-computed find`}},
		{"type by reference", "enums: e: values: a: doc: \"A.\"\ntools: find: {description: \"F.\", params: q: {type: enums.e.values.a.word | \"z\", doc: \"Q.\"}}\n", []string{`9:46 text-computed e:a`}},
		{"pattern by reference", "tools: find: {description: \"F.\", params: q: {type: =~\"^\\(tools.find.name)$\", doc: \"Q.\"}}\n", []string{`8:46 text-computed find`}},
		{"lengths that exclude each other", "import \"strings\"\ntools: find: {description: \"F.\", params: q: {type: strings.MinRunes(5) & strings.MaxRunes(2), doc: \"Q.\"}}\n", []string{`9:46 type-unsupported long enough`}},
		{"negative length", "import \"strings\"\ntools: find: {description: \"F.\", params: q: {type: strings.MinRunes(-1), doc: \"Q.\"}}\n", []string{`9:46 type-unsupported MinRunes`}},
		{"condition on a name", "tools: find: {description: \"F.\", params: q: {type: int, doc: [if params.q.name == \"q\" {\"Yes.\"}, \"No.\"][0]}}\n", []string{`8:66 text-computed params.q.name`}},
		{"length of a name", "_n: tools.find.name\ntools: find: {description: \"F \\(len(_n)).\", params: {}}\n", []string{`9:15 text-computed renamed`}},
		{"hidden parameter", "tools: find: {description: \"F.\", params: {_id: {type: int, doc: \"I.\"}, \"_key\": {type: int, doc: \"K.\"}, _help: {type: int}}}\n", []string{`8:43 label-invalid _id "_id"`}},
		{"constant beyond 64 bits", "tools: find: {description: \"F.\", params: q: {type: 1 | 99999999999999999999, doc: \"Q.\"}}\n", []string{`8:46 type-unsupported 64 bits`}},
		{"constant beyond a float", "tools: find: {description: \"F.\", params: q: {type: 1e400 | 2, doc: \"Q.\"}}\n", []string{`8:46 type-unsupported 64-bit float`}},
		{"bound beyond a float", "tools: find: {description: \"F.\", params: q: {type: number & <1e400, doc: \"Q.\"}}\n", []string{`8:46 type-unsupported 64-bit float`}},
		{"setting that is a choice of numbers", tool("\toptions: n: 1 | *2 | 3\n"), []string{`9:11 option-kind enumeration`}},
		{"setting that may be null", tool("\toptions: n: int | *null\n"), []string{`9:11 option-kind default`}},
		{"setting beyond 64 bits", tool("\toptions: n: int | *99999999999999999999\n"), []string{`9:11 option-kind 64-bit`}},
		{"setting beyond a float", tool("\toptions: n: number | *1e400\n"), []string{`9:11 option-kind number`}},
		{"no such concurrency", tool("\tconcurrency: \"sometimes\"\n"), []string{`9:2 concurrency safe exclusive`}},
		{"not CUE", "tools: find: {{{\n", []string{`8:17 cue-syntax`}},
		{"undeclared name", "tools: find: {description: nope, params: {}}\n", []string{`8:28 cue-invalid nope`}},
		{"unknown import", "import \"example.com/nowhere/x\"\ntools: find: {description: x.y, params: {}}\n", []string{`3:8 cue-import nowhere`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := c.body
			head := header
			if imp, rest, ok := strings.Cut(body, "\n"); ok && strings.HasPrefix(imp, "import") {
				// Imports stand before other declarations; a comment keeps the lines where they are.
				head = strings.Replace(header, "import", imp+"\nimport", 1)
				body = rest
			}
			res, err := Load(project(t, map[string]string{"spec/shop/tools.cue": head + body}))
			require.NoError(t, err)
			var got []string
			for _, f := range res.Findings.Sorted() {
				require.Equal(t, "spec/shop/tools.cue", f.Pos.File, "%v", f)
				got = append(got, fmt.Sprintf("%d:%d %s %s %s", f.Pos.Line, f.Pos.Column, f.Rule, f.Message, f.Fix))
			}
			require.Len(t, got, len(c.want), "%s", strings.Join(got, "\n"))
			for i, want := range c.want {
				words := strings.Fields(want)
				require.True(t, strings.HasPrefix(got[i], words[0]+" "+words[1]+" "), "got %s\nwant %s", got[i], want)
				for _, w := range words[2:] {
					require.Contains(t, got[i], w)
				}
			}
		})
	}
}

func repeat(n int, f func(int) string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

// Faults of a package as a whole.
func TestPackageErrors(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"two packages of one name", map[string]string{
			"spec/a/x/x.cue": "package x\n", "spec/b/x/x.cue": "// B.\npackage x\n",
		}, "spec/a/x package-empty|spec/b/x package-empty|spec/b/x/x.cue:2:1 package-duplicate"},
		{"keyword of Go", map[string]string{"spec/a/x.cue": "package range\n"}, "spec/a package-empty|spec/a/x.cue:1:1 go-name"},
		{"tools that are no tools", map[string]string{
			"spec/shop/x.cue": "package shop\n\ntools: find: {description: \"F.\", params: {}}\n",
		}, "spec/shop/x.cue:3:1 language-missing"},
		{"unused prompt", map[string]string{
			"spec/shop/x.cue": header + "tools: find: {description: \"F.\", params: {}}\n", "prompts/shop/x.md": "Text.\n",
		}, "prompts/shop/x.md prompt-unused"},
		{"prompt references", map[string]string{
			"spec/shop/x.cue":   header + "tools: find: {description: \"F.\", params: {}, sections: a: {order: 100, file: \"shop/x.md\"}}\n",
			"prompts/shop/x.md": "Use {{find}}.\nNot {{fnd}}, \\(tools.find.name) or {{a b}}.\n",
		}, "prompts/shop/x.md:2:5 ref-unknown|prompts/shop/x.md:2:14 prompt-syntax|prompts/shop/x.md:2:36 prompt-syntax"},
		{"package of one's own outside of spec", map[string]string{
			"lib/x.cue":       strings.Replace(header, "package shop", "package lib", 1) + "tools: other: {descriptoin: \"O.\", params: {}}\n",
			"spec/shop/x.cue": "package shop\n\nimport (\n\t\"example.com/shop/lib\"\n\t\"github.com/toolgen-dev/toolgen/spec/toolspec\"\n)\n\ntools: toolspec.#Tools\ntools: find: {description: \"See \\(lib.tools.other.name).\", params: {}}\n",
		}, "lib/x.cue:8:16 field-unknown"},
		{"empty package", map[string]string{"spec/shop/x.cue": "package shop\n"}, "spec/shop package-empty"},
		{"no package", map[string]string{"readme.md": ""}, "spec package-empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := Load(project(t, c.files))
			require.NoError(t, err)
			var got []string
			for _, f := range res.Findings.Sorted() {
				got = append(got, f.Pos.String()+" "+f.Rule)
			}
			require.Equal(t, c.want, strings.Join(got, "|"))
		})
	}
}
