// Package diag holds what toolgen reports: findings with a stable rule id, a position, what was expected and how to
// fix it.
//
// Every stage returns findings instead of printing them; the command line sorts, removes doubles and prints them once
// (see [Print]). An error of Go's kind is for what keeps a stage from running at all: an unreadable folder, a full
// disk. Findings are about the user's input and always name a rule, which [Explain] describes.
package diag

import (
	"cmp"
	"fmt"
	"slices"
)

// Position is a place in a file. Line and Column count from 1, columns in bytes, as Go and CUE count them. A zero Line
// means the whole file, an empty File the whole project.
type Position struct {
	File   string `json:"file,omitempty"` // slash-separated, relative to the project's root
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// String gives "file:line:column", leaving out what is unknown.
func (p Position) String() string {
	switch {
	case p.File == "":
		return ""
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Compare orders positions by file, line and column.
func (p Position) Compare(q Position) int {
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

// Related is a further place that a finding speaks of, such as the declaration that a value disagrees with.
type Related struct {
	Pos     Position `json:"pos"`
	Message string   `json:"message"`
}

// Finding is one fault in the user's input or output tree.
type Finding struct {
	Rule    string    `json:"rule"`              // a rule id that Explain knows
	Pos     Position  `json:"pos"`               // where
	Path    string    `json:"path,omitempty"`    // the CUE path, such as tools.find.params.q
	Message string    `json:"message"`           // what is wrong and what was expected
	Fix     string    `json:"fix,omitempty"`     // what to do about it
	Related []Related `json:"related,omitempty"` // other places that matter
}

// String gives the finding on one line, without its fix and related places.
func (f Finding) String() string {
	s := f.Message + " [" + f.Rule + "]"
	if p := f.Pos.String(); p != "" {
		return p + ": " + s
	}
	return s
}

// Findings is a list of findings.
type Findings []Finding

// Add appends a finding.
func (l *Findings) Add(f Finding) { *l = append(*l, f) }

// Sorted returns the findings ordered by position, rule, path and message, each once.
func (l Findings) Sorted() Findings {
	out := slices.Clone(l)
	slices.SortStableFunc(out, func(a, b Finding) int {
		return cmp.Or(a.Pos.Compare(b.Pos), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(out, func(a, b Finding) bool {
		return a.Rule == b.Rule && a.Pos == b.Pos && a.Path == b.Path && a.Message == b.Message
	})
}
