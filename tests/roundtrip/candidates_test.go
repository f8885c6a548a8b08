package roundtrip

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// generator makes candidates from a schema: values that should fit, with the edges first, and mutations of them. The
// same seed gives the same candidates.
type generator struct {
	root map[string]any
	rng  *rand.Rand
}

const (
	fitting = 260 // candidates that should fit
	mutated = 220 // candidates that are made from those
)

// candidates lists texts of arguments, without repetition.
func (g *generator) candidates(v any) []string {
	values := g.values(v, fitting, 0)
	base := slices.Clone(values)
	for range mutated {
		if n := parse(base[g.rng.IntN(len(base))]); n != nil {
			values = append(values, g.mutate(n).String())
		}
	}
	values = append(values, pool...)
	var out []string
	for _, x := range values {
		out = append(out, `{"v":`+x+`}`)
	}
	out = append(out, oddTexts(base[0])...)
	seen := map[string]bool{}
	return slices.DeleteFunc(out, func(s string) bool {
		old := seen[s]
		seen[s] = true
		return old
	})
}

// values makes up to n values of a schema, the edges first.
func (g *generator) values(schema any, n, depth int) []string {
	s, ok := schema.(map[string]any)
	if !ok || len(s) == 0 || len(s) == 1 && s["description"] != nil {
		return g.anything(n)
	}
	if depth > 6 {
		n = min(n, 3)
	}
	if ref, ok := s["$ref"].(string); ok {
		defs := g.root["$defs"].(map[string]any)
		return g.values(defs[strings.TrimPrefix(ref, "#/$defs/")], n, depth+1)
	}
	if cases, ok := s["anyOf"].([]any); ok {
		var each [][]string
		for _, c := range cases {
			if depth > 5 && mentions(c, "$ref") {
				continue
			}
			each = append(each, g.values(c, max(min(2*n/len(cases), n), 2), depth+1))
		}
		return interleave(each)
	}
	if enum, ok := s["enum"].([]any); ok {
		var out []string
		for _, e := range enum {
			out = append(out, encode(e))
		}
		return out
	}
	kinds, ok := s["type"].([]any)
	if !ok {
		kinds = []any{s["type"]}
	}
	var each [][]string
	for _, k := range kinds {
		switch k {
		case "string":
			each = append(each, g.strings(s, n))
		case "integer":
			each = append(each, g.numbers(s, n, true))
		case "number":
			each = append(each, g.numbers(s, n, false))
		case "boolean":
			each = append(each, []string{"true", "false"})
		case "null":
			each = append(each, []string{"null"})
		case "array":
			each = append(each, g.arrays(s, n, depth))
		case "object":
			each = append(each, g.objects(s, n, depth))
		}
	}
	return interleave(each)
}

// anything makes values of any type.
func (g *generator) anything(n int) []string {
	out := []string{`null`, `0`, `""`, `[]`, `{}`, `{"a":[1,null,{"b":"c"}]}`}
	for len(out) < n {
		out = append(out, pool[g.rng.IntN(len(pool))])
	}
	return out[:n]
}

func interleave(each [][]string) (out []string) {
	for i := 0; ; i++ {
		more := false
		for _, list := range each {
			if i < len(list) {
				out, more = append(out, list[i]), true
			}
		}
		if !more {
			return out
		}
	}
}

// mentions reports whether a schema has a keyword anywhere.
func mentions(schema any, keyword string) bool {
	return strings.Contains(encode(schema), `"`+keyword+`":`)
}

func integer(s map[string]any, key string, or int) int {
	if n, ok := s[key].(json.Number); ok {
		if i, err := n.Int64(); err == nil {
			return int(i)
		}
	}
	return or
}

var alphabets = [][]rune{[]rune("abcdefgh"), []rune("éäñ"), []rune("😀🎉𝒳"), []rune("a1-_ Z"), []rune("日本\n\"\\\u0301")}

// strings makes strings at the edges of their length, of characters of one to four bytes.
func (g *generator) strings(s map[string]any, n int) (out []string) {
	if s["format"] == "date-time" {
		return g.times(n)
	}
	patterns := []any{s["pattern"]}
	if all, ok := s["allOf"].([]any); ok {
		patterns = nil
		for _, a := range all {
			patterns = append(patterns, a.(map[string]any)["pattern"])
		}
	}
	lo, hi := integer(s, "minLength", 0), integer(s, "maxLength", 30)
	for _, p := range patterns {
		p, ok := p.(string)
		if !ok {
			continue
		}
		re, err := syntax.Parse(p, syntax.Perl)
		if err != nil {
			panic(err)
		}
		for range 2 * n {
			var b strings.Builder
			g.match(&b, re)
			text := b.String()
			if !anchored.MatchString(p) && g.rng.IntN(2) == 0 {
				text = pick(g, "", "b", "x ", "é") + text + pick(g, "", "c", "0", "\n", "😀", "bbc")
			}
			out = append(out, encode(text))
		}
	}
	if len(out) > 0 {
		return out[:min(len(out), 2*n)]
	}
	lengths := []int{lo, hi, min(lo+1, hi), max(hi-1, lo)}
	for len(out) < n {
		i := len(out)
		length := lo + g.rng.IntN(hi-lo+1)
		if i/len(alphabets) < len(lengths) {
			length = lengths[i/len(alphabets)]
		}
		alphabet := alphabets[i%len(alphabets)]
		text := make([]rune, length)
		for j := range text {
			text[j] = alphabet[g.rng.IntN(len(alphabet))]
		}
		out = append(out, encode(string(text)))
	}
	return out
}

// match writes a string that a regular expression matches, without regard to what surrounds it.
func (g *generator) match(b *strings.Builder, re *syntax.Regexp) {
	times := func(lo, hi int) {
		for range lo + g.rng.IntN(hi-lo+1) {
			g.match(b, re.Sub[0])
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		i := 2 * g.rng.IntN(len(re.Rune)/2)
		lo, hi := re.Rune[i], re.Rune[i+1]
		b.WriteRune(lo + g.rng.Int32N(min(hi-lo, 200)+1))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteRune([]rune{' ' + g.rng.Int32N(95), ' ' + g.rng.Int32N(95), 'é', '😀', '\t', '\u2028', 0x3040 + g.rng.Int32N(80)}[g.rng.IntN(7)])
	case syntax.OpCapture:
		g.match(b, re.Sub[0])
	case syntax.OpStar:
		times(0, 4)
	case syntax.OpPlus:
		times(1, 5)
	case syntax.OpQuest:
		times(0, 1)
	case syntax.OpRepeat:
		hi := re.Max
		if hi < 0 {
			hi = re.Min + 3
		}
		times(re.Min, hi)
	case syntax.OpConcat:
		for _, s := range re.Sub {
			g.match(b, s)
		}
	case syntax.OpAlternate:
		g.match(b, re.Sub[g.rng.IntN(len(re.Sub))])
	}
}

var anchored = regexp.MustCompile(`^\^|\$$`)

func pick(g *generator, list ...string) string { return list[g.rng.IntN(len(list))] }

// times makes dates and times of RFC 3339.
func (g *generator) times(n int) (out []string) {
	pick := func(list ...string) string { return pick(g, list...) }
	for range n {
		out = append(out, `"`+pick("2026", "1999", "0001", "9999", "2024")+"-"+pick("01", "02", "06", "12")+"-"+pick("01", "15", "28", "29", "30")+"T"+
			pick("00", "09", "12", "23")+":"+pick("00", "30", "59")+":"+pick("00", "07", "59")+pick("", "", ".5", ".123456", ".000000001")+
			pick("Z", "Z", "+00:00", "-00:00", "+05:30", "-12:00", "+23:59")+`"`)
	}
	return out
}

// numbers makes numbers at their bounds, beside them and between them.
func (g *generator) numbers(s map[string]any, n int, whole bool) (out []string) {
	bound := func(keys ...string) *big.Rat {
		for _, k := range keys {
			if v, ok := s[k].(json.Number); ok {
				r, _ := new(big.Rat).SetString(v.String())
				return r
			}
		}
		return nil
	}
	add := func(r *big.Rat) {
		if r.IsInt() {
			out = append(out, r.Num().String())
		} else if !whole {
			out = append(out, strings.TrimRight(r.FloatString(20), "0"))
		}
	}
	step := big.NewRat(1, 1)
	if m := bound("multipleOf"); m != nil {
		step = m
	} else if !whole {
		step = big.NewRat(1, 100)
	}
	lo, hi := bound("minimum", "exclusiveMinimum"), bound("maximum", "exclusiveMaximum")
	for _, edge := range []*big.Rat{lo, hi} {
		if edge == nil {
			continue
		}
		whole := new(big.Int).Div(edge.Num(), edge.Denom())
		for d := int64(-2); d <= 2; d++ {
			add(new(big.Rat).Add(edge, new(big.Rat).Mul(step, big.NewRat(d, 1))))
			add(new(big.Rat).SetInt(new(big.Int).Add(whole, big.NewInt(d))))
		}
	}
	switch {
	case lo == nil && hi == nil:
		lo, hi = big.NewRat(-5000, 1), big.NewRat(5000, 1)
		for i := range 64 {
			r := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(i)))
			add(new(big.Rat).Mul(r, step))
			add(new(big.Rat).Neg(new(big.Rat).Mul(r, step)))
		}
	case lo == nil:
		lo = new(big.Rat).Sub(hi, big.NewRat(5000, 1))
	case hi == nil:
		hi = new(big.Rat).Add(lo, big.NewRat(5000, 1))
	}
	steps := new(big.Rat).Quo(new(big.Rat).Sub(hi, lo), step)
	count := new(big.Int).Div(steps.Num(), steps.Denom())
	first := new(big.Int).Div(new(big.Rat).Quo(lo, step).Num(), new(big.Rat).Quo(lo, step).Denom())
	for i := range n {
		if count.BitLen() > 63 && i%2 == 0 { // most of them would be beyond 64 bits
			add(new(big.Rat).Mul(new(big.Rat).SetInt64(g.rng.Int64N(1<<40)), step))
			continue
		}
		k := new(big.Int).SetUint64(g.rng.Uint64() >> 1)
		k.Add(k.Mod(k, new(big.Int).Add(count, big.NewInt(1))), first)
		add(new(big.Rat).Mul(new(big.Rat).SetInt(k), step))
	}
	if !whole {
		for range n / 8 {
			out = append(out, []string{"1e", "5E-", "2.5e+", "-3e"}[g.rng.IntN(4)]+string(rune('0'+g.rng.IntN(10))))
		}
	}
	return out
}
