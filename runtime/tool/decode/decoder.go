package decode

import (
	"strconv"

	"github.com/toolgen-dev/toolgen/runtime/tool/jsonscan"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// Decoder reads one call's arguments, value by value, and checks each by the table. [Decode] makes it; generated code
// drives it, in the order of the text. Each method that reads a value checks it by the type that has its turn: the root
// at first, then what NextField, NextItem and Case make it. A value that does not fit is noted as a problem and skipped,
// and the method returns zero; reading goes on, so that all problems are found, unless the text is not JSON.
//
// Strings share the memory of the arguments, except those of an enumeration, which are the table's.
//
// A Decoder is not safe for concurrent use and must not be kept.
type Decoder struct {
	scan jsonscan.Scanner
	root *schema.Node // the type of the whole text
	cur  *schema.Node
	path []step

	state
	secrets *[]string // where secret values go that are left out of the normalized text; nil: they stay

	ledger  ledger
	repairs []Repair
	origin  *origin // of a text that was repaired

	bits []uint64           // the seen fields of objects with more than 64
	keys []*jsonscan.KeySet // free ones
	sets []*hashSet         // free ones

	returns []place // where to go on after the defaults that are being read

	budget int // how many values may still be tried
	trials *trials
}

// state is what is forgotten at the start of a text: all at once, which is cheaper.
type state struct {
	quiet    int  // above zero: a value is only tried, and problems end the trial
	defaults int  // above zero: the text is a default, which is verified
	base     int  // the length of path where the current text begins
	secret   int  // the length of path at the secret value that is being read; zero: none
	first    int  // the offset of the root value
	lean     bool // see SkipZero
	fits     bool // the whole text does, as far as it is known; see items
	doomed   bool // it does not, which is found out in time
	kept     int  // how many items there was room made for
	halt     bool // nothing more is read: the text is not JSON, or what is tried does not fit

	exhausted bool // the budget is
	formed    form

	endless    bool // while defaults are verified: they need more than limit others
	limit      int  // zero: none
	expansions int  // how many were read
}

// step is one step of the way to a value: a key by the offset of its name, or an index when key is zero.
type step struct{ key, index uint32 }

// place is a place in a text: the document, or a default.
type place struct {
	text      string
	pos, base int
}

// Limits of the trials of unions: how many values may be tried, for each byte of the text and as a constant, and how many
// bytes that are read count as one more.
const (
	trialsPerByte = 32
	trialsFree    = 1 << 16
	trialBytes    = 8
)

func (d *Decoder) reset(text string, root *schema.Node) {
	ok := d.scan.Reset(text)
	if d.root != root { // which is rare: every pointer that is stored costs, while memory is collected
		d.root = root
	}
	d.cur = root
	d.path, d.bits, d.returns = d.path[:0], d.bits[:0], d.returns[:0]
	d.state = state{}
	d.budget = trialsPerByte*len(text) + trialsFree
	if d.trials != nil {
		*d.trials = trials{}
	}
	if !ok {
		d.malformed()
	}
}

// release forgets everything of the call but its report, and lets large memory go.
func (d *Decoder) release() {
	d.scan.Src = ""
	if cap(d.bits)+cap(d.path) > 1024 {
		d.bits, d.path = nil, nil
	}
}

// forget forgets the report.
func (d *Decoder) forget() {
	d.ledger = ledger{spots: d.ledger.spots[:0]} // which hold nothing of the call, and are few
	d.repairs, d.origin = nil, nil
}

// begin stops at once when there is no value at all.
func (d *Decoder) begin() {
	if d.scan.Space(); !d.halt && d.scan.Pos >= len(d.scan.Src) {
		d.scan.Fail(jsonscan.Empty, 0, "")
		d.malformed()
	}
	d.first = d.scan.Pos
}

// finish reads what the caller left, and checks that nothing follows.
func (d *Decoder) finish(root *schema.Node) {
	if d.halt {
		return
	}
	if d.scan.Pos == d.first {
		d.cur = root
		d.Skip()
	}
	if !d.halt && !d.scan.End() {
		d.malformed()
	}
	if d.doomed && !d.failed() {
		d.ledger.room(spot{code: BadTable}, "")
		d.ledger.add(Problem{Code: BadTable, Hint: "two readings of the arguments disagree; nothing in them can help"})
	}
}

// failed tells whether anything is wrong so far.
func (d *Decoder) failed() bool { return d.ledger.count > 0 }

// useless tells whether values of items need not be made, since the arguments will be refused.
func (d *Decoder) useless() bool { return d.ledger.count > 0 || d.doomed }

// maxItems is how many items of lists and maps are made before it is known that the arguments fit.
const maxItems = 128

// items notes that a list or map will have n further items. Items in memory may be many times as large as in the text, so before
// there are many the whole text is read once, to see whether they will be needed: a text that is refused costs no more
// than it may.
func (d *Decoder) items(n int) {
	if d.kept += n; d.kept <= maxItems || d.fits || d.doomed || d.quiet > 0 || d.defaults > 0 {
		return
	}
	var check Decoder
	check.reset(d.scan.Src, d.root)
	check.fits = true
	check.begin()
	check.Skip()
	check.finish(d.root)
	d.fits, d.doomed = !check.failed(), check.failed()
}

// takes decides about a problem that was just met at the end of the first depth steps of the path: it is false when the
// problem need not be worked out, because a trial ends with it, or it is known, or enough are known.
func (d *Decoder) takes(code Code, depth int) bool { return d.takesAt(code, depth, "", 0) }

// takesAt is takes for a problem with a property called name that is not there, or with the key whose name is at off,
// inside of the value that the path leads to.
func (d *Decoder) takesAt(code Code, depth int, name string, off int) bool {
	switch {
	case d.quiet > 0:
		d.halt = true
		return false
	case d.defaults > 0:
		return false
	}
	s := spot{code: code}
	if !d.hides(depth) {
		s.name, s.off = name, off
	}
	if path := d.shown(depth); len(path) > 0 {
		end := len(path) - 1
		s.last = path[end]
		for _, p := range path[:end] {
			// No matter that it can be foreseen: who makes two digests meet hides one of his own faults from himself.
			s.above = (s.above ^ uint64(p.key)<<32 ^ uint64(p.index) + 1) * 0x9E3779B97F4A7C15
			s.above ^= s.above >> 29
		}
	}
	return d.ledger.room(s, d.scan.Src)
}

// hides tells whether what is inside of the value at the end of the first depth steps must not be shown.
func (d *Decoder) hides(depth int) bool { return d.secret > 0 && d.secret <= depth }

// pointer returns the JSON Pointer of the first depth steps of the path. Below a secret value it is the pointer to that.
func (d *Decoder) pointer(depth int) string {
	var buf [64]byte
	return string(d.appendPath(buf[:0], d.shown(depth)))
}

// pointerTo returns the JSON Pointer of a property called name, at the end of the first depth steps of the path.
func (d *Decoder) pointerTo(depth int, name string) string {
	if d.hides(depth) {
		return d.pointer(depth)
	}
	var buf [64]byte
	return string(jsonscan.AppendToken(d.appendPath(buf[:0], d.path[:depth]), name))
}

func (d *Decoder) shown(depth int) []step {
	if d.secret > 0 && d.secret < depth {
		depth = d.secret
	}
	return d.path[:depth]
}

func (d *Decoder) appendPath(dst []byte, path []step) []byte {
	if d.origin != nil {
		return d.origin.appendPath(dst, d.scan.Src, path)
	}
	return appendPath(dst, d.scan.Src, path)
}

// appendPath appends the pointer to a place of the text src.
func appendPath(dst []byte, src string, path []step) []byte {
	for _, s := range path {
		if len(dst) > jsonscan.MaxPointer {
			return append(dst, "/…"...)
		}
		if s.key == 0 {
			dst = appendIndex(dst, s.index)
			continue
		}
		dst = jsonscan.AppendRawToken(dst, jsonscan.RawAt(src, int(s.key)))
	}
	return dst
}

func appendIndex(dst []byte, i uint32) []byte {
	return strconv.AppendUint(append(dst, '/'), uint64(i), 10)
}

// space skips white space and returns the byte that the next value starts with; zero when nothing is to be read.
func (d *Decoder) space() byte {
	if d.halt {
		return 0
	}
	return d.scan.Space()
}

// depth is how many objects and arrays are open in the current text.
func (d *Decoder) depth() int { return len(d.path) - d.base }

// skipRaw skips the next value whatever its type, and notes the duplicate keys inside of it.
func (d *Decoder) skipRaw() bool {
	start := d.scan.Pos
	d.scan.Known = d.defaults > 0
	if !d.scan.Skip(d.depth()) {
		d.malformed()
		return false
	}
	if len(d.scan.Dups) > 0 {
		for _, off := range d.scan.Dups {
			d.duplicate(start, off)
		}
		d.scan.Dups = d.scan.Dups[:0]
	}
	return true
}

// duplicate notes the duplicate key whose name is at off, inside the value that starts at start and is the current one.
func (d *Decoder) duplicate(start, off int) {
	if !d.takesAt(DuplicateKey, len(d.path), "", off) {
		return
	}
	p := Problem{Code: DuplicateKey, Pointer: d.pointer(len(d.path)), Hint: "give each key once"}
	if d.secret == 0 {
		p.Pointer = string(jsonscan.AppendPointer([]byte(p.Pointer), d.scan.Src, start, off))
	}
	d.ledger.add(p)
}
