package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

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

// Binding joins a contract to Go code. Generated mount functions fill it in. It has no type parameters: what is the same
// for every tool is compiled once, not once per tool.
type Binding struct {
	Contract *Contract
	Choice   []string // a value per finite option, in order; empty: the default
	Options  any      // the resolved options, for Call.Options

	// Settings are the resolved open options, in the order of Contract.Settings.
	Settings []any

	// Decode reads the arguments and returns a pointer to them.
	Decode func(*decode.Decoder) any

	// Run carries out one call. Its arguments are what Decode returned. It is nil where the user gave no handler.
	Run func(ctx context.Context, call Call, args any) (Output, error)
}

// MountOption is a choice that a deployment makes for one mount.
type MountOption func(*mountSettings)

type mountSettings struct {
	name     string
	primary  bool
	limits   Limits
	deadline time.Duration
	caps     []decode.Option
	errs     []error
}

// As mounts the tool under another name; every text follows.
func As(name string) MountOption { return func(s *mountSettings) { s.name = name } }

// Primary makes this mount the one that other tools' texts speak of, where one tool is mounted several times.
func Primary() MountOption { return func(s *mountSettings) { s.primary = true } }

// Deadline is after how long the handler's context ends, in place of the contract's own timeout. It must be positive.
func Deadline(d time.Duration) MountOption {
	return func(s *mountSettings) {
		if d <= 0 {
			s.errs = append(s.errs, fmt.Errorf("the deadline %s is not positive", d))
		}
		s.deadline = d
	}
}

// ResultBytes bounds the text of a result, in place of the contract's own limit. It must be positive.
func ResultBytes(n int64) MountOption {
	return func(s *mountSettings) {
		if n <= 0 {
			s.errs = append(s.errs, fmt.Errorf("the limit of %d bytes for results is not positive", n))
		}
		s.limits.ResultBytes = n
	}
}

// ArgumentBytes bounds the text of the arguments, in place of the contract's own limit. It must be positive.
func ArgumentBytes(n int64) MountOption {
	return func(s *mountSettings) {
		if n <= 0 {
			s.errs = append(s.errs, fmt.Errorf("the limit of %d bytes for arguments is not positive", n))
		}
		s.limits.ArgumentBytes = n
	}
}

// Cap bounds a parameter that is an integer or a number, without telling the model: a larger value becomes the cap, be it
// given or a default, and the repair `cap` is noted. The contract must allow the cap itself, and a parameter has one.
func Cap[N int | int64 | float64](param string, most N) MountOption {
	return func(s *mountSettings) { s.caps = append(s.caps, decode.WithCap(param, decimal(most))) }
}

// decimal writes a number as tables do.
func decimal[N int | int64 | float64](n N) string {
	switch n := any(n).(type) {
	case float64:
		return strconv.FormatFloat(n, 'f', -1, 64)
	case int64:
		return strconv.FormatInt(n, 10)
	case int:
		return strconv.Itoa(n)
	}
	return ""
}

// mounted is a tool in a registry.
type mounted struct {
	name       string
	primary    bool
	contract   *Contract
	variant    *Variant
	options    any
	parameters json.RawMessage
	sections   []string   // the ids of the variant's sections
	alone      *rendering // its texts in any scope, where they depend on no other tool; else nil

	strict      *decode.Engine
	tolerant    *decode.Engine // repairs what strict refuses, and reads everything else as that does
	decode      func(*decode.Decoder) any
	run         func(ctx context.Context, call Call, args any) (Output, error)
	secrets     bool // some parameter is marked secret
	resultBytes int64
	overdue     *DeadlineError // what ends the handler's context; nil: nothing does
}

// Mount puts a tool into a registry. Errors say what is wrong with the deployment: a name that is taken or not legal, an
// option's value that does not exist, a combination of options that the spec rejects (with its reason), a limit that is
// none, or a contract whose tables are damaged. A nil registry is an error too; a nil option is none, and changes nothing.
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
	if err := errors.Join(set.errs...); err != nil {
		return fmt.Errorf("tool: %s cannot be mounted: %w", set.name, err)
	}
	if b.Run == nil || b.Decode == nil {
		return fmt.Errorf("tool: %s is mounted without a handler", set.name)
	}
	m, err := newMount(b, set)
	if err != nil {
		return err
	}
	return reg.add(m)
}

func newMount(b Binding, set mountSettings) (*mounted, error) {
	c := b.Contract
	variant, err := c.choose(b.Choice)
	if err != nil {
		return nil, err
	}
	if err := c.checkSettings(b.Settings); err != nil {
		return nil, err
	}
	damaged := func(err error) error { return fmt.Errorf("tool: the contract of %s is damaged: %w", c.Name, err) }
	program, err := schema.Compile(variant.Params)
	if err != nil {
		return nil, damaged(err)
	}
	settings := append(set.caps, decode.WithMaxBytes(int(cmp.Or(set.limits.ArgumentBytes, variant.Limits.ArgumentBytes))))
	strict, err := decode.New(program, settings...)
	if err != nil {
		if _, damage := decode.New(program); damage != nil {
			return nil, damaged(damage)
		}
		return nil, fmt.Errorf("tool: %s cannot be mounted with these caps: %w", set.name, err)
	}
	tolerant, err := decode.New(program, append(settings, decode.WithMode(decode.Tolerant))...)
	if err != nil {
		return nil, damaged(err)
	}
	timeout, err := variant.Limits.timeout()
	if err != nil {
		return nil, damaged(err)
	}
	m := &mounted{
		name: set.name, primary: set.primary, contract: c, variant: variant, options: b.Options,
		strict: strict, tolerant: tolerant, decode: b.Decode, run: b.Run, secrets: program.Root().Secrets,
		resultBytes: cmp.Or(set.limits.ResultBytes, max(variant.Limits.ResultBytes, 0), DefaultResultBytes),
	}
	var own view // what a tool says of itself needs no other
	m.parameters = own.append(nil, m, variant.Schema)
	for _, sec := range variant.Sections {
		id := "tool:" + m.name
		if !sec.Main {
			id += "/" + sec.Label
		}
		m.sections = append(m.sections, id)
	}
	if d := cmp.Or(set.deadline, timeout); d > 0 {
		m.overdue = &DeadlineError{Limit: d}
	}
	if !m.speaksOfOthers() {
		m.alone, _ = own.render(m, nil)
	}
	return m, nil
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
