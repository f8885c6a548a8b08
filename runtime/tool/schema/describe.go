package schema

import (
	"strconv"
	"strings"
)

// Describe returns what a value may be, as a phrase for a model: "integer from 1 to 100", `one of "fast", "full"`. All
// values of an enumeration are in it.
func (n *Node) Describe() string {
	if n.phrase != "" {
		return n.phrase
	}
	return n.describe(0)
}

func (n *Node) describe(depth int) string {
	text := n.describeKind(depth)
	if n.Nullable {
		text += " or null"
	}
	return text
}

func (n *Node) describeKind(depth int) string {
	const deep = 2
	switch n.Kind {
	case Any:
		return "any value"
	case Null:
		return "null"
	case Bool:
		return "true or false"
	case Int:
		return n.describeNumber("integer")
	case Number:
		return n.describeNumber("number")
	case String:
		return n.describeString()
	case Array:
		text := "array" + n.Len.describe("item", "items")
		if n.Unique {
			text += ", each different"
		}
		if depth < deep && n.Elem.Kind != Any {
			text += " (each: " + n.Elem.describe(depth+1) + ")"
		}
		return text
	case Tuple:
		parts := make([]string, len(n.Items))
		if depth < deep {
			for i, item := range n.Items {
				parts[i] = item.describe(depth + 1)
			}
			return "array of exactly " + strconv.Itoa(len(parts)) + " (" + strings.Join(parts, ", ") + ")"
		}
		return "array of exactly " + strconv.Itoa(len(parts))
	case Object:
		return "object" + n.Len.describe("property", "properties") + n.describeKeys(depth)
	case Tagged:
		return "object whose " + strconv.Quote(n.Tag) + " is " + n.DescribeTags()
	case Union:
		if depth >= deep {
			return "one of several types"
		}
		const most = 12
		var parts []string
		for _, k := range n.Cases[:min(len(n.Cases), most)] {
			parts = append(parts, k.Type.describe(depth+1))
		}
		if more := len(n.Cases) - most; more > 0 {
			parts = append(parts, "one of "+strconv.Itoa(more)+" other types")
		}
		return strings.Join(parts, ", or ")
	}
	return n.Kind.String()
}

// describeKeys names the properties that an object must have, where objects are told apart by them.
func (n *Node) describeKeys(depth int) string {
	const most = 8
	if depth == 0 {
		return ""
	}
	var names []string
	for i := range n.Fields {
		if f := &n.Fields[i]; f.Required && !f.Gone && len(names) < most {
			names = append(names, strconv.Quote(f.Name))
		}
	}
	if names == nil {
		return ""
	}
	return " with " + strings.Join(names, " and ")
}

// Tags returns the tags of a Tagged type.
func (n *Node) Tags() []string {
	tags := make([]string, len(n.Cases))
	for i, k := range n.Cases {
		tags[i] = k.Tag
	}
	return tags
}

// DescribeTags returns the tags of a Tagged type as a phrase.
func (n *Node) DescribeTags() string { return oneOf(n.Tags(), true) }

func oneOf(values []string, quote bool) string {
	var b strings.Builder
	if len(values) > 1 {
		b.WriteString("one of ")
	}
	for i, v := range values {
		if i > 0 {
			b.WriteString(", ")
		}
		if quote {
			v = strconv.Quote(v)
		}
		b.WriteString(v)
	}
	return b.String()
}

func (n *Node) describeNumber(text string) string {
	if n.Enum != nil {
		return oneOf(n.Enum, false)
	}
	lo, hi := n.minText, n.maxText
	switch {
	case lo != "" && hi != "" && !n.low.exclusive && !n.high.exclusive:
		text += " from " + lo + " to " + hi
	default:
		sep := ""
		if lo != "" {
			text += map[bool]string{false: " of at least ", true: " above "}[n.low.exclusive] + lo
			sep = " and"
		}
		if hi != "" {
			text += sep + map[bool]string{false: " at most ", true: " below "}[n.high.exclusive] + hi
		}
	}
	if n.stepped {
		text += ", a multiple of " + n.source.MultipleOf
	}
	if len(n.Not) > 0 {
		text += ", not " + strings.Join(n.Not, " or ")
	}
	return text
}

func (n *Node) describeString() string {
	if n.Enum != nil {
		return oneOf(n.Enum, true)
	}
	text := "string" + n.Len.describe("character", "characters")
	if n.Format != NoFormat {
		text += " in the format " + n.Format.String() + ", such as " + strconv.Quote(n.Format.Example())
	}
	for i, re := range n.patterns {
		text += map[bool]string{true: " matching ", false: " and "}[i == 0] + re.String()
	}
	if len(n.Not) > 0 {
		text += ", not " + oneOf(n.Not, true)
	}
	return text
}

func (r Range) describe(one, other string) string {
	unit := func(n int) string {
		if n == 1 {
			return "1 " + one
		}
		return strconv.Itoa(n) + " " + other
	}
	switch {
	case r.Bounded && r.Min == r.Max:
		return " of exactly " + unit(r.Max)
	case r.Bounded && r.Min > 0:
		return " of " + strconv.Itoa(r.Min) + " to " + unit(r.Max)
	case r.Bounded:
		return " of at most " + unit(r.Max)
	case r.Min > 0:
		return " of at least " + unit(r.Min)
	}
	return ""
}
