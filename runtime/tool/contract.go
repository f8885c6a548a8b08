package tool

import (
	"fmt"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// Contract is one tool as data, with all its variants. Generated packages declare contracts; nothing modifies one.
type Contract struct {
	Package string // import path of the spec package
	Index   int    // position among the tools of its package, for sections of equal order
	Name    string // the label, by which texts refer to the tool
	Mounted string // the name under which it is mounted unless a deployment renames it
	Title   string // for people

	Options      []Option      // the finite options, in order
	Combinations []Combination // one per choice of them; the last option turns fastest, 0 is all defaults
	Variants     []Variant

	Settings     []schema.Field // the open options, with their types
	RetiredNames []string       // former names of the tool
}

// Option is a finite option: its values, the default first. Booleans are "true" and "false".
type Option struct {
	Name   string
	Values []string
}

// Combination says which variant a choice of the finite options selects.
type Combination struct {
	Variant  int    // index into Contract.Variants
	Rejected string // where not empty: the choice is refused, for this reason
}

// Variant is the contract under one choice of the finite options.
type Variant struct {
	Description []Clause       // joined by one space
	Schema      Text           // the parameters' JSON Schema: compact JSON, properties in source order
	Params      *schema.Schema // the same, as the tables that decoding runs over
	Sections    []Section
	Needs       []string // labels of tools that must be visible with this one
	Enums       []string // labels of enums whose words its parameters and results use
	Results     []string // names of the results that the handler may return
	Safe        bool     // whether its calls may run together with others
	Hints       Hints
	Limits      Limits
}

// Clause is a named part of a description.
type Clause struct {
	ID   string
	Text Text
}

// Section is a piece of system prompt that a tool owns.
type Section struct {
	Label string
	Main  bool // the tool's first section, whose id has no label
	Order float64
	Text  Text
}

// Hints are what a tool says of its effects, as MCP's annotations do.
type Hints struct {
	ReadOnly, Destructive, Idempotent, OpenWorld Hint
}

// Hint is a claim, its denial, or silence.
type Hint uint8

// The states of a Hint.
const (
	Unsaid Hint = iota
	Yes
	No
)

// Limits bound one call; zero means no limit of the contract's own.
type Limits struct {
	ArgumentBytes int64
	ResultBytes   int64  // of a result's text, in place of DefaultResultBytes; an error's text has MaxErrorBytes
	Timeout       string // a Go duration, after which the handler's context is cancelled
}

func (l Limits) timeout() (time.Duration, error) {
	if l.Timeout == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(l.Timeout)
	if err == nil && d <= 0 {
		err = fmt.Errorf("the timeout %s is not positive", l.Timeout)
	}
	return d, err
}

// Text is prose as the spec wrote it: literals and references, in order.
type Text []Segment

// Segment is a literal, or a reference to a tool, a parameter of a tool, or a word of an enum.
type Segment struct {
	Lit   string
	Tool  string // label
	Param string // with Tool
	Enum  string // label
	Word  string // with Enum
}

// has reports whether the variant has a parameter.
func (v *Variant) has(param string) bool {
	for _, f := range v.Params.Root.Fields {
		if f.Name == param {
			return !f.Gone
		}
	}
	return false
}
