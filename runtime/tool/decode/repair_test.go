package decode

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

func codes(r Report) string {
	var out []string
	for _, p := range r.Problems {
		out = append(out, string(p.Code)+"@"+p.Pointer)
	}
	return strings.Join(out, " ")
}

func repaired(r Report) string {
	var out []string
	for _, x := range r.Repairs {
		out = append(out, x.Code+"@"+x.Pointer)
	}
	return strings.Join(out, " ")
}

// Where a value can be read in several ways, in one way, or in none.
func TestReadings(t *testing.T) {
	e := engine(t, mendable(), WithMode(Tolerant))
	for _, c := range []struct{ args, text, repairs, problems string }{
		// One of the cases fits, and another one does after repairs: nothing is repaired.
		{`{"un":"3"}`, `{"un":"3"}`, "", ""},
		// One case fits after repairs.
		{`{"scalar":"3"}`, `{"scalar":3}`, "number-string@/scalar", ""},
		{`{"scalar":"true"}`, `{"scalar":true}`, "bool-string@/scalar", ""},
		{`{"both":"[1]"}`, `{"both":[1]}`, "json-string@/both", ""},
		{`{"both":"{\"n\":\"1\"}"}`, `{"both":{"n":1}}`, "json-string@/both number-string@/both/n", ""},
		{`{"both":[1,"2",]}`, `{"both":[1,2]}`, "number-string@/both/1 trailing-comma@/both", ""},
		{`{"overlap":{"a":"true","m":"x"}}`, `{"overlap":{"a":true,"m":"x"}}`, "bool-string@/overlap/a", ""},
		{`{"inner":{"scalar":"3","both":"[\"1\"]"}}`, `{"inner":{"scalar":3,"both":[1]}}`, "number-string@/inner/scalar json-string@/inner/both number-string@/inner/both/0", ""},
		// Two cases fit after repairs, and mean the same.
		{`{"two":{"n":{"s":"x",}}}`, `{"two":{"n":{"s":"x"}}}`, "", "no-case@/two"},
		{`{"two":{"x":"1"}}`, `{"two":{"x":1}}`, "number-string@/two/x", ""},
		// None does.
		{`{"scalar":"x"}`, "", "", "no-case@/scalar"},
		{`{"overlap":{"a":"x"}}`, "", "", "no-case@/overlap"},
		// A word of several cases, or of several words but for its case.
		{`{"word":"TWO"}`, "", "", "not-in-enum@/word"},
		{`{"word":"tHREE"}`, `{"word":"Three"}`, "enum-case@/word", ""},
		{`{"word":"Two"}`, `{"word":"Two"}`, "", ""},
		// Wrapped or unpacked.
		{`{"names":"[1"}`, `{"names":["[1"]}`, "wrap-item@/names", ""},
		{`{"names":"[\"a\"]"}`, "", "", "wrong-type@/names"},
		{`{"names":"[1]"}`, `{"names":["[1]"]}`, "wrap-item@/names", ""},
		{`{"ids":"[1]"}`, `{"ids":[1]}`, "json-string@/ids", ""},
		{`{"ids":"1"}`, `{"ids":[1]}`, "wrap-item@/ids number-string@/ids", ""},
		{`{"ids":null}`, `{}`, "null-optional@/ids", ""},
		{`{"one":["a",]}`, `{"one":"a"}`, "trailing-comma@/one unwrap-item@/one", ""},
		{`{"one":[["a"]]}`, "", "", "wrong-type@/one"},
		// An alias in an open object is no property of its own.
		{`{"wide":{"k":"1","o":"2"}}`, `{"wide":{"known":1,"o":2}}`, "alias@/wide/k number-string@/wide/k number-string@/wide/o", ""},
		{`{"wide":{"k":1,"known":2}}`, "", "alias@/wide/k", "duplicate-key@/wide/known"},
		// Fixed values are compared by what they are.
		{`{"depth":3.0}`, `{}`, "fixed-param@/depth", ""},
		{`{"depth":"30e-1"}`, `{}`, "number-string@/depth fixed-param@/depth", ""},
		{`{"depth":4}`, "", "", "param-gone@/depth"},
		{`{"gone":null}`, "", "", "param-gone@/gone"},
		// A secret is not looked into.
		{`{"cfg":"{\"key\":\"a\"}","token":null}`, `{"cfg":{"key":"a"}}`, "json-string@/cfg null-optional@/token", ""},
		{`{"cfg":{"key":null}}`, `{"cfg":{}}`, "null-optional@/cfg", ""},
		// Tags.
		{`{"tag":{"x":"1","kind":"A"}}`, `{"tag":{"x":1,"kind":"a"}}`, "number-string@/tag/x enum-case@/tag/kind", ""},
		{`{"tag":"{\"kind\":\"b\"}"}`, `{"tag":{"kind":"b"}}`, "json-string@/tag", ""},
		// Duplicates that a repair must not hide.
		{`{"s":null,"s":null}`, "", "null-optional@/s", "wrong-type@/s duplicate-key@/s"},
		{`{"s":"ab","s":null}`, "", "", "duplicate-key@/s"},
		{`{"any":{"a":1,"a":1},"i":"5"}`, "", "number-string@/i", "duplicate-key@/any/a"},
		{`{"map":"{\"a\":1,\"\\u0061\":1}"}`, "", "json-string@/map", "duplicate-key@/map/a"},
	} {
		text, r := e.Repair(c.args)
		if c.problems != "" {
			c.text = c.args
		}
		if text != c.text || codes(r) != c.problems || c.problems != "no-case@/two" && repaired(r) != c.repairs {
			t.Errorf("%s: %s, repairs %q, problems %q\nwant %s, %q, %q", c.args, text, repaired(r), codes(r), c.text, c.repairs, c.problems)
		}
	}
}

// Two cases that a repaired value fits: which one was meant, cannot be told.
func TestAmbiguous(t *testing.T) {
	union := func(types ...*schema.Type) *schema.Type {
		u := &schema.Type{Kind: schema.Union}
		for _, x := range types {
			u.Cases = append(u.Cases, schema.Case{Type: x})
		}
		return u
	}
	word := func(words ...string) *schema.Type { return &schema.Type{Kind: schema.String, Enum: words} }
	e := engine(t, root(
		field("case", union(word("Ab"), word("aB"))),
		field("kind", union(integer(), &schema.Type{Kind: schema.Number})),
		field("list", union(list(integer()), list(list(integer())))),
		field("obj", union(object(field("a", integer())), object(field("b", integer())))),
	), WithMode(Tolerant))
	for args, want := range map[string]string{
		`{"case":"AB"}`:        "no-case@/case",
		`{"kind":"3"}`:         "",
		`{"kind":"3.5"}`:       "",
		`{"list":["1"]}`:       "",
		`{"list":["[1]"]}`:     "",
		`{"obj":{"a":"1"}}`:    "",
		`{"obj":{"c":1}}`:      "no-case@/obj",
		`{"obj":{"a":null}}`:   "", // {} by the first case, and an unknown key by the second
		`{"obj":"{\"b\":1,}"}`: "",
	} {
		if text, r := e.Repair(args); codes(r) != want {
			t.Errorf("%s: %s, %v, want %q", args, text, r, want)
		}
	}
}

// What a root that takes undeclared keys could be as it is, is not taken out of one.
func TestUnwrapOpenRoot(t *testing.T) {
	for args, c := range map[string]struct {
		rest    *schema.Type
		repairs string
		ok      bool
	}{
		`{"x":{"q":"a"}}`:       {&schema.Type{Kind: schema.Any}, "unwrap-key@/x", true}, // q is missing otherwise
		`{"x":"{\"q\":\"a\"}"}`: {str(), "unwrap-key@/x json-string@/x", true},
		`{"x":{"z":"a"}}`:       {&schema.Type{Kind: schema.Any}, "", false},
	} {
		s := root(schema.Field{Name: "q", Required: true, Type: str()})
		s.Root.Rest = c.rest
		if _, r := engine(t, s, WithMode(Tolerant)).Repair(args); r.OK() != c.ok || repaired(r) != c.repairs {
			t.Errorf("%s: %v %v", args, r.Repairs, r)
		}
	}
	s := root(field("q", str()))
	s.Root.Rest = rest(object(), integer())
	e := engine(t, s, WithMode(Tolerant))
	// {"x":{"n":1}} and {"n":1}, of which the second does not fit; {"x":{}} and {}.
	for args, want := range map[string]string{`{"x":{"n":"1"}}`: `{"x":{"n":1}}`, `{"x":"{}"}`: `{"x":"{}"}`} {
		if text, r := e.Repair(args); text != want {
			t.Errorf("%s: %s %v %v", args, text, r.Repairs, r)
		}
	}
}

// Every code that occurs is noted, however many repairs there are.
func TestManyRepairs(t *testing.T) {
	e := engine(t, mendable(), WithMode(Tolerant))
	args := `{"uniq":[` + strings.Repeat(`[1,],`, 100) + `1],"tree":{"v":1,"kids":[` + strings.Repeat(`{"v":"1"},`, 100) + `{"v":1.0}]},"b":"true","mode":"FAST"}`
	_, r := e.Repair(args)
	if !strings.Contains(codes(r), "not-unique@") {
		t.Errorf("%v", r)
	}
	_, r = e.Repair(strings.Replace(args, `"uniq"`, `"any"`, 1))
	seen := map[string]int{}
	for _, x := range r.Repairs {
		seen[x.Code]++
	}
	want := map[string]int{RepairTrailingComma: MaxProblems, RepairNumberString: 1, RepairBoolString: 1, RepairEnumCase: 1, RepairIntegral: 1}
	if !r.OK() || !reflect.DeepEqual(seen, want) {
		t.Errorf("%v, want %v; %v", seen, want, r)
	}
	r = engine(t, mendable()).Validate(`{"uniq":[],"tree":{"v":1,"kids":[` + strings.Repeat(`{"v":1.0},`, 100) + `{"v":1}]}}`)
	if !r.OK() || len(r.Repairs) != MaxProblems {
		t.Errorf("%d repairs", len(r.Repairs))
	}
}

// Problems point into what the model wrote as long as that is remembered, and are true beyond.
func TestOrigins(t *testing.T) {
	e := engine(t, root(field("list", list(object(schema.Field{Name: "path", Aliases: []string{"file"}, Type: integer()})))), WithMode(Tolerant))
	args := `{"list":[` + strings.Repeat(`{"file":1},`, maxMarks) + `{"file":true}]}`
	if r := e.Validate(args); codes(r) != fmt.Sprintf("wrong-type@/list/%d/path", maxMarks) {
		t.Error(codes(r))
	}
	args = strings.Replace(args, `{"file":1},`, "", 1)
	if r := e.Validate(args); codes(r) != fmt.Sprintf("wrong-type@/list/%d/file", maxMarks-1) {
		t.Error(codes(r))
	}
}

func TestCaps(t *testing.T) {
	limit := schema.Field{Name: "limit", Type: &schema.Type{Kind: schema.Int, Min: "1", Max: "100"}, Default: "60"}
	s := root(limit, schema.Field{Name: "x", Type: nullable(&schema.Type{Kind: schema.Number})}, schema.Field{Name: "a/b", Type: integer()}, field("q", str()),
		schema.Field{Name: "count", Type: &schema.Type{Kind: schema.Ref, Ref: "Count"}}, schema.Field{Name: "other", Type: &schema.Type{Kind: schema.Ref, Ref: "Count"}},
		schema.Field{Name: "gone", Gone: true, Fixed: "9", Type: integer()})
	s.Defs = []schema.Def{{Name: "Count", Type: integer()}}
	for _, mode := range []Mode{Strict, Tolerant} {
		e := engine(t, s, WithMode(mode), WithCap("limit", "50"), WithCap("x", "0.70"), WithCap("a/b", "7"), WithCap("count", "5"))
		for args, want := range map[string]string{
			`{"limit":10,"x":0.7}`:            `{"limit":10,"x":0.7,"gone":9} `,
			`{"limit":50,"x":null}`:           `{"limit":50,"x":null,"gone":9} `,
			`{"limit":51}`:                    `{"limit":50,"gone":9} cap@/limit`,
			`{"limit":100.0,"x":0.71}`:        `{"limit":50,"x":0.70,"gone":9} integral@/limit cap@/limit cap@/x`,
			`{"x":1e300,"limit":1}`:           `{"x":0.70,"limit":1,"gone":9} cap@/x`,
			`{}`:                              `{"limit":50,"gone":9} cap@/limit`,
			`{"a/b":8,"limit":1}`:             `{"a/b":7,"limit":1,"gone":9} cap@/a~1b`,
			`{"count":6,"other":6,"limit":1}`: `{"count":5,"other":6,"limit":1,"gone":9} cap@/count`,
			`{"limit":101}`:                   ` `,
		} {
			out, r := e.Normalize(args)
			if got := string(out) + " " + repaired(r); got != want {
				t.Errorf("%s: %s, want %s", args, got, want)
			}
			v, _ := Decode(e, args, func(d *Decoder) (v struct {
				limit int64
				x     float64
			}) {
				o := d.Object()
				for d.NextField(&o) {
					switch o.Slot {
					case 0:
						v.limit = d.Int()
					case 1:
						if !d.Null() {
							v.x = d.Float()
						}
					}
				}
				return v
			})
			if v.limit > 50 || v.x > 0.7 || r.OK() && v.limit == 0 {
				t.Errorf("%s: %+v", args, v)
			}
		}
	}
	tolerant := engine(t, s, WithMode(Tolerant), WithCap("limit", "50"))
	if _, r := tolerant.Repair(`{"limit":"70"}`); repaired(r) != "number-string@/limit cap@/limit" {
		t.Error(r.Repairs)
	}
	p, err := schema.Compile(s)
	if err != nil {
		t.Fatal(err)
	}
	for want, opts := range map[string][]Option{
		"params.nope: a cap needs a parameter, and there is none":                  {WithCap("nope", "1")},
		"params.q: a cap needs an integer or a number, and this is string":         {WithCap("q", "1")},
		"params.gone: a cap needs a parameter, and this one is not available here": {WithCap("gone", "1")},
		"params.limit: the cap 0 is not what the parameter may be":                 {WithCap("limit", "0")},
		"params.limit: the cap 1.5 is not what the parameter may be":               {WithCap("limit", "1.5")},
		`params.limit: the cap "many" is not a number`:                             {WithCap("limit", "many")},
		"params.limit: there is a cap already, 5":                                  {WithCap("limit", "5"), WithCap("limit", "6")},
	} {
		_, err := New(p, opts...)
		var e *schema.Error
		if err == nil || !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// A replacement is named where it is there.
func TestRetired(t *testing.T) {
	s := root(field("now", str()), schema.Field{Name: "off", Gone: true})
	s.Retired = []schema.Retired{{Name: "before", Use: "now", Why: "it is later"}, {Name: "then", Use: "off", Why: "it is over"}, {Name: "never"}}
	s.Root.Fields[0].Type.Enum = []string{"a"}
	s.Root.Fields[0].Type.Retired = []schema.Retired{{Name: "b", Use: "a"}, {Name: "c", Use: "d", Why: "d took over"}}
	e := engine(t, s, WithMode(Tolerant))
	for _, c := range []struct{ args, problem, words, not string }{
		{`{"before":1}`, "param-retired@/before", `use "now"|it is later`, ""},
		{`{"then":1}`, "param-retired@/then", "leave it out|it is over", "off"}, // which is not there
		{`{"never":1}`, "param-retired@/never", "leave it out", ""},
		{`{"now":"b"}`, "value-retired@/now", `expected "a"|string "b"|use "a"`, ""},
		{`{"now":"C"}`, "value-retired@/now", `expected "a"|string "C"|d took over`, `use "`}, // d is no word
		{`{"now":"e"}`, "not-in-enum@/now", `expected "a"|string "e"`, ""},
	} {
		saidOf(t, e, c.args, c.problem, c.words, c.not)
	}
}

// Markup is looked for in what the root's strings hold, and means only parameters that are absent.
func TestMarkup(t *testing.T) {
	s := root(field("a", str()), field("b", &schema.Type{Kind: schema.Any}), schema.Field{Name: "c", Type: str(), Default: `"<parameter=a>"`}, schema.Field{Name: "gone", Gone: true})
	s.Root.Rest = &schema.Type{Kind: schema.Any}
	for args, want := range map[string]string{
		`{"a":"<parameter=b>"}`:                                  "markup@/a",
		`{"a":"<parameter=a>"}`:                                  "",
		`{"a":"<parameter=gone>"}`:                               "",
		`{"a":"<parameter=zzz>"}`:                                "",
		`{"a":"parameter=b>"}`:                                   "",
		`{"a":"<parameter name=\"b\""}`:                          "markup@/a",
		`{"a":"<parameter name=b>"}`:                             "",
		`{"b":[{"x":"<y:parameter name='a'"}]}`:                  "markup@/b",
		`{"b":"\u003cparameter=a\u003e"}`:                        "markup@/b",
		`{"b":"<arg_key>a</arg_key>"}`:                           "markup@/b",
		`{"b":"<parameter= a >","a":"<"}`:                        "",
		`{"x":"<parameter=a>","y":"<parameter=b><parameter=a>"}`: "markup@/x markup@/y",
		`{"x":1,"y":2,"z":3,"w":"<parameter=a>"}`:                "markup@/w",
		`{}`:                         "",
		`{"a":"<parameter=b","b":1}`: "",
	} {
		for _, mode := range []Mode{Strict, Tolerant} {
			if r := engine(t, s, WithMode(mode)).Validate(args); codes(r) != want {
				t.Errorf("%s: %v, want %q", args, r, want)
			}
		}
	}
}

// An object behind one key that is nearly a declared one, which it fits too, has two readings.
func TestUnwrapMisspelt(t *testing.T) {
	limits := func() *schema.Type { return object(field("limit", integer()), field("q", str())) }
	e := engine(t, root(field("filter", limits()), field("limit", integer()), field("q", str()), field("input", str())), WithMode(Tolerant))
	for args, want := range map[string]string{
		`{"filters":{"limit":5}}`:         "unknown-key@/filters",
		`{"filtr":{}}`:                    "unknown-key@/filtr",
		`{"filt\u0065rs":{"limit":"5"}}`:  "unknown-key@/filters",
		`{"filters":"{\"limit\":5}"}`:     "unknown-key@/filters",
		`{"filters":{"filter":{}}}`:       "", // filter has no such key
		`{"inputs":{"limit":5}}`:          "", // input is no object
		`{"arguments":{"limit":5}}`:       "",
		`{"filters":{"limit":5},"q":"a"}`: "unknown-key@/filters",
	} {
		text, r := e.Repair(args)
		if codes(r) != want {
			t.Errorf("%s: %s, %v, want %q", args, text, r, want)
		}
		if !r.OK() && (text != args || r.Problems[0].Nearest != "filter" || len(r.Repairs) > 0) {
			t.Errorf("%s: %s, %v, nearest %q", args, text, r.Repairs, r.Problems[0].Nearest)
		}
	}
}
