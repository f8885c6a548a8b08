package contracts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// Options are a deployment's choices when it mounts a tool, by the names of its options. What is not there is the
// default, so the zero value is all defaults. The handler reads them from its call: see [OptionsOf].
type Options struct {
	Choice   map[string]string // finite options; booleans are "true" and "false"
	Settings map[string]any    // open options: what encoding/json writes as a value of the option's type
}

// OptionsOf returns the options under which the tool of a call is mounted, with every default filled in: a setting that
// was not given is an int64, a float64, a string or a bool, or else a json.RawMessage.
func OptionsOf(call tool.Call) Options {
	o, _ := call.Options().(Options)
	return Options{maps.Clone(o.Choice), maps.Clone(o.Settings)}
}

// Handler carries out one call. Its arguments are valid and complete: a JSON object without white space between its
// tokens, in which repairs are made, and defaults and fixed values applied. They are the handler's own. Middleware sees them as a
// *json.RawMessage. An error becomes an
// error result with the error's text, which the model reads.
type Handler func(ctx context.Context, call tool.Call, args json.RawMessage) (tool.Output, error)

// Result is the result of a tool whose contract has results: the name of one of them, and the text that the model reads.
// Where the contract has none, a handler returns a [tool.Plain].
type Result struct {
	Name string
	Text string
}

// ResultName returns the name.
func (r Result) ResultName() string { return r.Name }

// AppendText appends the text.
func (r Result) AppendText(b []byte) []byte { return append(b, r.Text...) }

// Mount puts a tool into a registry, as the generated mount functions do. Errors are those of [tool.Mount], and those of
// options that the tool does not have.
func Mount(reg *tool.Registry, c *tool.Contract, options Options, handle Handler, opts ...tool.MountOption) error {
	if c == nil {
		return errors.New("contracts: there is no contract to be mounted")
	}
	b, err := bind(c, options)
	if err != nil {
		return err
	}
	b.Decode = func(d *decode.Decoder) any {
		args := json.RawMessage(d.Normalize())
		return &args
	}
	if handle != nil {
		b.Run = func(ctx context.Context, call tool.Call, args any) (tool.Output, error) {
			return handle(ctx, call, *args.(*json.RawMessage))
		}
	}
	return tool.Mount(reg, b, opts...)
}

// bind resolves the options.
func bind(c *tool.Contract, options Options) (tool.Binding, error) {
	b := tool.Binding{Contract: c}
	resolved := Options{make(map[string]string, len(c.Options)), make(map[string]any, len(c.Settings))}
	var names []string
	for _, o := range c.Options {
		names = append(names, o.Name)
		word := options.Choice[o.Name]
		b.Choice = append(b.Choice, word)
		if word == "" && len(o.Values) > 0 {
			word = o.Values[0]
		}
		resolved.Choice[o.Name] = word
	}
	if err := refuseOthers(c, "finite", names, slices.Sorted(maps.Keys(options.Choice))); err != nil {
		return b, err
	}
	names = nil
	for _, f := range c.Settings {
		names = append(names, f.Name)
		value, given := options.Settings[f.Name]
		if !given {
			var err error
			if value, err = valueOf(f.Type, f.Default); err != nil {
				return b, fmt.Errorf("contracts: the contract of %s is damaged: the default of %s: %w", c.Name, f.Name, err)
			}
		}
		b.Settings = append(b.Settings, value)
		resolved.Settings[f.Name] = value
	}
	if err := refuseOthers(c, "open", names, slices.Sorted(maps.Keys(options.Settings))); err != nil {
		return b, err
	}
	if len(c.Options)+len(c.Settings) > 0 {
		b.Options = resolved
	}
	return b, nil
}

// refuseOthers refuses a name that is no option.
func refuseOthers(c *tool.Contract, kind string, names, given []string) error {
	for _, name := range given {
		switch {
		case slices.Contains(names, name):
		case len(names) == 0:
			return fmt.Errorf("contracts: %s has no %s option %q, nor any other", c.Name, kind, name)
		default:
			return fmt.Errorf("contracts: %s has no %s option %q; it has %s", c.Name, kind, name, strings.Join(names, ", "))
		}
	}
	return nil
}

// valueOf is a default as Go's own types have it, where one of them keeps it exactly.
func valueOf(t *schema.Type, text string) (any, error) {
	switch {
	case t == nil || text == "null":
	case t.Kind == schema.Int:
		if v, fault := schema.ParseInt(text); fault == schema.OK {
			return v, nil
		}
	case t.Kind == schema.Number:
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			return v, nil
		}
	case t.Kind == schema.String || t.Kind == schema.Bool:
		var v any
		err := json.Unmarshal([]byte(text), &v)
		return v, err
	}
	if !json.Valid([]byte(text)) {
		return nil, fmt.Errorf("%q is not JSON", text)
	}
	return json.RawMessage(text), nil
}
