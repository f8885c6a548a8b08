package decode

import (
	"encoding/json"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// seeds are arguments of every kind.
var seeds = []string{
	sixValid, sixInvalid, tinyValid, `{}`, ``, `{"query":"q","limit":1e1}`,
	`{"s":"\u00e9x","pat":"az","mode":"fast","i":10.0,"n":1.5,"any":{"a":[1,{"a":1,"a":2}]},"ns":null,"list":[1,2],"uniq":[1,1.0]}`,
	`{"pair":["a",1],"map":{"x":1,"\u0078":2},"open":{"known":"k","o":1},"tag":{"x":1,"kind":"a"},"un":{"q":1}}`,
	`{"tree":{"v":1,"kids":[{"v":2},{}]},"token":"t","cfg":{"key":1},"gone":1,"old":2,"pats":{"x_s":1}}`,
	`{"map":{"0":0,"\n":""}}`, "{\"any\":\"\u2028\",\"\x7f\":1}",
	`{"json":{"a":[1,"x",{"b":[[],{}]}]},"two":{"n":{"n":{"n":{"x":1}}}}}`,
}

// unions has unions inside of unions, which must not multiply the work.
func unions() *schema.Schema {
	s := shape()
	ref := func(name string) *schema.Type { return &schema.Type{Kind: schema.Ref, Ref: name} }
	s.Root.Fields = append(s.Root.Fields,
		schema.Field{Name: "json", Slot: 100, Type: ref("JSON")},
		schema.Field{Name: "two", Slot: 101, Type: ref("Two")},
		schema.Field{Name: "def", Slot: 102, Type: ref("JSON"), Default: `{"a":[1]}`})
	s.Defs = append(s.Defs,
		schema.Def{Name: "JSON", Type: &schema.Type{Kind: schema.Union, Nullable: true, Cases: []schema.Case{
			{Type: &schema.Type{Kind: schema.Number}}, {Type: str()}, {Type: &schema.Type{Kind: schema.Bool}},
			{Type: list(ref("JSON"))}, {Type: list(integer())}, {Type: rest(object(), ref("JSON"))}}}},
		schema.Def{Name: "Two", Type: &schema.Type{Kind: schema.Union, Cases: []schema.Case{
			{Type: object(field("n", ref("Two")), field("s", str()), schema.Field{Name: "x", Required: true, Type: integer()})},
			{Type: object(field("n", ref("Two")), field("s", str()), schema.Field{Name: "y", Required: true, Type: integer()})},
			{Type: object(field("n", ref("Two")))},
		}}})
	return s
}

// walk reads everything by the exported methods, as generated code might.
func walk(d *Decoder) int {
	o := d.Object()
	n := 0
	for d.NextField(&o) {
		n++
		switch o.Slot {
		case 0, 1, 2, 3:
			_ = d.String()
		case 4:
			d.Time()
		case 5, 6:
			d.Int()
		case 8:
			d.Raw()
		case 10:
			if !d.Null() {
				_ = d.String()
			}
		case 11, 12:
			l := d.Array()
			for d.NextItem(&l) {
				d.Skip()
			}
		case 17, 100, 101:
			if d.Null() {
				break
			}
			if d.Case() >= 0 {
				d.Raw()
			}
		default: // left to the engine
		}
	}
	return n
}

func FuzzDecode(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	e := engine(f, unions())
	six := engine(f, sixSchema())
	f.Fuzz(func(t *testing.T, args string) {
		_, r := Decode(e, args, walk)
		agree(t, e, args, r)
		_, r = Decode(six, args, decodeSix)
		agree(t, six, args, r)
	})
}

func agree(t *testing.T, e *Engine, args string, r Report) {
	v := e.Validate(args)
	if !reflect.DeepEqual(r, v) {
		t.Fatalf("%q: Decode says\n%v\nand Validate\n%v", args, r, v)
	}
	out, n := e.Normalize(args)
	if !reflect.DeepEqual(r, n) {
		t.Fatalf("%q: Decode says\n%v\nand Normalize\n%v", args, r, n)
	}
	for _, p := range r.Problems {
		if s := p.String(); !utf8.ValidString(s) && utf8.ValidString(args) || strings.ContainsAny(s, "\n\r") {
			t.Fatalf("%q: %q", args, s)
		}
	}
	if !r.OK() {
		return
	}
	if !json.Valid(out) {
		t.Fatalf("%q: normalized to %q", args, out)
	}
	again, n := e.Normalize(string(out))
	if !n.OK() || string(again) != string(out) {
		t.Fatalf("%q: normalized to\n%s\nand then to\n%s %v", args, out, again, n)
	}
}

// hostile returns texts that are made to cost more than they weigh.
func hostile() map[string]string {
	rep := strings.Repeat
	return map[string]string{
		"open arrays":     `{"any":` + rep("[", 1<<20),
		"deep arrays":     `{"any":` + rep("[", 127) + rep("]", 127) + `}`,
		"json":            `{"json":` + rep("[", 127) + rep("]", 127) + `}`,
		"json refused":    `{"json":` + rep("[", 120) + "{}" + rep(",0", 50000) + rep("]", 119) + `}`,
		"wide json":       `{"json":[` + rep("[[[],[]],[{}]],", 20000) + `1]}`,
		"two":             `{"two":` + rep(`{"n":`, 120) + `{"z":1}` + rep("}", 120) + `}`,
		"two long":        `{"two":` + rep(`{"n":`+rep(" ", 251), 60) + `{"s":"` + rep("a", 1<<18) + `","z":1}` + rep("}", 60) + `}`,
		"two fits":        `{"two":` + rep(`{"n":`, 120) + `{"x":1}` + rep("}", 120) + `}`,
		"many keys":       keys("any", 100_000),
		"many map keys":   keys("map", 100_000),
		"many open keys":  keys("open", 100_000),
		"unknown keys":    keys("s", 100_000),
		"root keys":       "{" + strings.TrimPrefix(keys("s", 100_000), `{"s":{`)[:500_000] + `":0}`,
		"one key":         `{` + rep(`"k":0,`, 50_000) + `"k":0}`,
		"one key inside":  `{"any":{` + rep(`"k":0,`, 50_000) + `"k":0}}`,
		"dups inside":     `{"any":[` + rep(`{"k":0,"k":0},`, 50_000) + `0]}`,
		"strings":         `{"list":[` + rep(`"",`, 100_000) + `""]}`,
		"unique":          `{"uniq":[` + numbers(50_000) + `]}`,
		"equal":           `{"uniq":[` + rep(`0,`, 50_000) + `0]}`,
		"long number":     `{"big":` + rep("9", 1<<20) + `}`,
		"long fraction":   `{"n":0.` + rep("1", 1<<20) + `}`,
		"escapes":         `{"mode":"` + rep(`\u0061`, 100_000) + `"}`,
		"escaped keys":    `{"open":{"` + rep(`\n`, 500_000) + `":1}}`,
		"long unknown":    `{"` + rep("k", 1<<20) + `":1}`,
		"tree":            `{"tree":{"v":1,"kids":[` + rep(`{"v":1},`, 50_000) + `{}]}}`,
		"long keys":       `{"any":` + rep(`{"`+rep("k", 200)+`":`, 120) + `{"a":1,` + rep(`"a":1,`, 40) + `"a":1}` + rep("}", 121),
		"tag last":        `{"tag":{` + keys("", 50_000)[5:] + `}`,
		"pattern":         `{"pat":"` + rep("a", 1<<20) + `"}`,
		"empty objects":   `{"any":[` + rep("{},", 300_000) + `{}]}`,
		"nine keys":       `{"any":[` + rep(`{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":0,"j":0},`, 10_000) + `0]}`,
		"white space":     rep(" ", 1<<20),
		"retired":         `{` + rep(`"old":0,`, 50_000) + `"old":0}`,
		"duplicate field": `{` + rep(`"i":5,`, 50_000) + `"i":5}`,
	}
}

func keys(name string, n int) string {
	var b strings.Builder
	b.WriteString(`{"` + name + `":{`)
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('"')
		for k := i; ; k /= len(digits) {
			b.WriteByte(digits[k%len(digits)])
			if k < len(digits) {
				break
			}
		}
		b.WriteString(`":0`)
	}
	return b.String() + "}}"
}

func numbers(n int) string {
	ints := make([]int, n)
	for i := range ints {
		ints[i] = i
	}
	raw, _ := json.Marshal(ints)
	return string(raw[1 : len(raw)-1])
}

// I10: bad input never hangs, and allocates at most eight times its size and 64 KiB.
func TestHostile(t *testing.T) {
	e := engine(t, unions())
	p, err := schema.Compile(unions())
	if err != nil {
		t.Fatal(err)
	}
	for name, args := range hostile() {
		t.Run(name, func(t *testing.T) {
			for _, run := range []struct {
				name string
				fn   func(*Engine) Report
			}{
				{"validate", func(e *Engine) Report { return e.Validate(args) }},
				{"decode", func(e *Engine) Report { _, r := Decode(e, args, walk); return r }},
				{"normalize", func(e *Engine) Report { _, r := e.Normalize(args); return r }},
			} {
				fresh, err := New(p) // no decoder that has grown already
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
					t.Errorf("%s: %d bytes allocated for %d, %.200s", run.name, used, len(args), r)
				}
				if took > 3*time.Second {
					t.Errorf("%s: %v", run.name, took)
				}
			}
			_, r := Decode(e, args, walk)
			agree(t, e, args, r)
		})
	}
}
