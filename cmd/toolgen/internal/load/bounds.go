package load

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strings"
	"time"
	"unicode/utf8"

	"cuelang.org/go/cue/scanner"
	"cuelang.org/go/cue/token"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// Bounds limit an evaluation. CUE can be made to work without end, and cannot be told to stop.
type Bounds struct {
	Time   time.Duration // 0: none
	Memory uint64        // bytes of the heap; 0: none
}

// The limits of one spec file. Deeper nesting could not be sent as arguments either: those end at 128 levels.
const (
	maxFileBytes = 16 << 20
	maxNesting   = 256
)

// poll is how often a bounded evaluation looks at the clock and the heap.
const poll = 50 * time.Millisecond

// LoadWithin is Load under bounds. An evaluation that exceeds one is left running, since it cannot be stopped: the caller
// is expected to report the finding and end the process.
func LoadWithin(p *Project, b Bounds) (*Result, error) {
	type outcome struct {
		res *Result
		err error
	}
	done := make(chan outcome, 1)
	at := &progress{}
	go func() {
		res, err := load(p, at)
		done <- outcome{res, err}
	}()
	tick := time.NewTicker(poll)
	defer tick.Stop()
	start := time.Now()
	for {
		select {
		case o := <-done:
			return o.res, o.err
		case now := <-tick.C:
			var what string
			switch {
			case b.Time > 0 && now.Sub(start) > b.Time:
				what = fmt.Sprintf("takes more than %s", b.Time)
			case b.Memory > 0 && heap() > b.Memory:
				what = fmt.Sprintf("needs more than %d MiB", b.Memory>>20)
			default:
				continue
			}
			pos, path := at.get()
			return &Result{Findings: diag.Findings{{Rule: "spec-bounds", Pos: pos, Path: path, Message: "the evaluation " + what + " here",
				Fix: "look for a comprehension without end or a disjunction of many alternatives; --max-time and --max-memory allow more"}}}, nil
		}
	}
}

func heap() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// readSources reads the files and looks at them before CUE does: what it would choke on, and characters that would pass
// for a reference.
func (p *Project) readSources() (map[string][]byte, diag.Findings, error) {
	var out diag.Findings
	sources := make(map[string][]byte, len(p.Inputs))
	for _, o := range p.odd {
		out.Add(diag.Finding{Rule: "source-file", Pos: diag.Position{File: o.path}, Message: o.why, Fix: "put a plain file or folder in its place"})
	}
	for _, f := range p.Inputs {
		src, err := os.ReadFile(filepath.Join(p.Root, filepath.FromSlash(f)))
		if err != nil {
			return nil, nil, err
		}
		sources[f] = src
		if len(src) > maxFileBytes {
			out.Add(diag.Finding{Rule: "spec-bounds", Pos: diag.Position{File: f}, Message: fmt.Sprintf("the file has %d bytes, more than %d", len(src), maxFileBytes),
				Fix: "split it into several files"})
			continue
		}
		if i, what := badBytes(src); what != "" {
			out.Add(diag.Finding{Rule: "source-file", Pos: offset(f, src, i), Message: "the file has " + what, Fix: "save it as UTF-8 text without a byte-order mark"})
			continue
		}
		for _, mark := range []string{markOpen, markClose} {
			if i := bytes.Index(src, []byte(mark)); i >= 0 {
				out.Add(diag.Finding{Rule: "text-marker", Pos: offset(f, src, i), Message: fmt.Sprintf("the file has the private-use character %U, by which toolgen marks names", []rune(mark)[0]),
					Fix: "remove it"})
			}
		}
		if strings.HasSuffix(f, ".cue") {
			if pos, deep := tooDeep(f, src); deep {
				out.Add(diag.Finding{Rule: "spec-bounds", Pos: pos, Message: fmt.Sprintf("the nesting is deeper than %d levels", maxNesting), Fix: "flatten it, or name parts of it by definitions"})
			}
		}
	}
	return sources, out, nil
}

// badBytes finds what is no text: bytes that are no UTF-8, NUL, and a byte-order mark anywhere.
func badBytes(src []byte) (int, string) {
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		switch {
		case r == utf8.RuneError && n <= 1:
			return i, "bytes that are not UTF-8"
		case r == 0:
			return i, "a NUL character"
		case r == '\ufeff':
			return i, "a byte-order mark"
		}
		i += n
	}
	return 0, ""
}

func offset(file string, src []byte, i int) diag.Position {
	line := 1 + bytes.Count(src[:i], []byte("\n"))
	return diag.Position{File: file, Line: line, Column: i - bytes.LastIndexByte(src[:i], '\n')}
}

// tooDeep finds where brackets nest too deeply. It works on tokens, which need no recursion.
func tooDeep(file string, src []byte) (diag.Position, bool) {
	var s scanner.Scanner
	s.Init(token.NewFile(file, -1, len(src)), src, func(token.Pos, string, []interface{}) {}, 0)
	depth := 0
	interpolated := []int{} // the depths at which \( was opened
	opens := false          // whether the next bracket is that of an interpolation
	for {
		pos, tok, _ := s.Scan()
		switch tok {
		case token.EOF:
			return diag.Position{}, false
		case token.INTERPOLATION:
			opens = true
		case token.LBRACE, token.LBRACK, token.LPAREN:
			if opens && tok == token.LPAREN {
				interpolated = append(interpolated, depth)
				opens = false
			}
			if depth++; depth > maxNesting {
				return position(pos, file), true
			}
		case token.RBRACE, token.RBRACK, token.RPAREN:
			depth--
			if n := len(interpolated); n > 0 && interpolated[n-1] == depth && tok == token.RPAREN {
				// The string goes on; the scanner has to be told so.
				interpolated = interpolated[:n-1]
				opens = strings.HasSuffix(s.ResumeInterpolation(), "(")
			}
		}
	}
}
