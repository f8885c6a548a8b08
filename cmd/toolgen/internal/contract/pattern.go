package contract

import (
	"fmt"
	"regexp"
	"strings"
)

// patternFault is why a pattern cannot be used, and what to write instead.
type patternFault struct {
	why string
	fix string
}

// checkPattern returns why a pattern does not mean the same to Go's regexp, which CUE and the generated code use, and to
// an engine by ECMA-262 in Unicode mode, which reads the JSON Schema; nil where it does. Not refused are \s and the dot:
// they differ on rare characters only, such as the no-break space and the line separator, and few patterns go without.
func checkPattern(pattern string) *patternFault {
	if _, err := regexp.Compile(pattern); err != nil {
		return &patternFault{"Go's regexp cannot read it: " + strings.TrimPrefix(err.Error(), "error parsing regexp: "),
			"use the RE2 syntax, without lookaround and back-references"}
	}
	s := &patternScan{src: pattern}
	for s.i < len(s.src) && s.fault == nil {
		s.step()
	}
	return s.fault
}

// patternScan walks over a pattern that compiles.
type patternScan struct {
	src       string
	i         int
	assertion bool // whether the last item is one that cannot be repeated
	fault     *patternFault
}

func (s *patternScan) refuse(what, why, fix string) {
	if s.fault == nil {
		s.fault = &patternFault{fmt.Sprintf("%s is %s", what, why), fix}
	}
}

func (s *patternScan) step() {
	rest := s.src[s.i:]
	assertion := false
	switch c := rest[0]; c {
	case '\\':
		assertion = len(rest) > 1 && (rest[1] == 'b' || rest[1] == 'B')
		s.escape(false)
	case '[':
		s.class()
	case '(':
		s.group(rest)
	case '^', '$':
		assertion = true
		s.i++
	case '*', '+', '?', '{':
		n := 1
		if c == '{' {
			n = repeat(rest)
		}
		switch {
		case n == 0:
			s.refuse("a { that repeats nothing", "an error to an ECMA engine", `escape it: \{`)
			n = 1
		case s.assertion:
			s.refuse("a repeated ^, $, \\b or \\B", "an error to an ECMA engine", "drop the repetition")
		}
		s.i += n
	case '}', ']':
		s.refuse("a bare "+string(c), "an error to an ECMA engine", `escape it: \`+string(c))
		s.i++
	default:
		s.i++
	}
	s.assertion = assertion
}

// repeat is the length of {n}, {n,} or {n,m}, or 0 where a brace is literal.
func repeat(s string) int {
	end := strings.IndexByte(s, '}')
	if end < 0 {
		return 0
	}
	low, high, _ := strings.Cut(s[1:end], ",")
	if low == "" || strings.Trim(low+high, "0123456789") != "" {
		return 0
	}
	return end + 1
}

func (s *patternScan) group(rest string) {
	switch {
	case strings.HasPrefix(rest, "(?P<"):
		s.refuse("(?P<name>", "RE2 syntax that an ECMA engine lacks", "write (?:...), or (?<name>...)")
	case strings.HasPrefix(rest, "(?:"):
		s.i += len("(?:")
		return
	case strings.HasPrefix(rest, "(?<"):
		if c := rest[len("(?<")]; c >= '0' && c <= '9' {
			s.refuse("a group name that begins with a digit", "an error to an ECMA engine", "rename the group, or write (?:...)")
		}
		s.i += strings.IndexByte(rest, '>') + 1
		return
	case strings.HasPrefix(rest, "(?"):
		flags, _, _ := strings.Cut(rest, ")")
		flags, _, _ = strings.Cut(flags, ":")
		fix := "write out what the flag does"
		if strings.Contains(flags, "i") {
			fix = "name both cases, such as [Aa]"
		}
		s.refuse("the flag group "+flags+")", "RE2 syntax that an ECMA engine lacks", fix)
	}
	s.i++
}

// escape reads one escape. Inside a class, - may be escaped.
func (s *patternScan) escape(inClass bool) {
	rest := s.src[s.i:]
	if len(rest) < 2 {
		s.i = len(s.src)
		return
	}
	seq := rest[:2]
	s.i += 2
	switch c := rest[1]; {
	case strings.IndexByte("dDwWsStnrfv", c) >= 0, !inClass && (c == 'b' || c == 'B'):
	case strings.IndexByte(`^$\.*+?()[]{}|/`, c) >= 0, inClass && c == '-':
	case c == 'x' && len(rest) > 2 && rest[2] != '{':
		s.i += 2
	case c == 'x':
		s.refuse(`\x{...}`, "RE2 syntax that an ECMA engine lacks", "write the character itself")
	case c == 'A':
		s.refuse(seq, "RE2 syntax that an ECMA engine lacks", "write ^")
	case c == 'z':
		s.refuse(seq, "RE2 syntax that an ECMA engine lacks", "write $")
	case c == 'p', c == 'P':
		s.refuse(seq, "read otherwise or not at all by an ECMA engine that is not in Unicode mode", "list the ranges, such as [A-Za-z]")
	case c == 'Q':
		s.refuse(`\Q...\E`, "RE2 syntax that an ECMA engine lacks", `escape each character with \`)
	case c == 'a':
		s.refuse(seq, "RE2 syntax that an ECMA engine lacks", `write \x07`)
	case c >= '0' && c <= '9':
		s.refuse(seq, "an octal number to RE2 and a back-reference to an ECMA engine", `write \x and two hexadecimal digits`)
	default:
		s.refuse(seq, "a needless escape, and an error to an ECMA engine", "write "+rest[1:2]+" without the backslash")
	}
}

// class reads a bracketed class.
func (s *patternScan) class() {
	s.i++
	if strings.HasPrefix(s.src[s.i:], "^") {
		s.i++
	}
	if strings.HasPrefix(s.src[s.i:], "]") {
		s.refuse("a ] at the start of a class", "literal to RE2 and the end of the class to an ECMA engine", `escape it: \]`)
	}
	afterSet := false // whether the last item is a set such as \d, which begins no range
	for s.i < len(s.src) && s.src[s.i] != ']' && s.fault == nil {
		rest := s.src[s.i:]
		switch {
		case strings.HasPrefix(rest, "[:") && strings.Contains(rest, ":]"):
			s.refuse(rest[:strings.Index(rest, ":]")+len(":]")], "RE2 syntax that an ECMA engine lacks", "list the ranges, such as [A-Za-z]")
		case rest[0] == '\\':
			afterSet = len(rest) > 1 && strings.IndexByte("dDwWsS", rest[1]) >= 0
			s.escape(true)
			continue
		case rest[0] == '-' && afterSet && !strings.HasPrefix(rest, "-]"):
			s.refuse("a - between a set and a character", "an error to an ECMA engine", `escape it: \-`)
		}
		afterSet = false
		s.i++
	}
	s.i++
}
