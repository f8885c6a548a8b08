package load

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// harmless reports whether a finding leaves the model whole: what is declared in vain, and what is wrong with a file or
// a name and not with what is read of it.
func harmless(rule string) bool {
	switch rule {
	case "clause-unreachable", "prompt-unused", "hidden-unicode", "package-duplicate", "package-empty", "go-name", "open-option":
		return true
	}
	return false
}

// faults gives the places of the package at which findings lie. from is the first finding that counts.
func (e *pkgEval) faults(from int) *contract.Faults {
	out := &contract.Faults{}
	for _, path := range e.wrong {
		e.addFault(out, path)
	}
	for _, f := range e.findings[from:] {
		if harmless(f.Rule) {
			continue
		}
		if path := e.enclosing(f.Pos); inModel(path) {
			e.addFault(out, path)
		}
		// What a fault concerns may be elsewhere: it can come by reference. The path of a reference that leads nowhere
		// is that of its target, and concerns nobody.
		if path := strings.Split(f.Path, "."); inModel(path) && !e.refersTo(f.Pos) {
			e.addFault(out, path)
		}
	}
	return out
}

func (e *pkgEval) addFault(out *contract.Faults, path []string) {
	if len(path) > 1 {
		out.Add(strings.Join(path, "."))
		return
	}
	for _, l := range e.declared(path...) {
		out.Add(path[0] + "." + l)
	}
}

// inModel reports whether a path is in what a package declares for toolgen.
func inModel(path []string) bool {
	return len(path) > 0 && (path[0] == "tools" || path[0] == "enums" || path[0] == "notices")
}

// refersTo reports whether a position is that of a reference that was found to be bad.
func (e *pkgEval) refersTo(pos diag.Position) bool {
	return slices.ContainsFunc(e.badRefs, func(p token.Pos) bool { return e.p.pos(p) == pos })
}

// enclosing is the path of the innermost field of the package in which a position lies; nil where that is none.
func (e *pkgEval) enclosing(at diag.Position) []string {
	for _, f := range e.ix.files {
		if e.p.rel(f.Filename) == at.File {
			return enclosing(f, func(t token.Pos) diag.Position { return e.p.pos(t) }, at)
		}
	}
	return nil
}

func enclosing(f *ast.File, pos func(token.Pos) diag.Position, at diag.Position) []string {
	path := []string{}
	computed := false // behind a name that is computed nothing is known
	for _, d := range f.Decls {
		ast.Walk(d, func(n ast.Node) bool {
			from, to := pos(n.Pos()), pos(n.End())
			if from.Line == 0 || from.Compare(at) > 0 || at.Compare(to) >= 0 {
				return false
			}
			if f, ok := n.(*ast.Field); ok && !computed {
				if l := label(f); l != "" {
					path = append(path, l)
				} else {
					computed = true
				}
			}
			return true
		}, nil)
	}
	return path
}

// mayUse adds the enums whose type is read anywhere in the package, where a type of it could not be read.
func (e *pkgEval) mayUse(out map[contract.EnumRef]bool) {
	for _, f := range e.inst.Files {
		ast.Walk(f, func(n ast.Node) bool {
			if f, ok := n.(*ast.Field); ok && (label(f) == "notices" || label(f) == "enums") {
				return false // what these use need not be visible to a model
			}
			s, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			if c, ok := e.chain(s); ok && len(c) == 3 && c[0] == "enums" && c[2] == "type" {
				if home := e.home(n); home != nil {
					out[contract.EnumRef{Package: home.out.Path, Name: c[1]}] = true
				}
			}
			return true
		}, nil)
	}
}

// isConsequence reports whether a finding says only what follows from a fault that was said: it lies where CUE has
// failed, or holds a reference that leads nowhere, or speaks of what is missing beside a field with a name that the
// language does not have.
func (e *pkgEval) isConsequence(f diag.Finding, of *contract.Faults) bool {
	path := strings.Split(f.Path, ".")
	return len(path) > 2 && (of.Touch(f.Path) || e.touched(path) || e.saidAlready(path))
}

// failures reports where the value of a tool, enum or notice fails, and says it.
func (e *pkgEval) failures(v cue.Value, path []string) *contract.Faults {
	before, foreign := len(e.findings), e.foreign
	e.foreign = false
	failed := e.validate(v, path)
	foreign, e.foreign = e.foreign, e.foreign || foreign
	if !failed {
		return nil
	}
	of, at := e.faults(before), strings.Join(path, ".")
	if len(e.findings) > before || !foreign || e.saidAlready(path) || slices.ContainsFunc(e.unknown, func(u []string) bool { return len(u) > 1 && slices.Equal(u[:2], path) }) {
		e.failed[at] = true
	}
	if !of.Touch(at) && !e.failedInParts(path) {
		of.Add(at) // by something that it refers to
		e.wrong = append(e.wrong, path)
	}
	return of
}

// failedInParts reports whether what fails in a value was said of parts of its syntax.
func (e *pkgEval) failedInParts(path []string) bool {
	return e.saidAlready(path) || slices.ContainsFunc(e.unknown, func(u []string) bool { return len(u) > 2 && slices.Equal(u[:2], path) })
}

// dropConsequences removes, of what was found in reading a value that fails in places, what follows from that: what CUE
// could compute of it is read all the same, and what it could not is not said again.
func (e *pkgEval) dropConsequences(from int, of *contract.Faults) {
	found := slices.DeleteFunc(slices.Clone(e.findings[from:]), func(f diag.Finding) bool { return e.isConsequence(f, of) })
	e.findings = append(e.findings[:from], found...)
}

// isWrong reports whether all that is at a path was found to be of no use.
func (e *pkgEval) isWrong(path []string) bool {
	return slices.ContainsFunc(e.wrong, func(w []string) bool { return slices.Equal(w, path) })
}

// touched reports whether something is wrong at a path, around it or inside of it.
func (e *pkgEval) touched(path []string) bool {
	return slices.ContainsFunc(e.wrong, func(w []string) bool {
		n := min(len(w), len(path))
		return slices.Equal(w[:n], path[:n])
	})
}
