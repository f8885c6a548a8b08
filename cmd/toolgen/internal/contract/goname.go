package contract

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file is the one place that makes Go names out of wire names. Both the checks of [Validate] and the renderer of Go
// use it, so that a collision is found before anything is rendered. A name depends on nothing but its wire name (and on
// the name of the type that it belongs to), so it stays as it is when something else is added or removed.

// RestField is the field of a generated struct that keeps the undeclared properties of an open object.
const RestField = "Rest"

// GoName makes an exported Go identifier of a wire name: camel case with Go's initialisms (agent_id is AgentID,
// page[size] is PageSize). Signs at either end are spelled (+1 is Plus1, c++ is CPlusPlus), as are names of nothing but
// symbols (<= is LessEqual); the empty name is Empty. A name that would begin with a digit gets an N in front, one that
// begins with a letter without case an X, because Go exports only upper-case names.
func GoName(wire string) string {
	s := goSuffix(wire)
	switch r, _ := utf8.DecodeRuneInString(s); {
	case unicode.IsUpper(r):
		return s
	case unicode.IsDigit(r):
		return "N" + s
	}
	return "X" + s
}

// ArgsType names the struct of a tool's arguments.
func ArgsType(tool string) string { return GoName(tool) + "Args" }

// OptionsType names the struct of a tool's options.
func OptionsType(tool string) string { return GoName(tool) + "Options" }

// OptionsFunc names the function that returns the options of a call.
func OptionsFunc(tool string) string { return OptionsType(tool) + "Of" }

// OptionType names the type of an option that is an enumeration, and the types inside an open option.
func OptionType(tool, option string) string { return FieldType(GoName(tool), option) }

// ParamType names the type of a parameter that needs one of its own: an enumeration, an object, a tuple, a union.
func ParamType(tool, param string) string { return FieldType(GoName(tool), param) }

// ResultInterface names the interface that a tool's results implement.
func ResultInterface(tool string) string { return GoName(tool) + "Result" }

// ResultType names the struct of one result of a tool.
func ResultType(tool, result string) string { return FieldType(GoName(tool), result) }

// MountFunc names the function that mounts a tool.
func MountFunc(tool string) string { return "Mount" + GoName(tool) }

// EnumType names the type of an enum.
func EnumType(enum string) string { return GoName(enum) }

// MappingFunc names the function that maps facts to a word of an enum.
func MappingFunc(enum string) string { return GoName(enum) + "From" }

// ValuesFunc names the function that lists the words of an enum.
func ValuesFunc(enum string) string { return GoName(enum) + "Values" }

// ConstName names the constant of one word of an enumeration type.
func ConstName(typ, word string) string { return join(typ, goSuffix(word)) }

// NoticeType names the struct of a notice.
func NoticeType(notice string) string { return GoName(notice) + "Notice" }

// DefType names the type of a definition.
func DefType(def string) string { return GoName(def) }

// FieldType names the type of a property that needs one of its own. For the fields of arguments, parent is the tool's
// name in Go; see [ParamType].
func FieldType(parent, field string) string { return join(parent, goSuffix(field)) }

// ItemType names the type of the items of a list or of the values of a map.
func ItemType(parent string) string { return parent + "Item" }

// TupleItemType names the type of one item of a tuple, or of the values of one of several patterns of a map; items count
// from 1.
func TupleItemType(tuple string, item int) string { return join(tuple+"Item", strconv.Itoa(item)) }

// CaseType names the struct of one alternative of a tagged union.
func CaseType(union, tag string) string { return join(union, goSuffix(tag)) }

// CaseField names the field that holds alternative i (from 0) of an untagged union: by its definition, else by its kind,
// numbered where an earlier alternative has the same name.
func CaseField(union *Type, i int) string {
	base := caseBase(union.Cases[i].Type)
	n := 1
	for _, c := range union.Cases[:i] {
		if caseBase(c.Type) == base {
			n++
		}
	}
	if n == 1 {
		return base
	}
	return join(base, strconv.Itoa(n))
}

func caseBase(t *Type) string {
	switch {
	case t == nil:
		return GoName(string(KindAny))
	case t.Kind == KindRef:
		return DefType(t.Ref)
	case t.EnumRef != nil:
		return EnumType(t.EnumRef.Name)
	}
	return GoName(string(t.Kind))
}

// join puts a name behind another one; two digits are kept apart.
func join(parent, suffix string) string {
	last, _ := utf8.DecodeLastRuneInString(parent)
	first, _ := utf8.DecodeRuneInString(suffix)
	if unicode.IsDigit(last) && unicode.IsDigit(first) {
		return parent + "_" + suffix
	}
	return parent + suffix
}

// goSuffix is a wire name in camel case, for use behind another name: it may begin with a digit.
func goSuffix(wire string) string {
	if wire == "" {
		return "Empty"
	}
	words := goWords(wire)
	if len(words) == 0 {
		return spell(wire)
	}
	// Capitals mean an abbreviation only where something else is not in capitals.
	shouting := wire == strings.ToUpper(wire)
	out := spell(wire[:len(wire)-len(strings.TrimLeft(wire, "+-!"))])
	for _, w := range words {
		out = join(out, goWord(w, shouting))
	}
	return out + spell(wire[len(strings.TrimRight(wire, "+-#")):])
}

// goWords splits a name at everything that is neither a letter nor a digit, and where camel case begins a new word.
// Combining marks are no part of a Go identifier and separate nothing.
func goWords(wire string) []string {
	var (
		words []string
		word  []rune
	)
	flush := func() {
		if len(word) > 0 {
			words, word = append(words, string(word)), nil
		}
	}
	runes := []rune(wire)
	lower := func(i int) bool { return i < len(runes) && unicode.IsLower(runes[i]) }
	for i, r := range runes {
		switch {
		case unicode.IsMark(r):
			continue
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			continue
		case unicode.IsUpper(r) && len(word) > 0:
			last := word[len(word)-1]
			plural := i+1 < len(runes) && runes[i+1] == 's' && !lower(i+2) // the D of userIDs
			if !unicode.IsUpper(last) || lower(i+1) && !plural {
				flush()
			}
		}
		word = append(word, r)
	}
	flush()
	return words
}

func goWord(w string, shouting bool) string {
	lower := strings.ToLower(w)
	if s := initialism(lower); s != "" {
		return s
	}
	if one, ok := strings.CutSuffix(lower, "s"); ok {
		if s := initialism(one); s != "" {
			return s + "s"
		}
	}
	first, size := utf8.DecodeRuneInString(w)
	rest := w[size:]
	if shouting {
		rest = strings.ToLower(rest)
	}
	return string(unicode.ToUpper(first)) + rest
}

// initialism returns how Go writes a word that is an abbreviation, or nothing for any other word.
func initialism(lower string) string {
	switch lower {
	case "acl", "api", "ascii", "cpu", "css", "csv", "db", "dns", "eof", "gpu", "guid", "html", "http", "https", "id", "ip",
		"json", "jwt", "llm", "mcp", "pdf", "qps", "ram", "rpc", "sha", "sla", "smtp", "sql", "ssh", "ssl", "tcp", "tls", "ttl",
		"udp", "ui", "uid", "uri", "url", "utc", "utf8", "uuid", "vm", "xml", "yaml":
		return strings.ToUpper(lower)
	case "ipv4":
		return "IPv4"
	case "ipv6":
		return "IPv6"
	case "oauth":
		return "OAuth"
	}
	return ""
}

// spell names symbols one by one. What has no name here is named by its code point.
func spell(s string) string {
	var b strings.Builder
	for s != "" {
		name, n := symbol(s)
		b.WriteString(name)
		s = s[n:]
	}
	return b.String()
}

func symbol(s string) (string, int) {
	if len(s) > 1 {
		switch s[:2] {
		case "<=":
			return "LessEqual", 2
		case ">=":
			return "GreaterEqual", 2
		case "!=":
			return "NotEqual", 2
		}
	}
	const (
		ascii = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ \t\n"
		names = "Not Quote Sharp Dollar Percent Ampersand Apostrophe LeftParen RightParen Star Plus Comma Minus Dot Slash Colon " +
			"Semicolon Less Equal Greater Question At LeftBracket Backslash RightBracket Caret Underscore Backquote LeftBrace " +
			"Pipe RightBrace Tilde Space Tab Newline"
	)
	if i := strings.IndexByte(ascii, s[0]); i >= 0 {
		return strings.Fields(names)[i], 1
	}
	r, n := utf8.DecodeRuneInString(s)
	return fmt.Sprintf("U%04X", r), n
}
