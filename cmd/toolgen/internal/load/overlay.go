package load

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	cueload "cuelang.org/go/cue/load"
	"cuelang.org/go/cue/parser"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
	"github.com/toolgen-dev/toolgen/spec/agents"
	"github.com/toolgen-dev/toolgen/spec/toolspec"
)

// language is the CUE language version that a project without a cue.mod gets.
const language = "v0.17.0"

// overlay supplies what a project need not have: the extraction edition of the spec language, the shipped contracts
// where the project is not toolgen itself, and a CUE module file.
func (p *Project) overlay() (map[string]cueload.Source, diag.Findings, error) {
	lang, err := toolspec.Extraction()
	if err != nil {
		return nil, nil, err
	}
	if p.plain {
		lang = toolspec.Source()
	}
	out := map[string]cueload.Source{}
	if p.Module == Module {
		out[filepath.Join(p.Root, SpecDir, "toolspec", "toolspec.cue")] = cueload.FromString(lang)
	} else {
		pkg := filepath.Join(p.Root, "cue.mod", "pkg", filepath.FromSlash(Module), SpecDir)
		out[filepath.Join(pkg, "toolspec", "toolspec.cue")] = cueload.FromString(lang)
		shipped, err := agents.Specs()
		if err != nil {
			return nil, nil, err
		}
		for name, src := range shipped {
			out[filepath.Join(pkg, "agents", name)] = cueload.FromBytes(src)
		}
	}
	name := filepath.Join(p.Root, "cue.mod", "module.cue")
	src, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		out[name] = cueload.FromString(fmt.Sprintf("module: %q\nlanguage: version: %q\n", cueModule(p.Module), language))
		return out, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	stripped, changed, findings := withoutDep(src, path.Join("cue.mod", "module.cue"))
	if changed {
		out[name] = cueload.FromBytes(stripped)
	}
	return out, findings, nil
}

// Supplied is the text of everything that the loader supplies, so that its digest tells when that has changed.
func Supplied() (string, error) {
	shipped, err := agents.Specs()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(toolspec.Source())
	for _, name := range keys(shipped) {
		b.Write(shipped[name])
	}
	return b.String(), nil
}

// Packages returns the CUE sources of the packages that the loader supplies, by import path and file name, in the edition
// that users see.
func Packages() (map[string]map[string][]byte, error) {
	shipped, err := agents.Specs()
	if err != nil {
		return nil, err
	}
	return map[string]map[string][]byte{
		toolspec.ImportPath:                {"toolspec.cue": []byte(toolspec.Source())},
		Module + "/" + SpecDir + "/agents": shipped,
	}, nil
}

// CUEModule is the CUE module path of a Go module, as the loader supplies it where the project has no module file.
func CUEModule(mod string) string { return cueModule(mod) }

// cueModule gives the CUE module path that stands for a Go module: with a major version, in lower case, and with a dot in
// its first element, as CUE demands of a path.
func cueModule(mod string) string {
	major := "v0"
	if i := strings.LastIndex(mod, "/v"); i > 0 {
		if n, err := strconv.Atoi(mod[i+2:]); err == nil && n > 1 {
			mod, major = mod[:i], "v"+strconv.Itoa(n)
		}
	}
	// CUE's paths are lower-case, and have fewer characters than Go's.
	elements := strings.Split(strings.ToLower(mod), "/")
	for i, e := range elements {
		e = strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '-' || r == '_' && i > 0 {
				return r
			}
			return '-'
		}, e)
		elements[i] = strings.Trim(e, ".-_")
		if elements[i] == "" {
			elements[i] = "x"
		}
	}
	if !strings.Contains(elements[0], ".") {
		elements = append([]string{"local.test"}, elements...)
	}
	return strings.Join(elements, "/") + "@" + major
}

// withoutDep removes toolgen's own module from the deps of a module file: its packages come by overlay, and CUE calls
// two sources of one import ambiguous. Another version than the overlay's is a finding.
func withoutDep(src []byte, name string) ([]byte, bool, diag.Findings) {
	f, err := parser.ParseFile(name, src)
	if err != nil {
		return nil, false, nil // CUE reports it with its position when it loads the module
	}
	found := false
	var findings diag.Findings
	for _, d := range f.Decls {
		deps, ok := d.(*ast.Field)
		if !ok || label(deps) != "deps" {
			continue
		}
		s, ok := deps.Value.(*ast.StructLit)
		if !ok {
			continue
		}
		s.Elts = slices.DeleteFunc(s.Elts, func(e ast.Decl) bool {
			dep, ok := e.(*ast.Field)
			if !ok {
				return false
			}
			mod, major, _ := strings.Cut(label(dep), "@")
			if mod != Module {
				return false
			}
			found = true
			if have, want := ownVersion(), depVersion(dep); major != "v0" || have != "" && want != "" && have != want {
				findings.Add(diag.Finding{Rule: "module-version", Pos: position(dep.Pos(), name), Path: "deps",
					Message: fmt.Sprintf("the project asks for %s@%s %s, this toolgen carries v0 %s", Module, major, want, have),
					Fix:     "remove the dependency: toolgen supplies its packages itself"})
			}
			return true
		})
		if !s.Lbrace.IsValid() {
			// deps: "...": {...} without braces of its own: what is left is an empty struct.
			deps.Value = ast.NewStruct()
			deps.Value.(*ast.StructLit).Elts = s.Elts
		}
	}
	if !found || len(findings) > 0 {
		return nil, false, findings
	}
	out, err := format.Node(f)
	if err != nil {
		return nil, false, nil
	}
	return out, true, nil
}

// depVersion is the version that a dependency names.
func depVersion(dep *ast.Field) string {
	s, ok := dep.Value.(*ast.StructLit)
	if !ok {
		return ""
	}
	for _, e := range s.Elts {
		if v, ok := e.(*ast.Field); ok && label(v) == "v" {
			if lit, ok := v.Value.(*ast.BasicLit); ok {
				if s, err := strconv.Unquote(lit.Value); err == nil {
					return s
				}
			}
		}
	}
	return ""
}

// ownVersion is the version of toolgen that is running, where it was built as a released module; else empty.
func ownVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Path == Module && strings.HasPrefix(m.Version, "v") && m.Replace == nil && !strings.Contains(m.Version, "+") {
			return m.Version
		}
	}
	return ""
}
