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
)

// All renders a valid model, and returns the catalog beside the files for whoever records its digests. An error is a fault
// of toolgen, or a type that Go cannot have yet.
func All(m *contract.Model) (map[string][]byte, *catalog.Catalog, error) {
	var (
		cat           *catalog.Catalog
		dump          []byte
		files         map[string][]byte
		dumpErr, fErr error
	)
	var wg sync.WaitGroup
	wg.Go(func() {
		dump, dumpErr = Contracts(m)
		files, cat, fErr = catalog.Render(m)
	})
	out, err := gotypes.Render(m)
	wg.Wait()
	if err := errors.Join(err, dumpErr, fErr); err != nil {
		return nil, nil, err
	}
	out["gen/contracts.json"] = dump
	maps.Copy(out, files)
	return out, cat, nil
}

// Contracts renders gen/contracts.json: the model itself.
func Contracts(m *contract.Model) ([]byte, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "\t")
	err := e.Encode(struct {
		Generator string `json:"generator"`
		*contract.Model
	}{"toolgen", m})
	if err != nil {
		return nil, fmt.Errorf("gen/contracts.json: %w", err)
	}
	return []byte(b.String()), nil
}
