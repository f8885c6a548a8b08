// Package job serves the tools for jobs: one-shot children that run in the background, and whose output is collected.
//
// A job is a conversation of the kind [store.Job]. Package subagent starts and runs them, and is this package's [Runner];
// nothing tells the parent when one ends, and none can be continued.
package job

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// Runner is who runs jobs.
type Runner interface {
	// Ended returns when a job has ended, or with the context's cause.
	Ended(ctx context.Context, id store.ID) error
	// Stop stops a job that runs in this process, with everything below it, and returns when it has ended.
	Stop(ctx context.Context, id store.ID) error
}

// Names returns the names of the tools.
func Names() []string { return []string{"job_output", "job_list", "job_kill"} }

// Mount puts the tools into a registry.
func Mount(reg *tool.Registry, s store.Store, runner Runner) error {
	j := jobs{s, runner}
	return errors.Join(
		agents.MountJobOutput(reg, agents.JobOutputOptions{}, j.output),
		agents.MountJobList(reg, agents.JobListOptions{}, j.list),
		agents.MountJobKill(reg, agents.JobKillOptions{}, j.kill),
	)
}

type jobs struct {
	store  store.Store
	runner Runner
}

// Status is the word for how a job stands.
func Status(c store.Conversation) agents.JobStatus {
	switch {
	case c.Resident:
		return agents.JobStatusRunning
	case c.Outcome == string(agent.Completed):
		return agents.JobStatusCompleted
	case c.Outcome == string(agent.Interrupted):
		return agents.JobStatusKilled
	}
	return agents.JobStatusFailed
}

// output carries out a call of `job_output`.
func (j jobs) output(ctx context.Context, _ tool.Call, args agents.JobOutputArgs) (agents.JobOutputResult, error) {
	c, err := j.find(ctx, args.JobID)
	if err != nil {
		return nil, err
	}
	if args.Wait && c.Resident {
		if err := j.runner.Ended(ctx, c.ID); err != nil {
			return nil, err
		}
		if c, err = j.store.Get(ctx, c.ID); err != nil {
			return nil, err
		}
	}
	res := agents.JobOutputOutput{ID: string(c.ID), Status: Status(c)}
	if !c.Resident && c.Text != "" {
		res.Output = tool.Some(c.Text)
	}
	return res, nil
}

// list carries out a call of `job_list`.
func (j jobs) list(ctx context.Context, _ tool.Call, _ agents.JobListArgs) (agents.JobListResult, error) {
	all, err := j.all(ctx)
	if err != nil {
		return nil, err
	}
	var listing agents.JobListListing
	for _, c := range all {
		listing.Items = append(listing.Items, agents.JobListListingItem{ID: string(c.ID), Status: Status(c), Label: c.Label})
	}
	return listing, nil
}

// kill carries out a call of `job_kill`.
func (j jobs) kill(ctx context.Context, _ tool.Call, args agents.JobKillArgs) (agents.JobKillResult, error) {
	c, err := j.find(ctx, args.JobID)
	if err != nil {
		return nil, err
	}
	if err := j.runner.Stop(ctx, c.ID); err != nil {
		return nil, err
	}
	now, err := j.store.Get(ctx, c.ID)
	if err != nil {
		return nil, fmt.Errorf("whether %s was stopped is not known: %w", c.ID, err)
	}
	if c = now; c.Resident {
		return nil, fmt.Errorf("%s runs in another process, and can be stopped only there", c.ID)
	}
	return agents.JobKillStopped{ID: string(c.ID), Status: Status(c)}, nil
}

// caller is the conversation for which a handler works.
func caller(ctx context.Context) (store.ID, error) {
	c, ok := agent.CallerOf(ctx)
	if !ok {
		return "", errors.New("job: the call comes from no agent")
	}
	return c.Agent().Identity().ID, nil
}

// find returns a job of the caller's, or an error that lists them.
func (j jobs) find(ctx context.Context, id string) (store.Conversation, error) {
	me, err := caller(ctx)
	if err != nil {
		return store.Conversation{}, err
	}
	c, err := j.store.Get(ctx, store.ID(id))
	if err == nil && c.Parent == me && c.Kind == store.Job {
		return c, nil
	}
	if err != nil && !errors.Is(err, store.ErrUnknown) {
		return c, err
	}
	all, err := j.all(ctx)
	if err != nil {
		return c, err
	}
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = string(c.ID)
	}
	if len(names) == 0 {
		return c, fmt.Errorf("%q is no job of yours: you have started none", id)
	}
	return c, fmt.Errorf("%q is no job of yours; those are %s", id, strings.Join(names, ", "))
}

// page is how many children are read at once.
const page = 256

// all returns the caller's jobs, oldest first.
func (j jobs) all(ctx context.Context) ([]store.Conversation, error) {
	me, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	var out []store.Conversation
	for after := store.ID(""); ; {
		children, err := j.store.Children(ctx, me, after, page)
		if err != nil {
			return nil, err
		}
		for _, c := range children {
			if after = c.ID; c.Kind == store.Job {
				out = append(out, c)
			}
		}
		if len(children) < page {
			return out, nil
		}
	}
}
