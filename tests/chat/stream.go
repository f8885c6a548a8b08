package chat

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/toolgen-dev/toolgen/runtime/agent"
)

// stream writes an answer as server-sent events.
type stream struct {
	w     http.ResponseWriter
	model string
	begun bool
}

// chunk is one event.
type chunk struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
}

type choice struct {
	Index        int     `json:"index"`
	Delta        piece   `json:"delta"`
	FinishReason *string `json:"finish_reason"`
}

type piece struct {
	Role      string `json:"role,omitempty"`
	Content   string `json:"content,omitempty"`
	ToolCalls []call `json:"tool_calls,omitempty"`
}

type usage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
}

func (s *stream) send(c chunk) {
	if !s.begun {
		s.w.Header().Set("Content-Type", "text/event-stream")
		s.begun = true
	}
	c.ID, c.Object, c.Model = "answer", "chat.completion.chunk", s.model
	data, err := json.Marshal(c)
	if err != nil {
		panic(http.ErrAbortHandler) // our own struct; the client sees a broken connection
	}
	_, _ = fmt.Fprintf(s.w, "data: %s\n\n", data)
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

// delta sends a piece.
func (s *stream) delta(d agent.Delta) {
	p := piece{Role: "assistant", Content: d.Text}
	if d.Call != nil {
		c := call{Index: d.Call.Index, ID: d.Call.ID, Type: "function"}
		c.Function.Name, c.Function.Arguments = d.Call.Name, d.Call.Arguments
		p.ToolCalls = []call{c}
	}
	s.send(chunk{Choices: []choice{{Delta: p}}})
}

// end sends why the answer ends.
func (s *stream) end(res *agent.Response) {
	reason := map[agent.Stop]string{agent.StopTokenLimit: "length", agent.StopRefused: "content_filter", agent.StopCalls: "tool_calls"}[res.Stop]
	if reason == "" {
		reason = "stop"
	}
	s.send(chunk{Choices: []choice{{FinishReason: &reason}}})
	u := res.Usage
	s.send(chunk{Choices: []choice{}, Usage: &usage{u.Input, u.Output, u.Input + u.Output}})
	_, _ = fmt.Fprint(s.w, "data: [DONE]\n\n")
}

// fail answers with an error that is not worth another try, or ends a stream in the middle.
func (s *stream) fail(err error) {
	if s.begun {
		panic(http.ErrAbortHandler)
	}
	s.w.Header().Set("Content-Type", "application/json")
	s.w.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(s.w).Encode(map[string]any{"error": map[string]any{"message": err.Error(), "type": "script"}})
}
