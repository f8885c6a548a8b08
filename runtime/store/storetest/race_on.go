//go:build race

package storetest

// detector says that the race detector is on. It makes everything some ten times slower, so what it cannot see is tried less
// often: steps of one goroutine, one after the other.
const detector = true
