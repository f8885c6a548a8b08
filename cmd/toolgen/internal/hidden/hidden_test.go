package hidden

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// Each run stands at its first byte and says what it is.
func TestFind(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"plain, with\ttabs\r\nand lines\n", ""},
		{"Grüße, 日本語, العربية, e\u0301, \u00a0, \u3000, \ufffd, 👍🏽, 🇩🇪", ""},

		{"a\u202eb", "1+3 a right-to-left override (U+202E)"},
		{"é\u202e\u202e\u2066b\u2069", "2+9 2 right-to-left overrides (U+202E) and a left-to-right isolate (U+2066); 12+3 a pop-isolate control (U+2069)"},
		{"a\u200bb\u200cc\u200dd", "1+3 a zero-width space (U+200B); 5+3 a zero-width non-joiner (U+200C); 9+3 a zero-width joiner (U+200D)"},
		{"👩\u200d💻", "4+3 a zero-width joiner (U+200D)"},
		{"🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "4+24 6 tag characters (U+E0067, U+E0062, U+E0065, U+E006E, ...)"},
		{"\u2028\u2029", "0+6 a line separator (U+2028) and a paragraph separator (U+2029)"},
		{"\u061c\u200e\u200f\u202a\u202b", "0+14 an Arabic letter mark (U+061C), a left-to-right mark (U+200E), a right-to-left mark (U+200F), a left-to-right embedding (U+202A) and 1 more"},
		{"a\x00b\x1b[0m\x7f\u0085", "1+1 a NUL character (U+0000); 3+1 an escape character (U+001B); 7+3 a delete character (U+007F) and a control character (U+0085)"},
		{"a\xffb\xc3", "1+1 an invalid UTF-8 byte; 3+1 an invalid UTF-8 byte"},
		{"\xed\xa0\x80", "0+3 3 invalid UTF-8 bytes"},
		{"\ufeffa", "0+3 a zero-width no-break space (U+FEFF)"},
		{"\u2065\U000e0001\U000e0080", "0+11 a shapeless character (U+2065), a tag character (U+E0001) and a shapeless character (U+E0080)"},

		// Variation selectors: one, behind what can be varied.
		{"❤\ufe0f 1\ufe0f\u20e3 #\ufe0f ©\ufe0e 葛\ufe00 ᠠ\u180b", ""},
		{"❤\ufe0f\ufe0f", "3+6 2 variation selectors (U+FE0F)"},
		{"❤\ufe0fa\ufe0f", "7+3 a variation selector (U+FE0F)"},
		{"\ufe0f", "0+3 a variation selector (U+FE0F)"},
		{" \ufe0f.\ufe0f\"\ufe0f\n\ufe0f\u00a0\ufe0f", "1+3 a variation selector (U+FE0F); 5+3 a variation selector (U+FE0F); 9+3 a variation selector (U+FE0F); 13+3 a variation selector (U+FE0F); 18+3 a variation selector (U+FE0F)"},
		{"é\ufe0fe\u0301\ufe0f", "2+3 a variation selector (U+FE0F); 8+3 a variation selector (U+FE0F)"},
		{"葛\U000e0100", "3+4 a variation selector (U+E0100)"},
		{"❤\u200b\ufe0f", "3+6 a zero-width space (U+200B) and a variation selector (U+FE0F)"},
	} {
		var got []string
		for _, r := range Find(c.text) {
			got = append(got, fmt.Sprintf("%d+%d %s", r.Offset, r.Len, r))
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "; ")); diff != "" {
			t.Errorf("%+q (-want +got):\n%s", c.text, diff)
		}
	}
}

// Every character of the refused ranges is found and has a name of its own kind, between letters and at the start.
func TestRanges(t *testing.T) {
	want := map[string][][2]rune{
		"tag character":         {{0xe0000, 0xe007f}},
		"variation selector":    {{0xfe00, 0xfe0f}, {0xe0100, 0xe01ef}},
		"control character":     {{0x01, 0x08}, {0x0b, 0x0c}, {0x0e, 0x1a}, {0x1c, 0x1f}, {0x80, 0x9f}},
		"format character":      {{0x206a, 0x206f}, {0x110bd, 0x110bd}, {0x1d173, 0x1d17a}},
		"Hangul filler":         {{0x115f, 0x1160}, {0x3164, 0x3164}, {0xffa0, 0xffa0}},
		"invisible operator":    {{0x2061, 0x2064}},
		"Khmer inherent vowel":  {{0x17b4, 0x17b5}},
		"NUL character":         {{0, 0}},
		"soft hyphen":           {{0xad, 0xad}},
		"word joiner":           {{0x2060, 0x2060}},
		"left-to-right isolate": {{0x2066, 0x2066}},

		"interlinear annotation mark": {{0xfff9, 0xfffb}},
		"Mongolian vowel separator":   {{0x180e, 0x180e}},
		"combining grapheme joiner":   {{0x034f, 0x034f}},
	}
	for what, ranges := range want {
		for _, x := range ranges {
			for r := x[0]; r <= x[1]; r++ {
				for _, text := range []string{"a" + string(r) + "b", string(r)} {
					found := Find(text)
					if len(found) != 1 || !cmp.Equal(found[0].Runes, []rune{r}) || found[0].Len != utf8.RuneLen(r) || name(r) != what {
						t.Errorf("%+q: %v, called %s, want %s", text, found, name(r), what)
					}
				}
			}
		}
	}
}

// What a person sees is not hidden: no letter, digit, mark of a letter, sign or space is found, beside those whose names
// say that they have no shape.
func TestVisible(t *testing.T) {
	for r := rune(0x20); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) || unicode.In(r, unicode.C, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
			continue
		}
		if found := Find("a" + string(r) + "b"); found != nil {
			t.Errorf("%U is found: %s", r, found[0])
		}
	}
}

func TestFix(t *testing.T) {
	for text, want := range map[string]string{
		"\u202e":           "delete it",
		"\u202e\u202e":     "delete them",
		"\u200d":           "delete it; of an emoji that is made with such characters keep the plain one",
		"🏴\U000e0067":      "delete it; of an emoji that is made with such characters keep the plain one",
		"a\ufe0f\u200b":    "delete them; of an emoji that is made with such characters keep the plain one",
		"\U000e0001\u200b": "delete them",
	} {
		if got := Find(text)[0].Fix(); got != want {
			t.Errorf("%+q: %s, want %s", text, got, want)
		}
	}
}

// Runs are in order, do not touch, cover what they say, and what is left without them has none.
func FuzzFind(f *testing.F) {
	for _, s := range []string{"", "a\u202e\xffb", "❤\ufe0f\ufe0f", "\xf3\xa0", "e\u0301\ufe0f\u200d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		end := -1
		var rest strings.Builder
		for _, r := range Find(s) {
			if r.Offset <= end || r.Len < 1 || utf8.RuneCountInString(s[r.Offset:r.Offset+r.Len]) != len(r.Runes) || r.String() == "" {
				t.Fatalf("%+q: %+v after %d", s, r, end)
			}
			rest.WriteString(s[max(end, 0):r.Offset])
			end = r.Offset + r.Len
		}
		rest.WriteString(s[max(end, 0):])
		for _, c := range rest.String() {
			if !unicode.Is(unicode.Variation_Selector, c) && Find("_"+string(c)+"_") != nil {
				t.Fatalf("%+q: %U is left", s, c)
			}
		}
	})
}
