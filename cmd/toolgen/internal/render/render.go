// Package render runs the renderers: pure functions from a model to files in memory.
//
// [All] gives every output of a project but its lock. Each renderer is a package of its own below this one, so that
// what it may import stays visible: gotypes (Go), jsonschema (parameters), catalog (catalog.json, CATALOG.md,
// sections.json).
package render

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/render/catalog"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/render/gotypes"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/render/jsonschema"
)

// All renders a valid model, and returns the catalog beside the files for whoever records its digests. An error is a fault
// of toolgen, or a type that Go cannot have yet.
func All(m *contract.Model) (map[string][]byte, *catalog.Catalog, error) {
	var (
		cat           *catalog.Catalog
		model         []byte
		files         map[string][]byte
		dumpErr, fErr error
	)
	var wg sync.WaitGroup
	wg.Go(func() {
		model, dumpErr = Contracts(m)
		files, cat, fErr = catalog.Render(m)
	})
	out, err := gotypes.Render(m)
	wg.Wait()
	if err := errors.Join(err, dumpErr, fErr); err != nil {
		return nil, nil, err
	}
	out["gen/contracts.json"] = model
	maps.Copy(out, files)
	return out, cat, nil
}

// Contracts renders gen/contracts.json: the model itself, and beside each variant's parameters their JSON Schema as it is
// shown to models, so that a runtime that loads the file has no renderer of its own.
func Contracts(m *contract.Model) ([]byte, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "\t")
	if err := e.Encode(dumpOf(m)); err != nil {
		return nil, fmt.Errorf("gen/contracts.json: %w", err)
	}
	return []byte(b.String()), nil
}

// dump is the model with what it does not hold itself. A field of an outer struct stands in for the embedded one of the
// same name.
type dump struct {
	Generator string `json:"generator"`
	*contract.Model
	Packages []dumpPackage `json:"packages"`
}

type dumpPackage struct {
	*contract.Package
	Tools []dumpTool `json:"tools,omitempty"`
}

type dumpTool struct {
	*contract.Tool
	Variants []dumpVariant `json:"variants"`
}

type dumpVariant struct {
	*contract.Variant
	Schema contract.Text `json:"schema"`
}

func dumpOf(m *contract.Model) dump {
	d := dump{Generator: "toolgen", Model: m, Packages: make([]dumpPackage, len(m.Packages))}
	for i, p := range m.Packages {
		defs := m.Defs(p)
		d.Packages[i] = dumpPackage{p, make([]dumpTool, len(p.Tools))}
		for j, t := range p.Tools {
			tool := dumpTool{t, make([]dumpVariant, len(t.Variants))}
			for k, v := range t.Variants {
				tool.Variants[k] = dumpVariant{v, jsonschema.Parameters(v, defs)}
			}
			d.Packages[i].Tools[j] = tool
		}
	}
	return d
}
