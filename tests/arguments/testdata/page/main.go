// Command page reads arguments from standard input by the contracts of spec/page, in both modes, and prints what became of
// them.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"

	"example.com/page/gen/page"
)

//go:generate go tool toolgen generate

// query is one line of input. The text is base64, since it need not be UTF-8.
type query struct {
	Tool string
	Args []byte
	Caps map[string]string
}

// answer is one line of output.
type answer struct {
	Strict, Tolerant reading
	Value            string // what the handler got of the repaired text
	Fault            string // something that must not happen
}

// reading is what one mode makes of the arguments.
type reading struct {
	Normalized json.RawMessage
	Text       []byte // what was read
	Report     decode.Report
	Said       string // the report as a model reads it
}

// program is everything that is mounted.
type program struct {
	scope  *tool.Scope
	tables map[string]*tool.Contract
	seen   string
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	p := &program{tables: map[string]*tool.Contract{}}
	reg := tool.NewRegistry()
	off := page.RunOptions{EnableRunInBackground: tool.Off}
	for _, err := range []error{
		page.MountFind(reg, page.FindOptions{}, see[page.FindArgs](p)),
		page.MountPut(reg, page.PutOptions{}, see[page.PutArgs](p)),
		page.MountPing(reg, page.PingOptions{}, see[page.PingArgs](p)),
		page.MountEdit(reg, page.EditOptions{}, see[page.EditArgs](p)),
		page.MountNest(reg, page.NestOptions{}, see[page.NestArgs](p)),
		page.MountBounds(reg, page.BoundsOptions{}, see[page.BoundsArgs](p)),
		page.MountRun(reg, page.RunOptions{}, see[page.RunArgs](p), tool.Primary()),
		page.MountRun(reg, off, see[page.RunArgs](p), tool.As("foreground")),
	} {
		if err != nil {
			return err
		}
	}
	var err error
	if p.scope, err = reg.Scope(); err != nil {
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
		if err := out.Encode(p.ask(q)); err != nil {
			return err
		}
	}
	return in.Err()
}

// see is a handler that notes what it got.
func see[A any](p *program) tool.Handler[A, tool.Plain] {
	return func(_ context.Context, _ tool.Call, args A) (tool.Plain, error) {
		p.seen = fmt.Sprintf("%+v", args)
		return "ok", nil
	}
}

// variant finds the contract that a tool is mounted with.
func variant(name string) *tool.Variant {
	contract, off := page.Contracts[name], false
	if name == "foreground" {
		contract, off = page.Contracts["run"], true
	}
	if contract == nil {
		return nil
	}
	at := contract.Combinations[0].Variant
	if off {
		at = contract.Combinations[len(contract.Combinations)-2].Variant // background off, no trace
	}
	return &contract.Variants[at]
}

func (p *program) ask(q query) (a answer) {
	switch q.Tool {
	case "too-complex":
		return answer{Strict: tooComplex(q.Args), Tolerant: tooComplex(q.Args)}
	case "bad-table":
		return answer{Strict: badTable(q.Args), Tolerant: badTable(q.Args)}
	}
	v := variant(q.Tool)
	if v == nil {
		return answer{Strict: p.dispatch(q, tool.Strict()), Tolerant: p.dispatch(q)}
	}
	compiled, err := schema.Compile(v.Params)
	if err != nil {
		return answer{Fault: err.Error()}
	}
	for mode, to := range map[decode.Mode]*reading{decode.Strict: &a.Strict, decode.Tolerant: &a.Tolerant} {
		opts := []decode.Option{decode.WithMode(mode), decode.WithMaxBytes(int(v.Limits.ArgumentBytes))}
		for param, most := range q.Caps {
			opts = append(opts, decode.WithCap(param, most))
		}
		engine, err := decode.New(compiled, opts...)
		if err != nil {
			return answer{Fault: err.Error()}
		}
		text, report := engine.Repair(string(q.Args))
		*to = reading{Text: []byte(text), Report: report, Said: report.String()}
		normalized, again := engine.Normalize(string(q.Args))
		to.Normalized = normalized
		if again.String() != to.Said || fmt.Sprint(again.Repairs) != fmt.Sprint(report.Repairs) {
			a.Fault = fmt.Sprintf("Repair says %s %v, Normalize %s %v", to.Said, report.Repairs, again, again.Repairs)
		}
	}
	if len(q.Caps) > 0 {
		return a // which a mount has, and no call
	}
	// What the engine made of the text is what generated code makes of it.
	p.seen = ""
	res := p.scope.Call(context.Background(), tool.Call{ID: "1", Name: q.Tool, Arguments: a.Tolerant.Text})
	a.Value = p.seen
	if res.IsError == a.Tolerant.Report.OK() {
		a.Fault = fmt.Sprintf("the call says %s, and the engine %s", res.Text, a.Tolerant.Said)
	}
	return a
}
