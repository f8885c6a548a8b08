// Package subagent runs trees of agents over a store.
package subagent
