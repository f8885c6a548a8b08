//go:build race

package decode

// raceEnabled tells that the race detector is on: it makes pools forget, and allocates.
const raceEnabled = true
