package decode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

func str() *schema.Type     { return &schema.Type{Kind: schema.String} }
func integer() *schema.Type { return &schema.Type{Kind: schema.Int} }
func list(t *schema.Type) *schema.Type {
	return &schema.Type{Kind: schema.Array, Elem: t}
}
func object(fields ...schema.Field) *schema.Type {
	for i := range fields {
		fields[i].Slot = i
	}
	return &schema.Type{Kind: schema.Object, Fields: fields}
}
func field(name string, t *schema.Type) schema.Field { return schema.Field{Name: name, Type: t} }
func root(fields ...schema.Field) *schema.Schema     { return &schema.Schema{Root: object(fields...)} }

func nullable(t *schema.Type) *schema.Type {
	t.Nullable = true
	return t
}

func rest(t *schema.Type, r *schema.Type) *schema.Type {
	t.Rest = r
	return t
}

// shape has something of everything.
func shape() *schema.Schema {
	tagged := func(tag string, fields ...schema.Field) schema.Case {
		kind := schema.Field{Name: "kind", Required: true, Type: &schema.Type{Kind: schema.String, Enum: []string{tag}}}
		return schema.Case{Tag: tag, Type: object(append([]schema.Field{kind}, fields...)...)}
	}
	secret := field("token", str())
	secret.Secret = true
	s := root(
		field("s", &schema.Type{Kind: schema.String, Len: schema.Range{Min: 2, Max: 4, Bounded: true}}),
		field("pat", &schema.Type{Kind: schema.String, Patterns: []string{"^a", "z$"}}),
		field("mode", &schema.Type{Kind: schema.String, Enum: []string{"fast", "full"}}),
		field("not", &schema.Type{Kind: schema.String, Not: []string{"no"}}),
		field("when", &schema.Type{Kind: schema.String, Format: "date-time"}),
		field("i", &schema.Type{Kind: schema.Int, Min: "1", Max: "100", MultipleOf: "5"}),
		field("big", integer()),
		field("n", &schema.Type{Kind: schema.Number, Min: "0", ExclusiveMin: true, Max: "1.5"}),
		field("any", &schema.Type{Kind: schema.Any}),
		field("b", &schema.Type{Kind: schema.Bool}),
		field("ns", nullable(str())),
		field("list", &schema.Type{Kind: schema.Array, Elem: integer(), Len: schema.Range{Min: 1, Max: 3, Bounded: true}}),
		field("uniq", &schema.Type{Kind: schema.Array, Elem: &schema.Type{Kind: schema.Any}, Unique: true}),
		field("pair", &schema.Type{Kind: schema.Tuple, Items: []*schema.Type{str(), integer()}}),
		field("map", rest(object(), integer())),
		field("open", rest(object(field("known", str())), &schema.Type{Kind: schema.Any})),
		field("tag", &schema.Type{Kind: schema.Tagged, Tag: "kind", Cases: []schema.Case{
			tagged("a", field("x", integer())), tagged("b", field("y", str()))}}),
		field("un", &schema.Type{Kind: schema.Union, Cases: []schema.Case{
			{Type: integer()}, {Type: str()}, {Type: object(schema.Field{Name: "p", Required: true, Type: str()})},
			{Type: object(schema.Field{Name: "q", Required: true, Type: integer()})}}}),
		field("tree", &schema.Type{Kind: schema.Ref, Ref: "Tree"}),
		secret,
		schema.Field{Name: "cfg", Secret: true, Type: object(field("key", str()))},
		schema.Field{Name: "gone", Gone: true, By: "enableGone"},
		field("opt", object(schema.Field{Name: "req", Required: true, Type: str()})),
		field("pats", &schema.Type{Kind: schema.Object, PatternRest: []schema.PatternRest{
			{Pattern: "^x_", Type: integer()}, {Pattern: "_s$", Type: str()}}}),
		field("run_in_background", &schema.Type{Kind: schema.Bool}),
	)
	s.Defs = []schema.Def{{Name: "Tree", Type: object(
		schema.Field{Name: "v", Required: true, Type: integer()},
		field("kids", list(&schema.Type{Kind: schema.Ref, Ref: "Tree"})))}}
	s.Retired = []schema.Retired{{Name: "old", Use: "s", Why: "it was renamed"}, {Name: "older"}}
	return s
}

func TestProblems(t *testing.T) {
	e := engine(t, shape())
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct{ args, want string }{
		// Fits.
		{`{}`, ""},
		{" \n{ \"s\" : \"ab\" }\t", ""},
		{`{"s":"日本"}`, ""}, {`{"s":"😀😀"}`, ""}, {`{"s":"\ud83d\ude00\u00e9"}`, ""},
		{`{"pat":"abz"}`, ""}, {`{"mode":"full"}`, ""}, {`{"mode":"\u0066ast"}`, ""}, {`{"\u006dode":"fast"}`, ""},
		{`{"when":"2026-01-31T09:30:00+01:00"}`, ""},
		{`{"i":10.0}`, ""}, {`{"i":1e1}`, ""}, {`{"big":9007199254740993}`, ""}, {`{"big":-9223372036854775808}`, ""}, {`{"big":-0}`, ""},
		{`{"n":1.5}`, ""}, {`{"n":1e-400}`, ""}, {`{"any":{"a":[1,null,"x"]}}`, ""}, {`{"any":null}`, ""}, {`{"ns":null}`, ""},
		{`{"list":[1,2,3]}`, ""}, {`{"uniq":[1,"1",[1],{"a":1},{"a":2},true]}`, ""}, {`{"pair":["a",1]}`, ""},
		{`{"map":{"a":1,"b":2}}`, ""}, {`{"map":{}}`, ""}, {`{"open":{"known":"x","other":{}}}`, ""},
		{`{"tag":{"kind":"a","x":1}}`, ""}, {`{"tag":{"y":"v","kind":"b"}}`, ""},
		{`{"un":1}`, ""}, {`{"un":"x"}`, ""}, {`{"un":{"p":"x"}}`, ""}, {`{"un":{"q":1}}`, ""},
		{`{"tree":{"v":1,"kids":[{"v":2},{"v":3,"kids":[]}]}}`, ""}, {`{"pats":{"x_a":1,"b_s":"v"}}`, ""},
		{`{"any":` + deep(127) + `}`, ""},

		// Text.
		{``, "empty@"}, {" \n", "empty@"}, {`{"s":"ab"`, "truncated@"}, {`{"s":"a`, "truncated@"}, {`{"s":`, "truncated@"}, {`{"s"`, "truncated@"},
		{`{`, "truncated@"}, {`{"b":tr`, "truncated@"}, {`{"i":-`, "truncated@"}, {`{"list":[1`, "truncated@"}, {`{"list":[`, "truncated@"}, {`{"s":"\u00`, "truncated@"},
		{`{}{}`, "glued@"}, {`{} x`, "trailing@"}, {`{}}`, "trailing@"}, {`{"s":'ab'}`, "not-json@"}, {`{s:1}`, "not-json@"},
		{`{"s":"ab",}`, "not-json@"}, {`{"list":[1,]}`, "not-json@"}, {`{"i":010}`, "not-json@"}, {`{"n":NaN}`, "not-json@"}, {`{"n":-Infinity}`, "not-json@"},
		{`{"i":+5}`, "not-json@"}, {`{"n":1.}`, "not-json@"}, {`{"n":.5}`, "not-json@"}, {`{"b":True}`, "not-json@"}, {`{"b":trux}`, "not-json@"},
		{"{\"any\":\"\xff\"}", "bad-unicode@"}, {`{"any":"\ud800"}`, "bad-unicode@"}, {`{"any":"\udc00"}`, "bad-unicode@"}, {`{"any":"\ud800\u0041"}`, "bad-unicode@"},
		{"{\"any\":\"a\nb\"}", "control-char@"}, {`{"any":"\x"}`, "not-json@"}, {`{"any":` + deep(128) + `}`, "too-deep@"},
		{`{"any":` + strings.Repeat("[", 1000000), "too-deep@"}, {"\ufeff{}", "not-json@"},
		{`[]`, "not-object@"}, {`null`, "not-object@"}, {`"{}"`, "not-object@"}, {`1`, "not-object@"},

		// Keys.
		{`{"nope":1}`, "unknown-key@/nope"}, {`{"Mode":"fast"}`, "key-case@/Mode"}, {`{"moed":"fast"}`, "unknown-key@/moed"},
		{`{"a/b~c":1}`, "unknown-key@/a~1b~0c"}, {`{"":1}`, "unknown-key@/"},
		{`{"i":5,"i":5}`, "duplicate-key@/i"}, {`{"i":5,"\u0069":5}`, "duplicate-key@/i"},
		{`{"any":{"a":[0,{"b":1,"b":1}]}}`, "duplicate-key@/any/a/1/b"}, {`{"map":{"a":1,"a":2}}`, "duplicate-key@/map/a"},
		{`{"nope":{"a":1,"a":2}}`, "unknown-key@/nope duplicate-key@/nope/a"},
		{`{"gone":true}`, "param-gone@/gone"}, {`{"old":1}`, "param-retired@/old"}, {`{"older":1}`, "param-retired@/older"},
		{`{"opt":{}}`, "missing@/opt/req"}, {`{"tree":{"v":1,"kids":[{}]}}`, "missing@/tree/kids/0/v"},
		{`{"open":{"Known":"x"}}`, "key-case@/open/Known"},

		// Values.
		{`{"s":1}`, "wrong-type@/s"}, {`{"s":null}`, "wrong-type@/s"}, {`{"s":"a"}`, "too-short@/s"}, {`{"s":"日"}`, "too-short@/s"}, {`{"s":"abcde"}`, "too-long@/s"},
		{`{"pat":"bz"}`, "pattern@/pat"}, {`{"mode":"FAST"}`, "not-in-enum@/mode"}, {`{"not":"no"}`, "excluded@/not"},
		{`{"when":"2026-01-31T09:30:00"}`, "format@/when"}, {`{"when":"2026-02-30T09:30:00Z"}`, "format@/when"},
		{`{"i":0}`, "out-of-range@/i"}, {`{"i":101}`, "out-of-range@/i"}, {`{"i":7}`, "not-multiple@/i"}, {`{"i":1.5}`, "wrong-type@/i"}, {`{"i":"5"}`, "wrong-type@/i"},
		{`{"big":9223372036854775808}`, "out-of-range@/big"}, {`{"big":1e400}`, "out-of-range@/big"}, {`{"big":1e99999999999}`, "out-of-range@/big"}, {`{"big":1e-99999999999}`, "wrong-type@/big"},
		{`{"n":0}`, "out-of-range@/n"}, {`{"n":1.50000000000000000000001}`, "out-of-range@/n"}, {`{"n":1e400}`, "out-of-range@/n"},
		{`{"b":"true"}`, "wrong-type@/b"}, {`{"b":0}`, "wrong-type@/b"},
		{`{"list":[]}`, "too-short@/list"}, {`{"list":[1,2,3,"x"]}`, "wrong-type@/list/3 too-long@/list"}, {`{"list":{}}`, "wrong-type@/list"},
		{`{"uniq":[1,1.0]}`, "not-unique@/uniq/1"}, {`{"uniq":[{"a":1,"b":2},{"b":2,"\u0061":1}]}`, "not-unique@/uniq/1"},
		{`{"pair":["a"]}`, "too-short@/pair"}, {`{"pair":["a",1,2]}`, "too-long@/pair"}, {`{"pair":[1,"a"]}`, "wrong-type@/pair/0 wrong-type@/pair/1"},
		{`{"map":{"a":"x"}}`, "wrong-type@/map/a"}, {`{"tag":{"kind":"c"}}`, "not-in-enum@/tag/kind"}, {`{"tag":{}}`, "missing@/tag/kind"}, {`{"tag":{"kind":1}}`, "not-in-enum@/tag/kind"},
		{`{"tag":{"kind":"a","y":"v"}}`, "unknown-key@/tag/y"}, {`{"tag":[]}`, "wrong-type@/tag"},
		{`{"un":true}`, "no-case@/un"}, {`{"un":{"p":1}}`, "no-case@/un"},
		{`{"pats":{"x_s":1}}`, "wrong-type@/pats/x_s"}, {`{"pats":{"q":1}}`, "unknown-key@/pats/q"},
		{`{"s":1,"nope":2,"i":"x","nope2":3}`, "unknown-key@/nope unknown-key@/nope2 wrong-type@/s wrong-type@/i"},
		{`{"s":1,"i":}`, "not-json@ wrong-type@/s"},
		{`{"token":1}`, "wrong-type@/token"}, {`{"cfg":{"key":1}}`, "wrong-type@/cfg"}, {`{"cfg":{"zzz":1}}`, "unknown-key@/cfg"}, {`{"cfg":{"key":"a","key":"b"}}`, "duplicate-key@/cfg"},
	} {
		r := e.Validate(c.args)
		var got []string
		for _, p := range r.Problems {
			got = append(got, string(p.Code)+"@"+p.Pointer)
		}
		short := c.args[:min(len(c.args), 60)]
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %q, want %q", short, s, c.want)
		}
		if r.OK() { // however it is laid out
			var spread bytes.Buffer
			for _, indent := range []string{"", " ", "\t"} {
				spread.Reset()
				if err := json.Indent(&spread, []byte(c.args), indent, indent); err != nil {
					t.Fatal(err)
				}
				if r := e.Validate(spread.String()); !r.OK() {
					t.Errorf("%s: %v", spread.String(), r)
				}
			}
			if r := e.Validate(strings.NewReplacer(",", ", ", ":", ": ").Replace(c.args)); !r.OK() && !strings.Contains(c.args, "when") {
				t.Errorf("%s with spaces: %v", short, r)
			}
		}
		out, r2 := e.Normalize(c.args)
		if !reflect.DeepEqual(r.Problems, r2.Problems) {
			t.Errorf("%s: Normalize says\n%v, Validate\n%v", short, r2, r)
		}
		if r2.OK() && !json.Valid(out) {
			t.Errorf("%s: normalized to %s", short, out)
		}
	}
}

func TestCap(t *testing.T) {
	e := engine(t, shape())
	var b strings.Builder
	b.WriteString(`{"list":[1,2,3`)
	for range 40 {
		b.WriteString(`,"x"`)
	}
	b.WriteString(`]`)
	for i := range 5 {
		fmt.Fprintf(&b, `,"unknown%d":1`, i)
	}
	b.WriteString(`}`)
	r := e.Validate(b.String())
	if len(r.Problems) != MaxProblems || r.More != 26 {
		t.Errorf("%d problems and %d more", len(r.Problems), r.More)
	}
	for i, p := range r.Problems {
		if (p.Code == UnknownKey) != (i < 5) {
			t.Errorf("problem %d is %v", i, p)
		}
	}
	if !strings.HasSuffix(r.String(), "\nand 26 more") {
		t.Error(r.String())
	}
}

func TestDecodeSix(t *testing.T) {
	e := engine(t, sixSchema())
	got, r := Decode(e, sixValid, decodeSix)
	want := sixArgs{Query: "quarterly revenue report", Mode: some("thorough"), Limit: 25, Tags: []string{"finance", "2026", "draft"},
		Filter: some(sixFilter{"owner", some(int64(3))})}
	if !r.OK() || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v %v", got, r)
	}
	got, r = Decode(e, `{"query":"q"}`, decodeSix)
	if want := (sixArgs{Query: "q", Limit: 10}); !r.OK() || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v %v", got, r)
	}
	got, r = Decode(e, sixInvalid, decodeSix)
	if !reflect.DeepEqual(got, sixArgs{}) || codes(r) != "out-of-range@/limit" {
		t.Errorf("%+v %v", got, r)
	}
	if _, r := Decode(e, `{"query":"q","limit":1e1}`, decodeSix); !r.OK() || len(r.Repairs) != 1 || r.Repairs[0] != (Repair{RepairIntegral, "/limit"}) {
		t.Error(r)
	}
}

func TestNormalize(t *testing.T) {
	s := root(
		schema.Field{Name: "a", Type: integer(), Default: "10"},
		schema.Field{Name: "b", Type: object(schema.Field{Name: "x", Type: str(), Default: `"é"`}, field("y", str())), Default: `{"y":"z"}`},
		schema.Field{Name: "c", Type: str(), Gone: true, Fixed: `"fixed"`, By: "opt"},
		schema.Field{Name: "q\"", Type: list(integer()), Default: "[ 1, 2.0 ]"},
	)
	e := engine(t, s)
	for in, want := range map[string]string{
		`{}`:              `{"a":10,"b":{"y":"z","x":"é"},"c":"fixed","q\"":[1,2]}`,
		` { "b" : { } } `: `{"b":{"x":"é"},"a":10,"c":"fixed","q\"":[1,2]}`,
		`{"a":2e1,"\u0062":{"y":"\u0041"},"q\u0022":[]}`: `{"a":20,"\u0062":{"y":"\u0041","x":"é"},"q\u0022":[],"c":"fixed"}`,
	} {
		out, r := e.Normalize(in)
		if !r.OK() || string(out) != want {
			t.Errorf("%s:\n got %s %v\nwant %s", in, out, r, want)
		}
	}
	if r := e.Validate(`{"c":"fixed"}`); r.OK() || r.Problems[0].Code != ParamGone {
		t.Error(r)
	}
}

func TestBadDefaults(t *testing.T) {
	self := root(field("a", &schema.Type{Kind: schema.Ref, Ref: "A"}))
	self.Defs = []schema.Def{{Name: "A", Type: object(schema.Field{Name: "next", Type: &schema.Type{Kind: schema.Ref, Ref: "A"}, Default: "{}"})}}
	for want, s := range map[string]*schema.Schema{
		"params.a: the default does not fit": root(schema.Field{Name: "a", Type: &schema.Type{Kind: schema.Int, Max: "5"}, Default: "6"}),
		"truncated":                          root(schema.Field{Name: "a", Type: str(), Default: `"x`}),
		"trailing":                           root(schema.Field{Name: "a", Type: str(), Default: `"x" y`}),
		"params.g: the default does not fit": root(schema.Field{Name: "g", Type: str(), Gone: true, Fixed: "1"}),
		"without end":                        self,
	} {
		p, err := schema.Compile(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

func TestTypedMethods(t *testing.T) {
	e := engine(t, shape())
	type all struct {
		when time.Time
		n    float64
		any  json.RawMessage
		null bool
		keys []string
		un   int
		pair []int
	}
	got, r := Decode(e, `{"when":"2026-01-31T09:30:00.5-01:30","n":1.25,"any": [1, 2],"ns":null,"open":{"z":1,"known":"k","\u0061":2},"un":{"q":1},"pair":["a",7]}`,
		func(d *Decoder) all {
			var a all
			o := d.Object()
			for d.NextField(&o) {
				switch o.Slot {
				case 4:
					a.when = d.Time()
				case 7:
					a.n = d.Float()
				case 8:
					a.any = d.Raw()
				case 10:
					a.null = d.Null()
				case 15:
					p := d.Object()
					for d.NextField(&p) {
						if p.Slot == schema.SlotRest {
							a.keys = append(a.keys, p.Key+"="+string(d.Raw()))
						}
					}
				case 17:
					a.un = d.Case()
				case 13:
					l := d.Array()
					for d.NextItem(&l) {
						a.pair = append(a.pair, l.Index)
					}
				}
			}
			return a
		})
	want := all{time.Date(2026, 1, 31, 11, 0, 0, 5e8, time.UTC), 1.25, json.RawMessage("[1, 2]"), true, []string{"z=1", "a=2"}, 3, []int{0, 1}}
	if !r.OK() || !got.when.Equal(want.when) {
		t.Fatal(got, r)
	}
	got.when = want.when
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

// What a caller reads with a method that does not belong to the type is the program's fault, and never a panic.
func TestBadTable(t *testing.T) {
	e := engine(t, tinySchema())
	for name, fn := range map[string]func(*Decoder){
		"int": func(d *Decoder) { d.Int() }, "bool": func(d *Decoder) { d.Bool() }, "float": func(d *Decoder) { d.Float() },
		"array": func(d *Decoder) { l := d.Array(); d.NextItem(&l) }, "object": func(d *Decoder) { o := d.Object(); d.NextField(&o) },
		"case": func(d *Decoder) { d.Case() },
	} {
		_, r := Decode(e, tinyValid, func(d *Decoder) int {
			o := d.Object()
			for d.NextField(&o) {
				fn(d)
			}
			return 1
		})
		if r.OK() || r.Problems[0].Code != BadTable {
			t.Errorf("%s: %v", name, r)
		}
	}
}

func TestMaxBytes(t *testing.T) {
	e := engine(t, tinySchema(), WithMaxBytes(len(tinyValid)))
	if r := e.Validate(tinyValid); !r.OK() {
		t.Error(r)
	}
	if r := e.Validate(tinyValid + " "); r.OK() || r.Problems[0].Code != TooLarge {
		t.Error(r)
	}
}

// Objects of more than 64 fields keep their marks elsewhere.
func TestManyFields(t *testing.T) {
	for _, n := range []int{9, 63, 64, 65, 200} {
		var fields []schema.Field
		var text []string
		for i := range n {
			name := fmt.Sprintf("f%d", i)
			fields = append(fields, schema.Field{Name: name, Required: true, Type: integer()})
			text = append(text, fmt.Sprintf("%q:%d", name, i))
		}
		inner := object(fields...)
		e := engine(t, root(field("a", list(inner)), field("z", integer())))
		all := "{" + strings.Join(text, ",") + "}"
		slices.Reverse(text)
		back := "{" + strings.Join(text, ",") + "}"
		if r := e.Validate(`{"a":[` + all + "," + back + `],"z":1}`); !r.OK() {
			t.Fatal(n, r)
		}
		r := e.Validate(`{"a":[` + all + `,{` + strings.Join(text[1:], ",") + `},{` + strings.Join(append(text, text[n/2]), ",") + `}],"z":1}`)
		var got []string
		for _, p := range r.Problems {
			got = append(got, string(p.Code)+"@"+p.Pointer)
		}
		want := []string{fmt.Sprintf("missing@/a/1/f%d", n-1), fmt.Sprintf("duplicate-key@/a/2/f%d", n-1-n/2)}
		if !slices.Equal(got, want) {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

// Words of an enumeration come from the table: nothing is allocated, and the arguments' text can be let go.
func TestEnumSharesTable(t *testing.T) {
	s := sixSchema()
	e := engine(t, s)
	got, r := Decode(e, sixValid, decodeSix)
	if !r.OK() || unsafe.StringData(got.Mode.v) != unsafe.StringData(s.Root.Fields[1].Type.Enum[1]) {
		t.Error("the word is not the table's")
	}
}

func TestAllocations(t *testing.T) {
	six, tiny := engine(t, sixSchema()), engine(t, tinySchema())
	for _, c := range []struct {
		name string
		most float64
		run  func()
	}{
		{"six", 4, func() { Decode(six, sixValid, decodeSix) }},
		{"tiny", 0, func() { Decode(tiny, tinyValid, decodeTiny) }},
		{"validate", 0, func() { six.Validate(sixValid) }},
		{"normalize", 1, func() { six.Normalize(sixValid) }},
	} {
		if got := testing.AllocsPerRun(200, c.run); got > c.most && !raceEnabled {
			t.Errorf("%s: %v allocations, want at most %v", c.name, got, c.most)
		}
	}
}

// One engine serves many calls at once, and one call's state never shows in another.
func TestConcurrent(t *testing.T) {
	e := engine(t, shape())
	args := []string{`{"s":1,"nope":2}`, `{"map":{"a":1,"a":2}}`, `{"un":{"q":1},"uniq":[1,2,3]}`, `{"tree":{"v":1,"kids":[{}]}}`, `{`, `{"cfg":{"key":1}}`, `{"i":1e1}`}
	var want []Report
	for _, a := range args {
		want = append(want, e.Validate(a))
	}
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 500 {
				k := (i + w) % len(args)
				if got := e.Validate(args[k]); !reflect.DeepEqual(got, want[k]) {
					t.Errorf("%s: %v, want %v", args[k], got, want[k])
				}
			}
		})
	}
	wg.Wait()
}

// What a kind does not read is ignored: see schema.Kind.
func TestTupleIgnoresLength(t *testing.T) {
	e := engine(t, root(field("t", &schema.Type{Kind: schema.Tuple, Items: []*schema.Type{str(), str()}, Unique: true, Len: schema.Range{Bounded: true}})))
	if r := e.Validate(`{"t":["a","a"]}`); !r.OK() {
		t.Error(r)
	}
}

// A panic of the caller's does not spoil the engine.
func TestPanic(t *testing.T) {
	e := engine(t, tinySchema())
	func() {
		defer func() { _ = recover() }()
		Decode(e, tinyValid, func(d *Decoder) int { d.Object(); panic("x") })
	}()
	if r := e.Validate(tinyValid); !r.OK() {
		t.Error(r)
	}
}
