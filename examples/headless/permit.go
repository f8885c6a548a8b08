package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/toolgen-dev/toolgen/runtime/agent"

	"github.com/toolgen-dev/toolgen/examples/internal/assemble"
	"github.com/toolgen-dev/toolgen/examples/workspace"
)

// always permits every command.
func always(context.Context, workspace.Command) (bool, error) { return true, nil }

// asker asks the user on the terminal, one question at a time.
type asker struct {
	in   *bufio.Reader
	out  *output
	turn chan struct{} // of one: held while a question is asked

	mu    sync.Mutex
	lines chan string // of the read that is going on, or nil
}

func newAsker(in io.Reader, out *output) *asker {
	return &asker{in: bufio.NewReader(in), out: out, turn: make(chan struct{}, 1)}
}

// permit shows the whole command, and takes "y" or "yes" for a permission.
func (a *asker) permit(ctx context.Context, c workspace.Command) (bool, error) {
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	// A question that was called off may have left a read behind. The line that ends it was meant for that question.
	stale := a.reading()
	who := "The agent"
	if caller, ok := agent.CallerOf(ctx); ok {
		who = assemble.OneLine(caller.Agent().Identity().Label, 60)
	}
	question := who + " asks to run, in " + assemble.OneLine(c.Folder, 200) + ":\n"
	for line := range strings.Lines(c.Line) {
		question += "  " + assemble.Visible(strings.TrimSuffix(line, "\n")) + "\n"
	}
	if stale {
		question += "(A question of before was called off: press Enter first.)\n"
	}
	answered := a.out.ask(question + "Run it? [y/N] ")
	defer answered()
	if stale {
		if _, err := a.line(ctx); err != nil {
			return false, err
		}
	}
	line, err := a.line(ctx)
	if err != nil {
		return false, err
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", nil
}

// reading reports whether a read is going on.
func (a *asker) reading() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.lines != nil
}

// line returns the next line of the input. Where the context ends first the read goes on, and the next call has its line.
func (a *asker) line(ctx context.Context) (string, error) {
	a.mu.Lock()
	if a.lines == nil {
		lines := make(chan string, 1)
		a.lines = lines
		go func() {
			defer close(lines)
			switch line, err := a.in.ReadString('\n'); {
			case err == nil:
				lines <- line
			case errors.Is(err, io.EOF): // Ctrl-D: whoever was asked did not say yes
				lines <- ""
			}
		}()
	}
	lines := a.lines
	a.mu.Unlock()
	select {
	case line, ok := <-lines:
		a.mu.Lock()
		a.lines = nil
		a.mu.Unlock()
		if !ok {
			return "", errors.New("the input cannot be read")
		}
		return line, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
