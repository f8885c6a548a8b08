package decode

import (
	"strconv"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// refuse notes a key that has no place in its object, with the best advice there is, and skips its value. Field is the
// index of the field that is gone, or below zero.
func (d *Decoder) refuse(o *Obj, field int, name string) {
	code := UnknownKey
	switch {
	case field >= 0:
		code = ParamGone
	case retired(o.node, name) != nil:
		code = ParamRetired
	}
	if d.takes(code, int(o.depth)) {
		p := Problem{Code: code, Pointer: d.pointer(int(o.depth))}
		d.advise(&p, o, field, name)
		d.note(p, int(o.depth))
	}
	if !d.halt {
		d.skipRaw()
	}
}

func (d *Decoder) advise(p *Problem, o *Obj, field int, name string) {
	n := o.node
	if field >= 0 {
		d.adviseGone(p, &n.Fields[field])
		return
	}
	if r := retired(n, name); r != nil {
		if p.Hint = "leave it out"; isThere(n, r.Use) {
			p.Nearest = r.Use
			p.Hint = "use " + strconv.Quote(r.Use) + " instead"
		}
		if r.Why != "" {
			p.Hint += ": " + r.Why
		}
		return
	}
	if d.secret > 0 {
		return // a key inside of a secret value is part of it
	}
	if p.Nearest = sameFold(n, name); p.Nearest != "" {
		p.Code, p.Hint = KeyCase, "write it "+strconv.Quote(p.Nearest)+": upper and lower case differ"
		return
	}
	root := n == d.root && o.depth == 1
	if root && d.adviseForm(p, n, name, d.scan.Src[o.at:]) {
		return
	}
	if p.Nearest = nearestField(n, name); p.Nearest != "" {
		p.Hint = "did you mean " + strconv.Quote(p.Nearest) + "?"
		return
	}
	var names []string
	for i := range n.Fields {
		if !n.Fields[i].Gone {
			names = append(names, n.Fields[i].Name)
		}
	}
	const shown = 30
	switch {
	case len(names) == 0:
		p.Hint = "leave it out: there are no keys here"
	case len(names) > shown:
		p.Hint = "leave it out; there are: " + quoteAll(names[:shown]) + " and others"
	default:
		p.Hint = "leave it out; there are: " + quoteAll(names)
	}
}

// adviseGone says why a parameter is not there, and what is in its place.
func (d *Decoder) adviseGone(p *Problem, f *schema.Member) {
	p.Hint = "leave it out: it is not available here"
	if f.Fixed != "" && len(f.Fixed) <= previewBytes && !f.Secret && !f.Type.Secrets {
		p.Hint = "leave it out: it is always " + f.Fixed + " here"
	}
	if f.By != "" {
		p.Hint += ", because of " + f.By
	}
}

// isThere tells whether an object has a property.
func isThere(n *schema.Node, name string) bool {
	i := n.Find(name)
	return i >= 0 && !n.Fields[i].Gone
}

func isOneOf(s string, names ...string) bool {
	for _, n := range names {
		if s == n {
			return true
		}
	}
	return false
}

// sameFold returns the declared name that differs from name in case alone.
func sameFold(n *schema.Node, name string) string {
	for i := range n.Fields {
		if f := &n.Fields[i]; !f.Gone && strings.EqualFold(f.Name, name) {
			return f.Name
		}
	}
	return ""
}

func nearestField(n *schema.Node, name string) string {
	names := make([]string, 0, len(n.Fields))
	for i := range n.Fields {
		f := &n.Fields[i]
		if f.Gone {
			continue
		}
		if isOneOf(name, f.Aliases...) {
			return f.Name
		}
		names = append(names, f.Name)
	}
	return nearest(name, names)
}

// Limits of the search for a near name. Its cost is their product at most.
const (
	nearBytes = 64
	nearNames = 256
)

// nearest returns the name that is closest to what was written: the same but for case, underscores and hyphens, or else
// at most a third of its characters away. It is empty when none is close.
func nearest(name string, names []string) string {
	if len(name) > nearBytes || name == "" {
		return ""
	}
	var buf, other [nearBytes]byte
	plain := strip(buf[:0], name)
	best, least := "", len(plain)/3+1
	for _, n := range names[:min(len(names), nearNames)] {
		if len(n) > nearBytes {
			continue
		}
		dist := distance(plain, strip(other[:0], n))
		if dist == 0 {
			return n
		}
		if dist < least {
			best, least = n, dist
		}
	}
	return best
}

// strip drops underscores and hyphens, and the case of ASCII letters.
func strip(dst []byte, s string) []byte {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '_' || c == '-':
		case c >= 'A' && c <= 'Z':
			dst = append(dst, c|0x20)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// distance is how many bytes are to be inserted, removed, replaced or swapped with their neighbour. Neither text is
// longer than nearBytes.
func distance(a, b []byte) int {
	var rows [3][nearBytes + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
