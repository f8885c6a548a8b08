package main

import (
	"cmp"
	"errors"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model/scripted"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/subagent"

	"github.com/toolgen-dev/toolgen/examples/internal/assemble"
)

// The exit codes. They are API.
const (
	exitCompleted   = 0
	exitFailed      = 1
	exitUsage       = 2 // nothing was run
	exitTokenLimit  = 3
	exitRefused     = 4
	exitLeft        = 5 // the time was up, or subagents were still running
	exitInterrupted = 130
)

// maxCause is how many characters of the cause of a failure are said.
const maxCause = 300

// ending is how a run ended.
type ending struct {
	turn agent.TurnEnd    // the root's last
	left []subagent.Entry // the agents that still ran, and were stopped
	err  error            // what kept the run from its end

	outcome, reason string
	exit            int
}

// finish says what the ending comes to. The root has been closed.
func (e *ending) finish(root *subagent.Root, script *scripted.Script, keys assemble.Keys) {
	if e.err != nil {
		e.turn = root.Last() // as it ended when it was stopped
	}
	e.outcome, e.reason = string(e.turn.Outcome), string(e.turn.Reason)
	switch e.turn.Reason {
	case agent.ModelFailed, agent.StoreFailed, agent.RuntimeFailed: // the others say all
		if e.turn.Err != nil {
			e.reason += ": " + assemble.OneLine(keys.Scrub(e.turn.Err.Error()), maxCause)
		}
	}
	switch {
	case errors.Is(e.err, errInterrupted):
		e.outcome, e.reason, e.exit = string(agent.Interrupted), errInterrupted.Error(), exitInterrupted
	case errors.Is(e.err, errTimeUp):
		e.outcome, e.reason, e.exit = string(agent.Interrupted), errTimeUp.Error(), exitLeft
	case e.err != nil:
		e.outcome, e.reason, e.exit = string(agent.Failed), cmp.Or(e.reason, "the run could not go on"), exitFailed
	default:
		e.exit = codeOf(e.turn.Outcome)
	}
	if e.exit == exitCompleted && len(e.left) > 0 {
		e.exit = exitLeft
	}
	if e.exit == exitCompleted && script != nil {
		if err := script.Finish(); err != nil {
			e.exit, e.reason = exitFailed, "the script was not played as it is written: "+err.Error()
		}
	}
}

// codeOf is the exit code of a turn's outcome.
func codeOf(o agent.Outcome) int {
	switch o {
	case agent.Completed:
		return exitCompleted
	case agent.TokenLimit:
		return exitTokenLimit
	case agent.Refused:
		return exitRefused
	case agent.Interrupted:
		return exitInterrupted
	}
	return exitFailed
}

// event is the last line.
func (e *ending) event(root store.ID) event {
	code := e.exit
	out := event{Type: "end", Agent: string(root), Outcome: e.outcome, Reason: e.reason, Exit: &code, Text: e.turn.Text}
	for _, l := range e.left {
		out.Left = append(out.Left, left{string(l.ID), l.Label})
	}
	return out
}
