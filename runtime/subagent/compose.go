package subagent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// composition is what a conversation was created with, and runs with each time that it becomes resident. The store keeps it
// as it is.
type composition struct {
	Version  int       `json:"v"`
	Tools    []string  `json:"tools"` // the mounted names of what it may use
	Sections []section `json:"sections,omitempty"`
	Model    string    `json:"model,omitempty"`
	Inherit  *inherit  `json:"inherit,omitempty"`
}

const compositionVersion = 1

// section is one of the host's sections of the system prompt.
type section struct {
	ID    string  `json:"id"`
	Order float64 `json:"order"`
	Text  string  `json:"text"`
}

// inherit says what the conversation began with: another one's messages up to an entry. Logs only grow, so they are read
// where they are, and not copied.
type inherit struct {
	From store.ID `json:"from"`
	UpTo int64    `json:"upTo"`
}

func (c composition) encode() json.RawMessage {
	c.Version = compositionVersion
	data, err := json.Marshal(c)
	if err != nil {
		return nil // strings and numbers always can be written
	}
	return data
}

// problemOf says what keeps a stored conversation from being read; the composition is good where it is empty.
func problemOf(c store.Conversation) (composition, store.Problem) {
	if c.Problem != "" {
		return composition{}, c.Problem
	}
	var comp composition
	if err := json.Unmarshal(c.Composition, &comp); err != nil {
		return comp, store.Corrupt
	}
	if comp.Version < 1 || comp.Version > compositionVersion {
		return comp, store.Unsupported
	}
	return comp, ""
}

// childOf is the composition of a child that an agent starts.
func (s *Service) childOf(p *resident, d *Delegation, kind store.Kind, asked int64) composition {
	comp := composition{Model: p.comp.Model, Sections: p.comp.Sections}
	if d.Model != "" {
		comp.Model = d.Model
	}
	if d.Persona != "" {
		comp.Sections = []section{{ID: "agent:persona", Order: 0, Text: d.Persona}}
	}
	depth := p.conv.Depth + 1
	delegates := false
	for _, t := range p.view.Scope().Tools() {
		if !d.lets(t.Name) || s.reports(t.Name) {
			continue
		}
		if other := s.delegations[t.Name]; other != nil {
			if other.maxDepth() <= depth {
				continue // it could start nothing
			}
			delegates = true
		}
		comp.Tools = append(comp.Tools, t.Name)
	}
	if !delegates {
		// What serves those who delegate serves nobody here.
		comp.Tools = slices.DeleteFunc(comp.Tools, func(name string) bool { return s.control[name] })
	}
	if kind == store.Continuable && s.reporting {
		comp.Tools = append(comp.Tools, reportName)
	}
	if d.inherits() {
		comp.Inherit = &inherit{From: p.conv.ID, UpTo: asked - 1}
	}
	return comp
}

// lets reports whether the restriction lets a child have a tool.
func (d *Delegation) lets(name string) bool {
	return (d.Allow == nil || slices.Contains(d.Allow, name)) && !slices.Contains(d.Deny, name)
}

// outfit is what an agent becomes resident with.
type outfit struct {
	comp   composition
	view   *agent.View
	model  agent.Model
	before []agent.Message
	log    *agent.History // of a conversation that is resumed
}

// outfit makes what a composition says.
func (s *Service) outfit(ctx context.Context, kind store.Kind, comp composition) (*outfit, error) {
	model, err := s.cfg.Models(comp.Model)
	if err != nil {
		return nil, fmt.Errorf("subagent: the model %q: %w", comp.Model, err)
	}
	view, err := s.view(kind, comp)
	if err != nil {
		return nil, err
	}
	o := &outfit{comp: comp, view: view, model: model}
	if comp.Inherit != nil {
		if o.before, err = s.inherited(ctx, *comp.Inherit); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// inherited reads the messages that a conversation began with, those that the other one had inherited first.
func (s *Service) inherited(ctx context.Context, from inherit) ([]agent.Message, error) {
	c, err := s.cfg.Store.Get(ctx, from.From)
	if err != nil {
		return nil, err
	}
	comp, problem := problemOf(c)
	if problem != "" {
		return nil, fmt.Errorf("subagent: the conversation %s, which this one began with: %s", from.From, problem)
	}
	var before []agent.Message
	if comp.Inherit != nil {
		if before, err = s.inherited(ctx, *comp.Inherit); err != nil {
			return nil, err
		}
	}
	if from.UpTo <= 0 {
		return before, nil
	}
	h, err := agent.Load(ctx, s.cfg.Store, from.From, from.UpTo)
	if err != nil {
		return nil, err
	}
	return append(before, h.Messages...), nil
}

// viewKey is what a view depends on.
type viewKey struct {
	kind      store.Kind
	inherited bool
	comp      string
}

// maxViews bounds how many views are kept for agents to come.
const maxViews = 256

// view makes a view, or finds the one that agents of the same composition have.
func (s *Service) view(kind store.Kind, comp composition) (*agent.View, error) {
	inherited := comp.Inherit != nil
	comp.Inherit, comp.Model = nil, ""
	k := viewKey{kind, inherited, string(comp.encode())}
	s.viewsMu.Lock()
	defer s.viewsMu.Unlock()
	if v := s.views[k]; v != nil {
		return v, nil
	}
	scope, err := s.scope(comp.Tools)
	if err != nil {
		return nil, err
	}
	var host []tool.PromptSection
	for _, x := range comp.Sections {
		host = append(host, tool.PromptSection{ID: x.ID, Order: x.Order, Text: x.Text})
	}
	receives := agent.Receives{Coordinator: kind != store.Root, Notices: inherited}
	for _, t := range scope.Tools() {
		if d := s.delegations[t.Name]; d != nil && d.continuable() {
			receives.Notices = true
		}
	}
	if guide, ok := agent.Guide(receives); ok {
		host = append(host, guide)
	}
	if len(s.views) >= maxViews {
		clear(s.views)
	}
	v := agent.NewView(scope, host, s.cfg.Dispatch...)
	s.views[k] = v
	return v, nil
}

// scope shows the tools of these names. One that is not mounted any more is left out: a deployment that took a tool away
// does not give it to conversations of before.
func (s *Service) scope(names []string) (*tool.Scope, error) {
	all, err := s.cfg.Tools.Scope()
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	for _, t := range all.Tools() {
		there[t.Name] = true
	}
	var visible []string
	for _, n := range names {
		if there[n] {
			visible = append(visible, n)
		}
	}
	return all.Scope(tool.Allow(visible...))
}
