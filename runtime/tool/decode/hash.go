package decode

import (
	"encoding/binary"
	"hash/maphash"

	"github.com/toolgen-dev/toolgen/runtime/tool/jsonscan"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// hashSet is a set of 64-bit digests. Their seed is random, so no input can make two of them meet.
type hashSet struct {
	table []uint64 // zero is free
	n     int
}

// set returns an empty set.
func (d *Decoder) set() *hashSet {
	last := len(d.sets) - 1
	if last < 0 {
		return &hashSet{table: make([]uint64, 32)}
	}
	s := d.sets[last]
	d.sets = d.sets[:last]
	if s.n = 0; len(s.table) > 256 {
		s.table = make([]uint64, 32)
	}
	clear(s.table)
	return s
}

// add is false when h is there already.
func (s *hashSet) add(h uint64) bool {
	if !s.insert(h) {
		return false
	}
	if s.n++; s.n*8 > len(s.table)*7 {
		old := s.table
		s.table = make([]uint64, 2*len(old))
		for _, h := range old {
			if h != 0 {
				s.insert(h)
			}
		}
	}
	return true
}

func (s *hashSet) insert(h uint64) bool {
	h = max(h, 1)
	mask := uint64(len(s.table) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		switch s.table[i] {
		case 0:
			s.table[i] = h
			return true
		case h:
			return false
		}
	}
}

// hash digests the value that starts at offset at and was read without an error. Equal values have equal digests:
// numbers by value, strings however they are escaped, objects in any order.
func (d *Decoder) hash(at int) uint64 {
	s := jsonscan.Scanner{Src: d.scan.Src, Pos: at}
	h := hasher{seed: d.scan.Seed()}
	return h.value(&s)
}

type hasher struct{ seed maphash.Seed }

func (h hasher) value(s *jsonscan.Scanner) uint64 {
	switch s.Space() {
	case '"':
		return h.pair('"', h.text(s))
	case '{':
		var sum uint64 // the order of members does not count
		s.Pos++
		for first := true; ; first = false {
			if more, _ := s.Comma('}', first); !more {
				return h.pair('{', sum)
			}
			s.Space()
			name := h.text(s)
			s.Colon()
			sum += h.pair(name, h.value(s))
		}
	case '[':
		list := uint64('[')
		s.Pos++
		for first := true; ; first = false {
			if more, _ := s.Comma(']', first); !more {
				return h.pair('[', list)
			}
			list = h.pair(list, h.value(s))
		}
	case 't':
		s.Word("true")
		return h.pair('w', 1)
	case 'f':
		s.Word("false")
		return h.pair('w', 2)
	case 'n':
		s.Word("null")
		return h.pair('w', 3)
	}
	text, _, _, _ := s.Number()
	n, _ := schema.ParseDecimal(text)
	return h.pair('n', n.Hash(h.seed))
}

func (h hasher) text(s *jsonscan.Scanner) uint64 {
	raw, escaped, _ := s.Literal()
	if !escaped {
		return maphash.String(h.seed, raw)
	}
	var buf [128]byte
	return maphash.Bytes(h.seed, jsonscan.AppendUnquoted(buf[:0], raw))
}

func (h hasher) pair(a, b uint64) uint64 {
	var buf [16]byte
	binary.LittleEndian.PutUint64(buf[:], a)
	binary.LittleEndian.PutUint64(buf[8:], b)
	return maphash.Bytes(h.seed, buf[:])
}
