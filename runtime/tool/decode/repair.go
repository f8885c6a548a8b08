package decode

import (
	"slices"

	"github.com/toolgen-dev/toolgen/runtime/tool/jsonscan"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// Mode says what becomes of arguments that do not fit.
type Mode uint8

// The modes. Both apply caps, and read 10.0 and 1e1 as integers, since JSON Schema asks for it.
const (
	Strict   Mode = iota // they are refused
	Tolerant             // they are repaired first, where that can be done in one way only
)

// The codes of a [Repair]. They are stable. Where a type is wanted, one that also allows what was sent is none of these:
// a string stays a string where a string may be.
const (
	RepairEmpty         = "empty"          // no text, white space or null: an empty object
	RepairStringRoot    = "string-root"    // a string that holds one object
	RepairFence         = "fence"          // one Markdown code fence around everything
	RepairJSONString    = "json-string"    // a string that holds the array or object that is wanted
	RepairNumberString  = "number-string"  // a string that is a number, where one is wanted
	RepairBoolString    = "bool-string"    // "true" or "false"
	RepairIntegral      = "integral"       // an integer written with a zero fraction or an exponent, in both modes
	RepairNullOptional  = "null-optional"  // null for what may be absent: as if it were
	RepairEnumCase      = "enum-case"      // a word of an enumeration but for its case
	RepairTrailingComma = "trailing-comma" // a comma before the end of an object or array
	RepairControlChar   = "control-char"   // raw control characters in a string
	RepairUnwrapKey     = "unwrap-key"     // one undeclared key around the arguments
	RepairFixedParam    = "fixed-param"    // a parameter that is gone, with the value that is fixed for it
	RepairAlias         = "alias"          // another name of a property
	RepairWrapItem      = "wrap-item"      // an item for a list, where the table allows it
	RepairUnwrapItem    = "unwrap-item"    // a list of one for its item, where the table allows it
	RepairCap           = "cap"            // a number beyond a deployment's cap, given or a default; in both modes
)

// Repair is a correction that was made while reading.
type Repair struct {
	Code    string // one of those above
	Pointer string // where, as a JSON Pointer into what the model wrote; empty for the whole
}

// room tells whether a repair is to be kept. A call may hold any number, so beyond MaxProblems only the first of each
// code is.
func room(list []Repair, code string) bool {
	return len(list) < MaxProblems || !slices.ContainsFunc(list, func(r Repair) bool { return r.Code == code })
}

// again comes after a strict pass that refused the arguments. Where repairs make them fit, it makes the decoder ready to
// read the repaired text, and is true. That text is read and judged like any other, so what is said of it and what is decoded
// from it cannot differ.
func (e *Engine) again(d *Decoder, args string) bool {
	// A root that takes any key may be the key around the arguments: then something is missing, and nothing else is wrong.
	if e.mode == Strict || !d.ledger.mendable && !open(e.root) || len(args) > e.maxBytes {
		return false
	}
	m := newMender(e)
	text, ok := m.mend(args)
	m.check.release()
	e.pool.Put(m.check)
	switch {
	case m.err.Code != "":
		d.stopAt(m.err)
		return false
	case !ok || len(m.repairs) == 0:
		return false
	}
	// Values are made of what fits alone: first it is only checked.
	d.reopen(text, e.root, m)
	d.Skip()
	if d.finish(e.root); d.failed() {
		return false
	}
	d.reopen(text, e.root, m)
	return true
}

// reopen starts to read a repaired text.
func (d *Decoder) reopen(text string, root *schema.Node, m *mender) {
	d.reset(text, root)
	d.fits = true // or it is only checked
	d.forget()
	d.repairs, d.origin = m.repairs, &m.origin
	d.begin()
}

// Repair returns the text that Decode would read in the mode Tolerant: args itself where nothing is to be repaired, or
// where repairs do not help. The report is that of the reading.
func (e *Engine) Repair(args string) (string, Report) {
	d := e.open(args)
	d.fits = true // nothing is made of it
	d.Skip()
	text := args
	if d.finish(e.root); d.failed() && e.again(d, args) {
		text = d.scan.Src
		d.Skip()
		d.finish(e.root)
	}
	return text, e.close(d)
}

// origin says where a repaired text comes from, so that problems with it can speak of what the model wrote.
type origin struct {
	within string // the raw name of the key around the arguments, which is gone; empty: none
	marks  []mark // in the order of the text
}

// mark is a place of a repaired text that was written differently.
type mark struct {
	at   uint32
	kind markKind
	text string
}

type markKind uint8

const (
	markKey    markKind = iota // a key that starts at this offset had the raw name text
	markValue                  // the value that starts at this offset was text
	markWrap                   // the value of the key that starts at this offset is a list of what was written
	markUnwrap                 // the value of the key that starts at this offset was the one item of a list
)

// maxMarks is how many places are remembered. Beyond it, problems speak of the repaired text.
const maxMarks = 256

func (o *origin) add(at int, kind markKind, text string) {
	if len(o.marks) < maxMarks {
		o.marks = append(o.marks, mark{uint32(at), kind, text})
	}
}

func (o *origin) find(at int, kind markKind) (string, bool) {
	for i := range o.marks {
		if m := &o.marks[i]; m.at == uint32(at) && m.kind == kind {
			return m.text, true
		}
	}
	return "", false
}

// appendPath appends the pointer to a place of the repaired text src.
func (o *origin) appendPath(dst []byte, src string, path []step) []byte {
	if o.within != "" {
		dst = jsonscan.AppendRawToken(dst, o.within)
	}
	for i := 0; i < len(path); i++ {
		if len(dst) > jsonscan.MaxPointer {
			return append(dst, "/…"...)
		}
		s := path[i]
		if s.key == 0 {
			dst = appendIndex(dst, s.index)
			continue
		}
		raw, renamed := o.find(int(s.key), markKey)
		if !renamed {
			raw = jsonscan.RawAt(src, int(s.key))
		}
		dst = jsonscan.AppendRawToken(dst, raw)
		if _, ok := o.find(int(s.key), markUnwrap); ok {
			dst = append(dst, "/0"...)
		}
		if _, ok := o.find(int(s.key), markWrap); ok && i+1 < len(path) {
			i++
		}
	}
	return dst
}
