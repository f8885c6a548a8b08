package contracts

import (
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/tool/jsonscan"
)

// node is a JSON value whose members keep the order of the text.
type node struct {
	kind  byte   // the byte that it starts with; 0 for every number
	text  string // as it was written
	value string // of a string: what it stands for
	names []string
	items []*node // of an object: the values of names
}

// tree reads a text that jsonscan.Check accepts.
func tree(text string) *node {
	s := &jsonscan.Scanner{Src: text, Known: true}
	return readNode(s)
}

func readNode(s *jsonscan.Scanner) *node {
	n := &node{kind: s.Space()}
	start := s.Pos
	switch n.kind {
	case '{', '[':
		s.Pos++
		for first := true; ; first = false {
			if more, _ := s.Comma(n.kind+2, first); !more { // '}' and ']' are two above '{' and '['
				break
			}
			if n.kind == '{' {
				s.Space()
				raw, _, _ := s.Literal()
				s.Colon()
				n.names = append(n.names, jsonscan.Unquote(raw))
			}
			n.items = append(n.items, readNode(s))
		}
	case '"':
		raw, _, _ := s.Literal()
		n.value = jsonscan.Unquote(raw)
	case 't', 'f', 'n':
		s.Skip(0)
	default:
		n.kind = 0
		s.Skip(0)
	}
	n.text = text(s, start)
	return n
}

func text(s *jsonscan.Scanner, start int) string { return s.Src[start:s.Pos] }

// get returns a member of an object, or nil.
func (n *node) get(name string) *node {
	if n.kind == '{' {
		for i, have := range n.names {
			if have == name {
				return n.items[i]
			}
		}
	}
	return nil
}

// at follows a JSON Pointer; it is nil where that leads nowhere.
func (n *node) at(pointer string) *node {
	if pointer == "" {
		return n
	}
	if pointer[0] != '/' {
		return nil
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch {
		case n.kind == '[':
			i := index(token)
			if i < 0 || i >= len(n.items) {
				return nil
			}
			n = n.items[i]
		default:
			if n = n.get(token); n == nil {
				return nil
			}
		}
	}
	return n
}

// index reads an array index of a pointer: digits without a leading zero; -1 for anything else.
func index(token string) int {
	if token == "" || len(token) > 9 || token[0] == '0' && token != "0" {
		return -1
	}
	i := 0
	for _, c := range []byte(token) {
		if c < '0' || c > '9' {
			return -1
		}
		i = i*10 + int(c-'0')
	}
	return i
}

// inside is the pointer to a member.
func inside(pointer, name string) string { return string(jsonscan.AppendToken([]byte(pointer), name)) }
