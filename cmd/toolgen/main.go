// Command toolgen generates Go, a tool catalog and prompt sections from the CUE contracts of an agent's tools, and
// checks that they agree. See toolgen help.
package main

import (
	"os"
	"runtime/debug"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/cli"
)

//go:generate go run . -C ../.. generate --full

func main() {
	// A run is short and ends with the process: half as much memory again is a good price for fewer collections.
	debug.SetGCPercent(150)
	os.Exit(cli.Run(os.Args[1:], cli.Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv}))
}
