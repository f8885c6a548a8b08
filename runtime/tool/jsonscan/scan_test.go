package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func code(err error) (Code, int) {
	var e *Error
	if errors.As(err, &e) {
		return e.Code, e.Offset
	}
	return "", -1
}

func TestCheck(t *testing.T) {
	deep := func(n int, open, end string) string { return strings.Repeat(open, n) + strings.Repeat(end, n) }
	for _, c := range []struct {
		text string
		code Code
		off  int
	}{
		{`{}`, "", -1}, {` [ 1 , 2 ] `, "", -1}, {"\t\r\n null", "", -1}, {`"a"`, "", -1}, {`-0`, "", -1}, {`0`, "", -1}, {`1.5E+10`, "", -1}, {`[true,false]`, "", -1},
		{`"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"`, "", -1}, {"\"\x7f\u2028é日😀\"", "", -1}, {`{"a":{"a":{"a":1}}}`, "", -1},
		{deep(128, "[", "]"), "", -1},
		{``, Empty, 0}, {" \n ", Empty, 3},
		{`{`, Truncated, 1}, {`[`, Truncated, 1}, {`[1`, Truncated, 2}, {`[1,`, Truncated, 3}, {`{"a"`, Truncated, 4}, {`{"a":`, Truncated, 5}, {`{"a":1`, Truncated, 6}, {`{"a":1,`, Truncated, 7},
		{`"abc`, Truncated, 4}, {`"abcdefghij`, Truncated, 11}, {`"\`, Truncated, 2}, {`"\u12`, Truncated, 5}, {`"\ud83d`, Truncated, 7}, {`"\ud83d\`, Truncated, 8}, {`"\ud83d\ude`, Truncated, 11},
		{"\"\xe6\x97", Truncated, 3}, {`tru`, Truncated, 3}, {`-`, Truncated, 1}, {`1.`, Truncated, 2}, {`1e`, Truncated, 2}, {`1e+`, Truncated, 3},
		{`{}{}`, Glued, 2}, {`{} []`, Glued, 3}, {`{}x`, TrailingText, 2}, {`{}}`, TrailingText, 2}, {`1 2`, TrailingText, 2}, {`"a""b"`, TrailingText, 3},
		{`{"a":1,}`, TrailingComma, 6}, {`[1,]`, TrailingComma, 2}, {`[,1]`, Syntax, 1}, {`[1,,2]`, Syntax, 3}, {`[1 2]`, Syntax, 3}, {`{"a" 1}`, Syntax, 5}, {`{a:1}`, Syntax, 1}, {`{1:1}`, Syntax, 1}, {`'a'`, Syntax, 0}, {`[1}`, Syntax, 2}, {`{"a":1]`, Syntax, 6}, {`nul`, Truncated, 3}, {`nulx`, Syntax, 0}, {`tRue`, Syntax, 0}, {`{"a":}`, Syntax, 5}, {"\ufeff{}", Syntax, 0}, {"\x00", Syntax, 0}, {"{}\x00", TrailingText, 2}, {"/**/1", Syntax, 0}, {"\f1", Syntax, 0}, {"\u00a01", Syntax, 0},
		{"\"\xff\"", BadUTF8, 1}, {"\"abcdefgh\xc0\xaf\"", BadUTF8, 9}, {"\"\xed\xa0\x80\"", BadUTF8, 1}, {"\"\xf4\x90\x80\x80\"", BadUTF8, 1}, {"\"日\xe6\x97\"", BadUTF8, 4},
		{`"\ud800"`, LoneSurrogate, 1}, {`"\udc00"`, LoneSurrogate, 1}, {`"\ud800x"`, LoneSurrogate, 1}, {`"\ud800\n"`, LoneSurrogate, 1}, {`"\ud800\ud800"`, LoneSurrogate, 1},
		{"\"a\nb\"", ControlChar, 2}, {"\"abcdefghi\x00\"", ControlChar, 10}, {"\"\x1f\"", ControlChar, 1},
		{`"\x"`, BadEscape, 1}, {`"\u12g4"`, BadEscape, 1}, {`"\U0041"`, BadEscape, 1}, {`"\ud83d\uzzzz"`, BadEscape, 7},
		{`01`, BadNumber, 0}, {`-01`, BadNumber, 0}, {`00`, BadNumber, 0}, {`+1`, BadNumber, 0}, {`.5`, BadNumber, 0}, {`1.x`, BadNumber, 2}, {`1e-x`, BadNumber, 3}, {`-x`, BadNumber, 0}, {`0x10`, TrailingText, 1},
		{`NaN`, NotFinite, 0}, {`[Infinity]`, NotFinite, 1}, {`-Infinity`, NotFinite, 0},
		{deep(129, "[", "]"), TooDeep, 128}, {strings.Repeat(`{"a":`, 200), TooDeep, 640},
		{`{"a":1,"a":1}`, DuplicateKey, 8}, {`[{"a":{"b":1,"\u0062":2}}]`, DuplicateKey, 14}, {`{"":1,"":1}`, DuplicateKey, 7}, {`{"\n":1,"\u000a":1}`, DuplicateKey, 9}, {`{"😀":1,"\ud83d\ude00":1}`, DuplicateKey, 11},
	} {
		got, off := code(Check(c.text))
		if got != c.code || off != c.off {
			t.Errorf("%.40q: %q at %d, want %q at %d", c.text, got, off, c.code, c.off)
		}
	}
}

func TestErrorText(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":"b`: "the text ends inside a string (byte 7)",
		`{"a":tr`: "the text ends inside the word true (byte 7)",
		`[1,]`:    "a comma stands before the end of an array (byte 2)",
		`{"a" 1}`: "a character does not belong here, in an object (byte 5)",
		`[{"a":1`: "the text ends inside an object (byte 7)",
	} {
		if got := fmt.Sprint(Check(text)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for text, want := range map[string]struct {
		n     int64
		plain bool
	}{
		"0": {0, true}, "-0": {0, true}, "9007199254740993": {9007199254740993, true},
		"9223372036854775807": {9223372036854775807, true}, "-9223372036854775808": {-9223372036854775808, true},
		"9223372036854775808": {0, false}, "-9223372036854775809": {0, false}, "18446744073709551616": {0, false},
		"99999999999999999999999": {0, false}, "1.0": {0, false}, "1e3": {0, false},
	} {
		var s Scanner
		s.Reset(text)
		got, n, plain, ok := s.Number()
		if got != text || !ok || plain != want.plain || plain && n != want.n {
			t.Errorf("%s: %q %d %v %v", text, got, n, plain, ok)
		}
	}
}

func TestUnquote(t *testing.T) {
	for _, text := range []string{`""`, `"abc"`, `"a\"\\\/\b\f\n\r\tz"`, `"\u0000\u00e9\u65e5\ud83d\ude00é日😀"`} {
		var s Scanner
		s.Reset(text)
		raw, escaped, ok := s.Literal()
		var want string
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if got := Unquote(raw); !ok || got != want || escaped != strings.Contains(text, `\`) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestAppendPointer(t *testing.T) {
	text := `{"a":[{"x":1},{"b/~":[[0,{"k":1}]]}],"z\u0041":2}`
	for off, want := range map[int]string{
		2: "/a", strings.Index(text, "x"): "/a/0/x", strings.Index(text, "k"): "/a/1/b~1~0/0/1/k", strings.Index(text, "z"): "/zA",
	} {
		if got := string(AppendPointer(nil, text, 0, off)); got != want {
			t.Errorf("%d: %s, want %s", off, got, want)
		}
	}
}

// An object with n keys, all different, costs time and memory in proportion to n.
func TestManyKeys(t *testing.T) {
	for name, format := range map[string]string{"short": "%s%q:0", "escaped": "%s\"\\u006b%s\":0"} {
		var b strings.Builder
		b.WriteByte('{')
		const n = 100_000
		for i := range n {
			sep := ","
			if i == 0 {
				sep = ""
			}
			fmt.Fprintf(&b, format, sep, fmt.Sprintf("%x", i))
		}
		text := b.String()
		for _, c := range []struct {
			text string
			want Code
		}{{text + "}", ""}, {text + `,"k0":0,"k0":1}`, DuplicateKey}} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			got, _ := code(Check(c.text))
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if got != c.want {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
			if took > 5*time.Second {
				t.Errorf("%s: %v", name, took)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > uint64(8*len(c.text)+64<<10) {
				t.Errorf("%s: %d bytes allocated for %d", name, used, len(c.text))
			}
		}
	}
}

// Every key of an object is found again, whatever the size of the object and the place of the keys; once, however often
// it stands there.
func TestDuplicateAnywhere(t *testing.T) {
	for n := 1; n <= 40; n++ {
		for at := range n {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, `"k%d":%d,`, i, i)
			}
			again := (at + 1) % n
			text := "{" + b.String() + fmt.Sprintf(`"k%d":0,"last":{"k%d":1,"\u006b%d":2},"\u006b%d":0,"k%d":0}`, at, at, at, at, again)
			want := 3
			if n == 1 {
				want = 2
			}
			var s Scanner
			s.Reset(text)
			if !s.Skip(0) || len(s.Dups) != want {
				t.Fatalf("%s: %v %v", text, s.Err(), s.Dups)
			}
		}
	}
}

// FuzzCheck compares Check with encoding/json. They differ in what is listed here, and in nothing else.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{six, tiny, `[1,-0.5e3,"\u00e9\ud83d\ude00",null,true,{"a":{}}]`, `{"a":1,"a":2}`, "\"\xff\"", `"\ud800"`, `{}{}`, `01`, `[1,]`, strings.Repeat("[", 200) + strings.Repeat("]", 200)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		err := Check(text)
		valid := json.Valid([]byte(text))
		got, off := code(err)
		if err != nil && (off < 0 || off > len(text)) {
			t.Fatalf("offset %d of %q", off, text)
		}
		switch got {
		case "":
			if !valid || !utf8.ValidString(text) {
				t.Fatalf("%q is accepted", text)
			}
			same(t, text)
		case BadUTF8: // encoding/json replaces the bytes
			if utf8.ValidString(text) {
				t.Fatalf("%q is UTF-8", text)
			}
		case LoneSurrogate: // encoding/json replaces it
			if !strings.Contains(strings.ToLower(text), `\ud`) {
				t.Fatalf("%q has no surrogate", text)
			}
		case TooDeep: // encoding/json stops at 10,000
			if strings.Count(text, "[")+strings.Count(text, "{") <= MaxDepth {
				t.Fatalf("%q is not deep", text)
			}
		case DuplicateKey: // encoding/json takes the last
			if !valid {
				t.Fatalf("%q is not JSON, and that comes first", text)
			}
		default:
			if valid {
				t.Fatalf("%q is refused: %v", text, err)
			}
			if got == Truncated && off != len(text) {
				t.Fatalf("%q ends at %d", text, off)
			}
		}
	})
}

// same checks that strings and numbers of an accepted text come out as encoding/json reads them.
func same(t *testing.T, text string) {
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.UseNumber()
	var s Scanner
	s.Reset(text)
	for {
		tok, err := dec.Token()
		if err != nil {
			return
		}
		for c := s.Space(); c == ',' || c == ':'; c = s.Space() {
			s.Pos++
		}
		switch tok := tok.(type) {
		case json.Delim, bool, nil:
			s.Pos += len(fmt.Sprint(tok))
			if tok == nil {
				s.Pos -= len("<nil>") - len("null")
			}
		case string:
			if raw, _, ok := s.Literal(); !ok || Unquote(raw) != tok {
				t.Fatalf("%q: %q, want %q", text, Unquote(raw), tok)
			}
		case json.Number:
			if got, _, _, ok := s.Number(); !ok || got != tok.String() {
				t.Fatalf("%q: %s, want %s", text, got, tok)
			}
		}
	}
}
