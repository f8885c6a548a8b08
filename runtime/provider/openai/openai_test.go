package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/provider"
	"github.com/toolgen-dev/toolgen/runtime/provider/openai"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

func def(name, parameters string) tool.Definition {
	return tool.Definition{Name: name, Description: "D.", Parameters: json.RawMessage(parameters)}
}

// The SDK writes a schema's keys in our order, always.
func TestOrder(t *testing.T) {
	const schema = `{"type":"object","required":["z","a"],"properties":{"z":{"type":"string","description":"last"},"a":{"type":"integer","minimum":1,"maximum":9007199254740993}},"$defs":{"b":{},"a":{}},"additionalProperties":false}`
	want := `[{"function":{"name":"b","description":"D.","parameters":` + schema + `},"type":"function"},` +
		`{"function":{"name":"a","parameters":{"type":"object","properties":{}}},"type":"function"}]`
	for range 200 {
		tools, err := openai.Tools([]tool.Definition{def("b", schema), {Name: "a", Parameters: json.RawMessage(`{"type":"object"}` + "\n")}})
		require.NoError(t, err)
		have, err := json.Marshal(tools)
		require.NoError(t, err)
		require.Equal(t, want, string(have))
	}
}

// The shipped tools are taken, and are the same bytes each time.
func TestShipped(t *testing.T) {
	reg := tool.NewRegistry()
	require.NoError(t, errors.Join(
		agents.MountReport(reg, agents.ReportOptions{}, func(context.Context, tool.Call, agents.ReportArgs) (agents.ReportResult, error) {
			return nil, nil
		}),
		agents.MountSendMessage(reg, agents.SendMessageOptions{}, func(context.Context, tool.Call, agents.SendMessageArgs) (agents.SendMessageResult, error) {
			return nil, nil
		})))
	scope, err := reg.Scope()
	require.NoError(t, err)
	var first string
	for range 50 {
		tools, err := openai.Tools(scope.Tools())
		require.NoError(t, err)
		b, err := json.Marshal(tools)
		require.NoError(t, err)
		if first == "" {
			first = string(b)
		}
		require.Equal(t, first, string(b))
	}
	require.Len(t, scope.Tools(), 2)
}

func TestNoTools(t *testing.T) {
	tools, err := openai.Tools(nil)
	require.NoError(t, err)
	require.Nil(t, tools)
}

// Each rule, with the tool and the place.
func TestRefused(t *testing.T) {
	const fine = `{"type":"object","properties":{}}`
	many := make([]tool.Definition, openai.MaxTools+1)
	for i := range many {
		many[i] = def(fmt.Sprintf("t%d", i), fine)
	}
	for _, c := range []struct {
		defs []tool.Definition
		want string
	}{
		{many, "openai: 129 tools, of at most 128 (too-many-tools)"},
		{[]tool.Definition{def("", fine)}, "openai: a name has 1 to 64 letters, digits, _ and - (name)"},
		{[]tool.Definition{def("a.b", fine)}, `openai: tool "a.b": a name has 1 to 64 letters, digits, _ and - (name)`},
		{[]tool.Definition{def("a", fine), def("a", fine)}, `openai: tool "a": there is another tool of this name (duplicate-name)`},
		{[]tool.Definition{def("a", `[]`)}, `openai: tool "a": the parameters are no JSON object (no-schema)`},
		{[]tool.Definition{def("a", ``)}, `openai: tool "a": the parameters are no JSON object (no-schema)`},
		{[]tool.Definition{def("a", `null`)}, `openai: tool "a": the parameters are no JSON object (no-schema)`},
		{[]tool.Definition{def("a", `{"type":["object"]}`)}, `openai: tool "a": /type: the root of a schema must be of type "object" (root-type)`},
		{[]tool.Definition{def("a", `{"type":"object","anyOf":[{}],"enum":[1]}`)},
			`openai: tool "a": /anyOf: the root of a schema must not have anyOf (root-combinator)` + "\n" +
				`openai: tool "a": /enum: the root of a schema must not have enum (root-combinator)`},
		{[]tool.Definition{def("a", `{"type":"object","properties":{"a/b":{"anyOf":[{"type":["array","null"]}]},"c":{"type":"array","items":{}}}}`)},
			`openai: tool "a": /properties/a~1b/anyOf/0: an array must have items (array-items)`},
	} {
		tools, err := openai.Tools(c.defs)
		require.EqualError(t, err, c.want)
		require.Nil(t, tools)
		var e *provider.Error
		require.ErrorAs(t, err, &e)
	}
}

// Tools are strict only where that is asked for and their schemas fit.
func TestStrict(t *testing.T) {
	const fits = `{"type":"object","properties":{"a":{"type":["string","null"],"pattern":"^x"},"n":{"$ref":"#/$defs/n"}},"required":["a","n"],"additionalProperties":false,` +
		`"$defs":{"n":{"type":"object","properties":{"n":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}},"required":["n"],"additionalProperties":false}}}`
	strict := func(schema string, opts ...openai.Option) bool {
		tools, err := openai.Tools([]tool.Definition{def("a", schema)}, opts...)
		require.NoError(t, err)
		return tools[0].OfFunction.Function.Strict.Value
	}
	require.NoError(t, openai.FitsStrict(def("a", fits)))
	require.False(t, strict(fits))
	require.True(t, strict(fits, openai.Strict()))
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`:                                 `: "a" is not required`,
		`{"type":"object","properties":{}}`:                                                                                   `: additionalProperties is not false`,
		`{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string","minLength":1}},"required":["a"]}`:  `/properties/a: minLength is not allowed`,
		`{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string","format":"uri"}},"required":["a"]}`: `/properties/a: the format uri is not allowed`,
		`{"type":"object","additionalProperties":false,"properties":{"a":true},"required":["a"]}`:                             `/properties/a: it has no type`,
		`{"type":"object","additionalProperties":false,"properties":{"a":{}},"required":["a"]}`:                               `/properties/a: it has no type`,
		`{"type":"object","additionalProperties":false,"properties":{"a":{"$ref":"#","description":"x"}},"required":["a"]}`:   `/properties/a: nothing may stand beside $ref`,
	} {
		require.EqualError(t, openai.FitsStrict(def("a", schema)), want)
		require.False(t, strict(schema, openai.Strict()))
	}
}

// A message that was not streamed: calls as they came, results back in their order.
func TestCalls(t *testing.T) {
	var m sdk.ChatCompletionMessage
	require.NoError(t, json.Unmarshal([]byte(`{"role":"assistant","content":null,"tool_calls":[
		{"id":"a","type":"function","function":{"name":"x","arguments":"{\"b\": 1,"}},
		{"id":"","type":"function","function":{"name":"y","arguments":""}},
		{"id":"c","type":"custom","custom":{"name":"z","input":"free text"}}]}`), &m))
	calls := openai.Calls(m.ToolCalls)
	require.Equal(t, []tool.Call{
		{ID: "a", Name: "x", Arguments: json.RawMessage(`{"b": 1,`)},
		{ID: "", Name: "y", Arguments: json.RawMessage(``)},
		{ID: "c", Name: "z", Arguments: json.RawMessage(`free text`)},
	}, calls)
	back, err := json.Marshal(append([]sdk.ChatCompletionMessageParamUnion{openai.Assistant(" ", calls[:1])},
		openai.Results([]tool.CallResult{{ID: "b", Text: ""}, {ID: "a", Text: "<no>", IsError: true}})...))
	require.NoError(t, err)
	require.JSONEq(t, `[{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{\"b\": 1,"}}]},
		{"role":"tool","tool_call_id":"b","content":""},{"role":"tool","tool_call_id":"a","content":"<no>"}]`, string(back))
}
