package roundtrip

import (
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// kind is a way in which the judges may differ.
type kind struct {
	name string
	row  string // what docs/divergence.md says of it, word for word; empty: nothing yet
	why  string // the reason, where the page does not give one
	is   func(r result) bool
}

// kinds are the ways. The first that fits counts, and each must occur, so that none is left here when its reason is
// gone.
var kinds = slices.Concat(documented, ofCUE, faults)

// documented are the differences that docs/divergence.md describes.
var documented = []kind{
	{"integral", "`5.0`, `5e0` for an `int`", "", func(r result) bool {
		return r.schema && r.decoder && !r.cue && r.normalized && r.answer.Repairs > 0
	}},
	{"duplicate-key", "a key twice in one object, with equal values too", "", func(r result) bool {
		return slices.Contains(r.answer.Codes, "duplicate-key")
	}},
	{"big-float", "a number beyond a 64-bit float, such as `1e400`", "", func(r result) bool {
		return r.schema && refusedNumber(r, func(x *big.Rat) bool {
			return new(big.Rat).Abs(x).Cmp(new(big.Rat).SetFloat64(math.MaxFloat64)) > 0
		})
	}},
	{"big-int", "an integer beyond 64 bits, without bounds in the spec", "", func(r result) bool {
		return r.schema && refusedNumber(r, func(x *big.Rat) bool { return x.IsInt() && !x.Num().IsInt64() })
	}},
	{"bad-unicode", "invalid UTF-8, half of a surrogate pair", "", func(r result) bool { return refusedFor(r, "bad-unicode") }},
	{"too-deep", "nesting beyond 128", "", func(r result) bool { return refusedFor(r, "too-deep") }},
	{"too-large", "more bytes than the tool's limit", "", func(r result) bool { return refusedFor(r, "too-large") }},
	{"key-case", "a key that differs from a declared one only in case, in an open object", "", func(r result) bool {
		return r.schema && refusedFor(r, "key-case")
	}},
	{"leap-second", "a leap second, `23:59:60Z`, in a `date-time`", "", func(r result) bool {
		return r.schema && refusedFor(r, "format") && strings.Contains(r.text, ":60")
	}},
	{"space", "a pattern with `\\s`", "", func(r result) bool { return r.tool == "str_space" && r.cue == r.decoder }},
	{"dot", "a pattern with `.`", "", func(r result) bool { return r.tool == "str_dot" && r.cue == r.decoder }},
}

// ofCUE are differences between CUE and both of the others, which agree with each other.
var ofCUE = []kind{
	{"unique-number", "1 and 1.0 in a list of unique items", "", func(r result) bool {
		return r.cue && !r.schema && refusedFor(r, "not-unique") && strings.Contains(r.text, "1.0")
	}},
	{"time-case", "a lower-case `t` or `z` in a `time.Time`", "", func(r result) bool {
		return !r.cue && r.schema && r.decoder && strings.HasSuffix(r.tool, "_time") && strings.ContainsAny(r.text, "tz")
	}},
	{"time-loose", "`+24:00`, `+00:60`, an hour of one digit, a comma before the fraction in a `time.Time`", "", func(r result) bool {
		return r.cue && !r.schema && refusedFor(r, "format") && strings.HasSuffix(r.tool, "_time")
	}},
	{"multiple-rounded", "a number of more than 34 digits under `math.MultipleOf`", "", func(r result) bool {
		n := parse(r.text)
		if n == nil || r.tool != "num_multiple" || !r.cue || r.schema || r.decoder {
			return false
		}
		x := n.at("/v").number()
		return x != nil && len(x.Num().String()) > 34
	}},
	{"number-constant", "`1.0` for the constant 1 of a `number`", "", func(r result) bool {
		return !r.cue && r.schema && r.decoder && r.tool == "num_mixed"
	}},
	{"constant-given", "a regular field with one value, such as `kind: \"a\"`, left out", "", func(r result) bool {
		return r.cue && !r.schema && refusedFor(r, "missing") && (r.tool == "tagged_regular" || r.tool == "obj_constant")
	}},
	{"undecided", "a value that fits several cases of a union of objects", "", func(r result) bool {
		return !r.cue && r.schema && r.decoder && strings.Contains(r.cueErr+r.normalizedErr, "incomplete value")
	}},
}

// faults are known and not yet mended: whoever mends one takes it out here.
var faults []kind

// refusedFor reports whether the decoder refuses a text for one reason alone.
func refusedFor(r result, code string) bool {
	return !r.decoder && len(r.answer.Codes) > 0 && !slices.ContainsFunc(r.answer.Codes, func(c string) bool { return c != code })
}

// refusedNumber reports whether the decoder refuses a text for numbers alone: each problem is at such a number, or at a
// union that holds one.
func refusedNumber(r result, is func(*big.Rat) bool) bool {
	n := parse(r.text)
	if n == nil || r.decoder {
		return false
	}
	for i, code := range r.answer.Codes {
		at := n.at(r.answer.Pointers[i])
		if at == nil || code != "out-of-range" && code != "no-case" {
			return false
		}
		if !slices.ContainsFunc(at.all(nil), func(n *node) bool { x := n.number(); return x != nil && is(x) }) {
			return false
		}
	}
	return true
}

func kindOf(r result) string {
	for _, k := range kinds {
		if k.is(r) {
			return k.name
		}
	}
	return ""
}

func isFault(name string) bool {
	return slices.ContainsFunc(faults, func(k kind) bool { return k.name == name })
}

// checkKinds fails for kinds that did not occur, or that the page does not describe.
func checkKinds(t *testing.T, seen map[string]int) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "divergence.md"))
	require.NoError(t, err)
	for _, k := range kinds {
		if (k.row == "") == (k.why == "") {
			t.Errorf("%s: give the row of the page, or a reason", k.name)
		}
		if !strings.Contains(string(page), k.row) {
			t.Errorf("docs/divergence.md does not speak of %q", k.row)
		}
		if seen[k.name] == 0 {
			t.Errorf("no value shows the difference %q", k.name)
		}
	}
}
