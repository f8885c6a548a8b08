package load

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// project writes files into a module of its own and opens it.
func project(t testing.TB, files map[string]string) *Project {
	t.Helper()
	root := t.TempDir()
	if _, ok := files["go.mod"]; !ok {
		require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module example.com/shop\n\ngo 1.26\n"), 0o644))
	}
	for name, src := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(src), 0o644))
	}
	p, err := OpenProject(root)
	require.NoError(t, err)
	return p
}

const header = `package shop

import "github.com/toolgen-dev/toolgen/spec/toolspec"

tools: toolspec.#Tools
enums: toolspec.#Enums
notices: toolspec.#Notices
`

// spec is a project of one file that starts with header, so that the body's first line is line 8.
func spec(t testing.TB, body string) *Project {
	t.Helper()
	return project(t, map[string]string{"spec/shop/tools.cue": header + body})
}

func dump(t testing.TB, m *contract.Model) string {
	t.Helper()
	b, err := json.MarshalIndent(m, "", "\t")
	require.NoError(t, err)
	return string(b)
}

func mustLoad(t testing.TB, p *Project) *contract.Model {
	t.Helper()
	res, err := Load(p)
	require.NoError(t, err)
	require.Empty(t, res.Findings)
	return res.Model
}

func shippedProject(t testing.TB) *Project {
	t.Helper()
	root, err := FindRoot(".")
	require.NoError(t, err)
	p, err := OpenProject(root)
	require.NoError(t, err)
	return p
}

// The shipped specs load and are valid; every tool of the two notes is there.
func TestShipped(t *testing.T) {
	m := mustLoad(t, shippedProject(t))
	require.Empty(t, contract.Validate(m))
	require.Len(t, m.Packages, 1)
	var names []string
	for _, tool := range m.Packages[0].Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	require.Equal(t, []string{"interrupt_agent", "job_kill", "job_list", "job_output", "list_agents", "report", "send_message", "subagent"}, names)
}

// I1: the same inputs give the same model, in whatever order packages and files are found.
func TestOrderDoesNotMatter(t *testing.T) {
	files := map[string]string{
		"spec/shop/a.cue":  header + "tools: first: {description: \"One.\", params: {z: {type: string, doc: \"Z.\"}, a: {type: int, doc: \"A.\"}}}\n",
		"spec/shop/b.cue":  "package shop\n\ntools: second: {description: \"Two.\", params: {}}\nenums: e: values: {x: doc: \"X.\"}\n",
		"spec/other/c.cue": strings.Replace(header, "package shop", "package other", 1) + "tools: third: {description: \"Three.\", params: {}}\n",
	}
	want := dump(t, mustLoad(t, project(t, files)))
	for range 5 {
		p := project(t, files)
		slices.Reverse(p.Packages)
		require.Equal(t, want, dump(t, mustLoad(t, p)))
	}
	p := project(t, files)
	reverseFiles(t, p)
	require.Equal(t, want, dump(t, mustLoad(t, p)))
}

// reverseFiles makes the loader see each package's files in the reverse order.
func reverseFiles(t testing.TB, p *Project) {
	t.Helper()
	p.arrange = func(files []string) { slices.Reverse(files) }
}

// Order is that of the source: fields under a condition and fields that come by reference stand where they are written.
func TestSourceOrder(t *testing.T) {
	m := mustLoad(t, spec(t, `
_page: {
	limit: {type: int, doc: "L."}
	after: {type: string, doc: "A."}
}
tools: find: {
	options: {deep: *true | false, old: *false | true}
	let also = {also: {type: string, doc: "B."}}
	params: {
		zeta: {type: string, doc: "Z."}
		if options.deep {
			mid: {type: bool, doc: "M."}
		}
		_page
		if options.old {
			old: {type: bool, doc: "O."}
		}
		alpha: {type: string, doc: "A."}
		also
	}
	clauses: {
		z: "Z."
		if options.deep {y: "Y."}
		x: "X."
	}
}
tools: find: params: last: {type: {b: int, if true {a: int}, c?: int}, doc: "T."}
`))
	tool := m.Packages[0].Tools[0]
	var got []string
	for _, a := range tool.Args {
		got = append(got, a.Name)
	}
	require.Equal(t, []string{"zeta", "mid", "limit", "after", "old", "alpha", "also", "last"}, got)
	var clauses []string
	for _, c := range tool.Variants[0].Clauses {
		clauses = append(clauses, c.ID)
	}
	require.Equal(t, []string{"z", "y", "x"}, clauses)
	var props []string
	for _, f := range tool.Arg("last").Type.Fields {
		props = append(props, f.Name)
	}
	require.Equal(t, []string{"b", "a", "c"}, props)
}

// Variants: combinations count with the last option turning fastest, equal ones are stored once, rejected ones carry
// their reason.
func TestVariants(t *testing.T) {
	m := mustLoad(t, spec(t, `
tools: find: {
	options: {
		mode: "slow" | *"fast" | "odd"
		log:  *false | true
		top:  int | *7
	}
	if options.mode == "odd" && options.log {error("odd mode keeps no log")}
	description: "Finds."
	params: {
		if options.mode != "fast" {
			depth: {type: int, default: 3, doc: "Depth."}
		}
	}
	if options.mode == "fast" {fixed: depth: 1}
}
`))
	tool := m.Packages[0].Tools[0]
	require.Equal(t, []string{"fast", "slow", "odd"}, tool.Options[0].Values, "the default first, then the order of the source")
	require.Equal(t, contract.OptionOpen, tool.Options[2].Kind)
	require.Len(t, tool.Variants, 2)
	var got []string
	for _, c := range tool.Combinations {
		got = append(got, strings.Join(c.Select, " ")+": "+string(rune('0'+c.Variant+1))+c.Rejected)
	}
	require.Equal(t, []string{"fast false: 1", "fast true: 1", "slow false: 2", "slow true: 2", "odd false: 2", "odd true: 0odd mode keeps no log"}, got)
	require.Equal(t, "1", string(tool.Variants[0].FixedValue("depth")))
	require.Equal(t, []string{"mode"}, tool.RemovedBy(0, "depth"))
	require.False(t, tool.Arg("depth").Opt)
}

// Markers: texts come back as literals and references, and say the same when they are rendered (I11).
func TestTexts(t *testing.T) {
	m := mustLoad(t, spec(t, `
enums: color: values: {red: doc: "Red.", blue: doc: "Blue."}
tools: other: {description: "Other.", params: p: {type: string, doc: "P."}}
tools: find: {
	description: "Use `+"`\\(tools.other.name)` with `\\(tools.other.params.p.name)`, never \\(enums.color.values.red.word); not \\(params.q.name)"+`."
	params: q: {type: enums.color.type, default: "blue", doc: "Q of \(tools.find.name), or \(default)."}
}
`))
	var find *contract.Tool
	for _, x := range m.Packages[0].Tools {
		if x.Name == "find" {
			find = x
		}
	}
	v := find.Variants[0]
	require.Equal(t, "Use `other` with `p`, never red; not q.", v.Description().Render(nil))
	require.Equal(t, "Use `OTHER` with `p`, never red; not q.", v.Description().Render(strings.ToUpper))
	refs := v.Description().Refs()
	require.Len(t, refs, 4)
	require.Equal(t, contract.Segment{Tool: "other", Param: "p", Pos: refs[1].Pos}, refs[1])
	require.Equal(t, contract.Segment{Enum: "color", Word: "red", Pos: refs[2].Pos}, refs[2])
	require.Equal(t, "Q of find, or blue.", v.Params[0].Doc.Render(nil))
	require.Equal(t, &contract.EnumRef{Package: "example.com/shop/spec/shop", Name: "color"}, v.Params[0].Type.EnumRef)
	require.Equal(t, []string{"red", "blue"}, v.Params[0].Type.Enum)
}

func TestFindRoot(t *testing.T) {
	p := spec(t, "")
	root, err := FindRoot(filepath.Join(p.Root, "spec", "shop"))
	require.NoError(t, err)
	require.Equal(t, p.Root, root)
	_, err = FindRoot(string(filepath.Separator))
	require.ErrorIs(t, err, ErrNoProject)
}

// Within a module, a folder with a cue.mod and specs is a project of its own; one with either alone is not.
func TestFindRootWithin(t *testing.T) {
	p := spec(t, "")
	for _, dir := range []string{"both/spec/desk", "both/cmd", "cue/deep", "specs/spec/x", "odd/spec"} {
		require.NoError(t, os.MkdirAll(filepath.Join(p.Root, filepath.FromSlash(dir)), 0o755))
	}
	for _, dir := range []string{"both", "cue"} {
		require.NoError(t, os.MkdirAll(filepath.Join(p.Root, dir, "cue.mod"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(p.Root, dir, "cue.mod", "module.cue"), []byte("module: \"example.com/x@v0\"\nlanguage: version: \"v0.17.0\"\n"), 0o644))
	}
	require.NoError(t, os.WriteFile(filepath.Join(p.Root, "odd", "cue.mod"), nil, 0o644))
	for dir, want := range map[string]string{
		"both/spec/desk": "both", "both/cmd": "both", "both": "both", "cue/deep": ".", "specs/spec/x": ".", "odd/spec": ".",
	} {
		root, err := FindRoot(filepath.Join(p.Root, filepath.FromSlash(dir)))
		require.NoError(t, err, dir)
		require.Equal(t, filepath.Join(p.Root, want), root, dir)
		within, err := OpenProject(root)
		require.NoError(t, err)
		require.Equal(t, path.Join(p.Module, want), within.Module)
	}
}

// The dependency on toolgen's own module is left out of the module file, since its packages come by overlay; the rest of
// the file counts.
func TestModuleFile(t *testing.T) {
	head := "module: \"example.com/shop@v0\"\nlanguage: version: \"v0.17.0\"\n"
	files := func(deps string) map[string]string {
		return map[string]string{"cue.mod/module.cue": head + deps, "spec/shop/tools.cue": header + "tools: a: {description: \"A.\", params: {}}\n"}
	}
	for _, deps := range []string{
		"deps: {\n\t\"github.com/toolgen-dev/toolgen@v0\": {v: \"v0.1.0\"}\n}\n",
		"deps: {\"github.com/toolgen-dev/toolgen@v0\": {v: \"v0.1.0\"}, }\n",
		"deps: \"github.com/toolgen-dev/toolgen@v0\": v: \"v0.1.0\"\n",
		"",
	} {
		require.Len(t, mustLoad(t, project(t, files(deps))).Packages[0].Tools, 1, deps)
	}
	res, err := Load(project(t, files("deps: {\n\t\"github.com/toolgen-dev/toolgen@v7\": {v: \"v7.1.0\"}\n}\n")))
	require.NoError(t, err)
	require.Len(t, res.Findings, 1)
	require.Equal(t, "module-version", res.Findings[0].Rule)
	require.Equal(t, diag.Position{File: "cue.mod/module.cue", Line: 4, Column: 2}, res.Findings[0].Pos)
}

// A prompt that is a link out of the project brings nothing in.
func TestPromptLink(t *testing.T) {
	p := project(t, map[string]string{
		"spec/shop/tools.cue": header + "tools: a: {description: \"A.\", params: {}, sections: s: {order: 100, file: \"shop/x.md\"}}\n",
		"prompts/shop/y.md":   "Y.\n",
	})
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o644))
	require.NoError(t, os.Symlink(secret, filepath.Join(p.Root, "prompts", "shop", "x.md")))
	res, err := Load(p)
	require.NoError(t, err)
	require.Len(t, res.Findings, 1)
	require.Equal(t, "section-file", res.Findings[0].Rule)
	require.NotContains(t, dump(t, res.Model), "secret")
}

// I11: a text of a variant is its segments, rendered; nothing is added or lost. The edition that users see gives every
// text as plain CUE does, without markers; the extraction edition must give the same texts once its references are
// rendered.
func TestEditionsAgree(t *testing.T) {
	extracted := mustLoad(t, shippedProject(t))
	p := shippedProject(t)
	p.plain = true
	plain := mustLoad(t, p)
	texts := func(m *contract.Model) (out []string) {
		add := func(name string, text contract.Text) { out = append(out, name+": "+text.Render(nil)) }
		for _, pkg := range m.Packages {
			for _, e := range pkg.Enums {
				for _, w := range e.Values {
					add(e.Name+"."+w.Word, w.Doc)
				}
			}
			for _, tool := range pkg.Tools {
				for _, v := range tool.Variants {
					for _, c := range v.Clauses {
						add(tool.Name+"/"+c.ID, c.Text)
					}
					for _, q := range v.Params {
						add(tool.Name+"."+q.Name, q.Doc)
					}
					for _, s := range v.Sections {
						add(tool.Name+"#"+s.Label, s.Text)
					}
				}
				for _, r := range tool.Results {
					add(tool.Name+"="+r.Name, contract.Literal(r.Render))
				}
			}
		}
		return out
	}
	refs := 0
	for _, tool := range extracted.Packages[0].Tools {
		for _, v := range tool.Variants {
			for _, c := range v.Clauses {
				refs += len(c.Text.Refs())
			}
		}
	}
	require.Greater(t, refs, 20, "the extraction edition shows references")
	want, got := texts(plain), texts(extracted)
	require.Len(t, got, len(want))
	for i := range want {
		require.Equal(t, want[i], got[i])
	}
}

// An example beside an open option is no dependence on it, and null beside a struct leaves its fields.
func TestOpenOptionBesideExample(t *testing.T) {
	m := mustLoad(t, spec(t, `
tools: find: {
	options: top: int | *3
	description: "F."
	params: q: {type: null | {x!: int, y?: string}, doc: "Q."}
	examples: [{args: {q: null}}]
}
`))
	v := m.Packages[0].Tools[0].Variants[0]
	require.Len(t, v.Examples, 1)
	require.True(t, v.Params[0].Type.Nullable)
	require.Len(t, v.Params[0].Type.Fields, 2)
}

// Constraints of one kind add up to the tightest.
func TestTightest(t *testing.T) {
	p := project(t, map[string]string{"spec/shop/tools.cue": strings.Replace(header, "import", "import \"strings\"\nimport \"list\"\nimport", 1) + `
tools: find: {description: "F.", params: {
	q: {type: strings.MinRunes(5) & strings.MinRunes(2) & strings.MaxRunes(7) & strings.MaxRunes(9), doc: "Q."}
	l: {type: [...int] & list.MinItems(1) & list.MinItems(3) & list.MaxItems(9) & list.MaxItems(4), doc: "L."}
	n: {type: int & >=1 & >3 & <=9 & <9, doc: "N."}
}}
`})
	v := mustLoad(t, p).Packages[0].Tools[0].Variants[0]
	for _, q := range v.Params[:2] {
		require.Equal(t, map[string]int64{"q": 5, "l": 3}[q.Name], *q.Type.MinLen, q.Name)
		require.Equal(t, map[string]int64{"q": 7, "l": 4}[q.Name], *q.Type.MaxLen, q.Name)
	}
	n := v.Params[2].Type
	require.Equal(t, "3 true 9 true", fmt.Sprint(n.Min, " ", n.ExclusiveMin, " ", n.Max, " ", n.ExclusiveMax))
}

func TestCUEModule(t *testing.T) {
	for mod, want := range map[string]string{
		"example.com/shop": "example.com/shop@v0", "example.com/shop/v2": "example.com/shop@v2", "shop": "local.test/shop@v0",
		"github.com/Azure/X": "github.com/azure/x@v0", "example.com/é": "example.com/x@v0", "example.com/_x": "example.com/x@v0", "example.com/a~b": "example.com/a-b@v0",
	} {
		require.Equal(t, want, cueModule(mod), mod)
		files := map[string]string{"go.mod": "module " + mod + "\n", "spec/shop/tools.cue": header + "tools: a: {description: \"A.\", params: {}}\n"}
		require.Len(t, mustLoad(t, project(t, files)).Packages, 1, mod)
	}
	require.Equal(t, "example.com/a", modulePath([]byte("// x\nmodule (\n\texample.com/a // y\n)\n")))
	require.Equal(t, "example.com/a", modulePath([]byte("module \"example.com/a\"\n")))
}

// A prompt file with other line ends gives the same text.
func TestLineEnds(t *testing.T) {
	text := func(src string) string {
		m := mustLoad(t, project(t, map[string]string{
			"spec/shop/tools.cue": header + "tools: a: {description: \"A.\", params: {}, sections: s: {order: 100, file: \"shop/x.md\"}}\n", "prompts/shop/x.md": src}))
		return m.Packages[0].Tools[0].Variants[0].Sections[0].Text.Render(nil)
	}
	require.Equal(t, text("A.\n\nB {{a}}.\n"), text("A.\r\n\r\nB {{a}}.\r\n"))
}

// Whatever cannot be read as an input is said, with its place: nothing is skipped in silence, and nothing hangs.
func TestOddSources(t *testing.T) {
	good := header + "tools: a: {description: \"A.\", params: {}}\n"
	for name, c := range map[string]struct {
		make func(root string) error
		want string
	}{
		"file that CUE leaves out": {func(root string) error {
			return os.WriteFile(filepath.Join(root, "spec/shop/search_tool.cue"), []byte("package shop\n"), 0o644)
		}, "spec/shop/search_tool.cue source-file"},
		"named pipe":    {func(root string) error { return syscall.Mkfifo(filepath.Join(root, "spec/shop/f.cue"), 0o644) }, "spec/shop/f.cue source-file"},
		"link out":      {func(root string) error { return os.Symlink("/etc/hostname", filepath.Join(root, "spec/shop/l.cue")) }, "spec/shop/l.cue source-file"},
		"linked folder": {func(root string) error { return os.Symlink("shop", filepath.Join(root, "spec/other")) }, "spec/other source-file"},
		"not UTF-8": {func(root string) error {
			return os.WriteFile(filepath.Join(root, "spec/shop/b.cue"), []byte("package shop\n\n// \xff\n"), 0o644)
		}, "spec/shop/b.cue:3:4 source-file"},
		"NUL": {func(root string) error {
			return os.WriteFile(filepath.Join(root, "spec/shop/b.cue"), []byte("package shop\x00\n"), 0o644)
		}, "spec/shop/b.cue:1:13 source-file"},
	} {
		p := project(t, map[string]string{"spec/shop/tools.cue": good})
		require.NoError(t, c.make(p.Root), name)
		p, err := OpenProject(p.Root)
		require.NoError(t, err, name)
		res, err := Load(p)
		require.NoError(t, err, name)
		require.Len(t, res.Findings, 1, name)
		require.Equal(t, c.want, res.Findings[0].Pos.String()+" "+res.Findings[0].Rule, name)
	}
}

// Only nesting counts, not how much there is: a file of many texts with references is flat.
func TestManyTextsAreNotDeep(t *testing.T) {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "tools: t%d: {params: q: {type: int, default: %d, doc: \"A \\(default) (b) \\(params.q.name)) {.\"}, description: \"\"\"\n\tOf \\(tools.t%d.params.q.name).\n\t\"\"\"}\n", i, i, i)
	}
	require.Len(t, mustLoad(t, spec(t, b.String())).Packages[0].Tools, 400)
}

// Characters that nobody sees are found where they are, in every file that becomes text, once per run and instead of
// what CUE makes of them.
func TestHiddenUnicode(t *testing.T) {
	spec := func(s string) map[string]string {
		return map[string]string{"spec/shop/tools.cue": header + "tools: a: {description: \"" + s + "\", params: {}}\n"}
	}
	const emoji = "; of an emoji that is made with such characters keep the plain one"
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"nothing":     {spec("Grüße, 日本 👍🏽 ❤\ufe0f\t\\u00e9."), nil},
		"CRLF":        {map[string]string{"spec/shop/tools.cue": strings.ReplaceAll(header+"tools: a: {description: \"A.\", params: {}}\n", "\n", "\r\n")}, nil},
		"override":    {spec("Aé\u202eb"), []string{"spec/shop/tools.cue:8:29 hidden-unicode the file has a right-to-left override (U+202E), which nobody sees and a model reads; delete it"}},
		"two runs":    {spec("\u200b\u200ba\u2066"), []string{"spec/shop/tools.cue:8:26 hidden-unicode the file has 2 zero-width spaces (U+200B), which nobody sees and a model reads; delete them", "spec/shop/tools.cue:8:33 hidden-unicode the file has a left-to-right isolate (U+2066), which nobody sees and a model reads; delete it"}},
		"joined":      {spec("👩\u200d💻"), []string{"spec/shop/tools.cue:8:30 hidden-unicode the file has a zero-width joiner (U+200D), which nobody sees and a model reads; delete it" + emoji}},
		"tags":        {spec("\U000e0041"), []string{"spec/shop/tools.cue:8:26 hidden-unicode the file has a tag character (U+E0041), which nobody sees and a model reads; delete it" + emoji}},
		"control":     {spec("\x01"), []string{"spec/shop/tools.cue:8:26 hidden-unicode the file has a control character (U+0001), which nobody sees and a model reads; delete it"}},
		"comment":     {map[string]string{"spec/shop/tools.cue": header + "// A\u2028.\ntools: a: {description: \"A.\", params: {}}\n"}, []string{"spec/shop/tools.cue:8:5 hidden-unicode the file has a line separator (U+2028), which nobody sees and a model reads; delete it"}},
		"label":       {map[string]string{"spec/shop/tools.cue": header + "tools: a\u00ad: {description: \"A.\", params: {}}\n"}, []string{"spec/shop/tools.cue:8:9 hidden-unicode the file has a soft hyphen (U+00AD), which nobody sees and a model reads; delete it"}},
		"mark within": {spec("a\ufeff"), []string{"spec/shop/tools.cue:8:27 hidden-unicode the file has a zero-width no-break space (U+FEFF), which nobody sees and a model reads; delete it"}},
		"mark before": {map[string]string{"spec/shop/tools.cue": "\ufeff" + header + "tools: a: {description: \"A\u202e.\", params: {}}\n"}, []string{"spec/shop/tools.cue:1:1 source-file the file has a byte-order mark; save it as UTF-8 text without a byte-order mark"}},
		"no UTF-8":    {spec("\u202e\xff"), []string{"spec/shop/tools.cue:8:29 source-file the file has bytes that are not UTF-8; save it as UTF-8 text without a byte-order mark"}},
		"prompt": {map[string]string{"spec/shop/tools.cue": header + "tools: a: {description: \"A.\", params: {}, sections: s: {order: 100, file: \"shop/x.md\"}}\n", "prompts/shop/x.md": "# A\n\nb \u202dc\n"},
			[]string{"prompts/shop/x.md:3:3 hidden-unicode the file has a left-to-right override (U+202D), which nobody sees and a model reads; delete it"}},
		"imported": {map[string]string{"spec/shop/tools.cue": strings.Replace(header, "import", "import \"example.com/shop/common\"\nimport", 1) + "tools: a: {description: common.#text, params: {}}\n", "common/c.cue": "package common\n\n#text: \"A\u2064.\"\n"},
			[]string{"common/c.cue:3:10 hidden-unicode the file has an invisible operator (U+2064), which nobody sees and a model reads; delete it"}},
	} {
		res, err := Load(project(t, c.files))
		require.NoError(t, err, name)
		var got []string
		for _, f := range res.Findings {
			got = append(got, f.Pos.String()+" "+f.Rule+" "+f.Message+"; "+f.Fix)
		}
		require.Equal(t, c.want, got, name)
	}
	res, err := Load(project(t, spec(strings.Repeat("a\u200b", 250))))
	require.NoError(t, err)
	require.Len(t, res.Findings, maxHidden)
	require.Contains(t, res.Findings[maxHidden-1].Message, "; behind it are 150 more")
}
