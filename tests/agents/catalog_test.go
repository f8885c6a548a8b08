package agents

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shownVariant is a variant in the catalog; the same contract may come of several choices of the options.
type shownVariant struct {
	Options           []map[string]string
	Name, Description string
	Parameters        json.RawMessage
}

type shownSection struct {
	ID, Tool, Text string
	Options        []map[string]string
}

func readCatalog(t *testing.T, name string, to any) {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("..", "..", "catalog", name))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(src, to))
}

// What the catalog shows of each variant, and of the sections, is what scopes show.
func TestCatalogIsWhatScopesShow(t *testing.T) {
	var catalog struct {
		Tools []struct {
			Name     string
			Variants []shownVariant
		}
	}
	var sections struct{ Sections []shownSection }
	readCatalog(t, "catalog.json", &catalog)
	readCatalog(t, "sections.json", &sections)
	for _, a := range assemblies(t) {
		scope, err := a.mount(t, plainly).Scope()
		require.NoError(t, err)
		require.Len(t, catalog.Tools, len(a.tools))
		chosen := func(tool string, under []map[string]string) bool {
			return slices.ContainsFunc(under, func(o map[string]string) bool { return maps.Equal(o, a.options[tool]) })
		}
		for _, c := range catalog.Tools {
			i := slices.IndexFunc(c.Variants, func(v shownVariant) bool { return chosen(c.Name, v.Options) })
			require.GreaterOrEqual(t, i, 0, "%s %v", c.Name, a.options[c.Name])
			d := definition(t, scope, c.Variants[i].Name)
			require.Equal(t, c.Variants[i].Description, d.Description)
			var parameters bytes.Buffer
			require.NoError(t, json.Compact(&parameters, c.Variants[i].Parameters))
			require.Equal(t, parameters.String(), string(d.Parameters))
		}
		var prompt []string
		for _, s := range sections.Sections {
			if chosen(s.Tool, s.Options) {
				prompt = append(prompt, s.Text)
			}
		}
		require.Equal(t, strings.Join(prompt, "\n\n"), scope.Prompt())
	}
}
