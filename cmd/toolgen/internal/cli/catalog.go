package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/render/catalog"
)

// canonical is the one dialect so far: name, description and parameters as the spec means them.
const canonical = "canonical"

func (a *app) catalog() *cobra.Command {
	var (
		dialect string
		set     []string
	)
	c := &cobra.Command{
		Use:   "catalog [tool...]",
		Short: "Print the tools as a model is given them, each under the defaults of its options",
		Long: "Prints a JSON array with the name, the description and the parameters of each tool, under the defaults of its\n" +
			"options unless --set says otherwise. Nothing is written.",
		RunE: func(_ *cobra.Command, args []string) error {
			if dialect != canonical {
				return fmt.Errorf("there is no dialect %q; it is %s", dialect, canonical)
			}
			b, err := a.open()
			if err != nil {
				return err
			}
			if err := b.evaluate(a.bounds()); err != nil {
				return err
			}
			if len(b.findings) > 0 {
				return a.report(b.findings)
			}
			out, err := pick(b.model, args, set)
			if err != nil {
				return err
			}
			e := json.NewEncoder(a.env.Stdout)
			e.SetEscapeHTML(false)
			e.SetIndent("", "\t")
			return e.Encode(out)
		},
	}
	c.Flags().StringVar(&dialect, "for", canonical, "the dialect to print")
	c.Flags().StringArrayVar(&set, "set", nil, "choose an option, as tool.option=value; may be repeated")
	a.formatFlag(c)
	a.boundFlags(c)
	return c
}

// definition is a tool in its canonical form.
type definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// pick selects tools and their variants.
func pick(m *contract.Model, names, set []string) ([]definition, error) {
	cat, err := catalog.Of(m)
	if err != nil {
		return nil, err
	}
	choices, err := parseSet(m, set)
	if err != nil {
		return nil, err
	}
	out := []definition{}
	found := map[string]bool{}
	i := 0
	for _, p := range m.Packages {
		for _, t := range p.Tools {
			ct := cat.Tools[i]
			i++
			if len(names) > 0 && !slices.Contains(names, ct.Name) && !slices.Contains(names, t.Name) {
				continue
			}
			found[ct.Name], found[t.Name] = true, true
			choice := t.Choice(0)
			for k, o := range t.Finite() {
				if v, ok := choices[t.Name+"."+o.Name]; ok {
					choice[k] = v
				}
			}
			combo := t.Combinations[t.Index(choice)]
			if combo.Variant < 0 {
				return nil, fmt.Errorf("%s rejects these options: %s", t.Name, combo.Rejected)
			}
			v := ct.Variants[combo.Variant]
			out = append(out, definition{v.Name, v.Description, v.Parameters})
		}
	}
	for _, n := range names {
		if !found[n] {
			return nil, noTool(m, n)
		}
	}
	return out, nil
}

// parseSet reads tool.option=value choices.
func parseSet(m *contract.Model, set []string) (map[string]string, error) {
	out := map[string]string{}
	for _, s := range set {
		key, value, ok := strings.Cut(s, "=")
		name, option, dotted := strings.Cut(key, ".")
		if !ok || !dotted {
			return nil, fmt.Errorf("--set %s: write tool.option=value", s)
		}
		o, err := finiteOption(m, name, option)
		if err != nil {
			return nil, fmt.Errorf("--set %s: %w", s, err)
		}
		if !slices.Contains(o.Values, value) {
			return nil, fmt.Errorf("--set %s: the values of %s are %s", s, option, strings.Join(o.Values, ", "))
		}
		out[key] = value
	}
	return out, nil
}

func finiteOption(m *contract.Model, tool, option string) (*contract.Option, error) {
	for _, p := range m.Packages {
		for _, t := range p.Tools {
			if t.Name != tool {
				continue
			}
			for _, o := range t.Finite() {
				if o.Name == option {
					return o, nil
				}
			}
			var names []string
			for _, o := range t.Finite() {
				names = append(names, o.Name)
			}
			return nil, fmt.Errorf("%s has no finite option %s%s", tool, option, suggest(option, names))
		}
	}
	return nil, noTool(m, tool)
}

// noTool says that there is no such tool, and which one may be meant.
func noTool(m *contract.Model, name string) error {
	var names []string
	for _, p := range m.Packages {
		for _, t := range p.Tools {
			names = append(names, t.Name)
			if t.Mounted() != t.Name {
				names = append(names, t.Mounted())
			}
		}
	}
	return fmt.Errorf("there is no tool %q%s", name, suggest(name, names))
}

// suggest names the nearest of what there is, or all of it where that is short.
func suggest(name string, among []string) string {
	const short = 20
	if near, ok := diag.Nearest(name, among); ok {
		return "; did you mean " + near + "?"
	}
	if len(among) == 0 || len(among) > short {
		return ""
	}
	return "; there is " + strings.Join(among, ", ")
}
