//go:build unix

package kill

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// thinker is every agent's model. What it answers follows from the seed and from the conversation: nothing of it is in memory, so
// that after a kill it goes on as it would have.
type thinker struct {
	seed  uint64
	tired atomic.Bool  // it answers without calls, so that all becomes quiet
	early func()       // is called for every request, before its answer
	left  atomic.Int64 // requests until it is tired

	obedient bool                 // it does what users say
	waits    func(agent.Identity) // is called for one that waits
}

// obey does what a user says: it starts a child with a task, sends to one, lists all. A child waits, or starts one that waits, where
// that is its task.
func (m *thinker) obey(ctx context.Context, req *agent.Request) (*agent.Response, error) {
	last := req.Messages[len(req.Messages)-1]
	word, id, _ := strings.Cut(last.Text, " ")
	switch {
	case last.Author == agent.User && word == "start":
		return &agent.Response{Calls: []agent.Call{call("call", "subagent", args{"description": id, "prompt": id})}, Stop: agent.StopCalls}, nil
	case last.Author == agent.Coordinator && last.Text == "delegate":
		return &agent.Response{Calls: []agent.Call{call("call", "subagent", args{"description": "leaf", "prompt": "wait"})}, Stop: agent.StopCalls}, nil
	case last.Author == agent.Coordinator && last.Text == "wait":
		m.waits(req.Agent)
		<-ctx.Done()
		return nil, ctx.Err()
	case last.Author == agent.User && word == "list":
		return &agent.Response{Calls: []agent.Call{call("call", "list_agents", args{"scope": "descendants"})}, Stop: agent.StopCalls}, nil
	case last.Author == agent.User && word == "send":
		return &agent.Response{Calls: []agent.Call{call("call", "send_message", args{"subagent_id": id, "message": "more"})}, Stop: agent.StopCalls}, nil
	}
	text := "I have read:"
	for i := len(req.Messages); i > 0 && req.Messages[i-1].Author != agent.Assistant; i-- {
		text += " " + req.Messages[i-1].Text
	}
	return &agent.Response{Text: text, Stop: agent.StopEnd}, nil
}

func (m *thinker) Generate(ctx context.Context, req *agent.Request, _ func(agent.Delta)) (*agent.Response, error) {
	m.early()
	if m.obedient {
		return m.obey(ctx, req)
	}
	if m.left.Add(-1) == 0 {
		m.tired.Store(true)
	}
	n := len(req.Messages)
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s %d", m.seed, req.Agent.ID, n)
	rng := rand.New(rand.NewPCG(h.Sum64(), m.seed))
	p := rng.IntN(100)
	switch {
	case p < 2:
		return nil, errors.New("the provider is down")
	case p < 4:
		return &agent.Response{Text: "I will not", Stop: agent.StopRefused}, nil
	case p < 5:
		return &agent.Response{Stop: agent.StopEnd}, nil
	case m.tired.Load() || p < 25+15*req.Agent.Depth:
		return &agent.Response{Text: fmt.Sprintf("answer %d of %s", n, req.Agent.ID), Stop: agent.StopEnd}, nil
	}
	var calls []agent.Call
	for i := range 1 + rng.IntN(3) {
		calls = append(calls, m.call(req, rng, fmt.Sprintf("call_%d", i+1)))
	}
	return &agent.Response{Calls: calls, Stop: agent.StopCalls}, nil
}

// call makes one call, of a tool that is there.
func (m *thinker) call(req *agent.Request, rng *rand.Rand, id string) agent.Call {
	there := func(name string) bool {
		return slices.ContainsFunc(req.Tools, func(d tool.Definition) bool { return d.Name == name })
	}
	kids, jobs := started(req.Messages, "Started subagent "), started(req.Messages, "Started job ")
	text := func(what string) string {
		return fmt.Sprintf("%s %d.%s of %s", what, len(req.Messages), id, req.Agent.ID)
	}
	for {
		switch p := rng.IntN(100); {
		case p < 30:
			return call(id, []string{"effect", "probe"}[rng.IntN(2)], args{})
		case p < 55 && there("subagent"):
			return call(id, "subagent", args{"description": text("child"), "prompt": text("task"), "run_in_background": rng.IntN(5) > 0})
		case p < 60 && there("work"):
			return call(id, "work", args{"description": text("job"), "prompt": text("work"), "run_in_background": rng.IntN(4) > 0})
		case p < 70 && there("report"):
			return call(id, "report", args{"output": text("finding")})
		case p < 85 && there("send_message") && len(kids) > 0:
			return call(id, "send_message", args{"subagent_id": kids[rng.IntN(len(kids))], "message": text("more")})
		case p < 92 && there("interrupt_agent") && len(kids) > 0:
			return call(id, "interrupt_agent", args{"agent_id": kids[rng.IntN(len(kids))]})
		case p < 96 && there("list_agents"):
			return call(id, "list_agents", args{"scope": "descendants"})
		case p < 98 && there("job_output") && len(jobs) > 0:
			return call(id, "job_output", args{"job_id": jobs[rng.IntN(len(jobs))], "wait": true})
		case p >= 98:
			return call(id, "no_such_tool", args{})
		}
	}
}

type args map[string]any

func call(id, name string, a args) agent.Call {
	data, err := json.Marshal(a)
	if err != nil {
		data = nil // it has strings and booleans only
	}
	return agent.Call{ID: id, Name: name, Arguments: string(data)}
}

// started are the ids that results of a conversation name after a prefix.
func started(messages []agent.Message, prefix string) (ids []string) {
	for _, m := range messages {
		if rest, ok := strings.CutPrefix(m.Text, prefix); ok && m.Author == agent.ToolResult {
			id, _, _ := strings.Cut(rest, " ")
			ids = append(ids, id)
		}
	}
	return ids
}
