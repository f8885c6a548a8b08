// Package anthropic turns tools, calls and results into the parameters of the SDK github.com/anthropics/anthropic-sdk-go/v2, for
// messages, and back.
//
// A tool's parameters are sent as the scope gives them, to the key: the SDK's own fields would write them in another order in
// each request, and a prompt cache would never be met. The same tools are the same bytes in every request.
package anthropic

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"

	"github.com/toolgen-dev/toolgen/runtime/provider"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

var dialect = provider.Dialect{
	Provider: "anthropic",
	Root:     []string{"allOf", "anyOf", "oneOf"},
	Property: func(s string) bool { return provider.Word(s, "_.-") },
}

// What the provider guarantees of calls of strict tools, and how much of it one request may have.
var guaranteed = provider.Strictness{
	Keywords: []string{
		"$defs", "$ref", "additionalProperties", "allOf", "anyOf", "const", "default", "definitions", "description", "enum", "format",
		"items", "minItems", "pattern", "properties", "required", "title", "type",
	},
	Formats:     []string{"date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uri", "uuid"},
	MaxMinItems: 1,
}

// How much the strict tools of a request may have together.
const (
	MaxStrictTools = 20
	MaxOptional    = 24 // parameters that are not required
	MaxUnions      = 16 // anyOf, and lists of types
)

// Option is a setting of [Tools].
type Option func(*options)

type options struct{ strict, cache bool }

// Strict makes tools strict whose schemas are within what the provider guarantees; the others stay as they are: [FitsStrict] says
// why. More of them than one request may have is an error.
func Strict() Option { return func(o *options) { o.strict = true } }

// Cache puts a mark on the last tool: what comes up to it is kept in the prompt cache.
func Cache() Option { return func(o *options) { o.cache = true } }

// Tools returns the definitions of a scope as the SDK's parameters, in their order. What the provider does not take is a
// *[provider.Error], with the tool and the rule, and no parameters.
func Tools(defs []tool.Definition, opts ...Option) ([]sdk.ToolUnionParam, error) {
	var set options
	for _, o := range opts {
		o(&set)
	}
	if err := dialect.Check(defs); err != nil {
		return nil, err
	}
	if len(defs) == 0 {
		return nil, nil
	}
	strict, used := 0, provider.Budget{}
	out := make([]sdk.ToolUnionParam, len(defs))
	for i, def := range defs {
		t := &sdk.ToolParam{Name: def.Name, InputSchema: param.Override[sdk.ToolInputSchemaParam](def.Parameters)}
		if def.Description != "" {
			t.Description = param.NewOpt(def.Description)
		}
		if uses, err := guaranteed.Fits(def.Parameters); set.strict && err == nil {
			t.Strict = param.NewOpt(true)
			strict++
			used.Optional += uses.Optional
			used.Unions += uses.Unions
		}
		out[i].OfTool = t
	}
	if err := affordable(strict, used); err != nil {
		return nil, err
	}
	if set.cache {
		out[len(out)-1].OfTool.CacheControl = sdk.NewCacheControlEphemeralParam()
	}
	return out, nil
}

// affordable says what a request has too much of.
func affordable(strict int, used provider.Budget) error {
	e := &provider.Error{Provider: "anthropic"}
	for _, b := range []struct {
		have, most int
		what       string
	}{
		{strict, MaxStrictTools, "strict tools"},
		{used.Optional, MaxOptional, "optional parameters of strict tools"},
		{used.Unions, MaxUnions, "unions in strict tools"},
	} {
		if b.have > b.most {
			e.Faults = append(e.Faults, provider.Fault{Rule: provider.StrictBudget, Text: fmt.Sprintf("%d %s, of at most %d", b.have, b.what, b.most)})
		}
	}
	if len(e.Faults) > 0 {
		return e
	}
	return nil
}

// FitsStrict says why a tool would not be strict, or returns nil.
func FitsStrict(def tool.Definition) error {
	_, err := guaranteed.Fits(def.Parameters)
	return err
}

// Calls returns the calls of a message, with ids and arguments as they came, to be dispatched.
func Calls(content []sdk.ContentBlockUnion) []tool.Call {
	var out []tool.Call
	for _, b := range content {
		if b.Type == "tool_use" {
			out = append(out, tool.Call{ID: b.ID, Name: b.Name, Arguments: json.RawMessage(b.JSON.Input.Raw())})
		}
	}
	return out
}

// Call returns a call as a block of a message of the assistant, to be sent again. Arguments that are no object are sent as
// [tool.HistoryArguments] makes them.
func Call(c tool.Call) sdk.ContentBlockParamUnion {
	return sdk.NewToolUseBlock(ID(c.ID), tool.HistoryArguments(c.Arguments), c.Name)
}

// Results returns a block for each result, in their order, which is that of the calls. They belong into one message of the user,
// before everything else in it.
func Results(results []tool.CallResult) []sdk.ContentBlockParamUnion {
	out := make([]sdk.ContentBlockParamUnion, len(results))
	for i, r := range results {
		b := &sdk.ToolResultBlockParam{ToolUseID: ID(r.ID)}
		if strings.TrimSpace(r.Text) != "" { // a text without a letter is refused
			b.Content = []sdk.ToolResultBlockParamContentUnion{{OfText: &sdk.TextBlockParam{Text: r.Text}}}
		}
		if r.IsError {
			b.IsError = param.NewOpt(true)
		}
		out[i].OfToolResult = b
	}
	return out
}

// ID returns the id of a call as the provider takes it: itself where it has ASCII letters, digits, _ and - only, as all ids of this
// provider have; else another one, always the same, for conversations that began with another provider.
func ID(id string) string {
	other := strings.Map(func(r rune) rune {
		if provider.Word(string(r), "_-") {
			return r
		}
		return '_'
	}, id)
	if other == id && id != "" {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return other + "_" + hex.EncodeToString(sum[:4])
}
