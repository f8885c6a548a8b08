package main

import (
	"path"
	"slices"
)

// peer is one generator: how it is given n tools and how it is run.
type peer struct {
	name      string
	label     string                        // in the table
	validates string                        // what its code checks of a call's arguments
	tool      string                        // its command, among the tools of go.mod
	input     func(dir string, n int) error // writes what it reads
	args      []string                      // how it is called, in that folder
	pkg       string                        // where its Go is, below that folder; empty when it writes none
	again     bool                          // it has run once before it is timed
	most      int                           // the largest size that it is run at, and only once; 0 for no bound
}

// peers are all of them, in the order of the table.
var peers = []peer{
	{
		name: "cue", label: "`cue vet` (evaluation alone)", tool: "cuelang.org/go/cmd/cue",
		input: definitions, args: []string{"vet", "./big"},
	},
	{
		name: "gengotypes", label: "`cue exp gengotypes`", validates: "nothing", tool: "cuelang.org/go/cmd/cue",
		input: definitions, args: []string{"exp", "gengotypes", "./big"}, pkg: "big",
	},
	{
		name: "oapi", label: "oapi-codegen, types", validates: "nothing",
		tool:  "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen",
		input: openAPI, args: []string{"-generate", "types", "-package", "big", "-o", "big/big.go", "openapi.json"}, pkg: "big",
	},
	{
		name: "gojsonschema", label: "go-jsonschema", validates: "most, not unknown keys", tool: "github.com/atombender/go-jsonschema",
		input: jsonSchema, args: []string{"--package", "big", "--output", "big/big.go", "big.json"}, pkg: "big",
	},
	{
		name: "ogen", label: "ogen, server only", validates: "all", tool: "github.com/ogen-go/ogen/cmd/ogen",
		input: openAPI, args: []string{"--target", "big", "--package", "big", "--config", "ogen.yml", "openapi.json"}, pkg: "big",
		most: 100,
	},
	{
		name: "toolgen", label: "`toolgen generate`", validates: "all", tool: toolgen,
		input: spec, args: []string{"generate"}, pkg: "gen",
	},
	{
		name: "variants", label: "`toolgen generate`, eight variants a tool", validates: "all", tool: toolgen,
		input: variants, args: []string{"generate"}, pkg: "gen",
	},
	{
		name: "unchanged", label: "`toolgen generate`, nothing changed", tool: toolgen,
		input: spec, args: []string{"generate"}, again: true,
	},
}

const toolgen = "github.com/toolgen-dev/toolgen/cmd/toolgen"

// binary is the name of the command's file.
func (p peer) binary() string { return path.Base(p.tool) }

// takesPart reports whether it is run at a size in a turn; the first turn is 0.
func (p peer) takesPart(n, turn int) bool {
	return p.most == 0 || n <= p.most && turn == 0
}

func peerNames() []string {
	var names []string
	for p := range slices.Values(peers) {
		names = append(names, p.name)
	}
	return names
}
