package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/toolgen-dev/toolgen/examples/internal/assemble"
)

// event is something that happened: a line of -format jsonl. docs/headless.md says which type has what; the shape is API.
type event struct {
	Type    string `json:"type"`
	Agent   string `json:"agent,omitempty"`
	Parent  string `json:"parent,omitempty"`
	Kind    string `json:"kind,omitempty"`
	Label   string `json:"label,omitempty"`
	State   string `json:"state,omitempty"`
	Resumed bool   `json:"resumed,omitempty"`
	Author  string `json:"author,omitempty"`
	From    string `json:"from,omitempty"`
	Call    string `json:"call,omitempty"`
	Name    string `json:"name,omitempty"`
	Error   bool   `json:"error,omitempty"`
	Outcome string `json:"outcome,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Usage   *usage `json:"usage,omitempty"`
	Calls   []call `json:"calls,omitempty"`
	Left    []left `json:"left,omitempty"`
	Exit    *int   `json:"exit,omitempty"`
	Text    string `json:"text,omitempty"`
}

type call struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type usage struct {
	Input  int64 `json:"input"`
	Output int64 `json:"output"`
}

type left struct {
	Agent string `json:"agent"`
	Label string `json:"label"`
}

// output writes what happens: lines or the final answer to stdout, progress to stderr. Agents never wait for it: events queue.
type output struct {
	jsonl    bool
	stdout   io.Writer
	progress progress
	stop     context.CancelCauseFunc // where stdout cannot be written
	done     chan struct{}

	mu     sync.Mutex
	more   sync.Cond
	queue  []func() error
	closed bool
	err    error
}

func newOutput(o options, stdout io.Writer, stderr *os.File, stop context.CancelCauseFunc) *output {
	out := &output{jsonl: o.format == "jsonl", stdout: stdout, stop: stop, done: make(chan struct{})}
	out.more.L = &out.mu
	switch {
	case o.quiet:
		out.progress = &silent{stderr}
	case isTerminal(stderr) && os.Getenv("TERM") != "dumb":
		out.progress = newTree(stderr, func() (int, int) { return sizeOf(stderr) })
	default:
		out.progress = newPlain(stderr)
	}
	go out.write()
	return out
}

// write does what is queued.
func (o *output) write() {
	defer close(o.done)
	for {
		o.mu.Lock()
		for len(o.queue) == 0 && !o.closed {
			o.more.Wait()
		}
		todo := o.queue
		o.queue = nil
		over := o.closed && len(todo) == 0
		o.mu.Unlock()
		if over {
			o.progress.end()
			return
		}
		for _, do := range todo {
			if err := do(); err != nil && o.err == nil {
				o.err = err
				o.stop(errOutput)
			}
		}
		o.progress.flush()
	}
}

func (o *output) do(f func() error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.queue = append(o.queue, f)
		o.more.Signal()
	}
}

// emit tells of an event.
func (o *output) emit(e event) {
	o.do(func() error {
		o.progress.event(e)
		if o.jsonl {
			_, err := o.stdout.Write(encode(e))
			return err
		}
		if e.Type != "end" || e.Text == "" {
			return nil
		}
		o.progress.end() // the answer comes last
		_, err := io.WriteString(o.stdout, assemble.Visible(e.Text)+"\n")
		return err
	})
}

// say writes a line for the user to stderr, whatever the progress shows.
func (o *output) say(format string, args ...any) {
	line := "headless: " + assemble.Visible(fmt.Sprintf(format, args...)) + "\n"
	o.do(func() error { o.progress.text(line); return nil })
}

// ask writes a question, and shows nothing below it until answered is called.
func (o *output) ask(question string) (answered func()) {
	o.do(func() error { o.progress.pause(question); return nil })
	return func() { o.do(func() error { o.progress.resume(); return nil }) }
}

// log is where the log goes: above the tree.
func (o *output) log() io.Writer { return logWriter{o} }

type logWriter struct{ o *output }

// Write queues a line of the log.
func (l logWriter) Write(p []byte) (int, error) {
	line := assemble.Visible(string(p))
	l.o.do(func() error { l.o.progress.text(line); return nil })
	return len(p), nil
}

// close writes what is queued. Its error is the first of stdout.
func (o *output) close() error {
	o.mu.Lock()
	o.closed = true
	o.more.Signal()
	o.mu.Unlock()
	<-o.done
	return o.err
}

// encode writes an event as a line of printable characters: whatever else a text has is escaped, so that a terminal does
// nothing when it shows the line.
func encode(e event) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(e) // it holds texts and numbers, and a buffer takes them
	line := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if !bytes.ContainsFunc(line, unseen) {
		return append(line, '\n')
	}
	out := make([]byte, 0, len(line)+64)
	for len(line) > 0 {
		r, n := utf8.DecodeRune(line)
		switch {
		case !unseen(r):
			out = append(out, line[:n]...)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		line = line[n:]
	}
	return append(out, '\n')
}

// unseen reports whether a character is not simply shown. JSON has escaped those below a blank.
func unseen(r rune) bool { return !unicode.IsPrint(r) }
