package contract

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// Validate says everything that is wrong with a model, in order and each thing once. External packages are looked at
// only for what others refer to. What holds of each variant in which a fault appears is one finding that names the first.
func Validate(m *Model) diag.Findings {
	c := newChecker(m)
	c.duplicates()
	for _, p := range m.Packages {
		defs := m.Definitions(p)
		for _, t := range p.Tools {
			c.tool(t, defs)
		}
		for _, e := range p.Enums {
			c.enum(e)
		}
		for _, n := range p.Notices {
			c.message(n, "notices."+n.Name, defs)
		}
		for _, d := range p.Defs {
			c.def(d, defs)
		}
		_, collisions := GoIdentifiers(p)
		c.findings = append(c.findings, collisions...)
	}
	return c.findings.Sorted()
}

// checker holds what the checks look up.
type checker struct {
	m        *Model
	findings diag.Findings

	tools map[string]*Tool // by label
	enums map[string]*Enum
	used  map[EnumRef]bool // by some parameter or result
	refs  map[*Enum]EnumRef
}

func newChecker(m *Model) *checker {
	c := &checker{m: m, tools: map[string]*Tool{}, enums: map[string]*Enum{}, used: map[EnumRef]bool{}, refs: map[*Enum]EnumRef{}}
	for p := range c.packages {
		for _, t := range p.Tools {
			c.tools[t.Name] = t // the project's own, where an external one has the same label
		}
		for _, e := range p.Enums {
			c.refs[e] = EnumRef{Package: p.Path, Name: e.Name}
			c.enums[e.Name] = e
		}
		c.markUsed(p)
	}
	return c
}

// packages yields every package once, external ones first, so that a duplicate is reported in the project.
func (c *checker) packages(yield func(*Package) bool) {
	for _, p := range c.m.External {
		own := func(q *Package) bool { return q.Path == p.Path }
		if !slices.ContainsFunc(c.m.Packages, own) && !yield(p) {
			return
		}
	}
	for _, p := range c.m.Packages {
		if !yield(p) {
			return
		}
	}
}

// markUsed collects the enums that parameters and results of a package's tools use.
func (c *checker) markUsed(p *Package) {
	seen := map[*Type]bool{}
	defs := c.m.Definitions(p)
	for _, t := range p.Tools {
		for _, v := range t.Variants {
			c.markParams(v.Params, defs, seen)
		}
		for _, m := range t.Results {
			c.markParams(m.Fields, defs, seen)
		}
	}
}

func (c *checker) markParams(params []*Param, defs *Definitions, seen map[*Type]bool) {
	for _, p := range params {
		c.markType(p.Type, defs, seen)
	}
}

func (c *checker) markType(t *Type, defs *Definitions, seen map[*Type]bool) {
	t.each(func(u *Type) {
		if u.EnumRef != nil {
			c.used[*u.EnumRef] = true
		}
		if u.Kind != KindRef {
			return
		}
		if to, in := defs.Resolve(u); to != nil && !seen[to] {
			seen[to] = true
			c.markType(to, in, seen)
		}
	})
}

// duplicates finds labels and mounted names that are not unique over all packages.
func (c *checker) duplicates() {
	type decl struct {
		what string
		pos  diag.Position
	}
	labels, mounted := map[string]decl{}, map[string]*Tool{}
	label := func(rule, kind, name, path string, pos diag.Position) {
		first, taken := labels[name]
		if !taken {
			labels[name] = decl{kind, pos}
			return
		}
		c.findings.Add(diag.Finding{Rule: rule, Pos: pos, Path: path,
			Message: fmt.Sprintf("the label %s is taken by another %s; labels of tools and enums are unique over all packages", name, first.what),
			Fix:     "rename one of them",
			Related: []diag.Related{{Pos: first.pos, Message: "the " + first.what + " " + name + " is declared here"}}})
	}
	for p := range c.packages {
		for _, t := range p.Tools {
			path := "tools." + t.Name
			label("tool-duplicate", "tool", t.Name, path, t.Pos)
			if c.m.Faults.Touch(path + ".wire") {
				continue // what it is mounted as is not known
			}
			if !legalName(t.Mounted()) {
				c.findings.Add(diag.Finding{Rule: "name-invalid", Pos: t.Pos, Path: path,
					Message: fmt.Sprintf("%q is no name under which a tool can be mounted: that has 1 to 64 letters, digits, _ and -", t.Mounted()),
					Fix:     "give the tool another name with wire"})
			}
			first := mounted[readAs(t.Mounted())]
			if first == nil {
				mounted[readAs(t.Mounted())] = t
			} else if first.Name != t.Name && (first.Mounted() == t.Mounted() || GoName(first.Name) != GoName(t.Name)) {
				msg := fmt.Sprintf("the tools %s and %s are both mounted as %s", first.Name, t.Name, t.Mounted())
				if first.Mounted() != t.Mounted() {
					msg = fmt.Sprintf("the names %s and %s read alike: a model would mix them up, and no registry takes both", first.Mounted(), t.Mounted())
				}
				c.findings.Add(diag.Finding{Rule: "tool-duplicate", Pos: t.Pos, Path: path,
					Message: msg,
					Fix:     "give one of them another name with wire",
					Related: []diag.Related{{Pos: first.Pos, Message: "the tool " + first.Name + " is declared here"}}})
			}
		}
		for _, e := range p.Enums {
			label("enum-duplicate", "enum", e.Name, "enums."+e.Name, e.Pos)
		}
	}
}

// message checks a result or a notice.
func (c *checker) message(m *Message, path string, defs *Definitions) {
	if c.m.Faults.Touch(path) {
		// Its template cannot be held against its fields.
	} else if strings.TrimSpace(m.Render) == "" {
		c.findings.Add(diag.Finding{Rule: "text-missing", Pos: m.Pos, Path: path, Message: "there is no text to render", Fix: `add render: "..."`})
	} else {
		_, findings := parseRender(m, defs, path+".render")
		c.findings = append(c.findings, findings...)
	}
	report := func(f diag.Finding) { c.findings.Add(f) }
	params := &paramChecker{faults: c.m.Faults, defs: defs, report: report, doc: func(text Text, path string, pos diag.Position) {
		c.noTools(text, path, pos, "result-tool", "a result or a notice")
	}}
	params.list(m.Fields, path+".fields", nil, true)
}

// def checks a definition.
func (c *checker) def(d *Def, defs *Definitions) {
	params := &paramChecker{faults: c.m.Faults, defs: defs, report: func(f diag.Finding) { c.findings.Add(f) }, doc: func(text Text, path string, pos diag.Position) {
		c.noTools(text, path, pos, "ref-foreign", "a definition, which many tools may share,")
	}}
	params.typ(d.Type, "#"+d.Name, d.Pos)
}

// noTools checks a text that may name words of enums and nothing else.
func (c *checker) noTools(text Text, path string, pos diag.Position, rule, owner string) {
	for _, s := range text.Refs() {
		f := diag.Finding{Pos: at(s.Pos, pos), Path: path}
		if s.Tool == "" {
			if c.word(s, &f) {
				c.findings.Add(f)
			}
			continue
		}
		f.Rule = rule
		f.Message = fmt.Sprintf("the text of %s names the tool %s, which a deployment may rename or hide", owner, s.Tool)
		f.Fix = "say it in a clause of a tool's description, which is left out with the tool"
		c.findings.Add(f)
	}
}

// paramChecker checks parameters and fields at any depth, but for where their docs may refer to.
type paramChecker struct {
	faults *Faults
	defs   *Definitions
	report func(diag.Finding)
	doc    func(text Text, path string, pos diag.Position)
}

// list checks the properties of one object. also are names that aliases must not take besides those of the list. Only
// docs at the top have to be there: those of nested properties come from comments.
func (c *paramChecker) list(params []*Param, path string, also []string, top bool) {
	names := slices.Clone(also)
	for _, p := range params {
		names = append(names, p.Name)
	}
	aliases := map[string]*Param{}
	for _, p := range params {
		at := path + "." + p.Name
		whole := !c.faults.Touch(at)
		if whole && p.Doc.blank() && (top || len(p.Doc) > 0) {
			c.report(diag.Finding{Rule: "param-doc", Pos: p.Pos, Path: at, Message: p.Name + " has no doc", Fix: `add doc: "..."`})
		}
		c.doc(p.Doc, at+".doc", p.Pos)
		for _, a := range p.Aliases {
			f := diag.Finding{Rule: "alias-collision", Pos: p.Pos, Path: at + ".aliases", Fix: "drop the alias " + a}
			switch other := aliases[a]; {
			case slices.Contains(names, a):
				f.Message = fmt.Sprintf("the alias %s of %s is the name of a parameter", a, p.Name)
				c.report(f)
			case other != nil:
				f.Message = fmt.Sprintf("the alias %s of %s is an alias of %s already", a, p.Name, other.Name)
				f.Related = []diag.Related{{Pos: other.Pos, Message: "the other alias is declared here"}}
				c.report(f)
			default:
				aliases[a] = p
			}
		}
		if whole {
			c.def(p, at)
		}
		c.typ(p.Type, at, p.Pos)
	}
}

// def checks a default.
func (c *paramChecker) def(p *Param, path string) {
	if p.Default == nil {
		return
	}
	for _, problem := range fits(p.Default, p.Type, c.defs) {
		c.report(diag.Finding{Rule: "default-invalid", Pos: at(p.DefaultPos, p.Pos), Path: path + ".default",
			Message: fmt.Sprintf("the default of %s does not fit its type: %s", p.Name, problem), Fix: valueFix("default", p.Default, p.Type)})
	}
}

// typ checks what is inside a type. Definitions are checked where they are declared.
func (c *paramChecker) typ(t *Type, path string, pos diag.Position) {
	if t == nil {
		return
	}
	patterns := slices.Clone(t.Patterns)
	for _, r := range t.PatternRest {
		patterns = append(patterns, r.Pattern)
	}
	for _, p := range patterns {
		if fault := checkPattern(p); fault != nil {
			c.report(diag.Finding{Rule: "pattern-unsupported", Pos: pos, Path: path,
				Message: fmt.Sprintf("the pattern %s does not mean the same everywhere: %s", p, fault.why), Fix: fault.fix})
		}
	}
	if len(t.Doc) > 0 {
		c.doc(t.Doc, path+".doc", pos)
	}
	c.list(t.Fields, path+".fields", nil, false)
	items := append([]*Type{t.Elem, t.Rest}, t.Items...)
	for _, r := range t.PatternRest {
		items = append(items, r.Type)
	}
	for _, inner := range items {
		c.typ(inner, path+".items", pos)
	}
	for _, alt := range t.Cases {
		c.typ(alt.Type, path, pos)
	}
}

// valueFix suggests a value: the nearest constant, or what the type takes.
func valueFix(field string, raw json.RawMessage, t *Type) string {
	if t == nil {
		return "correct the value"
	}
	if v, err := decodeJSON(raw); err == nil && t.IsEnum() {
		if near, ok := diag.Nearest(scalarString(v), t.Enum); ok {
			if t.Kind == KindString {
				return fmt.Sprintf("did you mean %s: %q?", field, near)
			}
			return fmt.Sprintf("did you mean %s: %s?", field, near)
		}
	}
	return "give " + field + " a value that is " + wanted(t) + ", within its constraints"
}

// blank reports whether a text shows nothing.
func (t Text) blank() bool {
	return !slices.ContainsFunc(t, func(s Segment) bool { return s.IsRef() || strings.TrimSpace(s.Lit) != "" })
}

// at is the first position that is known.
func at(pos ...diag.Position) diag.Position {
	for _, p := range pos {
		if p != (diag.Position{}) {
			return p
		}
	}
	return diag.Position{}
}

// legalName reports whether every provider takes a name; the runtime mounts no other.
func legalName(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	}) < 0
}

// readAs is equal for names that are equal after case and separators.
func readAs(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_-. /", r) {
			return -1
		}
		return r
	}, strings.ToLower(s))
}
