package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// encoder writes generated Go values as JSON again. The tables say what they stand for, so it needs no tags.
type encoder struct{ defs []schema.Def }

func (e encoder) encode(dst []byte, v reflect.Value, t *schema.Type) ([]byte, error) {
	if v.Type() == reflect.TypeFor[json.RawMessage]() {
		return append(dst, v.Bytes()...), nil
	}
	nullable := t.Nullable
	for t.Kind == schema.Ref {
		if t = e.def(t.Ref); t == nil {
			return dst, fmt.Errorf("a type has no definition")
		}
		nullable = nullable || t.Nullable
	}
	if v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			if !nullable {
				return dst, fmt.Errorf("%s is nil and not nullable", v.Type())
			}
			return append(dst, "null"...), nil
		}
		return e.encode(dst, v.Elem(), notNull(t))
	}
	switch t.Kind {
	case schema.Null:
		return append(dst, "null"...), nil
	case schema.Bool:
		return strconv.AppendBool(dst, v.Bool()), nil
	case schema.Int:
		return strconv.AppendInt(dst, v.Int(), 10), nil
	case schema.Number:
		return strconv.AppendFloat(dst, v.Float(), 'g', -1, 64), nil
	case schema.String:
		if at, ok := v.Interface().(time.Time); ok {
			return append(dst, strconv.Quote(at.Format(time.RFC3339Nano))...), nil
		}
		text, err := json.Marshal(v.String())
		return append(dst, text...), err
	case schema.Array:
		return e.list(dst, v.Len(), func(dst []byte, i int) ([]byte, error) { return e.encode(dst, v.Index(i), t.Elem) })
	case schema.Tuple:
		return e.list(dst, len(t.Items), func(dst []byte, i int) ([]byte, error) { return e.encode(dst, v.Field(i), t.Items[i]) })
	case schema.Object:
		return e.object(dst, v, t)
	case schema.Tagged:
		for _, c := range t.Cases {
			if tagged(v, c) {
				return e.encode(dst, v, c.Type)
			}
		}
	case schema.Union:
		return e.union(dst, v, t)
	}
	return dst, fmt.Errorf("%s does not stand for %s", v.Type(), t.Kind)
}

// notNull is the type without null, for the value behind a pointer.
func notNull(t *schema.Type) *schema.Type {
	c := *t
	c.Nullable = false
	return &c
}

func (e encoder) def(name string) *schema.Type {
	for _, d := range e.defs {
		if d.Name == name {
			return d.Type
		}
	}
	return nil
}

func (e encoder) list(dst []byte, n int, item func([]byte, int) ([]byte, error)) (out []byte, err error) {
	dst = append(dst, '[')
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = item(dst, i); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

// tagged reports whether a Go type's name is that of a case: it ends in the tag's value.
func tagged(v reflect.Value, c schema.Case) bool {
	return strings.HasSuffix(bare(v.Type().Name()), bare(c.Tag))
}

// union writes the one case that is set.
func (e encoder) union(dst []byte, v reflect.Value, t *schema.Type) (out []byte, err error) {
	set := -1
	for i := range v.NumField() {
		if !v.Field(i).IsNil() {
			if set >= 0 {
				return dst, fmt.Errorf("%s has several cases", v.Type())
			}
			set = i
		}
	}
	if set < 0 {
		return dst, fmt.Errorf("%s has no case", v.Type())
	}
	return e.encode(dst, v.Field(set), t.Cases[set].Type)
}

// object writes a struct or a map.
func (e encoder) object(dst []byte, v reflect.Value, t *schema.Type) (out []byte, err error) {
	dst = append(dst, '{')
	add := func(name string, v reflect.Value, t *schema.Type) {
		if err != nil {
			return
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		key, _ := json.Marshal(name)
		dst, err = e.encode(append(append(dst, key...), ':'), v, t)
	}
	rest := v
	if v.Kind() == reflect.Struct {
		for _, f := range t.Fields {
			field := v.FieldByNameFunc(func(name string) bool { return bare(name) == bare(f.Name) })
			switch {
			case !field.IsValid() && f.Type.Kind == schema.String && len(f.Type.Enum) == 1:
				// The constant that tells objects apart has no field.
				add(f.Name, reflect.ValueOf(f.Type.Enum[0]), &schema.Type{Kind: schema.String})
				continue
			case !field.IsValid():
				return dst, fmt.Errorf("%s has no field for %q", v.Type(), f.Name)
			}
			if get := field.MethodByName("Get"); get.IsValid() {
				got := get.Call(nil)
				if got[1].Bool() {
					add(f.Name, got[0], f.Type)
				}
				continue
			}
			if !f.Required && f.Default == "" && nilled(field) {
				continue
			}
			add(f.Name, field, f.Type)
		}
		rest = v.FieldByName("Rest")
	}
	if rest.IsValid() {
		for it := rest.MapRange(); it.Next(); {
			more := &schema.Type{}
			if t.Rest != nil {
				more = t.Rest
			} else if len(t.PatternRest) > 0 {
				more = t.PatternRest[0].Type
			}
			add(it.Key().String(), it.Value(), more)
		}
	}
	return append(dst, '}'), err
}

func nilled(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map:
		return v.IsNil()
	}
	return false
}

// bare is a name without what casing changes.
func bare(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_-[]$/~ ", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
}
