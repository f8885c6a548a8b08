package contracts

import (
	"math"
	"math/big"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
	"github.com/toolgen-dev/toolgen/runtime/tool/jsonscan"
)

// FuzzDefinition: what FromDefinition takes without ignoring anything means what an ecosystem validator says it means.
func FuzzDefinition(f *testing.F) {
	for _, c := range definitions() {
		for i := 0; i < len(c.texts); i += 2 {
			f.Add(c.schema, c.texts[i])
		}
	}
	pool := []string{`{}`, `{"v":null}`, `{"v":true}`, `{"v":0}`, `{"v":-1.5}`, `{"v":""}`, `{"v":"a"}`, `{"v":[]}`, `{"v":[1,"a"]}`, `{"v":{}}`, `{"v":{"a":1}}`}
	for _, c := range definitions() {
		for _, text := range pool {
			f.Add(c.schema, text)
		}
	}
	f.Fuzz(func(t *testing.T, text, args string) {
		c, err := definition(text)
		if err != nil || huge.MatchString(text) || strings.Contains(text, `"format"`) {
			return // formats are read otherwise at their edges: docs/divergence.md
		}
		oracle, err := compileSchema(c.Variants[0].Schema[0].Lit)
		if err != nil {
			return // it is more particular about what asks nothing of a value, such as titles
		}
		judge(t, oracle, engineOf(t, c), text, args)
	})
}

// FuzzLoaded: the strict decoder of a contract and an ecosystem validator of its schema agree, for every kind of type that
// specs can have.
func FuzzLoaded(f *testing.F) {
	data, err := os.ReadFile("testdata/types.json")
	require.NoError(f, err)
	list, err := Load(data)
	require.NoError(f, err)
	engines := make([]*decode.Engine, len(list))
	oracles := make([]*jsonschema.Schema, len(list))
	for i, c := range list {
		engines[i] = engineOf(f, c)
		oracles[i], err = compileSchema(c.Variants[0].Schema[0].Lit)
		require.NoError(f, err)
	}
	for i := range list {
		// Few for each, since each is run before anything new is tried: the mutator carries them from tool to tool.
		for k := range 4 {
			f.Add(uint8(i), `{"v":`+values[(i+7*k)%len(values)]+`}`)
		}
	}
	f.Fuzz(func(t *testing.T, i uint8, args string) {
		k := int(i) % len(list)
		judge(t, oracles[k], engines[k], list[k].Name, args)
	})
}

var values = []string{
	`null`, `true`, `0`, `1.0`, `-7`, `0.5`, `""`, `"a"`, `"ready"`, `"2026-11-30T10:00:00Z"`, `[]`, `[1]`, `["a","b"]`, `[null]`, `{}`, `{"a":1}`,
	`{"a":1,"b":"x"}`, `{"path":"a","line":1}`, `{"kind":"circle","radius":1}`, `{"x-a":10}`, `[["a",1]]`, `[{"a":1},{"a":1.0}]`, `{"a":{"b":{"c":[1]}}}`,
	`1,"w":2`,
}

func compileSchema(text string) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	if err := c.AddResource("schema.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("schema.json")
}

// huge is a number that costs an oracle more than it tells.
var huge = regexp.MustCompile(`[0-9.][eE][+-]?[0-9]{3}|[0-9]{400}`)

// judge fails where the engine and the oracle differ in a way that docs/divergence.md does not have.
func judge(t *testing.T, oracle *jsonschema.Schema, engine *decode.Engine, what, args string) {
	t.Helper()
	report := engine.Validate(args)
	if jsonscan.Check(args) != nil { // a text that is no JSON, has a key twice or bad Unicode, or is nested too deep
		if report.OK() {
			t.Fatalf("%s\n%q is not JSON, and was accepted", what, args)
		}
		return
	}
	if huge.MatchString(args) {
		return
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(args))
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	wrong := oracle.Validate(value)
	if report.OK() == (wrong == nil) {
		return
	}
	if wrong == nil && listed(report, args) {
		return
	}
	t.Fatalf("%s\n%q: the engine says %s, the oracle %v", what, args, verdict(report), wrong)
}

var leapSecond = regexp.MustCompile(`:60`)

// TestListed: the page has every kind of difference that judge lets pass.
func TestListed(t *testing.T) {
	page, err := os.ReadFile("../../../docs/divergence.md")
	require.NoError(t, err)
	for _, row := range []string{
		"a key that differs from a declared one only in case, in an open object | accepts it as a further property | refuses (`key-case`)",
		"a former name of a parameter, in an open object | accepts it as a further property | refuses (`param-retired`)",
		"a value that fits several cases of a union, deep inside further unions | accepts | may refuse (`too-complex`)",
		"an integer beyond 64 bits, without bounds in the spec | accepts | refuses (`out-of-range`)",
		"a number beyond a 64-bit float, such as `1e400` | accepts | refuses (`out-of-range`)",
		"a leap second, `23:59:60Z`, in a `date-time` | accepts | refuses (`format`)",
		"a key twice in one object, with equal values too | sees one of them | refuses (`duplicate-key`)",
		"invalid UTF-8, half of a surrogate pair | sees what the parser made of it | refuses (`bad-unicode`)",
		"nesting beyond 128 | accepts | refuses (`too-deep`)",
		"other formats at their edges",
	} {
		require.Contains(t, string(page), row)
	}
}

// listed tells whether the engine refuses arguments only for reasons that a schema does not know, and that
// docs/divergence.md lists.
func listed(r decode.Report, args string) bool {
	for _, p := range r.Problems {
		switch p.Code {
		case decode.KeyCase, decode.TooComplex, decode.ParamRetired:
		case decode.OutOfRange, decode.NoCase:
			if !beyondGo(args) {
				return false
			}
		case decode.BadFormat:
			if !leapSecond.MatchString(args) {
				return false
			}
		case decode.Missing: // the key is there, in other letters
			if !strings.Contains(verdict(r), string(decode.KeyCase)) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

var number = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?`)

// beyondGo tells whether a text has a number that neither int64 nor float64 holds.
func beyondGo(args string) bool {
	for _, text := range number.FindAllString(args, -1) {
		x, ok := new(big.Rat).SetString(text)
		if ok && x.IsInt() && !x.Num().IsInt64() {
			return true
		}
		if f, err := strconv.ParseFloat(text, 64); err != nil || math.IsInf(f, 0) {
			return true
		}
	}
	return false
}
