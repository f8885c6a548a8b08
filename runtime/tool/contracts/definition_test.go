package contracts

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

func definition(text string, opts ...DefinitionOption) (*tool.Contract, error) {
	return FromDefinition("server", tool.Definition{Name: "t", Description: "Does.", Parameters: json.RawMessage(text)}, opts...)
}

func engineOf(t testing.TB, c *tool.Contract) *decode.Engine {
	t.Helper()
	program, err := schema.Compile(c.Variants[0].Params)
	require.NoError(t, err)
	engine, err := decode.New(program)
	require.NoError(t, err)
	return engine
}

// verdict is ok, or the code and pointer of each problem.
func verdict(r decode.Report) string {
	if r.OK() {
		return "ok"
	}
	var out []string
	for _, p := range r.Problems {
		out = append(out, string(p.Code)+" "+p.Pointer)
	}
	return strings.Join(out, ", ")
}

// property makes a schema with one optional property v.
func prop(v string) string { return `{"type":"object","properties":{"v":` + v + `}}` }

// defined is a schema and what becomes of arguments under it.
type defined struct {
	schema string
	texts  []string // arguments, each followed by its verdict
}

// definitions are schemas with every keyword that is supported.
func definitions() []defined {
	return []defined{
		{`{}`, []string{`{}`, "ok", `{"x":1}`, "ok", `[]`, "not-object "}},
		{`true`, []string{`{"x":1}`, "ok", `1`, "not-object "}},
		{`{"type":"object","additionalProperties":false}`, []string{`{}`, "ok", `{"x":1}`, "unknown-key /x"}},
		{`{"type":"object","additionalProperties":{"not":{}}}`, []string{`{"x":1}`, "unknown-key /x"}},
		{`{"properties":{"a":{"type":"string"}},"required":["a"]}`, []string{`{"a":"x","b":[]}`, "ok", `{}`, "missing /a", `{"A":"x"}`, "key-case /A, missing /a"}},
		{`{"type":"object","required":["a"],"additionalProperties":{"type":"integer"}}`, []string{`{"a":1}`, "ok", `{}`, "missing /a", `{"a":"x"}`, "wrong-type /a"}},
		{`{"type":"object","required":["x-a"],"patternProperties":{"^x-":{"type":"string"}},"additionalProperties":false}`,
			[]string{`{"x-a":"s"}`, "ok", `{"x-b":"s"}`, "missing /x-a", `{"x-a":1}`, "wrong-type /x-a"}},
		{`{"type":"object","minProperties":1,"maxProperties":2}`, []string{`{}`, "too-short ", `{"a":1,"b":2,"c":3}`, "too-long "}},
		{prop(`{"type":"string","minLength":2,"maxLength":3,"pattern":"^a"}`), []string{`{"v":"ab"}`, "ok", `{"v":"a"}`, "too-short /v", `{"v":"abcd"}`, "too-long /v", `{"v":"ba"}`, "pattern /v"}},
		{prop(`{"type":"string","allOf":[{"pattern":"^a"},{"pattern":"b$"}]}`), []string{`{"v":"ab"}`, "ok", `{"v":"a"}`, "pattern /v", `{"v":"b"}`, "pattern /v"}},
		{prop(`{"type":"string","format":"date-time"}`), []string{`{"v":"2026-11-30T10:00:00Z"}`, "ok", `{"v":"today"}`, "format /v"}},
		{prop(`{"type":"integer","minimum":1,"exclusiveMinimum":3,"maximum":9,"exclusiveMaximum":12,"multipleOf":2}`),
			[]string{`{"v":4}`, "ok", `{"v":4.0}`, "ok", `{"v":3}`, "out-of-range /v", `{"v":10}`, "out-of-range /v", `{"v":5}`, "not-multiple /v"}},
		{prop(`{"type":["integer","number"]}`), []string{`{"v":1.5}`, "ok", `{"v":"1"}`, "wrong-type /v"}},
		{prop(`{"type":["string","null"],"minLength":1}`), []string{`{"v":null}`, "ok", `{"v":"a"}`, "ok", `{"v":""}`, "too-short /v", `{"v":1}`, "wrong-type /v"}},
		{prop(`{"type":["string","integer","array"],"items":{"type":"integer"},"minimum":3}`),
			[]string{`{"v":"a"}`, "ok", `{"v":3}`, "ok", `{"v":[1]}`, "ok", `{"v":2}`, "out-of-range /v", `{"v":["a"]}`, "wrong-type /v/0", `{"v":{}}`, "no-case /v"}},
		{prop(`{"minLength":2}`), []string{`{"v":1}`, "ok", `{"v":null}`, "ok", `{"v":"ab"}`, "ok", `{"v":"a"}`, "too-short /v"}},
		{prop(`{"properties":{"a":{"type":"string"}}}`), []string{`{"v":1}`, "ok", `{"v":{"a":"x"}}`, "ok", `{"v":{"a":1}}`, "wrong-type /v/a"}},
		{prop(`{"enum":["a","b"]}`), []string{`{"v":"a"}`, "ok", `{"v":"c"}`, "not-in-enum /v", `{"v":1}`, "wrong-type /v"}},
		{prop(`{"enum":["a",1,null,true,false,"a"]}`), []string{`{"v":"a"}`, "ok", `{"v":1.0}`, "ok", `{"v":null}`, "ok", `{"v":false}`, "ok", `{"v":2}`, "not-in-enum /v"}},
		{prop(`{"type":"integer","enum":[1,2.0,2.5,"3"]}`), []string{`{"v":2}`, "ok", `{"v":3}`, "not-in-enum /v", `{"v":"3"}`, "wrong-type /v"}},
		{prop(`{"const":"a"}`), []string{`{"v":"a"}`, "ok", `{"v":"b"}`, "not-in-enum /v"}},
		{prop(`{"const":null}`), []string{`{"v":null}`, "ok", `{"v":0}`, "wrong-type /v"}},
		{prop(`{"type":"string","not":{"enum":["a",1]}}`), []string{`{"v":"b"}`, "ok", `{"v":"a"}`, "excluded /v"}},
		{prop(`{"not":{"const":1}}`), []string{`{"v":"b"}`, "ok", `{"v":1.0}`, "excluded /v", `{"v":null}`, "ok"}},
		{prop(`{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":2,"uniqueItems":true}`),
			[]string{`{"v":["a"]}`, "ok", `{"v":[]}`, "too-short /v", `{"v":["a","b","c"]}`, "too-long /v", `{"v":["a","a"]}`, "not-unique /v/1", `{"v":[1]}`, "wrong-type /v/0"}},
		{prop(`{"type":"array"}`), []string{`{"v":[1,"a",null]}`, "ok"}},
		{prop(`{"type":"array","items":false}`), []string{`{"v":[]}`, "ok", `{"v":[1]}`, "too-long /v"}},
		{prop(`{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false,"minItems":2}`),
			[]string{`{"v":["a",1]}`, "ok", `{"v":["a"]}`, "too-short /v", `{"v":["a",1,2]}`, "too-long /v", `{"v":[1,1]}`, "wrong-type /v/0"}},
		{prop(`{"type":"array","items":[{"type":"string"}],"additionalItems":false,"minItems":1}`), []string{`{"v":["a"]}`, "ok", `{"v":[]}`, "too-short /v"}},
		{prop(`{"type":"array","prefixItems":[true],"minItems":1,"maxItems":1}`), []string{`{"v":[null]}`, "ok", `{"v":[1,2]}`, "too-long /v"}},
		{prop(`{"anyOf":[{"type":"string"},{"type":"null"}]}`), []string{`{"v":null}`, "ok", `{"v":"a"}`, "ok", `{"v":1}`, "wrong-type /v"}},
		{prop(`{"anyOf":[{"anyOf":[{"not":{}},{"type":"string"}]},{"type":"null"}]}`), []string{`{"v":null}`, "ok", `{"v":"a"}`, "ok", `{"v":1}`, "wrong-type /v"}},
		{prop(`{"oneOf":[{"const":"a","title":"A"},{"const":"b"}]}`), []string{`{"v":"b"}`, "ok", `{"v":"c"}`, "not-in-enum /v"}},
		{prop(`{"type":"string","oneOf":[{"const":"a"},{"enum":["b","c"]}]}`), []string{`{"v":"c"}`, "ok", `{"v":"d"}`, "not-in-enum /v"}},
		{prop(`{"oneOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}`), []string{`{"v":"b"}`, "ok", `{"v":["b"]}`, "ok", `{"v":1}`, "no-case /v"}},
		{prop(`{"oneOf":[{"type":"object","properties":{"k":{"const":"a"},"n":{"type":"integer"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"b"}},"required":["k"]}]}`),
			[]string{`{"v":{"k":"a","n":1}}`, "ok", `{"v":{"n":"x","k":"b"}}`, "ok", `{"v":{"k":"a","n":"x"}}`, "wrong-type /v/n", `{"v":{"k":"c"}}`, "not-in-enum /v/k", `{"v":{}}`, "missing /v/k"}},
		{prop(`{"oneOf":[{"type":"object","properties":{"a":{}},"required":["a"],"additionalProperties":false},{"type":"object","properties":{"b":{}},"required":["b"],"additionalProperties":false}]}`),
			[]string{`{"v":{"a":1}}`, "ok", `{"v":{"b":1}}`, "ok", `{"v":{"a":1,"b":1}}`, "no-case /v"}},
		{prop(`{"oneOf":[{"type":"object","properties":{"n":{"enum":[1,2]}},"required":["n"]},{"type":"object","properties":{"n":{"type":"string"}},"required":["n"]}]}`),
			[]string{`{"v":{"n":2}}`, "ok", `{"v":{"n":"2"}}`, "ok", `{"v":{"n":3}}`, "no-case /v"}},
		{`{"type":"object","properties":{"v":{"$ref":"#/$defs/Node"}},"$defs":{"Node":{"type":"object","properties":{"next":{"$ref":"#/$defs/Node"}},"additionalProperties":false},"Unused":{"if":true}}}`,
			[]string{`{"v":{"next":{"next":{}}}}`, "ok", `{"v":{"next":{"x":1}}}`, "unknown-key /v/next/x"}},
		{`{"type":"object","properties":{"v":{"$ref":"#"},"n":{"type":"integer"}},"additionalProperties":false}`, []string{`{"v":{"v":{"n":1}}}`, "ok", `{"v":{"n":"x"}}`, "wrong-type /v/n"}},
		{`{"$ref":"#/definitions/Args","definitions":{"Args":{"type":"object","properties":{"v":{"type":"string"}}}}}`, []string{`{"v":"a"}`, "ok", `{"v":1}`, "wrong-type /v"}},
		{`{"$id":"https://example.com/s","type":"object","properties":{"v":{"$ref":"https://example.com/s#/properties/w"},"w":{"type":"string"}}}`, []string{`{"v":"a"}`, "ok", `{"v":1}`, "wrong-type /v"}},
		{`{"type":"object","properties":{"v":{"$ref":"#/$defs/a~1b%20c","description":"d","default":"x"}},"$defs":{"a/b c":{"type":"string"}}}`, []string{`{"v":"a"}`, "ok", `{"v":1}`, "wrong-type /v"}},
		{prop(`{"allOf":[{"type":"string"}],"description":"d"}`), []string{`{"v":"a"}`, "ok", `{"v":1}`, "wrong-type /v"}},
		{prop(`{"type":"string","title":"T","examples":["a"],"deprecated":true,"readOnly":false,"x-more":{"a":1},"contentMediaType":"text/plain"}`), []string{`{"v":""}`, "ok"}},
		{prop(`{"type":"string","minimum":7,"items":false}`), []string{`{"v":"a"}`, "ok"}}, // what is for other types asks nothing of this one
		{`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}`, []string{`{}`, "ok"}},
	}
}

func TestDefinition(t *testing.T) {
	for _, c := range definitions() {
		contract, err := definition(c.schema)
		if err != nil {
			t.Errorf("%s: %v", c.schema, err)
			continue
		}
		engine := engineOf(t, contract)
		for pair := range slices.Chunk(c.texts, 2) {
			if got := verdict(engine.Validate(pair[0])); got != pair[1] {
				t.Errorf("%s\n%s: %s, want %s", c.schema, pair[0], got, pair[1])
			}
		}
	}
}

// What tables cannot say is an error with the place and the reason; ignored on demand, it is listed, and the rest stays.
func TestUnsupported(t *testing.T) {
	for text, want := range map[string]string{
		prop(`{"type":"string","if":{"const":"a"},"then":{"minLength":2}}`):          "/properties/v/if: tables have nothing of its kind, /properties/v/then: tables have nothing of its kind",
		prop(`{"type":"array","contains":{"const":1}}`):                              "/properties/v/contains: tables have nothing of its kind",
		`{"type":"object","dependentRequired":{"a":["b"]}}`:                          "/dependentRequired: tables have nothing of its kind",
		`{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]}`:          "/anyOf: the arguments as a whole have no alternatives",
		prop(`{"type":"object","properties":{"a":{}},"anyOf":[{"required":["a"]}]}`): "/properties/v/anyOf: it stands beside properties",
		prop(`{"anyOf":[{"type":"string"}],"oneOf":[{"type":"string"}]}`):            "/properties/v/oneOf: it stands beside anyOf",
		prop(`{"oneOf":[{"type":"integer"},{"type":"number"}]}`):                     "/properties/v/oneOf: several cases may fit one value",
		prop(`{"oneOf":[{"type":["string","null"]},{"type":["integer","null"]}]}`):   "/properties/v/oneOf: null fits several cases",
		prop(`{"oneOf":[{"type":["string","null"]},{"type":"null"}]}`):               "/properties/v/oneOf: null fits several cases",
		prop(`{"oneOf":[{"type":"object","required":["a"]},{"type":"object"}]}`):     "/properties/v/oneOf: several cases may fit one value",
		prop(`{"allOf":[{"type":"string"},{"minLength":1}]}`):                        "/properties/v/allOf/0: only patterns can be joined with other keywords, /properties/v/allOf/1: only patterns can be joined with other keywords",
		prop(`{"type":"string","not":{"minLength":3}}`):                              "/properties/v/not: only constants can be excluded",
		prop(`{"type":"boolean","not":{"const":true}}`):                              "/properties/v/not: only strings and numbers can be excluded",
		prop(`{"type":["string","null"],"not":{"const":null}}`):                      "/properties/v/not: only strings and numbers can be excluded",
		prop(`{"const":true}`):                                                                        "/properties/v/const: a boolean cannot be one of its values alone",
		prop(`{"enum":[[1]]}`):                                                                        "/properties/v/enum: objects and arrays cannot be constants",
		prop(`{"type":"integer","enum":["1"]}`):                                                       "/properties/v/type: no value of its enumeration is of this type",
		prop(`false`):                                                                                 "/properties/v: it allows no value",
		prop(`{"not":{}}`):                                                                            "/properties/v: it allows no value",
		prop(`{"anyOf":[false,{"not":true}]}`):                                                        "/properties/v/anyOf: it allows no value",
		prop(`{"type":"dict"}`):                                                                       `/properties/v/type: JSON Schema has no type "dict"`,
		prop(`{"type":"string","nullable":true}`):                                                     "/properties/v/nullable: JSON Schema has no such keyword",
		prop(`{"type":"string","minLenght":1}`):                                                       "/properties/v/minLenght: JSON Schema has no such keyword",
		prop(`{"type":"string","default":null}`):                                                      "/properties/v/default: it does not fit: expected string, got null",
		prop(`{"type":"string","pattern":"^(?!a)"}`):                                                  "/properties/v/pattern: RE2 does not read the pattern: invalid or unsupported Perl syntax: `(?!`",
		prop(`{"type":"string","pattern":"\\Aa"}`):                                                    `/properties/v/pattern: RE2 reads \A otherwise than ECMA 262 does`,
		prop(`{"type":"string","pattern":"(?i)a"}`):                                                   "/properties/v/pattern: ECMA 262 has no flags inside of a pattern, nor (?P<name>",
		prop(`{"type":"string","pattern":"[[:alpha:]]"}`):                                             "/properties/v/pattern: ECMA 262 has no [:class:]",
		prop(`{"type":"string","pattern":"[]a]"}`):                                                    "/properties/v/pattern: RE2 reads a ] at the start of a class as a character, and ECMA 262 as its end",
		prop(`{"type":"array","prefixItems":[{"type":"string"}]}`):                                    "/properties/v/prefixItems: tuples have as many items as schemas, no less and no more",
		prop(`{"type":"array","items":[{"type":"string"}],"minItems":1}`):                             "/properties/v/items: tuples have as many items as schemas, no less and no more",
		prop(`{"type":"object","required":["a"],"additionalProperties":false}`):                       `/properties/v/required/0: there is no property "a", and none is allowed`,
		prop(`{"type":"object","properties":{"ab":{}},"patternProperties":{"^a":false}}`):             "/properties/v/patternProperties/^a: it allows no value",
		prop(`{"type":"object","properties":{"ab":{}},"patternProperties":{"^a":{"type":"string"}}}`): `/properties/v/patternProperties/^a: it matches the declared property "ab" too`,
		prop(`{"$ref":"other.json"}`):                                                                 "/properties/v/$ref: it leads out of the schema",
		prop(`{"$ref":"#name"}`):                                                                      "/properties/v/$ref: only JSON Pointers are followed, no anchors",
		`{"type":"object","properties":{"v":{"$ref":"#/$defs/A","minLength":1}},"$defs":{"A":{"type":"string"}}}`: "/properties/v/minLength: it stands beside $ref",
		`{"$schema":"http://json-schema.org/draft-04/schema#","type":"object"}`:                                   "/$schema: only the drafts 2020-12, 2019-09, 07 and 06 are known",
		prop(`{"type":["string","integer"],"anyOf":[{"minLength":1},{"maxLength":0}]}`):                           "/properties/v/type: several types stand beside alternatives",
		prop(`{"type":"string","anyOf":[{"$ref":"#"},{"type":"string"}]}`):                                        "/properties/v/type: it stands beside alternatives that do not say a type themselves",
	} {
		_, err := definition(text)
		var got []string
		for _, e := range parts(err) {
			var u *Unsupported
			if !errors.As(e, &u) {
				t.Errorf("%s: %v", text, e)
				continue
			}
			got = append(got, u.Pointer+": "+u.Why)
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, s, want)
		}
		var ignored []*Unsupported
		c, err := definition(text, IgnoreUnsupported(&ignored))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if len(ignored) != len(got) {
			t.Errorf("%s: %d are listed, not %d", text, len(ignored), len(got))
		}
		engineOf(t, c)
		if !strings.Contains(c.Variants[0].Schema[0].Lit, strings.TrimSuffix(text, "}")) {
			t.Errorf("%s: shown as %s", text, c.Variants[0].Schema[0].Lit)
		}
	}
}

// A schema that no validator would read is an error, whatever is ignored.
func TestFaultySchema(t *testing.T) {
	for text, want := range map[string]string{
		``:                                       "contracts: not JSON: line 1, column 1: the text is empty",
		"{\n  \"type\":":                         "contracts: not JSON: line 2, column 10: the text ends inside an object",
		`{"type":"object","type":"object"}`:      "contracts: not JSON: line 1, column 19: a key stands twice in one object",
		`[]`:                                     "contracts: the root is not the schema of an object",
		`{"type":"string"}`:                      "contracts: the root is not the schema of an object",
		`{"type":["object","null"]}`:             "contracts: the root is not the schema of an object",
		`{"$ref":"#"}`:                           "contracts: references lead to references and to no type, from # on",
		`{"type":"object","properties":[]}`:      "contracts: /properties: it is an object of schemas",
		`{"type":"object","properties":{"a":1}}`: "contracts: /properties/a: a schema is an object, or true or false",
		`{"type":"object","required":true}`:      "contracts: /required: it is a list of names",
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/B"}}}`: "contracts: /properties/a/$ref: it leads nowhere",
		prop(`{"type":"string","minLength":-1}`):                    "contracts: /properties/v/minLength: it is an integer, not below zero",
		prop(`{"type":"integer","minimum":"1"}`):                    "contracts: /properties/v/minimum: it is a number",
		prop(`{"type":"integer","exclusiveMinimum":true}`):          "contracts: /properties/v/exclusiveMinimum: it is a number",
		prop(`{"type":"string","enum":[]}`):                         "contracts: /properties/v/enum: it is a list of at least one value",
		prop(`{"type":1}`):                                          "contracts: /properties/v/type: a type is a string",
		prop(`{"anyOf":[]}`):                                        "contracts: /properties/v/anyOf: it is a list of at least one schema",
		prop(`{"allOf":{}}`):                                        "contracts: /properties/v/allOf: it is a list of at least one schema",
		prop(`{"type":"string","pattern":1}`):                       "contracts: /properties/v/pattern: it is a string",
		prop(`{"type":"array","uniqueItems":1}`):                    "contracts: /properties/v/uniqueItems: it is true or false",
		prop(`{"type":"integer","minimum":3,"maximum":2}`):          "contracts: the schema cannot be used: schema: params.v: no number is within 3 and 2; schema: params.v: no integer is within 3 and 2",
		prop(`{"type":"object","patternProperties":{"a":1}}`):       "contracts: /properties/v/patternProperties/a: a schema is an object, or true or false",
	} {
		var ignored []*Unsupported
		_, err := definition(text, IgnoreUnsupported(&ignored))
		if err == nil || err.Error() != want {
			t.Errorf("%s\ngot  %v\nwant %s", text, err, want)
		}
	}
}

func parts(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// What a contract shows and says is what the definition says.
func TestDefinitionContract(t *testing.T) {
	def := tool.Definition{
		Name: "find", Title: "Find", Description: "Finds.\n", Safe: true, Hints: tool.Hints{ReadOnly: tool.Yes},
		Parameters: json.RawMessage("{\n \"properties\": {\"q\": {\"type\": \"string\", \"default\": \"\\u0061 <b>\"}, \"n\": {\"default\": 1.50}}\n}"),
	}
	c, err := FromDefinition("server", def)
	require.NoError(t, err)
	reg := tool.NewRegistry()
	var seen []string
	require.NoError(t, Mount(reg, c, Options{}, recorder(&seen, tool.Plain("done"))))
	scope, err := reg.Scope()
	require.NoError(t, err)
	def.Parameters = json.RawMessage(`{"type":"object","properties":{"q":{"type":"string","default":"\u0061 <b>"},"n":{"default":1.50}}}`)
	require.Equal(t, []tool.Definition{def}, scope.Tools())
	res := call(scope, "find", `{"x":[1, 2]}`)
	require.False(t, res.IsError, res.Text)
	require.Equal(t, []string{`{"x":[1, 2],"q":"\u0061 <b>","n":1.50}`}, seen)

	again, err := FromDefinition("server", scope.Tools()[0])
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(c, again), "a definition of a scope makes the same contract")
}

// What a server says of its tools is made to cost more than it weighs.
func TestHostileDefinition(t *testing.T) {
	chain := func(n int, link string) string {
		var b strings.Builder
		b.WriteString(`{"type":"object","properties":{"v":{"$ref":"#/$defs/0"}},"$defs":{`)
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			next := (i + 1) % n
			b.WriteString(strings.NewReplacer("N", itoa(next)).Replace(`"` + itoa(i) + `":` + link))
		}
		b.WriteString(`}}`)
		return b.String()
	}
	object := `{"type":"object","properties":{"a":{"type":"object","required":["x"]}},"required":["a"]}`
	for name, c := range map[string]struct{ text, want string }{
		"references":   {chain(20_000, `{"$ref":"#/$defs/N"}`), "references lead to references and to no type, from 0 on"},
		"unions":       {chain(5_000, `{"anyOf":[{"$ref":"#/$defs/N"},{"type":"null"},{"type":"array","items":{"$ref":"#/$defs/N"}}]}`), "a case is the union itself; "},
		"one of":       {chain(200, `{"oneOf":[{"type":"object","properties":{"a":{"$ref":"#/$defs/N"}},"required":["a"]},{"type":"object","properties":{"a":{"$ref":"#/$defs/N"}},"required":["a"]}]}`), "200 ignored"},
		"wide one of":  {prop(`{"oneOf":[` + strings.Repeat(object+",", 255) + object + `]}`), "1 ignored"},
		"wider any of": {prop(`{"anyOf":[` + strings.Repeat(object+",", 5_000) + object + `]}`), "0 ignored"},
		"wider one of": {prop(`{"oneOf":[` + strings.Repeat(object+",", 5_000) + object + `]}`), "1 ignored"},
		"deep":         {strings.Repeat(`{"type":"object","properties":{"v":`, 60) + `{}` + strings.Repeat(`}}`, 60), "0 ignored"},
		"too deep":     {strings.Repeat(`{"type":"object","properties":{"v":`, 65) + `{}` + strings.Repeat(`}}`, 65), "nested more than 128 deep"},
		"defaults":     {chain(1_000, `{"type":"object","properties":{"a":{"$ref":"#/$defs/N","default":{}},"b":{"type":"array","default":[1]}}}`), "the default needs defaults without end; "},
		"bare unions":  {prop(strings.Repeat(`{"minLength":1,"items":`, 60) + `true` + strings.Repeat(`}`, 60)), "0 ignored"},
		"long names":   {prop(`{"` + strings.Repeat("k", 1<<20) + `":1}`), "1 ignored"},
		"constants":    {prop(`{"enum":[` + strings.Repeat(`"a",`, 1<<17) + `"b"]}`), "0 ignored"},
	} {
		t.Run(name, func(t *testing.T) {
			var ignored []*Unsupported
			_, err := definition(c.text, IgnoreUnsupported(&ignored))
			got := itoa(len(ignored)) + " ignored"
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, c.want) || len(got) > 4_000 {
				t.Errorf("got %.300s, want %s", got, c.want)
			}
		})
	}
}

// The reader of bare schemas finds in a generated schema the very tables that were generated beside it.
func TestGeneratedSchemas(t *testing.T) {
	for _, file := range []string{"testdata/types.json", "../../../gen/contracts.json"} {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		list, err := Load(data)
		require.NoError(t, err)
		for _, c := range list {
			for i, v := range c.Variants {
				var text []byte
				for _, s := range v.Schema {
					text = append(append(text, s.Lit...), s.Tool...)
				}
				bare, err := definition(string(text))
				if err != nil {
					t.Errorf("%s %d: %v\n%s", c.Name, i, err, text)
					continue
				}
				if diff := cmp.Diff(plainTables(v.Params), plainTables(bare.Variants[0].Params)); diff != "" {
					t.Errorf("%s %d: %s\n%s", c.Name, i, text, diff)
				}
			}
		}
	}
}

// plainTables is what a schema can say: a copy without what only tables know.
func plainTables(s *schema.Schema) *schema.Schema {
	out := &schema.Schema{Root: plainType(s.Root)}
	for _, d := range s.Defs {
		out.Defs = append(out.Defs, schema.Def{Name: d.Name, Type: plainType(d.Type)})
	}
	slices.SortFunc(out.Defs, func(a, b schema.Def) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func plainType(t *schema.Type) *schema.Type {
	if t == nil {
		return nil
	}
	out := *t
	out.Elem, out.Rest = plainType(t.Elem), plainType(t.Rest)
	out.Fields, out.Items, out.Cases, out.PatternRest = nil, nil, nil, nil
	for _, f := range t.Fields {
		if !f.Gone {
			out.Fields = append(out.Fields, schema.Field{Name: f.Name, Type: plainType(f.Type), Required: f.Required, Default: f.Default})
		}
	}
	for _, item := range t.Items {
		out.Items = append(out.Items, plainType(item))
	}
	for _, c := range t.Cases {
		out.Cases = append(out.Cases, schema.Case{Tag: c.Tag, Type: plainType(c.Type)})
	}
	for _, p := range t.PatternRest {
		out.PatternRest = append(out.PatternRest, schema.PatternRest{Pattern: p.Pattern, Type: plainType(p.Type)})
	}
	return &out
}
