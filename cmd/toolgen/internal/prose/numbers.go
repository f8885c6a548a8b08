package prose

import (
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"
)

// number reads a number as prose writes it: thousands may be set apart by commas, underscores or spaces that keep them
// together, and a mark before or behind may say that it is about that.
func number(s string) (*big.Rat, bool) {
	const longest = 40 // what is longer states no default
	s = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(s, "~"), "≈"), "$"), "+")
	if s == "" || len(s) > longest || !(s[0] >= '0' && s[0] <= '9' || len(s) > 1 && (s[0] == '-' || s[0] == '+' || s[0] == '.') && s[1] >= '0' && s[1] <= '9') || strings.ContainsAny(s, "/pPxXbBoO") {
		return nil, false
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 && len(s)-i > 5 {
		return nil, false
	}
	return new(big.Rat).SetString(strings.NewReplacer(",", "", "_", "", "\u00a0", "", "\u202f", "").Replace(s))
}

// units are words behind a number that change what number it is, each with what a parameter may count in instead.
var units = []struct {
	words string
	per   []string // how many of what the parameter counts one of them can be
}{
	{" k K thousand ", []string{"1000", "1024"}},
	{" kb KB kB KiB kilobytes ", []string{"1", "1000", "1024"}},
	{" M million ", []string{"1000000", "1048576"}},
	{" mb MB MiB megabytes ", []string{"1", "1000", "1024", "1000000", "1048576"}},
	{" G gb GB GiB gigabytes ", []string{"1", "1000", "1024", "1000000", "1048576", "1000000000", "1073741824"}},
	{" ms milliseconds millisecond ", []string{"1", "1/1000"}},
	{" s sec secs second seconds ", []string{"1", "1000"}},
	{" m min mins minute minutes ", []string{"1", "60", "60000"}},
	{" h hr hrs hour hours ", []string{"1", "60", "3600", "3600000"}},
	{" d day days ", []string{"1", "24", "1440", "86400", "86400000"}},
	{" week weeks ", []string{"1", "7", "168", "604800"}},
	{" % percent ", []string{"1", "1/100"}},
}

// unit returns a word if it is one of the units.
func unit(word string) string {
	for _, u := range units {
		if word != "" && strings.Contains(u.words, " "+word+" ") {
			return word
		}
	}
	return ""
}

// unitAt reads a unit behind a number; without one it returns the offset.
func (p *passage) unitAt(at int) (int, string) {
	start := at
	if start < len(p.s) && (p.s[start] == ' ' || p.s[start] == '-') {
		start++
	}
	end := start
	for end < len(p.s) && (isWord(p.s[end]) || p.s[end] == '%') {
		end++
	}
	if u := unit(p.s[start:end]); u != "" {
		return end, u
	}
	return at, ""
}

// numbers are those that a value can mean: its unit may be the one in which the parameter counts, or another one.
func (v value) numbers(word string) []*big.Rat {
	n, ok := number(word)
	if !ok {
		if n, ok = spelled(word); !ok {
			if i := len(word) - len(strings.TrimLeft(word, "0123456789.,_")); i > 0 && v.unit == "" && unit(strings.TrimSpace(word[i:])) != "" {
				v.unit = unit(strings.TrimSpace(word[i:]))
				return v.numbers(word[:i])
			}
			return nil
		}
	}
	for _, u := range units {
		if v.unit == "" || !strings.Contains(u.words, " "+v.unit+" ") {
			continue
		}
		var out []*big.Rat
		for _, per := range u.per {
			f, _ := new(big.Rat).SetString(per)
			out = append(out, f.Mul(f, n))
		}
		return out
	}
	return []*big.Rat{n}
}

// sameQuantity reports whether a default that is a string, such as 30s, is a number with a unit that prose may write apart.
func sameQuantity(s string, v value) bool {
	i := len(s) - len(strings.TrimLeft(s, "0123456789.,_"))
	u := unit(strings.TrimSpace(s[i:]))
	a, okA := number(s[:i])
	b, okB := number(v.text)
	if !okB {
		b, okB = spelled(v.text)
	}
	return u != "" && okA && okB && a.Cmp(b) == 0 && slices.ContainsFunc(units, func(each struct {
		words string
		per   []string
	}) bool {
		return strings.Contains(each.words, " "+u+" ") && strings.Contains(each.words, " "+v.unit+" ")
	})
}

const (
	small = " zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen "
	tens  = " zero ten twenty thirty forty fifty sixty seventy eighty ninety "
)

// spelled reads a number in words.
func spelled(s string) (*big.Rat, bool) {
	var sum, part int64
	found := false
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r == ' ' || r == '-' || r == '\n' }) {
		switch {
		case w == "a" || w == "and":
			continue
		case strings.Contains(small, " "+w+" "):
			part += int64(slices.Index(strings.Fields(small), w))
		case strings.Contains(tens, " "+w+" "):
			part += int64(10 * slices.Index(strings.Fields(tens), w))
		case w == "dozen":
			part = max(part, 1) * 12
		case w == "hundred":
			part = max(part, 1) * 100
		case w == "thousand":
			sum, part = sum+max(part, 1)*1000, 0
		case w == "million":
			sum, part = sum+max(part, 1)*1_000_000, 0
		default:
			return nil, false
		}
		found = true
		if sum > 1e12 || part > 1e12 {
			return nil, false
		}
	}
	return big.NewRat(sum+part, 1), found
}

// numberWords returns where a number in words ends that begins at an offset.
func (p *passage) numberWords(at int) (int, bool) {
	end, found := at, false
	for i := at; i < len(p.s); {
		stop := i
		for stop < len(p.s) && (p.s[stop] < utf8.RuneSelf && isWord(p.s[stop])) {
			stop++
		}
		word := strings.ToLower(p.s[i:stop])
		_, ok := spelled(word)
		if !ok && !(word == "and" && found || word == "a" && i == at) {
			break
		}
		if ok {
			end, found = stop, true
		}
		if stop == len(p.s) || p.s[stop] != ' ' && p.s[stop] != '-' {
			break
		}
		i = stop + 1
	}
	return end, found
}
