package contract

import (
	"encoding/json"
	"math/big"
	"slices"
)

// Finite returns the options that make variants.
func (t *Tool) Finite() []*Option {
	var out []*Option
	for _, o := range t.Options {
		if o.Kind != OptionOpen {
			out = append(out, o)
		}
	}
	return out
}

// Choice returns the values of combination i: combinations count with the last option turning fastest, and 0 is all
// defaults.
func (t *Tool) Choice(i int) []string {
	finite := t.Finite()
	out := make([]string, len(finite))
	for k := len(finite) - 1; k >= 0; k-- {
		n := len(finite[k].Values)
		out[k] = finite[k].Values[i%n]
		i /= n
	}
	return out
}

// Index is the combination of a choice, the inverse of Choice; -1 for a value that an option does not have.
func (t *Tool) Index(choice []string) int {
	at := 0
	for k, o := range t.Finite() {
		v := slices.Index(o.Values, choice[k])
		if v < 0 {
			return -1
		}
		at = at*len(o.Values) + v
	}
	return at
}

// Default returns the variant of all defaults, or nil where that combination is rejected.
func (t *Tool) Default() *Variant {
	if len(t.Combinations) == 0 || t.Combinations[0].Variant < 0 {
		return nil
	}
	return t.Variants[t.Combinations[0].Variant]
}

// RemovedBy names the finite options whose other choice brings a parameter back into a variant: the fewest that do.
func (t *Tool) RemovedBy(variant int, param string) []string {
	finite := t.Finite()
	choices := make([][]string, len(t.Combinations))
	for i := range choices {
		choices[i] = t.Choice(i)
	}
	var out []string
	for i, c := range t.Combinations {
		if c.Variant != variant {
			continue
		}
		for j, other := range t.Combinations {
			if other.Variant < 0 || t.Variants[other.Variant].Param(param) == nil {
				continue
			}
			var names []string
			for k, v := range choices[j] {
				if v != choices[i][k] {
					names = append(names, finite[k].Name)
				}
			}
			if out == nil || len(names) < len(out) {
				out = names
			}
		}
	}
	return out
}

// Arg returns the parameter over all variants, or nil.
func (t *Tool) Arg(name string) *Arg {
	for _, a := range t.Args {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// Result returns a result of the tool, or nil.
func (t *Tool) Result(name string) *Message {
	for _, m := range t.Results {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// Param returns a parameter of the variant, or nil.
func (v *Variant) Param(name string) *Param {
	for _, p := range v.Params {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// FixedValue returns what the variant fixes a parameter to, or nil.
func (v *Variant) FixedValue(name string) json.RawMessage {
	for _, f := range v.Fixed {
		if f.Name == name {
			return f.Value
		}
	}
	return nil
}

// Description joins the clauses.
func (v *Variant) Description() Text {
	var out Text
	for i, c := range v.Clauses {
		if i > 0 {
			out = append(out, Segment{Lit: " "})
		}
		out = append(out, c.Text...)
	}
	return out
}

// SameGo reports whether two types have the same Go type: bounds, docs, subsets of an enum, optionality and defaults
// do not matter.
func SameGo(a, b *Type) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Kind != b.Kind || a.Nullable != b.Nullable || a.Ref != b.Ref || a.Tag != b.Tag || a.IsEnum() != b.IsEnum() ||
		(a.EnumRef == nil) != (b.EnumRef == nil) || a.EnumRef != nil && *a.EnumRef != *b.EnumRef ||
		(a.Format == "date-time") != (b.Format == "date-time") {
		return false
	}
	if len(a.PatternRest) != len(b.PatternRest) {
		return false
	}
	for i := range a.PatternRest {
		if a.PatternRest[i].Pattern != b.PatternRest[i].Pattern || !SameGo(a.PatternRest[i].Type, b.PatternRest[i].Type) {
			return false
		}
	}
	if !SameGo(a.Elem, b.Elem) || !SameGo(a.Rest, b.Rest) || len(a.Items) != len(b.Items) || len(a.Cases) != len(b.Cases) ||
		len(a.Fields) != len(b.Fields) {
		return false
	}
	for i := range a.Items {
		if !SameGo(a.Items[i], b.Items[i]) {
			return false
		}
	}
	for i := range a.Cases {
		if a.Cases[i].Tag != b.Cases[i].Tag || !SameGo(a.Cases[i].Type, b.Cases[i].Type) {
			return false
		}
	}
	for i := range a.Fields {
		p, q := a.Fields[i], b.Fields[i]
		if p.Name != q.Name || p.goOptional() != q.goOptional() || !SameGo(p.Type, q.Type) {
			return false
		}
	}
	return true
}

// goOptional reports whether absence of a property must be seen in Go.
func (p *Param) goOptional() bool { return p.Optional && p.Default == nil }

// CompareDecimal compares two JSON numbers exactly; text that is no number counts as zero.
func CompareDecimal(a, b string) int {
	x, okX := new(big.Rat).SetString(a)
	y, okY := new(big.Rat).SetString(b)
	if !okX {
		x = new(big.Rat)
	}
	if !okY {
		y = new(big.Rat)
	}
	return x.Cmp(y)
}

// Defs returns the function that finds the definition that a type of a package refers to; it returns nil for none.
func (m *Model) Defs(home *Package) func(pkg, name string) *Def {
	return func(pkg, name string) *Def {
		if pkg == "" && home != nil {
			pkg = home.Path
		}
		for _, list := range [][]*Package{m.Packages, m.External} {
			for _, p := range list {
				if p.Path != pkg {
					continue
				}
				for _, d := range p.Defs {
					if d.Name == name {
						return d
					}
				}
			}
		}
		return nil
	}
}

// MainSection is the label of the tool's first section over all its variants, whose id carries no label; empty where it
// has none.
func (t *Tool) MainSection() string {
	for _, v := range t.Variants {
		if len(v.Sections) > 0 {
			return v.Sections[0].Label
		}
	}
	return ""
}

// UsedEnums returns the labels of the enums whose words the parameters and results of a variant use, sorted.
func (t *Tool) UsedEnums(v *Variant) []string {
	var out []string
	followed := map[string]bool{}
	var add func(typ *Type)
	add = func(typ *Type) {
		typ.each(func(u *Type) {
			if u.EnumRef != nil && !slices.Contains(out, u.EnumRef.Name) {
				out = append(out, u.EnumRef.Name)
			}
			if u.Kind == KindRef && t.Package != nil && !followed[u.Ref] {
				followed[u.Ref] = true
				for _, d := range t.Package.Defs {
					if d.Name == u.Ref {
						add(d.Type)
					}
				}
			}
		})
	}
	for _, p := range v.Params {
		add(p.Type)
	}
	for _, r := range v.Results {
		if m := t.Result(r); m != nil {
			for _, f := range m.Fields {
				add(f.Type)
			}
		}
	}
	slices.Sort(out)
	return out
}

// each calls fn for a type and every type inside it; definitions are not followed.
func (t *Type) each(fn func(*Type)) {
	if t == nil {
		return
	}
	fn(t)
	t.Elem.each(fn)
	t.Rest.each(fn)
	for _, i := range t.Items {
		i.each(fn)
	}
	for _, f := range t.Fields {
		f.Type.each(fn)
	}
	for _, p := range t.PatternRest {
		p.Type.each(fn)
	}
	for _, c := range t.Cases {
		c.Type.each(fn)
	}
}
