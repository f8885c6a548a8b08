package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/toolgen-dev/toolgen/examples/internal/assemble"
)

// progress shows people what happens. One goroutine calls it. That stderr cannot be written keeps nothing from going on.
type progress interface {
	event(event)
	text(string) // a line that is to stay
	flush()      // nothing more is known now
	pause(question string)
	resume()
	end()
}

// states keeps what the agents are doing, in the order of a tree.
type states struct {
	agents []*state
	byID   map[string]*state
}

type state struct {
	id, label string
	depth     int
	doing     string
}

// note takes an event; who is nil where it changes nothing that is shown.
func (s *states) note(e event) (who *state) {
	if s.byID == nil {
		s.byID = map[string]*state{}
	}
	switch {
	case e.Type == "start", e.Type == "agent" && s.byID[e.Agent] == nil:
		who = s.add(e)
	default:
		if who = s.byID[e.Agent]; who == nil {
			return nil
		}
	}
	now := who.doing
	switch e.Type {
	case "start":
		now = "starts"
		if e.Resumed {
			now = "resumes"
		}
	case "message":
		now = "thinks"
		switch e.Author {
		case "settlement":
			now = "reads the settlement notice of " + e.Label
		case "report":
			now = "reads the report of " + e.Label
		}
	case "answer":
		if len(e.Calls) == 0 {
			return nil
		}
		var names []string
		for _, c := range e.Calls {
			names = append(names, c.Name)
		}
		now = "calls " + strings.Join(names, ", ")
	case "result":
		now = "thinks"
	case "turn":
		now = "waits"
		if e.Outcome != "completed" {
			now = strings.ReplaceAll(e.Outcome, "_", " ")
		}
	case "agent":
		now = e.State
		if e.State == "settled" {
			now = strings.ReplaceAll(e.Outcome, "_", " ")
		}
	case "end":
		now = strings.ReplaceAll(e.Outcome, "_", " ")
	}
	if now == who.doing {
		return nil
	}
	who.doing = now
	return who
}

// add puts an agent behind its parent's other descendants.
func (s *states) add(e event) *state {
	who := &state{id: e.Agent, label: assemble.OneLine(e.Label, 60)}
	at := len(s.agents)
	if p := s.byID[e.Parent]; p != nil {
		who.depth = p.depth + 1
		for i, a := range s.agents {
			if a == p {
				at = i + 1
				for at < len(s.agents) && s.agents[at].depth > p.depth {
					at++
				}
				break
			}
		}
	}
	s.agents = append(s.agents[:at], append([]*state{who}, s.agents[at:]...)...)
	s.byID[e.Agent] = who
	return who
}

func (s *state) line() string {
	return strings.Repeat("  ", s.depth) + s.label + ": " + assemble.OneLine(s.doing, 200)
}

// told is what people are told at the beginning and the end, beside what agents do.
func told(e event) []string {
	var out []string
	switch e.Type {
	case "start":
		out = append(out, "headless: conversation "+assemble.OneLine(e.Agent, 200))
	case "end":
		for _, l := range e.Left {
			out = append(out, fmt.Sprintf("headless: %s — %s was still running, and was stopped", assemble.OneLine(l.Agent, 200), assemble.OneLine(l.Label, 80)))
		}
		if e.Exit != nil && *e.Exit != exitCompleted {
			why := strings.ReplaceAll(e.Outcome, "_", " ")
			if e.Reason != "" {
				why += ": " + e.Reason
			}
			out = append(out, "headless: "+assemble.Visible(why))
		}
	}
	return out
}

// silent shows only what has to be told.
type silent struct{ w io.Writer }

func (s *silent) event(e event) {
	if e.Type == "end" {
		for _, line := range told(e) {
			fmt.Fprintln(s.w, line)
		}
	}
}
func (s *silent) text(line string)      { _, _ = io.WriteString(s.w, line) }
func (s *silent) flush()                {}
func (s *silent) pause(question string) { _, _ = io.WriteString(s.w, question) }
func (s *silent) resume()               {}
func (s *silent) end()                  {}

// plain writes a line for each change.
type plain struct {
	silent
	states states
}

func newPlain(w io.Writer) *plain { return &plain{silent: silent{w}} }

func (p *plain) event(e event) {
	for _, line := range told(e) {
		fmt.Fprintln(p.w, line)
	}
	if who := p.states.note(e); who != nil {
		fmt.Fprintln(p.w, who.line())
	}
}

// tree redraws the agents in their places.
type tree struct {
	w      io.Writer
	size   func() (columns, rows int)
	states states
	drawn  int  // lines
	dirty  bool // what is drawn is not what is so
	paused bool
	over   bool
}

func newTree(w io.Writer, size func() (int, int)) *tree { return &tree{w: w, size: size} }

func (t *tree) event(e event) {
	if t.states.note(e) != nil {
		t.dirty = true
	}
	lines := told(e)
	if e.Type == "end" {
		t.end() // what is told of the end stands below the tree
	}
	for _, line := range lines {
		t.text(line + "\n")
	}
}

// text writes a line above the tree.
func (t *tree) text(line string) {
	var b strings.Builder
	t.erase(&b)
	b.WriteString(line)
	_, _ = io.WriteString(t.w, b.String())
	t.dirty = !t.over
}

func (t *tree) pause(question string) {
	t.text(question)
	t.paused = true
}

func (t *tree) resume() { t.paused, t.dirty = false, !t.over }

func (t *tree) end() {
	t.paused = false
	t.flush()
	t.over, t.drawn = true, 0
}

// flush draws the tree anew.
func (t *tree) flush() {
	if !t.dirty || t.paused || t.over {
		return
	}
	var b strings.Builder
	t.erase(&b)
	columns, rows := t.size()
	agents := t.states.agents
	room := max(rows-2, 1)
	more := 0
	if len(agents) > room {
		more = len(agents) - room + 1
		agents = agents[:len(agents)-more]
	}
	for _, a := range agents {
		b.WriteString(fit(a.line(), columns-1) + "\n")
		t.drawn++
	}
	if more > 0 {
		fmt.Fprintf(&b, "… and %d more\n", more)
		t.drawn++
	}
	_, _ = io.WriteString(t.w, b.String())
	t.dirty = false
}

// erase goes back to the first line that was drawn, and clears from there on.
func (t *tree) erase(b *strings.Builder) {
	if t.drawn > 0 {
		fmt.Fprintf(b, "\x1b[%dA\x1b[J", t.drawn)
		t.drawn = 0
	}
}

// fit cuts a line to a width. A character that may be wide counts as two.
func fit(line string, width int) string {
	n := 0
	for i, r := range line {
		w := 1
		if r >= 0x1100 {
			w = 2
		}
		if n += w; n > width {
			return line[:i]
		}
	}
	return line
}
