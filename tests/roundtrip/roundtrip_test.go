package roundtrip

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// result is what the three judges say of one text.
type result struct {
	tool string
	text string

	cue, schema, decoder bool // whether it is accepted

	answer answer
	cueErr string

	// What CUE says of the normalized text; asked only where the decoder accepts a text that CUE does not.
	normalized    bool
	normalizedErr string
}

// answer is what testdata/types says of one text.
type answer struct {
	OK         bool
	Value      json.RawMessage
	Normalized json.RawMessage
	Repairs    int
	Codes      []string
	Pointers   []string
	Fault      string
}

func (r result) String() string {
	text := r.text
	if len(text) > 200 {
		text = fmt.Sprintf("%s… (%d bytes)", text[:200], len(text))
	}
	said := map[bool]string{true: "accepts", false: "refuses"}
	return fmt.Sprintf("%s %q: CUE %s, schema %s, decoder %s %v %v %s", r.tool, text, said[r.cue], said[r.schema], said[r.decoder],
		r.answer.Codes, r.answer.Pointers, strings.ReplaceAll(r.cueErr, "\n", " "))
}

func (r result) agreed() bool { return r.cue == r.schema && r.schema == r.decoder }

// wrong says what is wrong with a value on its way into Go: it is what Engine.Normalize gives, with defaults applied.
func (r result) wrong() string {
	if r.answer.Fault != "" || !r.decoder {
		return r.answer.Fault
	}
	got, want := parse(string(r.answer.Value)), parse(string(r.answer.Normalized))
	if got == nil || want == nil {
		return fmt.Sprintf("got %s, normalized %s", r.answer.Value, r.answer.Normalized)
	}
	return differ("", got, want)
}

// wanted is how many accepted and how many refused values a tool must have at least.
const wanted = 100

// few are tools whose types do not have so many values that fit; here is how many there are.
var few = map[string]int{
	"bool_plain": 2, "bool_either": 2, "null_only": 1, "null_bool": 3,
	"str_enum": 3, "str_inline": 4, "str_const": 1, "null_enum": 3, "null_state": 4, "ref_enum": 2,
	"int_enum": 3, "int_const": 1, "num_enum": 3, "num_mixed": 2, "union_constants": 3,
	"joined_enum": 2, "joined_enum_not": 2, "joined_enum_pattern": 2, "joined_enum_bound": 2, "joined_state": 2, "joined_null_enum": 2,
	"obj_empty":        1,
	"joined_items_ref": 40,                     // at most three words that begin with a
	"union_open":       1, "union_overlap": 50, // CUE leaves many undecided
}

// fewRefused are tools that take every value: only texts that are no object with a v are refused.
var fewRefused = map[string]int{"any": 40, "rec_value": 40}

func TestRoundTrip(t *testing.T) {
	dir := module(t)
	program, oracle := start(t, dir, "."), start(t, dir, "./oracle")
	tools := catalog(t, dir)
	require.NotEmpty(t, tools)
	seen := map[string]int{}
	total := 0
	for _, c := range tools {
		ok := t.Run(c.Name, func(t *testing.T) {
			accepted, refused, faulty := 0, 0, false
			for _, r := range judgeAll(t, program, oracle, c) {
				total++
				wrong := r.wrong()
				if !r.agreed() || wrong != "" {
					kind := kindOf(r)
					if kind == "" {
						t.Errorf("%s: %s", r, wrong)
					}
					seen[kind]++
					faulty = faulty || isFault(kind)
				}
				switch {
				case r.cue && r.schema && r.decoder:
					accepted++
				case r.agreed():
					refused++
				}
			}
			t.Logf("%d accepted, %d refused by all three", accepted, refused)
			wantAccepted, wantRefused := cmp.Or(few[c.Name], wanted), cmp.Or(fewRefused[c.Name], wanted)
			if faulty {
				wantAccepted = 1 // the schema says what is tried, and it is wrong
			}
			if accepted < wantAccepted || refused < wantRefused {
				t.Errorf("%d accepted and %d refused, want %d and %d", accepted, refused, wantAccepted, wantRefused)
			}
		})
		if !ok && total == 0 {
			t.Fatal("nothing can be judged")
		}
	}
	checkKinds(t, seen)
	t.Logf("%d tools, %d texts, differences: %v", len(tools), total, seen)
}

// tool is a tool of the catalog.
type tool struct {
	Name       string
	Parameters json.RawMessage
}

func catalog(t *testing.T, dir string) (tools []tool) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "catalog", "catalog.json"))
	require.NoError(t, err)
	var c struct {
		Tools []struct {
			Name     string
			Variants []struct{ Parameters json.RawMessage }
		}
	}
	require.NoError(t, json.Unmarshal(text, &c))
	for _, x := range c.Tools {
		require.Len(t, x.Variants, 1, x.Name)
		tools = append(tools, tool{x.Name, x.Variants[0].Parameters})
	}
	return tools
}

// candidates are the texts that a tool's judges are asked about.
func candidates(t *testing.T, c tool) []string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(c.Parameters))
	d.UseNumber()
	var root map[string]any
	require.NoError(t, d.Decode(&root))
	seed := fnv.New64a()
	seed.Write([]byte(c.Name))
	g := &generator{root, rand.New(rand.NewPCG(seed.Sum64(), 1))}
	return g.candidates(root["properties"].(map[string]any)["v"])
}

// judgeAll makes the candidates of a tool and asks all three judges.
func judgeAll(t *testing.T, program, oracle *judge, c tool) []result {
	t.Helper()
	texts := candidates(t, c)
	schema := compile(t, c)

	q := question{Tool: c.Name}
	for _, text := range texts {
		q.Texts = append(q.Texts, []byte(text))
	}
	type verdict struct {
		OK  bool
		Err string
	}
	var verdicts []verdict
	asked := make(chan bool, 1)
	go func() { asked <- oracle.ask(q, &verdicts) }() // it takes longest

	var shown json.RawMessage
	require.True(t, program.ask(question{Tool: c.Name}, &shown), "the program ended")
	require.JSONEq(t, string(c.Parameters), string(shown), "the catalog and the generated code show different schemas")
	var answers []answer
	require.True(t, program.ask(q, &answers), "the program ended")
	require.Len(t, answers, len(texts))
	out := make([]result, len(texts))
	again := question{Tool: c.Name}
	for i, text := range texts {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		fits := err == nil && schema.Validate(v) == nil
		out[i] = result{tool: c.Name, text: text, schema: fits, decoder: answers[i].OK, answer: answers[i]}
	}
	require.True(t, <-asked, "the oracle ended")
	require.Len(t, verdicts, len(texts))
	for i := range out {
		out[i].cue, out[i].cueErr = verdicts[i].OK, verdicts[i].Err
		if answers[i].OK && !verdicts[i].OK {
			again.Texts = append(again.Texts, answers[i].Normalized)
		}
	}
	require.True(t, oracle.ask(again, &verdicts), "the oracle ended")
	for i := range out {
		if out[i].decoder && !out[i].cue {
			out[i].normalized, out[i].normalizedErr = verdicts[0].OK, verdicts[0].Err
			verdicts = verdicts[1:]
		}
	}
	return out
}

// compile makes a validator of a tool's parameters.
func compile(t *testing.T, c tool) *jsonschema.Schema {
	t.Helper()
	schema, err := compileText(c.Parameters)
	require.NoError(t, err)
	return schema
}

// compileText makes a validator that asserts formats, and reads patterns as ECMA 262 does.
func compileText(text []byte) (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	compiler.UseRegexpEngine(ecma)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if err := compiler.AddResource("schema.json", doc); err != nil {
		return nil, err
	}
	return compiler.Compile("schema.json")
}

// ecma reads a pattern that RE2 and ECMA 262 share as ECMA 262 does: in these patterns, `\s` and the dot alone mean
// something else, and neither stands inside brackets.
func ecma(pattern string) (jsonschema.Regexp, error) {
	const space = `[\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}]`
	return regexp.Compile(strings.NewReplacer(`\\`, `\\`, `\.`, `\.`, `\s`, space, `.`, `[^\n\r\x{2028}\x{2029}]`).Replace(pattern))
}
