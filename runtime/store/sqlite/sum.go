package sqlite

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// sum is a checksum over the fields of a row: SQLite has none of its own, and gives damaged data as if it were sound. Each
// field counts with its length, and the row with its place.
type sum struct {
	table *crc32.Table
	crc   uint32
}

func newSum(place ...int64) *sum {
	s := &sum{table: crc32.MakeTable(crc32.Castagnoli)}
	s.ints(place...)
	return s
}

func (s *sum) ints(list ...int64) {
	var b [8]byte
	for _, n := range list {
		binary.LittleEndian.PutUint64(b[:], uint64(n))
		s.crc = crc32.Update(s.crc, s.table, b[:])
	}
}

func (s *sum) text(list ...string) {
	for _, t := range list {
		s.data([]byte(t))
	}
}

func (s *sum) data(b []byte) {
	s.ints(int64(len(b)))
	s.crc = crc32.Update(s.crc, s.table, b)
}

func conversationSum(n, parent int64, c store.Conversation, version int64) int64 {
	s := newSum(n, parent, int64(c.Depth), c.Created.UnixNano(), version)
	s.text(string(c.ID), string(c.Kind), c.Label)
	s.data(c.Composition)
	return int64(s.crc)
}

func entrySum(n int64, e store.Entry) int64 {
	s := newSum(n, e.Seq, e.Time.UnixNano())
	s.text(e.Kind)
	s.data(e.Data)
	return int64(s.crc)
}

func messageSum(n int64, m store.Message) int64 {
	s := newSum(n, m.Seq, m.Activation, number(m.Quiet))
	s.text(m.ID, string(m.From), string(m.Kind), string(m.Lane))
	s.data(m.Data)
	return int64(s.crc)
}

// number is how a truth is stored.
func number(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
