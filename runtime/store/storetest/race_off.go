//go:build !race

package storetest

// detector says that the race detector is on.
const detector = false
