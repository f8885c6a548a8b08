package subagent

import (
	"context"
	"errors"
	"fmt"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// Entry is an agent in a listing, for user interfaces and other programs. What a model is shown is made from it.
type Entry struct {
	ID       store.ID
	Parent   store.ID
	Kind     store.Kind
	Label    string
	Depth    int // below the conversation that was asked for: 1 for a child
	Activity agents.AgentActivity
	Driving  bool // whether a turn is in progress
	Outcome  agents.RunOutcome
	Problem  agents.AgentProblem // where not empty: why nothing but the id can be relied on
	Below    agents.AgentProblem // where not empty: why what it has started could not be listed
}

// Children lists the agents that a conversation has started, in the order of their start.
func (s *Service) Children(ctx context.Context, of store.ID) ([]Entry, error) {
	return s.list(ctx, of, false)
}

// Descendants lists the whole tree below a conversation in pre-order.
func (s *Service) Descendants(ctx context.Context, of store.ID) ([]Entry, error) {
	return s.list(ctx, of, true)
}

// list lists children, or descendants. What cannot be read is an entry with a problem, and hides nobody else.
func (s *Service) list(ctx context.Context, of store.ID, deep bool) ([]Entry, error) {
	var out []Entry
	err := s.walk(ctx, of, 1, deep, &out)
	return out, err
}

// page is how many children are read at once.
const page = 256

func (s *Service) walk(ctx context.Context, parent store.ID, depth int, deep bool, out *[]Entry) error {
	for after := store.ID(""); ; {
		children, err := s.cfg.Store.Children(ctx, parent, after, page)
		if err != nil {
			return err
		}
		for _, c := range children {
			after = c.ID
			*out = append(*out, s.entry(c, depth))
			if !deep {
				continue
			}
			at := len(*out) - 1
			if err := s.walk(ctx, c.ID, depth+1, true, out); err != nil {
				if ctx.Err() != nil || errors.Is(err, store.ErrClosed) {
					return err
				}
				if !errors.Is(err, store.ErrUnknown) { // else it was deleted meanwhile
					(*out)[at].Below = agents.AgentProblemUnavailable
				}
			}
		}
		if len(children) < page {
			return nil
		}
	}
}

func (s *Service) entry(c store.Conversation, depth int) Entry {
	e := Entry{
		ID: c.ID, Parent: c.Parent, Kind: c.Kind, Label: c.Label, Depth: depth,
		Activity: agents.AgentActivityInactive, Outcome: agents.RunOutcome(c.Outcome),
	}
	if _, problem := problemOf(c); problem != "" {
		e.Problem = agents.AgentProblem(problem)
	}
	if c.Resident {
		e.Activity, e.Driving = agents.AgentActivityRunning, s.driving(c)
	}
	return e
}

// listAgents carries out a call of `list_agents`: the continuable ones, with the words that a model is given.
func (s *Service) listAgents(ctx context.Context, _ tool.Call, args agents.ListAgentsArgs) (agents.ListAgentsResult, error) {
	_, p, err := s.caller(ctx)
	if err != nil {
		return nil, err
	}
	deep := args.Scope == agents.ListAgentsScopeDescendants
	entries, err := s.list(ctx, p.conv.ID, deep)
	if err != nil {
		return nil, err
	}
	var listing agents.ListAgentsListing
	for _, e := range entries {
		switch {
		case e.Problem != "":
			listing.Problems = append(listing.Problems, agents.ListAgentsListingProblemsItem{ID: string(e.ID), Problem: e.Problem})
		case e.Kind == store.Continuable:
			status := agents.AgentStatusFrom(e.Activity, e.Driving)
			if status == "" {
				return nil, fmt.Errorf("subagent: no status for %q", e.Activity)
			}
			item := agents.ListAgentsListingAgentsItem{ID: string(e.ID), Status: status, Label: e.Label}
			if deep {
				item.Parent, item.Depth = tool.Some(string(e.Parent)), tool.Some(int64(e.Depth))
			}
			listing.Agents = append(listing.Agents, item)
		}
		if e.Below != "" && e.Problem == "" {
			listing.Problems = append(listing.Problems, agents.ListAgentsListingProblemsItem{ID: string(e.ID), Problem: e.Below})
		}
	}
	return listing, nil
}
