// Package jsonschema renders the parameters of a variant as JSON Schema (draft 2020-12).
//
// The result is a [contract.Text]: compact JSON in which a reference to a tool stays a reference, so that a runtime can
// fill in the name under which the tool is mounted. Properties stand in source order, because models write keys in
// schema order; objects are closed unless the spec opens them; everything that a type says is in the schema, and nothing
// else.
package jsonschema

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
)

// Parameters renders the parameters of a variant. defs finds the definition that a type refers to.
func Parameters(v *contract.Variant, defs func(pkg, name string) *contract.Def) contract.Text {
	w := &writer{defs: defs}
	w.open()
	w.key("type")
	w.str("object")
	w.properties(v.Params)
	w.key("additionalProperties")
	w.raw("false")
	w.definitions()
	w.close()
	return w.text()
}

// writer builds compact JSON with references in it.
type writer struct {
	out   contract.Text
	lit   strings.Builder
	first bool // nothing was written yet in the current object or array
	defs  func(pkg, name string) *contract.Def
	used  []*contract.Def
}

func (w *writer) text() contract.Text {
	w.flush()
	return w.out
}

func (w *writer) flush() {
	if w.lit.Len() > 0 {
		w.out = append(w.out, contract.Segment{Lit: w.lit.String()})
		w.lit.Reset()
	}
}

func (w *writer) open() { w.lit.WriteByte('{'); w.first = true }

func (w *writer) close() { w.lit.WriteByte('}'); w.first = false }

func (w *writer) comma() {
	if !w.first {
		w.lit.WriteByte(',')
	}
	w.first = false
}

func (w *writer) key(k string) {
	w.comma()
	w.lit.WriteString(quote(k))
	w.lit.WriteByte(':')
}

func (w *writer) raw(s string) { w.lit.WriteString(s) }

func (w *writer) str(s string) { w.lit.WriteString(quote(s)) }

// prose writes a text as one JSON string; references to tools stay references.
func (w *writer) prose(t contract.Text) {
	w.lit.WriteByte('"')
	for _, s := range t {
		if s.Tool != "" && s.Param == "" {
			w.flush()
			w.out = append(w.out, contract.Segment{Tool: s.Tool})
			continue
		}
		q := quote(contract.Text{s}.Render(nil))
		w.lit.WriteString(q[1 : len(q)-1])
	}
	w.lit.WriteByte('"')
}

// quote is a JSON string without HTML escapes, so that prose stays readable and short.
func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return strconv.Quote(s) // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (w *writer) list(n int, item func(i int)) {
	w.lit.WriteByte('[')
	w.first = true
	for i := range n {
		w.comma()
		item(i)
	}
	w.lit.WriteByte(']')
	w.first = false
}

func (w *writer) strings(list []string) { w.list(len(list), func(i int) { w.str(list[i]) }) }

// properties writes the properties and required members of an object.
func (w *writer) properties(params []*contract.Param) {
	w.key("properties")
	w.open()
	var required []string
	for _, p := range params {
		w.key(p.Name)
		w.param(p)
		if p.Required() {
			required = append(required, p.Name)
		}
	}
	w.close()
	if len(required) > 0 {
		w.key("required")
		w.strings(required)
	}
}

func (w *writer) param(p *contract.Param) {
	w.open()
	w.body(p.Type, p.Doc)
	if p.Default != nil {
		w.key("default")
		w.raw(string(p.Default))
	}
	w.close()
}

func (w *writer) schema(t *contract.Type) {
	if t.Kind == contract.KindAny && len(t.Doc) == 0 {
		w.raw("true")
		w.first = false
		return
	}
	w.open()
	w.body(t, t.Doc)
	w.close()
}

// body writes the members of a type's schema.
func (w *writer) body(t *contract.Type, doc contract.Text) {
	describe := func() {
		if len(doc) > 0 {
			w.key("description")
			w.prose(doc)
		}
	}
	if t.Nullable && t.Kind == contract.KindRef {
		// A reference has no type keyword to which null could be added.
		describe()
		bare := *t
		bare.Nullable, bare.Doc = false, nil
		w.key("anyOf")
		w.list(2, func(i int) { w.schema([]*contract.Type{&bare, {Kind: contract.KindNull}}[i]) })
		return
	}
	if typed(t.Kind) {
		w.key("type")
		if name := typeName(t.Kind); t.Nullable && t.Kind != contract.KindNull {
			w.strings([]string{name, "null"})
		} else {
			w.str(name)
		}
	}
	describe()
	w.values(t)
	switch t.Kind {
	case contract.KindInt, contract.KindNumber:
		w.number(t)
	case contract.KindString:
		w.stringBounds(t)
	case contract.KindArray, contract.KindTuple:
		w.array(t)
	case contract.KindObject:
		w.object(t)
	case contract.KindTagged, contract.KindUnion:
		w.key("anyOf")
		n := len(t.Cases)
		if t.Nullable {
			n++
		}
		w.list(n, func(i int) {
			if i == len(t.Cases) {
				w.schema(&contract.Type{Kind: contract.KindNull})
			} else {
				w.schema(t.Cases[i].Type)
			}
		})
	case contract.KindRef:
		w.key("$ref")
		w.str("#/$defs/" + t.Ref)
		if d := w.defs(t.RefPackage, t.Ref); d != nil && !slices.Contains(w.used, d) {
			w.used = append(w.used, d)
		}
	}
}

func typed(k contract.Kind) bool {
	switch k {
	case contract.KindAny, contract.KindTagged, contract.KindUnion, contract.KindRef:
		return false
	}
	return true
}

func typeName(k contract.Kind) string {
	if k == contract.KindTuple {
		return "array"
	}
	return string(k)
}

// values writes the closed list of constants and the excluded ones.
func (w *writer) values(t *contract.Type) {
	constant := func(s string) {
		if t.Kind == contract.KindString {
			w.str(s)
		} else {
			w.raw(s)
		}
	}
	if len(t.Enum) > 0 {
		w.key("enum")
		n := len(t.Enum)
		if t.Nullable {
			n++
		}
		w.list(n, func(i int) {
			if i == len(t.Enum) {
				w.raw("null")
			} else {
				constant(t.Enum[i])
			}
		})
	}
	if len(t.Not) > 0 {
		w.key("not")
		w.open()
		w.key("enum")
		w.list(len(t.Not), func(i int) { constant(t.Not[i]) })
		w.close()
	}
}

func (w *writer) number(t *contract.Type) {
	bound := func(value, name string) {
		if value != "" {
			w.key(name)
			w.raw(value)
		}
	}
	if t.ExclusiveMin {
		bound(t.Min, "exclusiveMinimum")
	} else {
		bound(t.Min, "minimum")
	}
	if t.ExclusiveMax {
		bound(t.Max, "exclusiveMaximum")
	} else {
		bound(t.Max, "maximum")
	}
	bound(t.MultipleOf, "multipleOf")
}

func (w *writer) length(t *contract.Type, what string) {
	for _, b := range []struct {
		prefix string
		n      *int64
	}{{"min", t.MinLen}, {"max", t.MaxLen}} {
		if b.n != nil {
			w.key(b.prefix + what)
			w.raw(strconv.FormatInt(*b.n, 10))
		}
	}
}

func (w *writer) stringBounds(t *contract.Type) {
	w.length(t, "Length")
	if t.Format != "" {
		w.key("format")
		w.str(t.Format)
	}
	switch len(t.Patterns) {
	case 0:
	case 1:
		w.key("pattern")
		w.str(t.Patterns[0])
	default:
		w.key("allOf")
		w.list(len(t.Patterns), func(i int) {
			w.open()
			w.key("pattern")
			w.str(t.Patterns[i])
			w.close()
		})
	}
}

func (w *writer) array(t *contract.Type) {
	if t.Kind == contract.KindTuple {
		w.key("prefixItems")
		w.list(len(t.Items), func(i int) { w.schema(t.Items[i]) })
		w.key("items")
		w.raw("false")
		w.key("minItems")
		w.raw(strconv.Itoa(len(t.Items)))
		return
	}
	w.key("items")
	w.schema(t.Elem)
	w.length(t, "Items")
	if t.Unique {
		w.key("uniqueItems")
		w.raw("true")
	}
}

func (w *writer) object(t *contract.Type) {
	if len(t.Fields) > 0 || t.Rest == nil && len(t.PatternRest) == 0 {
		w.properties(t.Fields)
	}
	w.length(t, "Properties")
	if len(t.PatternRest) > 0 {
		w.key("patternProperties")
		w.open()
		for _, p := range t.PatternRest {
			w.key(p.Pattern)
			w.schema(p.Type)
		}
		w.close()
	}
	w.key("additionalProperties")
	if t.Rest == nil {
		w.raw("false")
	} else {
		w.schema(t.Rest)
	}
}

// definitions writes what was referred to; rendering one may bring in more.
func (w *writer) definitions() {
	if len(w.used) == 0 {
		return
	}
	w.key("$defs")
	w.open()
	for i := 0; i < len(w.used); i++ {
		w.key(w.used[i].Name)
		w.open()
		w.body(w.used[i].Type, contract.Literal(w.used[i].Doc))
		w.close()
	}
	w.close()
}
