package diag

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPages holds every page to one form, so that adding a rule is adding a file.
func TestPages(t *testing.T) {
	title := regexp.MustCompile(`^# ([a-z]+(?:-[a-z]+)*): (\S.*[^.\s])$`)
	entries, err := pages.ReadDir(pageFolder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		id := strings.TrimSuffix(e.Name(), pageExt)
		t.Run(id, func(t *testing.T) {
			page, ok := Explain(id)
			if !ok {
				t.Fatal("no such page")
			}
			lines := strings.Split(page, "\n")
			if m := title.FindStringSubmatch(lines[0]); m == nil || m[1] != id {
				t.Errorf("the first line is %q, want # %s: and a summary without a full stop", lines[0], id)
			}
			if len(lines) < 3 || lines[1] != "" || lines[2] == "" || strings.HasPrefix(lines[2], "#") {
				t.Error("the first paragraph does not say what the rule means")
			}
			wrong, fix := slices.Index(lines, "## Wrong"), slices.Index(lines, "## Fix")
			if wrong < 0 || fix < wrong {
				t.Fatalf("want ## Wrong and ## Fix, in this order; they are lines %d and %d", wrong+1, fix+1)
			}
			example := strings.TrimSpace(strings.Join(lines[wrong+1:fix], "\n"))
			if !strings.HasPrefix(example, "```") || !strings.HasSuffix(example, "\n```") || strings.Count(example, "```") != 2 {
				t.Error("## Wrong holds no example, or more than one")
			}
			if strings.TrimSpace(strings.Join(lines[fix+1:], "\n")) == "" {
				t.Error("## Fix is empty")
			}
			for i, line := range lines {
				if len(line) > 130 {
					t.Errorf("line %d has %d bytes, which does not fit a terminal", i+1, len(line))
				}
			}
		})
	}
}

func TestRules(t *testing.T) {
	rules := Rules()
	if !slices.IsSortedFunc(rules, func(a, b RuleInfo) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("not sorted by id")
	}
	i := slices.IndexFunc(rules, func(r RuleInfo) bool { return r.ID == "type-default" })
	if i < 0 || rules[i].Summary != "a default inside a type" {
		t.Errorf("type-default is not listed as it should be: %v", rules)
	}
	for _, id := range []string{"", "no-such-rule", "../rules", "type-default.md", "Type-Default", "*"} {
		if page, ok := Explain(id); ok {
			t.Errorf("Explain(%q) = %q", id, page)
		}
	}
}

func TestNearest(t *testing.T) {
	among := []string{"output-stale", "output-stray", "lock-stale", "run_in_background", "query", "q", "id", "größe"}
	for name, want := range map[string]string{
		"output-stal":        "output-stale",
		"output_stale":       "output-stale",
		"Output-Stale":       "output-stale",
		"output-satle":       "output-stale", // neighbours swapped
		"output-sta":         "output-stale", // and output-stray: the first by name
		"run-in-backgruond":  "run_in_background",
		"runInBackground":    "run_in_background",
		"qury":               "query",
		"grösse":             "größe",
		"query":              "query",
		"di":                 "",
		"x":                  "",
		"":                   "",
		"quantity":           "",
		"output":             "",
		"lock-output-stales": "",
	} {
		got, ok := Nearest(name, among)
		if got != want || ok != (want != "") {
			t.Errorf("Nearest(%q) = %q, %v, want %q", name, got, ok, want)
		}
	}
	if got, _ := Nearest("abcx", []string{"abcz", "abcy"}); got != "abcy" {
		t.Errorf("of two equally near names it is %q", got)
	}
	if got, ok := Nearest(strings.Repeat("a", 1<<20), []string{strings.Repeat("a", 1<<20)}); ok {
		t.Errorf("a very long name was compared: %d bytes", len(got))
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"ca", "abc", 3},
	} {
		if got := distance([]rune(tt.a), []rune(tt.b)); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if got := distance([]rune(tt.b), []rune(tt.a)); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.b, tt.a, got, tt.want)
		}
	}
}
