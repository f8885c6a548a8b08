package texts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// source is what the page is made from.
type source struct {
	tools    []*shownTool
	sections []*section
	notices  []*message
}

// shownTool is a tool of the catalog, with the results that its contract declares.
type shownTool struct {
	Name, Title string
	Variants    []*variant

	options []string     // the finite options, in order
	choices []choice     // all that can be chosen, the defaults first
	results []*oneResult // in the order of the contract
}

// choice is the values of the finite options.
type choice = map[string]string

// variant is one contract of a tool, and every choice that selects it.
type variant struct {
	Options           []choice
	Name, Description string
	Parameters        json.RawMessage
}

type section struct {
	ID, Tool, Text string
	Order          json.Number
	Options        []choice
}

// message is a text that the runtime writes: a result or a notice.
type message struct {
	Name, Render, Empty string
	List                bool
}

// oneResult is a result and the choices under which a call can return it.
type oneResult struct {
	message
	under []choice
}

// contracts is gen/contracts.json.
type contracts struct {
	Packages []struct {
		Tools []struct {
			Name         string
			Options      []struct{ Name, Kind string }
			Results      []message
			Variants     []struct{ Results []string }
			Combinations []struct {
				Select   []string
				Variant  int
				Rejected string
			}
		}
		Notices []*message
	}
}

// read reads the generated files of a repository.
func read(root string) (*source, error) {
	var catalog struct{ Tools []*shownTool }
	var sections struct{ Sections []*section }
	var model contracts
	for name, to := range map[string]any{"catalog/catalog.json": &catalog, "catalog/sections.json": &sections, "gen/contracts.json": &model} {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err == nil {
			err = json.Unmarshal(data, to)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	s := &source{tools: catalog.Tools, sections: sections.Sections}
	for _, p := range model.Packages {
		s.notices = append(s.notices, p.Notices...)
		for _, c := range p.Tools {
			i := slices.IndexFunc(s.tools, func(t *shownTool) bool { return t.Name == c.Name })
			if i < 0 {
				return nil, fmt.Errorf("the catalog has no %s", c.Name)
			}
			t := s.tools[i]
			for _, o := range c.Options {
				if o.Kind != "open" {
					t.options = append(t.options, o.Name)
				}
			}
			for _, r := range c.Results {
				t.results = append(t.results, &oneResult{message: r})
			}
			for _, of := range c.Combinations {
				if of.Rejected != "" {
					continue
				}
				chosen := choice{}
				for k, name := range t.options {
					chosen[name] = of.Select[k]
				}
				t.choices = append(t.choices, chosen)
				for _, r := range t.results {
					if slices.Contains(c.Variants[of.Variant].Results, r.Name) {
						r.under = append(r.under, chosen)
					}
				}
			}
		}
	}
	for _, t := range s.tools {
		if t.choices == nil {
			return nil, fmt.Errorf("no contract has the catalog's %s", t.Name)
		}
	}
	return s, nil
}

// under reports whether a choice is among those.
func under(all []choice, chosen choice) bool {
	return slices.ContainsFunc(all, func(c choice) bool { return maps.Equal(c, chosen) })
}

// variant is the tool's variant under a choice.
func (t *shownTool) variant(chosen choice) (*variant, error) {
	for _, v := range t.Variants {
		if under(v.Options, chosen) {
			return v, nil
		}
	}
	return nil, fmt.Errorf("%s has no variant under %v", t.Name, chosen)
}

// compact is the parameters as a provider is given them.
func (v *variant) compact() (string, error) {
	var b bytes.Buffer
	err := json.Compact(&b, v.Parameters)
	return b.String(), err
}
