package load

import (
	"errors"
	"fmt"
	gotoken "go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/token"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// Result is what a project declares. The model is partial where findings say so, and nothing may be rendered from it
// then.
type Result struct {
	Model    *contract.Model
	Findings diag.Findings
}

// loader holds what the packages of one load share.
type loader struct {
	p       *Project
	cuts    *cuts
	where   *progress
	ctx     *cue.Context
	indexes map[string]*index    // by import path without a major version
	symbols *symbols             // over all packages
	prompts map[string]bool      // prompt files that a section uses
	builds  map[string]*pkgEval  // by import path
	sources map[string][]byte    // files, by their paths in the project
	written map[ast.Expr][]piece // texts, taken apart
	scopes  map[string]*fileScopes
	order   []*pkgEval // project packages first, then external ones
}

// symbols are the labels that a text may refer to.
type symbols struct {
	tools map[string]bool
	enums map[string]bool
}

// Load evaluates the specs of a project, and completes the project's inputs by the files that specs import from outside
// of spec/. An error means that it could not run; everything else is a finding.
func Load(p *Project) (*Result, error) { return load(p, &progress{}) }

func load(p *Project, where *progress) (*Result, error) {
	res := &Result{Model: &contract.Model{Format: contract.Format}}
	overlay, findings, err := p.overlay()
	if err != nil {
		return nil, err
	}
	sources, more, err := p.readSources()
	if res.Findings = append(findings, more...); err != nil || len(findings) > 0 || slices.ContainsFunc(more, unreadable) || slices.ContainsFunc(p.odd, inSpecs) {
		res.Model.Faults = &contract.Faults{Names: true}
		return res, err
	}
	faults := &contract.Faults{}
	if len(p.Packages) == 0 {
		res.Findings.Add(diag.Finding{Rule: "package-empty", Pos: diag.Position{File: SpecDir},
			Message: "there is no .cue file below " + SpecDir + "/, hence no tool", Fix: "declare a tool in " + SpecDir + "/<package>/tools.cue"})
		return res, nil
	}
	p.clean(sources, overlay)
	res.Findings = append(res.Findings, p.clauses(sources, overlay)...)
	r := &rounds{p: p, where: where, overlay: overlay, sources: sources, said: res.Findings}
	c := newCuts(p, sources)
	l := r.open(c)
	l.run()
	if failed := l.failed(); failed != nil {
		// What reads a failing tool fails with it, so the others are read again without it.
		c = c.clone()
		for _, e := range l.order {
			c.failing(e, failed[e])
		}
		again := r.open(c)
		again.run()
		l.merge(again, failed)
	}
	res.Findings = slices.Concat(res.Findings, r.findings, c.findings)
	faults.Names = r.unread
	for _, e := range l.order {
		c.place(e.out)
		switch {
		case !e.external:
			res.Model.Packages = append(res.Model.Packages, e.out)
		case e.own():
			res.Model.External = append(res.Model.External, e.out)
		default:
			res.Model.External = append(res.Model.External, e.out)
			continue // its faults are its own project's
		}
		res.Findings = append(res.Findings, e.findings...)
	}
	if slices.ContainsFunc(res.Findings, func(f diag.Finding) bool { return !harmless(f.Rule) }) || slices.ContainsFunc(l.order, func(e *pkgEval) bool { return len(e.wrong) > 0 }) {
		res.Model.Faults = l.allFaults(faults)
	}
	// Only now every section was seen.
	res.Findings = append(res.Findings, l.unusedPrompts(res)...)
	if !res.Model.Faults.Any() && !p.plain && slices.ContainsFunc(l.order, (*pkgEval).readsNames) {
		more, err := compareEditions(p, res.Model)
		if err != nil {
			return nil, err
		}
		res.Findings = append(res.Findings, more...)
	}
	return res, nil
}

// packageNames refuses packages whose Go code could not be: two of one name would be one folder below gen/.
func packageNames(p *Project, insts []*build.Instance) diag.Findings {
	var out diag.Findings
	first := map[string]diag.Position{}
	for _, in := range insts {
		pos := diag.Position{File: p.rel(in.Dir)}
		for _, f := range in.Files {
			for _, d := range f.Decls {
				if c, ok := d.(*ast.Package); ok && p.rel(f.Filename) != "" && pos.Line == 0 {
					pos = p.pos(c.Pos())
				}
			}
		}
		name := in.PkgName
		if other, again := first[strings.ToLower(name)]; again {
			out.Add(diag.Finding{Rule: "package-duplicate", Pos: pos, Message: fmt.Sprintf("two spec packages are called %s, and both would be %s/%s", name, GenDir, name),
				Fix: "give one of them another package clause", Related: []diag.Related{{Pos: other, Message: "the other package"}}})
		} else {
			first[strings.ToLower(name)] = pos
		}
		if !gotoken.IsIdentifier(name) || !identifier(name) || strings.HasPrefix(name, "_") || slices.Contains([]string{"main", "internal", "vendor", "testdata"}, name) {
			out.Add(diag.Finding{Rule: "go-name", Pos: pos, Message: fmt.Sprintf("%q cannot be the name of a Go package that others import", name),
				Fix: "give the package another name: letters, digits and underscores, no keyword of Go, and none of main, internal, vendor and testdata"})
		}
	}
	return out
}

// ignoredFiles reports the spec files that CUE leaves out by their names, such as x_tool.cue: what they declare would be
// missing without a word. A file with a build attribute is left out on purpose.
func ignoredFiles(p *Project, insts []*build.Instance) diag.Findings {
	read := map[string]bool{}
	failed := map[string]bool{} // folders of packages of which CUE says nothing but what is wrong
	for _, in := range insts {
		failed[p.rel(in.Dir)] = in.Err != nil
		for _, f := range in.BuildFiles {
			read[p.rel(f.Filename)] = true
		}
		for _, dep := range in.Dependencies() {
			for _, f := range dep.BuildFiles {
				read[p.rel(f.Filename)] = true
			}
		}
	}
	var out diag.Findings
	for _, f := range p.Inputs {
		if !strings.HasPrefix(f, SpecDir+"/") || read[f] || failed[path.Dir(f)] || p.isLanguage(path.Dir(f)) {
			continue
		}
		src, err := os.ReadFile(filepath.Join(p.Root, filepath.FromSlash(f)))
		if err == nil && (strings.Contains(string(src), "@if(") || strings.Contains(string(src), "@ignore(")) {
			continue
		}
		out.Add(diag.Finding{Rule: "source-file", Pos: diag.Position{File: f}, Message: "CUE does not read the file as part of its package: it leaves out names that end in _tool.cue and _test.cue",
			Fix: "rename the file"})
	}
	return out
}

// rearrange puts the files of each package into the order that a test wants.
func (p *Project) rearrange(insts []*build.Instance) {
	if p.arrange == nil {
		return
	}
	for _, in := range insts {
		byName := map[string]*ast.File{}
		var names []string
		for _, f := range in.Files {
			byName[f.Filename] = f
			names = append(names, f.Filename)
		}
		p.arrange(names)
		for i, n := range names {
			in.Files[i] = byName[n]
		}
	}
}

// isBuiltin reports whether an instance is a package of CUE's standard library, which has no files.
func isBuiltin(in *build.Instance) bool { return len(in.Files) == 0 }

// importPath is an instance's import path without its major version and package qualifier.
func importPath(in *build.Instance) string { return barePath(in.ImportPath) }

func barePath(s string) string {
	if i := strings.LastIndexByte(s, ':'); i >= 0 {
		s = s[:i]
	}
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		s = s[:i]
	}
	return s
}

func (l *loader) add(in *build.Instance, external bool) {
	path := importPath(in)
	e := &pkgEval{loader: l, inst: in, ix: l.index(in), external: external, types: map[string]*contract.Def{}, by: map[string]diag.Findings{}, failed: map[string]bool{}, misled: map[string]bool{},
		out: &contract.Package{Name: in.PkgName, Path: path, Dir: l.p.rel(in.Dir)}}
	for _, dep := range in.Dependencies() {
		e.out.Imports = append(e.out.Imports, importPath(dep))
	}
	if !external {
		e.out.GoPath = l.p.goPath(in.PkgName)
	} else if strings.HasPrefix(path, Module+"/"+SpecDir+"/") {
		e.out.GoPath = Module + "/" + GenDir + "/" + in.PkgName
	}
	l.builds[path] = e
	l.order = append(l.order, e)
}

// index returns the syntax index of an instance, made once.
func (l *loader) index(in *build.Instance) *index {
	path := importPath(in)
	if ix := l.indexes[path]; ix != nil {
		return ix
	}
	ix := newIndex(in.Files, func(spec string) *index {
		if dep := in.LookupImport(spec); dep != nil {
			return l.index(dep)
		}
		return l.indexes[barePath(spec)]
	})
	l.indexes[path] = ix
	return ix
}

// pkgEval evaluates one package.
type pkgEval struct {
	*loader
	inst        *build.Instance
	ix          *index
	external    bool
	val         cue.Value
	broken      error // why the package does not compile
	out         *contract.Package
	findings    diag.Findings
	syntax      int // how many findings are of the syntax, and how many of wrong
	syntaxWrong int
	by          map[string]diag.Findings // findings of one tool, enum or notice
	failed      map[string]bool          // those that CUE fails to evaluate, for reasons of their own
	foreign     bool                     // whether something failed only since it reads what fails
	current     cue.Value                // the tool under the options at hand
	misled      map[string]bool          // tools with a condition that is wrong
	unknown     [][]string               // paths of fields that the spec language does not have
	wrong       [][]string               // paths at which something is wrong beside those of the findings
	badRefs     []token.Pos              // references that were reported
	rejects     map[token.Pos]bool
	types       map[string]*contract.Def
}

// declare builds the package and enters its labels into the symbols.
func (e *pkgEval) declare() {
	e.where.set(diag.Position{File: e.out.Dir}, "")
	if e.cuts.unread[e.out.Dir] {
		e.broken = errSaid
		return
	}
	e.val = e.ctx.BuildInstance(e.inst)
	compiled := slices.ContainsFunc(vocabulary("file"), func(name string) bool { return e.at(e.val, name).Exists() })
	if err := e.val.Err(); err != nil && !compiled {
		// The package could not be compiled at all, so nothing of it can be looked at.
		e.broken = err
		return
	}
	for _, kind := range []struct {
		name string
		into map[string]bool
	}{{"tools", e.symbols.tools}, {"enums", e.symbols.enums}} {
		for _, label := range e.ordered(e.at(e.val, kind.name), kind.name) {
			kind.into[label] = true
		}
	}
}

// own reports whether the package is in the project, so that its faults can be mended there. A package outside of spec/
// is external and the project's own: it is not rendered, but it has to be right.
func (e *pkgEval) own() bool {
	return len(e.inst.Files) > 0 && e.p.inProject(e.inst.Files[0].Pos())
}

// run extracts the package.
func (e *pkgEval) run() {
	if e.broken != nil {
		return
	}
	e.rejects = errorCalls(e.inst.Files)
	if len(e.inst.Files) > 0 {
		e.out.Doc = packageDoc(e.ix.files)
		e.out.Pos = e.p.pos(e.ix.files[0].Pos())
	}
	if !e.external || e.own() {
		e.checkSyntax()
	}
	e.syntax, e.syntaxWrong = len(e.findings), len(e.wrong)
	e.enums()
	e.tools()
	e.notices()
	from := len(e.findings)
	e.budgets()
	e.defs()
	if !e.external && len(e.out.Tools)+len(e.out.Enums)+len(e.out.Notices) == 0 && len(e.findings) == 0 && len(e.cuts.spans) == 0 {
		e.findings.Add(diag.Finding{Rule: "package-empty", Pos: diag.Position{File: e.out.Dir},
			Message: "the package declares no tool, no enum and no notice",
			Fix:     "declare `tools: toolspec.#Tools` and a tool in it, or move the files out of " + SpecDir + "/"})
	}
	e.note("", from)
}

// note remembers which findings are those of one tool, enum or notice, or of the rest of the package.
func (e *pkgEval) note(unit string, from int) {
	found := slices.Clone(e.findings[from:])
	// A text that shows what is no value fails with it.
	kept := slices.DeleteFunc(slices.Clone(found), func(f diag.Finding) bool {
		return (f.Rule == "text-reference" || f.Rule == "cue-invalid") && slices.ContainsFunc(found, func(o diag.Finding) bool {
			return o.Rule != f.Rule && slices.ContainsFunc(f.Related, func(r diag.Related) bool { return r.Pos == o.Pos })
		})
	})
	e.findings = append(e.findings[:from], kept...)
	e.by[unit] = slices.Clone(kept)
}

// at returns the value at a path of labels.
func (e *pkgEval) at(v cue.Value, labels ...string) cue.Value {
	sel := make([]cue.Selector, len(labels))
	for i, l := range labels {
		sel[i] = cue.Str(l)
	}
	return v.LookupPath(cue.MakePath(sel...))
}

// labels returns the regular fields of a struct in CUE's order; ok is false where CUE cannot list them, which a fault
// anywhere inside can cause.
func (e *pkgEval) labels(v cue.Value) (out []string, ok bool) {
	if !v.Exists() {
		return nil, true
	}
	it, err := v.Fields()
	if err != nil {
		return nil, false
	}
	for it.Next() {
		out = append(out, it.Selector().Unquoted())
	}
	return out, true
}

// ordered returns the fields of the struct at a path in source order. Where CUE cannot list them, the syntax says what
// there is.
func (e *pkgEval) ordered(v cue.Value, path ...string) []string {
	labels, ok := e.labels(v)
	if !ok {
		labels = slices.DeleteFunc(e.declared(path...), func(l string) bool { return !e.at(v, l).Exists() })
	}
	return e.ix.table(path...).arrange(labels)
}

// source returns the bytes of a file of the project, or nothing where it cannot be read.
func (l *loader) source(file string) []byte {
	src, known := l.sources[file]
	if !known {
		src, _ = os.ReadFile(filepath.Join(l.p.Root, filepath.FromSlash(file))) // read by CUE before; without it places are coarse
		l.sources[file] = src
	}
	return src
}

// errSaid is the reason why a file cannot be read, where that is a finding already.
var errSaid = errors.New("said already")

// readPrompt reads a file below prompts/ for a section.
func (l *loader) readPrompt(name string) (string, string, error) {
	file := PromptDir + "/" + name
	if slices.ContainsFunc(l.p.odd, func(o oddFile) bool { return o.path == file || strings.HasPrefix(file, o.path+"/") }) {
		return file, "", errSaid
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) != name || strings.Contains(name, `\`) {
		return file, "", fmt.Errorf("%q is not a plain path below %s/", name, PromptDir)
	}
	if !slices.Contains(l.p.Inputs, file) {
		return file, "", fmt.Errorf("%s is not among the prompt files: it does not exist, does not end in .md, or is hidden", file)
	}
	l.prompts[file] = true
	// Reading below the root keeps a symbolic link from bringing in a file of somewhere else.
	root, err := os.OpenRoot(l.p.Root)
	if err != nil {
		return file, "", err
	}
	defer root.Close()
	src, err := root.ReadFile(filepath.FromSlash(file))
	if err != nil {
		return file, "", fmt.Errorf("%s cannot be read", file)
	}
	if out := cleaned(src); out != nil {
		src = out
	}
	return file, string(src), nil
}

// unusedPrompts reports the prompt files that no section uses. One can be what a section means that names no file, and
// one that a spec mentions can be that of a section that could not be read, or that nothing brings.
func (l *loader) unusedPrompts(res *Result) diag.Findings {
	doubt := res.Model.Faults.Any()
	for _, f := range res.Findings {
		if f.Rule == "section-file" {
			return nil
		}
		doubt = doubt || f.Rule == "clause-unreachable" && strings.Contains(f.Path, ".sections.")
	}
	var out diag.Findings
	for _, f := range l.p.Inputs {
		if strings.HasPrefix(f, PromptDir+"/") && !l.prompts[f] && !(doubt && l.mentions(f)) {
			out.Add(diag.Finding{Rule: "prompt-unused", Pos: diag.Position{File: f}, Message: "no section uses this prompt file",
				Fix: "name it in a section's `file`, or remove it"})
		}
	}
	return out
}

// mentions reports whether some spec has the name of a prompt file in it, so that a section that could not be read may
// be the one that uses it.
func (l *loader) mentions(prompt string) bool {
	name := strings.TrimSuffix(path.Base(prompt), path.Ext(prompt))
	for f := range l.sources {
		if strings.HasSuffix(f, ".cue") && strings.Contains(string(l.sources[f]), name) {
			return true
		}
	}
	return false
}

// allFaults collects the faults of all packages.
func (l *loader) allFaults(out *contract.Faults) *contract.Faults {
	out.Types = map[contract.EnumRef]bool{}
	out.Merge(l.cuts.faults())
	for _, e := range l.order {
		if e.broken != nil {
			out.Names = true
			continue
		}
		if !e.external || e.own() {
			of := e.faults(0)
			out.Merge(of)
			if of.Any() || out.Any() {
				e.mayUse(out.Types)
			}
		}
	}
	return out
}
