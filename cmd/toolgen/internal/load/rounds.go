package load

import (
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/errors"
	cueload "cuelang.org/go/cue/load"
	"cuelang.org/go/cue/token"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
	"github.com/toolgen-dev/toolgen/spec/toolspec"
)

// rounds reads the packages of a project, again and again without what CUE could not take of them.
type rounds struct {
	p       *Project
	where   *progress
	overlay map[string]cueload.Source
	sources map[string][]byte
	said    diag.Findings // of the files

	findings diag.Findings // of the files and packages as such
	unread   bool          // whether something was not read that may have names
}

// maxRounds bounds how often the packages are read.
const maxRounds = 20

// open reads the packages without what was cut, and goes on cutting until CUE takes what is left.
func (r *rounds) open(c *cuts) *loader {
	args := make([]string, len(r.p.Packages))
	for i, d := range r.p.Packages {
		args[i] = "./" + d
	}
	for round := 1; ; round++ {
		r.where.set(diag.Position{File: SpecDir}, "")
		insts := cueload.Instances(args, &cueload.Config{Dir: r.p.Root, ModuleRoot: r.p.Root, Overlay: c.overlay(r.overlay)})
		again := false
		for _, in := range insts {
			if in.Err != nil {
				again = r.unparsed(c, in) || again
			}
		}
		if again && round < maxRounds {
			continue
		}
		l := r.loader(insts, c)
		for _, e := range l.order {
			e.declare()
		}
		for _, e := range l.order {
			if e.broken != nil && e.own() {
				again = c.compile(e) || again
			}
		}
		if !again || round >= maxRounds {
			return l
		}
	}
}

// unparsed says what CUE does not take of a package's files, and cuts it.
func (r *rounds) unparsed(c *cuts, in *build.Instance) bool {
	again := false
	for _, f := range c.told(loadFindings(r.p, "cue-syntax", in.Err, r.p.rel(in.Dir))) {
		// A character that nobody sees can be one that CUE does not take.
		seen := slices.ContainsFunc(r.said, func(o diag.Finding) bool { return o.Pos.File == f.Pos.File && o.Pos.Line == f.Pos.Line })
		if !seen {
			c.say(f)
		}
		if f.Rule == "cue-import" {
			again = c.unimport(f.Pos.File, f.Pos) || again
		} else {
			again = c.syntax(f.Pos.File) || again
		}
	}
	return again
}

// loader sets up the packages that CUE could read.
func (r *rounds) loader(insts []*build.Instance, c *cuts) *loader {
	p := r.p
	l := &loader{p: p, cuts: c, where: r.where, ctx: cuecontext.New(), indexes: map[string]*index{}, builds: map[string]*pkgEval{},
		symbols: &symbols{map[string]bool{}, map[string]bool{}}, prompts: map[string]bool{}, sources: r.sources,
		written: map[ast.Expr][]piece{}, scopes: map[string]*fileScopes{}}
	ignored := ignoredFiles(p, insts)
	r.unread = len(ignored) > 0 || slices.ContainsFunc(insts, func(in *build.Instance) bool { return in.Err != nil })
	insts = slices.DeleteFunc(insts, func(in *build.Instance) bool { return in.Err != nil })
	r.findings = append(packageNames(p, insts), ignored...)
	p.addInputs(insts)
	for _, f := range p.Inputs {
		if _, looked := r.sources[f]; !looked { // a file of a package outside of spec/
			r.said = append(r.said, hiddenBytes(f, l.source(f))...)
			r.findings = append(r.findings, hiddenBytes(f, l.source(f))...)
		}
	}
	p.rearrange(insts)
	local := map[string]bool{}
	for _, in := range insts {
		local[importPath(in)] = true
	}
	slices.SortFunc(insts, func(a, b *build.Instance) int { return strings.Compare(importPath(a), importPath(b)) })
	for _, in := range insts {
		l.add(in, false)
	}
	for _, in := range insts {
		for _, dep := range in.Dependencies() {
			if path := importPath(dep); !local[path] && path != toolspec.ImportPath && l.builds[path] == nil && !isBuiltin(dep) {
				l.add(dep, true)
			}
		}
	}
	return l
}

// compile says why a package does not compile, and cuts what does not.
func (c *cuts) compile(e *pkgEval) bool {
	e.checkFields()
	again := false
	for _, ce := range errors.Errors(e.broken) {
		i := slices.IndexFunc(errors.Positions(ce), e.p.inProject)
		if i < 0 {
			c.unnamed = true
			continue
		}
		at := errors.Positions(ce)[i]
		path, name := e.enclosing(e.p.pos(at)), e.identAt(at)
		if !c.unnamed && !c.names[name] && !e.meant(path, name) && !c.ofImport(name) {
			found := loadFindings(e.p, "cue-invalid", ce, e.out.Dir)
			for _, f := range found {
				if fix := e.declaredLike(at, name); fix != "" && f.Rule == "cue-invalid" {
					f.Fix = fix
				}
				if !c.saidOf(f) {
					c.say(f)
				}
			}
			if found[0].Rule == "cue-import" {
				again = c.unimport(found[0].Pos.File, found[0].Pos) || again
				continue
			}
		}
		if len(path) > 1 && inModel(path) {
			again = c.failing(e, []string{strings.Join(path[:2], ".")}) || again
			continue
		}
		for _, f := range e.ix.files {
			for _, d := range f.Decls {
				if e.p.rel(f.Filename) == e.p.rel(at.Filename()) && within(at, d) {
					again = c.decl(e.p.rel(f.Filename), d) || again
				}
			}
		}
	}
	for _, f := range e.findings {
		if parts := strings.Split(f.Path, "."); len(parts) > 1 && c.units[strings.Join(parts[:2], ".")] {
			c.say(f)
		}
	}
	return again
}

// identAt is the name that stands at a position of the package.
func (e *pkgEval) identAt(at token.Pos) string {
	name := ""
	for _, f := range e.inst.Files {
		ast.Walk(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Pos() == at {
				name = id.Name
			}
			return name == ""
		}, nil)
	}
	return name
}

// meant reports whether a field of a tool, which the language does not have, was meant to be the one that a reference in
// the tool does not find.
func (e *pkgEval) meant(path []string, name string) bool {
	return len(path) > 1 && slices.ContainsFunc(e.wrong, func(w []string) bool {
		return len(w) > 2 && w[0] == path[0] && w[1] == path[1] && w[len(w)-1] == name
	})
}

// run extracts all packages.
func (l *loader) run() {
	for _, e := range l.order {
		e.run()
	}
}

// failed gives what CUE fails to evaluate, by package; nil where nothing else fails with it.
func (l *loader) failed() map[*pkgEval][]string {
	out := map[*pkgEval][]string{}
	foreign := false
	for _, e := range l.order {
		foreign = foreign || e.foreign
		if e.own() {
			out[e] = keys(e.failed)
		}
	}
	if !foreign {
		return nil
	}
	return out
}

// merge takes everything that had not failed from another reading, in which it was read without what had.
func (l *loader) merge(again *loader, failed map[*pkgEval][]string) {
	for p := range again.prompts {
		l.prompts[p] = true
	}
	for _, e := range l.order {
		other := again.builds[e.out.Path]
		if other == nil || other.broken != nil || e.broken != nil {
			continue
		}
		keep := func(kind, name string) bool { return slices.Contains(failed[e], kind+"."+name) }
		other.out.Tools = mixed(e.out.Tools, other.out.Tools, func(t *contract.Tool) string { return t.Name }, func(name string) bool { return keep("tools", name) })
		other.out.Enums = mixed(e.out.Enums, other.out.Enums, func(x *contract.Enum) string { return x.Name }, func(name string) bool { return keep("enums", name) })
		other.out.Notices = mixed(e.out.Notices, other.out.Notices, func(m *contract.Message) string { return m.Name }, func(name string) bool { return keep("notices", name) })
		for _, d := range e.out.Defs {
			if !slices.ContainsFunc(other.out.Defs, func(o *contract.Def) bool { return o.Name == d.Name }) {
				other.out.Defs = append(other.out.Defs, d)
			}
		}
		for _, t := range other.out.Tools {
			t.Package = other.out
		}
		for _, x := range other.out.Enums {
			x.Package = other.out
		}
		findings := slices.Clone(e.findings[:e.syntax])
		for _, unit := range slices.Concat(keys(e.by), keys(other.by)) {
			kind, name, _ := strings.Cut(unit, ".")
			if _, first := e.by[unit]; first && keep(kind, name) {
				findings = append(findings, e.by[unit]...)
			} else if !keep(kind, name) {
				findings = append(findings, other.by[unit]...)
			}
		}
		findings = append(findings, e.by[""]...)
		e.findings = findings
		wrong := slices.Clone(e.wrong[:e.syntaxWrong])
		for _, w := range e.wrong[e.syntaxWrong:] {
			if len(w) > 1 && keep(w[0], w[1]) {
				wrong = append(wrong, w)
			}
		}
		for _, w := range other.wrong[other.syntaxWrong:] {
			if len(w) > 1 && !keep(w[0], w[1]) {
				wrong = append(wrong, w)
			}
		}
		e.wrong, e.out = wrong, other.out
	}
}

// mixed is the list as read again, but with those that had failed as they were read first.
func mixed[T any](first, again []T, name func(T) string, keep func(string) bool) []T {
	out := make([]T, 0, len(first))
	for _, x := range first {
		if !keep(name(x)) {
			if i := slices.IndexFunc(again, func(y T) bool { return name(y) == name(x) }); i >= 0 {
				x = again[i]
			}
		}
		out = append(out, x)
	}
	return out
}

// saidOf reports whether the same was said of another place of the file: a name that is declared nowhere, say.
func (c *cuts) saidOf(f diag.Finding) bool {
	return slices.ContainsFunc(c.findings, func(o diag.Finding) bool {
		return o.Rule == f.Rule && o.Message == f.Message && o.Pos.File == f.Pos.File
	})
}

// ofImport reports whether a name was meant to be that of an import which was found to be wrong.
func (c *cuts) ofImport(name string) bool {
	_, near := diag.Nearest(name, c.imports)
	return near
}

// standard are the packages of CUE's standard library that specs have a use for.
func standard() []string {
	return []string{"list", "math", "net", "regexp", "strconv", "strings", "struct", "text", "time"}
}

// declaredLike says what to write for a name that is declared nowhere: the import that is missing, or a name of the file
// that is nearly it.
func (e *pkgEval) declaredLike(at token.Pos, name string) string {
	if slices.Contains(standard(), name) {
		return "add import " + strconv.Quote(name)
	}
	var names []string
	for _, f := range e.inst.Files {
		if f.Filename != at.Filename() {
			continue
		}
		ast.Walk(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.LetClause:
				names = append(names, n.Ident.Name)
			case *ast.ImportSpec:
				names = append(names, importName(n))
			}
			return true
		}, nil)
	}
	if name != "string" && cueTypeName(name) != "" {
		return "write " + cueTypeName(name)
	}
	names = append(names, "true", "false", "null", "string", "int", "number", "bool", "params", "options")
	if near, ok := diag.Nearest(name, names); ok {
		return "did you mean " + near + "?"
	}
	return ""
}
