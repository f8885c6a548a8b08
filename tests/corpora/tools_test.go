package corpora

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/tool/contracts"
	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
)

// counts are how many definitions of a file give a contract: as they are, with what is not supported ignored, and not at
// all.
type counts struct{ whole, partly, faulty int }

func TestTools(t *testing.T) {
	for name, want := range map[string]counts{
		"tau-bench.tools":             {28, 0, 0},
		"typescript-sdk.tools":        {9, 1, 0},
		"github-mcp-server.tools":     {117, 0, 0},
		"kubernetes-mcp-server.tools": {67, 2, 0},
		"gemini-cli.tools":            {78, 3, 0},
		"odd-tools":                   {58, 17, 29}, // 22 of these have a root that is no object by its own word, such as "dict"
	} {
		t.Run(name, func(t *testing.T) { checkTools(t, rows[toolRow](t, name), want) })
	}
}

const tools = `
{"name":"good","parameters":{"type":"object","properties":{"q":{"type":"string"},"n":{"type":"integer","minimum":1,"default":3}},"required":["q"]}}
{"name":"root","parameters":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"oneOf":[{"required":["a"]},{"required":["b"]}]}}
{"name":"pattern","parameters":{"type":"object","properties":{"a":{"type":"string","pattern":"^(?!x)"}}}}
{"name":"null default","parameters":{"type":"object","properties":{"a":{"type":"string","default":null}}}}
{"name":"enumeration of the list","parameters":{"type":"object","properties":{"a":{"type":"array","enum":["x","y"],"items":{"type":"string"}}}}}
{"name":"keyword for a property","parameters":{"type":"object","properties":{"type":"object","description":"x"}}}
{"name":"draft 4","parameters":{"type":"object","properties":{"n":{"type":"integer","minimum":0,"exclusiveMinimum":true}}}}
{"name":"python","parameters":{"type":"dict","properties":{"n":{"type":"float"}}}}
`

func TestToolsByHand(t *testing.T) { checkTools(t, handMade[toolRow](t, tools), counts{1, 4, 3}) }

func checkTools(t *testing.T, list []toolRow, want counts) {
	var got counts
	reasons := map[string]int{}
	texts, refused, alone := 0, 0, 0
	for _, row := range list {
		c, err := row.make()
		if err == nil {
			got.whole++
			engine := engineOf(t, c)
			oracle, err := compile(t, row.Parameters)
			if err != nil {
				alone++ // the oracle is more particular: it refuses a value that stands twice in an enumeration
				continue
			}
			a, r := againstOracle(t, row, engine, oracle)
			texts, refused = texts+a+r, refused+r
			continue
		}
		for _, e := range parts(err) {
			var u *contracts.Unsupported
			why := e.Error()
			if errors.As(e, &u) {
				why, _, _ = strings.Cut(u.Why, ":")
			}
			reasons[why]++
		}
		var ignored []*contracts.Unsupported
		if c, err = row.make(contracts.IgnoreUnsupported(&ignored)); err != nil {
			got.faulty++
			continue
		}
		got.partly++
		require.NotEmpty(t, ignored, row.Name)
		engineOf(t, c)
	}
	t.Logf("%d definitions: %d whole, %d with keywords ignored, %d faulty; %d texts judged, %d refused, %d definitions not judged",
		len(list), got.whole, got.partly, got.faulty, texts, refused, alone)
	for _, why := range slices.Sorted(maps.Keys(reasons)) {
		t.Logf("%4d × %s", reasons[why], why)
	}
	require.Equal(t, want, got)
}

func parts(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

// values stand for each property in turn.
var values = []string{
	`null`, `true`, `0`, `1`, `-1`, `1.0`, `2.5`, `101`, `1e2`, `""`, `"a"`, `"open"`, `"2026-11-30T10:00:00Z"`, `[]`, `["a"]`, `[1]`, `[{}]`, `{}`, `{"a":1}`,
	`[null]`, `"https://example.com/x"`, `"ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss"`,
}

// againstOracle demands that an ecosystem validator says the same of every text.
func againstOracle(t *testing.T, row toolRow, engine *decode.Engine, oracle *jsonschema.Schema) (accepted, refused int) {
	t.Helper()
	var shape struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	require.NoError(t, json.Unmarshal(row.Parameters, &shape))
	for _, text := range texts(shape.Properties, shape.Required) {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		require.NoError(t, err)
		report := engine.Validate(text)
		wrong := oracle.Validate(v)
		if report.OK() != (wrong == nil) {
			t.Errorf("%s %s: the engine says %q, the oracle %v", row.Name, text, report, wrong)
		}
		if report.OK() {
			accepted++
		} else {
			refused++
		}
	}
	return accepted, refused
}

func compile(t *testing.T, text json.RawMessage) (*jsonschema.Schema, error) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	require.NoError(t, c.AddResource("schema.json", doc))
	return c.Compile("schema.json")
}

// texts are arguments that fit as far as can be seen, and the same with one property changed, left out or added.
func texts(properties map[string]json.RawMessage, required []string) []string {
	good := map[string]string{}
	for _, name := range required {
		good[name] = sample(properties[name])
	}
	out := []string{object(good)}
	for name, s := range properties {
		for _, v := range append(slices.Clone(values), sample(s)) {
			changed := maps.Clone(good)
			changed[name] = v
			out = append(out, object(changed))
		}
	}
	for name := range good {
		less := maps.Clone(good)
		delete(less, name)
		out = append(out, object(less))
	}
	more := maps.Clone(good)
	more["another one"] = `1`
	return append(out, object(more))
}

func object(members map[string]string) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		key, _ := json.Marshal(name)
		out = append(out, string(key)+":"+members[name])
	}
	return "{" + strings.Join(out, ",") + "}"
}

// sample is a value of a schema, as far as its first keywords tell.
func sample(text json.RawMessage) string {
	var s struct {
		Type       any
		Enum       []json.RawMessage
		Minimum    json.Number
		Items      json.RawMessage
		Properties map[string]json.RawMessage
		Required   []string
	}
	if json.Unmarshal(text, &s) != nil {
		return `1`
	}
	if len(s.Enum) > 0 {
		return string(s.Enum[0])
	}
	switch kind, _ := s.Type.(string); kind {
	case "string":
		return `"a"`
	case "boolean":
		return `true`
	case "integer", "number":
		if x, ok := new(big.Rat).SetString(s.Minimum.String()); ok {
			return x.RatString()
		}
		return `3`
	case "array":
		return fmt.Sprintf("[%s]", sample(s.Items))
	case "object":
		good := map[string]string{}
		for _, name := range s.Required {
			good[name] = sample(s.Properties[name])
		}
		return object(good)
	}
	return `1`
}
