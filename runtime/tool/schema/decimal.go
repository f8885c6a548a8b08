package schema

import (
	"hash/maphash"
	"strconv"
	"strings"
)

// Decimal is a number exactly as its decimal text says it. It refers to that text and allocates nothing. The zero value
// is zero.
type Decimal struct {
	neg  bool
	a, b string // the digits: a then b, without zeros at either end
	exp  int    // the value is 0.ab times ten to this
}

// expLimit is where exponents are cut off: far beyond every float64 and int64, and far from overflow.
const expLimit = 1 << 30

// ParseDecimal reads a number written as JSON writes numbers. It is false for any other text.
func ParseDecimal(text string) (Decimal, bool) {
	var d Decimal
	s := text
	if s != "" && s[0] == '-' {
		d.neg = true
		s = s[1:]
	}
	n := digits(s)
	if n == 0 || n > 1 && s[0] == '0' {
		return Decimal{}, false
	}
	d.a, s = s[:n], s[n:]
	if s != "" && s[0] == '.' {
		n = digits(s[1:])
		if n == 0 {
			return Decimal{}, false
		}
		d.b, s = s[1:1+n], s[1+n:]
	}
	exp := 0
	if s != "" && s[0]|0x20 == 'e' {
		s = s[1:]
		neg := s != "" && s[0] == '-'
		if neg || s != "" && s[0] == '+' {
			s = s[1:]
		}
		n = digits(s)
		if n == 0 {
			return Decimal{}, false
		}
		for i := 0; i < n && exp < expLimit; i++ {
			exp = exp*10 + int(s[i]-'0')
		}
		exp = min(exp, expLimit)
		if neg {
			exp = -exp
		}
		s = s[n:]
	}
	if s != "" {
		return Decimal{}, false
	}
	d.normalize(exp)
	return d, true
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n]-'0' <= 9 {
		n++
	}
	return n
}

func (d *Decimal) normalize(exp int) {
	d.exp = exp + len(d.a)
	if d.a = strings.TrimLeft(d.a, "0"); d.a == "" {
		b := strings.TrimLeft(d.b, "0")
		d.exp = exp - (len(d.b) - len(b))
		d.b = b
	} else {
		d.exp = exp + len(d.a)
	}
	d.b = strings.TrimRight(d.b, "0")
	if d.b == "" {
		d.a = strings.TrimRight(d.a, "0")
	}
	if d.a == "" && d.b == "" {
		*d = Decimal{} // zero has no sign
	}
}

func (d Decimal) len() int { return len(d.a) + len(d.b) }

func (d Decimal) at(i int) byte {
	if i < len(d.a) {
		return d.a[i]
	}
	if i -= len(d.a); i < len(d.b) {
		return d.b[i]
	}
	return '0'
}

// IsZero tells whether d is zero.
func (d Decimal) IsZero() bool { return d.len() == 0 }

// IsInt tells whether d is an integer, however it is written.
func (d Decimal) IsInt() bool { return d.len() <= d.exp || d.IsZero() }

// Int64 returns d as an int64. It is false when d is no integer or does not fit.
func (d Decimal) Int64() (int64, bool) {
	if d.IsZero() {
		return 0, true
	}
	if !d.IsInt() || d.exp > 19 {
		return 0, false
	}
	var u uint64
	for i := range d.exp { // at most 19 digits fit uint64
		u = u*10 + uint64(d.at(i)-'0')
	}
	if d.neg {
		return -int64(u), u <= 1<<63
	}
	return int64(u), u < 1<<63
}

// Cmp compares by value: below zero when d is less than o, zero when they are equal.
func (d Decimal) Cmp(o Decimal) int {
	switch {
	case d.neg != o.neg:
		if d.neg {
			return -1
		}
		return 1
	case d.neg:
		return -d.cmpAbs(o)
	}
	return d.cmpAbs(o)
}

func (d Decimal) cmpAbs(o Decimal) int {
	switch {
	case d.IsZero() && o.IsZero():
		return 0
	case d.IsZero():
		return -1
	case o.IsZero():
		return 1
	case d.exp != o.exp:
		if d.exp < o.exp {
			return -1
		}
		return 1
	}
	for i := range max(d.len(), o.len()) {
		if x, y := d.at(i), o.at(i); x != y {
			if x < y {
				return -1
			}
			return 1
		}
	}
	return 0
}

// step is a number that values are multiples of: unit times ten to exp.
type step struct {
	unit uint64
	exp  int
}

// newStep is false when d is not positive, has more than 18 digits, or an exponent that no float64 has.
func newStep(d Decimal) (step, bool) {
	if d.neg || d.IsZero() || d.len() > 18 || d.exp > 400 || d.exp < -400 {
		return step{}, false
	}
	var m step
	for i := range d.len() {
		m.unit = m.unit*10 + uint64(d.at(i)-'0')
	}
	m.exp = d.exp - d.len()
	return m, true
}

// divides tells whether d is a multiple of the step. D's magnitude must be within float64's.
func (m step) divides(d Decimal) bool {
	if d.IsZero() {
		return true
	}
	shift := d.exp - d.len() - m.exp
	if shift < 0 {
		return false // d's digits would have to end in a zero, and they never do
	}
	var r uint64
	for i := range d.len() {
		r = (r*10 + uint64(d.at(i)-'0')) % m.unit // below 10^19: the unit has at most 18 digits
	}
	for ; shift > 0 && r != 0; shift-- {
		r = r * 10 % m.unit
	}
	return r == 0
}

// floor returns the greatest integer that is not above d, and false when that does not fit int64.
func (d Decimal) floor() (int64, bool) {
	if d.IsInt() {
		return d.Int64()
	}
	if d.exp <= 0 {
		if d.neg {
			return -1, true
		}
		return 0, true
	}
	whole := d
	whole.b = ""
	if d.exp <= len(d.a) {
		whole.a = d.a[:d.exp]
	} else {
		whole.b = d.b[:d.exp-len(d.a)]
	}
	n, ok := whole.Int64()
	if d.neg {
		n--
	}
	return n, ok
}

// Hash digests the value: equal numbers have equal digests, however they are written.
func (d Decimal) Hash(seed maphash.Seed) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	if d.neg {
		h.WriteByte('-')
	}
	h.WriteString(strconv.Itoa(d.exp))
	h.WriteByte('e')
	for i := range d.len() {
		h.WriteByte(d.at(i))
	}
	return h.Sum64()
}
