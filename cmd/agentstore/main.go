// Command agentstore shows what a store of agents holds, in a SQLite file: conversations, their trees, and what is on its way. It
// reads while processes use the file, and changes nothing but by `delete`.
package main

import (
	"context"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
