package cli

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/load"
)

// Rules whose faults an evaluation of the page's example cannot show here: most are not in a spec or a prompt. Each
// has a script below cmd/toolgen/testdata/script instead, which is named here.
var notOfSpecs = map[string]string{
	"lock-missing":   "edited.txtar",
	"lock-stale":     "default.txtar",
	"output-edited":  "edited.txtar",
	"output-missing": "generate.txtar",
	"output-mode":    "edited.txtar",
	"output-outside": "outside.txtar",
	"output-stale":   "default.txtar",
	"output-stray":   "generate.txtar",
	"spec-bounds":    "bounds.txtar", // an evaluation that goes on needs a process of its own
}

// Findings that an example may give beside its own. Examples leave out what has nothing to do with their rule.
var besides = []string{"text-missing"}

// The example of each page breaks the rule that the page explains, and no other: a reader who tries it sees what is
// described.
func TestExamplesGiveTheirRule(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range diag.Rules() {
		if _, out := notOfSpecs[r.ID]; out {
			seen[r.ID] = true
			continue
		}
		t.Run(r.ID, func(t *testing.T) {
			page, ok := diag.Explain(r.ID)
			require.True(t, ok)
			root := t.TempDir()
			for name, data := range exampleProject(t, page) {
				file := filepath.Join(root, filepath.FromSlash(name))
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
				require.NoError(t, os.WriteFile(file, []byte(data), 0o644))
			}
			p, err := load.OpenProject(root)
			require.NoError(t, err)
			b := &build{project: p}
			require.NoError(t, b.evaluate(load.Bounds{}))
			found := false
			for _, f := range b.findings {
				found = found || f.Rule == r.ID
				if f.Rule != r.ID && !slices.Contains(besides, f.Rule) {
					t.Errorf("the example also gives: %s", f)
				}
			}
			if !found {
				t.Errorf("the example gives no finding of %s, but %v", r.ID, b.findings)
			}
		})
	}
	for id, script := range notOfSpecs {
		if !seen[id] {
			t.Errorf("%s is left out here and is no rule", id)
		}
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "script", script))
		require.NoError(t, err)
		require.Regexp(t, `\[`+id+`\\?\]`, string(data), "%s does not test %s", script, id)
	}
}

// fence is a fenced block: its language, the file that it is, and its text.
var fence = regexp.MustCompile("(?ms)^```([a-z]+)(?: (\\S+))?\n(.*?)^```$")

// exampleProject makes a project of what a page shows under "Wrong". A block of CUE or Markdown that names no file is
// spec/shop/tools.cue or prompts/shop/usage.md; other files are named in the block's info string. CUE without a package
// clause gets what every spec has. Where spec/shop/tools.cue is not shown it declares a tool find, whose section is
// prompts/shop/usage.md if that is shown.
func exampleProject(t *testing.T, page string) map[string]string {
	t.Helper()
	_, wrong, found := strings.Cut(page, "\n## Wrong\n")
	require.True(t, found)
	wrong, _, found = strings.Cut(wrong, "\n## Fix\n")
	require.True(t, found)
	files := map[string]string{"go.mod": "module example.com/shop\n\ngo 1.26\n"}
	for _, m := range fence.FindAllStringSubmatch(wrong, -1) {
		lang, name, text := m[1], m[2], m[3]
		switch {
		case lang == "cue" && name == "":
			name = "spec/shop/tools.cue"
		case lang == "md" && name == "":
			name = "prompts/shop/usage.md"
		}
		require.NotEmpty(t, name, "a block of %s names no file", lang)
		require.NotContains(t, files, name)
		if strings.HasPrefix(name, "spec/") {
			text = wholeSpec(path.Base(path.Dir(name)), text)
		}
		files[name] = text
	}
	require.Greater(t, len(files), 1, "the page shows no example")
	if files["spec/shop/tools.cue"] == "" { // something for other files to be beside
		find := "tools: find: {\n\tdescription: \"Finds.\"\n\tparams: {}\n"
		if files["prompts/shop/usage.md"] != "" {
			find += "\tsections: usage: {order: 120, file: \"shop/usage.md\"}\n"
		}
		files["spec/shop/tools.cue"] = wholeSpec("shop", find+"}\n")
	}
	return files
}

// wholeSpec adds what every spec file begins with, unless the example shows it itself.
func wholeSpec(pkg, text string) string {
	if regexp.MustCompile(`(?m)^package `).MatchString(text) {
		return text
	}
	const head = "import \"github.com/toolgen-dev/toolgen/spec/toolspec\"\n\n"
	const fields = "tools: toolspec.#Tools\nenums: toolspec.#Enums\nnotices: toolspec.#Notices\n\n"
	imports, rest := "", text
	for strings.HasPrefix(rest, "import \"") {
		line, after, _ := strings.Cut(rest, "\n")
		imports, rest = imports+line+"\n", strings.TrimLeft(after, "\n")
	}
	return "package " + pkg + "\n\n" + imports + head + fields + rest
}
