package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Strictness is what a provider accepts of a schema whose calls it is to guarantee.
type Strictness struct {
	Keywords    []string // that a schema may have
	Formats     []string
	AllRequired bool // whether each property must be required
	BareRefs    bool // whether nothing may stand beside $ref
	Recursion   bool // whether a schema may contain itself
	MaxMinItems int  // how large minItems may be
	MaxDepth    int  // how deep objects may lie in each other; 0 is no limit
}

// Budget is what a schema uses of what the strict tools of a request may have together.
type Budget struct{ Optional, Unions int }

// Fits says why a schema is not one that the provider guarantees, or returns what it uses.
func (s *Strictness) Fits(schema json.RawMessage) (Budget, error) {
	var root map[string]any
	if json.Unmarshal(schema, &root) != nil || root["type"] != "object" {
		return Budget{}, fmt.Errorf("the root is no object")
	}
	f := fitter{strictness: s, root: root}
	if _, ok := root["anyOf"]; ok {
		f.not("", "the root has anyOf")
	}
	Schemas(root, f.schema)
	f.booleans()
	if s.MaxDepth > 0 && f.depth(root) > s.MaxDepth {
		f.not("", "objects lie more than %d deep", s.MaxDepth)
	}
	if !s.Recursion && f.recursive() {
		f.not("", "it contains itself")
	}
	return f.budget, f.err
}

// fitter looks at one schema. The first problem counts.
type fitter struct {
	strictness *Strictness
	root       map[string]any
	budget     Budget
	err        error
}

func (f *fitter) not(at, format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf("%s: %s", at, fmt.Sprintf(format, args...))
	}
}

func (f *fitter) schema(at string, s map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(s)) {
		if !slices.Contains(f.strictness.Keywords, key) {
			f.not(at, "%s is not allowed", key)
		}
	}
	if format, ok := s["format"].(string); ok && !slices.Contains(f.strictness.Formats, format) {
		f.not(at, "the format %s is not allowed", format)
	}
	if n, ok := s["minItems"].(float64); ok && n > float64(f.strictness.MaxMinItems) {
		f.not(at, "minItems is more than %d", f.strictness.MaxMinItems)
	}
	ref, isRef := s["$ref"].(string)
	if isRef && !strings.HasPrefix(ref, "#") {
		f.not(at, "a reference to another document is not allowed")
	}
	if isRef && f.strictness.BareRefs && len(s) > 1 {
		f.not(at, "nothing may stand beside $ref")
	}
	_, isAny := s["anyOf"]
	types, isList := s["type"].([]any)
	if isAny || isList && len(types) > 1 {
		f.budget.Unions++
	}
	if IsType(s, "object") {
		f.object(at, s)
	}
	if at != "" && s["type"] == nil && !isRef && !isAny && s["enum"] == nil && s["const"] == nil && s["allOf"] == nil {
		f.not(at, "it has no type")
	}
}

func (f *fitter) object(at string, s map[string]any) {
	if s["additionalProperties"] != false {
		f.not(at, "additionalProperties is not false")
	}
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if slices.Contains(required, any(name)) {
			continue
		}
		f.budget.Optional++
		if f.strictness.AllRequired {
			f.not(at, "%q is not required", name)
		}
	}
}

// booleans looks for schemas that are true or false, where a schema of some type is wanted.
func (f *fitter) booleans() {
	Schemas(f.root, func(at string, s map[string]any) {
		properties, _ := s["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if _, ok := properties[name].(bool); ok {
				f.not(at+"/properties/"+Escape(name), "it has no type")
			}
		}
		if _, ok := s["items"].(bool); ok {
			f.not(at+"/items", "it has no type")
		}
	})
}

// depth is how deep objects lie in each other. What is referred to is counted where it stands.
func (f *fitter) depth(root map[string]any) int {
	deepest := 0
	Schemas(root, func(at string, _ map[string]any) {
		deepest = max(deepest, 1+strings.Count(at, "/properties/"))
	})
	return deepest
}

// recursive reports whether a reference leads back to a schema that it stands in.
func (f *fitter) recursive() bool {
	schemas := map[string]map[string]any{}
	Schemas(f.root, func(at string, s map[string]any) { schemas["#"+at] = s })
	open, done := map[string]bool{}, map[string]bool{}
	var leadsBack func(ref string) bool
	leadsBack = func(ref string) bool {
		if open[ref] || done[ref] {
			return open[ref]
		}
		open[ref], done[ref] = true, true
		defer delete(open, ref)
		found := false
		Schemas(schemas[ref], func(_ string, s map[string]any) {
			if to, ok := s["$ref"].(string); ok && !found {
				found = leadsBack(to)
			}
		})
		return found
	}
	return leadsBack("#")
}

// Unlimited is a bound that nothing reaches.
const Unlimited = math.MaxInt
