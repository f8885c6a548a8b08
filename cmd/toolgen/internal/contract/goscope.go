package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// GoIdentifiers returns the package-level identifiers that a package's generated Go may declare, each with the CUE path
// that it comes from, and a finding for every name that becomes the same in Go as another one of its scope: go-name for
// two names of a kind (tools, parameters of a tool, words of an enumeration), reserved for a type that collides with
// another generated one. Of two, the one declared first keeps the name.
func GoIdentifiers(p *Package) (decls map[string]string, collisions diag.Findings) {
	s := &goScope{decls: map[string]goDecl{}}
	tools := s.distinct("tools", toolNames(p))
	enums := s.distinct("enums", enumNames(p))
	// What every tool and enum has comes first, so that a collision is reported at the name that is easier to change.
	for i, t := range p.Tools {
		if tools[i] {
			s.toolFrame(t)
		}
	}
	for i, e := range p.Enums {
		if enums[i] {
			s.enum(e)
		}
	}
	s.defs(p)
	for i, t := range p.Tools {
		if tools[i] {
			s.tool(t)
		}
	}
	s.notices(p)
	decls = make(map[string]string, len(s.decls))
	for name, d := range s.decls {
		decls[name] = d.path
	}
	return decls, s.findings.Sorted()
}

type goScope struct {
	decls    map[string]goDecl
	findings diag.Findings
}

// goDecl is one package-level identifier. Owner is the enumeration type of a constant.
type goDecl struct {
	what, path, owner string
	pos               diag.Position
}

// declare takes an identifier. It reports false where another declaration has it.
func (s *goScope) declare(name string, d goDecl) bool {
	old, taken := s.decls[name]
	switch {
	case !taken:
		s.decls[name] = d
		return true
	case old.path == d.path && old.what == d.what:
		return true // seen before, in another variant
	}
	rule := "reserved"
	if d.owner != "" && d.owner == old.owner {
		rule = "go-name"
	}
	s.findings.Add(diag.Finding{Rule: rule, Pos: d.pos, Path: d.path,
		Message: fmt.Sprintf("%s becomes %s in Go, which is already %s", d.what, name, old.what), Fix: "rename one of them",
		Related: []diag.Related{{Pos: old.pos, Message: old.what + ", " + old.path}}})
	return false
}

// goItem is a name of one Go scope, such as a field of a struct.
type goItem struct {
	name, goName, path string
	pos                diag.Position
}

// distinct reports the names that become the same in Go as an earlier one, and says which do not.
func (s *goScope) distinct(kind string, items []goItem) []bool {
	first := make(map[string]goItem, len(items))
	ok := make([]bool, len(items))
	for i, it := range items {
		old, taken := first[it.goName]
		if ok[i] = !taken; !taken {
			first[it.goName] = it
			continue
		}
		if old.name == it.name {
			continue // another rule speaks of duplicates
		}
		s.findings.Add(diag.Finding{Rule: "go-name", Pos: it.pos, Path: it.path,
			Message: fmt.Sprintf("the %s %q and %q both become %s in Go", kind, old.name, it.name, it.goName), Fix: "rename one of them",
			Related: []diag.Related{{Pos: old.pos, Message: fmt.Sprintf("%q is declared here", old.name)}}})
	}
	return ok
}

func toolNames(p *Package) []goItem {
	var out []goItem
	for _, t := range p.Tools {
		out = append(out, goItem{t.Name, GoName(t.Name), "tools." + t.Name, t.Pos})
	}
	return out
}

func enumNames(p *Package) []goItem {
	var out []goItem
	for _, e := range p.Enums {
		out = append(out, goItem{e.Name, EnumType(e.Name), "enums." + e.Name, e.Pos})
	}
	return out
}

func (s *goScope) toolFrame(t *Tool) {
	path := "tools." + t.Name
	for _, d := range []struct{ name, what string }{
		{ArgsType(t.Name), "the arguments"}, {OptionsType(t.Name), "the options"},
		{OptionsFunc(t.Name), "the options function"}, {ResultInterface(t.Name), "the results"},
		{MountFunc(t.Name), "the mount function"},
	} {
		s.declare(d.name, goDecl{what: d.what + " of " + t.Name, path: path, pos: t.Pos})
	}
}

func (s *goScope) enum(e *Enum) {
	path := "enums." + e.Name
	typ := EnumType(e.Name)
	if !s.declare(typ, goDecl{what: "the enum " + e.Name, path: path, pos: e.Pos}) {
		return
	}
	for _, w := range e.Values {
		s.constant(typ, w.Word, path+".values", w.Pos)
	}
	s.declare(ValuesFunc(e.Name), goDecl{what: "the list of the words of " + e.Name, path: path, pos: e.Pos})
	if e.From == nil {
		return
	}
	from := path + ".from"
	s.declare(MappingFunc(e.Name), goDecl{what: "the mapping of " + e.Name, path: from, pos: e.From.Pos})
	var facts []goItem
	for _, f := range e.From.Facts {
		facts = append(facts, goItem{f.Name, GoName(f.Name), from + ".facts." + f.Name, f.Pos})
	}
	s.distinct("facts", facts)
}

func (s *goScope) constant(typ, word, path string, pos diag.Position) {
	s.declare(ConstName(typ, word), goDecl{what: fmt.Sprintf("the word %q of %s", word, typ), path: path + "." + word, owner: typ, pos: pos})
}

// enumeration declares a type of constants.
func (s *goScope) enumeration(words []string, typ, what, path string, pos diag.Position) {
	if s.declare(typ, goDecl{what: what, path: path, pos: pos}) {
		for _, w := range words {
			s.constant(typ, w, path, pos)
		}
	}
}

func (s *goScope) defs(p *Package) {
	var names []goItem
	for _, d := range p.Defs {
		names = append(names, goItem{"#" + d.Name, DefType(d.Name), "#" + d.Name, d.Pos})
	}
	for i, ok := range s.distinct("definitions", names) {
		d := p.Defs[i]
		if ok && s.declare(DefType(d.Name), goDecl{what: "the definition #" + d.Name, path: "#" + d.Name, pos: d.Pos}) {
			s.typ(d.Type, DefType(d.Name), goDecl{what: "the definition #" + d.Name, path: "#" + d.Name, pos: d.Pos})
			if d.Type.IsEnum() && d.Type.EnumRef == nil && d.Type.Kind != KindBool {
				s.declare(ValuesFunc(d.Name), goDecl{what: "the list of the words of #" + d.Name, path: "#" + d.Name, pos: d.Pos})
			}
		}
	}
}

func (s *goScope) tool(t *Tool) {
	path := "tools." + t.Name
	var options, results []goItem
	for _, o := range t.Options {
		at := path + ".options." + o.Name
		options = append(options, goItem{o.Name, GoName(o.Name), at, o.Pos})
		what := fmt.Sprintf("the option %s of %s", o.Name, t.Name)
		switch o.Kind {
		case OptionEnum:
			s.enumeration(o.Values, OptionType(t.Name, o.Name), what, at, o.Pos)
		case OptionOpen:
			s.typ(o.Type, OptionType(t.Name, o.Name), goDecl{what: what, path: at, pos: o.Pos})
		}
	}
	s.reserved(options, "Resolved")
	s.distinct("options", options)
	s.params(t, path)
	for _, m := range t.Results {
		results = append(results, goItem{m.Name, GoName(m.Name), path + ".results." + m.Name, m.Pos})
	}
	for i, ok := range s.distinct("results", results) {
		if m := t.Results[i]; ok {
			s.message(m, ResultType(t.Name, m.Name), fmt.Sprintf("the result %s of %s", m.Name, t.Name), path+".results."+m.Name, "AppendText", "ResultName")
		}
	}
}

// params declares the types of a tool's parameters as every variant has them, since enumerations may differ in words.
func (s *goScope) params(t *Tool, path string) {
	var names []goItem
	seen := map[string]bool{}
	for _, v := range t.Variants {
		for _, p := range v.Params {
			at := path + ".params." + p.Name
			if !seen[p.Name] {
				seen[p.Name] = true
				names = append(names, goItem{p.Name, GoName(p.Name), at, p.Pos})
			}
			s.typ(p.Type, ParamType(t.Name, p.Name), goDecl{what: fmt.Sprintf("the parameter %s of %s", p.Name, t.Name), path: at, pos: p.Pos})
		}
	}
	s.distinct("parameters", names)
}

func (s *goScope) notices(p *Package) {
	var names []goItem
	for _, m := range p.Notices {
		names = append(names, goItem{m.Name, NoticeType(m.Name), "notices." + m.Name, m.Pos})
	}
	for i, ok := range s.distinct("notices", names) {
		if m := p.Notices[i]; ok {
			s.message(m, NoticeType(m.Name), "the notice "+m.Name, "notices."+m.Name, "AppendText", "NoticeName")
		}
	}
}

// message declares the struct of a message, or those of a list and of its lines. methods are those of the struct.
func (s *goScope) message(m *Message, typ, what, path string, methods ...string) {
	d := goDecl{what: what, path: path, pos: m.Pos}
	switch {
	case !s.declare(typ, d):
	case !m.List:
		s.fields(m.Fields, typ, d, methods...)
	case s.declare(ItemType(typ), goDecl{what: "one line of " + what, path: path, pos: m.Pos}):
		s.fields(m.Fields, ItemType(typ), d)
	}
}

// typ declares what a type needs of its own under the name that its place gives it.
func (s *goScope) typ(t *Type, name string, d goDecl) {
	if t == nil {
		return
	}
	part := func(inner *Type, name, suffix string) {
		s.typ(inner, name, goDecl{what: d.what + " (" + strings.TrimPrefix(suffix, ".") + ")", path: d.path + suffix, pos: d.pos})
	}
	switch t.Kind {
	case KindString, KindInt, KindNumber:
		if t.IsEnum() && t.EnumRef == nil {
			s.enumeration(t.Enum, name, d.what, d.path, d.pos)
		}
	case KindArray:
		part(t.Elem, ItemType(name), ".items")
	case KindTuple:
		if s.declare(name, d) {
			for i, item := range t.Items {
				part(item, TupleItemType(name, i+1), fmt.Sprintf(".items.%d", i))
			}
		}
	case KindObject:
		s.object(t, name, d, part)
	case KindTagged, KindUnion:
		if s.declare(name, d) {
			s.cases(t, name, d, part)
		}
	}
}

// object declares a struct and what is in it, or what the values of a map need. A struct keeps undeclared properties raw.
func (s *goScope) object(t *Type, name string, d goDecl, part func(*Type, string, string)) {
	rest := t.Rest != nil || len(t.PatternRest) > 0
	if len(t.Fields) > 0 || !rest {
		var taken []string
		if rest {
			taken = append(taken, RestField)
		}
		if s.declare(name, d) {
			s.fields(t.Fields, name, d, taken...)
		}
		return
	}
	part(t.Rest, ItemType(name), ".items")
	for i, r := range t.PatternRest {
		item := TupleItemType(name, i+1)
		if t.Rest == nil && len(t.PatternRest) == 1 {
			item = ItemType(name)
		}
		part(r.Type, item, fmt.Sprintf(".items.%d", i))
	}
}

func (s *goScope) cases(t *Type, name string, d goDecl, part func(*Type, string, string)) {
	var tags []goItem
	for i, c := range t.Cases {
		if t.Kind == KindUnion {
			part(c.Type, FieldType(name, CaseField(t, i)), fmt.Sprintf(".cases.%d", i))
			continue
		}
		tags = append(tags, goItem{c.Tag, GoName(c.Tag), d.path, d.pos})
		part(c.Type, CaseType(name, c.Tag), ".cases."+c.Tag)
	}
	s.distinct("values of "+t.Tag, tags)
}

// fields declares the types of a struct's fields. taken are names that the generated struct has of its own: methods, and
// the field for undeclared properties.
func (s *goScope) fields(list []*Param, name string, d goDecl, taken ...string) {
	names := make([]goItem, 0, len(list))
	for _, f := range list {
		at := d.path + ".fields." + f.Name
		names = append(names, goItem{f.Name, GoName(f.Name), at, f.Pos})
		s.typ(f.Type, FieldType(name, f.Name), goDecl{what: fmt.Sprintf("the field %s of %s", f.Name, d.what), path: at, pos: f.Pos})
	}
	s.reserved(names, taken...)
	s.distinct("properties", names)
}

// reserved reports names of fields that the generated struct needs itself.
func (s *goScope) reserved(names []goItem, taken ...string) {
	for _, it := range names {
		if slices.Contains(taken, it.goName) {
			s.findings.Add(diag.Finding{Rule: "reserved", Pos: it.pos, Path: it.path,
				Message: fmt.Sprintf("%q becomes %s in Go, which the generated struct needs itself", it.name, it.goName), Fix: "rename it"})
		}
	}
}
