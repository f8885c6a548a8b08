package arguments

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
)

// kinds are the codes that there are, in the order of the source, with one call that leads to each.
type kinds struct {
	problems, repairs []string
	shown             map[string]string // by "problem " or "repair " and the code
}

// newKinds reads the codes from the source, so that none can be forgotten.
func newKinds(t *testing.T) *kinds {
	t.Helper()
	runtime := filepath.Join("..", "..", "runtime", "tool")
	k := &kinds{shown: map[string]string{}}
	k.problems = constants(t, filepath.Join(runtime, "decode", "problem.go"), func(s *ast.ValueSpec) bool {
		typ, ok := s.Type.(*ast.Ident)
		return ok && typ.Name == "Code"
	})
	isRepair := func(s *ast.ValueSpec) bool { return len(s.Names[0].Name) > 6 && s.Names[0].Name[:6] == "Repair" }
	k.repairs = append(constants(t, filepath.Join(runtime, "names.go"), isRepair), constants(t, filepath.Join(runtime, "decode", "repair.go"), isRepair)...)
	require.Len(t, k.problems, 33, "a code more or less changes an API")
	require.Len(t, k.repairs, 18, "a code more or less changes an API")
	return k
}

// constants are the values of the string constants of a file.
func constants(t *testing.T, file string, want func(*ast.ValueSpec) bool) (values []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	require.NoError(t, err)
	for _, decl := range f.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			v := spec.(*ast.ValueSpec)
			if len(v.Values) != 1 || !want(v) {
				continue
			}
			text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			values = append(values, text)
		}
	}
	return values
}

// add takes a call for what it shows first.
func (k *kinds) add(x example, a answer) {
	if x.hidden != "" {
		return // which shows less than is usual
	}
	for _, r := range []reading{a.Strict, a.Tolerant} {
		for _, p := range r.Report.Problems {
			if key := "problem " + string(p.Code); k.shown[key] == "" {
				k.shown[key] = fmt.Sprintf("%s %s\n  %s\n  %s\n", x.tool, shown(x.args), structure(p), p)
			}
		}
		for _, rep := range r.Report.Repairs {
			key := "repair " + rep.Code
			if k.shown[key] != "" || r.Said != "" || x.caps != nil && rep.Code != decode.RepairCap {
				continue
			}
			of := ""
			for param, most := range x.caps {
				of = ", mounted with " + param + " capped at " + most
			}
			k.shown[key] = fmt.Sprintf("%s %s%s\n  %s\n  %s\n", x.tool, shown(x.args), of, structure(r.Report.Repairs), result(r))
		}
	}
}

// result is what was read in the end.
func result(r reading) string {
	if string(r.Normalized) == "null" {
		return shown(string(r.Text))
	}
	return shown(string(r.Normalized))
}

func structure(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err.Error()
	}
	return string(bytes.TrimSpace(b.Bytes()))
}

func (k *kinds) write(t *testing.T, page *bytes.Buffer) {
	for _, part := range []struct {
		title, prefix string
		codes         []string
	}{
		{"Every problem: a call, the structure, the text", "problem ", k.problems},
		{"Every repair: a call, the structure, what was read", "repair ", k.repairs},
	} {
		fmt.Fprintf(page, "\n## %s\n\n```text", part.title)
		for _, code := range part.codes {
			text := k.shown[part.prefix+code]
			if text == "" {
				t.Errorf("no case shows the %s%s", part.prefix, code)
			}
			fmt.Fprintf(page, "\n%s: %s", code, text)
		}
		page.WriteString("```\n")
	}
}
