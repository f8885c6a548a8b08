// Package catalog renders what a harness in any language reads: catalog.json (each tool's name, description and
// parameters per distinct variant, with the options that select it and two digests), sections.json (the tools' pieces of
// system prompt) and CATALOG.md (both, for people). It carries parameters only, never a result's schema.
package catalog

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/render/jsonschema"
)

// Format is the revision of catalog.json and sections.json.
const Format = 1

//go:embed catalog.schema.json
var schemaFile []byte

// Catalog is the content of catalog.json.
type Catalog struct {
	Schema    string  `json:"$schema"`
	Generator string  `json:"generator"`
	Format    int     `json:"format"`
	Tools     []*Tool `json:"tools"`
}

// Tool is one tool with its distinct contracts.
type Tool struct {
	Name     string     `json:"name"` // as mounted unless a deployment renames it
	Package  string     `json:"package"`
	Title    string     `json:"title,omitempty"`
	Variants []*Variant `json:"variants"`
}

// Variant is what a model is given under some choices of the options.
type Variant struct {
	Options     []Choice        `json:"options"` // every choice of the finite options that selects it
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Digests     Digests         `json:"digests"`
}

// Digests identify a contract: by meaning, and by bytes (order included, which is what a prompt cache sees).
type Digests struct {
	Meaning string `json:"meaning"`
	Bytes   string `json:"bytes"`
}

// Choice is a value per finite option. Its JSON form is an object in option order.
type Choice []contract.OptionValue

// MarshalJSON keeps the order of the options.
func (c Choice) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, o := range c {
		if i > 0 {
			b.WriteByte(',')
		}
		k, err := json.Marshal(o.Name)
		if err != nil {
			return nil, err
		}
		v, err := json.Marshal(o.Value)
		if err != nil {
			return nil, err
		}
		b.Write(k)
		b.WriteByte(':')
		b.Write(v)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

// String gives name=value pairs, or "default" where there is nothing to choose.
func (c Choice) String() string {
	if len(c) == 0 {
		return "default"
	}
	parts := make([]string, len(c))
	for i, o := range c {
		parts[i] = o.Name + "=" + o.Value
	}
	return strings.Join(parts, ",")
}

// Names returns the function that gives a label's mounted name.
func Names(m *contract.Model) contract.Names {
	names := map[string]string{}
	for _, list := range [][]*contract.Package{m.External, m.Packages} {
		for _, p := range list {
			for _, t := range p.Tools {
				names[t.Name] = t.Mounted()
			}
		}
	}
	return func(label string) string {
		if n, ok := names[label]; ok {
			return n
		}
		return label
	}
}

// Of makes the catalog of a model: packages and tools in order, variants in the order of the first choice that selects
// each.
func Of(m *contract.Model) (*Catalog, error) {
	names := Names(m)
	out := &Catalog{Schema: "./catalog.schema.json", Generator: "toolgen", Format: Format, Tools: []*Tool{}}
	for _, p := range m.Packages {
		for _, t := range p.Tools {
			ct := &Tool{Name: t.Mounted(), Package: p.Path, Title: t.Title}
			for i, v := range t.Variants {
				cv := &Variant{Options: Choices(t, i), Name: t.Mounted(), Description: v.Description().Render(names),
					Parameters: json.RawMessage(jsonschema.Parameters(v, m.Defs(p)).Render(names))}
				var err error
				if cv.Digests.Meaning, err = contract.MeaningDigest(cv.Name, cv.Description, cv.Parameters); err != nil {
					return nil, fmt.Errorf("%s: %w", t.Name, err)
				}
				cv.Digests.Bytes = contract.BytesDigest(cv.Name, cv.Description, cv.Parameters)
				ct.Variants = append(ct.Variants, cv)
			}
			out.Tools = append(out.Tools, ct)
		}
	}
	return out, nil
}

// Choices lists the choices of the finite options that select a variant.
func Choices(t *contract.Tool, variant int) []Choice {
	out := []Choice{}
	for _, c := range t.Combinations {
		if c.Variant != variant {
			continue
		}
		choice := Choice{}
		for k, o := range t.Finite() {
			choice = append(choice, contract.OptionValue{Name: o.Name, Value: c.Select[k]})
		}
		out = append(out, choice)
	}
	return out
}

// Render returns the files of the catalog by path, and the catalog itself.
func Render(m *contract.Model) (map[string][]byte, *Catalog, error) {
	cat, err := Of(m)
	if err != nil {
		return nil, nil, err
	}
	out := map[string][]byte{"catalog/catalog.schema.json": schemaFile}
	if out["catalog/catalog.json"], err = encode(cat); err != nil {
		return nil, nil, err
	}
	sections := sectionsOf(m)
	if out["catalog/sections.json"], err = encode(sections); err != nil {
		return nil, nil, err
	}
	out["catalog/CATALOG.md"] = markdown(m, cat, sections)
	return out, cat, nil
}

func encode(v any) ([]byte, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "\t")
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	return []byte(b.String()), nil
}
