package schema

import (
	"encoding/json"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxExample is how many values an example may hold: a type that needs more, or needs itself, has none.
const maxExample = 32

// Example returns a small value of the type as JSON text: of an object the required properties alone. It is a guess where
// patterns, steps and unique items are concerned, and empty where there is none, so who shows it checks it first.
func (n *Node) Example() string {
	left := maxExample
	b, ok := n.example(nil, &left)
	if !ok {
		return ""
	}
	return string(b)
}

func (n *Node) example(dst []byte, left *int) ([]byte, bool) {
	if *left--; *left < 0 {
		return nil, false
	}
	switch n.Kind {
	case Null:
		return append(dst, "null"...), true
	case Bool:
		return append(dst, "true"...), true
	case Int, Number:
		return append(dst, n.exampleNumber()...), true
	case String:
		return appendString(dst, n.exampleString()), true
	case Array:
		return list(dst, n.Len.Min, left, func(int) *Node { return n.Elem })
	case Tuple:
		return list(dst, len(n.Items), left, func(i int) *Node { return n.Items[i] })
	case Object:
		return n.exampleObject(dst, left)
	case Tagged, Union:
		for _, k := range n.Cases {
			rest := *left
			if b, ok := k.Type.example(dst, &rest); ok {
				*left = rest
				return b, true
			}
		}
		return nil, false
	}
	return append(dst, "{}"...), true
}

func list(dst []byte, count int, left *int, item func(int) *Node) ([]byte, bool) {
	dst = append(dst, '[')
	for i := range count {
		if i > 0 {
			dst = append(dst, ',')
		}
		var ok bool
		if dst, ok = item(i).example(dst, left); !ok {
			return nil, false
		}
	}
	return append(dst, ']'), true
}

func (n *Node) exampleObject(dst []byte, left *int) ([]byte, bool) {
	dst = append(dst, '{')
	first := true
	for i := range n.Fields {
		f := &n.Fields[i]
		if !f.Required || f.Gone {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		var ok bool
		if dst, ok = f.Type.example(append(appendString(dst, f.Name), ':'), left); !ok {
			return nil, false
		}
	}
	return append(dst, '}'), true
}

func (n *Node) exampleNumber() string {
	if len(n.Enum) > 0 {
		return n.Enum[0]
	}
	texts := []string{"1", "0"}
	for _, bound := range []string{n.minText, n.maxText} {
		if d, ok := ParseDecimal(bound); ok {
			texts = append(texts, bound)
			if v, ok := d.floor(); ok {
				for _, near := range []int64{v, v + 1, v - 1} {
					texts = append(texts, strconv.FormatInt(near, 10))
				}
			}
		}
	}
	if n.stepped {
		texts = append(texts, n.source.MultipleOf)
	}
	for _, text := range texts {
		if n.fitsNumber(text) {
			return text
		}
	}
	return "1"
}

func (n *Node) fitsNumber(text string) bool {
	if n.Kind == Int {
		v, f := ParseInt(text)
		return f == OK && n.CheckInt(v) == OK
	}
	_, f := n.CheckNumber(text)
	return f == OK
}

func (n *Node) exampleString() string {
	const word = "text"
	switch {
	case len(n.Enum) > 0:
		return n.Enum[0]
	case n.Format != NoFormat:
		return n.Format.Example()
	case len(n.patterns) > 0:
		re, err := syntax.Parse(n.patterns[0].String(), syntax.Perl)
		if err != nil {
			return word
		}
		var b strings.Builder
		appendMatch(&b, re.Simplify())
		return b.String()
	}
	s := word
	if n.Len.Bounded && n.Len.Max < len(s) {
		s = s[:n.Len.Max]
	}
	if most := 1 << 8; n.Len.Min > len(s) && n.Len.Min <= most {
		s += strings.Repeat("x", n.Len.Min-len(s))
	}
	return s
}

// appendMatch writes something that a pattern matches, word boundaries and the like aside.
func appendMatch(b *strings.Builder, re *syntax.Regexp) {
	const most = 1 << 8
	if b.Len() > most {
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			b.WriteRune(r)
		}
	case syntax.OpCharClass:
		b.WriteRune(visible(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('x')
	case syntax.OpCapture, syntax.OpConcat, syntax.OpPlus:
		for _, sub := range re.Sub {
			appendMatch(b, sub)
		}
	case syntax.OpAlternate:
		appendMatch(b, re.Sub[0])
	}
}

// visible returns a character of a class, given as pairs of bounds: a letter or a digit, if it has one.
func visible(ranges []rune) rune {
	for _, want := range "axA10" {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= want && want <= ranges[i+1] {
				return want
			}
		}
	}
	for i := 0; i+1 < len(ranges); i += 2 {
		if r := max(ranges[i], '!'); r <= ranges[i+1] && r != utf8.RuneError {
			return r
		}
	}
	return 'x'
}

func appendString(dst []byte, s string) []byte {
	quoted, _ := json.Marshal(s) // a string always can be written
	return append(dst, quoted...)
}
