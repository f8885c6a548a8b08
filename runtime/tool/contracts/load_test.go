package contracts

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// small is a file of two tools that has every part of the format.
const small = `{"generator":"toolgen","format":2,"packages":[{
	"name":"desk","path":"example.com/desk","later":{"any":1},
	"enums":[{"name":"state","retired":[{"word":"lit","use":"on","why":"shorter"}]}],
	"defs":[{"name":"Node","type":{"kind":"object","fields":[{"name":"next","type":{"kind":"ref","ref":"Node"},"optional":true}]}}],
	"tools":[
		{"name":"find","wire":"find-it","title":"Find","args":[
				{"name":"q","type":{"kind":"string"}},{"name":"deep","type":{"kind":"boolean"}},{"name":"node","type":{"kind":"ref","ref":"Node"}}],
			"options":[
				{"name":"wide","kind":"bool","values":["true","false"],"default":true},
				{"name":"mode","kind":"enum","values":["a","b"],"default":"a"},
				{"name":"depth","kind":"open","type":{"kind":"integer","min":"0"},"default":3}],
			"results":[{"name":"page","fields":[{"name":"s","type":{"kind":"string","enum":["on"],"enumRef":{"package":"example.com/desk","name":"state"}}}]}],
			"retired":{"names":["look"],"params":[{"word":"query","use":"q","why":"shorter"}]},
			"combinations":[{"select":["true","a"],"variant":0},{"variant":-1,"rejected":"no b"},{"variant":1},{"variant":1}],
			"variants":[
				{"clauses":[{"id":"purpose","text":["Finds with ",{"tool":"find"}," or ",{"tool":"ask"},".",""]}],
					"params":[
						{"name":"q","doc":["What."],"type":{"kind":"string","minLen":1,"maxLen":9,"patterns":["^a"]},"aliases":["s"],"secret":true},
						{"name":"deep","type":{"kind":"boolean"},"default":false},
						{"name":"node","type":{"kind":"ref","ref":"Node"},"default":{ "next" : {} }}],
					"schema":["{\"type\":\"object\",\"description\":\"",{"tool":"find"},"\"}"],
					"needs":["ask"],"results":["page"],
					"sections":[{"label":"how","order":1.5,"text":["Use ",{"tool":"find","param":"q"}," when ",{"enum":"state","word":"on"}]}],
					"concurrency":"safe","hints":{"readOnly":true,"openWorld":false},
					"limits":{"argumentBytes":100,"resultBytes":200,"timeout":"2s"}},
				{"clauses":[{"text":["Finds."]}],"params":[{"name":"q","type":{"kind":"string","enum":["on"],"enumRef":{"package":"example.com/desk","name":"state"}},"optional":true}],
					"schema":["{\"type\":\"object\"}"],"fixed":[{"name":"deep","value":true}],"results":null,"concurrency":"exclusive"}]},
		{"name":"ask","args":null,"combinations":[{"select":null,"variant":0}],
			"variants":[{"clauses":[{"text":["Asks."]}],"params":null,"schema":["{\"type\":\"object\"}"],"concurrency":"exclusive"}]}
	]}]}`

func TestLoad(t *testing.T) {
	list, err := Load([]byte(small))
	require.NoError(t, err)
	node := &schema.Type{Kind: schema.Object, Fields: []schema.Field{{Name: "next", Type: &schema.Type{Kind: schema.Ref, Ref: "Node"}}}}
	retired := []schema.Retired{{Name: "query", Use: "q", Why: "shorter"}}
	want := List{
		{
			Package: "example.com/desk", Name: "find", Mounted: "find-it", Title: "Find", RetiredNames: []string{"look"},
			Options:      []tool.Option{{Name: "wide", Values: []string{"true", "false"}}, {Name: "mode", Values: []string{"a", "b"}}},
			Combinations: []tool.Combination{{}, {Rejected: "no b"}, {Variant: 1}, {Variant: 1}},
			Settings:     []schema.Field{{Name: "depth", Type: &schema.Type{Kind: schema.Int, Min: "0"}, Default: "3"}},
			Variants: []tool.Variant{
				{
					Description: []tool.Clause{{ID: "purpose", Text: tool.Text{{Lit: "Finds with "}, {Tool: "find"}, {Lit: " or "}, {Tool: "ask"}, {Lit: "."}}}},
					Schema:      tool.Text{{Lit: `{"type":"object","description":"`}, {Tool: "find"}, {Lit: `"}`}},
					Params: &schema.Schema{
						Root: &schema.Type{Kind: schema.Object, Fields: []schema.Field{
							{Name: "q", Required: true, Secret: true, Aliases: []string{"s"},
								Type: &schema.Type{Kind: schema.String, Len: schema.Range{Min: 1, Max: 9, Bounded: true}, Patterns: []string{"^a"}}},
							{Name: "deep", Slot: 1, Type: &schema.Type{Kind: schema.Bool}, Default: "false"},
							{Name: "node", Slot: 2, Type: &schema.Type{Kind: schema.Ref, Ref: "Node"}, Default: `{"next":{}}`},
						}},
						Defs: []schema.Def{{Name: "Node", Type: node}}, Retired: retired,
					},
					Needs: []string{"ask"}, Enums: []string{"state"}, Results: []string{"page"}, Safe: true,
					Sections: []tool.Section{{Label: "how", Main: true, Order: 1.5, Text: tool.Text{
						{Lit: "Use "}, {Tool: "find", Param: "q"}, {Lit: " when "}, {Enum: "state", Word: "on"}}}},
					Hints:  tool.Hints{ReadOnly: tool.Yes, OpenWorld: tool.No},
					Limits: tool.Limits{ArgumentBytes: 100, ResultBytes: 200, Timeout: "2s"},
				},
				{
					Description: []tool.Clause{{Text: tool.Text{{Lit: "Finds."}}}},
					Schema:      tool.Text{{Lit: `{"type":"object"}`}},
					Params: &schema.Schema{
						Root: &schema.Type{Kind: schema.Object, Fields: []schema.Field{
							{Name: "q", Type: &schema.Type{Kind: schema.String, Enum: []string{"on"}, Retired: []schema.Retired{{Name: "lit", Use: "on", Why: "shorter"}}}},
							{Name: "deep", Slot: 1, Gone: true, Fixed: "true", Type: &schema.Type{Kind: schema.Bool}, By: "wide"},
							{Name: "node", Slot: 2, Gone: true, By: "wide"},
						}},
						Retired: retired,
					},
					Enums: []string{"state"},
				},
			},
		},
		{
			Package: "example.com/desk", Index: 1, Name: "ask", Mounted: "ask", Combinations: []tool.Combination{{}},
			Variants: []tool.Variant{{
				Description: []tool.Clause{{Text: tool.Text{{Lit: "Asks."}}}}, Schema: tool.Text{{Lit: `{"type":"object"}`}},
				Params: &schema.Schema{Root: &schema.Type{Kind: schema.Object}},
			}},
		},
	}
	require.Empty(t, cmp.Diff(want, list))
	require.Same(t, list[1], list.Find("ask"))
	require.Nil(t, list.Find("find-it"), "labels find, not mounted names")
}

// Each mistake is said with its place.
func TestDamaged(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{small, "", "contracts: not JSON: line 1, column 1: the text is empty"},
		{small, "{", "contracts: not JSON: line 1, column 2: the text ends inside an object"},
		{"\"name\":\"desk\"", "\"path\":\"x\"", "contracts: not JSON: line 2, column 14: a key stands twice in one object"},
		{small, "[]", "contracts: not-object: expected object; got array []; send the object itself, without an array around it"},
		{small, "{}", "contracts: /format: missing"},
		{`"format":2`, `"format":"2"`, `contracts: /format: wrong-type`},
		{`"format":2`, `"format":3`, "contracts: /format: revision 3 is newer than this program, which reads 2: update github.com/toolgen-dev/toolgen in it"},
		{`"format":2`, `"format":1`, "contracts: /format: revision 1 is older than what this program reads, 2: run `toolgen generate` again"},
		{`"packages"`, `"packs"`, `contracts: /packages: missing`},
		{`"tools":[`, `"Tools":[`, "contracts: /packages/0/Tools: key-case: write it \"tools\": upper and lower case differ"},
		{`"name":"ask"`, `"name":"find"`, `contracts: /packages/0/tools/1/name: the tool "find" stands at /packages/0/tools/0 already`},
		{`"kind":"bool"`, `"kind":"boolean"`, `contracts: /packages/0/tools/0/options/0/kind: not-in-enum`},
		{`"name":"mode"`, `"name":"wide"`, `contracts: /packages/0/tools/0/options/1/name: the option "wide" stands twice`},
		{`["a","b"]`, `[]`, `contracts: /packages/0/tools/0/options/1/values: the option "mode" has no values`},
		{`"kind":"open","type":{"kind":"integer","min":"0"}`, `"kind":"open"`, `contracts: /packages/0/tools/0/options/2/type: the option "depth" has no type`},
		{`"default":3`, `"default":-3`, "contracts: /packages/0/tools/0/options: schema: params.depth: the default does not fit: arguments: out-of-range"},
		{`{"variant":1},{"variant":1}`, `{"variant":1}`, "contracts: /packages/0/tools/0/combinations: there are 3, and 4 choices of the options"},
		{`{"variant":1},{"variant":1}`, `{"variant":1},{"variant":2}`, "contracts: /packages/0/tools/0/combinations/3/variant: there is no variant 2"},
		{`"variant":-1,"rejected":"no b"`, `"variant":-1`, "contracts: /packages/0/tools/0/combinations/1: the choice selects no variant, and gives no reason"},
		{`["a","b"]`, `["` + strings.Repeat(`a","`, 128) + `b"]`, "contracts: /packages/0/tools/0/options: there are more than 256 choices of the options"},
		{`{"name":"deep","type":{"kind":"boolean"}},{"name":"node"`, `{"name":"q","type":{"kind":"boolean"}},{"name":"node"`,
			`contracts: /packages/0/tools/0/args/1/name: the parameter "q" stands twice`},
		{`{"name":"q","doc"`, `{"name":"r","doc"`, `contracts: /packages/0/tools/0/variants/0/params/0/name: the parameter "r" is not among the tool's args`},
		{`"fixed":[{"name":"deep"`, `"fixed":[{"name":"q"`, `contracts: /packages/0/tools/0/variants/1/fixed/0/name: "q" is no parameter that the variant lacks`},
		{`"value":true`, `"value":1`, "contracts: /packages/0/tools/0/variants/1: schema: params.deep: the default does not fit: arguments: wrong-type"},
		{`"default":false`, `"default":"no"`, `contracts: /packages/0/tools/0/variants/0: schema: params.deep: the default does not fit: arguments: wrong-type`},
		{`"^a"`, `"("`, "contracts: /packages/0/tools/0/variants/0: schema: params.q: the pattern \"(\": error parsing regexp: missing closing ): `(`"},
		{`"default":{ "next"`, `"defalt":{ "next"`, ""}, // unknown: of a later generator
		{`"ref":"Node"},"default"`, `"ref":"Nod"},"default"`, `contracts: /packages/0/tools/0/variants/0: schema: params.node: the definition "Nod" does not exist`},
		{`"ref":"Node"},"default"`, `"ref":"Node","refPackage":"example.com/other"},"default"`,
			"contracts: /packages/0/tools/0/variants/0/params/2/type/refPackage: the definition Node belongs to another package"},
		{`{"kind":"boolean"},"default":false`, `{"kind":"boolean","enum":["true"]},"default":false`, "contracts: /packages/0/tools/0/variants/0/params/1/type/enum: a boolean has no enumeration"},
		{`{"kind":"boolean"},"default":false`, `{"kind":"array"},"default":false`, "contracts: /packages/0/tools/0/variants/0: schema: params.deep[]: there is no type"},
		{`{"kind":"boolean"},"default":false`, `{"kind":"bool"},"default":false`, "contracts: /packages/0/tools/0/variants/0/params/1/type/kind: not-in-enum"},
		{`"order":1.5`, `"order":"x"`, `contracts: /packages/0/tools/0/variants/0/sections/0/order: wrong-type`},
		{`"results":["page"]`, `"results":["pages"]`, `contracts: /packages/0/tools/0/variants/0/results/0: the tool has no result "pages"`},
		{`"timeout":"2s"`, `"timeout":"2"`, `contracts: /packages/0/tools/0/variants/0/limits/timeout: "2" is no time after which a call could end`},
		{`"\"}"],`, `"\""],`, "contracts: /packages/0/tools/0/variants/0/schema: the schema is not JSON: the text ends inside an object (byte 37)"},
		{`\"",{"tool":"find"}`, `\"",{"tool":"ask"}`, "contracts: /packages/0/tools/0/variants/0/schema: the schema refers to something else than its tool"},
		{`["{\"type\":\"object\"}"],"fixed"`, `["{\"type\":\"array\"}"],"fixed"`,
			`contracts: /packages/0/tools/0/variants/1/schema: the schema is not that of an object: its "type" must be "object"`},
		{`"concurrency":"safe"`, `"concurrency":"none"`, `contracts: /packages/0/tools/0/variants/0/concurrency: not-in-enum`},
	} {
		_, err := Load([]byte(strings.Replace(small, c.old, c.new, 1)))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if !says(got, c.want) || !strings.Contains(small, c.old) {
			t.Errorf("%.60s for %.60s:\ngot  %s\nwant %s", c.new, c.old, got, c.want)
		}
	}
}

// says tells whether an error is the one wanted. What is wrong with a value is wanted by its code alone: only one page has
// the wording of problems.
func says(got, want string) bool {
	rest, ok := strings.CutPrefix(got, want)
	return ok && (rest == "" || want != "" && strings.HasPrefix(rest, ": "))
}

// Errors come as values with a pointer, several at once.
func TestErrors(t *testing.T) {
	broken := strings.NewReplacer(`"order":1.5`, `"order":[]`, `"values":["a","b"]`, `"values":"a"`).Replace(small)
	_, err := Load([]byte(broken))
	var pointers []string
	for _, e := range parts(err) {
		var x *Error
		require.True(t, errors.As(e, &x), "%v", e)
		pointers = append(pointers, x.Pointer)
	}
	require.Equal(t, []string{"/packages/0/tools/0/options/1/values", "/packages/0/tools/0/variants/0/sections/0/order"}, pointers)
}

// A parameter whose default is null keeps it.
func TestNullDefault(t *testing.T) {
	list, err := Load([]byte(strings.Replace(small, `{"kind":"boolean"},"default":false`, `{"kind":"boolean","nullable":true},"default":null`, 1)))
	require.NoError(t, err)
	require.Equal(t, "null", list[0].Variants[0].Params.Root.Fields[1].Default)
	require.False(t, list[0].Variants[0].Params.Root.Fields[1].Required)
}

// Every value of a file, replaced by every kind of value and left out, gives contracts that can be mounted, or an error.
func TestMutated(t *testing.T) {
	root := tree(small)
	count, loaded := 0, 0
	for at := 1; ; at++ {
		k := at
		if render(root, &k, "null"); k > 0 {
			break // there are fewer values than that
		}
		for _, v := range []string{"null", "true", "-1", "0", "1e400", `""`, `"x"`, `"ref"`, "[]", "[[]]", "{}", `{"kind":"union"}`, ""} {
			k := at
			text := render(root, &k, v)
			list, err := Load([]byte(text))
			count++
			if err != nil {
				continue
			}
			loaded++
			for _, c := range list {
				if legal.MatchString(c.Mounted) {
					mountEach(t, c)
				}
			}
		}
	}
	t.Logf("%d files, %d of them good", count, loaded)
	if loaded < 100 || count-loaded < 1000 {
		t.Error("too few of either")
	}
}

// render writes a tree with another value in place of the k-th one; without the member where that is empty.
func render(n *node, k *int, value string) string {
	if *k--; *k == 0 {
		return value
	}
	if n.kind != '{' && n.kind != '[' {
		return n.text
	}
	var parts []string
	for i, item := range n.items {
		text := render(item, k, value)
		if text == "" {
			continue
		}
		if n.kind == '{' {
			key, _ := json.Marshal(n.names[i])
			text = string(key) + ":" + text
		}
		parts = append(parts, text)
	}
	return string(n.kind) + strings.Join(parts, ",") + string(n.kind+2)
}

// FuzzLoad: whatever the file, there is a list or an error; what is loaded can be mounted, and shown.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(small))
	var compact []byte
	for _, file := range []string{"testdata/types.json", "../../../gen/contracts.json"} {
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		var m struct {
			Generator string
			Format    int
			Packages  []struct {
				Path  string
				Defs  json.RawMessage
				Tools []json.RawMessage
			}
		}
		require.NoError(f, json.Unmarshal(data, &m))
		for _, p := range m.Packages {
			for _, t := range p.Tools { // one tool a seed: long texts are mutated slowly
				defs := p.Defs
				if defs == nil {
					defs = json.RawMessage("[]")
				}
				compact, err = json.Marshal(map[string]any{"format": Format, "packages": []any{map[string]any{"path": p.Path, "defs": defs, "tools": []any{t}}}})
				require.NoError(f, err)
				f.Add(compact)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := Load(data)
		if err != nil {
			if len(list) > 0 || err.Error() == "" {
				t.Fatalf("%d contracts beside %v", len(list), err)
			}
			return
		}
		for _, c := range list {
			if legal.MatchString(c.Mounted) {
				mountEach(t, c)
			}
		}
	})
}
