// Package chat is a provider for tests: an HTTP server that speaks chat completions with streams, and plays a script in
// place of a model. Programs reach it as they reach a hosted or a local one, by a base URL; what goes over the wire is
// recorded, for people and for golden files.
//
// The protocol knows no agents. A conversation is known by its first message, and whose it is by the call that brought that
// message about: its label is the call's description.
package chat

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model/scripted"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// Server plays a script. URL is what a program takes as its base URL.
type Server struct {
	URL    string
	Script *scripted.Script

	mu            sync.Mutex
	conversations []*conversation
	started       map[string]agent.Identity // who is started by a prompt, from the calls that were answered
}

// conversation is one agent as the wire shows it.
type conversation struct {
	first     string
	identity  agent.Identity
	calls     int
	known     int // how many messages were recorded
	exchanges []exchange
}

// exchange is one request with its answer.
type exchange struct {
	system   string
	tools    []string
	messages []message
	answer   agent.Response
	err      error
}

// message is one of the protocol.
type message struct {
	Role       string `json:"role"`
	Content    string `json:"content"`
	ToolCallID string `json:"tool_call_id"`
	ToolCalls  []call `json:"tool_calls"`
}

type call struct {
	Index    int    `json:"index"`
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Function struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// request is what we read of a request.
type request struct {
	Model    string    `json:"model"`
	Stream   bool      `json:"stream"`
	Messages []message `json:"messages"`
	Tools    []struct {
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
}

// Serve starts a server for the time of a test.
func Serve(t testing.TB, script *scripted.Script) *Server {
	t.Helper()
	s := &Server{Script: script, started: map[string]agent.Identity{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.complete)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.URL = server.URL + "/v1"
	return s
}

// complete answers one request.
func (s *Server) complete(w http.ResponseWriter, r *http.Request) {
	var body request
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || !body.Stream || len(body.Messages) == 0 {
		http.Error(w, fmt.Sprintf(`{"error":{"message":"not a request for a stream: %v"}}`, err), http.StatusBadRequest)
		return
	}
	req, x := read(body)
	c := s.conversation(req, len(body.Messages), &x)
	req.Agent = c.identity

	out := stream{w: w, model: body.Model}
	s.mu.Lock()
	answered := c.calls
	s.mu.Unlock()
	res, err := s.Script.Generate(r.Context(), req, func(d agent.Delta) {
		if d.Call != nil {
			d.Call.ID = fmt.Sprintf("call_%d", answered+d.Call.Index+1) // unique in its conversation, as providers' are
		}
		out.delta(d)
	})
	if r.Context().Err() != nil {
		err = r.Context().Err()
	}
	s.record(c, x, res, err)
	if err != nil {
		out.fail(err)
		return
	}
	out.end(res)
}

// conversation finds whose a request is, and what is new in it.
func (s *Server) conversation(req *agent.Request, messages int, x *exchange) *conversation {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := string(req.Messages[0].Author) + "\x00" + req.Messages[0].Text
	i := slices.IndexFunc(s.conversations, func(c *conversation) bool { return c.first == first })
	if i < 0 {
		id, ok := s.started[req.Messages[0].Text]
		if !ok {
			id = agent.Identity{ID: "root", Kind: store.Root}
		}
		s.conversations = append(s.conversations, &conversation{first: first, identity: id})
		i = len(s.conversations) - 1
	}
	c := s.conversations[i]
	if c.known > 0 {
		x.system, x.tools = "", nil
	}
	x.messages = x.messages[min(c.known, len(x.messages)):]
	c.known = messages
	return c
}

// record keeps an exchange, and what the answer's calls will start.
func (s *Server) record(c *conversation, x exchange, res *agent.Response, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x.err = err; err == nil {
		x.answer = *res
		c.calls += len(res.Calls)
		c.known++ // the answer itself
		for _, call := range res.Calls {
			var args struct{ Description, Prompt string }
			if json.Unmarshal([]byte(call.Arguments), &args) == nil && args.Prompt != "" {
				s.started[args.Prompt] = agent.Identity{
					ID: store.ID(c.identity.ID + "/" + store.ID(args.Description)), Parent: c.identity.ID, Label: args.Description, Depth: c.identity.Depth + 1,
				}
			}
		}
	}
	c.exchanges = append(c.exchanges, x)
}

// frame is what a message from another agent is shown in, where its mark is the same at both ends.
var frame = regexp.MustCompile(`(?s)<message kind="(\w+)" from="([^"]*)" mark="([0-9a-f]+)">\n(.*?)\n</message mark="([0-9a-f]+)">`)

// read turns a request of the protocol into an agent's.
func read(body request) (*agent.Request, exchange) {
	req := &agent.Request{Model: body.Model}
	x := exchange{messages: body.Messages}
	for _, t := range body.Tools {
		req.Tools = append(req.Tools, tool.Definition{Name: t.Function.Name, Description: t.Function.Description, Parameters: t.Function.Parameters})
		x.tools = append(x.tools, t.Function.Name)
	}
	for _, m := range body.Messages {
		switch m.Role {
		case "system":
			req.System, x.system = m.Content, m.Content
		case "assistant":
			req.Messages = append(req.Messages, agent.Message{Author: agent.Assistant, Text: m.Content})
		case "tool":
			req.Messages = append(req.Messages, agent.Message{Author: agent.ToolResult, Call: m.ToolCallID, Text: m.Content})
		default:
			req.Messages = append(req.Messages, unframed(m.Content)...)
		}
	}
	return req, x
}

// unframed are the messages of a text in the user's role.
func unframed(text string) []agent.Message {
	var out []agent.Message
	user := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, agent.Message{Author: agent.User, Text: s})
		}
	}
	end := 0
	for _, m := range frame.FindAllStringSubmatchIndex(text, -1) {
		part := func(i int) string { return text[m[2*i]:m[2*i+1]] }
		if part(3) != part(5) {
			continue
		}
		user(text[end:m[0]])
		out = append(out, agent.Message{Author: agent.Author(part(1)), From: store.ID(part(2)), Text: part(4)})
		end = m[1]
	}
	user(text[end:])
	return out
}
