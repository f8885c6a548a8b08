package roundtrip

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// node is a JSON value that keeps the order of its keys and the text of its scalars.
type node struct {
	open byte // '{', '[' or 0
	text string
	keys []string // JSON text
	kids []*node
}

// parse reads one JSON value; it is nil for a text that is none.
func parse(text string) *node {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	n, err := value(d)
	if err != nil || d.More() {
		return nil
	}
	return n
}

func value(d *json.Decoder) (*node, error) {
	tok, err := d.Token()
	if err != nil {
		return nil, err
	}
	open, ok := tok.(json.Delim)
	if !ok {
		return &node{text: encode(tok)}, nil
	}
	n := &node{open: byte(open)}
	for d.More() {
		if n.open == '{' {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			n.keys = append(n.keys, encode(key))
		}
		kid, err := value(d)
		if err != nil {
			return nil, err
		}
		n.kids = append(n.kids, kid)
	}
	_, err = d.Token()
	return n, err
}

// encode is a value as JSON, with characters as they are.
func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (n *node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *node) write(b *strings.Builder) {
	if n.open == 0 {
		b.WriteString(n.text)
		return
	}
	b.WriteByte(n.open)
	for i, k := range n.kids {
		if i > 0 {
			b.WriteByte(',')
		}
		if n.open == '{' {
			b.WriteString(n.keys[i] + ":")
		}
		k.write(b)
	}
	b.WriteByte(n.open + 2) // the closing bracket
}

// all lists a node and everything below it.
func (n *node) all(out []*node) []*node {
	out = append(out, n)
	for _, k := range n.kids {
		out = k.all(out)
	}
	return out
}

// at follows a JSON Pointer; it is nil where that leads nowhere.
func (n *node) at(pointer string) *node {
	for _, step := range strings.Split(pointer, "/")[1:] {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		var next *node
		for i, k := range n.kids {
			if n.open == '[' && strconv.Itoa(i) == step || n.open == '{' && n.keys[i] == encode(step) {
				next = k
			}
		}
		if next == nil {
			return nil
		}
		n = next
	}
	return n
}

// number is the exact value of a number, or nil for anything else.
func (n *node) number() *big.Rat {
	if n == nil || n.open != 0 || n.text == "" || n.text[0] != '-' && (n.text[0] < '0' || n.text[0] > '9') {
		return nil
	}
	r, ok := new(big.Rat).SetString(n.text)
	if !ok {
		return nil
	}
	return r
}

// differ says where two values are not the same: keys in any order, numbers as the 64-bit floats that they are in Go
// unless both are integers, times by the instant and offset that they name. It is empty where they are.
func differ(place string, got, want *node) string {
	no := fmt.Sprintf("%s: got %s, want %s", place, got, want)
	switch {
	case got.open != want.open || len(got.kids) != len(want.kids):
		return no
	case got.open == '{':
		for i, k := range want.keys {
			found := false
			for j, l := range got.keys {
				if k == l {
					found = true
					if d := differ(place+"/"+k, got.kids[j], want.kids[i]); d != "" {
						return d
					}
				}
			}
			if !found {
				return no
			}
		}
	case got.open == '[':
		for i := range want.kids {
			if d := differ(place+"/"+strconv.Itoa(i), got.kids[i], want.kids[i]); d != "" {
				return d
			}
		}
	case got.text != want.text && !sameNumber(got, want) && !sameTime(got.text, want.text):
		return no
	}
	return ""
}

func sameNumber(a, b *node) bool {
	x, y := a.number(), b.number()
	if x == nil || y == nil {
		return false
	}
	if x.IsInt() && y.IsInt() && x.Num().IsInt64() && y.Num().IsInt64() && !strings.ContainsAny(a.text+b.text, ".eE") {
		return x.Cmp(y) == 0
	}
	f, _ := x.Float64()
	g, _ := y.Float64()
	return f == g
}

func sameTime(a, b string) bool {
	x, errX := time.Parse(`"`+time.RFC3339Nano+`"`, a)
	y, errY := time.Parse(`"`+time.RFC3339Nano+`"`, strings.ToUpper(b))
	_, offsetX := x.Zone()
	_, offsetY := y.Zone()
	return errX == nil && errY == nil && x.Equal(y) && offsetX == offsetY
}
