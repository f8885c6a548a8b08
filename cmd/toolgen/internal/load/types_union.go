package load

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
)

// oneKind reports whether constants can be one enumeration.
func oneKind(values []cue.Value) bool {
	var kind cue.Kind
	for _, v := range values {
		kind |= v.Kind()
	}
	switch kind {
	case cue.StringKind, cue.IntKind, cue.FloatKind, cue.FloatKind | cue.IntKind, cue.BoolKind:
		return true
	}
	return false
}

// disjunction returns the alternatives without null, where the constraint is one disjunction and nothing else.
func disjunction(conj []cue.Value) []cue.Value {
	var found []cue.Value
	for _, c := range conj {
		op, args := c.Expr()
		switch {
		case op == cue.OrOp && found == nil:
			found = flatten(args, nil)
		case op == cue.NoOp && c.IncompleteKind() == cue.TopKind && builtinName(c) == "":
		case op == cue.SelectorOp:
			// The name by which the disjunction was reached; what it names is a conjunct of its own.
		default:
			return nil
		}
	}
	if len(found) < 2 {
		return nil
	}
	return found
}

func flatten(args, out []cue.Value) []cue.Value {
	for _, a := range args {
		if a.IncompleteKind() == cue.NullKind {
			continue
		}
		if op, inner := a.Expr(); op == cue.OrOp {
			out = flatten(inner, out)
			continue
		}
		out = append(out, a)
	}
	return out
}

// union reads alternatives that are no enumeration: objects told apart by a constant property, or whatever fits first.
func (t *typer) union(out *contract.Type, alternatives []cue.Value) *contract.Type {
	for i := 0; i < len(alternatives); i++ {
		var group []cue.Value
		for _, a := range alternatives[i:] {
			if a.IsConcrete() && a.IncompleteKind()&(cue.StructKind|cue.ListKind) == 0 && oneKind(append(slices.Clone(group), a)) {
				group = append(group, a)
				continue
			}
			break
		}
		if len(group) > 0 {
			t.inUnion = true
			out.Cases = append(out.Cases, &contract.Case{Type: t.enum(&contract.Type{}, group)})
			i += len(group) - 1
			continue
		}
		out.Cases = append(out.Cases, &contract.Case{Type: t.of(alternatives[i])})
	}
	out.Kind = contract.KindUnion
	if tag := t.e.tagOf(out.Cases); tag != "" {
		out.Kind, out.Tag = contract.KindTagged, tag
		for _, c := range out.Cases {
			c.Tag = t.e.property(c.Type, tag).Type.Enum[0]
		}
	}
	return out
}

// tagOf finds the property that tells objects apart: a required string constant, another one in each.
func (e *pkgEval) tagOf(cases []*contract.Case) string {
	first := e.target(cases[0].Type)
	if first.Kind != contract.KindObject {
		return ""
	}
next:
	for _, f := range first.Fields {
		seen := map[string]bool{}
		for _, c := range cases {
			p := e.property(c.Type, f.Name)
			if p == nil || !p.Required() || p.Type.Nullable || p.Type.Kind != contract.KindString || len(p.Type.Enum) != 1 || seen[p.Type.Enum[0]] {
				continue next
			}
			seen[p.Type.Enum[0]] = true
		}
		return f.Name
	}
	return ""
}

func (e *pkgEval) property(t *contract.Type, name string) *contract.Param {
	for _, f := range e.target(t).Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// target follows a reference to a definition.
func (e *pkgEval) target(t *contract.Type) *contract.Type {
	for range maxFollow {
		if t.Kind != contract.KindRef || e.types[t.Ref] == nil || e.types[t.Ref].Type == nil {
			return t
		}
		t = e.types[t.Ref].Type
	}
	return t
}

// reference returns the type of a bare reference to a definition that deserves a name of its own: an object, a union or
// an enumeration. The definition is read once, also where it refers to itself. Nil: read the constraint as it is.
func (t *typer) reference(v cue.Value) *contract.Type {
	ref, nullable := bareReference(v)
	if !ref.Exists() {
		return nil
	}
	_, p := ref.ReferencePath()
	sel := p.Selectors()
	if len(sel) == 0 || !sel[len(sel)-1].IsDefinition() || sel[len(sel)-1].PkgPath() != "" {
		return nil
	}
	d := cue.Dereference(ref)
	kind := d.IncompleteKind() &^ cue.NullKind
	if kind&cue.StructKind == 0 && constants(d) == nil && disjunction(conjuncts(d, nil)) == nil || t.defaulted {
		return nil
	}
	name := sel[len(sel)-1].String()[1:]
	out := &contract.Type{Kind: contract.KindRef, Ref: name, Nullable: nullable}
	if def := t.e.types[name]; def != nil {
		if pos := t.e.p.pos(d.Pos()); def.Pos != pos {
			return t.fail("go-name", "two definitions are called #"+name, "rename one of them")
		}
		return out
	}
	def := &contract.Def{Name: name, Pos: t.e.p.pos(d.Pos())}
	for _, g := range d.Doc() {
		def.Doc = strings.TrimSpace(g.Text())
	}
	t.e.types[name] = def
	inner := &typer{e: t.e, path: t.path, inDef: true}
	def.Type = inner.of(d)
	t.failed = t.failed || inner.failed
	return out
}

// bareReference returns the reference that a constraint consists of, and whether it may be null instead.
func bareReference(v cue.Value) (ref cue.Value, nullable bool) {
	op, args := v.Expr()
	switch op {
	case cue.SelectorOp:
		return v, false
	case cue.AndOp:
		for _, a := range args {
			if op, _ := a.Expr(); op == cue.NoOp && a.IncompleteKind() == cue.TopKind && builtinName(a) == "" {
				continue
			}
			if ref.Exists() {
				return cue.Value{}, false
			}
			r, n := bareReference(a)
			if !r.Exists() {
				return cue.Value{}, false
			}
			ref, nullable = r, n
		}
		return ref, nullable
	case cue.OrOp:
		if len(args) == 2 {
			for i, a := range args {
				if a.IncompleteKind() == cue.NullKind {
					r, _ := bareReference(args[1-i])
					return r, true
				}
			}
		}
	}
	return cue.Value{}, false
}
