// Command types calls the tools of spec/types with arguments from standard input, and prints what became of them: the
// typed value that the handler got, written as JSON again, and what the engine makes of the same text without Go types. The
// same tools are loaded from gen/contracts.json beside them; where one of those differs, the answer says so.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"reflect"

	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/contracts"
	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

//go:generate go tool toolgen generate

// query is one line of input. Texts are base64, since they need not be UTF-8.
type query struct {
	Tool  string
	Texts [][]byte
}

// answer is what became of one text; a line of output has one per text.
type answer struct {
	OK         bool            `json:"ok"`
	Value      json.RawMessage `json:"value,omitempty"`      // what the handler got
	Normalized json.RawMessage `json:"normalized,omitempty"` // what Engine.Normalize gave
	Repairs    int             `json:"repairs,omitempty"`
	Codes      []string        `json:"codes,omitempty"`
	Pointers   []string        `json:"pointers,omitempty"`
	Fault      string          `json:"fault,omitempty"` // something that must not happen
}

// program is everything that is mounted.
type program struct {
	reg     *tool.Registry
	engines map[string]*decode.Engine
	seen    json.RawMessage // what the last handler got
	fault   error           // or why it could not be written

	loaded contracts.List
	beside *tool.Registry  // the loaded ones
	scope  *tool.Scope     // of beside
	args   json.RawMessage // what the last handler of a loaded tool got
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	p := &program{reg: tool.NewRegistry(), beside: tool.NewRegistry(), engines: map[string]*decode.Engine{}}
	data, err := os.ReadFile("gen/contracts.json")
	if err != nil {
		return err
	}
	if p.loaded, err = contracts.Load(data); err != nil {
		return err
	}
	if err := mountAll(p); err != nil {
		return err
	}
	if p.scope, err = p.beside.Scope(); err != nil {
		return err
	}
	scope, err := p.reg.Scope()
	if err != nil {
		return err
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<28)
	out := json.NewEncoder(os.Stdout)
	for in.Scan() {
		var q query
		if err := json.Unmarshal(in.Bytes(), &q); err != nil {
			return err
		}
		if len(q.Texts) == 0 { // what the model is shown
			if err := out.Encode(parameters(scope, q.Tool)); err != nil {
				return err
			}
			continue
		}
		answers := make([]answer, len(q.Texts))
		for i, text := range q.Texts {
			answers[i] = p.ask(scope, q.Tool, text)
		}
		if err := out.Encode(answers); err != nil {
			return err
		}
	}
	return in.Err()
}

// parameters is the schema of a tool.
func parameters(scope *tool.Scope, name string) json.RawMessage {
	for _, t := range scope.Tools() {
		if t.Name == name {
			return t.Parameters
		}
	}
	return nil
}

// ask calls one tool, and its engine beside it.
func (p *program) ask(scope *tool.Scope, name string, text []byte) answer {
	p.seen, p.fault = nil, nil
	res := scope.Call(context.Background(), tool.Call{Name: name, Arguments: text})
	engine := p.engines[name]
	if engine == nil {
		return answer{Fault: "there is no such tool"}
	}
	normalized, report := engine.Normalize(string(text))
	a := answer{OK: !res.IsError, Repairs: len(res.Arguments.Repairs)}
	if json.Valid(p.seen) {
		a.Value = p.seen
	}
	if json.Valid(normalized) {
		a.Normalized = normalized
	}
	for _, problem := range res.Arguments.Problems {
		a.Codes = append(a.Codes, string(problem.Code))
		a.Pointers = append(a.Pointers, problem.Pointer)
	}
	switch {
	case res.Err != nil:
		a.Fault = res.Err.Error()
	case p.fault != nil:
		a.Fault = p.fault.Error()
	case res.IsError && len(a.Codes) == 0:
		a.Fault = res.Text
	case report.OK() != a.OK:
		a.Fault = fmt.Sprintf("the generated decoder says %v, the engine alone: %s", a.OK, report)
	case engine.Validate(string(text)).OK() != a.OK:
		a.Fault = "Validate and the generated decoder differ"
	case a.OK && a.Normalized == nil:
		a.Fault = fmt.Sprintf("the normalized text is not JSON: %q", normalized)
	case a.OK && a.Value == nil:
		a.Fault = fmt.Sprintf("the value does not encode: %q", p.seen)
	default:
		a.Fault = p.differs(name, text, res, normalized)
	}
	return a
}

// differs says how the loaded tool differs from the generated one.
func (p *program) differs(name string, text []byte, want tool.CallResult, normalized []byte) string {
	p.args = nil
	got := p.scope.Call(context.Background(), tool.Call{Name: name, Arguments: text})
	switch {
	case got.Text != want.Text || got.IsError != want.IsError || !reflect.DeepEqual(got.Arguments, want.Arguments):
		return fmt.Sprintf("the loaded contract says %q, the generated one %q", got.Text, want.Text)
	case string(p.args) != string(normalized):
		return fmt.Sprintf("the loaded contract gives %q, the engine %q", p.args, normalized)
	}
	return ""
}

// mount mounts one tool with a handler that writes its arguments down.
func mount[O, A any](p *program, c *tool.Contract, m func(*tool.Registry, O, tool.Handler[A, tool.Plain], ...tool.MountOption) error) error {
	params := c.Variants[0].Params
	compiled, err := schema.Compile(params)
	if err != nil {
		return err
	}
	limit := decode.WithMaxBytes(int(c.Variants[0].Limits.ArgumentBytes))
	if p.engines[c.Mounted], err = decode.New(compiled, limit); err != nil {
		return err
	}
	if err := p.load(c); err != nil {
		return err
	}
	enc := encoder{defs: params.Defs}
	var options O
	return m(p.reg, options, func(_ context.Context, _ tool.Call, args A) (tool.Plain, error) {
		p.seen, p.fault = enc.encode(nil, reflect.ValueOf(args), params.Root)
		return "ok", nil
	})
}

// load mounts the loaded tool, whose contract must be the generated one.
func (p *program) load(c *tool.Contract) error {
	loaded := p.loaded.Find(c.Name)
	if !reflect.DeepEqual(loaded, c) {
		return fmt.Errorf("%s: loaded\n%+v\ngenerated\n%+v", c.Name, loaded, c)
	}
	return contracts.Mount(p.beside, loaded, contracts.Options{}, func(_ context.Context, _ tool.Call, args json.RawMessage) (tool.Output, error) {
		p.args = args
		return tool.Plain("ok"), nil
	})
}
