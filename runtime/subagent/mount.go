package subagent

import (
	"context"
	"fmt"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/job"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// The mounted names of the tools beside `subagent`, which deployments do not rename.
const (
	listName      = "list_agents"
	sendName      = "send_message"
	interruptName = "interrupt_agent"
	reportName    = "report"
)

// mount puts the tools of agents into the registry: those that some delegation has use for.
func (s *Service) mount() error {
	continuable, jobs := false, false
	for i := range s.cfg.Delegations {
		d := s.cfg.Delegations[i]
		if s.delegations[d.name()] != nil {
			return fmt.Errorf("subagent: two delegations have the name %q", d.name())
		}
		s.delegations[d.name()] = &d
		continuable = continuable || d.continuable()
		jobs = jobs || d.jobs()
		opts := []tool.MountOption{tool.As(d.name())}
		if d.Primary || len(s.cfg.Delegations) == 1 {
			opts = append(opts, tool.Primary())
		}
		handle := func(ctx context.Context, call tool.Call, args agents.SubagentArgs) (agents.SubagentResult, error) {
			return s.start(ctx, &d, call, args)
		}
		if err := agents.MountSubagent(s.cfg.Tools, d.Options, handle, opts...); err != nil {
			return err
		}
	}
	if continuable {
		if err := s.mountContinuable(); err != nil {
			return err
		}
	}
	if jobs {
		if err := job.Mount(s.cfg.Tools, s.cfg.Store, s); err != nil {
			return err
		}
		for _, name := range job.Names() {
			s.control[name] = true
		}
	}
	return nil
}

func (s *Service) mountContinuable() error {
	if err := agents.MountListAgents(s.cfg.Tools, agents.ListAgentsOptions{}, s.listAgents); err != nil {
		return err
	}
	if err := agents.MountSendMessage(s.cfg.Tools, agents.SendMessageOptions{}, s.sendMessage); err != nil {
		return err
	}
	if err := agents.MountInterruptAgent(s.cfg.Tools, agents.InterruptAgentOptions{}, s.interruptAgent); err != nil {
		return err
	}
	if err := agents.MountReport(s.cfg.Tools, s.cfg.Report, s.report); err != nil {
		return err
	}
	s.control[listName], s.control[sendName], s.control[interruptName] = true, true, true
	s.reporting = true
	return nil
}

// reports reports whether a tool is `report`.
func (s *Service) reports(name string) bool { return s.reporting && name == reportName }

// maxDepth is how deep the delegation's children may be.
func (d *Delegation) maxDepth() int {
	n, _ := d.Options.Resolved().MaxDepth.Get()
	return int(n)
}

// inherits reports whether the children begin with a copy of their parent's conversation.
func (d *Delegation) inherits() bool {
	return d.Options.Resolved().History == agents.SubagentHistoryInherited
}

// noTool is the error for a name in a restriction that no tool has: the registry's, which says what is near.
func (s *Service) noTool(whose, name string) error {
	_, err := s.cfg.Tools.Scope(tool.Deny(name))
	return fmt.Errorf("subagent: the restriction of %s: %w", whose, err)
}

// check makes the scope of every delegation's children once, so that a deployment that cannot have them fails at once.
func (s *Service) check() error {
	all, err := s.cfg.Tools.Scope()
	if err != nil {
		return err
	}
	known := map[string]bool{}
	var names []string
	for _, t := range all.Tools() {
		known[t.Name] = true
		names = append(names, t.Name)
	}
	for name, d := range s.delegations {
		for _, n := range append(append([]string(nil), d.Allow...), d.Deny...) {
			if !known[n] {
				return s.noTool(name, n)
			}
		}
		var visible []string
		for _, n := range names {
			if d.lets(n) || s.reports(n) {
				visible = append(visible, n)
			}
		}
		if _, err := all.Scope(tool.Allow(visible...)); err != nil {
			return fmt.Errorf("subagent: the children of %s: %w", name, err)
		}
	}
	return nil
}

// kindOf is the kind of a call's child.
func (d *Delegation) kindOf(args agents.SubagentArgs) store.Kind {
	switch {
	case !args.RunInBackground:
		return store.Foreground
	case d.continuable():
		return store.Continuable
	}
	return store.Job
}
