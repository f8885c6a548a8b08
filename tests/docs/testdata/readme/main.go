// Command files shows a tool of its own to a model, and runs two calls of it.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/toolgen-dev/toolgen/runtime/tool"

	"example.com/files/gen/files"
)

//go:generate go tool toolgen generate

func main() {
	reg := tool.NewRegistry()
	options := files.SearchOptions{Area: files.SearchAreaHome} // the zero value means every default
	if err := files.MountSearch(reg, options, search); err != nil {
		log.Fatal(err)
	}
	scope, err := reg.Scope() // what one agent sees: definitions, guidance and calls
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range scope.Tools() {
		fmt.Printf("%s: %s\n%s\n", t.Name, t.Description, t.Parameters)
	}
	fmt.Println(scope.Prompt())
	for _, arguments := range []string{`{"query":"TODO"}`, `{"query":"TODO","limit":0}`} {
		result := scope.Call(context.Background(), tool.Call{ID: "1", Name: "search", Arguments: json.RawMessage(arguments)})
		fmt.Println(result.Text)
	}
}

// search gets arguments that are valid, with the defaults that the model was told: here args.Limit is 20.
func search(_ context.Context, _ tool.Call, args files.SearchArgs) (files.SearchResult, error) {
	fmt.Printf("looking for %q, at most %d\n", args.Query, args.Limit)
	return files.SearchMatches{Items: []files.SearchMatchesItem{{Path: "main.go", Line: 7}}}, nil
}
