package decode

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// BenchmarkRatio measures both sides in turns, in short runs, and reports the median of their ratios: what a noisy machine
// can tell.
func BenchmarkRatio(b *testing.B) {
	six, tiny := engine(b, sixSchema()), engine(b, tinySchema())
	tolerant := engine(b, sixSchema(), WithMode(Tolerant))
	capped := engine(b, sixSchema(), WithMode(Tolerant), WithCap("limit", "50"))
	for _, c := range []struct {
		name, text string
		run        func(string)
	}{
		{"six/tolerant/valid", sixValid, func(s string) { Decode(tolerant, s, decodeSix) }},
		{"six/tolerant/invalid", sixInvalid, func(s string) { Decode(tolerant, s, decodeSix) }},
		{"six/tolerant/wrong-type", sixWrong, func(s string) { Decode(tolerant, s, decodeSix) }},
		{"six/wrong-type", sixWrong, func(s string) { Decode(six, s, decodeSix) }},
		{"six/capped/valid", sixValid, func(s string) { Decode(capped, s, decodeSix) }},
		{"six/valid", sixValid, func(s string) { Decode(six, s, decodeSix) }},
		{"six/invalid", sixInvalid, func(s string) { Decode(six, s, decodeSix) }},
		{"six/validate", sixValid, func(s string) { six.Validate(s) }},
		{"tiny/valid", tinyValid, func(s string) { Decode(tiny, s, decodeTiny) }},
		{"tiny/invalid", tinyInvalid, func(s string) { Decode(tiny, s, decodeTiny) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			ratio(b, c.text, c.run)
		})
	}
}

// BenchmarkRepairs measures each repair on the six parameters, or on what it needs besides, against json.Valid on the
// same bytes.
func BenchmarkRepairs(b *testing.B) {
	s := sixSchema()
	s.Root.Fields = append(s.Root.Fields,
		schema.Field{Name: "path", Slot: 6, Aliases: []string{"file"}, Type: str()},
		schema.Field{Name: "names", Slot: 7, Wrap: true, Type: list(str())},
		schema.Field{Name: "one", Slot: 8, Unwrap: true, Type: str()},
		schema.Field{Name: "background", Slot: 9, Gone: true, Fixed: "false", Type: &schema.Type{Kind: schema.Bool}})
	e := engine(b, s, WithMode(Tolerant))
	with := func(member string) string { return sixValid[:len(sixValid)-1] + "," + member + "}" }
	quoted, err := json.Marshal(sixValid)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct{ code, text string }{
		{RepairEmpty, " "},
		{RepairStringRoot, string(quoted)},
		{RepairFence, "```json\n" + sixValid + "\n```"},
		{RepairJSONString, strings.Replace(sixValid, `["finance","2026","draft"]`, `"[\"finance\",\"2026\",\"draft\"]"`, 1)},
		{RepairNumberString, strings.Replace(sixValid, "25", `"25"`, 1)},
		{RepairBoolString, with(`"include_archived":"true"`)},
		{RepairIntegral, strings.Replace(sixValid, "25", "25.0", 1)},
		{RepairNullOptional, with(`"include_archived":null`)},
		{RepairEnumCase, strings.Replace(sixValid, "thorough", "Thorough", 1)},
		{RepairTrailingComma, sixValid[:len(sixValid)-1] + ",}"},
		{RepairControlChar, strings.Replace(sixValid, " revenue", "\nrevenue", 1)},
		{RepairUnwrapKey, `{"arguments":` + sixValid + "}"},
		{RepairFixedParam, with(`"background":false`)},
		{RepairAlias, with(`"file":"a"`)},
		{RepairWrapItem, with(`"names":"a"`)},
		{RepairUnwrapItem, with(`"one":["a"]`)},
	} {
		b.Run(c.code, func(b *testing.B) {
			b.ReportAllocs()
			if r := e.Validate(c.text); r.Problems != nil && c.code != RepairEmpty || len(r.Repairs) != 1 || r.Repairs[0].Code != c.code {
				b.Fatal(r, r.Repairs)
			}
			ratio(b, c.text, func(s string) { Decode(e, s, decodeSix) })
		})
	}
}

// ratio reports the median of ours over json.Valid's time.
func ratio(b *testing.B, text string, run func(string)) {
	raw := []byte(text)
	var ratios []float64
	for b.Loop() {
		const n = 500
		start := time.Now()
		for range n {
			run(text)
		}
		ours := time.Since(start)
		start = time.Now()
		for range n {
			json.Valid(raw)
		}
		ratios = append(ratios, float64(ours)/float64(time.Since(start)))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "x-json.Valid")
}

func BenchmarkShapes(b *testing.B) {
	six, tiny := engine(b, sixSchema()), engine(b, tinySchema())
	for _, c := range []struct {
		name, text string
		ok         bool
		run        func(string) Report
	}{
		{"six/valid", sixValid, true, func(s string) Report { _, r := Decode(six, s, decodeSix); return r }},
		{"six/invalid", sixInvalid, false, func(s string) Report { _, r := Decode(six, s, decodeSix); return r }},
		{"six/validate", sixValid, true, six.Validate},
		{"six/normalize", sixValid, true, func(s string) Report { _, r := six.Normalize(s); return r }},
		{"tiny/valid", tinyValid, true, func(s string) Report { _, r := Decode(tiny, s, decodeTiny); return r }},
		{"tiny/invalid", tinyInvalid, false, func(s string) Report { _, r := Decode(tiny, s, decodeTiny); return r }},
	} {
		b.Run(c.name+"/toolgen", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if c.run(c.text).OK() != c.ok {
					b.Fatal("wrong")
				}
			}
		})
		b.Run(c.name+"/json.Valid", func(b *testing.B) {
			raw := []byte(c.text)
			b.ReportAllocs()
			for b.Loop() {
				if !json.Valid(raw) {
					b.Fatal("wrong")
				}
			}
		})
	}
}
