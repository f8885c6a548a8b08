package tool_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/jsonscan"
)

func TestUniqueIDs(t *testing.T) {
	for _, c := range []struct{ in, taken, want string }{
		{"a,b,c", "", "a,b,c"},
		{"", "", "call_1"},
		{", ,\t", "", "call_1,call_2,call_3"},
		{"a,a,a", "", "a,a_1,a_2"},
		{"a,a,a_1", "", "a,a_2,a_1"}, // an id that a call has is not made for another
		{",call_1", "", "call_2,call_1"},
		{"a,b", "a", "a_1,b"},
		{"a,,a", "a_1,call_1,call_2", "a,call_3,a_2"},
	} {
		var list []tool.Call
		for _, id := range strings.Split(c.in, ",") {
			list = append(list, tool.Call{ID: id})
		}
		taken := func(id string) bool { return strings.Contains(","+c.taken+",", ","+id+",") }
		out := tool.UniqueIDs(list, taken)
		var got []string
		for _, call := range out {
			got = append(got, call.ID)
		}
		if s := strings.Join(got, ","); s != c.want {
			t.Errorf("%q without %q: %q, want %q", c.in, c.taken, s, c.want)
		}
		for i, id := range strings.Split(c.in, ",") {
			if list[i].ID != id {
				t.Errorf("%q: the argument was changed", c.in)
			}
		}
		if again := tool.UniqueIDs(out, taken); !cmp.Equal(ids(again), ids(out)) {
			t.Errorf("%q: a second time gives %q", c.in, ids(again))
		}
	}
}

func ids(calls []tool.Call) []string {
	out := make([]string, len(calls))
	for i, c := range calls {
		out[i] = c.ID
	}
	return out
}

// Ids are unique, whatever they were; those that were unique stay; the same message gives the same ids.
func TestUniqueIDsAlways(t *testing.T) {
	for seed := range uint64(500) {
		rnd := rand.New(rand.NewPCG(seed, 4))
		list := make([]tool.Call, rnd.IntN(60))
		count := map[string]int{}
		for i := range list {
			list[i].ID = []string{"", "a", "b", "a_1", "a_2", "call_1", "call_2", "b_1", fmt.Sprint(i)}[rnd.IntN(9)]
			count[list[i].ID]++
		}
		out := tool.UniqueIDs(list, nil)
		seen := map[string]bool{}
		for i, c := range out {
			if c.ID == "" || seen[c.ID] || count[list[i].ID] == 1 && list[i].ID != "" && c.ID != list[i].ID {
				t.Fatalf("seed %d: %q of %q", seed, ids(out), ids(list))
			}
			seen[c.ID] = true
		}
		if !cmp.Equal(ids(tool.UniqueIDs(list, nil)), ids(out)) {
			t.Errorf("seed %d: not the same again", seed)
		}
	}
}

func TestHistoryArguments(t *testing.T) {
	for in, want := range map[string]string{
		`{"q":"a"}`:              `{"q":"a"}`,
		" {\n\"q\": 1 } ":        " {\n\"q\": 1 } ", // an object stays as it came, to the byte
		`{"q":9007199254740993}`: `{"q":9007199254740993}`,
		`{}`:                     `{}`,
		``:                       `{}`,
		" \n":                    `{}`,
		`null`:                   `{}`,
		`{"q":"a`:                `{"invalid_arguments":"{\"q\":\"a"}`,
		`[1]`:                    `{"invalid_arguments":"[1]"}`,
		`"{}"`:                   `{"invalid_arguments":"\"{}\""}`,
		`{}{}`:                   `{"invalid_arguments":"{}{}"}`,
		`{"a":1,"a":2}`:          `{"invalid_arguments":"{\"a\":1,\"a\":2}"}`,
		`{"a":1e400}`:            `{"invalid_arguments":"{\"a\":1e400}"}`,
		`{"a":"\ud800"}`:         `{"invalid_arguments":"{\"a\":\"\\ud800\"}"}`,
		"<a & b>\xff\x00":        `{"invalid_arguments":"<a & b>` + "\uFFFD\uFFFD" + `"}`,
		strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200): `{"invalid_arguments":` + quoted(strings.Repeat(`{"a":`, 200)+"1"+strings.Repeat("}", 200)) + `}`,
	} {
		got := string(tool.HistoryArguments(json.RawMessage(in)))
		if want == "{}" && got != "{}" || want != "{}" && !sameText(got, want) {
			t.Errorf("%.40q: %s, want %s", in, got, want)
		}
	}
}

func quoted(s string) string { b, _ := json.Marshal(s); return string(b) }

// sameText compares texts byte by byte, but for how the replacement character is written.
func sameText(a, b string) bool {
	plain := func(s string) string { return strings.ReplaceAll(s, `\ufffd`, "\uFFFD") }
	return plain(a) == plain(b)
}

func FuzzHistoryArguments(f *testing.F) {
	for _, s := range []string{``, `{}`, `{"a":1e400}`, "\"\xff\x00", `{"a":{"b":[1,2,{"c":"\ud83d\ude00"}]}}`, `{"a":1,"a":1}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		kept := bytes.Clone(in)
		out := tool.HistoryArguments(in)
		if !bytes.Equal(in, kept) {
			t.Error("the argument was changed")
		}
		var v map[string]any
		if err := json.Unmarshal(out, &v); err != nil || !utf8.Valid(out) || jsonscan.Check(string(out)) != nil {
			t.Fatalf("%q: %q is no object: %v", in, out, err)
		}
		if again := tool.HistoryArguments(out); !bytes.Equal(again, out) {
			t.Errorf("%q: a second time gives %q", out, again)
		}
		if text, ok := v[tool.InvalidArguments].(string); ok && len(v) == 1 && !bytes.Equal(out, in) {
			if want := strings.ReplaceAll(strings.ToValidUTF8(string(in), "\uFFFD"), "\x00", "\uFFFD"); strings.Map(ones, text) != strings.Map(ones, want) {
				t.Errorf("%q: %q is kept", in, text)
			}
		}
	})
}

// ones drops the replacement character, of which there may be one for each bad byte or one for several.
func ones(r rune) rune {
	if r == utf8.RuneError {
		return -1
	}
	return r
}

// What is stored of a call fits its result, and is valid for every provider.
func TestHistoryCall(t *testing.T) {
	d := scopeWith(t, fixture{name: "s", safe: true, run: echo}).Dispatcher()
	list := []tool.Call{
		{ID: "1", Name: "s", Arguments: []byte(`{ "q":"a" }`)},
		{ID: "1", Name: "s", Arguments: []byte(`{"q":`)},
		{Name: "functions.s", Arguments: []byte(`{"q":"a"}`)},
		{Name: "no such näme", Arguments: nil},
		{Name: "", Arguments: []byte(`{"q":1}`)},
		{Name: strings.Repeat("日", 1000), Arguments: []byte(`{"q":1}`)},
	}
	for i, want := range []tool.Call{
		{ID: "1", Name: "s", Arguments: []byte(`{ "q":"a" }`)},
		{ID: "1_1", Name: "s", Arguments: []byte(`{"invalid_arguments":"{\"q\":"}`)},
		{ID: "call_1", Name: "s", Arguments: []byte(`{"q":"a"}`)},
		{ID: "call_2", Name: "no_such_n_me", Arguments: []byte(`{}`)},
		{ID: "call_3", Name: "_", Arguments: []byte(`{"q":1}`)},
		{ID: "call_4", Name: strings.Repeat("_", 64), Arguments: []byte(`{"q":1}`)},
	} {
		res := d.Dispatch(t.Context(), list)[i]
		got := tool.HistoryCall(list[i], res)
		if got.ID != want.ID || got.Name != want.Name || string(got.Arguments) != string(want.Arguments) || res.ID != got.ID || res.Name != got.Name {
			t.Errorf("call %d: stored %+v (%s), result %+v", i, got, got.Arguments, res)
		}
	}
}
