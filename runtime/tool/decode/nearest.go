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
	case d.retired(o.node, name) != nil:
		code = ParamRetired
	}
	if d.takes(code, int(o.depth)) {
		p := Problem{Code: code, Pointer: d.pointer(int(o.depth))}
		d.advise(&p, o, field, name)
		d.ledger.add(p)
	}
	if !d.halt {
		d.skipRaw()
	}
}

func (d *Decoder) advise(p *Problem, o *Obj, field int, name string) {
	n := o.node
	if field >= 0 {
		p.Hint = "leave it out: it is not available here"
		if by := n.Fields[field].By; by != "" {
			p.Hint += ", because of " + by
		}
		return
	}
	if r := d.retired(n, name); r != nil {
		p.Nearest = r.Use
		if p.Hint = "leave it out"; r.Use != "" {
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
	if p.Nearest = nearestField(n, name); p.Nearest != "" {
		p.Hint = "did you mean " + strconv.Quote(p.Nearest) + "?"
		return
	}
	var names []string
	for i := range n.Fields {
		if !n.Fields[i].Gone {
			names = append(names, strconv.Quote(n.Fields[i].Name))
		}
	}
	root := o.depth == 1
	switch c := d.scan.Src[o.at]; {
	case root && c == '{' && isOneOf(name, "arguments", "parameters", "args", "input", "params"):
		p.Hint = "put what is inside of it at the top"
	case root && c == '{' && isOneOf(name, "properties"):
		p.Hint = "send the arguments, not their schema"
	case len(names) == 0:
		p.Hint = "leave it out: there are no keys here"
	default:
		p.Hint = "leave it out; there are: " + strings.Join(names[:min(len(names), 30)], ", ")
	}
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
