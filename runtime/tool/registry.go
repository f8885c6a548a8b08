package tool

import (
	"fmt"
	"slices"
	"sync"
)

// Registry holds mounted tools. Its methods are safe for concurrent use; a scope sees the tools that were mounted when
// it was made.
type Registry struct {
	mu     sync.RWMutex
	mounts []*mounted
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry { return &Registry{} }

// add enters a mount, unless its name is taken or reads the same as another one.
func (r *Registry) add(m *mounted) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, old := range r.mounts {
		if old.name == m.name {
			return fmt.Errorf("tool: a tool is mounted as %q already; mount this one with tool.As under another name", m.name)
		}
		if sameToReaders(old.name, m.name) {
			return fmt.Errorf("tool: the name %q reads like %q, which is mounted already: a model would mix them up", m.name, old.name)
		}
		if m.primary && old.primary && sameContract(old.contract, m.contract) {
			return fmt.Errorf("tool: %s has a primary mount already, %q", m.contract.Name, old.name)
		}
	}
	r.mounts = append(r.mounts, m)
	return nil
}

func sameContract(a, b *Contract) bool { return a.Name == b.Name && a.Package == b.Package }

// Scope returns the view that shows what all restrictions allow. Errors say what is wrong with the deployment: a
// restriction that names an unknown tool, a tool whose needs are not visible, several visible mounts of one tool without
// a primary one, or a tool that is left without a description.
func (r *Registry) Scope(restrictions ...Restriction) (*Scope, error) {
	r.mu.RLock()
	all := slices.Clone(r.mounts)
	r.mu.RUnlock()
	return newScope(all, restrictions, nil)
}

// Restriction narrows a scope. See [Allow] and [Deny].
type Restriction struct {
	names []string
	deny  bool
}

// Allow lets a scope show only the named tools, by their mounted names.
func Allow(names ...string) Restriction { return Restriction{names: slices.Clone(names)} }

// Deny hides the named tools, by their mounted names.
func Deny(names ...string) Restriction { return Restriction{names: slices.Clone(names), deny: true} }

// apply returns what the restriction leaves of the mounts.
func (r Restriction) apply(mounts []*mounted) ([]*mounted, error) {
	named := make(map[string]bool, len(mounts)) // of what is visible: whether the restriction names it
	for _, m := range mounts {
		named[m.name] = false
	}
	for _, n := range r.names {
		if _, ok := named[n]; !ok {
			return nil, fmt.Errorf("tool: a restriction names %q, which is not visible here%s", n, didYouMean(n, mounts))
		}
		named[n] = true
	}
	out := make([]*mounted, 0, len(mounts))
	for _, m := range mounts {
		if named[m.name] != r.deny {
			out = append(out, m)
		}
	}
	return out, nil
}
