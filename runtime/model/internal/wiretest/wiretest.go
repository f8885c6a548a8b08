// Package wiretest plays recorded answers of providers to a model's requests, over a real connection, and writes down what the
// model makes of them.
//
// A case is a file in the form of txtar. What stands before the first section says what the case is about. Each section named
// response is one answer, byte for byte: a status line, headers, an empty line, a body. `response crlf` ends its lines with CRLF,
// `response cut` drops the connection behind the body, `response refused` closes it without an answer. The section transcript is
// what is expected.
package wiretest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// Case is a case's file.
type Case struct {
	About      string
	Responses  []Response
	Transcript string
}

// Response is one recorded answer.
type Response struct {
	How  string // crlf, cut, refused or nothing
	Text string
}

// Load reads a case.
func Load(file string) (*Case, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	c := &Case{}
	into := &c.About
	for line := range strings.Lines(string(data)) {
		name, ok := strings.CutPrefix(line, "-- ")
		if name, ends := strings.CutSuffix(name, " --\n"); ok && ends {
			kind, how, _ := strings.Cut(name, " ")
			switch kind {
			case "response":
				c.Responses = append(c.Responses, Response{How: how})
				into = &c.Responses[len(c.Responses)-1].Text
			case "transcript":
				into = &c.Transcript
			default:
				return nil, fmt.Errorf("%s: %q is no section", file, name)
			}
			continue
		}
		*into += line
	}
	if len(c.Responses) == 0 {
		return nil, errors.New(file + ": there is no response")
	}
	return c, nil
}

// Encode writes a case as a file.
func (c *Case) Encode() []byte {
	var b strings.Builder
	b.WriteString(c.About)
	for _, r := range c.Responses {
		b.WriteString(strings.TrimRight("-- response "+r.How, " ") + " --\n" + r.Text)
	}
	b.WriteString("-- transcript --\n" + c.Transcript)
	return []byte(b.String())
}

// Server answers with recorded responses, one after the other.
type Server struct {
	URL string

	listener net.Listener
	handlers sync.WaitGroup

	mu       sync.Mutex
	left     []Response
	by       func(body string) string
	requests []Request
}

// Request is what a server got.
type Request struct {
	Method, Path string
	Header       http.Header
	Body         string
}

// Serve starts a server on this machine.
func Serve(responses ...Response) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://" + l.Addr().String(), listener: l, left: responses}
	s.handlers.Go(s.accept)
	return s, nil
}

// ServeBy starts a server that answers each request by its body.
func ServeBy(by func(body string) string) (*Server, error) {
	s, err := Serve()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.by = by
	return s, nil
}

// Close stops the server, when all it has been asked is answered.
func (s *Server) Close() {
	_ = s.listener.Close()
	s.handlers.Wait()
}

// Requests returns what the server got.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// Left returns how many responses nobody has asked for.
func (s *Server) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.left)
}

func (s *Server) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.handlers.Go(func() { s.answer(conn) })
	}
}

// answer takes one request of a connection. An error of it is the client's to find.
func (s *Server) answer(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	req, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, Request{req.Method, req.URL.Path, req.Header, string(body)})
	res := Response{Text: "HTTP/1.1 404 Not Found\n\nno response is left\n"}
	switch {
	case s.by != nil:
		res = Response{Text: s.by(string(body))}
	case len(s.left) > 0:
		res, s.left = s.left[0], s.left[1:]
	}
	s.mu.Unlock()
	if res.How == "refused" {
		return
	}
	head, content, _ := strings.Cut(res.Text, "\n\n")
	head = strings.ReplaceAll(head, "\n", "\r\n")
	if res.How == "crlf" {
		content = strings.ReplaceAll(content, "\n", "\r\n")
	}
	if res.How == "cut" { // more is promised than comes
		head += fmt.Sprintf("\r\nContent-Length: %d", len(content)+1)
	}
	_, _ = io.WriteString(conn, head+"\r\nConnection: close\r\n\r\n"+content)
}

// Play sends a request to a model and writes down what comes of it.
func Play(ctx context.Context, m agent.Model, req *agent.Request) string {
	var b strings.Builder
	res, err := m.Generate(ctx, req, func(d agent.Delta) {
		switch {
		case d.Call != nil:
			fmt.Fprintf(&b, "piece of call %d: id %q name %q arguments %q\n", d.Call.Index, d.Call.ID, d.Call.Name, d.Call.Arguments)
		case d.Thought != "":
			fmt.Fprintf(&b, "piece of a thought: %q\n", d.Thought)
		default:
			fmt.Fprintf(&b, "piece of the text: %q\n", d.Text)
		}
	})
	if err != nil {
		fmt.Fprintf(&b, "error: %s\n", err)
		var e *model.Error
		if errors.As(err, &e) {
			fmt.Fprintf(&b, "attempts: %d\n", e.Attempts)
		}
		return b.String()
	}
	fmt.Fprintf(&b, "stop: %s\ntext: %q\n", res.Stop, res.Text)
	for _, c := range res.Calls {
		fmt.Fprintf(&b, "call: id %q name %q arguments %q\n", c.ID, c.Name, c.Arguments)
	}
	if res.Usage != (agent.Usage{}) {
		fmt.Fprintf(&b, "usage: input %d cached %d output %d\n", res.Usage.Input, res.Usage.Cached, res.Usage.Output)
	}
	if res.Extra != nil {
		fmt.Fprintf(&b, "extra: %s\n", res.Extra)
	}
	return b.String()
}

// Quick are settings of retries that make no test wait.
var Quick = model.Retry{Attempts: 3, MinDelay: time.Nanosecond, MaxDelay: time.Nanosecond}

// Tool is a tool whose schema is not in the order of its keys.
func Tool(name string) tool.Definition {
	return tool.Definition{
		Name: name, Description: "Measures a file <& more>.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","description":"Which <file>."},"lines":{"type":"integer","minimum":1},"deep":{"type":"array","items":{"type":"string"}}},"required":["path"],"additionalProperties":false}`),
	}
}

// Ask is a request with one tool and one message.
func Ask() *agent.Request {
	return &agent.Request{
		System: "You measure files.", Tools: []tool.Definition{Tool("measure")},
		Messages: []agent.Message{{Author: agent.User, Text: "How long is app.log?"}},
	}
}
