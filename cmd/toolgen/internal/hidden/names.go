package hidden

import (
	"unicode"
	"unicode/utf8"
)

// name is what a hidden character is called: a noun in the singular that takes an s.
func name(r rune) string {
	switch r {
	case utf8.RuneError:
		return "invalid UTF-8 byte"
	case 0x00:
		return "NUL character"
	case 0x1b:
		return "escape character"
	case 0x7f:
		return "delete character"
	case 0xad:
		return "soft hyphen"
	case 0x034f:
		return "combining grapheme joiner"
	case 0x061c:
		return "Arabic letter mark"
	case 0x115f, 0x1160, 0x3164, 0xffa0:
		return "Hangul filler"
	case 0x17b4, 0x17b5:
		return "Khmer inherent vowel"
	case 0x180e:
		return "Mongolian vowel separator"
	case 0x200b:
		return "zero-width space"
	case 0x200c:
		return "zero-width non-joiner"
	case 0x200d:
		return "zero-width joiner"
	case 0x200e:
		return "left-to-right mark"
	case 0x200f:
		return "right-to-left mark"
	case 0x2028:
		return "line separator"
	case 0x2029:
		return "paragraph separator"
	case 0x202a:
		return "left-to-right embedding"
	case 0x202b:
		return "right-to-left embedding"
	case 0x202c:
		return "pop-direction control"
	case 0x202d:
		return "left-to-right override"
	case 0x202e:
		return "right-to-left override"
	case 0x2060:
		return "word joiner"
	case 0x2061, 0x2062, 0x2063, 0x2064:
		return "invisible operator"
	case 0x2066:
		return "left-to-right isolate"
	case 0x2067:
		return "right-to-left isolate"
	case 0x2068:
		return "first strong isolate"
	case 0x2069:
		return "pop-isolate control"
	case 0xfeff:
		return "zero-width no-break space"
	case 0xfff9, 0xfffa, 0xfffb:
		return "interlinear annotation mark"
	}
	switch {
	case r >= 0xe0000 && r <= 0xe007f:
		return "tag character"
	case unicode.Is(unicode.Variation_Selector, r):
		return "variation selector"
	case unicode.Is(unicode.Cc, r):
		return "control character"
	case unicode.Is(unicode.Cf, r):
		return "format character"
	}
	return "shapeless character"
}
