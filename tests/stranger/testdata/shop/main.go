// Command shop shows a tool of one's own: declared in spec/shop, generated, mounted and called.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/tool"

	"example.com/shop/gen/shop"
)

//go:generate go tool toolgen generate

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	reg := tool.NewRegistry()
	if err := shop.MountSearch(reg, shop.SearchOptions{}, search); err != nil {
		return err
	}
	if err := agents.MountSubagent(reg, agents.SubagentOptions{EnableRunInBackground: tool.Off}, delegate, tool.As("delegate")); err != nil {
		return err
	}
	scope, err := reg.Scope()
	if err != nil {
		return err
	}
	for _, d := range scope.Tools() {
		fmt.Printf("%s: %s\n", d.Name, d.Description)
	}
	fmt.Println(scope.Prompt())
	for _, args := range []string{`{"q":"lamp"}`, `{"q":"lamp","limit":0}`} {
		res := scope.Call(context.Background(), tool.Call{ID: "1", Name: "search", Arguments: json.RawMessage(args)})
		if res.IsError {
			fmt.Println("refused:", res.Text)
			continue
		}
		fmt.Println(res.Text)
	}
	return nil
}

func search(_ context.Context, call tool.Call, args shop.SearchArgs) (shop.SearchResult, error) {
	fmt.Printf("limit %d, sort %s, archived %v\n", args.Limit, args.Sort, shop.SearchOptionsOf(call).Archived == tool.On)
	return shop.SearchFound{Items: []shop.SearchFoundItem{{ID: "a1", Name: "Lamp", Price: tool.Some(12.5)}}}, nil
}

func delegate(context.Context, tool.Call, agents.SubagentArgs) (agents.SubagentResult, error) {
	return agents.SubagentForeground{Output: "done"}, nil
}
