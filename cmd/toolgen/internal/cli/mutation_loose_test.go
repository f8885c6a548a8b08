package cli

import (
	"slices"
	"testing"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
)

// placed reports whether the loader gives the place of each byte of a text. Until it does, findings of prose stand where
// their text begins.
func placed(t *testing.T) bool {
	t.Helper()
	for _, tool := range shipped(t, nil).Packages[0].Tools {
		for _, cl := range tool.Variants[0].Clauses {
			if slices.ContainsFunc(cl.Text, func(s contract.Segment) bool { return len(s.Places) > 0 }) {
				return true
			}
		}
	}
	return false
}

// placedMutations are those that nothing finds until then.
func placedMutations() []mutation {
	return []mutation{
		{"control of direction in a comment",
			before(jobsCue, "tools: job_list", "// As \u202ethis.\n"),
			finds("hidden-unicode", jobsCue, "As ‸\u202ethis")},
	}
}

func TestProseMutations(t *testing.T) {
	files, strict := projectFiles(t), placed(t)
	all := proseMutations()
	if strict {
		all = append(all, placedMutations()...)
	}
	for _, m := range all {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			p := copyOf(t, files)
			p.loose = !strict
			m.edit(p)
			p.expect(m.want)
		})
	}
}
