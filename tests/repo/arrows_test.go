package repo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const modulePath = "github.com/toolgen-dev/toolgen"

// listed is what `go list -json` says of a package, as far as the arrows need it.
type listed struct {
	Dir            string
	ImportPath     string
	Imports        []string
	TestImports    []string
	XTestImports   []string
	Deps           []string
	IgnoredGoFiles []string
}

func TestArrows(t *testing.T) {
	pkgs := listPackages(t, repositoryRoot(t))
	if len(pkgs) == 0 {
		t.Fatal("go list names no package")
	}
	for _, fault := range checkArrows(pkgs) {
		t.Error(fault)
	}
}

// listPackages reads all packages of the module. Files that build constraints leave out count as well: an import is
// as wrong on another system.
func listPackages(t *testing.T, root string) []listed {
	t.Helper()
	// With -e, since a package that does not build has imports all the same, and its own message elsewhere.
	cmd := exec.Command("go", "list", "-e", "-json=Dir,ImportPath,Imports,TestImports,XTestImports,Deps,IgnoredGoFiles", "./...")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var pkgs []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		for _, name := range p.IgnoredGoFiles {
			imports, err := fileImports(filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(name, "_test.go") {
				p.XTestImports = append(p.XTestImports, imports...)
			} else {
				p.Imports = append(p.Imports, imports...)
			}
		}
		pkgs = append(pkgs, p)
	}
}

func fileImports(path string) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var imports []string
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: import %s: %w", path, spec.Path.Value, err)
		}
		imports = append(imports, name)
	}
	return imports, nil
}

// checkArrows says which imports the layout does not allow, each with the reason for the ban.
func checkArrows(pkgs []listed) []string {
	var faults []string
	for _, p := range pkgs {
		from, ours := inModule(p.ImportPath)
		if !ours {
			continue
		}
		a, ok := arrowOf(from)
		if !ok {
			faults = append(faults, fmt.Sprintf("%s is not in the layout: add it to layout_test.go with what it may import and why, or move it", from))
			continue
		}
		for _, to := range distinct(p.Imports) {
			if !a.allows(to, false) {
				faults = append(faults, a.fault(from, to, "imports"))
			}
		}
		for _, to := range distinct(p.TestImports, p.XTestImports) {
			if to != p.ImportPath && !a.allows(to, true) {
				faults = append(faults, a.fault(from, to, "imports in its tests"))
			}
		}
		for _, u := range unreachable {
			for _, dep := range p.Deps {
				to := short(dep)
				if matchAny(u.from, from) && matchAny(u.to, to) {
					faults = append(faults, fmt.Sprintf("%s reaches %s: %s", from, to, u.why))
				}
			}
		}
	}
	return faults
}

// arrowOf finds the entry for a package: the longest pattern that matches.
func arrowOf(pkg string) (arrow, bool) {
	var best arrow
	for _, a := range layout {
		if match(a.pkg, pkg) && len(a.pkg) > len(best.pkg) {
			best = a
		}
	}
	return best, best.pkg != ""
}

func (a arrow) allows(path string, test bool) bool {
	if standard(path) {
		return true
	}
	to, ours := inModule(path)
	if !ours {
		return matchAny(a.third, to) || test && (matchAny(testOnly, to) || cueInTests(a, to))
	}
	if to == everywhere && match("cmd/...", strings.TrimSuffix(a.pkg, "/...")) {
		return true
	}
	return matchAny(a.may, to) || test && matchAny(a.tests, to)
}

// cueInTests allows the generator's tests to evaluate CUE: its exporters are cross-checks for the renderers.
func cueInTests(a arrow, to string) bool {
	return (match("cmd/...", a.pkg) || match("tests/...", a.pkg)) && match("cuelang.org/go/...", to)
}

func (a arrow) fault(from, path, verb string) string {
	to := short(path)
	why := a.why
	for _, r := range reasons {
		if match(r.pkg, to) {
			why += "; " + r.why
		}
	}
	allowed := "the standard library only"
	if all := slices.Concat(a.may, a.third); len(all) > 0 {
		allowed = "the standard library, " + strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s %s %s: %s. It may import %s", from, verb, to, why, allowed)
}

// match reports whether a package is the pattern, or lies at or below it where the pattern ends in "/...".
func match(pattern, pkg string) bool {
	prefix, below := strings.CutSuffix(pattern, "/...")
	return pkg == prefix || below && strings.HasPrefix(pkg, prefix+"/")
}

func matchAny(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return match(p, pkg) })
}

// standard reports whether an import path is the standard library's: those have no dot in their first element.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// inModule gives a package's path below this module, or the path as it is for other modules.
func inModule(path string) (string, bool) {
	if path == modulePath {
		return ".", true
	}
	return strings.CutPrefix(path, modulePath+"/")
}

func short(path string) string {
	s, _ := inModule(path)
	return s
}

func distinct(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}

// repositoryRoot finds the folder of the module's go.mod.
func repositoryRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(data), "module "+modulePath+"\n") {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatalf("no go.mod of %s above the tests", modulePath)
		}
		dir = parent
	}
}

func TestCheckArrows(t *testing.T) {
	const m = modulePath + "/"
	for _, c := range []struct {
		name string
		pkg  listed
		want []string // each a part of one fault, in order; none: the package is fine
	}{
		{"standard library", listed{ImportPath: m + "runtime/tool", Imports: []string{"encoding/json", "fmt"}}, nil},
		{"leaf", listed{ImportPath: m + "runtime/tool", Imports: []string{m + "runtime/tool/decode"}}, nil},
		{"leaf to runtime", listed{ImportPath: m + "runtime/tool/decode", Imports: []string{m + "runtime/tool"}},
			[]string{"runtime/tool/decode imports runtime/tool: a leaf of the tool runtime never imports the runtime itself"}},
		{"leaf to runtime in its tests", listed{ImportPath: m + "runtime/tool/decode", XTestImports: []string{m + "runtime/tool", m + "runtime/tool/decode"}}, nil},
		{"third party in the runtime", listed{ImportPath: m + "runtime/tool", Imports: []string{"github.com/google/go-cmp/cmp"}},
			[]string{"runtime/tool imports github.com/google/go-cmp/cmp: "}},
		{"third party in its tests", listed{ImportPath: m + "runtime/tool", TestImports: []string{"github.com/google/go-cmp/cmp"}}, nil},
		{"generated code in the runtime", listed{ImportPath: m + "runtime/tool", Imports: []string{m + "gen/agents"}},
			[]string{"runtime/tool imports gen/agents: "}},
		{"CUE in the runtime's tests", listed{ImportPath: m + "runtime/tool", TestImports: []string{"cuelang.org/go/cue"}},
			[]string{"runtime/tool imports in its tests cuelang.org/go/cue: "}},
		{"CUE in a renderer", listed{ImportPath: m + "cmd/toolgen/internal/render/catalog", Imports: []string{"cuelang.org/go/cue"}},
			[]string{"load alone evaluates CUE"}},
		{"CUE in a renderer's tests", listed{ImportPath: m + "cmd/toolgen/internal/render/catalog", TestImports: []string{"cuelang.org/go/cue"}}, nil},
		{"evaluation in the importer", listed{ImportPath: m + "cmd/toolgen/internal/importer", Imports: []string{"cuelang.org/go/cue/ast", "cuelang.org/go/cue/cuecontext"}},
			[]string{"importer imports cuelang.org/go/cue/cuecontext"}},
		{"renderer to renderer", listed{ImportPath: m + "cmd/toolgen/internal/render/catalog", Imports: []string{m + "cmd/toolgen/internal/render/gotypes"}},
			[]string{"leans on no other renderer"}},
		{"jennifer elsewhere", listed{ImportPath: m + "cmd/toolgen/internal/render/catalog", Imports: []string{"github.com/dave/jennifer/jen"}},
			[]string{"Go is emitted in render/gotypes only"}},
		{"diag", listed{ImportPath: m + "cmd/toolgen/internal/render/catalog", Imports: []string{m + "cmd/toolgen/internal/diag"}}, nil},
		{"diag outside the generator", listed{ImportPath: m + "runtime/agent", Imports: []string{m + "cmd/toolgen/internal/diag"}},
			[]string{"the generator is a program"}},
		{"model to a stage", listed{ImportPath: m + "cmd/toolgen/internal/contract", Imports: []string{m + "cmd/toolgen/internal/load"}},
			[]string{"the model is plain data under every stage"}},
		{"generated code", listed{ImportPath: m + "gen/agents", Imports: []string{m + "runtime/tool", m + "gen/other"}}, nil},
		{"generated code to an agent", listed{ImportPath: m + "gen/agents", Imports: []string{m + "runtime/agent"}},
			[]string{"gen/agents imports runtime/agent: generated code stays thin"}},
		{"store to its user", listed{ImportPath: m + "runtime/store/sqlite", Imports: []string{m + "runtime/agent", "modernc.org/sqlite"}},
			[]string{"runtime/store/sqlite imports runtime/agent"}},
		{"SDK outside its adapter", listed{ImportPath: m + "runtime/agent", Imports: []string{"github.com/coder/acp-go-sdk"}},
			[]string{"runtime/acp is the only importer"}},
		{"OpenTelemetry outside its adapter", listed{ImportPath: m + "runtime/tool", Imports: []string{"go.opentelemetry.io/otel/trace"}},
			[]string{"runtime/otel is the only importer of OpenTelemetry"}},
		{"OpenTelemetry's SDK in its adapter", listed{ImportPath: m + "runtime/otel", Imports: []string{"go.opentelemetry.io/otel/trace"}, Deps: []string{"go.opentelemetry.io/otel/sdk/trace"}},
			[]string{"runtime/otel reaches go.opentelemetry.io/otel/sdk/trace: which SDK"}},
		{"OpenTelemetry's SDK in its adapter's tests", listed{ImportPath: m + "runtime/otel", XTestImports: []string{"go.opentelemetry.io/otel/sdk/trace/tracetest"}}, nil},
		{"by a detour", listed{ImportPath: m + "examples/headless", Imports: []string{m + "runtime/agent"}, Deps: []string{m + "cmd/toolgen/internal/load"}},
			[]string{"examples/headless reaches cmd/toolgen/internal/load: a user's program never links the generator"}},
		{"unknown package", listed{ImportPath: m + "util", Imports: []string{"fmt"}}, []string{"util is not in the layout"}},
		{"unknown package beside a known one", listed{ImportPath: m + "runtime/toolbox"}, []string{"runtime/toolbox is not in the layout"}},
		{"two at once", listed{ImportPath: m + "cmd/toolgen", Imports: []string{m + "cmd/toolgen/internal/load", "github.com/spf13/cobra"}},
			[]string{"cmd/toolgen imports github.com/spf13/cobra", "cmd/toolgen imports cmd/toolgen/internal/load"}},
		{"another module", listed{ImportPath: "example.com/other", Imports: []string{"example.com/x"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := checkArrows([]listed{c.pkg})
			if len(got) != len(c.want) {
				t.Fatalf("faults %q, want %d", got, len(c.want))
			}
			for i := range got {
				if !strings.Contains(got[i], c.want[i]) {
					t.Errorf("fault %q, want one with %q", got[i], c.want[i])
				}
			}
		})
	}
}

func TestLayoutTable(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range layout {
		if a.why == "" {
			t.Errorf("%s has no reason", a.pkg)
		}
		if seen[a.pkg] {
			t.Errorf("%s stands twice", a.pkg)
		}
		seen[a.pkg] = true
	}
}
