package contracts

import (
	"encoding/json"
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/jsonscan"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// Unsupported is a keyword of a JSON Schema that a contract's tables cannot say.
type Unsupported struct {
	Pointer string // to the keyword, in the schema
	Why     string
}

// Error returns the keyword and the reason in one line.
func (u *Unsupported) Error() string {
	return "contracts: " + u.Pointer + " is not supported: " + u.Why
}

// DefinitionOption is a choice of a caller of [FromDefinition].
type DefinitionOption func(*reader)

// IgnoreUnsupported makes a contract although keywords are not supported: it allows more than the schema then, as if these
// keywords were not there, and the list says which. What the model is shown stays the whole schema.
func IgnoreUnsupported(list *[]*Unsupported) DefinitionOption {
	return func(r *reader) { r.ignored = list }
}

// FromDefinition makes a contract of a tool's definition alone. Source is where the tool is from, such as the name of an
// MCP server: it is the contract's Package, and tells tools of one name apart. The parameters are a JSON Schema (draft
// 2020-12, or 2019-09, 07 and 06 where they mean the same), which is shown to models as it is, without white space.
//
// Nothing is silently widened. The error joins an *[Unsupported] for each keyword that the tables cannot say: conditions,
// most combinations by allOf, oneOf whose cases may overlap, patterns that RE2 does not read as ECMA 262 does, keywords
// that JSON Schema does not have. Where the schema itself is faulty the error joins an *[Error]. What the schema leaves
// open stays open: undeclared properties are allowed unless additionalProperties says otherwise. Formats that package
// schema knows are asserted. A default of an optional parameter is applied, so it must fit.
func FromDefinition(source string, def tool.Definition, opts ...DefinitionOption) (*tool.Contract, error) {
	text := string(def.Parameters)
	var syntax *jsonscan.Error
	if err := jsonscan.Check(text); errors.As(err, &syntax) {
		return nil, &Error{Message: notJSON(text, syntax)}
	}
	r := &reader{root: tree(text), names: map[string]string{}, index: map[string]int{}, noted: map[Error]bool{}, budget: mostComparisons}
	for _, o := range opts {
		if o != nil {
			o(r)
		}
	}
	params := r.schema()
	if r.ignored != nil {
		*r.ignored = append(*r.ignored, r.unsupported...)
	} else {
		for _, u := range r.unsupported {
			r.errs = append(r.errs, u)
		}
	}
	if err := errors.Join(r.errs...); err != nil {
		return nil, err
	}
	if err := ready(params); err != nil {
		return nil, &Error{Message: "the schema cannot be used: " + oneLine(err)}
	}
	return &tool.Contract{
		Package: source, Name: def.Name, Mounted: def.Name, Title: def.Title,
		Combinations: []tool.Combination{{}},
		Variants: []tool.Variant{{
			Description: []tool.Clause{{Text: tool.Text{{Lit: def.Description}}}},
			Schema:      tool.Text{{Lit: shown(r.root, def.Parameters)}},
			Params:      params,
			Safe:        def.Safe,
			Hints:       def.Hints,
		}},
	}, nil
}

// oneLine is an error of several lines in one, the first few of them.
func oneLine(err error) string {
	const most = 5
	lines := strings.Split(err.Error(), "\n")
	if more := len(lines) - most; more > 0 {
		lines = append(lines[:most], "and "+strconv.Itoa(more)+" more")
	}
	return strings.Join(lines, "; ")
}

// shown is the schema as models see it. Providers want the type to be said that all arguments have.
func shown(root *node, text json.RawMessage) string {
	if root.kind != '{' {
		return `{"type":"object"}`
	}
	out := compact(text)
	if root.get("type") != nil {
		return out
	}
	rest := strings.TrimPrefix(out, "{")
	if rest != "}" {
		rest = "," + rest
	}
	return `{"type":"object"` + rest
}

// reader reads a JSON Schema into tables.
type reader struct {
	root  *node
	names map[string]string // of definitions, by the pointers to them
	index map[string]int    // of definitions in defs, by their names
	defs  []schema.Def
	queue []pending // definitions whose types are still to be read

	unions   []*union
	beside   []besideNull
	budget   int // of comparisons of alternatives
	defaults []defaulted

	ignored     *[]*Unsupported
	unsupported []*Unsupported
	errs        []error
	noted       map[Error]bool
}

type pending struct {
	at   string
	node *node
	def  int
}

// defaulted is a default that is to be verified when all types are known.
type defaulted struct {
	at    string // the pointer to the keyword
	field *schema.Field
	text  string
}

// fail notes a fault of the schema, once.
func (r *reader) fail(at, message string) {
	if e := (Error{at, message}); !r.noted[e] {
		r.noted[e] = true
		r.errs = append(r.errs, &e)
	}
}

// cannot notes a keyword that is not supported, once; what it asks for is left out.
func (r *reader) cannot(at, why string) {
	if e := (Error{at, why}); !r.noted[e] {
		r.noted[e] = true
		r.unsupported = append(r.unsupported, &Unsupported{at, why})
	}
}

// schema reads the whole.
func (r *reader) schema() *schema.Schema {
	switch uri := r.root.get("$schema"); {
	case uri == nil:
	case uri.kind != '"' || !knownDraft(uri.value):
		r.cannot("/$schema", "only the drafts 2020-12, 2019-09, 07 and 06 are known")
	}
	if t := r.root.get("type"); t != nil && t.text != `"object"` && t.text != `["object"]` || !strings.ContainsRune("{tf", rune(r.root.kind)) {
		r.fail("", "the root is not the schema of an object")
		return nil
	}
	root := r.typeOf("", r.root, "object")
	for len(r.queue) > 0 {
		next := r.queue[0]
		r.queue = r.queue[1:]
		r.defs[next.def].Type = r.typeOf(next.at, next.node, "")
	}
	if i, ok := r.index[rootName]; ok {
		r.defs[i].Type = root
	}
	for _, d := range r.defs {
		if r.resolve(d.Type) == nil {
			r.fail("", "references lead to references and to no type, from "+d.Name+" on")
			return nil
		}
	}
	r.settle()
	if to := r.resolve(root); to != nil && !root.Nullable {
		root = to
	}
	if root.Kind != schema.Object || root.Nullable {
		r.fail("", "the root is not the schema of an object")
		return nil
	}
	s := &schema.Schema{Root: root, Defs: r.defs}
	r.verifyDefaults(s)
	return s
}

func knownDraft(uri string) bool {
	switch strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(uri, "https://"), "http://"), "#") {
	case "json-schema.org/draft/2020-12/schema", "json-schema.org/draft/2019-09/schema",
		"json-schema.org/draft-07/schema", "json-schema.org/draft-06/schema":
		return true
	}
	return false
}

// rootName is the definition that stands for the whole.
const rootName = "#"

// longestChain is how many references may lead to each other without a type between them.
const longestChain = 100

// ref returns a reference to what a $ref names.
func (r *reader) ref(at, uri string) *schema.Type {
	if id := r.root.get("$id"); id != nil && id.kind == '"' && id.value != "" {
		uri = strings.TrimPrefix(uri, strings.TrimSuffix(id.value, "#"))
	}
	pointer, local := strings.CutPrefix(uri, "#")
	if !local {
		r.cannot(at, "it leads out of the schema")
		return &schema.Type{}
	}
	pointer, err := url.PathUnescape(pointer)
	if err != nil || pointer != "" && pointer[0] != '/' {
		r.cannot(at, "only JSON Pointers are followed, no anchors")
		return &schema.Type{}
	}
	if name, ok := r.names[pointer]; ok {
		return &schema.Type{Kind: schema.Ref, Ref: name}
	}
	target := r.root.at(pointer)
	if target == nil {
		r.fail(at, "it leads nowhere")
		return &schema.Type{}
	}
	name := r.nameOf(pointer)
	r.names[pointer], r.index[name] = name, len(r.defs)
	r.defs = append(r.defs, schema.Def{Name: name})
	if name != rootName {
		r.queue = append(r.queue, pending{pointer, target, len(r.defs) - 1})
	}
	return &schema.Type{Kind: schema.Ref, Ref: name}
}

// nameOf names a definition: by its own name where that is free, else by its pointer.
func (r *reader) nameOf(pointer string) string {
	if pointer == "" {
		return rootName
	}
	for _, list := range []string{"/$defs/", "/definitions/"} {
		name, ok := strings.CutPrefix(pointer, list)
		if !ok || name == "" || strings.ContainsAny(name, "/~#") {
			continue
		}
		if _, taken := r.index[name]; !taken {
			return name
		}
	}
	return rootName + pointer
}

// resolve follows references; it is nil where they lead to no type, or through too many of them.
func (r *reader) resolve(t *schema.Type) *schema.Type {
	for range longestChain {
		if t == nil || t.Kind != schema.Ref {
			return t
		}
		t = r.defs[r.index[t.Ref]].Type
	}
	return nil
}
