package load

import (
	"sync"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// progress is where an evaluation is, for whoever watches it from another goroutine.
type progress struct {
	mu   sync.Mutex
	pos  diag.Position
	path string
}

func (p *progress) set(pos diag.Position, path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pos, p.path = pos, path
}

func (p *progress) get() (diag.Position, string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pos, p.path
}
