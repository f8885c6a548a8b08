package contracts

import (
	"regexp"
	"strings"
)

// foreign says why a pattern is not read alike by ECMA 262, which JSON Schema asks for, and by RE2, which the tables run;
// it is empty where it is. The dot and \s differ on a few rare characters only, and are let through: docs/divergence.md
// says which.
func foreign(pattern string) string {
	if _, err := regexp.Compile(pattern); err != nil {
		return "RE2 does not read the pattern: " + strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	}
	class := false
	for i := 0; i < len(pattern); i++ {
		rest := pattern[i:]
		switch c := pattern[i]; {
		case c == '\\':
			if !sharedEscape(rest) {
				return "RE2 reads " + rest[:2] + " otherwise than ECMA 262 does"
			}
			i++
		case class && strings.HasPrefix(rest, "[:"):
			return "ECMA 262 has no [:class:]"
		case class:
			class = c != ']'
		case strings.HasPrefix(rest, "[]"), strings.HasPrefix(rest, "[^]"):
			return "RE2 reads a ] at the start of a class as a character, and ECMA 262 as its end"
		case c == '[':
			class = true
		case strings.HasPrefix(rest, "(?") && !strings.HasPrefix(rest, "(?:") && !strings.HasPrefix(rest, "(?<"):
			return "ECMA 262 has no flags inside of a pattern, nor (?P<name>"
		}
	}
	return ""
}

// sharedEscape tells whether the escape that a text starts with means the same to both.
func sharedEscape(s string) bool {
	if len(s) < 2 {
		return false
	}
	switch c := s[1]; {
	case strings.IndexByte("dDwWsSbBtnrfv", c) >= 0:
		return true
	case c == 'x':
		return len(s) > 2 && s[2] != '{'
	default: // punctuation stands for itself; RE2 has refused other letters and digits, or has its own meaning for them
		return c < 0x80 && !(c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z')
	}
}
