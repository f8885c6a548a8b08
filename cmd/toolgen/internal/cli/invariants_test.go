package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/load"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/render"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/render/catalog"
)

// shipped evaluates the project's own specs.
func shipped(t *testing.T, change func(*load.Project)) *contract.Model {
	t.Helper()
	root, err := load.FindRoot(".")
	require.NoError(t, err)
	p, err := load.OpenProject(root)
	require.NoError(t, err)
	if change != nil {
		change(p)
	}
	b := &build{project: p}
	require.NoError(t, b.evaluate(load.Bounds{}))
	require.Empty(t, b.findings)
	return b.model
}

// I1: the same inputs give the same bytes, from one evaluation to the next and in another order of packages.
func TestSameBytes(t *testing.T) {
	first, _, err := render.All(shipped(t, nil))
	require.NoError(t, err)
	for range 5 {
		again, _, err := render.All(shipped(t, func(p *load.Project) { slices.Reverse(p.Packages) }))
		require.NoError(t, err)
		require.Len(t, again, len(first))
		for path, data := range first {
			require.Equal(t, string(data), string(again[path]), path)
		}
	}
}

// I1 over several packages: the order in which they are found does not matter.
func TestSameBytesOfPackages(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	write("go.mod", "module example.com/many\n")
	for _, p := range []string{"a", "b", "c"} {
		write("spec/"+p+"/tools.cue", "package "+p+"\n\nimport \"github.com/toolgen-dev/toolgen/spec/toolspec\"\n\ntools: toolspec.#Tools\ntools: "+
			p+"_tool: {description: \"D.\", params: {z: {type: int, doc: \"Z.\"}, y: {type: [string]: int, doc: \"Y.\"}}, sections: s: {order: 100, text: \"S.\"}}\n")
	}
	bytesOf := func(reverse bool) map[string][]byte {
		p, err := load.OpenProject(root)
		require.NoError(t, err)
		require.Len(t, p.Packages, 3)
		if reverse {
			slices.Reverse(p.Packages)
		}
		b := &build{project: p}
		require.NoError(t, b.evaluate(load.Bounds{}))
		require.Empty(t, b.findings)
		files, _, err := render.All(b.model)
		require.NoError(t, err)
		return files
	}
	require.Equal(t, bytesOf(false), bytesOf(true))
}

// I3: the default in the schema and in the text is one value; tests/agents shows that the decoder applies it.
func TestOneDefault(t *testing.T) {
	claim := regexp.MustCompile("Defaults to `?([^`.:]+)`?[.:]")
	m := shipped(t, nil)
	cat, err := catalog.Of(m)
	require.NoError(t, err)
	claims := 0
	for i, tool := range m.Packages[0].Tools {
		for k, v := range tool.Variants {
			var schema struct {
				Properties map[string]struct {
					Description string
					Default     json.RawMessage
				}
			}
			require.NoError(t, json.Unmarshal(cat.Tools[i].Variants[k].Parameters, &schema))
			require.Len(t, schema.Properties, len(v.Params))
			for _, p := range v.Params {
				have := schema.Properties[p.Name]
				require.Equal(t, string(p.Default), string(have.Default), "%s.%s", tool.Name, p.Name)
				if c := claim.FindStringSubmatch(have.Description); c != nil {
					claims++
					require.Equal(t, strings.Trim(string(p.Default), `"`), c[1], "%s.%s", tool.Name, p.Name)
				}
			}
		}
	}
	require.Positive(t, claims)
}

// I9: the catalog never carries a result schema: neither a result's name nor a field of one, and the published schema
// has no place for them.
func TestCatalogHasNoResults(t *testing.T) {
	m := shipped(t, nil)
	files, _, err := render.All(m)
	require.NoError(t, err)
	var keys func(v any, out map[string]bool)
	keys = func(v any, out map[string]bool) {
		switch v := v.(type) {
		case map[string]any:
			for k, x := range v {
				if k == "parameters" {
					continue // what a model is given; a parameter may have any name
				}
				out[k] = true
				keys(x, out)
			}
		case []any:
			for _, x := range v {
				keys(x, out)
			}
		}
	}
	for _, file := range []string{"catalog/catalog.json", "catalog/sections.json"} {
		var doc any
		require.NoError(t, json.Unmarshal(files[file], &doc))
		have := map[string]bool{}
		keys(doc, have)
		for _, word := range []string{"results", "result", "outputSchema", "output_schema", "render", "fields", "notices", "returns"} {
			require.False(t, have[word], "%s has a member %s", file, word)
		}
	}
	for _, tool := range m.Packages[0].Tools {
		for _, r := range tool.Results {
			for _, file := range []string{"catalog/catalog.json", "catalog/sections.json", "catalog/CATALOG.md"} {
				require.NotContains(t, string(files[file]), r.Render, "%s shows the text of the result %s", file, r.Name)
			}
			require.Contains(t, string(files["gen/contracts.json"]), `"name": "`+r.Name+`"`, "results live in the model")
		}
	}
}
