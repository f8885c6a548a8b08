package gotypes

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
)

// follow returns what a type stands for behind references, the name that its declaration has (name, where there is no
// reference), and whether null is allowed on the way.
func (g *gen) follow(t *contract.Type, name string) (to *contract.Type, goName string, null bool) {
	const longest = 100 // of a chain of definitions that are nothing but a reference
	for range longest {
		null = null || t.Nullable
		if t.Kind != contract.KindRef {
			return t, name, null
		}
		def := g.definition(t)
		if def == nil {
			return &contract.Type{Kind: contract.KindAny}, name, false
		}
		t, name = def.Type, contract.DefType(def.Name)
	}
	g.fail("the definition %s refers to itself and to nothing else", name)
	return &contract.Type{Kind: contract.KindAny}, name, false
}

// definition finds what a reference refers to.
func (g *gen) definition(t *contract.Type) *contract.Def {
	if t.RefPackage != "" && t.RefPackage != g.p.Path {
		g.fail("the definition %s belongs to another package, %s: Go cannot share its decoder", t.Ref, t.RefPackage)
		return nil
	}
	for _, d := range g.p.Defs {
		if d.Name == t.Ref && d.Type != nil {
			return d
		}
	}
	g.fail("the definition %s is not there", t.Ref)
	return nil
}

// nullable reports whether null is a value beside those of the type proper. A union with an alternative that may be null
// may be null itself.
func (g *gen) nullable(t *contract.Type) bool {
	to, _, null := g.follow(t, "")
	switch to.Kind {
	case contract.KindAny, contract.KindNull:
		return false // the raw text says so
	case contract.KindTagged, contract.KindUnion:
		return null || slices.ContainsFunc(to.Cases, func(c *contract.Case) bool {
			return c.Type.Kind == contract.KindNull || g.nullable(c.Type)
		})
	}
	return null
}

// goType is the Go type of a value. name is the type that is declared for it where it needs a declaration.
func (g *gen) goType(t *contract.Type, name string) *jen.Statement {
	if to, _, _ := g.follow(t, name); g.nullable(t) && to.Kind != contract.KindTagged {
		return jen.Op("*").Add(g.bareType(t, name))
	}
	return g.bareType(t, name) // an interface is nil for null
}

// bareType is the Go type of a value that is not null.
func (g *gen) bareType(t *contract.Type, name string) *jen.Statement {
	if t.IsEnum() {
		if t.EnumRef != nil {
			return g.enumRef(t.EnumRef)
		}
		if t.Kind != contract.KindBool {
			return jen.Id(name)
		}
	}
	switch t.Kind {
	case contract.KindBool:
		return jen.Bool()
	case contract.KindInt:
		return jen.Int64()
	case contract.KindNumber:
		return jen.Float64()
	case contract.KindString:
		if t.Format == "date-time" {
			return jen.Qual("time", "Time")
		}
		return jen.String()
	case contract.KindArray:
		return jen.Index().Add(g.goType(t.Elem, contract.ItemType(name)))
	case contract.KindObject:
		if !isMap(t) {
			return jen.Id(name)
		}
		if elem, item := mapElem(t, name); elem != nil {
			return jen.Map(jen.String()).Add(g.goType(elem, item))
		}
		return rawMap()
	case contract.KindTuple, contract.KindTagged, contract.KindUnion:
		return jen.Id(name)
	case contract.KindRef:
		if def := g.definition(t); def != nil {
			return jen.Id(contract.DefType(def.Name))
		}
		return jen.Id(name)
	case contract.KindAny, contract.KindNull:
		return jen.Qual("encoding/json", "RawMessage")
	}
	g.fail("the type %s has no Go form", t.Kind)
	return jen.Null()
}

func rawMap() *jen.Statement { return jen.Map(jen.String()).Qual("encoding/json", "RawMessage") }

// isMap reports whether an object has computed names only.
func isMap(t *contract.Type) bool {
	return t.Kind == contract.KindObject && len(t.Fields) == 0 && isOpen(t)
}

// isOpen reports whether an object may have properties that it does not declare.
func isOpen(t *contract.Type) bool { return t.Rest != nil || len(t.PatternRest) > 0 }

// mapElem is the type of a map's values and its name. It is nil where values are of several types, and stay raw.
func mapElem(t *contract.Type, name string) (*contract.Type, string) {
	switch {
	case len(t.PatternRest) == 0:
		return t.Rest, contract.ItemType(name)
	case len(t.PatternRest) == 1 && t.Rest == nil:
		return t.PatternRest[0].Type, contract.ItemType(name)
	}
	return nil, ""
}

// form is how a struct stores a value.
type form uint8

const (
	formValue      form = iota // T
	formPointer                // *T: nil is absent, or null, or never
	formNil                    // T, whose nil is absent, or null: an interface, and slices and maps of generated types
	formOpt                    // tool.Opt[T]
	formOptPointer             // tool.Opt[*T]: absent and null stay apart
	formOptNil                 // tool.Opt[T] of an interface
)

// formOf decides how a field stores its value; opt: its absence must be seen. An optional value of a generated type is a
// pointer, or what may be nil anyway, rather than a tool.Opt: compiling that type's instance takes several times as long
// as all else of the field, while Go's own types share theirs.
func (g *gen) formOf(t *contract.Type, name string, opt bool) form {
	to, _, _ := g.follow(t, name)
	tagged := to.Kind == contract.KindTagged
	switch null := g.nullable(t); {
	case null && opt && tagged:
		return formOptNil
	case null && opt:
		return formOptPointer
	case tagged && (null || opt):
		return formNil
	case null, opt && named(to):
		return formPointer
	case opt && (t.Kind == contract.KindRef || g.generated(to)) && (to.Kind == contract.KindArray || isMap(to)):
		return formNil
	case opt:
		return formOpt
	}
	return formValue
}

// named reports whether a type needs a declaration of its own.
func named(t *contract.Type) bool {
	switch t.Kind {
	case contract.KindTuple, contract.KindTagged, contract.KindUnion:
		return true
	case contract.KindObject:
		return !isMap(t)
	case contract.KindBool:
		return false
	}
	return t.IsEnum()
}

// generated reports whether a declared type is part of the Go type.
func (g *gen) generated(t *contract.Type) bool {
	for t.Kind == contract.KindArray || isMap(t) {
		if t.Kind == contract.KindArray {
			t = t.Elem
		} else if t, _ = mapElem(t, ""); t == nil {
			return false
		}
		if t.Kind == contract.KindRef {
			return true
		}
	}
	return named(t)
}

// fieldType is the Go type of a struct's field.
func (g *gen) fieldType(t *contract.Type, name string, f form) *jen.Statement {
	switch f {
	case formPointer:
		return jen.Op("*").Add(g.bareType(t, name))
	case formOpt, formOptNil, formOptPointer:
		return jen.Qual(runtimePath, "Opt").Types(g.goType(t, name))
	}
	return g.goType(t, name)
}

// endless reports whether a definition holds itself by value through a required property or an item of a tuple: holder is
// the definition whose struct the value at hand is part of, t the type of the value. No such value ends, but Go must be
// able to compile the type, so the field is a pointer.
func (g *gen) endless(t *contract.Type, holder string) bool {
	seen := map[string]bool{}
	var holds func(t *contract.Type) bool
	holds = func(t *contract.Type) bool {
		if g.nullable(t) {
			return false
		}
		switch t.Kind {
		case contract.KindRef:
			if t.Ref == holder {
				return true
			}
			def := g.definition(t)
			if def == nil || seen[t.Ref] {
				return false
			}
			seen[t.Ref] = true
			return holds(def.Type)
		case contract.KindTuple:
			return slices.ContainsFunc(t.Items, holds)
		case contract.KindObject:
			return slices.ContainsFunc(t.Fields, func(p *contract.Param) bool { return !absentable(p) && holds(p.Type) })
		}
		return false
	}
	return holder != "" && t.Kind == contract.KindRef && holds(t)
}

// absentable reports whether the absence of a property must be seen in Go.
func absentable(p *contract.Param) bool { return p.Optional && p.Default == nil }
