package anthropic_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/provider"
	"github.com/toolgen-dev/toolgen/runtime/provider/anthropic"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

func def(name, parameters string) tool.Definition {
	return tool.Definition{Name: name, Description: "D.", Parameters: json.RawMessage(parameters)}
}

// The SDK writes a schema's keys in our order, always; the mark of the cache stands on the last tool.
func TestOrder(t *testing.T) {
	const schema = `{"type":"object","required":["z","a"],"properties":{"z":{"type":"string","description":"last"},"a":{"type":"integer","minimum":1,"maximum":9007199254740993}},"$defs":{"b":{},"a":{}},"additionalProperties":false}`
	want := `[{"input_schema":` + schema + `,"name":"b","description":"D."},` +
		`{"input_schema":{"type":"object"},"name":"a","cache_control":{"type":"ephemeral"}}]`
	for range 200 {
		tools, err := anthropic.Tools([]tool.Definition{def("b", schema), {Name: "a", Parameters: json.RawMessage(`{"type":"object"}`)}}, anthropic.Cache())
		require.NoError(t, err)
		have, err := json.Marshal(tools)
		require.NoError(t, err)
		require.Equal(t, want, string(have))
	}
	tools, err := anthropic.Tools(nil, anthropic.Cache())
	require.NoError(t, err)
	require.Nil(t, tools)
}

// Each rule, with the tool and the place.
func TestRefused(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object","oneOf":[]}`:                                          `anthropic: tool "a": /oneOf: the root of a schema must not have oneOf (root-combinator)`,
		`{"type":"object","properties":{"@odata/x":{}}}`:                        `anthropic: tool "a": /properties/@odata~1x: the name of a parameter has 1 to 64 letters, digits, _, . and - (property-name)`,
		`{"type":"object","properties":{"` + strings.Repeat("a", 65) + `":{}}}`: `anthropic: tool "a": /properties/` + strings.Repeat("a", 65) + `: the name of a parameter has 1 to 64 letters, digits, _, . and - (property-name)`,
		`{"type":"string"}`:                                                     `anthropic: tool "a": /type: the root of a schema must be of type "object" (root-type)`,
		`7`:                                                                     `anthropic: tool "a": the parameters are no JSON object (no-schema)`,
	} {
		_, err := anthropic.Tools([]tool.Definition{def("a", schema)})
		require.EqualError(t, err, want)
	}
	// What this provider takes and others do not.
	many := make([]tool.Definition, 300)
	for i := range many {
		many[i] = def(fmt.Sprintf("t%d", i), `{"type":"object","enum":[{}],"properties":{"a.b-c":{"type":"array"}}}`)
	}
	tools, err := anthropic.Tools(many)
	require.NoError(t, err)
	require.Len(t, tools, 300)
}

// Tools are strict only where that is asked for and their schemas fit, within what one request may have.
func TestStrict(t *testing.T) {
	const fits = `{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"type":"array","items":{"type":"string","format":"uri"},"minItems":1},"c":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null}},"required":["b"],"additionalProperties":false}`
	require.NoError(t, anthropic.FitsStrict(def("a", fits)))
	tools, err := anthropic.Tools([]tool.Definition{def("a", fits), def("b", `{"type":"object"}`)}, anthropic.Strict())
	require.NoError(t, err)
	require.True(t, tools[0].OfTool.Strict.Value)
	require.False(t, tools[1].OfTool.Strict.Valid())
	tools, err = anthropic.Tools([]tool.Definition{def("a", fits)})
	require.NoError(t, err)
	require.False(t, tools[0].OfTool.Strict.Valid())

	node := `{"type":"object","additionalProperties":false,"properties":{"n":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}}}`
	for schema, want := range map[string]string{
		`{"type":"object","additionalProperties":false,"properties":{"a":{"type":"integer","minimum":1}}}`:                          `/properties/a: minimum is not allowed`,
		`{"type":"object","additionalProperties":false,"properties":{"a":{"type":"array","items":{"type":"string"},"minItems":2}}}`: `/properties/a: minItems is more than 1`,
		`{"type":"object","additionalProperties":false,"properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":` + node + `}}`:         `: it contains itself`,
		`{"type":"object","additionalProperties":false,"properties":{"a":{"$ref":"other.json"}}}`:                                   `/properties/a: a reference to another document is not allowed`,
		`{"type":"object","additionalProperties":false,"properties":{"a":{"type":"object"}}}`:                                       `/properties/a: additionalProperties is not false`,
	} {
		require.EqualError(t, anthropic.FitsStrict(def("a", schema)), want)
	}

	many := make([]tool.Definition, anthropic.MaxStrictTools+1)
	for i := range many {
		many[i] = def(fmt.Sprintf("t%d", i), fits)
	}
	_, err = anthropic.Tools(many, anthropic.Strict())
	require.EqualError(t, err, "anthropic: 21 strict tools, of at most 20 (strict-budget)\n"+
		"anthropic: 42 optional parameters of strict tools, of at most 24 (strict-budget)\n"+
		"anthropic: 42 unions in strict tools, of at most 16 (strict-budget)")
	var e *provider.Error
	require.ErrorAs(t, err, &e)
	_, err = anthropic.Tools(many)
	require.NoError(t, err)
}

// A message that was not streamed: calls as they came, results back in their order.
func TestCalls(t *testing.T) {
	var m sdk.Message
	require.NoError(t, json.Unmarshal([]byte(`{"content":[{"type":"text","text":"Hm."},
		{"type":"tool_use","id":"toolu_1","name":"x","input":{"b": 1, "a": [ ]}},{"type":"tool_use","id":"toolu_2","name":"y","input":{}}]}`), &m))
	calls := anthropic.Calls(m.Content)
	require.Equal(t, []tool.Call{
		{ID: "toolu_1", Name: "x", Arguments: json.RawMessage(`{"b": 1, "a": [ ]}`)},
		{ID: "toolu_2", Name: "y", Arguments: json.RawMessage(`{}`)},
	}, calls)
	back, err := json.Marshal(append([]sdk.ContentBlockParamUnion{anthropic.Call(calls[0]), anthropic.Call(tool.Call{ID: "z", Name: "z", Arguments: []byte(`[`)})},
		anthropic.Results([]tool.CallResult{{ID: "b", Text: "\n"}, {ID: "a", Text: "no", IsError: true}})...))
	require.NoError(t, err)
	require.Equal(t, `[{"id":"toolu_1","input":{"b":1,"a":[]},"name":"x","type":"tool_use"},`+
		`{"id":"z","input":{"invalid_arguments":"["},"name":"z","type":"tool_use"},`+
		`{"tool_use_id":"b","type":"tool_result"},`+
		`{"tool_use_id":"a","is_error":true,"content":[{"text":"no","type":"text"}],"type":"tool_result"}]`, string(back))
}

func TestID(t *testing.T) {
	for _, same := range []string{"toolu_01-aB", "a"} {
		require.Equal(t, same, anthropic.ID(same))
	}
	seen := map[string]bool{}
	for _, other := range []string{"", "a b", "a:b", "a.b", "é", "a_b\x00"} {
		have := anthropic.ID(other)
		require.Regexp(t, `^[a-zA-Z0-9_-]+$`, have)
		require.Equal(t, have, anthropic.ID(other))
		require.False(t, seen[have])
		seen[have] = true
	}
}
