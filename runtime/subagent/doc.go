// Package subagent runs trees of agents over a store: roots that talk to a user, and children that a model starts, sends
// messages to, interrupts and hears from, by the contracts of gen/agents.
//
// A deployment is a [Config]: a store, the tools that agents may use, models, and the ways to delegate. [New] mounts the tools of
// agents beside those that are there.
//
//	reg := tool.NewRegistry()
//	err := files.MountSearch(reg, files.SearchOptions{}, search)
//	svc, err := subagent.New(subagent.Config{
//		Store: memory.New(), Tools: reg, Models: models,
//		Delegations: []subagent.Delegation{{
//			Options: agents.SubagentOptions{BackgroundMode: agents.SubagentBackgroundModeContinuable},
//		}},
//	})
//	root, err := svc.Create(ctx, subagent.RootSpec{})
//	err = root.Send(ctx, "What happened last night?", false)
//	err = root.Wait(ctx)            // until all is quiet
//	answer := root.Last().Text
//	err = svc.Close(ctx)
//
// # Residency
//
// A conversation is resident while a process holds its lease and runs its agent. A continuable child is from the message that
// begins an Activation until no turn of it runs, no message waits for it and no child of it is resident. Then it settles: the end
// in its log, the notice to its parent and the release of the lease are one step of the store, which refuses it while a message
// waits, so that nothing is lost at the finish line. The next message resumes it, with the composition that it was created with.
// Foreground children and jobs run the same way, once, and give no notice. A root stays until it is closed.
//
// An agent's context is its parent's: to stop one stops all below it. They settle from the leaves up, since each waits for its own.
//
// # Processes
//
// Several processes may share a store. Each says by a heartbeat that it lives, and looks for others that do not: the residencies
// of those end as lost, with their notices, and nothing is revived (see [Service.Recover]). A process that comes back is refused.
// An agent that lives in another process gets messages, is listed, and can be interrupted; it can be stopped only where it lives.
package subagent
