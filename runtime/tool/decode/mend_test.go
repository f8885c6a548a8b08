package decode

import (
	"encoding/json"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// mendable is unions with everything that repairs look at, at the root and below.
func mendable() *schema.Schema {
	s := unions()
	opted := func() []schema.Field {
		return []schema.Field{
			{Name: "path", Aliases: []string{"file", "filename"}, Type: str()},
			{Name: "names", Wrap: true, Type: list(str())},
			{Name: "ids", Wrap: true, Type: list(integer())},
			{Name: "one", Unwrap: true, Type: str()},
			{Name: "word", Type: &schema.Type{Kind: schema.String, Enum: []string{"one", "two", "Two", "Three"},
				Retired: []schema.Retired{{Name: "zero", Use: "one", Why: "counting starts at one"}, {Name: "nine"}}}},
			{Name: "scalar", Type: &schema.Type{Kind: schema.Union, Cases: []schema.Case{{Type: integer()}, {Type: &schema.Type{Kind: schema.Bool}}}}},
			{Name: "both", Type: &schema.Type{Kind: schema.Union, Cases: []schema.Case{{Type: list(integer())}, {Type: object(field("n", integer()))}}}},
			{Name: "overlap", Type: &schema.Type{Kind: schema.Union, Cases: []schema.Case{
				{Type: object(schema.Field{Name: "a", Required: true, Type: integer()}, field("m", str()))},
				{Type: object(schema.Field{Name: "a", Required: true, Type: &schema.Type{Kind: schema.Bool}}, field("m", str()))}}}},
			{Name: "wide", Type: rest(object(schema.Field{Name: "known", Aliases: []string{"k"}, Type: integer()}), integer())},
		}
	}
	for _, f := range append(opted(), schema.Field{Name: "inner", Type: object(opted()...)},
		schema.Field{Name: "background", Gone: true, Fixed: "false", By: "enableBackground", Type: &schema.Type{Kind: schema.Bool}},
		schema.Field{Name: "depth", Gone: true, Fixed: "3", Type: &schema.Type{Kind: schema.Number}}) {
		f.Slot = 200 + len(s.Root.Fields)
		s.Root.Fields = append(s.Root.Fields, f)
	}
	return s
}

// tolerant are arguments that repairs are about.
var tolerant = []string{
	"null", " ", "```json\n{\"s\":\"ab\"}\n```", "~~~\n{}\n~~~", `"{\"s\":\"ab\",\"i\":\"5\"}"`, `{"list":"[1,2]","tree":"{\"v\":\"1\",\"kids\":\"[{\\\"v\\\":2}]\"}"}`,
	`{"i":"10","n":"1.5","b":"true","big":"1e1"}`, `{"s":null,"list":null,"i":null,"opt":null}`, `{"mode":"FAST","tag":{"kind":"A","x":"1"}}`,
	`{"list":[1,2,],"s":"ab",}`, "{\"any\":\"a\nb\x01\",\"map\":{\"a\tb\":\"1\"}}", `{"arguments":{"s":"ab"}}`, `{"x":"{\"s\":\"ab\",}"}`,
	`{"background":false,"depth":"3.0"}`, `{"background":"false"}`, `{"file":"a","names":"x","ids":"3","one":["a"]}`, `{"inner":{"filename":"a","names":"[\"x\"]","ids":"[3]","one":["a",]}}`,
	`{"word":"THREE","scalar":"3","both":"[1,\"2\"]","overlap":{"a":"1"}}`, `{"overlap":{"a":"true"}}`, `{"un":{"q":"1"}}`, `{"json":{"a":[1,{"b":[true,]}]},"two":{"n":{"x":"1"}}}`,
	`{"file":"a","path":"b"}`, `{"s":null,"s":"ab"}`, `{"background":false,"background":false}`, `{"wide":{"k":"1","o":"2"}}`, `{"pair":["a","1"],"ns":"null","uniq":["1",1]}`,
	`{"i":"500","nope":1}`, `{"open":{"known":null,"x":null}}`, `{"any":"<parameter name=\"s\">ab"}`, `{"name":"x","parameters":{}}`, `{"properties":{"s":{"type":"string"}}}`,
}

// FuzzRepair: repairs never panic; they leave alone what fits; what comes out of them fits, and is not repaired again.
func FuzzRepair(f *testing.F) {
	for _, s := range append(append([]string{}, seeds...), tolerant...) {
		f.Add(s)
	}
	strict, e := engine(f, mendable()), engine(f, mendable(), WithMode(Tolerant))
	f.Fuzz(func(t *testing.T, args string) { repairs(t, strict, e, args) })
}

func repairs(t *testing.T, strict, e *Engine, args string) {
	t.Helper()
	before := strict.Validate(args)
	text, r := e.Repair(args)
	_, read := Decode(e, args, walk)
	if !reflect.DeepEqual(read, r) {
		t.Fatalf("%q: Repair says\n%v\nand Decode\n%v", args, r, read)
	}
	agree(t, e, args, r)
	switch {
	case before.OK():
		if text != args || !reflect.DeepEqual(r, before) {
			t.Fatalf("%q fits and was altered: %q, %v", args, text, r)
		}
	case !r.OK():
		if text != args {
			t.Fatalf("%q is refused, and altered: %q", args, text)
		}
	default:
		after := strict.Validate(text)
		if !after.OK() || !json.Valid([]byte(text)) {
			t.Fatalf("%q was repaired to %q, which is refused: %v", args, text, after)
		}
		made := 0
		for _, x := range r.Repairs {
			if x.Code != RepairIntegral {
				made++
			}
		}
		if made == 0 {
			t.Fatalf("%q became %q, and no repair was noted", args, text)
		}
		again, r := e.Repair(text)
		if again != text || !reflect.DeepEqual(r, after) {
			t.Fatalf("%q was repaired to %q, and that to %q", args, text, again)
		}
		norm, _ := e.Normalize(args)
		if want, _ := strict.Normalize(text); string(norm) != string(want) {
			t.Fatalf("%q: normalized to %s, and its repaired text to %s", args, norm, want)
		}
	}
}

// I10, for arguments that are read twice.
func TestHostileRepairs(t *testing.T) {
	rep := strings.Repeat
	texts := hostile()
	for name, text := range map[string]string{
		"numbers":             `{"list":[` + rep(`"1",`, 100_000) + `"1"]}`,
		"trees":               `{"tree":{"v":1,"kids":[` + rep(`{"v":"1"},`, 100_000) + `{"v":"1"}]}}`,
		"aliases":             `{"any":[` + rep(`{"file":1},`, 50_000) + `1],"file":1}`,
		"control":             `{"any":"` + rep("\x01", 200_000) + `"}`,
		"control in a key":    `{"any":{"` + rep("\x01", 200_000) + `":1}}`,
		"control, lone":       `{"x":{"any":"` + rep("\x01", 200_000) + `"}}`,
		"control, string":     `{"tree":"{\"v\":\"` + rep("\x01", 200_000) + `\"}"}`,
		"control, escaped":    `{"map":"{\"` + rep(`\\u0001`, 100_000) + `\":1}"}`,
		"controls, apart":     `{"any":[` + rep("\"\x01\",", 100_000) + `1]}`,
		"lines":               `{"any":"` + rep("line\n", 100_000) + `"}`,
		"commas":              `{"any":[` + rep("[1,],", 100_000) + `1]}`,
		"many names":          `{"names":` + rep(`["x",`, 100) + `"x"` + rep(`]`, 100) + `}`,
		"string root":         `"{\"any\":[` + rep(`\"a\",`, 100_000) + `1]}"`,
		"string in string":    `{"tree":"{\"v\":1,\"kids\":\"[` + rep(`{\\\"v\\\":\\\"1\\\"},`, 30_000) + `{\\\"v\\\":1}]\"}"}`,
		"string, broken":      `"{\"any\":[` + rep(`\"a\",`, 100_000),
		"lone key":            `{"x":{"any":[` + rep(`"a",`, 100_000) + `1]}}`,
		"lone keys":           rep(`{"x":`, 120) + `{}` + rep("}", 120),
		"broken unions":       `{"json":[` + rep(`{"a":[null,]},`, 20_000) + `{"b":nul}]}`,
		"broken unions, deep": `{"two":` + rep(`{"n":`, 100) + `{"x":"1"}` + rep("}", 100) + `}`,
		"broken unions, wide": `{"json":[` + rep(`[[1,],[2,]],`, 20_000) + `"x"]}`,
		"overlaps":            `{"overlap":{"a":"1","m":"` + rep("a", 1<<20) + `"}}`,
		"words":               `{"word":"` + rep("THREE", 100_000) + `"}`,
		"fence":               "```" + rep("`", 1<<20),
		"fence, long":         "```json\n{\"any\":[" + rep("[1,],", 100_000) + "1]}\n```",
		"long alias":          `{"inner":{"file":"a"},"nope":` + rep("[", 100) + rep("]", 100) + `}`,
		"wraps":               `{"ids":"` + rep("1", 1<<20) + `"}`,
		"duplicates":          `{` + rep(`"s":null,`, 100_000) + `"s":null}`,
		"fixed":               `{` + rep(`"background":false,`, 50_000) + `"background":false}`,
		"markup":              `{"any":"` + rep(`<parameter name=\"s\">`, 50_000) + `"}`,
		"markup, open":        `{"any":"` + rep(`<parameter=`, 50_000) + `"}`,
		"schema":              `{"properties":{"s":{"type":"string"}},` + keys("s", 50_000)[5:],
		"tags":                `{"tag":{` + rep(`"x":"1",`, 100_000) + `"kind":"A"}}`,
	} {
		texts[name] = text
	}
	p, err := schema.Compile(mendable())
	if err != nil {
		t.Fatal(err)
	}
	strict, e := engine(t, mendable()), engine(t, mendable(), WithMode(Tolerant))
	for name, args := range texts {
		t.Run(name, func(t *testing.T) {
			for _, run := range []struct {
				name string
				fn   func(*Engine) Report
			}{
				{"validate", func(e *Engine) Report { return e.Validate(args) }},
				{"repair", func(e *Engine) Report { _, r := e.Repair(args); return r }},
				{"decode", func(e *Engine) Report { _, r := Decode(e, args, walk); return r }},
			} {
				fresh, err := New(p, WithMode(Tolerant))
				if err != nil {
					t.Fatal(err)
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				start := time.Now()
				r := run.fn(fresh)
				took := time.Since(start)
				runtime.ReadMemStats(&after)
				if used, limit := after.TotalAlloc-before.TotalAlloc, uint64(8*len(args)+64<<10); used > limit {
					t.Errorf("%s: %d bytes allocated for %d, %v %.200s", run.name, used, len(args), r.Repairs, r)
				}
				if took > 3*time.Second {
					t.Errorf("%s: %v", run.name, took)
				}
			}
			repairs(t, strict, e, args)
		})
	}
}
