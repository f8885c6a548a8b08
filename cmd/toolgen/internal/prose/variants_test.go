package prose_test

import (
	"path/filepath"
	"testing"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/load"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/prose"
)

// A list that is true in one variant and lacks a word in another is found, though both have the same text; so is what hides
// in a default and in an example.
func TestVariants(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/shop\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "spec", "shop", "shop.cue"), `package shop

import "github.com/toolgen-dev/toolgen/spec/toolspec"

tools: toolspec.#Tools

tools: find: {
	options: level: *"basic" | "expert"
	description: "Finds: low | high."
	params: {
		if options.level == "basic" {rank: {type: "low" | "high", optional: true, doc: "A rank."}}
		if options.level == "expert" {rank: {type: "low" | "high" | "top", optional: true, doc: "A rank."}}
		q: {type: string, default: "a\u200bb", doc: "What."}
	}
	examples: [{title: "x\u202ey", args: {q: "a\u200bb"}}]
}
`)
	p, err := load.OpenProject(dir)
	if err != nil {
		t.Fatal(err)
	}
	res, err := load.Load(p)
	if err != nil || len(res.Findings) > 0 {
		t.Fatal(err, res.Findings)
	}
	rules := map[string]int{}
	for _, f := range prose.Check(res.Model) {
		rules[f.Path+" "+f.Rule]++
		if f.Pos.Line == 0 {
			t.Errorf("no line: %s", f)
		}
	}
	for _, want := range []string{"tools.find.description closed-list", "tools.find.params.q.default hidden-unicode", "tools.find.examples hidden-unicode"} {
		if rules[want] == 0 {
			t.Errorf("%s is not found: %v", want, rules)
		}
	}
}
