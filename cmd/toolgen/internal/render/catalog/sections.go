package catalog

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
)

// Sections is the content of sections.json.
type Sections struct {
	Generator string     `json:"generator"`
	Format    int        `json:"format"`
	Sections  []*Section `json:"sections"` // by order, then in source order
}

// Section is one text of a section, with the choices of options under which it is shown.
type Section struct {
	ID         string        `json:"id"` // tool:<mounted name>, further sections of one tool with /<label>
	Tool       string        `json:"tool"`
	Order      json.Number   `json:"order"`
	Options    []Choice      `json:"options"`
	Text       string        `json:"text"`
	References []string      `json:"references"` // other tools that must be visible for it to be shown, by mounted name
	Segments   contract.Text `json:"segments"`
}

func sectionsOf(m *contract.Model) *Sections {
	names := Names(m)
	out := &Sections{Generator: "toolgen", Format: Format, Sections: []*Section{}}
	for _, p := range m.Packages {
		for _, t := range p.Tools {
			var own []*Section
			for i, v := range t.Variants {
				for _, s := range v.Sections {
					sec := &Section{ID: "tool:" + t.Mounted(), Tool: t.Mounted(), Order: s.Order, Options: Choices(t, i),
						Text: s.Text.Render(names), References: []string{}, Segments: s.Text}
					if s.Label != t.MainSection() {
						sec.ID += "/" + s.Label
					}
					for _, r := range s.Text.Refs() {
						if n := names(r.Tool); r.Tool != "" && r.Tool != t.Name && !slices.Contains(sec.References, n) {
							sec.References = append(sec.References, n)
						}
					}
					same := slices.IndexFunc(own, func(o *Section) bool { return o.ID == sec.ID && o.Text == sec.Text && o.Order == sec.Order })
					if same >= 0 {
						own[same].Options = append(own[same].Options, sec.Options...)
						continue
					}
					own = append(own, sec)
				}
			}
			out.Sections = append(out.Sections, own...)
		}
	}
	slices.SortStableFunc(out.Sections, func(a, b *Section) int { return cmp.Compare(number(a.Order), number(b.Order)) })
	return out
}

func number(n json.Number) float64 {
	f, err := n.Float64()
	if err != nil {
		return 0 // CUE has made sure that it is one
	}
	return f
}
