package diag

import (
	"embed"
	"strings"
)

// pages holds one page per rule. A rule is added by adding its page: explain/<rule-id>.md.
//
//go:embed explain/*.md
var pages embed.FS

const (
	pageFolder = "explain"
	pageExt    = ".md"
)

// RuleInfo is a rule in one line.
type RuleInfo struct {
	ID      string
	Summary string
}

// Rules returns every rule, sorted by id.
func Rules() []RuleInfo {
	entries, err := pages.ReadDir(pageFolder)
	if err != nil {
		return nil // cannot be: the folder is embedded
	}
	rules := make([]RuleInfo, 0, len(entries))
	for _, e := range entries {
		id := strings.TrimSuffix(e.Name(), pageExt)
		page, _ := Explain(id)
		title, _, _ := strings.Cut(page, "\n")
		rules = append(rules, RuleInfo{ID: id, Summary: strings.TrimPrefix(title, "# "+id+": ")})
	}
	return rules
}

// Explain returns the page of a rule, in Markdown: what the rule means, an example that breaks it and how to fix that.
// It reports false for a rule that does not exist; [Nearest] over [Rules] may know what was meant.
func Explain(id string) (string, bool) {
	page, err := pages.ReadFile(pageFolder + "/" + id + pageExt)
	if err != nil {
		return "", false
	}
	return string(page), true
}
