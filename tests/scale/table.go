package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// row is the runs of one generator at one size.
type row []sample

// measured is a generator and its rows, one a size.
type measured struct {
	peer
	rows []row
}

// table is everything that was measured.
type table struct {
	sizes []int
	peers []measured
}

// columns are the heads of the table.
var columns = []string{
	"generator", "its code validates", "N", "runs", "wall s", "CPU s", "peak MiB", "growth",
	"lines a tool", "bytes a tool", "compile wall s", "compile CPU s", "compile peak MiB",
}

// nothing stands where there is no figure.
const nothing = "–"

// markdown is the table with medians, a line for each generator and size.
func (t *table) markdown() string {
	var b strings.Builder
	line := func(cells ...string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	line(columns...)
	fmt.Fprintf(&b, "|%s\n", strings.Repeat("---|", 2)+strings.Repeat("--:|", len(columns)-2))
	var notes []string
	for _, m := range t.peers {
		validates := m.validates
		if validates == "" {
			validates = nothing
		}
		for i, r := range m.rows {
			if len(r) == 0 {
				notes = append(notes, fmt.Sprintf("%s is left out at N=%d: it is run up to N=%d, once.", m.label, t.sizes[i], m.most))
				continue
			}
			cells := []string{m.label, validates, fmt.Sprint(t.sizes[i]), fmt.Sprint(len(r))}
			cells = append(cells, r.costs(func(s sample) cost { return s.generate })...)
			cells = append(cells, t.growth(m, i))
			cells = append(cells, r.sizes()...)
			cells = append(cells, r.costs(func(s sample) cost { return s.compile })...)
			line(cells...)
		}
	}
	for _, n := range notes {
		b.WriteString("\n" + n + "\n")
	}
	return b.String()
}

// costs are the medians of one kind of cost.
func (r row) costs(of func(sample) cost) []string {
	if of(r[0]).wall == 0 {
		return []string{nothing, nothing, nothing}
	}
	return []string{
		fmt.Sprintf("%.2f", r.median(func(s sample) float64 { return of(s).wall.Seconds() })),
		fmt.Sprintf("%.2f", r.median(func(s sample) float64 { return of(s).cpu.Seconds() })),
		fmt.Sprintf("%.0f", r.median(func(s sample) float64 { return float64(of(s).peak) / 1024 })),
	}
}

// sizes are lines and bytes a tool; what is there once for all tools is spread over them.
func (r row) sizes() []string {
	s := r[0] // the same in every run
	if s.lines == 0 {
		return []string{nothing, nothing}
	}
	return []string{fmt.Sprint((s.lines + s.tools/2) / s.tools), fmt.Sprint((s.bytes + s.tools/2) / s.tools)}
}

// growth is the exponent e of CPU = a·Nᵉ from the smallest size to the i-th.
func (t *table) growth(m measured, i int) string {
	if i == 0 || len(m.rows[0]) == 0 {
		return nothing
	}
	cpu := func(s sample) float64 { return s.generate.cpu.Seconds() }
	e := math.Log(m.rows[i].median(cpu)/m.rows[0].median(cpu)) / math.Log(float64(t.sizes[i])/float64(t.sizes[0]))
	return fmt.Sprintf("%.2f", e)
}

// median is the middle of the runs, or the mean of the two in the middle.
func (r row) median(of func(sample) float64) float64 {
	values := make([]float64, len(r))
	for i, s := range r {
		values[i] = of(s)
	}
	slices.Sort(values)
	k := len(values) / 2
	if len(values)%2 == 1 {
		return values[k]
	}
	return (values[k-1] + values[k]) / 2
}
