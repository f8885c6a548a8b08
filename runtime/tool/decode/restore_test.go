package decode

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// breaker writes random arguments that fit a table, twice: as they are, and as models break them. What a repair is for must
// come back from the second text exactly, with its code.
type breaker struct {
	*rand.Rand
	rate  int // one in how many places is broken
	codes map[string]bool
	held  int // strings within strings
	union int // inside of a union, where a break may make another case of it
}

func (b *breaker) breaks(code string) bool {
	if b.IntN(b.rate) > 0 {
		return false
	}
	b.codes[code] = true
	return true
}

// value returns a value of a type, right and broken.
func (b *breaker) value(n *schema.Node, depth int) (right, broken string) {
	if n.Nullable && b.IntN(4) == 0 {
		return "null", "null"
	}
	switch n.Kind {
	case schema.Null:
		return "null", "null"
	case schema.Bool:
		right = []string{"true", "false"}[b.IntN(2)]
		if b.union == 0 && b.breaks(RepairBoolString) {
			return right, `"` + right + `"`
		}
		return right, right
	case schema.Int, schema.Number:
		right = n.Example()
		if b.union == 0 && b.breaks(RepairNumberString) {
			return right, `"` + right + `"`
		}
		return right, right
	case schema.String:
		return b.str(n)
	case schema.Union:
		b.union++
		defer func() { b.union-- }()
		return b.value(n.Cases[b.IntN(len(n.Cases))].Type, depth+1)
	case schema.Tagged:
		return b.hold(b.object(n.Cases[b.IntN(len(n.Cases))].Type, depth+1))
	case schema.Object:
		return b.hold(b.object(n, depth+1))
	case schema.Array:
		return b.hold(b.array(n, depth+1))
	case schema.Tuple:
		return b.hold(b.list(len(n.Items), depth+1, func(i int) *schema.Node { return n.Items[i] }))
	}
	right = []string{`1`, `"x"`, `[]`, `{"a":[null]}`, `"{\"a\":1}"`}[b.IntN(5)]
	return right, right
}

func (b *breaker) str(n *schema.Node) (right, broken string) {
	s := n.Example()
	if n.Enum != nil {
		word := n.Enum[b.IntN(len(n.Enum))]
		s, _ := json.Marshal(word)
		upper := strings.ToUpper(word)
		alike := 0
		for _, w := range n.Enum {
			if strings.EqualFold(w, word) {
				alike++
			}
		}
		if alike == 1 && !slices.Contains(n.Enum, upper) && b.union == 0 && b.breaks(RepairEnumCase) {
			return string(s), strconv.Quote(upper)
		}
		return string(s), string(s)
	}
	if n.Describe() == "string" && b.IntN(3) == 0 {
		s = []string{`"a b"`, `"007"`, `"null"`, `"3"`, `"true"`, `"[1,2]"`, `"{\"q\":1,}"`, `"&lt;p&gt;"`, "\"```json\\n{}\\n```\"", `"日本😀"`}[b.IntN(10)]
		if b.union == 0 && b.breaks(RepairControlChar) {
			c := b.IntN(32)
			return fmt.Sprintf(`"a\u%04xb"`, c), `"a` + string(rune(c)) + `b"`
		}
	}
	return s, s
}

// hold may put a value into a string.
func (b *breaker) hold(right, broken string) (string, string) {
	if b.union > 0 || b.held >= 2 || len(broken) > 1000 || !b.breaks(RepairJSONString) {
		return right, broken
	}
	b.held++
	quoted, _ := json.Marshal(broken)
	return right, string(quoted)
}

func (b *breaker) array(n *schema.Node, depth int) (right, broken string) {
	count := n.Len.Min
	if depth < 4 && !n.Unique {
		count += b.IntN(3)
	}
	if n.Len.Bounded {
		count = min(count, n.Len.Max)
	}
	return b.list(count, depth, func(int) *schema.Node { return n.Elem })
}

func (b *breaker) list(count, depth int, item func(int) *schema.Node) (string, string) {
	var right, broken []string
	for i := range count {
		r, x := b.value(item(i), depth)
		right, broken = append(right, r), append(broken, x)
	}
	return "[" + strings.Join(right, ",") + "]", "[" + strings.Join(broken, ", ") + b.comma(count) + "]"
}

func (b *breaker) comma(count int) string {
	if count > 0 && b.union == 0 && b.breaks(RepairTrailingComma) {
		return " , "
	}
	return ""
}

func (b *breaker) object(n *schema.Node, depth int) (string, string) {
	var right, broken []string
	for i := range n.Fields {
		f := &n.Fields[i]
		switch {
		case f.Gone:
			if f.Fixed != "" && b.breaks(RepairFixedParam) {
				broken = append(broken, strconv.Quote(f.Name)+":"+f.Fixed)
			}
		case f.Required || depth < 4 && b.IntN(3) == 0 && example(f.Type) != "":
			r, x := b.property(f, depth)
			right, broken = append(right, r), append(broken, x)
		case !admits(f.Type, 'n') && b.union == 0 && b.breaks(RepairNullOptional):
			broken = append(broken, strconv.Quote(f.Name)+": null")
		}
	}
	b.Shuffle(len(broken), func(i, j int) { broken[i], broken[j] = broken[j], broken[i] })
	return "{" + strings.Join(right, ",") + "}", "{" + strings.Join(broken, ",\n") + b.comma(len(broken)) + "}"
}

func (b *breaker) property(f *schema.Member, depth int) (right, broken string) {
	key, name := strconv.Quote(f.Name)+":", strconv.Quote(f.Name)+":"
	if len(f.Aliases) > 0 && b.union == 0 && b.breaks(RepairAlias) {
		name = strconv.Quote(f.Aliases[b.IntN(len(f.Aliases))]) + ":"
	}
	switch {
	case f.Wrap && b.union == 0 && b.breaks(RepairWrapItem):
		item := map[schema.Kind]string{schema.String: `"x"`, schema.Int: `3`}[f.Type.Elem.Kind]
		return key + "[" + item + "]", name + item
	case f.Unwrap && b.union == 0 && b.breaks(RepairUnwrapItem):
		r, x := b.value(f.Type, depth)
		return key + r, name + "[ " + x + b.comma(1) + "]"
	}
	if f.Wrap && f.Type.Elem.Kind == schema.String { // a string could be the list or its item
		b.held += 10
		defer func() { b.held -= 10 }()
	}
	r, x := b.value(f.Type, depth)
	return key + r, name + x
}

// arguments returns the arguments of a call.
func (b *breaker) arguments(root *schema.Node) (right, broken string) {
	right, broken = b.object(root, 0)
	if b.IntN(20) == 0 {
		b.codes = map[string]bool{RepairEmpty: true}
		right, broken = "{}", []string{"", " \n", "null", " null\r\n"}[b.IntN(4)]
	}
	empty := b.codes[RepairEmpty]
	if !empty && b.breaks(RepairUnwrapKey) {
		broken = `{"` + []string{"arguments", "input", "find", "a~/b"}[b.IntN(4)] + `":` + broken + b.comma(1) + "}"
	}
	if !empty && b.breaks(RepairStringRoot) {
		quoted, _ := json.Marshal(broken)
		broken = string(quoted)
	}
	if strings.TrimSpace(broken) != "" && b.breaks(RepairFence) {
		open := []string{"```", "```json\n", "````JSON\r\n", "~~~\n", "\n```json5\n"}[b.IntN(5)]
		s := strings.TrimSpace(open)
		end := s[:strings.LastIndexAny(s, "`~")+1]
		broken = open + broken + []string{"", "\n"}[b.IntN(2)] + end + []string{"", "\n "}[b.IntN(2)]
	}
	return right, broken
}

// TestRestore is over tens of thousands of broken arguments: each is read as what it was before it was broken.
func TestRestore(t *testing.T) {
	p, err := schema.Compile(mendable())
	if err != nil {
		t.Fatal(err)
	}
	strict, e := engine(t, mendable()), engine(t, mendable(), WithMode(Tolerant))
	seen := map[string]int{}
	for seed := range uint64(20_000) {
		b := &breaker{Rand: rand.New(rand.NewPCG(seed, 1)), rate: 2 + int(seed%30), codes: map[string]bool{}}
		right, broken := b.arguments(p.Root())
		want, r := strict.Normalize(right)
		if !r.OK() {
			t.Fatalf("seed %d made %s: %v", seed, right, r)
		}
		got, r := e.Normalize(broken)
		codes := map[string]bool{}
		for _, x := range r.Repairs {
			codes[x.Code] = true
			seen[x.Code]++
		}
		if !r.OK() || !sameJSON(t, got, want) || fmt.Sprint(codes) != fmt.Sprint(b.codes) {
			t.Fatalf("seed %d: of %s\nmade %q\ngot  %s\n%v, want %v\n%v", seed, right, broken, got, r.Repairs, b.codes, r)
		}
		if len(b.codes) > 0 && strict.Validate(broken).OK() {
			t.Fatalf("seed %d: %q is not broken", seed, broken)
		}
	}
	for _, code := range []string{RepairEmpty, RepairStringRoot, RepairFence, RepairJSONString, RepairNumberString, RepairBoolString, RepairNullOptional,
		RepairEnumCase, RepairTrailingComma, RepairControlChar, RepairUnwrapKey, RepairFixedParam, RepairAlias, RepairWrapItem, RepairUnwrapItem} {
		if seen[code] < 100 {
			t.Errorf("%s came %d times", code, seen[code])
		}
	}
	t.Log(seen)
}

// sameJSON compares two texts whatever the order of their members and the spelling of their strings.
func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	h := hasher{}
	var d Decoder
	h.seed = d.scan.Seed()
	digest := func(text []byte) uint64 {
		d.scan.Reset(string(text))
		return h.value(&d.scan)
	}
	return digest(a) == digest(b)
}
