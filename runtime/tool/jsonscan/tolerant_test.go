package jsonscan

import (
	"encoding/json"
	"strings"
	"testing"
)

// What a tolerant scanner passes over, it counts; everything else it refuses like any other.
func TestTolerant(t *testing.T) {
	for _, c := range []struct {
		text           string
		commas, growth int
		code           Code
	}{
		{`{"a":[1,2]}`, 0, 0, ""},
		{`{"a":[1,2,] , } `, 2, 0, ""},
		{`[[1,],[2,]]`, 2, 0, ""},
		{"{\"a\nb\":\"\t\x01\"}", 0, 1 + 1 + 5, ""},
		{`[",]",",}"]`, 0, 0, ""},
		{`[,]`, 0, 0, Syntax}, {`{,}`, 0, 0, Syntax}, {`[1,,]`, 0, 0, Syntax}, {`{"a":1,,}`, 0, 0, Syntax},
		{`[1,]]`, 1, 0, TrailingText}, {`[1,`, 0, 0, Truncated}, {"\"\n", 0, 1, Truncated}, {"\"\\\n\"", 0, 0, BadEscape},
		{"[\"\x00\xff\"]", 0, 5, BadUTF8}, {"[1,\x01]", 0, 0, Syntax},
	} {
		s := Scanner{Tolerant: true}
		s.Reset(c.text)
		ok := s.Skip(0) && s.End()
		if ok != (c.code == "") || s.Err().Code != c.code || s.Commas != c.commas || s.Growth != c.growth {
			t.Errorf("%q: %v %q, %d commas, %d bytes", c.text, ok, s.Err().Code, s.Commas, s.Growth)
		}
	}
}

func TestEscape(t *testing.T) {
	for c := range byte(' ') {
		var got string
		if err := json.Unmarshal([]byte(`"`+Escape(c)+`"`), &got); err != nil || got != string(rune(c)) {
			t.Errorf("%#x: %s is %q, %v", c, Escape(c), got, err)
		}
	}
}

// Long strings are unquoted like short ones, in one allocation.
func TestUnquoteLong(t *testing.T) {
	for _, part := range []string{`a`, `\n`, `\u00e9`, `\ud83d\ude00`, `日\"`, `\\`} {
		for _, n := range []int{1, 20, 127, 128, 129, 1000} {
			raw := strings.Repeat(part, n)
			var want string
			if err := json.Unmarshal([]byte(`"`+raw+`"`), &want); err != nil {
				t.Fatal(err)
			}
			if got := Unquote(raw); got != want {
				t.Errorf("%s, %d times: %.40q", part, n, got)
			}
			if got := testing.AllocsPerRun(10, func() { _ = Unquote(raw) }); got > 1 {
				t.Errorf("%s, %d times: %v allocations", part, n, got)
			}
		}
	}
}

func TestEscaped(t *testing.T) {
	var s Scanner
	for text, want := range map[string]bool{`["a"]`: false, `["a\n"]`: true, `[1]`: false} {
		s.Reset(text)
		if s.Skip(0); s.Escaped != want {
			t.Errorf("%s: %v", text, s.Escaped)
		}
	}
}
