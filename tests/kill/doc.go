// Package kill kills real processes that run trees of agents over one SQLite file, at hundreds of random points, and checks what
// they leave.
//
// The test binary is also the process: it runs a [subagent.Service] with a model whose answers follow from a seed and from the
// conversation alone, so that one that was killed goes on as it would have. It keeps the effects of its tools in a file of
// their own, and tells what was accepted on its output: what the store holds is compared with both. The checker knows the formats of
// the logs, and nothing of how the runtime keeps its promises; each of the tests' mutants has to be caught by it.
//
//	KILL_SEED=… go test ./tests/kill     # plays one again
//	KILL_TREES=… go test ./tests/kill    # more than the default
package kill
