package load

import (
	"fmt"
	"runtime/metrics"
	"strings"
	"time"

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
