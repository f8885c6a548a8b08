package assemble

import (
	"context"
	"slices"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/agent"
)

// Guard takes keys out of what a model is sent and answers: a server may repeat the one that it was sent, and what a model says
// is stored.
func (k Keys) Guard(m agent.Model) agent.Model {
	if len(k.secrets()) == 0 {
		return m
	}
	return guard{m, k}
}

type guard struct {
	model agent.Model
	keys  Keys
}

// Generate asks the model. The request is copied where it changes.
func (g guard) Generate(ctx context.Context, req *agent.Request, delta func(agent.Delta)) (*agent.Response, error) {
	sent := *req
	sent.System, sent.Messages = g.keys.Scrub(req.System), slices.Clone(req.Messages)
	for i := range sent.Messages {
		m := &sent.Messages[i]
		m.Text, m.Calls = g.keys.Scrub(m.Text), g.calls(m.Calls)
	}
	text := pieces{keys: g.keys, show: func(s string) { delta(agent.Delta{Text: s}) }}
	thought := pieces{keys: g.keys, show: func(s string) { delta(agent.Delta{Thought: s}) }}
	res, err := g.model.Generate(ctx, &sent, func(d agent.Delta) {
		if d.Thought == "" {
			thought.end()
		}
		if d.Text == "" {
			text.end()
		}
		thought.add(d.Thought)
		text.add(d.Text)
		if d.Call != nil {
			c := *d.Call
			c.Arguments = g.keys.Scrub(c.Arguments)
			delta(agent.Delta{Call: &c})
		}
	})
	thought.end()
	text.end()
	if res != nil {
		clean := *res
		clean.Text, clean.Calls = g.keys.Scrub(res.Text), g.calls(res.Calls)
		if extra := g.keys.Scrub(string(res.Extra)); extra != string(res.Extra) {
			clean.Extra = []byte(extra)
		}
		res = &clean
	}
	return res, err
}

func (g guard) calls(all []agent.Call) []agent.Call {
	all = slices.Clone(all)
	for i := range all {
		all[i].Arguments = g.keys.Scrub(all[i].Arguments)
	}
	return all
}

// pieces takes keys out of a text that comes in pieces. What may be the beginning of a key waits for more.
type pieces struct {
	keys Keys
	show func(string)
	held string
}

func (p *pieces) add(piece string) {
	if piece == "" {
		return
	}
	text := p.keys.Scrub(p.held + piece)
	hold := 0
	for _, key := range p.keys.secrets() {
		for n := min(len(key)-1, len(text)); n > hold; n-- {
			if strings.HasSuffix(text, key[:n]) {
				hold = n
			}
		}
	}
	p.held = text[len(text)-hold:]
	if show := text[:len(text)-hold]; show != "" {
		p.show(show)
	}
}

// end shows what waits: nothing follows it.
func (p *pieces) end() {
	if p.held != "" {
		p.show(p.held)
		p.held = ""
	}
}
