package contracts

import (
	"slices"
	"strconv"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// sub is one schema that is being read: an object of keywords.
type sub struct {
	at   string
	node *node
	kind string // the type that its parent says for it; empty: none
}

func (s *sub) get(keyword string) *node { return s.node.get(keyword) }

func (s *sub) has(keyword string) bool { return s.node.get(keyword) != nil }

// to is the pointer to a keyword.
func (s *sub) to(keyword string) string { return inside(s.at, keyword) }

// Keywords that ask nothing of a value, or are read where they matter.
var annotations = []string{
	"title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly", "$comment", "$schema", "$id",
	"$defs", "definitions", "contentEncoding", "contentMediaType", "contentSchema",
}

// Keywords that the tables can say, by the type that they are for; those for no type are first.
var (
	general   = []string{"$ref", "type", "enum", "const", "not", "anyOf", "oneOf", "allOf"}
	ofNumbers = []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
	ofStrings = []string{"minLength", "maxLength", "pattern", "format"}
	ofArrays  = []string{"items", "prefixItems", "additionalItems", "minItems", "maxItems", "uniqueItems"}
	ofObjects = []string{"properties", "required", "additionalProperties", "patternProperties", "minProperties", "maxProperties"}
)

// Keywords of JSON Schema that the tables cannot say.
var beyond = []string{
	"if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies", "contains", "minContains", "maxContains",
	"propertyNames", "unevaluatedItems", "unevaluatedProperties", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef",
	"$recursiveAnchor", "$vocabulary",
}

// every is all types, each of which has values of its own.
var every = []string{"null", "boolean", "number", "string", "array", "object"}

// typeOf reads one schema. It always returns a type; what it could not read is noted. Kind is the type that the schema is
// known to be for, where it does not say one itself.
func (r *reader) typeOf(at string, n *node, kind string) *schema.Type {
	switch n.kind {
	case 't':
		return r.typeOf(at, &node{kind: '{'}, kind)
	case 'f', '{':
	default:
		r.fail(at, "a schema is an object, or true or false")
		return &schema.Type{}
	}
	if never(n) {
		r.cannot(at, "it allows no value")
		return &schema.Type{}
	}
	s := &sub{at, n, kind}
	r.strangers(s)
	if s.has("$ref") {
		return r.reference(s)
	}
	key, why := s.alternatives()
	if key != "" && s.at == "" {
		why = "the arguments as a whole have no alternatives"
	}
	if key != "" && why == "" {
		return r.alternatives(s, key)
	}
	if key != "" {
		r.cannot(s.to(key), why)
	}
	if all := s.get("allOf"); all != nil {
		if t := r.wrapped(s, all); t != nil {
			return t
		}
	}
	return r.plain(s)
}

// never tells whether a schema allows no value at all, in one of the ways in which that is written.
func never(n *node) bool {
	switch {
	case n.kind == 'f':
		return true
	case n.kind != '{':
		return false
	}
	not := n.get("not")
	return not != nil && (&sub{node: n}).asserts("not") == "" &&
		(not.kind == 't' || not.kind == '{' && len(not.names) == 0)
}

// strangers notes the keywords that are not supported wherever they stand.
func (r *reader) strangers(s *sub) {
	for _, name := range s.node.names {
		switch {
		case slices.Contains(beyond, name):
			r.cannot(s.to(name), "tables have nothing of its kind")
		case name == "$id" && s.at != "":
			r.cannot(s.to(name), "references below it would mean something else")
		case !known(name):
			r.cannot(s.to(name), "JSON Schema has no such keyword")
		}
	}
}

func known(name string) bool {
	for _, list := range [][]string{annotations, general, ofNumbers, ofStrings, ofArrays, ofObjects, beyond} {
		if slices.Contains(list, name) {
			return true
		}
	}
	return strings.HasPrefix(name, "x-")
}

// asserts returns the first keyword beside some others that asks something of a value; it is empty where there is none.
func (s *sub) asserts(beside ...string) string {
	for _, name := range s.node.names {
		if !slices.Contains(annotations, name) && !slices.Contains(beyond, name) && !slices.Contains(beside, name) && known(name) &&
			!strings.HasPrefix(name, "x-") {
			return name
		}
	}
	return ""
}

func (r *reader) reference(s *sub) *schema.Type {
	n := s.get("$ref")
	if n.kind != '"' {
		r.fail(s.to("$ref"), "a reference is a string")
		return &schema.Type{}
	}
	for _, name := range s.node.names {
		if s.asserts("$ref") != "" && name != "$ref" && s.only(name) {
			r.cannot(s.to(name), "it stands beside $ref")
		}
	}
	return r.ref(s.to("$ref"), n.value)
}

// only tells whether a keyword asks something of a value.
func (s *sub) only(name string) bool {
	return (&sub{node: &node{kind: '{', names: []string{name}, items: []*node{nil}}}).asserts() != ""
}

// alternatives returns the keyword of alternatives that there is, and why it cannot be said with what stands beside it.
func (s *sub) alternatives() (keyword, why string) {
	any, one := s.has("anyOf"), s.has("oneOf")
	switch {
	case any && one:
		return "oneOf", "it stands beside anyOf"
	case any:
		keyword = "anyOf"
	case one:
		keyword = "oneOf"
	default:
		return "", ""
	}
	if other := s.asserts(keyword, "type"); other != "" {
		return keyword, "it stands beside " + other
	}
	return keyword, ""
}

// wrapped reads allOf where it says no more than one schema, or than patterns beside a string; it is nil where the
// keywords beside it are to be read.
func (r *reader) wrapped(s *sub, all *node) *schema.Type {
	if all.kind != '[' || len(all.items) == 0 {
		r.fail(s.to("allOf"), "it is a list of at least one schema")
		return nil
	}
	if len(all.items) == 1 && s.asserts("allOf") == "" {
		return r.typeOf(under(s.at, "allOf", 0), all.items[0], s.kind)
	}
	for i, n := range all.items {
		if n.kind != '{' || (&sub{node: n}).asserts("pattern") != "" {
			r.cannot(under(s.at, "allOf", i), "only patterns can be joined with other keywords")
		}
	}
	return nil
}

// plain reads a schema without alternatives.
func (r *reader) plain(s *sub) *schema.Type {
	kinds := r.types(s)
	values := r.values(s)
	switch {
	case kinds == nil && values != nil:
		kinds = every
	case kinds == nil && s.constrains():
		kinds = every
	}
	if kinds == nil {
		return &schema.Type{}
	}
	nullable := false
	var types []*schema.Type
	for _, kind := range kinds {
		if values != nil && !values.some(kind) {
			continue
		}
		if kind == "null" {
			nullable = true
			continue
		}
		types = append(types, r.ofKind(s, kind, values))
	}
	var t *schema.Type
	switch {
	case len(types) > 1:
		t = &schema.Type{Kind: schema.Union}
		for _, c := range types {
			t.Cases = append(t.Cases, schema.Case{Type: c})
		}
	case len(types) == 1:
		t = types[0]
	case nullable:
		r.not(s, nil, "null")
		return &schema.Type{Kind: schema.Null}
	default:
		r.cannot(s.to("type"), "no value of its enumeration is of this type")
		return &schema.Type{}
	}
	if nullable {
		t.Nullable = true
		r.not(s, nil, "null")
	}
	return t
}

// constrains tells whether a schema that says no type asks something of the values of some.
func (s *sub) constrains() bool {
	for _, list := range [][]string{{"not", "allOf"}, ofNumbers, ofStrings, ofArrays, ofObjects} {
		if slices.ContainsFunc(list, s.has) {
			return true
		}
	}
	return false
}

// types returns the types that a schema says, or its parent for it; nil where it leaves that open. Integers are numbers.
func (r *reader) types(s *sub) []string {
	n := s.get("type")
	var out []string
	add := func(at string, n *node) {
		switch {
		case n.kind != '"':
			r.fail(at, "a type is a string")
		case n.value != "integer" && !slices.Contains(every, n.value):
			r.cannot(at, "JSON Schema has no type "+strconv.Quote(n.value))
		case !slices.Contains(out, n.value):
			out = append(out, n.value)
		}
	}
	switch {
	case n == nil && s.kind == "":
		return nil
	case n == nil:
		return []string{s.kind}
	case n.kind == '[':
		for i, item := range n.items {
			add(under(s.at, "type", i), item)
		}
	default:
		add(s.to("type"), n)
	}
	if slices.Contains(out, "number") {
		out = slices.DeleteFunc(out, func(kind string) bool { return kind == "integer" })
	}
	if s.kind != "" && out != nil && !slices.Equal(out, []string{s.kind}) {
		r.cannot(s.to("type"), "it is not what stands around it, "+s.kind)
		out = nil
	}
	if s.kind != "" && out == nil {
		return []string{s.kind}
	}
	return out
}

// constants are the values of enum or const, by their types.
type constants struct {
	strings, numbers []string
	yes, no, null    bool
}

func (c *constants) some(kind string) bool {
	switch kind {
	case "null":
		return c.null
	case "boolean":
		return c.yes || c.no
	case "string":
		return len(c.strings) > 0
	case "integer":
		return slices.ContainsFunc(c.numbers, func(text string) bool { return integer(text) != "" })
	case "number":
		return len(c.numbers) > 0
	}
	return false
}

// integer is a number in plain digits, or empty where it is no integer of 64 bits.
func integer(text string) string {
	v, fault := schema.ParseInt(text)
	if fault != schema.OK {
		return ""
	}
	return strconv.FormatInt(v, 10)
}

// values reads enum and const; it is nil where there is neither.
func (r *reader) values(s *sub) *constants {
	if s.has("enum") && s.has("const") {
		r.cannot(s.to("enum"), "it stands beside const")
	}
	if n := s.get("const"); n != nil {
		return r.constants(s.to("const"), []*node{n})
	}
	n := s.get("enum")
	switch {
	case n == nil:
		return nil
	case n.kind != '[' || len(n.items) == 0:
		r.fail(s.to("enum"), "it is a list of at least one value")
		return nil
	}
	return r.constants(s.to("enum"), n.items)
}

func (r *reader) constants(at string, values []*node) *constants {
	c := &constants{}
	for _, v := range values {
		switch v.kind {
		case '"':
			if !slices.Contains(c.strings, v.value) {
				c.strings = append(c.strings, v.value)
			}
		case 0:
			c.numbers = append(c.numbers, v.text)
		case 't':
			c.yes = true
		case 'f':
			c.no = true
		case 'n':
			c.null = true
		default:
			r.cannot(at, "objects and arrays cannot be constants")
			return nil
		}
	}
	return c
}

// ofKind reads the keywords for one type.
func (r *reader) ofKind(s *sub, kind string, values *constants) *schema.Type {
	var t *schema.Type
	switch kind {
	case "boolean":
		t = &schema.Type{Kind: schema.Bool}
		if values != nil && (!values.yes || !values.no) {
			key := "enum"
			if s.has("const") {
				key = "const"
			}
			r.cannot(s.to(key), "a boolean cannot be one of its values alone")
		}
	case "integer", "number":
		t = r.number(s, kind, values)
	case "string":
		t = r.string(s, values)
	case "array":
		t = r.array(s)
	default:
		t = r.object(s)
	}
	r.not(s, t, kind)
	return t
}

// not reads the constants that a schema excludes, for one type.
func (r *reader) not(s *sub, t *schema.Type, kind string) {
	n := s.get("not")
	if n == nil {
		return
	}
	inner := &sub{s.to("not"), n, ""}
	if n.kind != '{' || !inner.has("enum") && !inner.has("const") || inner.asserts("enum", "const") != "" {
		r.cannot(inner.at, "only constants can be excluded")
		return
	}
	values := r.values(inner)
	switch {
	case values == nil || !values.some(kind):
	case kind == "string":
		t.Not = values.strings
	case kind == "number":
		t.Not = values.numbers
	case kind == "integer":
		for _, text := range values.numbers {
			if v := integer(text); v != "" {
				t.Not = append(t.Not, v)
			}
		}
	default:
		r.cannot(inner.at, "only strings and numbers can be excluded")
	}
}
