package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// Output is what a handler returns: a generated result, which knows its name and its text.
type Output interface {
	// ResultName is the name of the result in the spec.
	ResultName() string
	// AppendText appends the text that the model reads.
	AppendText(b []byte) []byte
}

// Handler carries out one call. Its arguments are valid and complete: defaults are applied. An error becomes an error
// result with the error's text, which the model reads.
type Handler[A any, R Output] func(ctx context.Context, call Call, args A) (R, error)

// Run carries out one call whose arguments were read.
type Run func(ctx context.Context, call Call) (Output, error)

// Binding joins a contract to Go code. Generated mount functions fill it in. It has no type parameters: what is the same
// for every tool is compiled once, not once per tool.
type Binding struct {
	Contract *Contract
	Choice   []string // a value per finite option, in order; empty: the default
	Options  any      // the resolved options, for Call.Options

	// Settings are the resolved open options, in the order of Contract.Settings.
	Settings []any

	// Prepare reads the arguments and returns what carries the call out with them. It is nil where the user gave no
	// handler.
	Prepare func(*decode.Decoder) Run
}

// MountOption is a choice that a deployment makes for one mount.
type MountOption func(*mountSettings)

type mountSettings struct {
	name    string
	primary bool
}

// As mounts the tool under another name; every text follows.
func As(name string) MountOption { return func(s *mountSettings) { s.name = name } }

// Primary makes this mount the one that other tools' texts speak of, where one tool is mounted several times.
func Primary() MountOption { return func(s *mountSettings) { s.primary = true } }

// mounted is a tool in a registry.
type mounted struct {
	name       string
	primary    bool
	contract   *Contract
	variant    *Variant
	options    any
	parameters json.RawMessage
	run        func(ctx context.Context, call Call) CallResult
}

// Mount puts a tool into a registry. Errors say what is wrong with the deployment: a name that is taken or not legal, an
// option's value that does not exist, a combination of options that the spec rejects (with its reason), or a contract
// whose tables are damaged. A nil registry is an error too; a nil option is none, and changes nothing.
func Mount(reg *Registry, b Binding, opts ...MountOption) error {
	c := b.Contract
	if c == nil {
		return errors.New("tool: a binding without a contract cannot be mounted")
	}
	if reg == nil {
		return fmt.Errorf("tool: %s is mounted into a nil registry; make one with tool.NewRegistry", c.Name)
	}
	set := mountSettings{name: c.Mounted}
	for _, o := range opts {
		if o != nil {
			o(&set)
		}
	}
	if !legalName(set.name) {
		return fmt.Errorf("tool: %q is no name for a tool: use 1 to 64 letters, digits, _ and -", set.name)
	}
	if b.Prepare == nil {
		return fmt.Errorf("tool: %s is mounted without a handler", set.name)
	}
	variant, err := c.choose(b.Choice)
	if err != nil {
		return err
	}
	if err := c.checkSettings(b.Settings); err != nil {
		return err
	}
	program, err := schema.Compile(variant.Params)
	if err != nil {
		return fmt.Errorf("tool: the contract of %s is damaged: %w", c.Name, err)
	}
	m := &mounted{name: set.name, primary: set.primary, contract: c, variant: variant, options: b.Options}
	m.parameters = json.RawMessage(variant.Schema.render(func(string) string { return set.name }))
	engine, err := decode.New(program, decode.WithMaxBytes(int(variant.Limits.ArgumentBytes)))
	if err != nil {
		return fmt.Errorf("tool: the contract of %s is damaged: %w", c.Name, err)
	}
	timeout, err := variant.Limits.timeout()
	if err != nil {
		return fmt.Errorf("tool: the contract of %s is damaged: %w", c.Name, err)
	}
	m.run = func(ctx context.Context, call Call) CallResult {
		var run Run
		report := engine.Read(string(call.Arguments), func(d *decode.Decoder) { run = b.Prepare(d) })
		if !report.OK() {
			return call.refused(report)
		}
		if timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, timeout)
			defer cancel()
		}
		out, err := run(ctx, call)
		if err != nil {
			return call.error(err)
		}
		return call.finished(out, variant, report)
	}
	return reg.add(m)
}

// checkSettings checks the open options against the types that the spec gives them.
func (c *Contract) checkSettings(values []any) error {
	if len(c.Settings) == 0 {
		return nil
	}
	given := make(map[string]any, len(values))
	for i, f := range c.Settings {
		if i < len(values) {
			given[f.Name] = values[i]
		}
	}
	args, err := json.Marshal(given)
	if err != nil {
		return fmt.Errorf("tool: the options of %s: %w", c.Name, err)
	}
	program, err := schema.Compile(&schema.Schema{Root: &schema.Type{Kind: schema.Object, Fields: c.Settings}})
	if err != nil {
		return fmt.Errorf("tool: the contract of %s is damaged: %w", c.Name, err)
	}
	engine, err := decode.New(program)
	if err != nil {
		return fmt.Errorf("tool: the contract of %s is damaged: %w", c.Name, err)
	}
	if report := engine.Validate(string(args)); !report.OK() {
		return fmt.Errorf("tool: %s cannot be mounted with these options: %s", c.Name, report)
	}
	return nil
}

// legalName reports whether a name is accepted by every provider that toolgen knows.
func legalName(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	}) < 0
}

// choose returns the variant that a choice of the finite options selects.
func (c *Contract) choose(choice []string) (*Variant, error) {
	at := 0
	for i, o := range c.Options {
		v := 0
		if i < len(choice) && choice[i] != "" {
			if v = slices.Index(o.Values, choice[i]); v < 0 {
				return nil, fmt.Errorf("tool: %s has no %s %q; it is one of %s", c.Name, o.Name, choice[i], strings.Join(o.Values, ", "))
			}
		}
		at = at*len(o.Values) + v
	}
	if at >= len(c.Combinations) {
		return nil, fmt.Errorf("tool: the contract of %s is damaged: it has %d combinations", c.Name, len(c.Combinations))
	}
	combo := c.Combinations[at]
	if combo.Rejected != "" {
		return nil, fmt.Errorf("tool: %s cannot be mounted with these options: %s", c.Name, combo.Rejected)
	}
	return &c.Variants[combo.Variant], nil
}
