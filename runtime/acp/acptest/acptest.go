// Package acptest plays the client of a written conversation with an agent of the Agent Client Protocol, and writes down what
// was sent both ways.
//
//	send {"id":1,"method":"initialize","params":{"protocolVersion":1}}
//	wait "id":1
//	raw this is no JSON
//	close
//
// `send` sends a message of JSON-RPC 2.0, `raw` a line as it is, `close` ends the input. `wait TEXT` waits for a line that has the
// text in it, behind the one that was last waited for; `end` waits for the end of the output. A line that begins with # is a
// comment.
//
// Ids of conversations are written down as agent-1, agent-2 and so on, in the order in which they come, and the folder as $DIR;
// what is sent may use these names.
package acptest

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// patience is for how long a line may not come. It is only for tests that fail.
const patience = time.Minute

// Client is a client. It reads from the beginning on.
type Client struct {
	in  io.WriteCloser
	dir string

	mu      sync.Mutex
	lines   []line
	waited  int           // how many lines are behind
	changed chan struct{} // closed when something next comes
	over    error         // once the output has ended: io.EOF, or what went wrong
	ids     []string      // in their order
}

type line struct {
	text string
	ours bool
}

// New makes a client over an agent's input and output. dir is what $DIR stands for, and known are ids that have names already.
func New(in io.WriteCloser, out io.Reader, dir string, known ...string) *Client {
	c := &Client{in: in, dir: dir, ids: known, changed: make(chan struct{})}
	go c.read(out)
	return c
}

func (c *Client) read(out io.Reader) {
	r := bufio.NewReaderSize(out, 1<<20)
	for {
		text, err := r.ReadString('\n')
		c.mu.Lock()
		if text != "" {
			c.lines = append(c.lines, line{text: c.written(strings.TrimSuffix(text, "\n"))})
		}
		if err != nil {
			c.over = err
		}
		close(c.changed)
		c.changed = make(chan struct{})
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

var (
	idPattern  = regexp.MustCompile(`agent-[a-z2-7]{10}`)
	shortNames = regexp.MustCompile(`agent-[0-9]+\b`)
)

// written is a line as it is written down.
func (c *Client) written(text string) string {
	text = strings.Replace(text, `{"jsonrpc":"2.0",`, "{", 1)
	if c.dir != "" {
		text = strings.ReplaceAll(text, c.dir, "$DIR")
	}
	return idPattern.ReplaceAllStringFunc(text, func(id string) string {
		i := slices.Index(c.ids, id)
		if i < 0 {
			i = len(c.ids)
			c.ids = append(c.ids, id)
		}
		return fmt.Sprintf("agent-%d", i+1)
	})
}

// Meant is a text with what its names stand for.
func (c *Client) Meant(text string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	text = shortNames.ReplaceAllStringFunc(text, func(name string) string {
		var n int
		if _, err := fmt.Sscanf(name, "agent-%d", &n); err != nil || n < 1 || n > len(c.ids) {
			return name
		}
		return c.ids[n-1]
	})
	return strings.ReplaceAll(text, "$DIR", c.dir)
}

// IDs are the ids of conversations that have come, in the order of their names.
func (c *Client) IDs() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.ids)
}

// Send sends a line.
func (c *Client) Send(text string) error {
	meant := c.Meant(text)
	c.mu.Lock()
	c.lines = append(c.lines, line{text: strings.Replace(text, `{"jsonrpc":"2.0",`, "{", 1), ours: true})
	c.mu.Unlock()
	_, err := io.WriteString(c.in, meant+"\n")
	return err
}

// Wait waits for a line that has a text in it, behind the one that was last waited for, and returns it.
func (c *Client) Wait(text string) (string, error) {
	t := time.NewTimer(patience)
	defer t.Stop()
	for {
		c.mu.Lock()
		for c.waited < len(c.lines) {
			l := c.lines[c.waited]
			c.waited++
			if !l.ours && strings.Contains(l.text, text) {
				c.mu.Unlock()
				return l.text, nil
			}
		}
		changed, over := c.changed, c.over
		c.mu.Unlock()
		if over != nil {
			return "", fmt.Errorf("acptest: the output ended (%w) before %q", over, text)
		}
		select {
		case <-changed:
		case <-t.C:
			return "", fmt.Errorf("acptest: %q does not come", text)
		}
	}
}

// End waits for the end of the output.
func (c *Client) End() error {
	t := time.NewTimer(patience)
	defer t.Stop()
	for {
		c.mu.Lock()
		changed, over := c.changed, c.over
		c.mu.Unlock()
		if over != nil {
			return nil
		}
		select {
		case <-changed:
		case <-t.C:
			return fmt.Errorf("acptest: the output does not end")
		}
	}
}

// Play does what a text says.
func (c *Client) Play(script string) error {
	for i, l := range strings.Split(script, "\n") {
		word, rest, _ := strings.Cut(l, " ")
		var err error
		switch {
		case strings.TrimSpace(l) == "" || strings.HasPrefix(l, "#"):
		case word == "send":
			err = c.Send(strings.Replace(rest, "{", `{"jsonrpc":"2.0",`, 1))
		case word == "raw":
			err = c.Send(rest)
		case word == "wait":
			_, err = c.Wait(rest)
		case word == "close":
			err = c.in.Close()
		case word == "end":
			err = c.End()
		default:
			err = fmt.Errorf("acptest: %q is no step", word)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return nil
}

// Transcript is everything that was sent: `>` by the client, `<` by the agent.
func (c *Client) Transcript() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	for _, l := range c.lines {
		mark := "<"
		if l.ours {
			mark = ">"
		}
		fmt.Fprintf(&b, "%s %s\n", mark, l.text)
	}
	return b.String()
}

var inner = regexp.MustCompile(`(?m)^== (.*) ==$`)

// Script is a script of model turns that stands within an archive: its sections begin with `== name ==`, since `-- name --` would
// be a file of the archive.
func Script(text string) string { return inner.ReplaceAllString(text, "-- $1 --") }
