package jsonscan

import (
	"hash/maphash"
	"strings"
	"unicode/utf8"
)

// KeySet is the set of names that one object has shown. The zero value is empty. It holds offsets into the text of its
// scanner, not strings: a few are compared one by one, many are kept in a hash table of four bytes a slot, so that an
// object of many names costs less memory than its text times eight, and time in proportion to it.
type KeySet struct {
	few     [8]span
	n       int
	escaped bool     // some name holds escapes
	table   []uint32 // offsets, plus one; zero is free
}

type span struct{ off, size uint32 }

// Reset empties the set. A large table is let go.
func (k *KeySet) Reset() {
	k.n, k.escaped = 0, false
	if len(k.table) > 256 {
		k.table = nil
	}
	clear(k.table)
}

// Add adds the name with the given raw text, whose first byte after the quote is at off. It is false when the set holds
// that name already, however it is escaped.
func (k *KeySet) Add(s *Scanner, off int, raw string, escaped bool) bool {
	k.escaped = k.escaped || escaped
	if k.n < len(k.few) {
		for _, f := range k.few[:k.n] {
			if k.same(s.Src[f.off:f.off+f.size], raw) {
				return false
			}
		}
		k.few[k.n] = span{uint32(off), uint32(len(raw))}
		k.n++
		return true
	}
	if k.n == len(k.few) {
		if k.table == nil {
			k.table = make([]uint32, 32)
		}
		for _, f := range k.few {
			k.insert(s, int(f.off), s.Src[f.off:f.off+f.size])
		}
	}
	if !k.insert(s, off, raw) {
		if k.n == len(k.few) {
			clear(k.table) // the next Add starts the table again
		}
		return false
	}
	k.n++
	if k.n*4 > len(k.table)*3 {
		old := k.table
		k.table = make([]uint32, 2*len(old))
		for _, o := range old {
			if o != 0 {
				k.insert(s, int(o-1), RawAt(s.Src, int(o-1)))
			}
		}
	}
	return true
}

func (k *KeySet) insert(s *Scanner, off int, raw string) bool {
	mask := uint64(len(k.table) - 1)
	for i := k.hash(s, raw) & mask; ; i = (i + 1) & mask {
		o := k.table[i]
		if o == 0 {
			k.table[i] = uint32(off) + 1
			return true
		}
		rest := s.Src[o-1:]
		if !k.escaped {
			if len(rest) > len(raw) && rest[len(raw)] == '"' && rest[:len(raw)] == raw {
				return false
			}
		} else if k.same(RawAt(s.Src, int(o-1)), raw) {
			return false
		}
	}
}

func (k *KeySet) same(a, b string) bool {
	if a == b {
		return true
	}
	return k.escaped && sameUnescaped(a, b)
}

func (k *KeySet) hash(s *Scanner, raw string) uint64 {
	if k.escaped {
		var buf [128]byte
		return maphash.Bytes(s.Seed(), AppendUnquoted(buf[:0], raw))
	}
	return maphash.String(s.Seed(), raw)
}

func sameUnescaped(a, b string) bool {
	for a != "" && b != "" {
		ra, na := firstRune(a)
		rb, nb := firstRune(b)
		if ra != rb {
			return false
		}
		a, b = a[na:], b[nb:]
	}
	return a == b
}

// SameName reports whether two strings of a text are equal, however they are escaped; a and b are the offsets of their
// first bytes after the quote. Both must be strings that Literal has read. It reads as far as they are equal, and no
// further.
func SameName(src string, a, b int) bool {
	for src[a] != '"' && src[b] != '"' {
		ra, na := firstRune(src[a:])
		rb, nb := firstRune(src[b:])
		if ra != rb {
			return false
		}
		a, b = a+na, b+nb
	}
	return src[a] == src[b]
}

// RawAt returns the raw text of the string whose first byte after the quote is at off. The string must be one that
// Literal has read.
func RawAt(src string, off int) string {
	for i := off; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return src[off:i]
		}
	}
	return src[off:]
}

// Unquote returns the string that a raw text from [Scanner.Literal] stands for. It allocates that string and nothing else.
func Unquote(raw string) string {
	var buf [128]byte
	if len(raw) <= len(buf) {
		return string(AppendUnquoted(buf[:0], raw))
	}
	var b strings.Builder
	b.Grow(unquotedLen(raw))
	for raw != "" {
		i := strings.IndexByte(raw, '\\')
		if i < 0 {
			i = len(raw)
		}
		b.WriteString(raw[:i])
		if raw = raw[i:]; raw != "" {
			r, n := firstRune(raw)
			b.WriteRune(r)
			raw = raw[min(n, len(raw)):]
		}
	}
	return b.String()
}

// unquotedLen is the length of what Unquote returns.
func unquotedLen(raw string) int {
	size := 0
	for raw != "" {
		i := strings.IndexByte(raw, '\\')
		if i < 0 {
			return size + len(raw)
		}
		r, n := firstRune(raw[i:])
		size += i + max(utf8.RuneLen(r), 1)
		raw = raw[i+min(n, len(raw)-i):]
	}
	return size
}

// Escape returns the escape of a control character in JSON text.
func Escape(c byte) string {
	switch c {
	case '\b':
		return `\b`
	case '\t':
		return `\t`
	case '\n':
		return `\n`
	case '\f':
		return `\f`
	case '\r':
		return `\r`
	}
	const all = `\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\u0008\u0009\u000a\u000b\u000c\u000d\u000e\u000f` +
		`\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f`
	return all[6*int(c):][:6]
}

// AppendUnquoted appends to dst the string that a raw text from [Scanner.Literal] stands for. Raw may be the start of
// such a text; then its last character may come out wrong.
func AppendUnquoted(dst []byte, raw string) []byte {
	for raw != "" {
		i := 0
		for i < len(raw) && raw[i] != '\\' {
			i++
		}
		dst = append(dst, raw[:i]...)
		if raw = raw[i:]; raw != "" {
			r, n := firstRune(raw)
			dst = utf8.AppendRune(dst, r)
			raw = raw[min(n, len(raw)):]
		}
	}
	return dst
}

// firstRune returns the first character of a raw text, and the size of its spelling. Raw is not empty.
func firstRune(raw string) (rune, int) {
	if raw[0] != '\\' || len(raw) < 2 {
		return utf8.DecodeRuneInString(raw)
	}
	switch c := raw[1]; c {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		hi := unhex(raw[2:])
		if hi < 0xD800 || hi > 0xDFFF || len(raw) < 12 {
			return hi, 6
		}
		return (hi-0xD800)<<10 + (unhex(raw[8:]) - 0xDC00) + 0x10000, 12
	default:
		return rune(c), 2
	}
}

func unhex(s string) rune {
	var r rune
	for i := 0; i < 4 && i < len(s); i++ {
		r = r<<4 | hexDigit(s[i])
	}
	return r
}
