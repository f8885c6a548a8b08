package assemble

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// Transcribe writes what a model is sent and answers, for people: a section for each, by agent. What was sent before is not
// written again: of a request, the system prompt and the tools where they are new, and the messages since the last answer. Each
// line of a text is indented, so that none can look like the head of a section.
func Transcribe(m agent.Model, w io.Writer) agent.Model {
	t := &transcript{model: m, w: w, seen: map[store.ID]*agent.Request{}, calls: map[store.ID]int{}}
	return t
}

type transcript struct {
	model agent.Model

	mu    sync.Mutex
	w     io.Writer
	err   error
	seen  map[store.ID]*agent.Request // the last request of each agent
	calls map[store.ID]int
}

// Generate writes the request, asks the model, and writes the answer.
func (t *transcript) Generate(ctx context.Context, req *agent.Request, delta func(agent.Delta)) (*agent.Response, error) {
	who := t.request(req)
	res, err := t.model.Generate(ctx, req, delta)
	if failed := t.answer(who, res, err); err == nil && failed != nil {
		return nil, fmt.Errorf("the transcript cannot be written: %w", failed)
	}
	return res, err
}

// request writes a request, and returns what its answer is headed.
func (t *transcript) request(req *agent.Request) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := req.Agent.ID
	t.calls[id]++
	who := fmt.Sprintf("%s, %s, %d", Visible(req.Agent.Label), id, t.calls[id])
	last := t.seen[id]
	t.seen[id] = req
	var b strings.Builder
	fmt.Fprintf(&b, "-- request: %s --\n", who)
	if last == nil || last.System != req.System {
		b.WriteString("system:\n")
		indent(&b, req.System)
	}
	var names []string
	for _, d := range req.Tools {
		names = append(names, d.Name)
	}
	if last == nil || !slices.EqualFunc(last.Tools, names, func(d tool.Definition, name string) bool { return d.Name == name }) {
		b.WriteString("tools: " + strings.Join(names, " ") + "\n")
	}
	from := 0
	if last != nil {
		from = len(last.Messages)
		if len(req.Messages) < from || !slices.EqualFunc(last.Messages, req.Messages[:from], same) {
			b.WriteString("(the messages of before have changed)\n")
			from = 0
		}
	}
	for _, m := range req.Messages[from:] {
		if from == 0 || m.Author != agent.Assistant { // else the answer stands above
			message(&b, m)
		}
	}
	t.write(b.String())
	return who
}

// message writes a message as the model reads it.
func message(b *strings.Builder, m agent.Message) {
	switch {
	case m.Author == agent.ToolResult && m.IsError:
		fmt.Fprintf(b, "result of %s, an error:\n", Visible(m.Name))
	case m.Author == agent.ToolResult:
		fmt.Fprintf(b, "result of %s:\n", Visible(m.Name))
	default:
		fmt.Fprintf(b, "%s:\n", m.Author)
	}
	indent(b, m.UserText())
	calls(b, m.Calls)
}

// calls writes what a message calls.
func calls(b *strings.Builder, all []agent.Call) {
	for _, c := range all {
		fmt.Fprintf(b, "calls %s:\n", Visible(c.Name))
		indent(b, c.Arguments)
	}
}

// answer writes an answer, and returns what went wrong with the writing so far.
func (t *transcript) answer(who string, res *agent.Response, err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "-- answer: %s --\n", who)
	switch {
	case err != nil:
		b.WriteString("none: the model failed, or was stopped\n")
	case res != nil:
		if res.Text != "" {
			b.WriteString("says:\n")
			indent(&b, res.Text)
		}
		calls(&b, res.Calls)
		if res.Stop != agent.StopEnd && res.Stop != agent.StopCalls {
			fmt.Fprintf(&b, "stops: %s\n", res.Stop)
		}
	}
	t.write(b.String())
	return t.err
}

func (t *transcript) write(s string) {
	if t.err == nil {
		_, t.err = io.WriteString(t.w, s)
	}
}

// indent writes the lines of a text, each behind two blanks.
func indent(b *strings.Builder, text string) {
	for line := range strings.Lines(text) {
		b.WriteString("  " + Visible(strings.TrimSuffix(line, "\n")) + "\n")
	}
}

func same(a, b agent.Message) bool {
	return a.Author == b.Author && a.ID == b.ID && a.Text == b.Text && a.Call == b.Call
}
