// Package tool runs tool contracts that toolgen generated: it puts tools into a registry, gives each agent a scope of
// them, and turns the calls of a model into results.
//
// A program mounts tools by the functions of a generated package, makes a scope, shows the model what the scope says,
// and hands back the calls, message by message:
//
//	reg := tool.NewRegistry()
//	err := agents.MountSubagent(reg, agents.SubagentOptions{}, start)
//	...
//	scope, err := reg.Scope(tool.Deny("job_kill"))
//	defs := scope.Tools()     // name, description, parameters: for the provider
//	prompt := scope.Prompt()  // the tools' sections of the system prompt
//	d := scope.Dispatcher(tool.WithLogger(logger))
//	...
//	results := d.Dispatch(ctx, calls)
//
// One scope decides schema, guidance and execution together: a tool that it hides has no definition, no section, and
// cannot be called, and whatever clause or section of another tool speaks of it is left out (see [Scope.Omitted]). The
// arguments that a handler sees were validated against the very tables from which the schema was made, with the
// defaults that the schema advertises applied.
//
// Every call has one result, in the order of the calls, whatever its arguments are and its handler does. Calls whose tools
// are safe run together, those of exclusive tools alone in their place.
//
// The values of parameters that the spec marks as secret appear in no problem, in no text of an error and in no log line.
// What holds them is said where it does: [CallResult.Err], [Invocation.Args] and [Invocation.Arguments].
//
// The package imports the standard library only. Its leaves are jsonscan (a strict JSON scanner), schema (what
// parameters allow, as data) and decode (the engine that generated decoders drive).
package tool
