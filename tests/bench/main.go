// Command bench measures how tool calls' arguments are read, by toolgen and by others, on the same schemas and bytes; what
// dispatching them costs, and what scopes cost. It prints Markdown tables of medians, with ratios to json.Valid.
//
//	go run . -rounds 101
//
// The peers take turns within each round, so that a slow minute of the machine meets all of them. Before anything is
// measured, each must accept what is valid and, if it validates, refuse what is not: nothing is measured that does
// nothing.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

func main() {
	err := run(os.Stdout, os.Stderr, os.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// settings are what the flags say.
type settings struct {
	rounds int
	slice  time.Duration
	peers  []peer
}

// run measures what the flags ask for, and writes the tables to out and its progress to log.
func run(out, log io.Writer, args []string) error {
	set, err := parse(log, args)
	if err != nil {
		return err
	}
	var pages []string
	for _, part := range []struct {
		name string
		make func(settings) (string, error)
	}{
		{"arguments", arguments}, {"what is accepted", accepted}, {"dispatch", dispatches}, {"scopes", scopes},
	} {
		fmt.Fprintln(log, part.name)
		page, err := part.make(set)
		if err != nil {
			return err
		}
		pages = append(pages, page)
	}
	_, err = io.WriteString(out, strings.Join(pages, "\n"))
	return err
}

func parse(log io.Writer, args []string) (settings, error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(log)
	var set settings
	flags.IntVar(&set.rounds, "rounds", 51, "rounds in which everything has its turn")
	flags.DurationVar(&set.slice, "slice", 5*time.Millisecond, "how long a turn is")
	names := flags.String("peers", strings.Join(peerNames(), ","), "who is measured; json.Valid always is")
	if err := flags.Parse(args); err != nil {
		return set, err
	}
	if flags.NArg() > 0 {
		return set, fmt.Errorf("argument %q: there are only flags", flags.Arg(0))
	}
	if set.rounds < 1 || set.slice <= 0 {
		return set, fmt.Errorf("-rounds %d, -slice %s: at least one round of some length", set.rounds, set.slice)
	}
	set.peers = peers[:1:1] // the yardstick
	for name := range strings.SplitSeq(*names, ",") {
		i := slices.IndexFunc(peers, func(p peer) bool { return p.name == name })
		switch {
		case i < 0:
			return set, fmt.Errorf("-peers: there is no %q; there are %s", name, strings.Join(peerNames(), ", "))
		case i > 0:
			set.peers = append(set.peers, peers[i])
		}
	}
	return set, nil
}

func peerNames() []string {
	var names []string
	for _, p := range peers {
		names = append(names, p.name)
	}
	return names
}
