// Package openai turns tools, calls and results into the parameters of the SDK github.com/openai/openai-go/v3, for chat
// completions, and back. Servers that speak the same protocol take the same.
//
// A tool's parameters are sent as the scope gives them, to the key: the SDK's own maps would sort them, and models write keys in
// the order of the schema. The same tools are the same bytes in every request, as a prompt cache needs.
package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/toolgen-dev/toolgen/runtime/provider"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// MaxTools is how many tools a request may have.
const MaxTools = 128

var dialect = provider.Dialect{
	Provider: "openai",
	Tools:    MaxTools,
	Root:     []string{"allOf", "anyOf", "const", "enum", "not", "oneOf"},
	Items:    true,
}

// What the provider guarantees of calls of strict tools.
var guaranteed = provider.Strictness{
	Keywords: []string{
		"$defs", "$ref", "additionalProperties", "anyOf", "const", "description", "enum", "exclusiveMaximum", "exclusiveMinimum",
		"format", "items", "maxItems", "maximum", "minItems", "minimum", "multipleOf", "pattern", "properties", "required", "type",
	},
	Formats:     []string{"date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uuid"},
	AllRequired: true,
	BareRefs:    true,
	Recursion:   true,
	MaxMinItems: provider.Unlimited,
	MaxDepth:    10,
}

// Option is a setting of [Tools].
type Option func(*options)

type options struct{ strict bool }

// Tools returns the definitions of a scope as the SDK's parameters, in their order. What the provider does not take is a
// *[provider.Error], with the tool and the rule, and no parameters.
func Tools(defs []tool.Definition, opts ...Option) ([]sdk.ChatCompletionToolUnionParam, error) {
	var set options
	for _, o := range opts {
		o(&set)
	}
	if err := dialect.Check(defs); err != nil {
		return nil, err
	}
	if len(defs) == 0 {
		return nil, nil // the provider refuses an empty list
	}
	out := make([]sdk.ChatCompletionToolUnionParam, len(defs))
	for i, def := range defs {
		f := shared.FunctionDefinitionParam{Name: def.Name}
		if def.Description != "" {
			f.Description = param.NewOpt(def.Description)
		}
		if _, err := guaranteed.Fits(def.Parameters); set.strict && err == nil {
			f.Strict = param.NewOpt(true)
		}
		// As a field of its own the schema keeps its order; the SDK's Parameters is a map.
		f.SetExtraFields(map[string]any{"parameters": withProperties(def.Parameters)})
		out[i] = sdk.ChatCompletionFunctionTool(f)
	}
	return out, nil
}

// withProperties returns a schema that has properties, if only none: without them it is refused.
func withProperties(schema json.RawMessage) json.RawMessage {
	var root struct {
		Properties json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &root) != nil || root.Properties != nil {
		return schema
	}
	out := bytes.TrimRight(schema, " \t\r\n")
	out = append(bytes.Clone(out[:len(out)-1]), `,"properties":{}}`...)
	return out
}

// Calls returns the calls of a message, with ids and arguments as they came, to be dispatched. Calls that are not of functions
// have their input as arguments.
func Calls(calls []sdk.ChatCompletionMessageToolCallUnion) []tool.Call {
	out := make([]tool.Call, len(calls))
	for i, c := range calls {
		if c.Type == "custom" {
			out[i] = tool.Call{ID: c.ID, Name: c.Custom.Name, Arguments: json.RawMessage(c.Custom.Input)}
			continue
		}
		out[i] = tool.Call{ID: c.ID, Name: c.Function.Name, Arguments: json.RawMessage(c.Function.Arguments)}
	}
	return out
}

// Assistant returns a message of the assistant, to be sent again: its text, if there is any, and its calls. The calls' arguments
// should be what [tool.HistoryCall] makes of them.
func Assistant(text string, calls []tool.Call) sdk.ChatCompletionMessageParamUnion {
	m := &sdk.ChatCompletionAssistantMessageParam{}
	if strings.TrimSpace(text) != "" || len(calls) == 0 {
		m.Content.OfString = param.NewOpt(text)
	}
	for _, c := range calls {
		m.ToolCalls = append(m.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
				ID:       c.ID,
				Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: string(c.Arguments)},
			},
		})
	}
	return sdk.ChatCompletionMessageParamUnion{OfAssistant: m}
}

// Results returns a message for each result, in their order, which is that of the calls. The protocol has no mark for errors:
// their texts say that they are.
func Results(results []tool.CallResult) []sdk.ChatCompletionMessageParamUnion {
	out := make([]sdk.ChatCompletionMessageParamUnion, len(results))
	for i, r := range results {
		out[i] = sdk.ToolMessage(r.Text, r.ID)
	}
	return out
}

// Strict makes tools strict whose schemas are within what the provider guarantees; the others stay as they are. A schema with a
// parameter that is not required is outside: [FitsStrict] says why.
func Strict() Option { return func(o *options) { o.strict = true } }

// FitsStrict says why a tool would not be strict, or returns nil.
func FitsStrict(def tool.Definition) error {
	_, err := guaranteed.Fits(def.Parameters)
	return err
}
