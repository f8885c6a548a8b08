package contracts

import (
	"slices"

	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// union is a type of alternatives, which can be judged only when every type is known.
type union struct {
	at      string // the pointer to the keyword
	typ     *schema.Type
	one     bool // exactly one alternative may fit
	targets []*schema.Type
}

// besideNull is the one alternative beside null where exactly one may fit.
type besideNull struct {
	at  string
	typ *schema.Type
}

// alternatives reads anyOf or oneOf.
func (r *reader) alternatives(s *sub, keyword string) *schema.Type {
	list := s.get(keyword)
	if list.kind != '[' || len(list.items) == 0 {
		r.fail(s.to(keyword), "it is a list of at least one schema")
		return &schema.Type{}
	}
	kind := ""
	nullable := false
	if kinds := r.types(s); len(kinds) > 0 {
		if i := slices.Index(kinds, "null"); i >= 0 && len(kinds) > 1 {
			// Null must be allowed by an alternative too; what each says of it is not joined with this.
			r.cannot(s.to("type"), "null stands beside alternatives")
			kinds = slices.Delete(kinds, i, i+1)
		}
		if len(kinds) > 1 {
			r.cannot(s.to("type"), "several types stand beside alternatives")
		}
		kind = kinds[0]
	}
	var cases []*schema.Type
	for i, n := range list.items {
		at := under(s.at, keyword, i)
		if never(n) {
			continue // no value is of it
		}
		if kind != "" && n.kind == '{' && (n.get("$ref") != nil || n.get("anyOf") != nil || n.get("oneOf") != nil || n.get("allOf") != nil) {
			r.cannot(s.to("type"), "it stands beside alternatives that do not say a type themselves")
			kind = ""
		}
		t := r.typeOf(at, n, kind)
		if t.Kind == schema.Null && (!nullable || keyword == "anyOf") {
			nullable = true
			continue
		}
		cases = append(cases, t)
	}
	switch len(cases) {
	case 0:
		if !nullable {
			r.cannot(s.to(keyword), "it allows no value")
			return &schema.Type{}
		}
		return &schema.Type{Kind: schema.Null}
	case 1:
		if nullable && keyword == "oneOf" {
			alone := *cases[0]
			r.beside = append(r.beside, besideNull{s.to(keyword), &alone})
		}
		if cases[0].Kind != schema.Any {
			cases[0].Nullable = cases[0].Nullable || nullable
		}
		return cases[0]
	}
	if t := enumeration(cases); t != nil {
		t.Nullable = nullable
		return t
	}
	t := &schema.Type{Kind: schema.Union, Nullable: nullable}
	for _, c := range cases {
		t.Cases = append(t.Cases, schema.Case{Type: c})
	}
	r.unions = append(r.unions, &union{at: s.to(keyword), typ: t, one: keyword == "oneOf"})
	return t
}

// enumeration makes one type of alternatives that are constants of one kind, each another one; it is nil where they are
// more than that.
func enumeration(cases []*schema.Type) *schema.Type {
	out := &schema.Type{Kind: cases[0].Kind}
	seen := map[string]bool{}
	for _, c := range cases {
		if c.Kind != schema.String && c.Kind != schema.Int && c.Kind != schema.Number || c.Kind != out.Kind || c.Enum == nil ||
			c.Nullable || c.Not != nil || c.Len != (schema.Range{}) || c.Patterns != nil || c.Format != "" ||
			c.Min != "" || c.Max != "" || c.MultipleOf != "" {
			return nil
		}
		for _, v := range c.Enum {
			if seen[v] || c.Kind == schema.Number && len(cases) > 1 && integer(v) != v {
				return nil // the same, or perhaps the same in other digits
			}
			seen[v] = true
			out.Enum = append(out.Enum, v)
		}
	}
	return out
}

// mostCases is how many alternatives are compared with each other.
const mostCases = 256

// mostComparisons is how many comparisons of types all unions of a schema may need.
const mostComparisons = 1 << 20

// settle finds the property that tells the objects of a union apart, and judges those of which exactly one may fit.
func (r *reader) settle() {
	for _, u := range r.unions {
		for _, c := range u.typ.Cases {
			u.targets = append(u.targets, r.resolve(c.Type))
		}
		if slices.Contains(u.targets, nil) {
			r.fail(u.at, "an alternative leads to no type")
			return
		}
	}
	for _, u := range r.unions {
		if len(u.targets) > mostCases {
			if u.one {
				r.cannot(u.at, "there are too many alternatives to tell whether only one may fit")
			}
			continue
		}
		if tag := tagOf(u.targets); tag != "" {
			u.typ.Kind, u.typ.Tag = schema.Tagged, tag
			for i := range u.typ.Cases {
				u.typ.Cases[i].Tag = property(u.targets[i], tag).Type.Enum[0]
			}
		}
	}
	for _, u := range r.unions {
		r.settleNull(u)
		if u.one && u.typ.Kind == schema.Union && len(u.targets) <= mostCases {
			r.disjoint(u)
		}
	}
	for _, b := range r.beside {
		if r.allowsNull(b.typ, 0) {
			r.cannot(b.at, "null fits several cases")
		}
	}
}

// settleNull moves null out of the alternatives: it is read before they are looked at.
func (r *reader) settleNull(u *union) {
	count := 0
	if u.typ.Nullable {
		count++
	}
	for i, c := range u.typ.Cases {
		if r.allowsNull(c.Type, 0) {
			count++
			u.typ.Nullable = u.typ.Nullable || u.targets[i].Kind != schema.Any
		}
	}
	if u.one && count > 1 {
		r.cannot(u.at, "null fits several cases")
	}
}

// deepest is how many alternatives within alternatives are looked through.
const deepest = 8

// allowsNull tells whether null is a value of a type. Beyond the budget it may be.
func (r *reader) allowsNull(t *schema.Type, depth int) bool {
	if t.Nullable {
		return true
	}
	t = r.resolve(t)
	if r.budget--; r.budget < 0 || depth > deepest || t == nil {
		return true
	}
	return t.Nullable || t.Kind == schema.Any || t.Kind == schema.Null ||
		slices.ContainsFunc(t.Cases, func(c schema.Case) bool { return r.allowsNull(c.Type, depth+1) })
}

// tagOf finds the property that tells objects apart: a required string constant, another one in each.
func tagOf(targets []*schema.Type) string {
	first := targets[0]
	if first.Kind != schema.Object {
		return ""
	}
next:
	for i := range first.Fields {
		seen := map[string]bool{}
		for _, t := range targets {
			f := property(t, first.Fields[i].Name)
			if f == nil || !constant(f) || t.Nullable || seen[f.Type.Enum[0]] {
				continue next
			}
			seen[f.Type.Enum[0]] = true
		}
		return first.Fields[i].Name
	}
	return ""
}

// constant tells whether a property is a required string of one value and no other constraint.
func constant(f *schema.Field) bool {
	t := f.Type
	return f.Required && t.Kind == schema.String && !t.Nullable && len(t.Enum) == 1
}

func property(t *schema.Type, name string) *schema.Field {
	if t.Kind != schema.Object {
		return nil
	}
	for i := range t.Fields {
		if t.Fields[i].Name == name {
			return &t.Fields[i]
		}
	}
	return nil
}

// disjoint notes a union of which several cases may fit one value.
func (r *reader) disjoint(u *union) {
	for i, a := range u.targets {
		for _, b := range u.targets[:i] {
			if r.overlap(a, b, 0) {
				r.cannot(u.at, "several cases may fit one value")
				return
			}
		}
	}
}

// overlap tells whether two types may have a value in common, null aside. Where it cannot tell, they may.
func (r *reader) overlap(a, b *schema.Type, depth int) bool {
	a, b = r.resolve(a), r.resolve(b)
	if r.budget--; r.budget < 0 || a == nil || b == nil || depth > deepest || a.Kind == schema.Any || b.Kind == schema.Any {
		return true
	}
	for _, swap := range []bool{false, true} {
		if swap {
			a, b = b, a
		}
		if a.Kind == schema.Union || a.Kind == schema.Tagged {
			return slices.ContainsFunc(a.Cases, func(c schema.Case) bool { return r.overlap(c.Type, b, depth+1) })
		}
	}
	if class(a.Kind) != class(b.Kind) {
		return false
	}
	switch a.Kind {
	case schema.Null:
		return false // its caller counts them
	case schema.String, schema.Int:
		return a.Enum == nil || b.Enum == nil || a.Kind != b.Kind || slices.ContainsFunc(a.Enum, func(v string) bool { return slices.Contains(b.Enum, v) })
	case schema.Object:
		return !r.differ(a, b, depth) && !r.differ(b, a, depth)
	}
	return true
}

// class is the JSON type of a kind.
func class(k schema.Kind) schema.Kind {
	switch k {
	case schema.Int:
		return schema.Number
	case schema.Tuple:
		return schema.Array
	}
	return k
}

// differ tells whether an object of the one type is never of the other, because of a property that the one requires.
func (r *reader) differ(a, b *schema.Type, depth int) bool {
	for i := range a.Fields {
		f := &a.Fields[i]
		if !f.Required {
			continue
		}
		g := property(b, f.Name)
		switch {
		case g == nil && b.Rest == nil && len(b.PatternRest) == 0:
			return true
		case g != nil && !(r.allowsNull(f.Type, depth) && r.allowsNull(g.Type, depth)) && !r.overlap(f.Type, g.Type, depth+1):
			return true
		}
	}
	return false
}
