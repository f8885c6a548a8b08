package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/load"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/render"
)

// manyTools writes a project of n tools of six parameters, each under 2^options variants.
func manyTools(b *testing.B, n, options int) string {
	b.Helper()
	var s strings.Builder
	s.WriteString("package big\n\nimport (\n\t\"strings\"\n\n\t\"github.com/toolgen-dev/toolgen/spec/toolspec\"\n)\n\ntools: toolspec.#Tools\n")
	for i := range n {
		fmt.Fprintf(&s, "tools: search_%d: {\n", i)
		if options > 0 {
			s.WriteString("\toptions: {\n")
			for o := range options {
				fmt.Fprintf(&s, "\t\to%d: *true | false\n", o)
			}
			s.WriteString("\t}\n")
		}
		fmt.Fprintf(&s, "\tclauses: {\n\t\tpurpose: \"Searches archive %d for documents.\"\n", i)
		for o := range options {
			fmt.Fprintf(&s, "\t\tif options.o%d {c%d: \"With %d.\"}\n", o, o, o)
		}
		fmt.Fprintf(&s, `	}
	params: {
		query: {type: strings.MinRunes(1), doc: "What to look for in archive %[1]d."}
		mode: {type: "fast" | "thorough" | "exact", doc: "How to search archive %[1]d."}
		limit: {type: int & >=1 & <=100, default: 10, doc: "How many results of archive %[1]d. Defaults to \(default)."}
		include_archived: {type: bool, default: false, doc: "Whether to look into the archive %[1]d. Defaults to \(default)."}
		tags: {type: [...string], optional: true, doc: "Tags of archive %[1]d."}
		filter: {type: {field!: strings.MinRunes(1), max?: int & >=0}, optional: true, doc: "Filter of archive %[1]d."}
	}
}
`, i)
	}
	root := b.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "spec", "big"), 0o755); err != nil {
		b.Fatal(err)
	}
	for name, src := range map[string]string{"go.mod": "module example.com/big\n\ngo 1.26\n", "spec/big/tools.cue": s.String()} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(src), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return root
}

// BenchmarkGenerate times the stages over many tools: loading (CUE alone, and what is made of it), checking, rendering.
func BenchmarkGenerate(b *testing.B) {
	for _, size := range []struct{ tools, options int }{{100, 0}, {1000, 0}, {100, 3}} {
		root := manyTools(b, size.tools, size.options)
		name := fmt.Sprintf("tools=%d/variants=%d", size.tools, 1<<size.options)
		evaluate := func(b *testing.B) *contract.Model {
			p, err := load.OpenProject(root)
			if err != nil {
				b.Fatal(err)
			}
			res, err := load.Load(p)
			if err != nil || len(res.Findings) > 0 {
				b.Fatal(err, res.Findings)
			}
			return res.Model
		}
		m := evaluate(b)
		b.Run(name+"/load", func(b *testing.B) {
			for b.Loop() {
				evaluate(b)
			}
		})
		b.Run(name+"/validate", func(b *testing.B) {
			for b.Loop() {
				if f := contract.Validate(m); len(f) > 0 {
					b.Fatal(f)
				}
			}
		})
		b.Run(name+"/render", func(b *testing.B) {
			for b.Loop() {
				if _, _, err := render.All(m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
