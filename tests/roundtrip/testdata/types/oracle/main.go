// Command oracle says what CUE itself thinks of arguments: it reads lines {"tool": ..., "texts": [...]} and writes, for
// each, a line with one verdict per text. It evaluates the spec with the plain spec language, not with toolgen.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	cueload "cuelang.org/go/cue/load"
	cuejson "cuelang.org/go/encoding/json"
	"cuelang.org/go/encoding/jsonschema"

	"github.com/toolgen-dev/toolgen/spec/toolspec"
)

// verdict is what CUE says of one text: nothing where it accepts it.
type verdict struct {
	OK  bool   `json:"ok"`
	Err string `json:"err,omitempty"`
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	checks, err := load()
	if err != nil {
		return err
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<28)
	out := json.NewEncoder(os.Stdout)
	for in.Scan() {
		var q struct {
			Tool   string
			Texts  [][]byte
			Export bool // the JSON Schema that CUE itself makes of the tool's arguments, in place of verdicts
		}
		if err := json.Unmarshal(in.Bytes(), &q); err != nil {
			return err
		}
		check := checks.LookupPath(cue.MakePath(cue.Str(q.Tool)))
		if err := check.Err(); err != nil {
			return err
		}
		if q.Export {
			if err := out.Encode(export(check)); err != nil {
				return err
			}
			continue
		}
		verdicts := make([]verdict, len(q.Texts))
		for i, text := range q.Texts {
			if err := judge(check, text); err != nil {
				verdicts[i].Err = err.Error()
			} else {
				verdicts[i].OK = true
			}
		}
		if err := out.Encode(verdicts); err != nil {
			return err
		}
	}
	return in.Err()
}

// export is a value in CUE's own JSON Schema, or why there is none.
func export(v cue.Value) (out struct {
	Schema json.RawMessage
	Err    string
}) {
	expr, err := jsonschema.Generate(v, nil)
	if err == nil {
		out.Schema, err = v.Context().BuildExpr(expr).MarshalJSON()
	}
	if err != nil {
		out.Err = err.Error()
	}
	return out
}

// judge unifies a text with a type.
func judge(check cue.Value, text []byte) error {
	// CUE's reader of JSON refuses a byte order mark, also inside a string.
	head, rest := text[:min(len(text), 1)], text[min(len(text), 1):]
	text = append(slices.Clip(head), bytes.ReplaceAll(rest, []byte("\ufeff"), []byte(`\ufeff`))...)
	x, err := cuejson.Extract("args", text)
	if err != nil {
		return err
	}
	return check.Unify(check.Context().BuildExpr(x)).Validate(cue.Concrete(true), cue.Final())
}

// load evaluates the spec together with one definition that holds the arguments of every tool. Being a definition, it
// closes what is not written with `...`, at any depth: the rule of toolgen for every type.
func load() (cue.Value, error) {
	dir, err := os.Getwd()
	if err != nil {
		return cue.Value{}, err
	}
	spec, err := build(dir, "")
	if err != nil {
		return cue.Value{}, err
	}
	var b strings.Builder
	b.WriteString("package types\n\n#Args: {\n")
	tools, err := spec.LookupPath(cue.ParsePath("tools")).Fields()
	if err != nil {
		return cue.Value{}, err
	}
	for tools.Next() {
		params := tools.Value().LookupPath(cue.ParsePath("params"))
		expr, err := object(params, "tools."+tools.Selector().String()+".params")
		if err != nil {
			return cue.Value{}, err
		}
		fmt.Fprintf(&b, "\t%s: %s\n", tools.Selector(), expr)
	}
	b.WriteString("}\n")
	if spec, err = build(dir, b.String()); err != nil {
		return cue.Value{}, err
	}
	return spec.LookupPath(cue.ParsePath("#Args")), nil
}

// object is the type of a struct of parameters.
func object(params cue.Value, path string) (string, error) {
	it, err := params.Fields()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("{")
	for it.Next() {
		p := it.Value()
		mark := "!"
		if optional, err := p.LookupPath(cue.ParsePath("optional")).Bool(); err == nil && optional || p.LookupPath(cue.ParsePath("default")).Exists() {
			mark = "?"
		}
		expr, err := param(p, path+"."+it.Selector().String())
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s%s: %s, ", strconv.Quote(it.Selector().Unquoted()), mark, expr)
	}
	b.WriteString("}")
	return b.String(), nil
}

// param is the type of one parameter, by reference to the spec as far as it has one.
func param(p cue.Value, path string) (string, error) {
	if fields := p.LookupPath(cue.ParsePath("fields")); fields.Exists() {
		return object(fields, path+".fields")
	}
	if items := p.LookupPath(cue.ParsePath("items")); items.Exists() {
		expr, err := param(items, path+".items")
		return "[..." + expr + "]", err
	}
	return path + ".type", nil
}

// build evaluates the spec, with the spec language beside it and one more file if there is a text for it.
func build(dir, more string) (cue.Value, error) {
	overlay := map[string]cueload.Source{
		filepath.Join(dir, "cue.mod", "module.cue"):                                                   cueload.FromString("module: \"example.com/types@v0\"\nlanguage: version: \"v0.17.0\"\n"),
		filepath.Join(dir, "cue.mod", "pkg", filepath.FromSlash(toolspec.ImportPath), "toolspec.cue"): cueload.FromString(toolspec.Source()),
	}
	specs, err := filepath.Glob(filepath.Join(dir, "spec", "types", "*.cue"))
	if err != nil {
		return cue.Value{}, err
	}
	for _, name := range specs {
		src, err := os.ReadFile(name)
		if err != nil {
			return cue.Value{}, err
		}
		if src, err = closed(name, src); err != nil {
			return cue.Value{}, err
		}
		overlay[name] = cueload.FromBytes(src)
	}
	if more != "" {
		overlay[filepath.Join(dir, "spec", "types", "args.cue")] = cueload.FromString(more)
	}
	inst := cueload.Instances([]string{"./spec/types"}, &cueload.Config{Dir: dir, Overlay: overlay})[0]
	if inst.Err != nil {
		return cue.Value{}, inst.Err
	}
	v := cuecontext.New().BuildInstance(inst)
	return v, v.Err()
}
