package cli

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// moreMutationPairs is how many pairs a run tries beside those that are always tried.
var moreMutationPairs = flag.Int("pairs", 0, "try this many further pairs of mutations")

// What check says of two faults is what it says of each: none hides the other, and none makes another of it.
func TestMutationPairs(t *testing.T) {
	files := projectFiles(t)
	type single struct {
		mutation
		edited []string // files
		found  diag.Findings
	}
	var all []single
	for _, m := range slices.Concat(referenceMutations(), toolMutations(), specMutations(), proseMutations(), reachMutations()) {
		p := copyOf(t, files)
		m.edit(p)
		s := single{m, p.changed(), p.check()}
		for i, f := range s.edited {
			// A prompt is a part of its tool.
			s.edited[i] = strings.NewReplacer(delegation, subagentCue, reporting, controlCue).Replace(f)
		}
		if why := alone(m.name); why == "" {
			all = append(all, s)
		}
	}
	const pairs = 60
	r := rand.New(rand.NewPCG(4, 27))
	for tried := 0; tried < pairs+*moreMutationPairs; {
		a, b := all[r.IntN(len(all))], all[r.IntN(len(all))]
		if related(a.edited, b.edited, a.found, b.found) {
			continue
		}
		tried++
		t.Run(a.name+", and "+b.name, func(t *testing.T) {
			t.Parallel()
			p := copyOf(t, files)
			a.edit(p)
			b.edit(p)
			want := slices.Concat(a.found, b.found).Sorted()
			if got := p.check(); !slices.Equal(brief(want), brief(got)) {
				t.Errorf("want\n%s\ngot\n%s", strings.Join(brief(want), "\n"), strings.Join(brief(got), "\n"))
			}
		})
	}
}

// related reports whether two mutations are of one file, or of one tool, or whether one says something of what the other
// has changed.
func related(filesA, filesB []string, a, b diag.Findings) bool {
	touch := func(files []string, found diag.Findings) bool {
		return slices.ContainsFunc(found, func(f diag.Finding) bool {
			return slices.Contains(files, f.Pos.File) || slices.ContainsFunc(f.Related, func(r diag.Related) bool { return slices.Contains(files, r.Pos.File) })
		})
	}
	for _, f := range filesA {
		if slices.Contains(filesB, f) {
			return true
		}
	}
	return touch(filesA, b) || touch(filesB, a)
}

// brief are findings as far as a second fault may not change them: what a message lists may.
func brief(found diag.Findings) []string {
	var out []string
	for _, f := range found {
		out = append(out, fmt.Sprintf("%s %s", f.Pos, f.Rule))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// changed are the files in which the copy differs from what was copied.
func (p *copied) changed() []string {
	p.Helper()
	now := projectFilesBelow(p, p.root)
	var out []string
	for name, data := range now {
		if old, ok := p.files[name]; !ok || string(old) != string(data) {
			out = append(out, name)
		}
	}
	for name := range p.files {
		if _, ok := now[name]; !ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// alone gives the reason why a mutation is not tried together with others.
func alone(name string) string {
	const language = "without the language nothing says what a tool is"
	return map[string]string{
		"language dropped":                       language,
		"import that does not exist":             language,
		"module that names a version of toolgen": language,
	}[name]
}

// Beside a finding of a text, what is wrong with the output is said too, but for what generate mends by itself; beside
// one of a spec it waits.
func TestMutationPairsOfOutput(t *testing.T) {
	files := projectFiles(t)
	text := add(jobsCue, "\n// As \u202ethis.") // changes nothing that is generated, but for the record of it
	spec := drop(jobsCue, "tools: job_list…description: ")
	mended := []string{"output-stale", "output-missing", "lock-stale", "lock-missing"}
	for _, m := range outputMutations() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			p := copyOf(t, files)
			m.edit(p)
			if slices.Contains(p.changed(), jobsCue) {
				t.Skip("changes the same file")
			}
			want := slices.DeleteFunc(p.check(), func(f diag.Finding) bool { return slices.Contains(mended, f.Rule) || f.Pos.File == "toolgen.lock" })
			text(p)
			found := p.check()
			hidden := slices.IndexFunc(found, func(f diag.Finding) bool { return f.Rule == "hidden-unicode" })
			if hidden < 0 || !slices.Equal(brief(want), brief(slices.Delete(found, hidden, hidden+1))) {
				t.Errorf("want hidden-unicode and\n%s\ngot\n%s", strings.Join(brief(want), "\n"), strings.Join(brief(found), "\n"))
			}
			spec(p)
			for _, f := range p.check() {
				if f.Rule != "hidden-unicode" && f.Rule != "text-missing" {
					t.Errorf("not expected: %s", f)
				}
			}
		})
	}
}
