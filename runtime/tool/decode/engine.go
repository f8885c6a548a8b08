// Package decode reads the arguments of a tool call: strictly, checked by a table, with defaults applied, in one pass.
//
// A [schema.Program] says what the arguments may be. Generated code says where they go: it drives a [Decoder] and holds
// assignments alone. Contracts that are loaded at run time have no such code, and use [Engine.Validate] and
// [Engine.Normalize]. All of them run the same engine, so they cannot disagree.
//
// Arguments that are refused allocate at most eight times their size and 64 KiB, and beside that at most 128 items of lists
// and maps, whatever those take in Go: before more are made, the text is read to its end. Arguments that fit take what they
// say.
package decode

import (
	"errors"
	"sync"

	"github.com/toolgen-dev/toolgen/runtime/tool/jsonscan"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// Engine reads arguments by one program. It is made once, when a tool is mounted, and is safe for concurrent use. It
// keeps decoders for reuse.
type Engine struct {
	root     *schema.Node
	maxBytes int
	mode     Mode
	caps     []schema.Cap
	pool     sync.Pool
}

// Option is a setting of an [Engine].
type Option func(*Engine)

// WithMaxBytes refuses texts of more than n bytes. Without it, or with n below one, the limit is [jsonscan.MaxBytes].
func WithMaxBytes(n int) Option {
	return func(e *Engine) {
		if n > 0 {
			e.maxBytes = min(n, jsonscan.MaxBytes)
		}
	}
}

// WithMode says what becomes of arguments that do not fit. Without it they are refused.
func WithMode(m Mode) Option { return func(e *Engine) { e.mode = m } }

// WithCap bounds a parameter, which must be an integer or a number, by a value in decimal, such as "50": a deployment's
// own limit, of which the model is not told. A value beyond it becomes it, be it given or a default, and the repair
// [RepairCap] is noted.
func WithCap(param, most string) Option {
	return func(e *Engine) { e.caps = append(e.caps, schema.Cap{Param: param, Most: most}) }
}

// Limits of the defaults within one default, so that tables cannot make defaults without end.
const (
	maxDefaults   = 32
	maxExpansions = 10_000
)

// New makes an engine. It verifies every default and fixed value of the program by reading it, once, so that reading
// arguments needs not do so. The error joins a *[schema.Error] for each that does not fit its type.
func New(p *schema.Program, opts ...Option) (*Engine, error) {
	e := &Engine{root: p.Root(), maxBytes: jsonscan.MaxBytes}
	for _, opt := range opts {
		opt(e)
	}
	var errs []error
	if len(e.caps) > 0 {
		capped, err := p.Capped(e.caps...)
		if err != nil {
			return nil, err
		}
		e.root = capped.Root()
	}
	var d Decoder
	for _, def := range p.Defaults() {
		d.reset(def.JSON, def.Type)
		d.ledger, d.limit = ledger{}, maxExpansions
		d.begin()
		d.Skip()
		d.finish(def.Type)
		switch r := d.ledger.report(nil); {
		case d.endless:
			errs = append(errs, &schema.Error{Place: def.Place, Message: "the default needs defaults without end"})
		case !r.OK():
			errs = append(errs, &schema.Error{Place: def.Place, Message: "the default does not fit: " + r.String()})
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return e, nil
}

// Decode reads the arguments with fn, which reads one value of the program's root type from the decoder. The result is
// fn's where the report is OK, and the zero value otherwise. It keeps the memory of args alive as long as strings of it
// are in use.
//
// What the strict pass refuses is repaired where the engine's mode says so, and read again: fn is called a second time
// then, for a text that fits.
func Decode[T any](e *Engine, args string, fn func(*Decoder) T) (v T, r Report) {
	d := e.open(args)
	if !d.halt {
		v = fn(d)
	}
	if d.finish(e.root); d.failed() && e.again(d, args) {
		v = fn(d)
		d.finish(e.root)
	}
	if r = e.close(d); !r.OK() {
		var zero T
		v = zero
	}
	return v, r
}

// Read is [Decode] for callers that keep the value themselves: fn reads one value of the program's root type, and what it
// made counts only where the report is OK. It is not generic, so that a program with many tools compiles it once.
func (e *Engine) Read(args string, fn func(*Decoder)) Report {
	d := e.open(args)
	if !d.halt {
		fn(d)
	}
	if d.finish(e.root); d.failed() && e.again(d, args) {
		fn(d)
		d.finish(e.root)
	}
	return e.close(d)
}

// Validate checks the arguments as [Decode] does, and makes no value of them.
func (e *Engine) Validate(args string) Report {
	d := e.open(args)
	d.fits = true // nothing is made of it
	d.Skip()
	if d.finish(e.root); d.failed() && e.again(d, args) {
		d.Skip()
		d.finish(e.root)
	}
	return e.close(d)
}

// Normalize checks the arguments as [Decode] does and returns them as JSON text, an object: without white space between
// its own tokens, integers in plain digits, defaults and fixed values applied. Everything else is as it was written. It
// is nil when the report is not OK. Normalizing again changes nothing, except where values are fixed: those are refused
// when they are sent, or taken for a repair.
func (e *Engine) Normalize(args string) ([]byte, Report) {
	d := e.open(args)
	var dst []byte
	if !d.halt {
		dst = d.Normalize()
	}
	if d.finish(e.root); d.failed() && e.again(d, args) {
		dst = d.normalize(dst[:0])
		d.finish(e.root)
	}
	r := e.close(d)
	if !r.OK() {
		return nil, r
	}
	return dst, r
}

func (e *Engine) open(args string) *Decoder {
	d, _ := e.pool.Get().(*Decoder)
	if d == nil {
		d = new(Decoder)
	}
	if len(args) > e.maxBytes {
		d.reset("", e.root)
		d.scan.Fail(jsonscan.TooLarge, e.maxBytes, "")
		d.malformed()
		return d
	}
	d.reset(args, e.root)
	d.begin()
	return d
}

func (e *Engine) close(d *Decoder) (r Report) {
	if d.failed() || d.repairs != nil {
		r = d.ledger.report(d.repairs)
		d.forget()
	}
	d.release()
	e.pool.Put(d)
	return r
}
