// Package cli is toolgen's command line: it runs the stages in order and prints what they return.
//
// Exit codes: 0 clean, 1 findings, 2 could not run. Findings go to the standard output (they are what was asked for),
// errors that keep a command from running to the standard error.
package cli

import (
	"errors"
	"fmt"
	"io"

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
}

// Run runs one command and returns its exit code.
func Run(args []string, env Env) int {
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
	root.PersistentFlags().StringVarP(&a.dir, "dir", "C", ".", "run in this folder; the project is the nearest folder at or above it with a go.mod")
	root.AddCommand(a.generate(), a.check(), a.catalog(), a.explain())
	return root
}

// formatFlag adds the flag that chooses how findings are printed.
func (a *app) formatFlag(c *cobra.Command) {
	c.Flags().StringVar(&a.format, "format", string(diag.FormatText), "how findings are printed: text, json or ci (annotations of a hosted CI)")
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
	if len(sorted) > 0 {
		return errFindings
	}
	return nil
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
			page, ok := diag.Explain(args[0])
			if !ok {
				ids := make([]string, 0, len(diag.Rules()))
				for _, r := range diag.Rules() {
					ids = append(ids, r.ID)
				}
				if near, found := diag.Nearest(args[0], ids); found {
					return fmt.Errorf("there is no rule %q; did you mean %s?", args[0], near)
				}
				return fmt.Errorf("there is no rule %q; toolgen explain lists them", args[0])
			}
			_, err := io.WriteString(a.env.Stdout, page)
			return err
		},
	}
}
