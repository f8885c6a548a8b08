package schema

import (
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Format is a format that is checked.
type Format uint8

// The formats, by their names in JSON Schema. Every other name is an annotation.
const (
	NoFormat  Format = iota
	DateTime         // date-time: RFC 3339, with an offset; leap seconds are refused, since time.Time has none
	Date             // date: RFC 3339's full-date
	TimeOfDay        // time: RFC 3339's full-time
	Duration         // duration: ISO 8601, by RFC 3339's appendix A
	Email            // email: a local part and a domain, without spaces or comments
	UUID             // uuid
	IPv4             // ipv4
	IPv6             // ipv6, without a zone
	URI              // uri: absolute
)

func formatOf(name string) Format {
	for f := DateTime; f <= URI; f++ {
		if f.String() == name {
			return f
		}
	}
	return NoFormat
}

// String returns the format's name in JSON Schema.
func (f Format) String() string {
	switch f {
	case DateTime:
		return "date-time"
	case Date:
		return "date"
	case TimeOfDay:
		return "time"
	case Duration:
		return "duration"
	case Email:
		return "email"
	case UUID:
		return "uuid"
	case IPv4:
		return "ipv4"
	case IPv6:
		return "ipv6"
	case URI:
		return "uri"
	}
	return ""
}

// Example returns a string of the format.
func (f Format) Example() string {
	switch f {
	case DateTime:
		return "2026-01-31T09:30:00Z"
	case Date:
		return "2026-01-31"
	case TimeOfDay:
		return "09:30:00Z"
	case Duration:
		return "PT1H30M"
	case Email:
		return "name@example.com"
	case UUID:
		return "123e4567-e89b-12d3-a456-426614174000"
	case IPv4:
		return "192.0.2.1"
	case IPv6:
		return "2001:db8::1"
	case URI:
		return "https://example.com/page"
	}
	return ""
}

// Match tells whether s is of the format.
func (f Format) Match(s string) bool {
	switch f {
	case DateTime:
		_, ok := ParseDateTime(s)
		return ok
	case Date:
		_, _, _, ok := parseDate(s)
		return ok && len(s) == 10
	case TimeOfDay:
		_, _, ok := parseTime(s)
		return ok
	case Duration:
		return isDuration(s)
	case Email:
		return isEmail(s)
	case UUID:
		return isUUID(s)
	case IPv4:
		a, err := netip.ParseAddr(s)
		return err == nil && a.Is4()
	case IPv6:
		a, err := netip.ParseAddr(s)
		return err == nil && a.Is6() && a.Zone() == ""
	case URI:
		return isURI(s)
	}
	return true
}

// ParseDateTime reads an RFC 3339 date and time with an offset. The location is UTC or a fixed offset, never the
// machine's own. It is false for anything else, leap seconds included.
func ParseDateTime(s string) (time.Time, bool) {
	y, m, d, ok := parseDate(s)
	if !ok || len(s) < 11 || s[10]|0x20 != 't' {
		return time.Time{}, false
	}
	since, offset, ok := parseTime(s[11:])
	if !ok {
		return time.Time{}, false
	}
	loc := time.UTC
	if offset != 0 {
		loc = time.FixedZone("", offset)
	}
	h, since := since/time.Hour, since%time.Hour
	min, since := since/time.Minute, since%time.Minute
	return time.Date(y, time.Month(m), d, int(h), int(min), int(since/time.Second), int(since%time.Second), loc), true
}

// parseDate reads the date that s starts with.
func parseDate(s string) (year, month, day int, ok bool) {
	if len(s) < 10 || s[4] != '-' || s[7] != '-' {
		return 0, 0, 0, false
	}
	year, a := number(s[:4], 9999)
	month, b := number(s[5:7], 12)
	day, c := number(s[8:10], 31)
	if !a || !b || !c || month == 0 || day == 0 {
		return 0, 0, 0, false
	}
	return year, month, day, day <= time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// parseTime reads the whole of s: a time since midnight, and an offset in seconds.
func parseTime(s string) (since time.Duration, offset int, ok bool) {
	if len(s) < 9 || s[2] != ':' || s[5] != ':' {
		return 0, 0, false
	}
	h, a := number(s[:2], 23)
	m, b := number(s[3:5], 59)
	sec, c := number(s[6:8], 59)
	if !a || !b || !c {
		return 0, 0, false
	}
	since = time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(sec)*time.Second
	s = s[8:]
	if s[0] == '.' {
		n := digits(s[1:])
		if n == 0 {
			return 0, 0, false
		}
		unit := time.Second
		for _, c := range []byte(s[1 : 1+min(n, 9)]) { // what is finer than a nanosecond is dropped
			unit /= 10
			since += time.Duration(c-'0') * unit
		}
		s = s[1+n:]
	}
	if s == "Z" || s == "z" {
		return since, 0, true
	}
	if len(s) != 6 || s[0] != '+' && s[0] != '-' || s[3] != ':' {
		return 0, 0, false
	}
	h, a = number(s[1:3], 23)
	m, b = number(s[4:6], 59)
	offset = (h*60 + m) * 60
	if s[0] == '-' {
		offset = -offset
	}
	return since, offset, a && b
}

// number reads a text of digits alone.
func number(s string, most int) (int, bool) {
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, n <= most
}

func isDuration(s string) bool {
	date, ok := strings.CutPrefix(s, "P")
	if !ok {
		return false
	}
	if n := digits(date); n > 0 && date[n:] == "W" {
		return true
	}
	date, clock, timed := strings.Cut(date, "T")
	if timed && clock == "" || !timed && date == "" {
		return false
	}
	return units(date, "YMD") && units(clock, "HMS")
}

// units tells whether s is numbers with units, in their order and without a gap between them.
func units(s, order string) bool {
	last := -1
	for s != "" {
		n := digits(s)
		if n == 0 || n == len(s) {
			return false
		}
		at := strings.IndexByte(order, s[n])
		if at < 0 || last >= 0 && at != last+1 {
			return false
		}
		last, s = at, s[n+1:]
	}
	return true
}

func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > 64 || len(s) > 254 || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7F }) {
		return false
	}
	local, domain := s[:at], s[at+1:]
	if local[0] != '"' {
		if strings.ContainsAny(local, `"(),:;<>@[\]`) || local[0] == '.' || local[at-1] == '.' || strings.Contains(local, "..") {
			return false
		}
	} else if at < 2 || local[at-1] != '"' {
		return false
	}
	if ip, ok := strings.CutPrefix(domain, "["); ok {
		ip, ok = strings.CutSuffix(ip, "]")
		if six, is6 := strings.CutPrefix(ip, "IPv6:"); is6 {
			return ok && IPv6.Match(six)
		}
		return ok && IPv4.Match(ip)
	}
	return isHost(domain)
}

func isHost(s string) bool {
	if len(s) == 0 || len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			if c := label[i]; c < 0x80 && c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
				return false
			}
		}
	}
	return true
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return false
			}
		} else if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	return true
}

func isURI(s string) bool {
	if strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7F || strings.ContainsRune("<>\"{}|\\^`", r)
	}) {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && u.IsAbs()
}
