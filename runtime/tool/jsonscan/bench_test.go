package jsonscan

import (
	"encoding/json"
	"testing"
)

const (
	six  = `{"query":"quarterly revenue report","mode":"thorough","limit":25,"tags":["finance","2026","draft"],"filter":{"field":"owner","max":3}}`
	tiny = `{"city":"San Francisco","unit":"celsius"}`
)

func BenchmarkCheck(b *testing.B) {
	for _, c := range []struct{ name, text string }{{"six", six}, {"tiny", tiny}} {
		b.Run(c.name+"/check", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if Check(c.text) != nil {
					b.Fatal("refused")
				}
			}
		})
		b.Run(c.name+"/json.Valid", func(b *testing.B) {
			raw := []byte(c.text)
			b.ReportAllocs()
			for b.Loop() {
				if !json.Valid(raw) {
					b.Fatal("refused")
				}
			}
		})
	}
}
