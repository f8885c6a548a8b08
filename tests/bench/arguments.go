package main

import (
	"fmt"
	"strings"
)

// opened is a peer that is ready to read one shape, and known to do so.
func (p peer) opened(s shape) (read, error) {
	r, err := p.open(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	if err := r([]byte(s.valid)); err != nil {
		return nil, fmt.Errorf("%s refuses %s: %w", p.name, s.valid, err)
	}
	if err := r([]byte(s.invalid)); (err != nil) != p.validates {
		return nil, fmt.Errorf("%s, of %s: %v", p.name, s.invalid, err)
	}
	return r, nil
}

// column is one kind of text.
type column struct {
	shape   shape
	invalid bool
}

var columns = []column{{six, false}, {six, true}, {tiny, false}, {tiny, true}}

// arguments measures the reading of arguments.
func arguments(set settings) (string, error) {
	figures := make([][]figure, len(columns))
	for i, c := range columns {
		text := []byte(c.shape.valid)
		if c.invalid {
			text = []byte(c.shape.invalid)
		}
		var probes []probe
		for _, p := range set.peers {
			r, err := p.opened(c.shape)
			if err != nil {
				return "", err
			}
			probes = append(probes, probe{p.label, func() { kept = r(text) }})
		}
		figures[i] = measure(set.rounds, set.slice, probes)
	}
	t := newTable("arguments", "validates", "six: ns", "B/allocs", "ratio", "six, invalid: ns", "B/allocs", "ratio",
		"tiny: ns", "ratio", "tiny, invalid: ns", "ratio")
	for k, p := range set.peers {
		cells := []string{p.label, yes(p.validates)}
		for i, c := range columns {
			f := figures[i][k]
			if c.invalid && !p.validates && k > 0 {
				cells = append(cells, blank(c)...)
				continue
			}
			cells = append(cells, f.cells(c.shape.name == six.name)...)
		}
		t.row(cells...)
	}
	return t.String(), nil
}

// kept keeps errors alive, as a caller would.
var kept error

func blank(c column) []string {
	if c.shape.name == six.name {
		return []string{nothing, nothing, nothing}
	}
	return []string{nothing, nothing}
}

// cells are a figure's time and ratio, with what was allocated between them where there is room.
func (f figure) cells(memory bool) []string {
	out := []string{number(f.ns)}
	if memory {
		out = append(out, fmt.Sprintf("%s/%s", number(f.bytes), number(f.allocs)))
	}
	return append(out, fmt.Sprintf("%.1f", f.ratio))
}

// accepted tells which odd texts each peer takes, and how many of two faults it tells of.
func accepted(set settings) (string, error) {
	heads := append([]string{"arguments", "makes", "faults told of two"}, oddNames...)
	t := newTable(heads...)
	for _, p := range set.peers[1:] {
		r, err := p.opened(six)
		if err != nil {
			return "", err
		}
		cells := []string{p.label, p.makes, nothing}
		if err := r([]byte(six.two)); err != nil && p.faults != nil {
			cells[2] = fmt.Sprint(p.faults(err))
		}
		for _, name := range oddNames {
			cells = append(cells, yes(r([]byte(odd[name])) == nil))
		}
		t.row(cells...)
	}
	return t.String(), nil
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// nothing stands where there is no figure.
const nothing = "–"

// number is a figure without more digits than mean something, in groups of three.
func number(v float64) string {
	digits := fmt.Sprintf("%.0f", v)
	var out strings.Builder
	for i, c := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out.WriteByte(',')
		}
		out.WriteRune(c)
	}
	return out.String()
}
