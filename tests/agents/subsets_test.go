package agents

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// assembly is the shipped tools under one choice of all their options.
type assembly struct {
	options map[string]map[string]string // by tool
	tools   []mountedTool                // in the order of the specs
}

// mountedTool is a tool in the variant that an assembly has of it.
type mountedTool struct {
	*contract
	variant *variant
}

// assemblies are the products of all choices of all tools.
func assemblies(t *testing.T) []assembly {
	t.Helper()
	out := []assembly{{options: map[string]map[string]string{}}}
	for _, c := range readModel(t).tools() {
		var next []assembly
		for _, a := range out {
			for _, of := range c.Combinations {
				options := maps.Clone(a.options)
				options[c.Name] = c.options(of)
				next = append(next, assembly{options, append(slices.Clone(a.tools), mountedTool{c, c.Variants[of.Variant]})})
			}
		}
		out = next
	}
	return out
}

// mount mounts the assembly.
func (a assembly) mount(t *testing.T, opts func(label string) []tool.MountOption) *tool.Registry {
	t.Helper()
	known := map[string][]string{"subagent": {"backgroundMode", "enableRunInBackground", "history"}, "report": {"reportDelivery"}}
	for name, options := range a.options {
		require.ElementsMatch(t, known[name], slices.Collect(maps.Keys(options)), "this test sets all options of %s", name)
	}
	s := a.options["subagent"]
	return mountChosen(t, agents.SubagentOptions{
		BackgroundMode:        agents.SubagentBackgroundMode(s["backgroundMode"]),
		EnableRunInBackground: map[string]tool.Switch{"true": tool.On, "false": tool.Off}[s["enableRunInBackground"]],
		History:               agents.SubagentHistory(s["history"]),
	}, agents.ReportOptions{ReportDelivery: agents.ReportReportDelivery(a.options["report"]["reportDelivery"])}, nil, opts)
}

func plainly(string) []tool.MountOption { return nil }

// vocabulary is what the texts of a scope may name: its tools, and by tool the parameters and the words of parameters and
// results.
type vocabulary map[string]map[string]bool

func vocabularyOf(tools []mountedTool) vocabulary {
	v := vocabulary{}
	for _, m := range tools {
		own := map[string]bool{}
		for _, p := range m.variant.Params {
			own[p.Name] = true
			addWords(own, p.Type)
		}
		for _, name := range m.variant.Results {
			addWords(own, m.result(name).Fields)
		}
		v[m.Name] = own
	}
	return v
}

// addWords adds the words of all enums in a type or a list of fields.
func addWords(to map[string]bool, src json.RawMessage) {
	for _, m := range regexp.MustCompile(`"enum":\s*(\[[^\]]*\])`).FindAllSubmatch(src, -1) {
		var words []string
		if json.Unmarshal(m[1], &words) == nil {
			for _, w := range words {
				to[w] = true
			}
		}
	}
}

var underscore = regexp.MustCompile(`\b[A-Za-z0-9]+(_[A-Za-z0-9]+)+\b`)

// named is what a text names: its code spans, and the bare words with an underscore. Other bare words are English.
func named(text string) []string {
	var out []string
	for _, span := range codeSpan.FindAllString(text, -1) {
		out = append(out, strings.Trim(span, "`"))
	}
	return append(out, underscore.FindAllString(codeSpan.ReplaceAllString(text, " "), -1)...)
}

// strangers are the names in a text that are not there: of a tool that is not in the vocabulary, of a parameter or a word
// that neither the text's own tool has nor one that the text names.
func (v vocabulary) strangers(owner, text string) []string {
	all := named(text)
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool {
		_, isTool := v[name]
		return isTool || v[owner][name] || slices.ContainsFunc(all, func(other string) bool { return v[other][name] })
	})
}

// docs are the descriptions in a JSON Schema.
func docs(t *testing.T, schema json.RawMessage) []string {
	t.Helper()
	var root any
	require.NoError(t, json.Unmarshal(schema, &root))
	var out []string
	var walk func(any)
	walk = func(x any) {
		switch x := x.(type) {
		case map[string]any:
			for k, y := range x {
				if s, ok := y.(string); ok && k == "description" {
					out = append(out, s)
				}
				walk(y)
			}
		case []any:
			for _, y := range x {
				walk(y)
			}
		}
	}
	walk(root)
	return out
}

// I4 and I5 over every subset of the shipped tools and every choice of their options: what is hidden is named nowhere and
// cannot be called, what is shown is all that does not speak of it, and what cannot stand without its needs is refused.
func TestSubsets(t *testing.T) {
	all := assemblies(t)
	require.Len(t, all, 16)
	for _, a := range all {
		reg := a.mount(t, plainly)
		for mask := range 1 << len(a.tools) {
			var visible, hidden []string
			var shown []mountedTool
			for i, m := range a.tools {
				if mask&(1<<i) != 0 {
					visible, shown = append(visible, m.Name), append(shown, m)
				} else {
					hidden = append(hidden, m.Name)
				}
			}
			scope, err := reg.Scope(tool.Allow(visible...))
			if s := a.options["subagent"]; s["backgroundMode"] == "one-shot" && s["enableRunInBackground"] == "true" &&
				slices.Contains(visible, "subagent") && slices.ContainsFunc(hidden, func(n string) bool { return strings.HasPrefix(n, "job_") }) {
				require.ErrorContains(t, err, "subagent needs job_", "%v", visible)
				continue
			}
			require.NoError(t, err, "%v", visible)
			a.checkScope(t, scope, shown, hidden)
		}
	}
}

func (a assembly) checkScope(t *testing.T, scope *tool.Scope, shown []mountedTool, hidden []string) {
	t.Helper()
	there := vocabularyOf(shown)
	where := fmt.Sprintf("%v without %v", a.options, hidden)
	require.Len(t, scope.Tools(), len(shown), where)
	sections := map[string]string{}
	for _, s := range scope.Sections() {
		sections[s.ID] = s.Text
	}
	for _, m := range shown {
		d := definition(t, scope, m.Name)
		for _, text := range append(docs(t, d.Parameters), d.Description, sections["tool:"+m.Name]) {
			require.Empty(t, there.strangers(m.Name, text), "%s, %s: %s", where, m.Name, text)
		}
		require.Equal(t, m.description(hidden), d.Description, where)
		require.Equal(t, m.section(), sections["tool:"+m.Name], where)
		delete(sections, "tool:"+m.Name)
	}
	require.Empty(t, sections, "%s: a section belongs to a visible tool", where)
	for _, h := range hidden {
		res := scope.Call(context.Background(), tool.Call{Name: h, Arguments: json.RawMessage(`{}`)})
		require.True(t, res.IsError)
		require.Contains(t, res.Text, "there is no tool")
		require.Empty(t, slices.DeleteFunc(there.strangers("", res.Text), func(s string) bool { return s == h }), "%s: %s", where, res.Text)
	}
	for _, o := range scope.Omitted() {
		require.Contains(t, hidden, strings.Split(o.Missing, ".")[0], "%+v", o)
	}
}

// description joins the clauses that refer to nothing hidden.
func (m mountedTool) description(hidden []string) string {
	var out []string
	for _, c := range m.variant.Clauses {
		if !slices.ContainsFunc(c.Text, func(s segment) bool { return slices.Contains(hidden, s.tool) }) {
			out = append(out, c.Text.shown())
		}
	}
	return strings.Join(out, " ")
}

// section is the one section of the tool, or nothing. The shipped sections stay as long as their tools do.
func (m mountedTool) section() string {
	plain := ""
	for _, s := range m.variant.Sections {
		plain += s.Text.shown()
	}
	return plain
}

// What TestSubsets looks for is found.
func TestStrangers(t *testing.T) {
	there := vocabulary{"list_agents": {"scope": true, "ready": true}, "subagent": {"prompt": true, "run_in_background": true}}
	for _, c := range []struct {
		text string
		want []string
	}{
		{"`list_agents` shows `ready`; take its `scope`.", nil},
		{"A settlement notice, a report and a job are English.", nil},
		{"`subagent` takes a `prompt` and run_in_background.", nil},
		{"The `prompt` is of a tool that this text does not name.", []string{"prompt"}},
		{"`send_message`, and send_message again.", []string{"send_message", "send_message"}},
		{"`report` is a tool in a code span.", []string{"report"}},
		{"With wait_for or `ready or not`.", []string{"ready or not", "wait_for"}},
		{"`complete` and `idle` are no words of it.", []string{"complete", "idle"}},
	} {
		require.ElementsMatch(t, c.want, there.strangers("list_agents", c.text), c.text)
	}
	require.Equal(t, []string{"ready"}, there.strangers("subagent", "`ready` and `prompt`"))

	require.Equal(t, map[string]bool{"scope": true, "children": true, "descendants": true, "running": true, "idle": true, "ready": true,
		"corrupt": true, "unsupported": true, "unavailable": true}, vocabularyOf(assemblies(t)[0].tools)["list_agents"])
	require.ElementsMatch(t, []string{"A.", "B."}, docs(t, json.RawMessage(
		`{"properties":{"description":{"type":"string","description":"A."},"x":{"items":{"anyOf":[{"description":"B."}]}}}}`)))
}

// I4 for what the runtime writes: results and notices name nothing but what their fields hold.
func TestRenderingsNameNothing(t *testing.T) {
	m := readModel(t)
	require.NotEmpty(t, m.notices())
	all := slices.Clone(m.notices())
	for _, c := range m.tools() {
		require.NotEmpty(t, c.Results, c.Name)
		all = append(all, c.Results...)
	}
	for _, r := range all {
		for _, template := range []string{r.Render, r.Empty} {
			require.Empty(t, named(action.ReplaceAllString(template, "")), "%s: %s", r.Name, template)
		}
	}
}

// Names in texts are references: when every tool has another name, every text follows, and nothing else changes.
func TestRenameAll(t *testing.T) {
	for _, a := range assemblies(t) {
		plain, err := a.mount(t, plainly).Scope()
		require.NoError(t, err)
		renamed, err := a.mount(t, func(label string) []tool.MountOption { return []tool.MountOption{tool.As("my_" + label)} }).Scope()
		require.NoError(t, err)
		for _, m := range a.tools {
			require.False(t, names(texts(renamed), m.Name), "%s in %s", m.Name, texts(renamed))
		}
		require.Equal(t, texts(plain), strings.ReplaceAll(texts(renamed), "my_", ""))
	}
}
