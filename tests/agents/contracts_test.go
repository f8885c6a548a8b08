package agents

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The model as gen/contracts.json has it, as far as texts are concerned.
type (
	model struct {
		Packages []struct {
			Tools   []*contract
			Notices []*message
			Enums   []struct {
				Name   string
				Values []struct{ Word string }
			}
		}
	}
	contract struct {
		Name     string
		Options  []struct{ Name, Kind string }
		Results  []*message
		Variants []*variant

		Combinations []*combination
	}
	combination struct {
		Select  []string // the values of the finite options, in their order
		Variant int
	}
	variant struct {
		Clauses  []*clause
		Params   []*param
		Sections []*section
		Results  []string
	}
	clause struct {
		ID   string
		Text text
	}
	param struct {
		Name string
		Doc  text
		Type json.RawMessage
	}
	section struct {
		Label string
		Text  text
	}
	message struct {
		Name, Render, Empty string
		List                bool // has a text for an empty list
		Fields              json.RawMessage
	}
)

// text is literals and references, in order; no literal follows another one.
type text []segment

func (t *text) UnmarshalJSON(src []byte) error {
	var all []segment
	if err := json.Unmarshal(src, &all); err != nil {
		return err
	}
	*t = nil
	for _, s := range all {
		if last := len(*t) - 1; s.lit != "" && last >= 0 && (*t)[last].lit != "" {
			(*t)[last].lit += s.lit // such as a default within a sentence
		} else {
			*t = append(*t, s)
		}
	}
	return nil
}

// segment is a literal, or a reference to a tool, to a parameter of a tool, or to a word of an enum.
type segment struct{ lit, tool, param, enum, word string }

func (s *segment) UnmarshalJSON(src []byte) error {
	if src[0] == '"' {
		return json.Unmarshal(src, &s.lit)
	}
	var ref struct{ Tool, Param, Enum, Word string }
	err := json.Unmarshal(src, &ref)
	*s = segment{tool: ref.Tool, param: ref.Param, enum: ref.Enum, word: ref.Word}
	return err
}

// shown is the text as a model reads it where nothing is renamed.
func (t text) shown() string {
	var b strings.Builder
	for _, s := range t {
		switch {
		case s.param != "":
			b.WriteString(s.param)
		case s.tool != "":
			b.WriteString(s.tool)
		case s.enum != "":
			b.WriteString(s.word)
		default:
			b.WriteString(s.lit)
		}
	}
	return b.String()
}

// action is an action of a result's or a notice's template.
var action = regexp.MustCompile(`\{\{[^}]*\}\}`)

// readModel reads the contracts anew, so that a test may change what it gets.
func readModel(t testing.TB) *model {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("..", "..", "gen", "contracts.json"))
	require.NoError(t, err)
	m := &model{}
	require.NoError(t, json.Unmarshal(src, m))
	require.Len(t, m.Packages, 1)
	return m
}

func (m *model) tools() []*contract { return m.Packages[0].Tools }

func (m *model) notices() []*message { return m.Packages[0].Notices }

// words are the words of an enum, by its label.
func (m *model) words(enum string) []string {
	var out []string
	for _, e := range m.Packages[0].Enums {
		if e.Name == enum {
			for _, v := range e.Values {
				out = append(out, v.Word)
			}
		}
	}
	return out
}

// options says what a combination chooses, as name=value.
func (c *contract) options(of *combination) map[string]string {
	out := map[string]string{}
	for _, o := range c.Options {
		if o.Kind != "open" {
			out[o.Name] = of.Select[len(out)]
		}
	}
	return out
}

// result is the contract's result of that name.
func (c *contract) result(name string) *message {
	for _, r := range c.Results {
		if r.Name == name {
			return r
		}
	}
	return &message{Name: name}
}
