package roundtrip

import (
	"maps"
	"regexp/syntax"
	"slices"
	"strings"
)

// arrays makes lists at the edges of their length, and tuples.
func (g *generator) arrays(s map[string]any, n, depth int) (out []string) {
	if prefix, ok := s["prefixItems"].([]any); ok {
		var columns [][]string
		for _, p := range prefix {
			columns = append(columns, g.values(p, n, depth+1))
		}
		for i := range n {
			row := make([]string, len(columns))
			for j, c := range columns {
				row[j] = c[i%len(c)]
				if i >= len(c) {
					row[j] = c[g.rng.IntN(len(c))]
				}
			}
			out = append(out, "["+strings.Join(row, ",")+"]")
		}
		return out
	}
	lo, hi := integer(s, "minItems", 0), integer(s, "maxItems", 4)
	if depth > 2 {
		hi = max(lo, min(hi, 2))
	}
	if depth > 5 {
		return []string{"[]"}
	}
	items := g.values(s["items"], n, depth+1)
	for i := range n {
		length := []int{lo, hi, min(lo+1, hi), max(hi-1, lo)}[i%4]
		row := make([]string, 0, length)
		for range length {
			x := items[g.rng.IntN(len(items))]
			if len(row) == 0 && i < len(items) {
				x = items[i]
			}
			if s["uniqueItems"] == true && slices.Contains(row, x) {
				continue
			}
			row = append(row, x)
		}
		out = append(out, "["+strings.Join(row, ",")+"]")
	}
	return out
}

// objects makes objects: the required properties, all of them, and others as they come, with further keys where the
// object allows them.
func (g *generator) objects(s map[string]any, n, depth int) (out []string) {
	props, _ := s["properties"].(map[string]any)
	names := slices.Sorted(maps.Keys(props))
	required := map[string]bool{}
	if list, ok := s["required"].([]any); ok {
		for _, r := range list {
			required[r.(string)] = true
		}
	}
	inner := max(n/2, 2)
	if depth <= 2 {
		inner = n
	}
	values := map[string][]string{}
	for _, p := range names {
		if required[p] || depth <= 5 {
			values[p] = g.values(props[p], inner, depth+1)
		}
	}
	rest, open := s["additionalProperties"], s["additionalProperties"] != false
	patterns, _ := s["patternProperties"].(map[string]any)
	more := map[string][]string{} // by pattern; empty: any name
	if depth <= 5 {
		for p, v := range patterns {
			more[p] = g.values(v, inner, depth+1)
		}
		if open {
			more[""] = g.values(rest, inner, depth+1)
		}
	}
	sources := slices.Sorted(maps.Keys(more))
	for i := range n {
		var members []string
		for j, p := range names {
			if vs := values[p]; len(vs) > 0 && (required[p] || i%3 == 1 || i%3 == 2 && g.rng.IntN(2) == 0) {
				v := vs[i%len(vs)]
				if j != i%len(names) && i > len(vs)/2 {
					v = vs[g.rng.IntN(len(vs))]
				}
				members = append(members, encode(p)+":"+v)
			}
		}
		for k := range i % 4 {
			if len(sources) == 0 {
				break
			}
			p := sources[g.rng.IntN(len(sources))]
			key := []string{"k", "é", "", "a b", "other", "😀"}[g.rng.IntN(6)] + string(rune('0'+k))
			if p != "" {
				re, err := syntax.Parse(p, syntax.Perl)
				if err != nil {
					panic(err)
				}
				var b strings.Builder
				g.match(&b, re)
				key = key[:k%2] + b.String()
				if g.rng.IntN(2) == 0 {
					key = b.String() + string(rune('0'+k))
				}
			}
			members = append(members, encode(key)+":"+more[p][g.rng.IntN(len(more[p]))])
		}
		out = append(out, "{"+strings.Join(members, ",")+"}")
	}
	return out
}

// mutate changes one thing somewhere in a value.
func (g *generator) mutate(root *node) *node {
	all := root.all(nil)
	n := all[g.rng.IntN(len(all))]
	odd := func() *node {
		return &node{text: pool[g.rng.IntN(len(pool))]}
	}
	i := -1
	if len(n.kids) > 0 {
		i = g.rng.IntN(len(n.kids))
	}
	switch op := g.rng.IntN(6); {
	case op == 0 && i >= 0: // without a member
		n.kids = slices.Delete(n.kids, i, i+1)
		if n.open == '{' {
			n.keys = slices.Delete(n.keys, i, i+1)
		}
	case op == 1 && i >= 0: // a member twice
		n.kids = append(n.kids, n.kids[i])
		if n.open == '{' {
			n.keys = append(n.keys, n.keys[i])
		}
	case op == 2 && n.open == '{': // one member more
		n.keys = append(n.keys, []string{`"extra"`, `"a"`, `"b"`, `"c"`, `"x-9"`, `"y"`, `"n"`}[g.rng.IntN(7)])
		n.kids = append(n.kids, odd())
	case op == 2 && n.open == '[':
		n.kids = append(n.kids, odd())
	case op == 3 && n.open == '{' && i >= 0: // another name
		n.keys[i] = []string{strings.ToUpper(n.keys[i]), encode(" "), `"` + n.keys[i][1:len(n.keys[i])-1] + `x"`}[g.rng.IntN(3)]
	case op == 4 && n.open == '[' && i >= 0: // a member in another place
		n.kids[0], n.kids[i] = n.kids[i], n.kids[0]
	case op == 5 && n.open == 0: // wrapped
		*n = node{open: '[', kids: []*node{{text: n.text}}}
	case n.open == 0 && len(n.text) > 1 && n.text[0] == '"' && op < 4: // a longer string
		n.text = n.text[:len(n.text)-1] + []string{"a", "é", "😀", " ", "0", "-"}[g.rng.IntN(6)] + `"`
	case n.number() != nil && op < 3:
		n.text += []string{"0", ".0", ".5", "e0", "e1", "9"}[g.rng.IntN(6)]
	default:
		*n = *odd()
	}
	return root
}
