// Package tool runs tool contracts that toolgen generated: it puts tools into a registry, gives each agent a scope of
// them, and turns one call of a model into one result.
//
// A program mounts tools by the functions of a generated package, makes a scope, shows the model what the scope says,
// and hands back the calls:
//
//	reg := tool.NewRegistry()
//	err := agents.MountSubagent(reg, agents.SubagentOptions{}, start)
//	...
//	scope, err := reg.Scope(tool.Deny("job_kill"))
//	defs := scope.Tools()     // name, description, parameters: for the provider
//	prompt := scope.Prompt()  // the tools' sections of the system prompt
//	res := scope.Call(ctx, tool.Call{ID: id, Name: name, Arguments: raw})
//
// One scope decides schema, guidance and execution together: a tool that it hides has no definition, no section, and
// cannot be called, and whatever clause or section of another tool speaks of it is left out (see [Scope.Omitted]). The
// arguments that a handler sees were validated against the very tables from which the schema was made, with the
// defaults that the schema advertises applied.
//
// The package imports the standard library only. Its leaves are jsonscan (a strict JSON scanner), schema (what
// parameters allow, as data) and decode (the engine that generated decoders drive).
package tool
