// Package contract is toolgen's model of tool contracts: what every renderer, check and other back end works from.
//
// A [Model] holds packages; a package holds tools, enums and notices. A [Tool] has one [Variant] per distinct contract
// that its finite options select; a variant holds parameters with their types, texts as segments (literals and
// references), sections, results and what else differs from variant to variant. Everything is concrete and in source
// order; nothing here evaluates CUE. [Validate] says what is wrong with a model before anything is rendered, and the
// model's JSON form is the published file gen/contracts.json (see [Format]).
package contract

import (
	"encoding/json"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// Format is the revision of the JSON form of a [Model]. It changes when a reader of the former revision would
// misunderstand the file.
const Format = 2

// Model is everything that was declared, over all packages of a project.
type Model struct {
	Format   int        `json:"format"`
	Packages []*Package `json:"packages"`

	// External are packages that texts and types refer to without being part of the project, such as the shipped
	// agent tools. They are not rendered.
	External []*Package `json:"-"`

	// Faults are where the model is not whole. Nothing may be rendered from such a model; it can be checked.
	Faults *Faults `json:"-"`
}

// Package is one spec package.
type Package struct {
	Name    string     `json:"name"` // CUE and Go package name
	Path    string     `json:"path"` // CUE import path without a major version
	Dir     string     `json:"dir"`  // folder, slash-separated, relative to the project's root
	GoPath  string     `json:"goPath,omitempty"`
	Doc     string     `json:"doc,omitempty"`
	Tools   []*Tool    `json:"tools,omitempty"`
	Enums   []*Enum    `json:"enums,omitempty"`
	Notices []*Message `json:"notices,omitempty"`
	Defs    []*Def     `json:"defs,omitempty"` // definitions that parameters and fields use, by name

	Imports []string `json:"-"` // import paths of the packages that it uses, directly or not
	Budgets *Budgets `json:"-"` // for the package's own tools; a rule for its authors, no part of a contract

	Pos diag.Position `json:"-"` // the package clause
}

// Budgets bound what a model has to read of each tool of a package, in characters (Unicode code points) of the text as
// rendered in any variant. Zero is no bound.
type Budgets struct {
	Description int64 // of one description
	Doc         int64 // of the doc of one parameter or property
	Section     int64 // of one section
	Tool        int64 // of a name, its description and its parameters as compact JSON, as CATALOG.md counts them

	Pos diag.Position
}

// Def is a named type: a CUE definition that a parameter's type refers to.
type Def struct {
	Name string `json:"name"` // without the leading #
	Doc  string `json:"doc,omitempty"`
	Type *Type  `json:"type"`

	Pos diag.Position `json:"-"`
}

// Tool is one declared tool with all its variants.
type Tool struct {
	Name    string    `json:"name"`            // the label
	Wire    string    `json:"wire,omitempty"`  // the mounted name, where it is not the label
	Title   string    `json:"title,omitempty"` // for people
	Doc     string    `json:"doc,omitempty"`   // for Go programmers: the comment of the declaration
	Options []*Option `json:"options,omitempty"`

	// Args are the parameters over all variants in source order, for the one Go type that they share. Type is the
	// widest view: bounds are those of the first variant that has the parameter and mean nothing here.
	Args []*Arg `json:"args"`

	Results      []*Message     `json:"results,omitempty"` // over all variants
	Variants     []*Variant     `json:"variants"`
	Combinations []*Combination `json:"combinations"` // every choice of the finite options, in order
	Retired      *RetiredNames  `json:"retired,omitempty"`

	Package *Package      `json:"-"`
	Pos     diag.Position `json:"-"`
}

// Mounted returns the name under which the tool is mounted unless a deployment renames it.
func (t *Tool) Mounted() string {
	if t.Wire != "" {
		return t.Wire
	}
	return t.Name
}

// Arg is a parameter over all variants of a tool.
type Arg struct {
	Name string `json:"name"`
	Type *Type  `json:"type"`

	// Opt is set where some variant neither requires the parameter, nor has a default for it, nor fixes it, so that
	// absence must be seen by the handler.
	Opt bool `json:"opt,omitempty"`

	Pos diag.Position `json:"-"`
}

// OptionKind tells finite options, which make variants, from open ones.
type OptionKind string

// The kinds of options.
const (
	OptionBool OptionKind = "bool" // finite
	OptionEnum OptionKind = "enum" // finite
	OptionOpen OptionKind = "open" // a setting of the runtime
)

// Option is a deployment's choice when it mounts a tool.
type Option struct {
	Name    string          `json:"name"`
	Kind    OptionKind      `json:"kind"`
	Doc     string          `json:"doc,omitempty"`
	Values  []string        `json:"values,omitempty"` // finite: the default first, then in source order; booleans as true, false
	Default json.RawMessage `json:"default"`
	Type    *Type           `json:"type,omitempty"` // open options only

	Pos diag.Position `json:"-"`
}

// Combination is one choice of every finite option. Select holds one value per finite option, in option order.
type Combination struct {
	Select   []string `json:"select"`
	Variant  int      `json:"variant"`            // index into Tool.Variants; -1 when rejected
	Rejected string   `json:"rejected,omitempty"` // the reason
}

// Variant is the contract under one choice of every finite option.
type Variant struct {
	// Clauses make up the description, joined by one space. A description written as one string is one clause with
	// an empty ID.
	Clauses     []*Clause  `json:"clauses"`
	Params      []*Param   `json:"params"`
	Fixed       []*Fixed   `json:"fixed,omitempty"`
	Needs       []string   `json:"needs,omitempty"`   // tool labels
	Results     []string   `json:"results,omitempty"` // names of Tool.Results
	Sections    []*Section `json:"sections,omitempty"`
	Examples    []*Example `json:"examples,omitempty"`
	Concurrency string     `json:"concurrency"` // exclusive or safe
	Hints       *Hints     `json:"hints,omitempty"`
	Limits      *Limits    `json:"limits,omitempty"`

	// Options is the first combination that selects this variant, as name=value pairs of the finite options.
	Options []OptionValue `json:"options,omitempty"`
}

// OptionValue is one choice of one finite option.
type OptionValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Clause is a named part of a description.
type Clause struct {
	ID   string `json:"id,omitempty"`
	Text Text   `json:"text"`

	Pos diag.Position `json:"-"`
}

// Param is a parameter of a variant, or a property of an object type.
type Param struct {
	Name     string          `json:"name"`
	Doc      Text            `json:"doc,omitempty"`
	Type     *Type           `json:"type"`
	Default  json.RawMessage `json:"default,omitempty"` // compact JSON; nil for none
	Optional bool            `json:"optional,omitempty"`
	Secret   bool            `json:"secret,omitempty"`
	Wrap     bool            `json:"wrap,omitempty"`
	Unwrap   bool            `json:"unwrap,omitempty"`
	Aliases  []string        `json:"aliases,omitempty"`

	Pos        diag.Position `json:"-"`
	DefaultPos diag.Position `json:"-"`
}

// Required reports whether a call must give the parameter.
func (p *Param) Required() bool { return p.Default == nil && !p.Optional }

// Fixed is the value that the runtime uses for a parameter that a variant does not have.
type Fixed struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`

	Pos diag.Position `json:"-"`
}

// Section is a piece of system prompt that a tool owns.
type Section struct {
	Label string      `json:"label"`
	Order json.Number `json:"order"`
	File  string      `json:"file,omitempty"` // relative to prompts/, where the text is not in CUE
	Text  Text        `json:"text"`

	Pos diag.Position `json:"-"`
}

// Example is a checked example of a call.
type Example struct {
	Title string          `json:"title,omitempty"`
	Args  json.RawMessage `json:"args"`

	Pos diag.Position `json:"-"`
}

// Hints are what a tool says of its effects, as in MCP's annotations. Nil means unsaid.
type Hints struct {
	ReadOnly    *bool `json:"readOnly,omitempty"`
	Destructive *bool `json:"destructive,omitempty"`
	Idempotent  *bool `json:"idempotent,omitempty"`
	OpenWorld   *bool `json:"openWorld,omitempty"`
}

// Limits bound a call. Zero means the runtime's own limit.
type Limits struct {
	ArgumentBytes int64  `json:"argumentBytes,omitempty"`
	ResultBytes   int64  `json:"resultBytes,omitempty"`
	Timeout       string `json:"timeout,omitempty"` // a Go duration
}

// RetiredNames are former names of a tool and of its parameters.
type RetiredNames struct {
	Names  []string   `json:"names,omitempty"`
	Params []*Retired `json:"params,omitempty"`
}

// Retired is a former word and what replaces it.
type Retired struct {
	Word string `json:"word"`
	Use  string `json:"use,omitempty"`
	Why  string `json:"why"`

	Pos diag.Position `json:"-"`
}

// Message is a typed text: a result variant or a notice. Render is a template over the fields.
type Message struct {
	Name   string   `json:"name"`
	Doc    string   `json:"doc,omitempty"`
	Fields []*Param `json:"fields,omitempty"`
	List   bool     `json:"list,omitempty"`  // rendered once per value
	Empty  string   `json:"empty,omitempty"` // the text of an empty list
	Render string   `json:"render"`

	Pos       diag.Position `json:"-"`
	RenderPos diag.Position `json:"-"`

	// RenderText and EmptyText are Render and Empty with their references and positions, for the checks of prose.
	RenderText Text `json:"-"`
	EmptyText  Text `json:"-"`
}

// Enum is a closed vocabulary that the model reads.
type Enum struct {
	Name    string     `json:"name"`
	Doc     string     `json:"doc,omitempty"`
	Values  []*Word    `json:"values"`
	Retired []*Retired `json:"retired,omitempty"`
	From    *Mapping   `json:"from,omitempty"`

	Package *Package      `json:"-"`
	Pos     diag.Position `json:"-"`
}

// Word is one word of an enum.
type Word struct {
	Word string `json:"word"`
	Doc  Text   `json:"doc"`

	Pos diag.Position `json:"-"`
}

// Mapping is the total, disjoint mapping from a service's facts to an enum's words.
type Mapping struct {
	Facts []*Fact        `json:"facts"`
	Rules []*MappingRule `json:"rules"`

	Pos diag.Position `json:"-"`
}

// Fact is one input of a mapping: a boolean, or one of a list of words.
type Fact struct {
	Name   string   `json:"name"`
	Bool   bool     `json:"bool,omitempty"`
	Values []string `json:"values"` // booleans: true, false
	Doc    string   `json:"doc,omitempty"`
	Enum   *EnumRef `json:"enum,omitempty"` // where the values are those of an enum

	Pos diag.Position `json:"-"`
}

// MappingRule gives the word for all facts that agree with When.
type MappingRule struct {
	When  []OptionValue `json:"when"` // in the order of the facts
	Value string        `json:"value"`

	Pos diag.Position `json:"-"`
}

// EnumRef names an enum of some loaded package.
type EnumRef struct {
	Package string `json:"package"` // import path
	Name    string `json:"name"`
}
