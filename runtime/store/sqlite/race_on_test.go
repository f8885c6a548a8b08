//go:build race

package sqlite

// detector says that the race detector is on, which makes SQLite some ten times slower: what it cannot see, since it is
// after the end of a process or of one goroutine, is tried less often.
const detector = true
