// Package agents carries the specs of the shipped agent tools, so that the texts of a user's own tools can refer to
// them (`import "github.com/toolgen-dev/toolgen/spec/agents"`) without a registry or copied files. The Go code that is
// generated from them is in gen/agents.
package agents

import (
	"embed"
	"fmt"
)

//go:embed *.cue
var specs embed.FS

// Specs returns the spec files of the package by name.
func Specs() (map[string][]byte, error) {
	entries, err := specs.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("agents: %w", err)
	}
	out := make(map[string][]byte, len(entries))
	for _, e := range entries {
		if out[e.Name()], err = specs.ReadFile(e.Name()); err != nil {
			return nil, fmt.Errorf("agents: %w", err)
		}
	}
	return out, nil
}
