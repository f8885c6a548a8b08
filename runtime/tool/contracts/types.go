package contracts

import (
	"slices"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// params makes the tables of a variant. A parameter's slot is its position over all variants.
func (b *builder) params(at string, index int, v *fileVariant) *schema.Schema {
	t := b.tool
	slots := map[string]int{}
	for i, a := range t.Args {
		slots[a.Name] = i
	}
	root := &schema.Type{Kind: schema.Object}
	var used []*fileType
	for i, p := range v.Params {
		slot, ok := slots[p.Name]
		if !ok {
			b.fail(under(at, "params", i)+"/name", "the parameter %q is not among the tool's args", p.Name)
		}
		root.Fields = append(root.Fields, b.field(under(at, "params", i), p, slot))
		used = append(used, p.Type)
	}
	fixed := map[string]string{}
	for i, f := range v.Fixed {
		if _, ok := slots[f.Name]; !ok || v.has(f.Name) {
			b.fail(under(at, "fixed", i)+"/name", "%q is no parameter that the variant lacks", f.Name)
		}
		fixed[f.Name] = compact(f.Value)
	}
	for i, a := range t.Args {
		if v.has(a.Name) {
			continue
		}
		f := schema.Field{Name: a.Name, Slot: i, Gone: true, Fixed: fixed[a.Name], By: t.removedBy(index, a.Name)}
		if f.Fixed != "" {
			f.Type = b.typeOf("", a.Type)
			used = append(used, a.Type)
		}
		root.Fields = append(root.Fields, f)
	}
	out := &schema.Schema{Root: root}
	reached := map[string]bool{}
	for _, t := range used {
		b.reach(t, reached)
	}
	for _, d := range b.defs {
		if reached[d.Name] {
			out.Defs = append(out.Defs, d)
		}
	}
	out.Retired = retired(t.Retired.Params)
	return out
}

// retired are former names or words as tables have them.
func retired(list []*fileRetired) []schema.Retired {
	var out []schema.Retired
	for _, r := range list {
		out = append(out, schema.Retired{Name: r.Word, Use: r.Use, Why: r.Why})
	}
	return out
}

// retiredWords are the former words of the enum that a type's words are from.
func (b *builder) retiredWords(t *fileType) []schema.Retired {
	if t.EnumRef == nil || t.Kind != "string" {
		return nil
	}
	for _, p := range b.model.Packages {
		for _, e := range p.Enums {
			if p.Path == t.EnumRef.Package && e.Name == t.EnumRef.Name {
				return retired(e.Retired)
			}
		}
	}
	return nil
}

func (v *fileVariant) has(param string) bool {
	return slices.ContainsFunc(v.Params, func(p *fileParam) bool { return p.Name == param })
}

// finite returns the options that make variants.
func (t *fileTool) finite() []*fileOption {
	return slices.DeleteFunc(slices.Clone(t.Options), func(o *fileOption) bool { return o.Kind == "open" })
}

// removedBy names the finite options whose other choice brings a parameter back into a variant: the fewest that do. The
// combinations count with the last option turning fastest.
func (t *fileTool) removedBy(variant int, param string) string {
	finite := t.finite()
	var out []string
	for i, c := range t.Combinations {
		if c.Variant != variant {
			continue
		}
		for j, other := range t.Combinations {
			if other.Variant < 0 || !t.Variants[other.Variant].has(param) {
				continue
			}
			var names []string
			for k, mine, theirs := len(finite)-1, i, j; k >= 0; k-- {
				n := len(finite[k].Values)
				if mine%n != theirs%n {
					names = append(names, finite[k].Name)
				}
				mine, theirs = mine/n, theirs/n
			}
			if out == nil || len(names) < len(out) {
				out = names
			}
		}
	}
	slices.Reverse(out)
	return strings.Join(out, " and ")
}

func (b *builder) field(at string, p *fileParam, slot int) schema.Field {
	return schema.Field{
		Name: p.Name, Slot: slot, Type: b.typeOf(at+"/type", p.Type), Required: p.Default == nil && !p.Optional, Default: compact(p.Default),
		Secret: p.Secret, Wrap: p.Wrap, Unwrap: p.Unwrap, Aliases: some(p.Aliases),
	}
}

var kinds = [...]struct {
	name string
	kind schema.Kind
}{
	{"any", schema.Any}, {"null", schema.Null}, {"boolean", schema.Bool}, {"integer", schema.Int}, {"number", schema.Number},
	{"string", schema.String}, {"array", schema.Array}, {"tuple", schema.Tuple}, {"object", schema.Object},
	{"tagged", schema.Tagged}, {"union", schema.Union}, {"ref", schema.Ref},
}

func kindOf(name string) schema.Kind {
	for _, k := range kinds {
		if k.name == name {
			return k.kind
		}
	}
	return schema.Any
}

// typeOf makes the table of a type. What it does not check, compiling does.
func (b *builder) typeOf(at string, t *fileType) *schema.Type {
	if t == nil {
		return nil
	}
	out := &schema.Type{
		Kind: kindOf(t.Kind), Nullable: t.Nullable, Enum: some(t.Enum), Not: some(t.Not),
		Min: t.Min, Max: t.Max, ExclusiveMin: t.ExclusiveMin, ExclusiveMax: t.ExclusiveMax, MultipleOf: t.MultipleOf,
		Patterns: some(t.Patterns), Format: t.Format, Elem: b.typeOf(at+"/elem", t.Elem), Unique: t.Unique,
		Rest: b.typeOf(at+"/rest", t.Rest), Tag: t.Tag, Ref: t.Ref, Retired: b.retiredWords(t),
	}
	if t.MinLen != nil {
		out.Len.Min = int(*t.MinLen)
	}
	if t.MaxLen != nil {
		out.Len.Max, out.Len.Bounded = int(*t.MaxLen), true
	}
	if out.Kind == schema.Bool && len(t.Enum) > 0 {
		b.fail(at+"/enum", "a boolean has no enumeration")
	}
	if t.RefPackage != "" && t.RefPackage != b.pkg.Path {
		b.fail(at+"/refPackage", "the definition %s belongs to another package", t.Ref)
	}
	for i, f := range t.Fields {
		out.Fields = append(out.Fields, b.field(under(at, "fields", i), f, i))
	}
	for i, item := range t.Items {
		out.Items = append(out.Items, b.typeOf(under(at, "items", i), item))
	}
	for i, r := range t.PatternRest {
		out.PatternRest = append(out.PatternRest, schema.PatternRest{Pattern: r.Pattern, Type: b.typeOf(under(at, "patternRest", i)+"/type", r.Type)})
	}
	for i, c := range t.Cases {
		k := schema.Case{Type: b.typeOf(under(at, "cases", i)+"/type", c.Type)}
		if out.Kind == schema.Tagged {
			k.Tag = c.Tag
		}
		out.Cases = append(out.Cases, k)
	}
	if out.Kind == schema.Tagged || out.Kind == schema.Union {
		out.Nullable = b.nullable(t, map[*fileType]bool{}) // null is read before the alternatives are looked at
	}
	return out
}

// follow returns what a type stands for behind references, and whether null is allowed on the way. It is nil where a
// reference leads nowhere.
func (b *builder) follow(t *fileType) (to *fileType, null bool) {
	for range len(b.pkg.Defs) + 1 {
		null = null || t.Nullable
		if t.Kind != "ref" {
			return t, null
		}
		d := b.def(t.Ref)
		if d == nil {
			return nil, null
		}
		t = d.Type
	}
	return nil, null
}

func (b *builder) def(name string) *fileDef {
	for _, d := range b.pkg.Defs {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// nullable reports whether null is a value beside those of the type proper: of a union, where an alternative may be null.
// seen holds the unions on the way, so that one that is in itself, which compiling refuses, ends.
func (b *builder) nullable(t *fileType, seen map[*fileType]bool) bool {
	to, null := b.follow(t)
	switch {
	case to == nil || to.Kind == "any" || to.Kind == "null":
		return false
	case null || to.Kind != "tagged" && to.Kind != "union":
		return null
	case seen[to]:
		return false
	}
	seen[to] = true
	return slices.ContainsFunc(to.Cases, func(c *fileCase) bool { return c.Type.Kind == "null" || b.nullable(c.Type, seen) })
}

// each calls fn for a type and every type inside it. Definitions are not followed.
func (t *fileType) each(fn func(*fileType)) {
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
	for _, r := range t.PatternRest {
		r.Type.each(fn)
	}
	for _, c := range t.Cases {
		c.Type.each(fn)
	}
}

// reach adds the definitions that a type refers to, directly or through others.
func (b *builder) reach(t *fileType, out map[string]bool) {
	t.each(func(u *fileType) {
		if u.Kind != "ref" || out[u.Ref] {
			return
		}
		out[u.Ref] = true
		if d := b.def(u.Ref); d != nil {
			b.reach(d.Type, out)
		}
	})
}

// enums returns the labels of the enums whose words the parameters and results of a variant use, sorted.
func (b *builder) enums(v *fileVariant) []string {
	var out []string
	followed := map[string]bool{}
	var add func(t *fileType)
	add = func(t *fileType) {
		t.each(func(u *fileType) {
			if u.EnumRef != nil && !slices.Contains(out, u.EnumRef.Name) {
				out = append(out, u.EnumRef.Name)
			}
			if d := b.def(u.Ref); u.Kind == "ref" && d != nil && !followed[u.Ref] {
				followed[u.Ref] = true
				add(d.Type)
			}
		})
	}
	for _, p := range v.Params {
		add(p.Type)
	}
	for _, r := range v.Results {
		for _, m := range b.tool.Results {
			if m.Name != r {
				continue
			}
			for _, f := range m.Fields {
				add(f.Type)
			}
		}
	}
	slices.Sort(out)
	return out
}
