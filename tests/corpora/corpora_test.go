// Package corpora runs contracts that are made of bare JSON Schemas over tool definitions and calls that others wrote: the
// corpora in the folder that TOOLGEN_CORPORA names. Without it those tests say that they were left out; rows of the same
// kinds, made by hand, are tested always.
package corpora

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/contracts"
	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// variable names the folder of the corpora.
const variable = "TOOLGEN_CORPORA"

// toolRow is one definition.
type toolRow struct {
	Source      string
	Name        string
	Title       string
	Description string
	Parameters  json.RawMessage
	Style       string
	AlsoIn      []string `json:"also_in"`
}

// callRow is one call. Its parameters stand beside it where it is one of the invalid ones.
type callRow struct {
	Source      string
	Tool        string
	Arguments   json.RawMessage // a string where the model's own text is known
	Valid       *bool
	SchemaValid *bool `json:"schema_valid"`
	Style       string
	ToolSource  string `json:"tool_source"`
	Why         string
	Parameters  json.RawMessage
}

// rows reads a file of the corpora, or leaves the test out.
func rows[T any](t *testing.T, name string) []T {
	t.Helper()
	dir := os.Getenv(variable)
	if dir == "" {
		t.Skipf("left out: %s is not set", variable)
	}
	f, err := os.Open(filepath.Join(dir, name+".jsonl"))
	require.NoError(t, err)
	defer f.Close()
	return parse[T](t, bufio.NewScanner(f))
}

func parse[T any](t *testing.T, lines *bufio.Scanner) (out []T) {
	t.Helper()
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var row T
		require.NoError(t, json.Unmarshal(lines.Bytes(), &row))
		out = append(out, row)
	}
	require.NoError(t, lines.Err())
	require.NotEmpty(t, out)
	return out
}

// handMade are rows of a text.
func handMade[T any](t *testing.T, text string) []T {
	t.Helper()
	return parse[T](t, bufio.NewScanner(strings.NewReader(strings.TrimSpace(text))))
}

// text is the arguments as the model wrote them, as far as that is known.
func (c callRow) text() string {
	var raw string
	if json.Unmarshal(c.Arguments, &raw) == nil {
		return raw
	}
	return string(c.Arguments)
}

// pythons are the types of Python, Java and Gemini that some rows have, as JSON Schema has them; any is none.
var pythons = map[string]string{
	"dict": "object", "float": "number", "double": "number", "tuple": "array", "HashMap": "object", "Hashtable": "object", "Array": "array",
	"ArrayList": "array", "String": "string", "Boolean": "boolean", "char": "string", "long": "integer", "int": "integer", "any": "",
	"OBJECT": "object", "STRING": "string", "INTEGER": "integer", "NUMBER": "number", "BOOLEAN": "boolean", "ARRAY": "array",
}

// translated is a schema in JSON Schema's own words.
func translated(t *testing.T, text json.RawMessage) json.RawMessage {
	t.Helper()
	if len(text) == 0 || string(text) == "null" {
		return json.RawMessage(`{}`) // nothing is known of the tool
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	require.NoError(t, d.Decode(&v))
	out, err := json.Marshal(translate(v))
	require.NoError(t, err)
	return out
}

func translate(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			word, isWord := inner.(string)
			to, known := pythons[word]
			switch {
			case name != "type" || !isWord || !known:
				v[name] = translate(inner)
			case to == "":
				delete(v, name)
			default:
				v[name] = to
			}
		}
	case []any:
		for i := range v {
			v[i] = translate(v[i])
		}
	}
	return v
}

func engineOf(t *testing.T, c *tool.Contract) *decode.Engine {
	t.Helper()
	program, err := schema.Compile(c.Variants[0].Params)
	require.NoError(t, err)
	engine, err := decode.New(program)
	require.NoError(t, err)
	return engine
}

// make makes a contract of a row as it is.
func (r toolRow) make(opts ...contracts.DefinitionOption) (*tool.Contract, error) {
	def := tool.Definition{Name: r.Name, Title: r.Title, Description: r.Description, Parameters: r.Parameters}
	return contracts.FromDefinition(r.Source, def, opts...)
}
