package subagent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// RootSpec is what a root is created with.
type RootSpec struct {
	Label string
	// Sections are the host's part of the system prompt: see [tool.PromptSection]. Their orders are below 100 where they are
	// to come before the tools' own.
	Sections []tool.PromptSection
	Model    string // the name of its model; empty is the default
	// Allow lets the root have these tools only, Deny hides tools, both by mounted name.
	Allow, Deny []string
}

// Root is a conversation with a user, resident in this process. Its methods are safe for concurrent use.
type Root struct {
	s *Service
	r *resident
}

// Create makes a root.
func (s *Service) Create(ctx context.Context, spec RootSpec) (*Root, error) {
	comp, err := s.rootComposition(spec)
	if err != nil {
		return nil, err
	}
	o, err := s.outfit(ctx, store.Root, comp)
	if err != nil {
		return nil, err
	}
	for {
		n := store.NewConversation{Kind: store.Root, Label: oneLine(spec.Label), Composition: comp.encode()}
		n.ID = s.cfg.NewID(n)
		lease, err := s.cfg.Store.Create(ctx, s.cfg.Process, n)
		if errors.Is(err, store.ErrExists) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return s.root(ctx, n.ID, lease, o)
	}
}

func (s *Service) rootComposition(spec RootSpec) (composition, error) {
	comp := composition{Model: spec.Model}
	for _, x := range spec.Sections {
		comp.Sections = append(comp.Sections, section{ID: x.ID, Order: x.Order, Text: x.Text})
	}
	all, err := s.cfg.Tools.Scope()
	if err != nil {
		return comp, err
	}
	var names []string
	for _, t := range all.Tools() {
		names = append(names, t.Name)
	}
	for _, n := range append(slices.Clone(spec.Allow), spec.Deny...) {
		if !slices.Contains(names, n) {
			return comp, s.noTool("the root", n)
		}
	}
	for _, n := range names {
		if (spec.Allow == nil || slices.Contains(spec.Allow, n)) && !slices.Contains(spec.Deny, n) && !s.reports(n) {
			comp.Tools = append(comp.Tools, n)
		}
	}
	return comp, nil
}

// Open makes a stored root resident, with the composition that it was created with. What waits for it begins no turn by
// itself: it comes with the first one that somebody starts.
func (s *Service) Open(ctx context.Context, id store.ID) (*Root, error) {
	c, err := s.cfg.Store.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if c.Kind != store.Root {
		return nil, fmt.Errorf("subagent: %s is no root", id)
	}
	comp, problem := problemOf(c)
	if problem != "" {
		return nil, fmt.Errorf("subagent: the stored conversation %s is %s", id, problem)
	}
	o, err := s.outfit(ctx, store.Root, comp)
	if err != nil {
		return nil, err
	}
	defer s.lock(id)()
	lease, err := s.acquireOnce(ctx, id)
	if errors.Is(err, store.ErrHeld) {
		// Whoever had it may have died. That another one cannot be ended is no matter here.
		recovered := s.Recover(ctx)
		if lease, err = s.acquireOnce(ctx, id); err != nil {
			err = errors.Join(err, recovered)
		}
	}
	if err != nil {
		return nil, err
	}
	if _, err := s.cfg.Store.Park(ctx, lease); err != nil {
		s.bury(c, lease, err)
		return nil, err
	}
	return s.root(ctx, id, lease, o)
}

func (s *Service) root(ctx context.Context, id store.ID, lease store.Lease, o *outfit) (*Root, error) {
	c, err := s.cfg.Store.Get(context.WithoutCancel(ctx), id)
	if err != nil {
		s.bury(store.Conversation{NewConversation: store.NewConversation{ID: id, Kind: store.Root}}, lease, err)
		return nil, err
	}
	r, err := s.spawn(c, lease, o, nil, nil, lease.Activation > 1)
	if err != nil {
		return nil, err
	}
	return &Root{s, r}, nil
}

// ID is the conversation's.
func (r *Root) ID() store.ID { return r.r.conv.ID }

// Send puts a user's message into the inbox of a root, which may be resident in another process, or in none.
func (s *Service) Send(ctx context.Context, root store.ID, text string) error {
	c, err := s.cfg.Store.Get(ctx, root)
	if err != nil {
		return err
	}
	if c.Kind != store.Root {
		return fmt.Errorf("subagent: %s is no root", root)
	}
	return s.user(ctx, root, NewMessageID(), text, store.Turn)
}

func (s *Service) user(ctx context.Context, root store.ID, id, text string, lane store.Lane) error {
	return s.cfg.Store.Send(ctx, store.Message{
		ID: id, To: root, Kind: store.FromUser, Lane: lane, Data: agent.Content{Text: text}.Encode(),
	})
}

// Send puts a user's message into the root's inbox. It begins a turn of its own, or, where it steers, joins the turn that runs
// at its next step.
func (r *Root) Send(ctx context.Context, text string, steer bool) error {
	lane := store.Turn
	if steer {
		lane = store.Step
	}
	return r.s.user(ctx, r.ID(), NewMessageID(), text, lane)
}

// Prompt sends a user's message and waits until the turn that it begins has ended, or until it is parked, since the turn before
// was interrupted. When it returns, no listing says that the turn runs: the root rests, or is in another turn that something else
// has begun. When the context ends first, the turn goes on.
func (r *Root) Prompt(ctx context.Context, text string) (agent.Claimed, error) {
	wait, err := r.Queue(ctx, NewMessageID(), text)
	if err != nil {
		return agent.Claimed{}, err
	}
	return wait(ctx)
}

// NewMessageID makes an id for [Root.Queue].
func NewMessageID() string { return "user/" + rand.Text() }

// Queue is the first half of [Root.Prompt]: it returns when the message is in the inbox, and wait is the second half, to be
// called once. The id is the message's: what the observer is told of it has this id.
func (r *Root) Queue(ctx context.Context, id, text string) (wait func(context.Context) (agent.Claimed, error), err error) {
	claimed, forget := r.r.agent.Expect(id)
	select {
	case <-r.r.done:
		err = agent.ErrStopped
	default:
		err = r.s.user(ctx, r.ID(), id, text, store.Turn)
	}
	if err != nil {
		forget()
		return nil, err
	}
	return func(ctx context.Context) (agent.Claimed, error) {
		defer forget()
		select {
		case c := <-claimed:
			return c, nil
		case <-r.r.done:
			select {
			case c := <-claimed: // its turn had ended when the root did
				return c, nil
			default:
				return agent.Claimed{}, agent.ErrStopped
			}
		case <-ctx.Done():
			return agent.Claimed{}, context.Cause(ctx)
		}
	}, nil
}

// Wait returns when all is quiet: no turn of the root runs, no message waits for it, and no child of it is resident.
// The observer has been told of every end.
func (r *Root) Wait(ctx context.Context) error {
	if err := r.r.agent.Quiet(ctx); err != nil {
		return err
	}
	for _, below := range r.s.tree(r.r) {
		below.agent.Wake()
		select {
		case <-below.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// Left lists the agents below the root that are resident: those that a run leaves that does not wait for them.
func (r *Root) Left(ctx context.Context) ([]Entry, error) {
	all, err := r.s.Descendants(ctx, r.ID())
	return slices.DeleteFunc(all, func(e Entry) bool { return e.Activity != agents.AgentActivityRunning }), err
}

// Last is how the last turn ended: after Wait, with the final answer.
func (r *Root) Last() agent.TurnEnd { return r.r.agent.Last() }

// Interrupt stops the turn in progress, and parks what waits. Children run on.
func (r *Root) Interrupt(ctx context.Context) (parked int, stopped bool, err error) {
	return r.r.agent.Interrupt(ctx)
}

// Close stops the root with its whole tree, and gives its lease back. The conversation can be opened again.
func (r *Root) Close(ctx context.Context) error { return r.s.Stop(ctx, r.ID()) }

// Done is closed when the root is not resident any more.
func (r *Root) Done() <-chan struct{} { return r.r.done }
