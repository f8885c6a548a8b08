// Package jsonscan reads JSON text strictly, in one pass, over a string.
//
// It accepts what RFC 8259 defines and nothing else, with I-JSON's care for Unicode: strings are valid UTF-8, and
// escaped surrogates come in pairs. It allocates for nothing but the unescaping of strings and the look-up of names in
// objects of more than eight of them. Nesting is bounded by [MaxDepth], and cost is linear in the text.
//
// A [Scanner] is the layer below a decoder: it knows tokens and whole values, not types. [Check] is for texts that are
// only to be checked.
package jsonscan

import (
	"hash/maphash"
	"math/bits"
	"unicode/utf8"
)

const (
	// MaxDepth is how deep objects and arrays may be nested; the outermost one counts.
	MaxDepth = 128
	// MaxBytes is the size of the largest text; offsets are kept in 32 bits.
	MaxBytes = 1<<31 - 1
	// MaxDups is how many duplicate keys a Scanner remembers.
	MaxDups = 32
)

// Scanner reads one text. The zero value reads the empty text; Reset gives it another one. After a method returned
// false, Err tells why, and no other method may be called but Reset.
//
// Src and Pos are exported because a decoder looks at single bytes, and moves back after it looked ahead. Pos must stay
// within Src, and Src must not be longer than MaxBytes.
type Scanner struct {
	Src string // the text
	Pos int    // the offset of the next byte to read

	// Dups holds the offset of each name that Skip met a second time in its object, of the name's first byte after the
	// quote; at most MaxDups of them. A name that stands there once more is not added again, so that one name cannot take
	// the place of others. Who calls Skip empties it.
	Dups []int

	// Escaped tells whether Literal met an escape, since the last Reset.
	Escaped bool

	// Known makes Skip not look for duplicate keys: the text was read before, or will be.
	Known bool

	// Tolerant makes a comma before the end of an object or array, and raw control characters inside strings, no errors.
	// Commas counts the commas, and Growth by how many bytes the control characters' escapes are longer than they are;
	// both count anew what is read again.
	Tolerant       bool
	Commas, Growth int

	dupsOf []int // for each of Dups, the offset of its object
	err    Error
	seed   maphash.Seed
	seeded bool
}

// Reset starts to read src. It forgets errors and duplicates. It is false when src is larger than MaxBytes.
func (s *Scanner) Reset(src string) bool {
	s.Src, s.Pos, s.Known, s.Escaped = src, 0, false, false
	s.Dups = s.Dups[:0]
	if s.err.Code != "" {
		s.err = Error{}
	}
	if len(src) > MaxBytes {
		s.Src = ""
		return s.Fail(TooLarge, MaxBytes, "")
	}
	return true
}

// Err returns the error that made a method return false; its Code is empty when there was none.
func (s *Scanner) Err() Error { return s.err }

// Fail notes an error, unless one is noted already, and returns false.
func (s *Scanner) Fail(code Code, offset int, in string) bool {
	if s.err.Code == "" {
		s.err = Error{Code: code, Offset: offset, In: in}
	}
	return false
}

// Seed returns the seed of this scanner's hashes, which no input can foresee.
func (s *Scanner) Seed() maphash.Seed {
	if !s.seeded {
		s.seed, s.seeded = maphash.MakeSeed(), true
	}
	return s.seed
}

// Space skips white space and returns the byte that follows, without consuming it: zero at the end of the text.
func (s *Scanner) Space() byte {
	if s.Pos < len(s.Src) {
		if c := s.Src[s.Pos]; c > ' ' {
			return c
		}
	}
	return s.space()
}

func (s *Scanner) space() byte {
	for s.Pos < len(s.Src) {
		switch c := s.Src[s.Pos]; c {
		case ' ', '\t', '\n', '\r':
			s.Pos++
		default:
			return c
		}
	}
	return 0
}

// End checks that nothing but white space is left. Otherwise the error is Glued when another object or array follows,
// TrailingText when anything else does.
func (s *Scanner) End() bool {
	c := s.Space()
	switch {
	case s.Pos == len(s.Src):
		return true
	case c == '{' || c == '[':
		return s.Fail(Glued, s.Pos, "")
	}
	return s.Fail(TrailingText, s.Pos, "")
}

// Unexpected notes that the byte at Pos has no place there: Truncated at the end of the text, Syntax otherwise.
func (s *Scanner) Unexpected(in string) bool {
	if s.Pos >= len(s.Src) {
		return s.Fail(Truncated, len(s.Src), in)
	}
	return s.Fail(Syntax, s.Pos, in)
}

// Literal reads the string whose opening quote is at Pos. Raw is what stands between the quotes, checked but not
// unescaped; escaped tells whether it holds escapes, so that it needs [Unquote].
func (s *Scanner) Literal() (raw string, escaped, ok bool) {
	src := s.Src
	start := s.Pos + 1
	i := start
	for {
		// Eight bytes at once while none of them needs a look.
		for i+8 <= len(src) {
			b := src[i : i+8]
			w := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
				uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
			if m := special(w); m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				goto look
			}
			i += 8
		}
		for i < len(src) && plain(src[i]) {
			i++
		}
		if i >= len(src) {
			return "", false, s.Fail(Truncated, len(src), "a string")
		}
	look:
		switch c := src[i]; {
		case c == '"':
			s.Pos = i + 1
			return src[start:i], escaped, true
		case c == '\\':
			escaped = true
			s.Escaped = true
			n := s.escape(i)
			if n == 0 {
				return "", false, false
			}
			i += n
		case c < ' ':
			if !s.Tolerant {
				return "", false, s.Fail(ControlChar, i, "a string")
			}
			s.Growth += len(Escape(c)) - 1
			i++
		default:
			// A run of other scripts: stay here as long as it lasts.
			for i < len(src) && src[i] >= utf8.RuneSelf {
				r, n := utf8.DecodeRuneInString(src[i:])
				if r == utf8.RuneError && n <= 1 {
					if !utf8.FullRuneInString(src[i:]) {
						return "", false, s.Fail(Truncated, len(src), "a string")
					}
					return "", false, s.Fail(BadUTF8, i, "a string")
				}
				i += n
			}
		}
	}
}

func plain(c byte) bool { return c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' }

// special marks, in the high bit of each byte, the bytes that are a quote, a backslash, a control character or not
// ASCII. The lowest mark is exact; marks above it may be false, since a subtraction borrows.
func special(w uint64) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	quote, slash := w^('"'*ones), w^('\\'*ones)
	return ((w-' '*ones)&^w | (quote-ones)&^quote | (slash-ones)&^slash | w) & highs
}

// escape checks the escape at offset i and returns its length: a whole surrogate pair, or zero after an error.
func (s *Scanner) escape(i int) int {
	src := s.Src
	if i+1 >= len(src) {
		s.Fail(Truncated, len(src), "a string")
		return 0
	}
	switch src[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
	default:
		s.Fail(BadEscape, i, "a string")
		return 0
	}
	hi, ok := s.hex4(i)
	if !ok {
		return 0
	}
	switch {
	case hi < 0xD800 || hi > 0xDFFF:
		return 6
	case hi >= 0xDC00:
		s.Fail(LoneSurrogate, i, "a string")
		return 0
	}
	rest := src[i+6:]
	if rest == "" || rest == `\` {
		s.Fail(Truncated, len(src), "a string")
		return 0
	}
	if rest[0] != '\\' || rest[1] != 'u' {
		s.Fail(LoneSurrogate, i, "a string")
		return 0
	}
	lo, ok := s.hex4(i + 6)
	if !ok {
		return 0
	}
	if lo < 0xDC00 || lo > 0xDFFF {
		s.Fail(LoneSurrogate, i, "a string")
		return 0
	}
	return 12
}

// hex4 reads the digits of the \u escape at offset i.
func (s *Scanner) hex4(i int) (rune, bool) {
	var r rune
	for k := i + 2; k < i+6; k++ {
		if k >= len(s.Src) {
			return 0, s.Fail(Truncated, len(s.Src), "a string")
		}
		d := hexDigit(s.Src[k])
		if d < 0 {
			return 0, s.Fail(BadEscape, i, "a string")
		}
		r = r<<4 | d
	}
	return r, true
}

func hexDigit(c byte) rune {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0')
	case c >= 'a' && c <= 'f':
		return rune(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return rune(c-'A') + 10
	}
	return -1
}

// Number reads the number at Pos and returns its text. When it is an integer without fraction and exponent that fits
// int64, plain is true and n its value.
func (s *Scanner) Number() (text string, n int64, plain, ok bool) {
	src := s.Src
	start, i := s.Pos, s.Pos
	neg := i < len(src) && src[i] == '-'
	if neg {
		i++
	}
	first := i
	var u uint64
	for i < len(src) && src[i]-'0' <= 9 {
		u = u*10 + uint64(src[i]-'0') // exact up to 19 digits, which is all that is used
		i++
	}
	digits := i - first
	switch {
	case digits == 0:
		return "", 0, false, s.badNumber(first, start)
	case digits > 1 && src[first] == '0':
		return "", 0, false, s.Fail(BadNumber, start, "a number")
	}
	plain = digits <= 19
	if i < len(src) && src[i] == '.' {
		plain = false
		i++
		if i = s.digits(i); i < 0 {
			return "", 0, false, false
		}
	}
	if i < len(src) && src[i]|0x20 == 'e' {
		plain = false
		i++
		if i < len(src) && (src[i] == '+' || src[i] == '-') {
			i++
		}
		if i = s.digits(i); i < 0 {
			return "", 0, false, false
		}
	}
	s.Pos = i
	switch {
	case !plain:
	case neg:
		n, plain = -int64(u), u <= 1<<63
	default:
		n, plain = int64(u), u < 1<<63
	}
	return src[start:i], n, plain, true
}

// digits skips the digits at offset i, at least one, and returns the offset behind them; below zero after an error.
func (s *Scanner) digits(i int) int {
	first := i
	for i < len(s.Src) && s.Src[i]-'0' <= 9 {
		i++
	}
	if i > first {
		return i
	}
	s.badNumber(i, i)
	return -1
}

// badNumber notes why no digit stands at offset i, in a number that starts at start.
func (s *Scanner) badNumber(i, start int) bool {
	switch {
	case i >= len(s.Src):
		return s.Fail(Truncated, len(s.Src), "a number")
	case i > start && s.Src[i] == 'I':
		return s.Fail(NotFinite, start, "")
	}
	return s.Fail(BadNumber, start, "a number")
}

// Word reads word, which is true, false or null, at Pos.
func (s *Scanner) Word(word string) bool {
	rest := s.Src[s.Pos:]
	if len(rest) >= len(word) && rest[:len(word)] == word {
		s.Pos += len(word)
		return true
	}
	for i := 0; i < len(rest); i++ {
		if rest[i] != word[i] {
			return s.Fail(Syntax, s.Pos, "a word")
		}
	}
	return s.Fail(Truncated, len(s.Src), "the word "+word)
}
