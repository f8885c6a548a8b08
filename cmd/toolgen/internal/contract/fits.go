package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// problem is one way in which a JSON value does not fit a type.
type problem struct {
	Pointer string // JSON Pointer; empty for the value itself
	Message string
}

func (p problem) String() string {
	if p.Pointer == "" {
		return p.Message
	}
	return "at " + p.Pointer + ": " + p.Message
}

// fits checks a JSON value against a type, as strictly as a call's arguments are checked without repairs. It returns
// every problem, in a stable order.
func fits(raw json.RawMessage, t *Type, defs *Definitions) []problem {
	v, err := decodeJSON(raw)
	if err != nil {
		return []problem{{Message: "is not JSON: " + err.Error()}}
	}
	steps := fitSteps
	f := &fitter{steps: &steps, active: map[visit]bool{}}
	f.value(v, t, defs, "")
	return f.problems
}

// fitSteps bounds the work on one value: alternatives of alternatives may multiply. What is not reached counts as
// fitting.
const fitSteps = 100_000

type fitter struct {
	problems []problem
	steps    *int
	active   map[visit]bool // definitions being checked, to stop those that lead back to themselves
}

type visit struct {
	t   *Type
	ptr string
}

func (f *fitter) fail(ptr, format string, args ...any) {
	f.problems = append(f.problems, problem{Pointer: ptr, Message: fmt.Sprintf(format, args...)})
}

func (f *fitter) value(v any, t *Type, defs *Definitions, ptr string) {
	if *f.steps--; *f.steps < 0 || t == nil {
		return
	}
	if v == nil && (t.Nullable || t.Kind == KindNull || t.Kind == KindAny) {
		return
	}
	if t.Kind == KindRef {
		to, in := defs.Resolve(t)
		if to == nil {
			return // nothing is known of it; the loader reports references to nothing
		}
		at := visit{to, ptr}
		if f.active[at] {
			f.fail(ptr, "leads back to the definition %s without a value", t.Ref)
			return
		}
		f.active[at] = true
		f.value(v, to, in, ptr)
		delete(f.active, at)
		return
	}
	switch t.Kind {
	case KindAny:
	case KindUnion:
		f.union(v, t, defs, ptr)
	case KindBool:
		if b, ok := v.(bool); !ok || t.IsEnum() && !slices.Contains(t.Enum, strconv.FormatBool(b)) {
			f.expected(v, t, ptr)
		}
	case KindInt, KindNumber:
		f.number(v, t, ptr)
	case KindString:
		f.str(v, t, ptr)
	case KindArray, KindTuple:
		f.array(v, t, defs, ptr)
	case KindObject:
		f.object(v, t, defs, ptr, "")
	case KindTagged:
		f.tagged(v, t, defs, ptr)
	default:
		f.expected(v, t, ptr)
	}
}

func (f *fitter) expected(v any, t *Type, ptr string) {
	f.fail(ptr, "expected %s, got %s", wanted(t), showJSON(v))
}

func (f *fitter) number(v any, t *Type, ptr string) {
	num, ok := v.(json.Number)
	if !ok {
		f.expected(v, t, ptr)
		return
	}
	n, ok := decimal(num.String())
	if !ok {
		f.fail(ptr, "%s is out of range", showJSON(v))
		return
	}
	if t.Kind == KindInt && !n.IsInt() {
		f.expected(v, t, ptr)
		return
	}
	if t.Kind == KindInt && !n.Num().IsInt64() {
		f.fail(ptr, "%s is beyond 64 bits", showJSON(v))
		return
	}
	if f64, _ := n.Float64(); t.Kind == KindNumber && math.IsInf(f64, 0) {
		f.fail(ptr, "%s is beyond a 64-bit float", showJSON(v))
		return
	}
	same := func(s string) bool { x, ok := decimal(s); return ok && x.Cmp(n) == 0 }
	if t.IsEnum() && !slices.ContainsFunc(t.Enum, same) {
		f.expected(v, t, ptr)
	}
	if slices.ContainsFunc(t.Not, same) {
		f.fail(ptr, "%s is excluded", showJSON(v))
	}
	if low, ok := decimal(t.Min); ok && (n.Cmp(low) < 0 || t.ExclusiveMin && n.Cmp(low) == 0) {
		f.fail(ptr, "%s is too small, expected %s %s", showJSON(v), pick(t.ExclusiveMin, "more than", "at least"), t.Min)
	}
	if high, ok := decimal(t.Max); ok && (n.Cmp(high) > 0 || t.ExclusiveMax && n.Cmp(high) == 0) {
		f.fail(ptr, "%s is too large, expected %s %s", showJSON(v), pick(t.ExclusiveMax, "less than", "at most"), t.Max)
	}
	if by, ok := decimal(t.MultipleOf); ok && by.Sign() != 0 && !new(big.Rat).Quo(n, by).IsInt() {
		f.fail(ptr, "%s is no multiple of %s", showJSON(v), t.MultipleOf)
	}
}

func (f *fitter) str(v any, t *Type, ptr string) {
	s, ok := v.(string)
	if !ok || t.IsEnum() && !slices.Contains(t.Enum, s) {
		f.expected(v, t, ptr)
		return
	}
	if slices.Contains(t.Not, s) {
		f.fail(ptr, "%s is excluded", showJSON(v))
	}
	f.length(utf8.RuneCountInString(s), t, ptr, "character")
	for _, p := range t.Patterns {
		if re, err := regexp.Compile(p); err == nil && !re.MatchString(s) {
			f.fail(ptr, "%s does not match the pattern %s", showJSON(v), p)
		}
	}
	if !fitsFormat(s, t.Format) {
		f.fail(ptr, "%s is no %s", showJSON(v), t.Format)
	}
}

func (f *fitter) length(n int, t *Type, ptr, unit string) {
	if t.MinLen != nil && int64(n) < *t.MinLen {
		f.fail(ptr, "expected at least %s, got %d", count(*t.MinLen, unit), n)
	}
	if t.MaxLen != nil && int64(n) > *t.MaxLen {
		f.fail(ptr, "expected at most %s, got %d", count(*t.MaxLen, unit), n)
	}
}

func (f *fitter) array(v any, t *Type, defs *Definitions, ptr string) {
	list, ok := v.([]any)
	if !ok {
		f.expected(v, t, ptr)
		return
	}
	if t.Kind == KindTuple && len(list) != len(t.Items) {
		f.fail(ptr, "expected %s, got %d", count(int64(len(t.Items)), "item"), len(list))
	}
	f.length(len(list), t, ptr, "item")
	seen := map[string]int{}
	for i, x := range list {
		at := ptr + "/" + strconv.Itoa(i)
		switch {
		case t.Kind == KindArray:
			f.value(x, t.Elem, defs, at)
		case i < len(t.Items):
			f.value(x, t.Items[i], defs, at)
		}
		if t.Unique {
			key := identity(x)
			if first, dup := seen[key]; dup {
				f.fail(at, "is equal to item %d; expected items that differ", first)
				continue
			}
			seen[key] = i
		}
	}
}

// object checks an object; the property tag is already checked where it is not declared.
func (f *fitter) object(v any, t *Type, defs *Definitions, ptr, tag string) {
	object, ok := v.(map[string]any)
	if !ok {
		f.expected(v, t, ptr)
		return
	}
	f.length(len(object), t, ptr, "property")
	known := make([]string, 0, len(t.Fields))
	for _, p := range t.Fields {
		known = append(known, p.Name)
		x, given := object[p.Name]
		switch {
		case given:
			f.value(x, p.Type, defs, ptr+"/"+escapePointer(p.Name))
		case p.Required():
			f.fail(ptr, "lacks the required %s", quoteName(p.Name))
		}
	}
	for _, name := range sortedKeys(object) {
		if slices.Contains(known, name) || tag != "" && name == tag {
			continue
		}
		f.rest(name, object[name], t, defs, ptr+"/"+escapePointer(name), known)
	}
}

// rest checks a property that is not declared.
func (f *fitter) rest(name string, v any, t *Type, defs *Definitions, ptr string, known []string) {
	matched := false
	for _, p := range t.PatternRest {
		if re, err := regexp.Compile(p.Pattern); err != nil || re.MatchString(name) {
			matched = true
			f.value(v, p.Type, defs, ptr)
		}
	}
	switch near, ok := diag.Nearest(name, known); {
	case matched:
	case t.Rest != nil:
		f.value(v, t.Rest, defs, ptr)
	case ok:
		f.fail(ptr, "is unknown; did you mean %s?", near)
	case len(known) > 0:
		f.fail(ptr, "is unknown; known are %s", listSome(known, 10))
	default:
		f.fail(ptr, "is unknown")
	}
}

func (f *fitter) tagged(v any, t *Type, defs *Definitions, ptr string) {
	object, ok := v.(map[string]any)
	if !ok {
		f.expected(v, t, ptr)
		return
	}
	given, has := object[t.Tag]
	var tags []string
	for _, c := range t.Cases {
		tags = append(tags, c.Tag)
		if !has || scalarString(given) != c.Tag {
			continue
		}
		to, in := defs.Resolve(c.Type)
		if to == nil || to.Kind != KindObject {
			f.value(v, to, in, ptr)
			return
		}
		f.object(v, to, in, ptr, t.Tag)
		return
	}
	if !has {
		f.fail(ptr, "lacks %s, which tells the kinds apart: one of %s", quoteName(t.Tag), listSome(tags, 20))
		return
	}
	f.fail(ptr+"/"+escapePointer(t.Tag), "expected one of %s, got %s", listSome(tags, 20), showJSON(given))
}

func (f *fitter) union(v any, t *Type, defs *Definitions, ptr string) {
	for _, c := range t.Cases {
		one := &fitter{steps: f.steps, active: f.active}
		if one.value(v, c.Type, defs, ptr); len(one.problems) == 0 {
			return
		}
	}
	f.expected(v, t, ptr)
}

// wanted says what a type takes, in a few words.
func wanted(t *Type) string {
	switch {
	case t.IsEnum():
		return "one of " + listSome(t.Enum, 20) + pick(t.Nullable, " or null", "")
	case t.Kind == KindUnion:
		var parts []string
		for _, c := range t.Cases {
			if c.Type != nil {
				parts = append(parts, wanted(c.Type))
			}
		}
		return strings.Join(parts, " or ")
	case t.Kind == KindTagged:
		return "an object"
	case t.Kind == KindRef:
		return t.Ref
	}
	return kindName(t) + pick(t.Nullable, " or null", "")
}

// decodeJSON reads exactly one JSON value and keeps its numbers as they are written.
func decodeJSON(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the value")
	}
	return v, nil
}
