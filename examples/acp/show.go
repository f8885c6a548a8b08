package main

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/acp"
	"github.com/toolgen-dev/toolgen/runtime/tool"

	"github.com/toolgen-dev/toolgen/examples/internal/assemble"
)

// shownArguments are those that a title is made of.
type shownArguments struct {
	Path        string `json:"path"`
	FirstLine   int    `json:"first_line"`
	Query       string `json:"query"`
	Command     string `json:"command"`
	Description string `json:"description"`
	Subagent    string `json:"subagent_id"`
	Agent       string `json:"agent_id"`
}

// show says how a call is shown. Arguments that are not as they should be show less.
func show(dir string, c tool.Call) acp.Shown {
	var a shownArguments
	_ = json.Unmarshal(c.Arguments, &a)
	switch c.Name {
	case "read_file":
		return acp.Shown{Title: "Read " + title(a.Path), Kind: acp.Read, Files: at(dir, a.Path, a.FirstLine)}
	case "list_files":
		return acp.Shown{Title: "List " + title(orAll(a.Path)), Kind: acp.Read, Files: at(dir, orAll(a.Path), 0)}
	case "search_files":
		return acp.Shown{Title: "Search " + title(orAll(a.Path)) + " for " + title(a.Query), Kind: acp.Search, Files: at(dir, orAll(a.Path), 0)}
	case "run_command":
		return acp.Shown{Title: title(a.Command), Kind: acp.Execute}
	case "subagent":
		return acp.Shown{Title: "Start an agent: " + title(a.Description), Kind: acp.Think}
	case "send_message":
		return acp.Shown{Title: "Send a message to " + title(a.Subagent), Kind: acp.Think}
	case "interrupt_agent":
		return acp.Shown{Title: "Interrupt " + title(a.Agent), Kind: acp.Think}
	case "list_agents":
		return acp.Shown{Title: "List agents", Kind: acp.Think}
	}
	return acp.Shown{Title: title(c.Name)}
}

// title shows a text as a whole, in one line, with what is hidden in it: a user decides by it what may run.
func title(s string) string { return strings.ReplaceAll(assemble.Visible(s), "\n", " ⏎ ") }

// orAll is a path that may be left out.
func orAll(path string) string {
	if path == "" {
		return "."
	}
	return path
}

// at is a place below the folder; a path that leads out of it is no place.
func at(dir, path string, line int) []acp.File {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		if rel, err := filepath.Rel(dir, path); err == nil {
			path = rel
		}
	}
	if !filepath.IsLocal(path) {
		return nil
	}
	return []acp.File{{Path: filepath.Join(dir, path), Line: line}}
}
