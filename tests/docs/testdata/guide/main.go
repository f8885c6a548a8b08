// Command assistant mounts the tools of this module, and shows what the guides say.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/tool"

	"example.com/assistant/gen/desk"
	"example.com/assistant/gen/files"
)

//go:generate go tool toolgen generate

func main() {
	for _, show := range []func() error{defaults, names, scopes, calls, family, message, cancel, watched, history, loaded, bare} {
		if err := show(); err != nil {
			log.Fatal(err)
		}
	}
	messages()
}

// tools mounts everything that the other functions show.
func tools() (*tool.Registry, error) {
	reg := tool.NewRegistry()
	return reg, errors.Join(
		files.MountSearch(reg, files.SearchOptions{}, search),
		files.MountReadFile(reg, files.ReadFileOptions{}, read),
		desk.MountAsk(reg, desk.AskOptions{}, ask),
		desk.MountRun(reg, desk.RunOptions{Background: desk.RunBackgroundAlways}, run),
		agents.MountSubagent(reg, agents.SubagentOptions{EnableRunInBackground: tool.Off}, delegate),
	)
}

// defaults: the zero value of an options struct means every default.
func defaults() error {
	reg := tool.NewRegistry()
	err := files.MountSearch(reg, files.SearchOptions{
		Area:         files.SearchAreaHome,     // a choice by name; empty means the default
		AllowIgnored: tool.On,                  // a boolean option: tool.On, tool.Off, or the default
		MaxBytes:     tool.Some[int64](50_000), // a setting: an Opt
	}, search)
	if err != nil {
		return err
	}
	return desk.MountRun(reg, desk.RunOptions{}, run)
}

// names: one tool mounted twice. Texts of other tools speak of the primary mount.
func names() error {
	reg := tool.NewRegistry()
	err := errors.Join(
		files.MountSearch(reg, files.SearchOptions{}, search, tool.Primary()),
		files.MountSearch(reg, files.SearchOptions{Area: files.SearchAreaHome}, search, tool.As("search_home")),
		desk.MountAsk(reg, desk.AskOptions{}, ask),
	)
	if err != nil {
		return err
	}
	scope, err := reg.Scope()
	if err != nil {
		return err
	}
	for _, t := range scope.Tools() {
		fmt.Printf("%s: %s\n", t.Name, t.Description)
	}
	return nil
}

// scopes: what a scope hides has no definition, no section and no execution, and no text speaks of it.
func scopes() error {
	reg, err := tools()
	if err != nil {
		return err
	}
	scope, err := reg.Scope(tool.Deny("read-file"))
	if err != nil {
		return err
	}
	for _, o := range scope.Omitted() {
		fmt.Printf("%s leaves out %s, for there is no %s\n", o.Tool, o.ID, o.Missing)
	}
	narrow, err := scope.Scope(tool.Allow("search")) // for a child: it can only hide more
	if err != nil {
		return err
	}
	fmt.Println(len(scope.Tools()), len(narrow.Tools()))
	_, err = reg.Scope(tool.Allow("ask")) // ask needs search
	fmt.Println(err)
	return nil
}

// calls: each call has one result, whatever happens.
func calls() error {
	reg, err := tools()
	if err != nil {
		return err
	}
	scope, err := reg.Scope()
	if err != nil {
		return err
	}
	for _, c := range []tool.Call{
		{ID: "1", Name: "search", Arguments: json.RawMessage(`{"query":"TODO"}`)},
		{ID: "2", Name: "search", Arguments: json.RawMessage(`{"query":"","limt":3}`)},
		{ID: "3", Name: "read-file", Arguments: json.RawMessage(`{"path":"a.go","lines":{}}`)},
		{ID: "4", Name: "read-file", Arguments: json.RawMessage(`{"path":"secret.go","lines":{}}`)},
		{ID: "5", Name: "reed-file", Arguments: json.RawMessage(`{}`)},
	} {
		res := scope.Call(context.Background(), c)
		fmt.Printf("%s %v %s\n", res.ID, res.IsError, res.Text)
	}
	return nil
}

// search returns one of the results that the spec declares: files.SearchResult is implemented by them alone.
func search(_ context.Context, call tool.Call, args files.SearchArgs) (files.SearchResult, error) {
	max, _ := files.SearchOptionsOf(call).MaxBytes.Get() // resolved: every option is set
	if max < 1000 {
		return files.SearchTooMany{Count: args.Limit + 1}, nil
	}
	return files.SearchMatches{Items: []files.SearchMatchesItem{
		{Path: "a.go", Line: 3, Text: tool.Some("// TODO")},
		{Path: "b.go", Line: 9},
	}}, nil
}

// read shows what may be absent, and what may be null.
func read(_ context.Context, _ tool.Call, args files.ReadFileArgs) (files.ReadFileResult, error) {
	if args.Path == "secret.go" {
		return nil, errors.New("secret.go may not be read") // the model reads this text
	}
	if args.ChangedAfter != nil { // nullable: nil is null
		return files.ReadFileContent{Path: args.Path, State: files.FileStateClean}, nil
	}
	count, given := args.Lines.Count.Get() // optional without a default
	fmt.Println(args.Lines.First, count, given, args.States)
	return files.ReadFileContent{
		Path:  args.Path,
		State: files.FileStateFrom(true, "changed"), // the spec's mapping
		Lines: []string{"package a"},
	}, nil
}

// ask has no results in its spec, so it returns plain text.
func ask(_ context.Context, _ tool.Call, args desk.AskArgs) (tool.Plain, error) {
	return tool.Plain("The user says: yes."), nil
}

// run gets the value that the spec fixes where the model has no such parameter.
func run(_ context.Context, _ tool.Call, args desk.RunArgs) (tool.Plain, error) {
	if args.InBackground {
		return "Started.", nil
	}
	return "Done.", nil
}

func delegate(context.Context, tool.Call, agents.SubagentArgs) (agents.SubagentResult, error) {
	return agents.SubagentForeground{Output: "done"}, nil
}

// messages: a notice is rendered like a result, and sent by whoever runs the agent.
func messages() {
	n := files.ChangedNotice{Path: "a.go", State: files.FileStateDirty}
	fmt.Println(n.NoticeName(), string(n.AppendText(nil)))
}
