// Command toolgen generates Go, a tool catalog and prompt sections from the CUE contracts of an agent's tools, and
// checks that they agree. See toolgen help.
package main

import (
	"os"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/cli"
)

//go:generate go run . -C ../.. generate --full

func main() {
	os.Exit(cli.Run(os.Args[1:], cli.Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv}))
}
