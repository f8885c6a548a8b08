package main

import (
	"fmt"
	"strings"
)

// table is a Markdown table: its first column holds words, the others figures.
type table struct {
	columns int
	text    strings.Builder
}

func newTable(heads ...string) *table {
	t := &table{columns: len(heads)}
	t.row(heads...)
	t.text.WriteString("|---|" + strings.Repeat("--:|", len(heads)-1) + "\n")
	return t
}

func (t *table) row(cells ...string) { fmt.Fprintf(&t.text, "| %s |\n", strings.Join(cells, " | ")) }

// String is the table's text.
func (t *table) String() string { return t.text.String() }
