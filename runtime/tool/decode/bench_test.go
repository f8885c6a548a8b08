package decode

import (
	"encoding/json"
	"slices"
	"testing"
	"time"
)

// BenchmarkRatio measures both sides in turns, in short runs, and reports the median of their ratios: what a noisy machine
// can tell.
func BenchmarkRatio(b *testing.B) {
	six, tiny := engine(b, sixSchema()), engine(b, tinySchema())
	for _, c := range []struct {
		name, text string
		run        func(string)
	}{
		{"six/valid", sixValid, func(s string) { Decode(six, s, decodeSix) }},
		{"six/invalid", sixInvalid, func(s string) { Decode(six, s, decodeSix) }},
		{"six/validate", sixValid, func(s string) { six.Validate(s) }},
		{"tiny/valid", tinyValid, func(s string) { Decode(tiny, s, decodeTiny) }},
		{"tiny/invalid", tinyInvalid, func(s string) { Decode(tiny, s, decodeTiny) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			raw := []byte(c.text)
			var ratios []float64
			for b.Loop() {
				const n = 500
				start := time.Now()
				for range n {
					c.run(c.text)
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
		})
	}
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
