package contracts

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"

	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

func (r *reader) number(s *sub, kind string, values *constants) *schema.Type {
	t := &schema.Type{Kind: schema.Number}
	if kind == "integer" {
		t.Kind = schema.Int
	}
	t.Min, t.ExclusiveMin = r.bound(s, "minimum", "exclusiveMinimum", 1)
	t.Max, t.ExclusiveMax = r.bound(s, "maximum", "exclusiveMaximum", -1)
	t.MultipleOf = r.decimal(s, "multipleOf")
	if values == nil {
		return t
	}
	for _, text := range values.numbers {
		if kind == "integer" {
			if text = integer(text); text == "" {
				continue // no integer is this value
			}
		}
		if !slices.Contains(t.Enum, text) {
			t.Enum = append(t.Enum, text)
		}
	}
	return t
}

// bound reads a bound that may be given in two ways: the tighter one counts. Up is 1 for lower bounds, -1 for upper ones.
func (r *reader) bound(s *sub, inclusive, exclusive string, up int) (text string, excluded bool) {
	text = r.decimal(s, inclusive)
	other := r.decimal(s, exclusive)
	if other == "" {
		return text, false
	}
	if text != "" {
		a, _ := schema.ParseDecimal(text)
		b, _ := schema.ParseDecimal(other)
		if a.Cmp(b)*up > 0 {
			return text, false
		}
	}
	return other, true
}

// decimal reads a number; it is empty where there is none.
func (r *reader) decimal(s *sub, keyword string) string {
	n := s.get(keyword)
	if n == nil {
		return ""
	}
	if _, ok := schema.ParseDecimal(n.text); !ok || n.kind != 0 {
		r.fail(s.to(keyword), "it is a number")
		return ""
	}
	return n.text
}

// length reads the bounds of a length.
func (r *reader) length(s *sub, what string) schema.Range {
	var out schema.Range
	out.Min, _ = r.count(s, "min"+what)
	out.Max, out.Bounded = r.count(s, "max"+what)
	return out
}

func (r *reader) count(s *sub, keyword string) (int, bool) {
	n := s.get(keyword)
	if n == nil {
		return 0, false
	}
	v, err := strconv.Atoi(integer(n.text))
	if n.kind != 0 || err != nil || v < 0 {
		r.fail(s.to(keyword), "it is an integer, not below zero")
		return 0, false
	}
	return v, true
}

func (r *reader) string(s *sub, values *constants) *schema.Type {
	t := &schema.Type{Kind: schema.String, Len: r.length(s, "Length")}
	if values != nil {
		t.Enum = values.strings
	}
	r.pattern(s.to("pattern"), s.get("pattern"), t)
	if all := s.get("allOf"); all != nil {
		for i, n := range all.items {
			r.pattern(under(s.at, "allOf", i)+"/pattern", n.get("pattern"), t)
		}
	}
	if n := s.get("format"); n != nil {
		if n.kind != '"' {
			r.fail(s.to("format"), "it is a string")
		} else {
			t.Format = n.value
		}
	}
	return t
}

func (r *reader) pattern(at string, n *node, t *schema.Type) {
	if n == nil {
		return
	}
	if n.kind != '"' {
		r.fail(at, "it is a string")
		return
	}
	if why := foreign(n.value); why != "" {
		r.cannot(at, why)
		return
	}
	t.Patterns = append(t.Patterns, n.value)
}

func (r *reader) array(s *sub) *schema.Type {
	t := &schema.Type{Kind: schema.Array, Elem: &schema.Type{}, Len: r.length(s, "Items"), Unique: r.flag(s, "uniqueItems")}
	first, rest, keyword := s.get("prefixItems"), s.get("items"), "prefixItems"
	if rest != nil && rest.kind == '[' { // as drafts before 2020-12 write a tuple
		first, rest, keyword = rest, s.get("additionalItems"), "items"
	}
	switch {
	case first == nil && rest == nil:
		return t
	case first == nil && never(rest):
		t.Len.Max, t.Len.Bounded = 0, true
		return t
	case first == nil:
		t.Elem = r.typeOf(s.to("items"), rest, "")
		return t
	case first.kind != '[' || len(first.items) == 0:
		r.fail(s.to(keyword), "it is a list of at least one schema")
		return t
	}
	n := len(first.items)
	closed := rest != nil && never(rest) || t.Len.Bounded && t.Len.Max == n
	if !closed || t.Len.Min != n || t.Len.Bounded && t.Len.Max < n || t.Unique {
		r.cannot(s.to(keyword), "tuples have as many items as schemas, no less and no more")
		return t
	}
	t = &schema.Type{Kind: schema.Tuple}
	for i, item := range first.items {
		t.Items = append(t.Items, r.typeOf(under(s.at, keyword, i), item, ""))
	}
	return t
}

func (r *reader) flag(s *sub, keyword string) bool {
	n := s.get(keyword)
	if n == nil {
		return false
	}
	if n.kind != 't' && n.kind != 'f' {
		r.fail(s.to(keyword), "it is true or false")
	}
	return n.kind == 't'
}

func (r *reader) object(s *sub) *schema.Type {
	t := &schema.Type{Kind: schema.Object, Rest: &schema.Type{}, Len: r.length(s, "Properties")}
	switch n := s.get("additionalProperties"); {
	case n == nil:
	case never(n):
		t.Rest = nil
	default:
		t.Rest = r.typeOf(s.to("additionalProperties"), n, "")
	}
	r.properties(s, t)
	r.patternProperties(s, t)
	r.required(s, t)
	for i := range t.Fields {
		f := &t.Fields[i]
		f.Slot = i
		if f.Default != "" {
			r.defaults = append(r.defaults, defaulted{inside(inside(s.to("properties"), f.Name), "default"), f, f.Default})
			f.Default = "" // until it is verified
		}
	}
	return t
}

func (r *reader) properties(s *sub, t *schema.Type) {
	n := s.get("properties")
	if n == nil {
		return
	}
	if n.kind != '{' {
		r.fail(s.to("properties"), "it is an object of schemas")
		return
	}
	for i, name := range n.names {
		f := schema.Field{Name: name, Type: r.typeOf(inside(s.to("properties"), name), n.items[i], "")}
		if d := n.items[i].get("default"); d != nil {
			f.Default = compact([]byte(d.text))
		}
		t.Fields = append(t.Fields, f)
	}
}

// required marks fields. A name that is not declared becomes a field of the type that undeclared properties have. A
// default says nothing there: without a value the call is refused.
func (r *reader) required(s *sub, t *schema.Type) {
	n := s.get("required")
	if n == nil {
		return
	}
	if n.kind != '[' || slices.ContainsFunc(n.items, func(item *node) bool { return item.kind != '"' }) {
		r.fail(s.to("required"), "it is a list of names")
		return
	}
	index := make(map[string]int, len(t.Fields))
	for i, f := range t.Fields {
		index[f.Name] = i
	}
	for i, item := range n.items {
		at, ok := index[item.value]
		if !ok {
			typ := r.undeclared(under(s.at, "required", i), t, item.value)
			at = len(t.Fields)
			index[item.value] = at
			t.Fields = append(t.Fields, schema.Field{Name: item.value, Type: typ})
		}
		t.Fields[at].Required, t.Fields[at].Default = true, ""
	}
}

// undeclared is the type of a property that is required and not declared.
func (r *reader) undeclared(at string, t *schema.Type, name string) *schema.Type {
	var types []*schema.Type
	for _, p := range t.PatternRest {
		if re, err := regexp.Compile(p.Pattern); err == nil && re.MatchString(name) {
			types = append(types, p.Type)
		}
	}
	switch {
	case len(types) > 1:
		r.cannot(at, "several patterns of names match "+strconv.Quote(name))
	case len(types) == 1:
		return types[0]
	case t.Rest != nil:
		return t.Rest
	default:
		r.cannot(at, "there is no property "+strconv.Quote(name)+", and none is allowed")
	}
	return &schema.Type{}
}

func (r *reader) patternProperties(s *sub, t *schema.Type) {
	n := s.get("patternProperties")
	if n == nil {
		return
	}
	if n.kind != '{' {
		r.fail(s.to("patternProperties"), "it is an object of schemas")
		return
	}
	for i, pattern := range n.names {
		at := inside(s.to("patternProperties"), pattern)
		if why := foreign(pattern); why != "" {
			r.cannot(at, why)
			continue
		}
		typ := r.typeOf(at, n.items[i], "")
		re, err := regexp.Compile(pattern)
		if err != nil {
			continue // foreign has said so
		}
		for _, f := range t.Fields {
			if re.MatchString(f.Name) && !covers(typ, f.Type) {
				r.cannot(at, "it matches the declared property "+strconv.Quote(f.Name)+" too")
				break
			}
		}
		t.PatternRest = append(t.PatternRest, schema.PatternRest{Pattern: pattern, Type: typ})
	}
}

// covers tells whether one type plainly allows everything that another one does.
func covers(wide, narrow *schema.Type) bool {
	bare := schema.Type{Kind: wide.Kind, Nullable: wide.Nullable}
	switch wide.Kind {
	case schema.Any:
		return true
	case schema.Bool, schema.Int, schema.Number, schema.String:
		sameKind := wide.Kind == narrow.Kind || wide.Kind == schema.Number && narrow.Kind == schema.Int
		if sameKind && (wide.Nullable || !narrow.Nullable) && reflect.DeepEqual(*wide, bare) {
			return true
		}
	}
	return reflect.DeepEqual(wide, narrow)
}

// verifyDefaults enters the defaults that fit, and notes the others.
func (r *reader) verifyDefaults(s *schema.Schema) {
	root := &schema.Type{Kind: schema.Object}
	for i, d := range r.defaults {
		root.Fields = append(root.Fields, schema.Field{Name: strconv.Itoa(i), Slot: i, Type: d.field.Type})
	}
	program, err := schema.Compile(&schema.Schema{Root: root, Defs: s.Defs})
	if err != nil {
		return // neither does the whole compile, which is said later
	}
	engine, err := decode.New(program)
	if err != nil {
		return
	}
	for i, d := range r.defaults {
		report := engine.Validate(`{"` + strconv.Itoa(i) + `":` + d.text + `}`)
		if report.OK() {
			d.field.Default = d.text
			continue
		}
		r.cannot(d.at, "it does not fit: expected "+report.Problems[0].Expected+", got "+report.Problems[0].Got)
	}
}
