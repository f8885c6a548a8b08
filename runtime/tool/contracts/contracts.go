// Package contracts makes tool contracts at run time, for programs that have no generated code: a gateway that serves
// whatever tools it finds.
//
// [Load] reads gen/contracts.json, the model that toolgen writes beside the generated Go. [FromDefinition] makes a
// contract of a tool's definition alone, such as an entry of an MCP server's tools/list: its name, its description and a
// bare JSON Schema. Both give a [tool.Contract] of the same tables that generated code carries, which [Mount] puts into a
// registry with a handler that takes its arguments as JSON. From there on there is no difference: the same scopes, the same
// validation, the same problems and the same repairs, because the same engine runs over the same data.
//
//	list, err := contracts.Load(data)
//	...
//	err = contracts.Mount(reg, list.Find("search"), contracts.Options{},
//		func(ctx context.Context, call tool.Call, args json.RawMessage) (tool.Output, error) {
//			return contracts.Result{Name: "page", Text: forward(ctx, call.Name, args)}, nil
//		})
//
// A loaded contract is equal to the generated one, value by value; tests demand it.
package contracts

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/jsonscan"
)

// Format is the revision of contracts.json that [Load] reads.
const Format = 2

// Error is one mistake in what a contract is made of.
type Error struct {
	Pointer string // where, as a JSON Pointer (RFC 6901): empty for the whole
	Message string
}

// Error returns the mistake in one line, with its place.
func (e *Error) Error() string {
	if e.Pointer == "" {
		return "contracts: " + e.Message
	}
	return "contracts: " + e.Pointer + ": " + e.Message
}

// List is contracts in the order of their declaration.
type List []*tool.Contract

// Find returns the contract of the tool with a label, or nil. Labels are unique over the packages of a project.
func (l List) Find(label string) *tool.Contract {
	for _, c := range l {
		if c.Name == label {
			return c
		}
	}
	return nil
}

// Load reads gen/contracts.json. The error joins an *[Error] for each mistake that was found: text that is not JSON, a
// revision that this package does not read, a file that is damaged. Each variant's tables were compiled and its defaults
// verified before Load returns, so [Mount] fails for a deployment's own choices only.
func Load(data []byte) (List, error) {
	text := string(data)
	var syntax *jsonscan.Error
	if err := jsonscan.Check(text); errors.As(err, &syntax) {
		return nil, &Error{Message: notJSON(text, syntax)}
	}
	if err := checkFormat(text); err != nil {
		return nil, err
	}
	if err := validate(modelShape(), text); err != nil {
		return nil, err
	}
	var m model
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, &Error{Message: err.Error()} // what was validated always fits
	}
	b := &builder{model: &m}
	list := b.list()
	if err := errors.Join(b.errs...); err != nil {
		return nil, err
	}
	return list, nil
}

// notJSON says where a text stops being JSON, as an editor counts.
func notJSON(text string, e *jsonscan.Error) string {
	line, column := 1, 1
	for _, c := range []byte(text[:min(e.Offset, len(text))]) {
		column++
		if c == '\n' {
			line, column = line+1, 1
		}
	}
	return fmt.Sprintf("not JSON: line %d, column %d: %s", line, column, e.Message())
}
