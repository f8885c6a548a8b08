// Package provider holds what the packages below it share: what providers refuse of tools, found before any request is sent.
// Packages openai and anthropic turn definitions into the parameters of one official SDK each, calls of the SDK's messages into
// ours, and our results into its messages.
//
// Every limit here was seen in a provider's documents or in its answers. What a provider is only guessed to refuse is not.
package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// Rule names what a provider refuses. Its words are stable.
type Rule string

// The rules.
const (
	Name           Rule = "name"            // 1 to 64 letters, digits, _ and -
	DuplicateName  Rule = "duplicate-name"  // two tools of one name
	TooManyTools   Rule = "too-many-tools"  // more than a request may have
	NoSchema       Rule = "no-schema"       // parameters that are no JSON object
	RootType       Rule = "root-type"       // a schema whose root is not of type object
	RootCombinator Rule = "root-combinator" // anyOf and the like at the root
	PropertyName   Rule = "property-name"   // a parameter's name
	ArrayItems     Rule = "array-items"     // an array whose items are not described
	StrictBudget   Rule = "strict-budget"   // more than a request with strict tools may have
)

// Fault is one thing that a provider refuses.
type Fault struct {
	Tool string // empty where it is about all of them
	Rule Rule
	At   string // a JSON Pointer into the tool's parameters
	Text string
}

// Error says what a provider refuses of the tools of a request.
type Error struct {
	Provider string
	Faults   []Fault // at least one; by tool in the request's order, then by place
}

// Error has a line for each fault.
func (e *Error) Error() string {
	lines := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		lines[i] = e.Provider + ": "
		if f.Tool != "" {
			lines[i] += fmt.Sprintf("tool %q: ", f.Tool)
		}
		if f.At != "" {
			lines[i] += f.At + ": "
		}
		lines[i] += fmt.Sprintf("%s (%s)", f.Text, f.Rule)
	}
	return strings.Join(lines, "\n")
}

// Dialect is what one provider takes.
type Dialect struct {
	Provider string
	Tools    int      // how many tools a request may have; 0 is no limit
	Root     []string // keywords that the root of a schema must not have
	Property func(string) bool
	Items    bool // whether arrays need items
}

// Check reports what the provider refuses of the tools, as an *[Error].
func (d *Dialect) Check(defs []tool.Definition) error {
	e := &Error{Provider: d.Provider}
	if d.Tools > 0 && len(defs) > d.Tools {
		e.Faults = append(e.Faults, Fault{Rule: TooManyTools, Text: fmt.Sprintf("%d tools, of at most %d", len(defs), d.Tools)})
	}
	seen := map[string]bool{}
	for _, def := range defs {
		c := checker{dialect: d, tool: def.Name}
		if !word(def.Name, "_-", 64) {
			c.fault(Name, "", "a name has 1 to 64 letters, digits, _ and -")
		}
		if seen[def.Name] {
			c.fault(DuplicateName, "", "there is another tool of this name")
		}
		seen[def.Name] = true
		c.schema(def.Parameters)
		e.Faults = append(e.Faults, c.faults...)
	}
	if len(e.Faults) > 0 {
		return e
	}
	return nil
}

// Word reports whether a text has 1 to 64 ASCII letters, digits and characters of more.
func Word(s, more string) bool { return word(s, more, 64) }

func word(s, more string, most int) bool {
	return s != "" && len(s) <= most && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(more, r)
	})
}

type checker struct {
	dialect *Dialect
	tool    string
	faults  []Fault
}

func (c *checker) fault(r Rule, at, format string, args ...any) {
	c.faults = append(c.faults, Fault{Tool: c.tool, Rule: r, At: at, Text: fmt.Sprintf(format, args...)})
}

func (c *checker) schema(text json.RawMessage) {
	var root map[string]any
	if json.Unmarshal(text, &root) != nil || root == nil {
		c.fault(NoSchema, "", "the parameters are no JSON object")
		return
	}
	if root["type"] != "object" {
		c.fault(RootType, "/type", `the root of a schema must be of type "object"`)
	}
	for _, key := range c.dialect.Root {
		if _, ok := root[key]; ok {
			c.fault(RootCombinator, "/"+key, "the root of a schema must not have %s", key)
		}
	}
	if properties, ok := root["properties"].(map[string]any); ok && c.dialect.Property != nil {
		for _, key := range slices.Sorted(maps.Keys(properties)) {
			if !c.dialect.Property(key) {
				c.fault(PropertyName, "/properties/"+Escape(key), "the name of a parameter has 1 to 64 letters, digits, _, . and -")
			}
		}
	}
	if c.dialect.Items {
		Schemas(root, func(at string, s map[string]any) {
			if _, ok := s["items"]; IsType(s, "array") && !ok {
				c.fault(ArrayItems, at, "an array must have items")
			}
		})
	}
}

// IsType reports whether a schema names a type.
func IsType(s map[string]any, name string) bool {
	if list, ok := s["type"].([]any); ok {
		return slices.Contains(list, any(name))
	}
	return s["type"] == name
}

// The keywords under which schemas stand: one, a list, or one for each key.
var (
	one   = [...]string{"additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"}
	list  = [...]string{"allOf", "anyOf", "oneOf", "prefixItems"}
	byKey = [...]string{"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"}
)

// Schemas calls f for a schema and all below it that are objects, each under its JSON Pointer, in an order that depends on
// nothing but the schema.
func Schemas(root map[string]any, f func(at string, schema map[string]any)) { schemas("", root, f) }

func schemas(at string, schema any, f func(at string, schema map[string]any)) {
	s, ok := schema.(map[string]any)
	if !ok || s == nil {
		return
	}
	f(at, s)
	for _, key := range one {
		schemas(at+"/"+key, s[key], f)
	}
	for _, key := range list {
		items, _ := s[key].([]any)
		for i, item := range items {
			schemas(fmt.Sprintf("%s/%s/%d", at, key, i), item, f)
		}
	}
	for _, key := range byKey {
		members, _ := s[key].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(members)) {
			schemas(at+"/"+key+"/"+Escape(name), members[name], f)
		}
	}
}

// Escape writes a key as part of a JSON Pointer.
func Escape(key string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(key) }
