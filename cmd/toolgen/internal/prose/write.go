package prose

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
)

// reference is how a text would refer to something at one place.
type reference struct {
	expr  string // what to write
	first string // what has to be done before that, as the beginning of a sentence; empty for nothing
}

// write is how a reference is written at an offset of the passage.
func (p *passage) write(at int, ref contract.Segment) string { return p.refer(at, ref).expr }

// instead says to write a reference in place of a word, in a way that works where the word stands.
func (p *passage) instead(at int, ref contract.Segment, word string) string {
	r := p.refer(at, ref)
	if shows := p.defaultShown(at, word); shows != "" {
		return r.first + "write " + r.expr + " in place of " + shows + "; the default itself stays a plain value"
	}
	return r.first + "write " + r.expr + " for " + word
}

// defaultShown is the interpolation of a default that gave a word of a doc; empty for a word that something else gave.
func (p *passage) defaultShown(at int, word string) string {
	if word == "" || p.own == nil || len(p.own.Default) == 0 || shown(p.own) != word || p.inFile(at) || p.writing(at) != nil {
		return ""
	}
	if part := p.part(at); part == nil || part.seg.IsRef() || len(part.seg.Places) == 0 {
		return ""
	}
	return `\(default)`
}

// writing says how the literal at an offset can refer; nil where that is not known.
func (p *passage) writing(at int) *contract.Writing {
	part := p.part(at)
	if part == nil || part.seg.IsRef() {
		return nil
	}
	return part.seg.Writing(at - part.start)
}

func (p *passage) refer(at int, ref contract.Segment) reference {
	if p.inFile(at) {
		s := ref.Tool + ref.Enum
		if ref.Param != "" {
			s += "." + ref.Param
		}
		if ref.Word != "" {
			s += "." + ref.Word
		}
		return reference{expr: "{{" + s + "}}"}
	}
	w := p.writing(at)
	computed := w == nil
	if computed {
		w = &contract.Writing{Quote: `"`, File: &contract.SourceFile{Package: p.home.Path}, Scope: p.likely()}
	}
	path, first := p.cuePath(w, ref)
	if part := p.part(at); computed && part != nil && len(part.seg.Places) > 0 && p.defaultShown(at, ref.Word) == "" {
		first = "say it in what is interpolated here: " + first
	}
	if w.Quote == "" {
		first = "a comment cannot refer: say it in the parameter's own doc, and there " + first
	}
	return reference{`\` + w.Hashes() + "(" + path + ")", first}
}

// likely is the scope of a text of which nothing is known but whose it is.
func (p *passage) likely() *contract.Scope {
	if p.tool == nil {
		return nil
	}
	return &contract.Scope{Path: "tools." + p.tool.Name, Names: []string{"params"}}
}

// cuePath is the CUE path of what a reference names, as seen from a literal, and what has to be done before it leads there.
func (p *passage) cuePath(w *contract.Writing, ref contract.Segment) (path, first string) {
	if ref.Enum != "" {
		home := p.home
		for _, e := range p.c.enums {
			if e.Name == ref.Enum {
				home = p.c.homes[e]
				break
			}
		}
		path, first = p.qualified(w, home, "enums")
		return path + "." + ref.Enum + ".values" + selector(ref.Word) + ".word", first
	}
	if ref.Param != "" && p.tool != nil && ref.Tool == p.tool.Name {
		if in, _ := w.Declared("params"); in == "tools."+ref.Tool {
			return "params" + selector(ref.Param) + ".name", ""
		}
	}
	home := p.home
	if t := p.c.tools[ref.Tool]; t != nil {
		home = p.c.packages[t]
	}
	path, first = p.qualified(w, home, "tools")
	path += selector(ref.Tool)
	if ref.Param != "" {
		path += ".params" + selector(ref.Param)
	}
	return path + ".name", first
}

// qualified is the path of a field at the top of a package, as seen from a literal.
func (p *passage) qualified(w *contract.Writing, home *contract.Package, field string) (path, first string) {
	if home == nil || home.Path == w.File.Package {
		if _, hidden := w.Declared(field); hidden {
			top := strings.ToUpper(field[:1]) + field[1:]
			return top, fmt.Sprintf("%s means something else there: put `let %s = %s` at the top of the file, and ", field, top, field)
		}
		return field, ""
	}
	if slices.Contains(home.Imports, w.File.Package) {
		return field, fmt.Sprintf("package %s cannot name what is in %s, which imports it: move the text to %s, and there ", lastOf(w.File.Package), home.Name, home.Name)
	}
	name, imported := w.File.Imports[home.Path]
	_, hidden := w.Declared(name)
	if imported && !hidden {
		return name + "." + field, ""
	}
	name = home.Name
	for taken := true; taken; {
		_, taken = w.Declared(name)
		for _, other := range w.File.Imports {
			taken = taken || other == name
		}
		if taken {
			name += "_"
		}
	}
	spec := `"` + home.Path + `"`
	switch {
	case name != home.Name:
		spec = name + " " + spec
	case lastOf(home.Path) != home.Name:
		spec = `"` + home.Path + ":" + home.Name + `"`
	}
	return name + "." + field, "import " + spec + " in the file, and "
}

func lastOf(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// writeDefault is how a text states the default of a parameter.
func (p *passage) writeDefault(at int, q *contract.Param) string {
	own := p.own == q
	scalar := q.Default[0] != '[' && q.Default[0] != '{'
	top := p.tool != nil && p.variant != nil && p.variant.Param(q.Name) == q
	if p.inFile(at) {
		if scalar && top {
			return "{{" + p.tool.Name + "." + q.Name + ".default}}"
		}
		return shown(q)
	}
	w := p.writing(at)
	if w == nil {
		w = &contract.Writing{Quote: `"`, Scope: p.likely()}
		if own {
			w.Scope = &contract.Scope{Outer: w.Scope, Path: strings.TrimSuffix(p.path, ".doc"), Names: []string{"default"}}
		}
	}
	if scalar && w.Quote != "" {
		if in, _ := w.Declared("default"); own && in == strings.TrimSuffix(p.path, ".doc") {
			return `\` + w.Hashes() + "(default)"
		}
		if in, _ := w.Declared("params"); top && in == "tools."+p.tool.Name {
			return `\` + w.Hashes() + "(params" + selector(q.Name) + ".default)"
		}
	}
	return escape(w, shown(q))
}

// escaped is a text as the source has to have it at an offset of the passage.
func (p *passage) escaped(at int, s string) string { return escape(p.writing(at), s) }

func escape(w *contract.Writing, s string) string {
	if w == nil || w.Quote != `"` && w.Quote != `"""` {
		return s
	}
	s = strings.ReplaceAll(s, `\`, `\\`)
	if w.Quote == `"` {
		s = strings.ReplaceAll(s, `"`, `\"`)
	}
	return s
}

// shown is the default of a parameter as prose states it.
func shown(q *contract.Param) string {
	var s string
	if json.Unmarshal(q.Default, &s) == nil {
		return s
	}
	return string(q.Default)
}

// selector writes a field of a CUE path.
func selector(s string) string {
	for i := range len(s) {
		if !isWord(s[i]) || i == 0 && s[i] >= '0' && s[i] <= '9' {
			return `["` + s + `"]`
		}
	}
	return "." + s
}
