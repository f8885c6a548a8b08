package store

import "sync"

// Watchers is who watches a store: a part for those who write stores. Its zero value is ready.
type Watchers struct {
	mu     sync.Mutex
	all    map[*watcher]bool
	closed bool
}

// watcher hands changes to one function, in a goroutine of its own. Changes of one conversation that it has not yet
// handed on are one.
type watcher struct {
	changed func(ID)
	wake    chan struct{} // holds one token while something is pending
	stop    chan struct{}
	stopped sync.Once
	done    chan struct{}

	mu      sync.Mutex
	pending []ID
	known   map[ID]bool
}

// Watch is what [Store.Watch] says. After Close, it calls nothing.
func (w *Watchers) Watch(changed func(ID)) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return func() {}
	}
	one := &watcher{
		changed: changed, known: map[ID]bool{},
		wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	if w.all == nil {
		w.all = map[*watcher]bool{}
	}
	w.all[one] = true
	go one.run()
	return func() {
		w.mu.Lock()
		delete(w.all, one)
		w.mu.Unlock()
		one.end()
	}
}

// Changed hands conversations to everyone who watches, and returns at once.
func (w *Watchers) Changed(ids ...ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for one := range w.all {
		one.add(ids)
	}
}

// Watched says whether anybody watches.
func (w *Watchers) Watched() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.all) > 0
}

// Close ends all watching. No call follows it.
func (w *Watchers) Close() {
	w.mu.Lock()
	all := w.all
	w.all, w.closed = nil, true
	w.mu.Unlock()
	for one := range all {
		one.end()
	}
}

func (w *watcher) add(ids []ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range ids {
		if !w.known[id] {
			w.known[id] = true
			w.pending = append(w.pending, id)
		}
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *watcher) next() (ID, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.pending) == 0 {
		return "", false
	}
	id := w.pending[0]
	w.pending = w.pending[1:]
	delete(w.known, id)
	return id, true
}

func (w *watcher) run() {
	defer close(w.done)
	for {
		select {
		case <-w.stop:
			return
		case <-w.wake:
		}
		for id, some := w.next(); some; id, some = w.next() {
			select {
			case <-w.stop:
				return
			default:
				w.changed(id)
			}
		}
	}
}

func (w *watcher) end() {
	w.stopped.Do(func() { close(w.stop) })
	<-w.done
}
