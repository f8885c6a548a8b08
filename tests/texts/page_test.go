package texts

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"
)

var root = filepath.Join("..", "..")

// TestPage holds docs/texts.md against the catalog; with TOOLGEN_UPDATE it writes the page.
func TestPage(t *testing.T) {
	want := write(t, root)
	file := filepath.Join(root, "docs", "texts.md")
	if os.Getenv("TOOLGEN_UPDATE") != "" {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Error("docs/texts.md is stale: TOOLGEN_UPDATE=1 go test . in tests/texts")
	}
}

func write(t *testing.T, root string) []byte {
	t.Helper()
	page, err := Page(root)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// TestNothingIsLost reads the page back: each variant's description and parameters are there in the order of the catalog,
// and each section, result and notice.
func TestNothingIsLost(t *testing.T) {
	src, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	rest := string(write(t, root))
	_, rest, _ = strings.Cut(rest, "\n## `")
	follow := func(text string) {
		t.Helper()
		_, after, ok := strings.Cut(rest, text)
		if !ok {
			t.Fatalf("the page lacks, or has too early: %s", text)
		}
		rest = after
	}
	block := regexp.MustCompile("(?s)```json\n(.*?)\n```")
	for _, tool := range src.tools {
		for _, v := range tool.Variants {
			follow("\n> " + v.Description + "\n")
			params, err := v.compact()
			if err != nil {
				t.Fatal(err)
			}
			var have bytes.Buffer
			if err := json.Compact(&have, []byte(block.FindStringSubmatch(rest)[1])); err != nil || have.String() != params {
				t.Errorf("%s: %s, not %s (%v)", tool.Name, &have, params, err)
			}
		}
		for _, s := range src.sections {
			if s.Tool == tool.Name {
				follow("\n```text\n" + s.Text + "\n```\n")
			}
		}
		for _, r := range tool.results {
			follow("\n```text\n" + strings.TrimSuffix(r.Render, "\n") + "\n```\n")
			if r.List {
				follow("\n```text\n" + r.Empty + "\n```\n")
			}
		}
	}
	for _, n := range src.notices {
		follow("\n```text\n" + n.Render + "\n```\n")
	}
}

// TestStale changes one word of the catalog, of a section and of a notice: each gives another page.
func TestStale(t *testing.T) {
	was := write(t, root)
	for _, c := range []struct{ file, old, new string }{
		{"catalog/catalog.json", "Stops a background job", "Halts a background job"},
		{"catalog/sections.json", "exactly one final report", "one final report"},
		{"gen/contracts.json", "Settlement notice of", "Notice of"},
	} {
		dir := t.TempDir()
		for _, name := range []string{"catalog/catalog.json", "catalog/sections.json", "gen/contracts.json"} {
			data, err := os.ReadFile(filepath.Join(root, name))
			if err != nil {
				t.Fatal(err)
			}
			if name == c.file {
				if !bytes.Contains(data, []byte(c.old)) {
					t.Fatalf("%s does not say %q", name, c.old)
				}
				data = bytes.ReplaceAll(data, []byte(c.old), []byte(c.new))
			}
			if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if now := write(t, dir); bytes.Equal(was, now) || !bytes.Contains(now, []byte(c.new)) {
			t.Errorf("%s: the page does not follow", c.file)
		}
	}
	if _, err := Page(t.TempDir()); err == nil || !strings.Contains(err.Error(), ".json") {
		t.Errorf("without a catalog: %v", err)
	}
}

// TestSize counts characters and not bytes, and tokens of the encoding that the page names.
func TestSize(t *testing.T) {
	codec, err := tokenizer.Get(encoding)
	if err != nil {
		t.Fatal(err)
	}
	p := &page{codec: codec}
	for text, want := range map[string]size{"": {}, "hello world": {11, 2}, "é—": {2, 2}} {
		if have, err := p.size(text); err != nil || have != want {
			t.Errorf("%q: %v, %v", text, have, err)
		}
	}
	if have, err := p.size("hello world", "hello world"); err != nil || have != (size{22, 4}) {
		t.Errorf("two: %v, %v", have, err)
	}
}

// TestLabels names variants by what tells them apart, and falls back to all where that would not be true.
func TestLabels(t *testing.T) {
	tool := &shownTool{options: []string{"a", "b"}, choices: []choice{{"a": "1", "b": "x"}, {"a": "1", "b": "y"}, {"a": "2", "b": "x"}, {"a": "2", "b": "y"}}}
	for _, c := range []struct {
		of   []int
		want string
	}{
		{[]int{0}, "`a=1`, `b=x`"},
		{[]int{0, 2}, "`b=x`"},
		{[]int{0, 1, 2, 3}, "–"},
		{[]int{0, 3}, "`a=1`, `b=x`; `a=2`, `b=y`"},
		{[]int{0, 1, 2}, "`a=1`, `b=x`; `a=1`, `b=y`; `a=2`, `b=x`"},
	} {
		var of []choice
		for _, i := range c.of {
			of = append(of, tool.choices[i])
		}
		if have := tool.label(of); have != c.want {
			t.Errorf("%v: %s, not %s", c.of, have, c.want)
		}
	}
}
