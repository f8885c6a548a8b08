package agent

import (
	"sync"
	"time"
)

// watchdog calls a function when nothing has happened for a while. While a call waits for another agent, which has a
// watchdog of its own, it sleeps.
type watchdog struct {
	mu      sync.Mutex
	bound   time.Duration
	timer   *time.Timer // nil where there is no bound
	waiting int
	stopped bool
}

func watch(bound time.Duration, stalled func()) *watchdog {
	w := &watchdog{bound: bound}
	if bound > 0 {
		w.timer = time.AfterFunc(bound, stalled)
	}
	return w
}

// pat says that something has happened.
func (w *watchdog) pat() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reset()
}

func (w *watchdog) reset() {
	if w.timer != nil && !w.stopped && w.waiting == 0 {
		w.timer.Reset(w.bound)
	}
}

// sleep keeps it from calling until wake is called.
func (w *watchdog) sleep() (wake func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting++; w.timer != nil {
		w.timer.Stop()
	}
	var once sync.Once
	return func() {
		once.Do(func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.waiting--
			w.reset()
		})
	}
}

func (w *watchdog) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	if w.timer != nil {
		w.timer.Stop()
	}
}
