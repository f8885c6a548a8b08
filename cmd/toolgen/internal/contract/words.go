package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// decimal reads a JSON number exactly. It reports false for text that is none, and for exponents beyond a million.
func decimal(s string) (*big.Rat, bool) {
	if s == "" || strings.Contains(s, "/") {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// fitsFormat checks a format of JSON Schema; formats that are not known here constrain nothing.
func fitsFormat(s, format string) bool {
	switch format {
	case "date-time":
		return new(time.Time).UnmarshalText([]byte(s)) == nil // strict RFC 3339, unlike time.Parse
	case "date":
		_, err := time.Parse(time.DateOnly, s)
		return err == nil
	case "ipv4":
		a, err := netip.ParseAddr(s)
		return err == nil && a.Is4()
	case "ipv6":
		a, err := netip.ParseAddr(s)
		return err == nil && a.Is6() && a.Zone() == ""
	case "uri":
		u, err := url.Parse(s)
		return err == nil && u.IsAbs()
	case "uuid":
		return isUUID(s)
	}
	return true
}

func isUUID(s string) bool {
	const pattern = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	if len(s) != len(pattern) {
		return false
	}
	for i := range len(s) {
		hex := strings.IndexByte("0123456789abcdefABCDEF", s[i]) >= 0
		if (pattern[i] == '-') != (s[i] == '-') || pattern[i] == 'x' && !hex {
			return false
		}
	}
	return true
}

// identity is equal for JSON values that are equal, whatever their form.
func identity(v any) string {
	switch v := v.(type) {
	case json.Number:
		if n, ok := decimal(v.String()); ok {
			return n.RatString()
		}
		return v.String()
	case string:
		return strconv.Quote(v)
	case []any:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = identity(x)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		var parts []string
		for _, k := range sortedKeys(v) {
			parts = append(parts, strconv.Quote(k)+":"+identity(v[k]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return fmt.Sprint(v)
}

// scalarString is a scalar as [Type.Enum] and [Case.Tag] write it.
func scalarString(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return v.String()
	}
	return ""
}

// showJSON is a short form of a value for messages.
func showJSON(v any) string {
	raw, err := json.Marshal(v)
	if s, ok := v.(string); ok {
		raw, err = marshalString(s)
	}
	if err != nil {
		return "a value that is not JSON"
	}
	return preview(string(raw))
}

// preview cuts what would make a message unreadable.
func preview(s string) string {
	const most = 60
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}

// quoteName shows a name, in quotes where it would not be seen as one.
func quoteName(s string) string {
	if s == "" || strings.ContainsAny(s, " \t\r\n\"',;()") {
		return strconv.Quote(s)
	}
	return s
}

// listSome lists names for a message, the first few where there are many.
func listSome(names []string, most int) string {
	shown := make([]string, 0, min(len(names), most))
	for _, n := range names[:min(len(names), most)] {
		shown = append(shown, quoteName(n))
	}
	s := strings.Join(shown, ", ")
	if more := len(names) - most; more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

func count(n int64, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	if stem, ok := strings.CutSuffix(unit, "y"); ok {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

func pick(cond bool, yes, no string) string {
	if cond {
		return yes
	}
	return no
}

// escapePointer writes a property name as a JSON Pointer does.
func escapePointer(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "~", "~0"), "/", "~1")
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
