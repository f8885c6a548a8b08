package main

import (
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"
)

// What follows is what somebody would write by hand who knows that there are these two tools and no others: one pass, the
// constraints in the code, the first fault ends it. It reads JSON strictly, and refuses unknown and duplicate keys.

type handSix struct {
	query, mode string
	limit       int64
	archived    bool
	tags        []string
	filter      *handFilter
}

type handFilter struct {
	field string
	max   int64
	given bool
}

type handTiny struct{ city, unit string }

func openHand(s shape) (read, error) {
	if s.name == tiny.name {
		return func(args []byte) error {
			v := new(handTiny)
			p := hand{src: string(args)}
			if err := p.whole(func(key string) error { return v.member(&p, key) }); err != nil {
				return err
			}
			if p.seen&3 != 3 {
				return errMissing
			}
			sink = v
			return nil
		}, nil
	}
	return func(args []byte) error {
		v := &handSix{limit: 10}
		p := hand{src: string(args)}
		if err := p.whole(func(key string) error { return v.member(&p, key) }); err != nil {
			return err
		}
		if p.seen&1 == 0 {
			return errMissing
		}
		sink = v
		return nil
	}, nil
}

var (
	errSyntax  = errors.New("not JSON, or another type than is wanted")
	errKey     = errors.New("an unknown key, or one that stands twice")
	errMissing = errors.New("a required property is missing")
	errValue   = errors.New("a value that is not allowed")
)

func (v *handTiny) member(p *hand, key string) (err error) {
	switch key {
	case "city":
		v.city, err = p.filled(1)
	case "unit":
		v.unit, err = p.filled(2)
	default:
		err = errKey
	}
	return err
}

func (v *handSix) member(p *hand, key string) (err error) {
	switch key {
	case "query":
		v.query, err = p.filled(1)
	case "mode":
		if err = p.once(2); err == nil {
			v.mode, err = p.string()
		}
		if err == nil && v.mode != "fast" && v.mode != "thorough" && v.mode != "exact" {
			err = errValue
		}
	case "limit":
		if err = p.once(4); err == nil {
			v.limit, err = p.int(1, 100)
		}
	case "include_archived":
		if err = p.once(8); err == nil {
			v.archived, err = p.bool()
		}
	case "tags":
		if err = p.once(16); err == nil {
			v.tags, err = p.strings()
		}
	case "filter":
		if err = p.once(32); err == nil {
			v.filter = new(handFilter)
			err = v.filter.read(p)
		}
	default:
		err = errKey
	}
	return err
}

func (f *handFilter) read(p *hand) error {
	outer := p.seen
	p.seen = 0
	err := p.object(func(key string) (err error) {
		switch key {
		case "field":
			f.field, err = p.filled(1)
		case "max":
			if err = p.once(2); err == nil {
				f.max, err = p.int(0, 1<<63-1)
				f.given = true
			}
		default:
			err = errKey
		}
		return err
	})
	if err == nil && p.seen&1 == 0 {
		err = errMissing
	}
	p.seen = outer
	return err
}

// hand reads one text.
type hand struct {
	src  string // a copy, of which strings are parts
	i    int
	seen uint8 // the properties of the object at hand
}

func (p *hand) once(bit uint8) error {
	if p.seen&bit != 0 {
		return errKey
	}
	p.seen |= bit
	return nil
}

// filled reads a string of at least one character.
func (p *hand) filled(bit uint8) (string, error) {
	if err := p.once(bit); err != nil {
		return "", err
	}
	s, err := p.string()
	if err == nil && s == "" {
		err = errValue
	}
	return s, err
}

func (p *hand) space() byte {
	for ; p.i < len(p.src); p.i++ {
		if c := p.src[p.i]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
	}
	return 0
}

func (p *hand) take(c byte) bool {
	if p.space() != c || p.i >= len(p.src) {
		return false
	}
	p.i++
	return true
}

func (p *hand) whole(member func(key string) error) error {
	if err := p.object(member); err != nil {
		return err
	}
	if p.space(); p.i < len(p.src) {
		return errSyntax
	}
	return nil
}

func (p *hand) object(member func(key string) error) error {
	if !p.take('{') {
		return errSyntax
	}
	if p.take('}') {
		return nil
	}
	for {
		p.space()
		raw, plain, err := p.literal()
		if err != nil {
			return err
		}
		key := raw
		if !plain {
			if key, err = unquote(raw); err != nil {
				return err
			}
		}
		if !p.take(':') {
			return errSyntax
		}
		if err := member(key); err != nil {
			return err
		}
		if p.take('}') {
			return nil
		}
		if !p.take(',') {
			return errSyntax
		}
	}
}

// literal reads a string as it is written; plain tells that it has no escapes.
func (p *hand) literal() (raw string, plain bool, err error) {
	if p.i >= len(p.src) || p.src[p.i] != '"' {
		return "", false, errSyntax
	}
	p.i++
	start := p.i
	plain, ascii := true, true
	for p.i < len(p.src) {
		switch c := p.src[p.i]; {
		case c == '"':
			raw = p.src[start:p.i]
			p.i++
			if !ascii && !utf8.ValidString(raw) {
				return "", false, errSyntax
			}
			return raw, plain, nil
		case c == '\\':
			plain = false
			p.i += 2
		case c < ' ':
			return "", false, errSyntax
		default:
			ascii = ascii && c < utf8.RuneSelf
			p.i++
		}
	}
	return "", false, errSyntax
}

func (p *hand) string() (string, error) {
	p.space()
	raw, plain, err := p.literal()
	if err != nil || plain {
		return raw, err
	}
	return unquote(raw)
}

// unquote leaves the rare case to encoding/json, which makes a replacement of half a surrogate pair: that is refused.
func unquote(raw string) (string, error) {
	var s string
	if err := json.Unmarshal([]byte(`"`+raw+`"`), &s); err != nil {
		return "", err
	}
	for _, r := range s {
		if r == utf8.RuneError {
			return "", errSyntax
		}
	}
	return s, nil
}

func (p *hand) int(low, high int64) (int64, error) {
	p.space()
	start := p.i
	for p.i < len(p.src) && (p.src[p.i] == '-' || p.src[p.i] >= '0' && p.src[p.i] <= '9') {
		p.i++
	}
	text := p.src[start:p.i]
	if len(text) > 1 && text[0] == '0' {
		return 0, errSyntax
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err == nil && (v < low || v > high) {
		err = errValue
	}
	return v, err
}

func (p *hand) bool() (bool, error) {
	p.space()
	for _, word := range []string{"true", "false"} {
		if len(p.src)-p.i >= len(word) && p.src[p.i:p.i+len(word)] == word {
			p.i += len(word)
			return word == "true", nil
		}
	}
	return false, errSyntax
}

func (p *hand) strings() ([]string, error) {
	if !p.take('[') {
		return nil, errSyntax
	}
	list := make([]string, 0, 4)
	if p.take(']') {
		return list, nil
	}
	for {
		s, err := p.string()
		if err != nil {
			return nil, err
		}
		list = append(list, s)
		if p.take(']') {
			return list, nil
		}
		if !p.take(',') {
			return nil, errSyntax
		}
	}
}
