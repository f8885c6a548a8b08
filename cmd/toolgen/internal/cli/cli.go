// Package cli is toolgen's command line: it runs the stages in order and prints what they return.
//
// Exit codes: 0 clean, 1 findings, 2 could not run. Findings go to the standard output (they are what was asked for),
// errors that keep a command from running to the standard error.
package cli

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// The exit codes.
const (
	exitClean    = 0
	exitFindings = 1
	exitFailed   = 2
)

// Env is what a run takes from its surroundings.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
}

// errFindings ends a command whose findings were printed.
var errFindings = errors.New("findings")

// app holds the flags that all commands share.
type app struct {
	env    Env
	dir    string
	format string

	maxTime   time.Duration
	maxMemory uint64 // MiB
}

// Run runs one command and returns its exit code.
func Run(args []string, env Env) (code int) {
	defer func() {
		if p := recover(); p != nil {
			// A fault of toolgen: nothing was written, since writing comes last and rolls back.
			fmt.Fprintf(env.Stderr, "toolgen: internal fault: %v\n%s", p, debug.Stack())
			code = exitFailed
		}
	}()
	a := &app{env: env}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	err := root.Execute()
	switch {
	case err == nil:
		return exitClean
	case errors.Is(err, errFindings):
		return exitFindings
	}
	fmt.Fprintln(env.Stderr, "toolgen:", err)
	return exitFailed
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "toolgen",
		Short: "One contract per tool: Go, catalog and prompt that cannot drift apart",
		Long: "toolgen reads the tool contracts below spec/ and the prose below prompts/, and generates Go (gen/), the tool\n" +
			"catalog (catalog/) and a record of what was generated (toolgen.lock).\n\n" +
			"Exit codes: 0 clean, 1 findings, 2 could not run.",
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.Version = version()
	root.SetVersionTemplate("toolgen {{.Version}}\n")
	root.PersistentFlags().StringVarP(&a.dir, "dir", "C", ".", "run in this folder; the project is the nearest folder at or above it with a go.mod, or with a cue.mod and specs of its own")
	root.AddCommand(a.init(), a.generate(), a.check(), a.catalog(), a.explain(), a.version())
	return root
}

// formatFlag adds the flag that chooses how findings are printed.
func (a *app) formatFlag(c *cobra.Command) {
	c.Flags().StringVar(&a.format, "format", string(diag.FormatText), "how findings are printed: text, json or ci (annotations of a hosted CI)")
}

// boundFlags adds the flags that bound the evaluation of specs.
func (a *app) boundFlags(c *cobra.Command) {
	c.Flags().DurationVar(&a.maxTime, "max-time", 2*time.Minute, "how long the evaluation of the specs may take; 0 for no bound")
	c.Flags().Uint64Var(&a.maxMemory, "max-memory", 2048, "how many MiB it may need; 0 for no bound")
}

// report prints findings and says by its error whether there were any.
func (a *app) report(findings diag.Findings) error {
	format, err := diag.ParseFormat(a.format)
	if err != nil {
		return err
	}
	sorted := findings.Sorted()
	if len(sorted) == 0 && format == diag.FormatText {
		return nil
	}
	if err := diag.Print(a.env.Stdout, format, sorted); err != nil {
		return err
	}
	if len(sorted) == 0 {
		return nil
	}
	if format == diag.FormatText {
		if _, err := fmt.Fprintf(a.env.Stdout, "%s; toolgen explain RULE says more\n", count(len(sorted), "finding")); err != nil {
			return err
		}
	}
	return errFindings
}

// clean says in one line that there are no findings; in the formats for programs it is an empty list of them.
func (a *app) clean(line string) error {
	if a.format != string(diag.FormatText) {
		return a.report(nil)
	}
	_, err := fmt.Fprintln(a.env.Stdout, line)
	return err
}

// noArguments refuses arguments in words that say so; cobra's own take them for commands.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%s takes no arguments, and %q was given", c.Name(), args[0])
}

// ci reports whether the run is in a CI, where nothing is taken for unchanged without looking.
func (a *app) ci() bool {
	v := a.env.Getenv("CI")
	return v != "" && v != "false" && v != "0"
}

func (a *app) explain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [rule]",
		Short: "Say what a rule means and how to fix it; without a rule, list the rules",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				for _, r := range diag.Rules() {
					fmt.Fprintf(a.env.Stdout, "%-22s %s\n", r.ID, r.Summary)
				}
				return nil
			}
			rule := strings.TrimSuffix(strings.TrimPrefix(args[0], "["), "]") // as findings show it
			page, ok := diag.Explain(rule)
			if !ok {
				ids := make([]string, 0, len(diag.Rules()))
				for _, r := range diag.Rules() {
					ids = append(ids, r.ID)
				}
				if near, found := diag.Nearest(rule, ids); found {
					return fmt.Errorf("there is no rule %q; did you mean %s?", rule, near)
				}
				return fmt.Errorf("there is no rule %q; toolgen explain lists them", rule)
			}
			_, err := io.WriteString(a.env.Stdout, page)
			return err
		},
	}
}

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of toolgen's module",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.env.Stdout, "toolgen", version())
			return err
		},
	}
}

// version is that of the module from which the program was built; a build from a checkout has "(devel)" or a
// pseudo-version, as the go command says it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
