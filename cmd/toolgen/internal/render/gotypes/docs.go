package gotypes

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
)

// either lists names as links, as in "[A], [B] or [C]".
func either(names []string) string {
	links := make([]string, len(names))
	for i, n := range names {
		links[i] = "[" + n + "]"
	}
	if n := len(links); n > 1 {
		return strings.Join(links[:n-1], ", ") + " or " + links[n-1]
	}
	return strings.Join(links, "")
}

// propertyDoc is the doc of a field for a property of an object.
func (g *gen) propertyDoc(p *contract.Param, f form) string {
	out := lines(p.Doc.Render(nil))
	if p.Default != nil && !speaksOfDefault(p.Doc.Render(nil)) {
		out.add("Default: %s.", short(string(p.Default)))
	}
	switch null := g.nullable(p.Type); {
	case absentable(p) && (f == formPointer || f == formNil):
		out.add("Nil where it is absent.")
	case null && f != formOptPointer && f != formOptNil:
		out.add("Nil stands for null.")
	case f == formPointer:
		out.add("Never nil; a pointer, because the type holds itself.")
	}
	return out.String()
}

// nullNote says what nil is in an item of a tuple.
func nullNote(f form) string {
	if f == formPointer || f == formNil {
		return "\nNil stands for null."
	}
	return ""
}

// argDoc is the doc of a parameter in the first variant that has it, with what differs over the variants.
func (g *gen) argDoc(t *contract.Tool, a *contract.Arg, f form) string {
	var out docLines
	var docs []string
	var has []int
	for i, v := range t.Variants {
		if p := v.Param(a.Name); p != nil {
			has = append(has, i)
			if doc := p.Doc.Render(nil); !slices.Contains(docs, doc) {
				docs = append(docs, doc)
			}
		}
	}
	doc := ""
	if len(docs) > 0 {
		if doc = docs[0]; len(docs) > 1 {
			doc += " (differs by options; see the catalog)"
		}
	}
	out.add("%s", doc)
	out.add("%s", defaults(t, a, has, doc))
	out.add("%s", absence(t, a, f))
	for _, v := range t.Variants {
		if fixed := v.FixedValue(a.Name); fixed != nil {
			out.add("%s", fixedText(t, a.Name, string(fixed)))
			break
		}
	}
	if f == formPointer && !a.Opt || f == formNil && !a.Opt {
		out.add("Nil stands for null.")
	}
	return out.String()
}

// defaults says what the default is, where the doc does not, or where it differs over the variants.
func defaults(t *contract.Tool, a *contract.Arg, has []int, doc string) string {
	state := func(variant int) string {
		switch p := t.Variants[variant].Param(a.Name); {
		case p.Default != nil:
			return short(string(p.Default))
		case p.Optional:
			return "none"
		}
		return "required"
	}
	var states []string // that of the first combination at first
	for _, c := range t.Combinations {
		if slices.Contains(has, c.Variant) && !slices.Contains(states, state(c.Variant)) {
			states = append(states, state(c.Variant))
		}
	}
	isDefault := func(s string) bool { return s != "none" && s != "required" }
	switch {
	case !slices.ContainsFunc(states, isDefault):
		return ""
	case len(states) == 1 && speaksOfDefault(doc):
		return ""
	case len(states) == 1:
		return "Default: " + states[0] + "."
	}
	var parts []string
	for _, s := range states[1:] {
		cond, ok := under(t, func(v int) (bool, bool) {
			in := slices.Contains(has, v)
			return in && state(v) == s, in
		})
		if !ok {
			return "Default: differs by options; see the catalog."
		}
		parts = append(parts, s+" under "+cond)
	}
	return "Default: " + strings.Join(append(parts, states[0]+" otherwise"), "; ") + "."
}

// absence says when a parameter without a default is absent.
func absence(t *contract.Tool, a *contract.Arg, f form) string {
	if !a.Opt {
		return ""
	}
	left := slices.ContainsFunc(t.Variants, func(v *contract.Variant) bool {
		p := v.Param(a.Name)
		return p != nil && absentable(p)
	})
	removed := func(v int) bool {
		return t.Variants[v].Param(a.Name) == nil && t.Variants[v].FixedValue(a.Name) == nil
	}
	var where []string
	if left {
		where = append(where, "where the call leaves it out")
	}
	for v := range t.Variants {
		if removed(v) {
			cond, ok := under(t, func(v int) (bool, bool) { return removed(v), true })
			if !ok {
				cond = "options that remove it"
			}
			where = append(where, "under "+cond)
			break
		}
	}
	word := "Absent "
	if f == formPointer || f == formNil {
		word = "Nil "
	}
	return word + strings.Join(where, ", and ") + "."
}

// fixedText says where a parameter is none, and what it is then.
func fixedText(t *contract.Tool, name, value string) string {
	cond, ok := under(t, func(v int) (bool, bool) { return t.Variants[v].FixedValue(name) != nil, true })
	one := !slices.ContainsFunc(t.Variants, func(v *contract.Variant) bool {
		f := v.FixedValue(name)
		return f != nil && string(f) != value
	})
	switch {
	case !one:
		return "Some options remove the parameter and fix its value; see the catalog."
	case !ok:
		return "Where options remove the parameter, it is " + short(value) + "."
	}
	return "Under " + cond + " there is no such parameter, and it is " + short(value) + "."
}

// maxConditions is how many choices of options a doc lists.
const maxConditions = 3

// under describes the choices of options under which variants match: by one option or by two, and only where few choices
// do. match says of a variant whether it matches, and whether it counts at all.
func under(t *contract.Tool, match func(variant int) (matches, counts bool)) (string, bool) {
	options := t.Finite()
	for i := range options {
		if s, ok := underOf(t, []int{i}, match); ok {
			return s, true
		}
	}
	for i := range options {
		for j := range options[i+1:] {
			if s, ok := underOf(t, []int{i, i + 1 + j}, match); ok {
				return s, true
			}
		}
	}
	return "", false
}

// underOf describes the choices by some options, where these decide.
func underOf(t *contract.Tool, by []int, match func(int) (bool, bool)) (string, bool) {
	options := t.Finite()
	decided := map[string]bool{}
	var found []string
	for i, c := range t.Combinations {
		if c.Variant < 0 {
			continue
		}
		matches, counts := match(c.Variant)
		if !counts {
			continue
		}
		choice := t.Choice(i)
		parts := make([]string, len(by))
		for k, o := range by {
			parts[k] = options[o].Name + "=" + choice[o]
		}
		key := strings.Join(parts, ", ")
		if before, seen := decided[key]; seen && before != matches {
			return "", false
		} else if !seen && matches {
			found = append(found, key)
		}
		decided[key] = matches
	}
	return strings.Join(found, " or "), len(found) > 0 && len(found) <= maxConditions
}

// short is a value as a doc shows it.
func short(s string) string {
	const longest = 60
	if utf8.RuneCountInString(s) > longest {
		return string([]rune(s)[:longest]) + "… (see the catalog)"
	}
	return s
}

func speaksOfDefault(doc string) bool { return strings.Contains(strings.ToLower(doc), "default") }

// docLines are the sentences of a doc, one a line.
type docLines []string

func lines(first string) docLines {
	var l docLines
	l.add("%s", first)
	return l
}

func (l *docLines) add(format string, args ...any) {
	if s := strings.TrimSpace(fmt.Sprintf(format, args...)); s != "" {
		*l = append(*l, s)
	}
}

func (l docLines) String() string { return strings.Join(l, "\n") }

// resultsDoc is the doc of the interface that a tool's results implement.
func resultsDoc(t *contract.Tool) string {
	names := make([]string, len(t.Results))
	for i, m := range t.Results {
		names[i] = contract.ResultType(t.Name, m.Name)
	}
	return contract.ResultInterface(t.Name) + " is what a handler of " + t.Name + " returns: " + either(names) + "."
}
