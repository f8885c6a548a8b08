package gotypes

import (
	"encoding/json"

	"github.com/dave/jennifer/jen"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
)

// Limits of what is kept beside the arguments, so that a call that leaves everything out stays cheap: how many values there
// are, how many fields each has, and how many items of a list.
const (
	maxRooms      = 8
	maxRoomFields = 8
	roomItems     = 4
)

// argsVar declares the variable args that arguments are read into, and gives the expression of its address. What small
// optional parameters point to has room beside them, and so have short lists, so that all of it is one allocation.
func (g *gen) argsVar(typ string, members []member) (declared []jen.Code, pointer jen.Code) {
	fields := []jen.Code{jen.Id("args").Id(typ)}
	for i := range members {
		m := &members[i]
		if len(fields) > maxRooms {
			break
		}
		room := "of" + m.goName
		switch {
		case m.form == formPointer && g.small(m.typ, m.name):
			fields = append(fields, jen.Id(room).Add(g.bareType(m.typ, m.name)))
		case (m.form == formValue || m.form == formOpt || m.form == formNil) && g.plainList(m.typ):
			fields = append(fields, jen.Id(room).Index(jen.Lit(roomItems)).Add(g.bareType(m.typ.Elem, contract.ItemType(m.name))))
		default:
			continue
		}
		m.room = jen.Id("all").Dot(room)
	}
	if len(fields) == 1 {
		return []jen.Code{jen.Var().Id("args").Id(typ)}, jen.Op("&").Id("args")
	}
	return []jen.Code{
		jen.Comment("One allocation: the arguments, what they point to, and lists while they are short."),
		jen.Var().Id("all").Struct(fields...),
		jen.Id("args").Op(":=").Op("&").Id("all").Dot("args"),
	}, jen.Id("args")
}

// small reports whether values of a type take little room: an enumeration, or a few fields that are no structs themselves.
func (g *gen) small(t *contract.Type, name string) bool {
	to, _, _ := g.follow(t, name)
	if to.IsEnum() {
		return true
	}
	if to.Kind != contract.KindObject || len(to.Fields) > maxRoomFields {
		return false
	}
	for _, p := range to.Fields {
		if of, _, _ := g.follow(p.Type, ""); named(of) && !of.IsEnum() && g.propertyForm(p, "", "") == formValue {
			return false
		}
	}
	return true
}

// plainList reports whether a type is a list of strings, numbers or booleans.
func (g *gen) plainList(t *contract.Type) bool {
	if t.Kind != contract.KindArray || t.Nullable || t.Elem == nil || g.nullable(t.Elem) {
		return false
	}
	switch t.Elem.Kind {
	case contract.KindString, contract.KindInt, contract.KindNumber, contract.KindBool:
		return t.Elem.Format != "date-time"
	}
	return false
}

// zeroDefaults reports whether defaults that are Go's zero value need not be read: there are some, and all that go into the
// struct go into values that start as zero, not into an Opt that another variant needs.
func zeroDefaults(t *contract.Tool, members []member) bool {
	form := map[string]form{}
	for i, a := range t.Args {
		form[a.Name] = members[i].form
	}
	found := false
	for _, v := range t.Variants {
		for _, p := range v.Params {
			if p.Default != nil && isZero(p.Default) {
				found = true
				if form[p.Name] != formValue {
					return false
				}
			}
		}
		for _, f := range v.Fixed {
			if isZero(f.Value) {
				found = true
				if form[f.Name] != formValue {
					return false
				}
			}
		}
	}
	return found
}

func isZero(text json.RawMessage) bool {
	switch string(text) {
	case "false", "0", `""`:
		return true
	}
	return false
}
