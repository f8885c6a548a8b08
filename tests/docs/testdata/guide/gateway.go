package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/contracts"
)

// loaded: tools from gen/contracts.json, without the code that is generated beside it.
func loaded() error {
	data, err := os.ReadFile("gen/contracts.json")
	if err != nil {
		return err
	}
	list, err := contracts.Load(data)
	if err != nil {
		return err
	}
	reg := tool.NewRegistry()
	err = errors.Join(
		contracts.Mount(reg, list.Find("search"), contracts.Options{
			Choice:   map[string]string{"area": "home", "allowIgnored": "true"},
			Settings: map[string]any{"maxBytes": 50_000},
		}, forward("matches")),
		contracts.Mount(reg, list.Find("read_file"), contracts.Options{}, forward("content")),
	)
	if err != nil {
		return err
	}
	scope, err := reg.Scope()
	if err != nil {
		return err
	}
	fmt.Println(scope.Tools()[0].Description)
	for _, args := range []string{`{"query": "TODO"}`, `{"query":"","limt":5}`} {
		res := scope.Call(context.Background(), tool.Call{ID: "1", Name: "search", Arguments: json.RawMessage(args)})
		fmt.Println(res.Text)
	}
	return nil
}

// forward makes a handler that gives a call to whoever carries it out, and names the result that its text is.
func forward(result string) contracts.Handler {
	return func(ctx context.Context, call tool.Call, args json.RawMessage) (tool.Output, error) {
		text, err := elsewhere(ctx, call.Name, contracts.OptionsOf(call).Settings["maxBytes"], args)
		return contracts.Result{Name: result, Text: text}, err
	}
}

func elsewhere(_ context.Context, name string, most any, args json.RawMessage) (string, error) {
	return fmt.Sprintf("%s was given %s, at most %v bytes", name, args, most), nil
}

// bare: a tool of which nothing is known but its definition, such as an entry of an MCP server's tools/list.
func bare() error {
	reg := tool.NewRegistry()
	for _, def := range []tool.Definition{
		{Name: "lookup", Description: "Looks a word up.", Parameters: json.RawMessage(`{
			"type": "object",
			"properties": {"word": {"type": "string", "minLength": 1}, "language": {"enum": ["en", "de"], "default": "en"}},
			"required": ["word"], "additionalProperties": false}`)},
		{Name: "move", Description: "Moves a file.", Parameters: json.RawMessage(`{
			"type": "object",
			"properties": {"from": {"type": "string"}, "to": {"type": "string"}, "to_id": {"type": "string"}},
			"required": ["from"], "oneOf": [{"required": ["to"]}, {"required": ["to_id"]}]}`)},
	} {
		contract, err := contracts.FromDefinition("dictionary", def)
		var keyword *contracts.Unsupported
		if errors.As(err, &keyword) {
			fmt.Println(def.Name, keyword.Pointer, keyword.Why)
			var ignored []*contracts.Unsupported
			contract, err = contracts.FromDefinition("dictionary", def, contracts.IgnoreUnsupported(&ignored))
			fmt.Println(def.Name, "allows more than its schema:", len(ignored), "keyword left out")
		}
		if err != nil {
			return err
		}
		err = contracts.Mount(reg, contract, contracts.Options{}, func(_ context.Context, call tool.Call, args json.RawMessage) (tool.Output, error) {
			return tool.Plain(call.Name + " " + string(args)), nil
		})
		if err != nil {
			return err
		}
	}
	scope, err := reg.Scope()
	if err != nil {
		return err
	}
	for _, args := range []string{`{"word":"tool"}`, `{"word":"tool","language":"fr","lang":"en"}`} {
		res := scope.Call(context.Background(), tool.Call{ID: "1", Name: "lookup", Arguments: json.RawMessage(args)})
		fmt.Println(strings.ReplaceAll(res.Text, "\n", " | "))
	}
	return nil
}
