package load

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// eachText calls fn for every text of a model that a model reads, under a name that says where it is.
func eachText(m *contract.Model, fn func(name string, t contract.Text)) {
	for _, p := range m.Packages {
		for _, t := range p.Tools {
			for i, v := range t.Variants {
				base := fmt.Sprintf("%s/%d", t.Name, i)
				for _, c := range v.Clauses {
					fn(base+" clause "+c.ID, c.Text)
				}
				eachDoc(base, v.Params, fn)
				for _, s := range v.Sections {
					fn(base+" section "+s.Label, s.Text)
				}
			}
			eachMessage(t.Name, t.Results, fn)
		}
		for _, e := range p.Enums {
			for _, w := range e.Values {
				fn(e.Name+" "+w.Word, w.Doc)
			}
		}
		eachMessage(p.Name, p.Notices, fn)
		for _, d := range p.Defs {
			eachTypeDoc("#"+d.Name, d.Type, fn)
		}
	}
}

func eachMessage(base string, messages []*contract.Message, fn func(string, contract.Text)) {
	for _, r := range messages {
		fn(base+" "+r.Name+" render", r.RenderText)
		fn(base+" "+r.Name+" empty", r.EmptyText)
		eachDoc(base+" "+r.Name, r.Fields, fn)
	}
}

func eachDoc(base string, params []*contract.Param, fn func(string, contract.Text)) {
	for _, p := range params {
		fn(base+" "+p.Name, p.Doc)
		eachTypeDoc(base+" "+p.Name, p.Type, fn)
	}
}

func eachTypeDoc(base string, t *contract.Type, fn func(string, contract.Text)) {
	if t == nil {
		return
	}
	eachDoc(base, t.Fields, fn)
	if t.Elem != nil {
		fn(base+" items", t.Elem.Doc)
		eachTypeDoc(base+" items", t.Elem, fn)
	}
	eachTypeDoc(base, t.Rest, fn)
	for _, i := range t.Items {
		eachTypeDoc(base, i, fn)
	}
	for _, c := range t.Cases {
		eachTypeDoc(base, c.Type, fn)
	}
	for _, r := range t.PatternRest {
		eachTypeDoc(base, r.Type, fn)
	}
}

// placeOf is where the first byte of a part of a text stands. The part must be there once, and within one segment.
func placeOf(t *testing.T, text contract.Text, part string) diag.Position {
	t.Helper()
	require.Equal(t, 1, strings.Count(text.Render(nil), part), "%q in %q", part, text.Render(nil))
	for _, s := range text {
		if s.IsRef() && (contract.Text{s}).Render(nil) == part {
			return s.Pos
		}
		if i := strings.Index(s.Lit, part); i >= 0 {
			return s.At(i)
		}
	}
	t.Fatalf("%q is not in one segment of %q", part, text.Render(nil))
	return diag.Position{}
}

// Each ¦ marks the byte at which the part of the text must stand.
func TestPlaces(t *testing.T) {
	const q = `"""`
	for _, c := range []struct{ name, spec, text, part string }{
		{"string", `tools: a: {params: {}, description: "Finds ¦it."}`, "a/0 clause ", "it."},
		{"first byte", `tools: a: {params: {}, description: "¦Finds it."}`, "a/0 clause ", "Finds"},
		{"last byte", `tools: a: {params: {}, description: "Finds it¦."}`, "a/0 clause ", "."},
		{"after other bytes", `tools: a: {params: {}, description: "日本 é ¦it."}`, "a/0 clause ", "it."},
		{"raw", `tools: a: {params: {}, description: #"Say "x" \n ¦it."#}`, "a/0 clause ", "it."},
		{"raw twice", `tools: a: {params: {}, description: ##"Say "# \#n ¦it."##}`, "a/0 clause ", "it."},
		{"escape", `tools: a: {params: {}, description: "A¦\tb."}`, "a/0 clause ", "\t"},
		{"after an escape", `tools: a: {params: {}, description: "A\tb\"c\\d\/ ¦it."}`, "a/0 clause ", "it."},
		{"unicode", `tools: a: {params: {}, description: "A¦\u00e9b."}`, "a/0 clause ", "é"},
		{"after unicode", `tools: a: {params: {}, description: "A\u00e9\U0001F600¦b."}`, "a/0 clause ", "b."},
		{"surrogates", `tools: a: {params: {}, description: "A¦\uD83D\uDE00b."}`, "a/0 clause ", "😀"},
		{"after surrogates", `tools: a: {params: {}, description: "A\uD83D\uDE00¦b."}`, "a/0 clause ", "b."},
		{"raw escape", `tools: a: {params: {}, description: #"A\n¦\#nb."#}`, "a/0 clause ", "\n"},

		{"lines", "tools: a: {params: {}, description: " + q + "\n\t\tOne\n\t\t  ¦two\n\n\t\tthree\n\t\t" + q + "}", "a/0 clause ", "two"},
		{"first line", "tools: a: {params: {}, description: " + q + "\n\t\t¦One\n\t\ttwo\n\t\t" + q + "}", "a/0 clause ", "One"},
		{"empty first line", "tools: a: {params: {}, description: " + q + "\n\n\t\t¦One\n\t\t" + q + "}", "a/0 clause ", "One"},
		{"after an empty line", "tools: a: {params: {}, description: " + q + "\n\t\tOne\n\n\t\t¦three\n\t\t" + q + "}", "a/0 clause ", "three"},
		{"line break", "tools: a: {params: {}, description: " + q + "\n\t\tOne¦\n\t\ttwo\n\t\t" + q + "}", "a/0 clause ", "\n"},
		{"quotes in lines", "tools: a: {params: {}, description: " + q + "\n\tSay \"\"\"x\"\"\" ¦it\n\t" + q + "}", "a/0 clause ", "it"},
		{"raw lines", "tools: a: {params: {}, description: #" + q + "\n\t\t\\(x) \\#(params.q.name)\n\t\t¦it\n\t\t" + q + "#, params: q: {type: int, doc: \"Q.\"}}", "a/0 clause ", "it"},
		{"no indent", "tools: a: {params: {}, description: " + q + "\nOne\n¦two\n" + q + "}", "a/0 clause ", "two"},

		{"before a reference", `tools: a: {params: {}, description: "See ¦of \(tools.a.name)."}`, "a/0 clause ", "of"},
		{"reference", `tools: a: {params: {}, description: "See ¦\(tools.a.name)."}`, "a/0 clause ", "a"},
		{"raw reference", `tools: a: {params: {}, description: #"See ¦\#(tools.a.name)."#}`, "a/0 clause ", "a"},
		{"after a reference", `tools: a: {params: {}, description: "See \(tools.a.name)¦ too."}`, "a/0 clause ", " too."},
		{"between references", `tools: a: {params: {}, description: "\(tools.a.name)¦, \(tools.a.name)!"}`, "a/0 clause ", ", "},
		{"side by side", `tools: a: {params: bb: {type: int, doc: "B."}, description: "\(tools.a.name)¦\(params.bb.name)!"}`, "a/0 clause ", "bb"},
		{"reference by a name", `let n = tools.a.name, tools: a: {params: {}, description: "See \(n)\(n)¦!"}`, "a/0 clause ", "!"},
		{"default", `tools: a: {description: "A.", params: q: {type: string, default: "in words", doc: "It is ¦\(default)."}}`, "a/0 q", "words"},
		{"after a default", `tools: a: {description: "A.", params: q: {type: string, default: "in words", doc: "It is \(default)¦."}}`, "a/0 q", "."},
		{"word", `enums: e: values: red: doc: "Red.", tools: a: {params: {}, description: "As ¦\(enums.e.values.red.word)."}`, "a/0 clause ", "red"},
		{"interpolation over lines", "tools: a: {params: {}, description: \"See \\(\n\ttools.a.name\n)¦ too.\"}", "a/0 clause ", " too."},
		{"interpolation in lines", "tools: a: {params: {}, description: " + q + "\n\t\tSee\n\t\t\\(tools.a.name) ¦and\n\t\tit\n\t\t" + q + "}", "a/0 clause ", "and"},
		{"line after an interpolation", "tools: a: {params: {}, description: " + q + "\n\t\tSee\n\t\t\\(tools.a.name) and\n\t\t¦it\n\t\t" + q + "}", "a/0 clause ", "it"},
		{"undecided", `_x: "b b", _y: "b b", tools: a: {params: {}, description: "A ¦\(_x) \(_y) c."}`, "a/0 clause ", "b b b"},
		{"before what is undecided", `_x: "b b", _y: "b b", tools: a: {params: {}, description: "A¦ \(_x) \(_y) c."}`, "a/0 clause ", " b b b b "},
		{"after what is undecided", `_x: "b b", _y: "b b", tools: a: {params: {}, description: "A \(_x) \(_y)¦ c."}`, "a/0 clause ", " c."},
		{"a name within a value", `_x: "b \(tools.a.name) b", tools: a: {params: {}, description: "See ¦\(_x)."}`, "a/0 clause ", "a"},

		{"hidden field", "_common: \"Of ¦it.\"\ntools: a: {params: {}, description: _common}", "a/0 clause ", "it."},
		{"let", "tools: a: {let l = \"Of ¦it.\", params: {}, description: l}", "a/0 clause ", "it."},
		{"another field", "tools: a: {params: {p: {type: int, doc: \"Of ¦it.\"}, q: {type: int, doc: params.p.doc}}, description: \"A.\"}", "a/0 q", "it."},
		{"parentheses", `tools: a: {params: {}, description: ("Of ¦it.")}`, "a/0 clause ", "it."},
		{"sum", `tools: a: {params: {}, description: "One " + "of ¦it."}`, "a/0 clause ", "it."},
		{"sum over lines", "tools: a: {params: {}, description: \"One \" +\n\t\"of \\(tools.a.name)\" + \" ¦it.\"}", "a/0 clause ", "it."},
		{"sum with a name", "_common: \"common ¦word \"\ntools: a: {params: {}, description: \"One \" + _common + \"it.\"}", "a/0 clause ", "word"},
		{"behind a name", "_common: \"common word \"\ntools: a: {params: {}, description: \"One \" + _common + \"¦it.\"}", "a/0 clause ", "it."},
		{"sum with a computed part", `tools: a: {params: {}, description: "One " + ¦strings.ToUpper("b") + " it."}`, "a/0 clause ", "B"},
		{"behind a computed part", `tools: a: {params: {}, description: "One " + strings.ToUpper("b") + " ¦it."}`, "a/0 clause ", "it."},
		{"computed", `tools: a: {params: {}, description: ¦strings.ToUpper("it.")}`, "a/0 clause ", "T."},
		{"chosen from a list", `tools: a: {params: {}, description: ["x", "of ¦it."][1]}`, "a/0 clause ", "it."},
		{"both sides of a condition", `tools: a: {options: o: *true | false, params: {}, if options.o {description: "Of ¦it."}, if !options.o {description: "Of it."}}`, "a/0 clause ", "it."},
		{"the other side", `tools: a: {options: o: *true | false, params: {}, if options.o {description: "Of it"}, if !options.o {description: "Of ¦it."}}`, "a/1 clause ", "it."},
		{"computed under a condition", `tools: a: {options: o: *true | false, params: {}, if options.o {description: "Of it"}, if !options.o {description: ¦strings.ToLower("IT")}}`, "a/1 clause ", "it"},
		{"generated", `tools: a: {params: {for n in ["x", "yy"] {(n): {type: int, doc: "Of \(n)¦ it."}}}, description: "A."}`, "a/0 yy", " it."},

		{"clause", `tools: a: {params: {}, clauses: {x: "A.", y: "Of ¦it."}}`, "a/0 clause y", "it."},
		{"section", `tools: a: {params: {}, description: "A.", sections: s: {order: 100, text: "Of ¦it."}}`, "a/0 section s", "it."},
		{"property", `tools: a: {description: "A.", params: q: {doc: "Q.", fields: r: {type: int, doc: "Of ¦it."}}}`, "a/0 q r", "it."},
		{"item", `tools: a: {description: "A.", params: q: {doc: "Q.", items: {type: int, doc: "Of ¦it."}}}`, "a/0 q items", "it."},
		{"enum", `enums: e: values: red: doc: "Of ¦it."`, "e red", "it."},
		{"render", `tools: a: {description: "A.", params: {}, results: r: {fields: f: {type: int, doc: "F."}, render: "{{.f}} of ¦it."}}`, "a r render", "it."},
		{"empty", `tools: a: {description: "A.", params: {}, results: r: {list: true, fields: f: {type: int, doc: "F."}, render: "{{.f}}", empty: "None of ¦it."}}`, "a r empty", "it."},
		{"word in a render", `enums: e: values: red: doc: "Red.", tools: a: {description: "A.", params: {}, results: r: render: "Is ¦\(enums.e.values.red.word)."}`, "a r render", "red"},
		{"notice", `notices: n: {fields: f: {type: int, doc: "Of ¦it."}, render: "{{.f}}"}`, "shop n f", "it."},

		{"comment", "tools: a: {description: \"A.\", params: q: {doc: \"Q.\", type: {\n\t// Of ¦it.\n\tx!: int\n}}}", "a/0 q x", "it."},
		{"second line of a comment", "tools: a: {description: \"A.\", params: q: {doc: \"Q.\", type: {\n\t// Of\n\t//   ¦it.\n\tx!: int\n}}}", "a/0 q x", "it."},
		{"comment after an empty line", "tools: a: {description: \"A.\", params: q: {doc: \"Q.\", type: {\n\t//\n\t// Of  \n\t//\n\t//\n\t//¦it.\n\tx!: int\n}}}", "a/0 q x", "it."},
		{"line break of a comment", "tools: a: {description: \"A.\", params: q: {doc: \"Q.\", type: {\n\t// Of \t¦\n\t// it.\n\tx!: int\n}}}", "a/0 q x", "\n"},
		{"comment in a definition", "#T: {\n\t//   Of ¦it.\n\tx!: int\n}\ntools: a: {description: \"A.\", params: q: {doc: \"Q.\", type: #T}}", "#T x", "it."},
	} {
		src := strings.Replace(header, "import", "import \"strings\"\nimport", 1)
		if !strings.Contains(c.spec, "strings.") {
			src = header
		}
		src += c.spec + "\n"
		for _, ends := range []string{"\n", "\r\n"} {
			if ends == "\r\n" && strings.Contains(c.spec, q) && strings.Contains(strings.ReplaceAll(c.spec, "¦", ""), "\n\n") {
				continue // CUE takes the CR of an empty line for its indent, and refuses it
			}
			t.Run(strings.ReplaceAll(c.name, " ", "_")+map[string]string{"\r\n": "_CRLF"}[ends], func(t *testing.T) {
				before, after, marked := strings.Cut(strings.ReplaceAll(src, "\n", ends), "¦")
				require.True(t, marked)
				before = strings.ReplaceAll(before, ", tools:", ends+"tools:") // one line each, for CUE
				require.NotContains(t, after, "¦")
				want := diag.Position{File: "spec/shop/tools.cue", Line: 1 + strings.Count(before, "\n"), Column: len(before) - strings.LastIndex(before, "\n")}
				if c.part == "\n" && strings.HasPrefix(after, "\r") {
					want.Column++
				}
				m := mustLoad(t, project(t, map[string]string{"spec/shop/tools.cue": before + after}))
				found := 0
				eachText(m, func(name string, text contract.Text) {
					if name == c.text {
						found++
						require.Equal(t, want.String(), placeOf(t, text, c.part).String())
					}
				})
				require.Equal(t, 1, found)
			})
		}
	}
}

// The bytes of a prompt file stand where they are in the file.
func TestPromptPlaces(t *testing.T) {
	src := "# Head\n\nUse {{a}} or \\{{b}} well,\n{{a.q.default}} times.\n\nEnd.\n"
	for _, ends := range []string{"\n", "\r\n"} {
		m := mustLoad(t, project(t, map[string]string{
			"spec/shop/tools.cue": header + "tools: a: {description: \"A.\", params: q: {type: int, default: 12, doc: \"Q.\"}, sections: s: {order: 100, file: \"shop/x.md\"}}\n",
			"prompts/shop/x.md":   strings.ReplaceAll(src, "\n", ends),
		}))
		text := m.Packages[0].Tools[0].Variants[0].Sections[0].Text
		require.Equal(t, "# Head\n\nUse a or {{b}} well,\n12 times.\n\nEnd.", text.Render(nil))
		for part, want := range map[string]string{"#": "1:1", "Use": "3:1", "a": "3:5", " or": "3:10", "{{": "3:14", "b}}": "3:17", "well": "3:21", "12": "4:1", "2": "4:1", " times": "4:16", "End": "6:1", ".": "6:4"} {
			got := diag.Position{}
			for _, s := range text {
				if i := strings.LastIndex(s.Lit, part); i >= 0 {
					got = s.At(i)
				} else if s.IsRef() && s.Tool == part {
					got = s.Pos
				}
			}
			require.Equal(t, "prompts/shop/x.md:"+want, got.String(), part)
		}
	}
}

// Every literal byte of every text stands at that byte of the source, or at the escape or reference that it came from.
func TestPlacesAreTheBytes(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("testdata", "torture"))
	require.NoError(t, err)
	torture, err := OpenProject(root)
	require.NoError(t, err)
	for _, p := range []*Project{shippedProject(t), torture} {
		sources := map[string][]string{}
		line := func(pos diag.Position) string {
			if sources[pos.File] == nil {
				src, err := os.ReadFile(filepath.Join(p.Root, filepath.FromSlash(pos.File)))
				require.NoError(t, err)
				sources[pos.File] = strings.SplitAfter(string(src), "\n")
			}
			require.Positive(t, pos.Line)
			require.Positive(t, pos.Column)
			return sources[pos.File][pos.Line-1][pos.Column-1:]
		}
		texts, exact := 0, 0
		eachText(mustLoad(t, p), func(name string, text contract.Text) {
			texts++
			for _, s := range text {
				if s.IsRef() {
					require.Regexp(t, `^(\\\(|\{\{)`, line(s.Pos), name)
					continue
				}
				if s.Places == nil {
					require.Regexp(t, `^\{\{`, line(s.Pos), "%s: %q has no places", name, s.Lit) // {{tool.parameter.default}}
					continue
				}
				require.Equal(t, s.Pos, s.At(0))
				at := 0
				for i := range len(s.Lit) {
					for at+1 < len(s.Places) && s.Places[at+1].Offset <= i {
						at++
					}
					rest := line(s.At(i))
					if s.Places[at].Fixed {
						require.Regexp(t, `^\\`, rest, "%s: %q", name, s.Lit[i:])
						continue
					}
					exact++
					require.Equal(t, s.Lit[i:i+1], rest[:1], "%s: %q at %s", name, s.Lit[i:], s.At(i))
				}
			}
		})
		require.Greater(t, texts, 50)
		require.Greater(t, exact, 800)
	}
}
