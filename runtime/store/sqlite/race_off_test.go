//go:build !race

package sqlite

// detector says that the race detector is on.
const detector = false
