package jsonscan

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// MaxToken is how many bytes of a name a pointer shows. Only names that nobody declared are longer.
	MaxToken = 256
	// MaxPointer is how many bytes a pointer has before no other token is appended to it, but "…".
	MaxPointer = 1024
)

// AppendToken appends one reference token of a JSON Pointer (RFC 6901), with the slash before it. A name of more than
// MaxToken bytes is cut, and ends in an ellipsis.
func AppendToken(dst []byte, name string) []byte {
	dst = append(dst, '/')
	cut := len(name) > MaxToken
	if cut {
		end := MaxToken
		for end > 0 && !utf8.RuneStart(name[end]) {
			end--
		}
		name = name[:end]
	}
	for i := 0; i < len(name); i++ {
		switch c := name[i]; c {
		case '~':
			dst = append(dst, "~0"...)
		case '/':
			dst = append(dst, "~1"...)
		default:
			dst = append(dst, c)
		}
	}
	if cut {
		dst = append(dst, "…"...)
	}
	return dst
}

// AppendRawToken appends a token for a name as [Scanner.Literal] returned it.
func AppendRawToken(dst []byte, raw string) []byte {
	const most = 6 * (MaxToken + utf8.UTFMax) // enough for more than MaxToken bytes, however they are escaped
	if len(raw) > most {
		end := most
		for end > 0 && !utf8.RuneStart(raw[end]) {
			end--
		}
		raw = raw[:end]
	}
	if strings.IndexByte(raw, '\\') >= 0 {
		raw = string(AppendUnquoted(nil, raw))
	}
	return AppendToken(dst, raw)
}

// AppendPointer appends the JSON Pointer, relative to the value that starts at start, of the member whose name starts
// at off (the first byte after its quote). The value must have been read without an error. It reads the value again, so
// it is for reports of problems.
func AppendPointer(dst []byte, src string, start, off int) []byte {
	s := Scanner{Src: src, Pos: start, Known: true}
	for {
		c := s.Space()
		if c != '{' && c != '[' {
			return dst
		}
		if len(dst) > MaxPointer {
			return append(dst, "/…"...)
		}
		s.Pos++
		for index := 0; ; index++ {
			if more, _ := s.Comma(c+2, index == 0); !more { // '}' and ']' are two above '{' and '['
				return dst
			}
			name := ""
			if c == '{' {
				s.Space()
				key := s.Pos + 1
				name, _, _ = s.Literal()
				s.Colon()
				if key == off {
					return AppendRawToken(dst, name)
				}
			}
			value := s.Pos
			if !s.Skip(0) {
				return dst
			}
			if off >= s.Pos {
				continue
			}
			if c == '{' {
				dst = AppendRawToken(dst, name)
			} else {
				dst = strconv.AppendInt(append(dst, '/'), int64(index), 10)
			}
			s.Pos = value
			break
		}
	}
}
