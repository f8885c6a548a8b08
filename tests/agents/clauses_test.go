package agents

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// place is one text of the contracts and what a test can do to it.
type place struct {
	at     string
	text   *text   // prose with references
	render *string // or a template
	remove func()
}

// places are the texts of a variant, those of its results included.
func (c *contract) places(v *variant) []place {
	var out []place
	for i, x := range v.Clauses {
		at := "clause " + x.ID
		if x.ID == "" {
			at = "description"
		}
		out = append(out, place{at: at, text: &x.Text, remove: func() { v.Clauses = slices.Delete(v.Clauses, i, i+1) }})
	}
	for i, p := range v.Params {
		out = append(out, place{at: "doc " + p.Name, text: &p.Doc, remove: func() { v.Params = slices.Delete(v.Params, i, i+1) }})
		if bytes.Contains(p.Type, []byte(`"doc"`)) {
			out = append(out, place{at: "docs inside of " + p.Name, text: &text{}})
		}
	}
	for i, s := range v.Sections {
		out = append(out, place{at: "section " + s.Label, text: &s.Text, remove: func() { v.Sections = slices.Delete(v.Sections, i, i+1) }})
	}
	for i, name := range v.Results {
		r := c.result(name)
		out = append(out, place{at: "result " + name, render: &r.Render, remove: func() { v.Results = slices.Delete(v.Results, i, i+1) }})
		if r.List {
			out = append(out, place{at: "result " + name + ", empty", render: &r.Empty, remove: func() { r.List = false }})
		}
	}
	return out
}

// noticePlaces are the texts of the notices.
func (m *model) noticePlaces() []place {
	p := &m.Packages[0]
	var out []place
	for i, n := range p.Notices {
		out = append(out, place{at: "notice " + n.Name, render: &n.Render, remove: func() { p.Notices = slices.Delete(p.Notices, i, i+1) }})
	}
	return out
}

// field is a field in an action of a template.
var field = regexp.MustCompile(`\.[a-z_]+`)

// says is what a place refers to, sorted and each once, and its text as a model reads it; of a template what stands
// outside of its actions.
func (p place) says() (refs []string, plain string) {
	if p.render != nil {
		for _, a := range action.FindAllString(*p.render, -1) {
			refs = append(refs, field.FindAllString(a, -1)...)
		}
		return distinct(refs), action.ReplaceAllString(*p.render, "")
	}
	for _, s := range *p.text {
		switch {
		case s.param != "":
			refs = append(refs, s.tool+"."+s.param)
		case s.tool != "":
			refs = append(refs, s.tool)
		case s.enum != "":
			refs = append(refs, s.enum+":"+s.word)
		}
	}
	return distinct(refs), p.text.shown()
}

func distinct(all []string) []string {
	all = slices.Clone(all)
	slices.Sort(all)
	return slices.Compact(all)
}

// faults holds every text of the model against its pin.
func (m *model) faults(table map[string][]pin) []string {
	var out []string
	used := map[string]bool{}
	compare := func(who string, owner string, options map[string]string, places []place) {
		want := map[string]pin{}
		for i, p := range table[owner] {
			if p.stands(options) {
				want[p.at] = p
				used[fmt.Sprint(owner, i)] = true
			}
		}
		for _, have := range places {
			p, ok := want[have.at]
			if !ok {
				out = append(out, who+have.at+" is not pinned, or twice there")
				continue
			}
			delete(want, have.at)
			refs, plain := have.says()
			if !slices.Equal(refs, distinct(p.refs)) {
				out = append(out, fmt.Sprintf("%s%s refers to %q, not to %q", who, have.at, refs, distinct(p.refs)))
			}
			for _, w := range p.words {
				if !strings.Contains(strings.ToLower(plain), strings.ToLower(w)) {
					out = append(out, fmt.Sprintf("%s%s does not say %q: %s", who, have.at, w, plain))
				}
			}
		}
		for _, at := range slices.Sorted(maps.Keys(want)) {
			out = append(out, who+at+" is missing")
		}
	}
	for _, c := range m.tools() {
		for _, of := range c.Combinations {
			v := c.Variants[of.Variant]
			compare(c.Name+strings.Join(of.Select, ",")+": ", c.Name, c.options(of), c.places(v))
		}
	}
	compare("", "", nil, m.noticePlaces())
	for _, owner := range slices.Sorted(maps.Keys(table)) {
		for i, p := range table[owner] {
			if !used[fmt.Sprint(owner, i)] {
				out = append(out, owner+": the pin of "+p.at+" stands for nothing")
			}
			if len(p.refs)+len(p.words) == 0 {
				out = append(out, owner+": the pin of "+p.at+" demands nothing")
			}
		}
	}
	return out
}

// Every text that the shipped contracts show a model says what it has to, under every choice of the options.
func TestClauses(t *testing.T) {
	require.Empty(t, readModel(t).faults(pins))
}

// What is removed, emptied or misdirected, in any variant, and each word taken out, is a fault that names the text.
func TestClausesCanFail(t *testing.T) {
	// at gives the places of one variant of a model that was just read; the last index is that of the notices.
	type visit struct{ tool, variant int }
	at := func(m *model, v visit) []place {
		if v.tool == len(m.tools()) {
			return m.noticePlaces()
		}
		c := m.tools()[v.tool]
		return c.places(c.Variants[v.variant])
	}
	first := readModel(t)
	visits := []visit{{tool: len(first.tools())}}
	for i, c := range first.tools() {
		for k := range c.Variants {
			visits = append(visits, visit{i, k})
		}
	}
	refused := 0
	for _, v := range visits {
		for i, original := range at(first, v) {
			refuse := func(fault string, change func(m *model, p place)) {
				t.Helper()
				m := readModel(t)
				change(m, at(m, v)[i])
				faults := m.faults(pins)
				require.True(t, slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, original.at+" "+fault) }),
					"%s of %v: no %q among %q", original.at, v, fault, faults)
				refused++
			}
			refuse("is missing", func(_ *model, p place) { p.remove() })
			refs, _ := original.says()
			for _, ref := range refs {
				refuse("refers to", func(m *model, p place) { p.misdirect(m, ref) })
				refuse("refers to []", func(_ *model, p place) { p.empty() })
			}
			for _, w := range pinOf(t, first, v.tool, v.variant, original.at).words {
				says := fmt.Sprintf("does not say %q", w)
				refuse(says, func(_ *model, p place) { p.empty() })
				refuse(says, func(_ *model, p place) { p.cut(w) })
			}
		}
	}
	require.Greater(t, refused, 400, "the walk met the texts")
}

// A text that has no pin, a pin that has no text, texts that were exchanged, and a choice of the options that leads to
// another variant are faults.
func TestClausesAreComplete(t *testing.T) {
	m := readModel(t)
	v := m.tools()[0].Variants[0]
	v.Clauses = append(v.Clauses, &clause{ID: "new", Text: text{{lit: "New."}}})
	require.Equal(t, []string{"list_agents: clause new is not pinned, or twice there"}, m.faults(pins))

	m = readModel(t)
	v = m.tools()[0].Variants[0]
	v.Clauses = append(v.Clauses, v.Clauses[0])
	require.Equal(t, []string{"list_agents: clause purpose is not pinned, or twice there"}, m.faults(pins))

	m = readModel(t)
	m.tools()[0].Variants[0].Params[0].Type = []byte(`{"kind":"object","fields":[{"name":"x","doc":["X."]}]}`)
	require.Equal(t, []string{"list_agents: docs inside of scope is not pinned, or twice there"}, m.faults(pins))

	table := maps.Clone(pins)
	table["job_list"] = append(slices.Clone(table["job_list"]), pin{at: "clause x", when: []string{"x=y"}, words: []string{"x"}}, pin{at: "clause y"})
	require.Equal(t, []string{"job_list: clause y is missing", "job_list: the pin of clause x stands for nothing",
		"job_list: the pin of clause y demands nothing"}, readModel(t).faults(table))

	for i, c := range readModel(t).tools() {
		for k := range c.Combinations {
			for other := range c.Variants {
				m := readModel(t)
				if of := m.tools()[i].Combinations[k]; of.Variant != other {
					of.Variant = other
					require.NotEmpty(t, m.faults(pins), "%s %v as variant %d", c.Name, of.Select, other)
				}
			}
		}
		for k, x := range c.Variants {
			for j := 1; j < len(x.Clauses); j++ {
				m := readModel(t)
				clauses := m.tools()[i].Variants[k].Clauses
				clauses[j-1].Text, clauses[j].Text = clauses[j].Text, clauses[j-1].Text
				require.NotEmpty(t, m.faults(pins), "%s: %s and %s exchanged", c.Name, clauses[j-1].ID, clauses[j].ID)
			}
		}
	}
}

// pinOf is the pin of a place in a variant.
func pinOf(t *testing.T, m *model, tool, variant int, at string) pin {
	t.Helper()
	name, options := "", map[string]string{}
	if tool < len(m.tools()) {
		c := m.tools()[tool]
		i := slices.IndexFunc(c.Combinations, func(of *combination) bool { return of.Variant == variant })
		name, options = c.Name, c.options(c.Combinations[i])
	}
	i := slices.IndexFunc(pins[name], func(p pin) bool { return p.at == at && p.stands(options) })
	require.GreaterOrEqual(t, i, 0, at)
	return pins[name][i]
}

func (p place) empty() {
	if p.render != nil {
		*p.render = ""
		return
	}
	*p.text = nil
}

// misdirect lets one reference lead to something else of its kind.
func (p place) misdirect(m *model, ref string) {
	if p.render != nil {
		*p.render = strings.ReplaceAll(*p.render, ref, ".other")
		return
	}
	other := func(all []string, not string) string {
		return all[slices.IndexFunc(all, func(s string) bool { return s != not })]
	}
	for i, s := range *p.text {
		target := &(*p.text)[i]
		switch ref {
		case s.tool + "." + s.param:
			target.param = other([]string{"prompt", "wait"}, s.param)
		case s.tool:
			target.tool = other([]string{"send_message", "list_agents"}, s.tool)
		case s.enum + ":" + s.word:
			target.word = other(m.words(s.enum), s.word)
		}
	}
}

// cut takes words out of a text, wherever they stand, and leaves its references.
func (p place) cut(words string) {
	pattern := regexp.MustCompile(`(?i)` + regexp.QuoteMeta(words))
	if p.render != nil {
		// A piece of a template may go over its actions.
		pattern = regexp.MustCompile(`(?i)` + strings.ReplaceAll(regexp.QuoteMeta(words), `\[\]`, `\[{{[^}]*}}\]`))
		*p.render = pattern.ReplaceAllStringFunc(*p.render, func(s string) string { return strings.Join(action.FindAllString(s, -1), "") })
		return
	}
	for i := range *p.text {
		(*p.text)[i].lit = pattern.ReplaceAllString((*p.text)[i].lit, "")
	}
}
