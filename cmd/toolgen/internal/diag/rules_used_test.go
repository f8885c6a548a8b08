package diag

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every rule that the generator's source names has a page, and every page's rule is named in the source: a finding that
// cannot be explained, or a page of a rule that is gone, is a fault.
func TestRulesAreThoseOfTheSource(t *testing.T) {
	literal := regexp.MustCompile(`"([a-z]+(?:-[a-z]+)*)"`)
	used := map[string]bool{}
	err := filepath.WalkDir("..", func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for line := range strings.SplitSeq(string(src), "\n") {
			for _, m := range literal.FindAllStringSubmatch(line, -1) {
				if regexp.MustCompile(`[Rr]ule|return`).MatchString(line) || strings.Contains(m[1], "-") {
					used[m[1]] = true
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, r := range Rules() {
		known[r.ID] = true
		if !used[r.ID] {
			t.Errorf("the page %s explains a rule that nothing reports", r.ID)
		}
	}
	inRule := regexp.MustCompile(`Rule:\s*"([a-z-]+)"|\.Rule = "([a-z-]+)"`)
	if err := filepath.WalkDir("..", func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, m := range inRule.FindAllStringSubmatch(string(src), -1) {
			if id := m[1] + m[2]; !known[id] {
				t.Errorf("%s reports %s, which has no page", name, id)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
