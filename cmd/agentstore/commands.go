package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/inspect"
	"github.com/toolgen-dev/toolgen/runtime/store/sqlite"
)

// The exit codes.
const (
	exitClean   = 0
	exitDamaged = 1
	exitFailed  = 2
)

// errDamage ends a command that has shown what is damaged.
type errDamage struct{ error }

// run runs one command and returns its exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	a := &app{}
	root := a.root()
	root.SetArgs(args)
	out := bufio.NewWriter(stdout)
	root.SetOut(out)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if flushed := out.Flush(); err == nil {
		err = flushed
	}
	if err == nil {
		return exitClean
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintln(stderr, "agentstore:", inspect.Text(line))
	}
	if errors.As(err, &errDamage{}) {
		return exitDamaged
	}
	return exitFailed
}

// app holds the flags that commands share.
type app struct {
	limit int
	local bool
	json  bool
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "agentstore",
		Short: "Show what a store of agents holds",
		Long: "agentstore shows what is in a SQLite file of background agents. It reads while processes use the file; only delete\n" +
			"writes to it. Characters that are not printable are escaped, since models have written the texts.\n\n" +
			"Exit codes: 0 clean, 1 something is damaged, 2 could not run.",
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.AddCommand(a.tree(), a.conversation(), a.outbox(), a.check(), a.backup(), a.delete())
	return root
}

// printing adds the flags of the commands that show something.
func (a *app) printing(c *cobra.Command) *cobra.Command {
	c.Flags().IntVar(&a.limit, "limit", 200, "how many characters of a text are shown; 0 for all")
	c.Flags().BoolVar(&a.local, "local", false, "tell times for this place instead of UTC")
	c.Flags().BoolVar(&a.json, "json", false, "one JSON object a line, for programs; nothing is cut")
	return c
}

func (a *app) printer(s store.Store) inspect.Printer {
	p := inspect.Printer{Store: s, Limit: max(a.limit, 0), JSON: a.json}
	if a.local {
		p.Location = time.Local
	}
	return p
}

func (a *app) tree() *cobra.Command {
	return a.printing(&cobra.Command{
		Use:   "tree FILE [ID]",
		Short: "Show a conversation and all that descend from it, one a line; without an id, all",
		Args:  arguments(1, 2),
		RunE: reading(func(c *cobra.Command, s store.Store, id store.ID) error {
			return a.printer(s).Tree(c.Context(), c.OutOrStdout(), id)
		}),
	})
}

func (a *app) conversation() *cobra.Command {
	return a.printing(&cobra.Command{
		Use:   "conversation FILE ID",
		Short: "Show one conversation: what it was made with, its log, and what waits for it",
		Args:  arguments(2, 2),
		RunE: reading(func(c *cobra.Command, s store.Store, id store.ID) error {
			return a.printer(s).Conversation(c.Context(), c.OutOrStdout(), id)
		}),
	})
}

func (a *app) outbox() *cobra.Command {
	return a.printing(&cobra.Command{
		Use:   "outbox FILE [ID]",
		Short: "Show the messages that are on their way to a conversation and its descendants; without an id, all",
		Args:  arguments(1, 2),
		RunE: reading(func(c *cobra.Command, s store.Store, id store.ID) error {
			return a.printer(s).Outbox(c.Context(), c.OutOrStdout(), id)
		}),
	})
}

func (a *app) check() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE",
		Short: "Read everything, and say all that is damaged",
		Args:  arguments(1, 1),
		RunE: reading(func(c *cobra.Command, s store.Store, _ store.ID) error {
			if err := s.(*sqlite.Store).Check(c.Context()); err != nil {
				return err
			}
			n := 0
			if err := store.Walk(c.Context(), s, "", func(store.Conversation) bool { n++; return true }); err != nil {
				return err
			}
			_, err := fmt.Fprintf(c.OutOrStdout(), "Nothing is damaged in %s.\n", counted(n))
			return err
		}),
	}
}

func (a *app) backup() *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE COPY",
		Short: "Write a copy of one moment into a new file",
		Args:  arguments(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			if _, err := os.Lstat(args[1]); !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%s is there already, and is not written over", args[1])
			}
			return with(args[0], func(s *sqlite.Store) error { return s.Backup(c.Context(), args[1]) }, sqlite.ReadOnly())
		},
	}
}

func (a *app) delete() *cobra.Command {
	return &cobra.Command{
		Use:   "delete FILE ID",
		Short: "Delete a conversation with all that descend from it; none of them may be resident",
		Args:  arguments(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			if _, err := os.Stat(args[0]); err != nil {
				return err // a store is not made to delete from it
			}
			return with(args[0], func(s *sqlite.Store) error { return remove(c, s, store.ID(args[1])) })
		},
	}
}

// remove deletes a tree.
func remove(c *cobra.Command, s store.Store, id store.ID) error {
	ctx := c.Context()
	if _, err := s.Get(ctx, id); err != nil {
		return explained(ctx, s, id, err)
	}
	n := 1
	if err := store.Walk(ctx, s, id, func(store.Conversation) bool { n++; return true }); err != nil {
		return err
	}
	err := s.Delete(ctx, id)
	var busy *store.BusyError
	if errors.As(err, &busy) {
		return fmt.Errorf("%q is not deleted: agents of its tree are resident (%d). Stop them first; those whose process has died end when a service with the store open finds that out", id, busy.Children)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "Deleted %s.\n", counted(n))
	return err
}

func counted(n int) string {
	if n == 1 {
		return "1 conversation"
	}
	return fmt.Sprintf("%d conversations", n)
}

// reading makes a command that opens the file of its first argument to read it; the second one is an id.
func reading(f func(c *cobra.Command, s store.Store, id store.ID) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		return with(args[0], func(s *sqlite.Store) error {
			id := store.ID("")
			if len(args) > 1 {
				id = store.ID(args[1])
				if id == "" {
					return errors.New("an id is not empty")
				}
			}
			err := f(c, s, id)
			switch {
			case errors.Is(err, store.ErrDamaged), errors.Is(err, store.ErrUnsupported):
				return errDamage{err}
			case errors.Is(err, store.ErrUnknown):
				return explained(c.Context(), s, id, err)
			}
			return err
		}, sqlite.ReadOnly())
	}
}

// with opens a store for a while.
func with(path string, f func(*sqlite.Store) error, opts ...sqlite.Option) (err error) {
	s, err := sqlite.Open(path, opts...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return f(s)
}

// arguments refuses others than a command takes, in words that say which those are.
func arguments(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return fmt.Errorf("the command is: %s", c.UseLine())
		}
		return nil
	}
}
