// Package render runs the renderers: pure functions from a model to files in memory.
//
// [All] gives every output of a project but its lock. Each renderer is a package of its own below this one, so that
// what it may import stays visible: gotypes (Go), jsonschema (parameters), catalog (catalog.json, CATALOG.md,
// sections.json).
package render

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/render/catalog"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/render/gotypes"
)

// All renders a valid model. An error is a fault of toolgen, or a type that Go cannot have yet.
func All(m *contract.Model) (map[string][]byte, error) {
	out, err := gotypes.Render(m)
	if err != nil {
		return nil, err
	}
	dump, err := Contracts(m)
	if err != nil {
		return nil, err
	}
	out["gen/contracts.json"] = dump
	cat, err := catalog.Render(m)
	if err != nil {
		return nil, err
	}
	maps.Copy(out, cat)
	return out, nil
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
