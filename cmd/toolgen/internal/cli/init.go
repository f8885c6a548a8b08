package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/load"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/scaffold"
)

func (a *app) init() *cobra.Command {
	var (
		module string
		cue    bool
	)
	c := &cobra.Command{
		Use:   "init [dir]",
		Short: "Write a working project: one tool, its handler, a test, a go:generate line and a CI workflow",
		Long: "Writes new files into a folder (the current one unless another is given), and nothing where one of them exists.\n" +
			"A go.mod is written where there is none.\n\n" +
			"With --cue it writes only what CUE's own tools need to read the specs (cue vet -c=false, the language server):\n" +
			"a module file and copies of the spec language and of the shipped contracts below cue.mod/. toolgen needs neither.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := a.dir
			if len(args) == 1 {
				dir = filepath.Join(a.dir, args[0])
			}
			if cue {
				return a.initCUE(dir)
			}
			return a.initProject(dir, module)
		},
	}
	c.Flags().StringVar(&module, "module", "", "the Go module path of a new module; default: example.com/ and the folder's name")
	c.Flags().BoolVar(&cue, "cue", false, "write only what CUE's own tools need")
	return c
}

func (a *app) initProject(dir, module string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	have, err := load.ModuleOf(abs)
	fresh := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !fresh:
		return err
	case !fresh && module != "" && module != have:
		return fmt.Errorf("%s is the module %s already", dir, have)
	case !fresh:
		module = have
	case module == "":
		module = "example.com/" + path.Base(filepath.ToSlash(abs))
	}
	files, err := scaffold.Project(module, load.Module, fresh)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(abs, 0o755); err != nil {
		return err
	}
	if err := scaffold.Write(abs, files); err != nil {
		return err
	}
	for _, f := range sortedKeys(files) {
		fmt.Fprintf(a.env.Stdout, "  %s\n", f)
	}
	tool, get := load.Module+"/cmd/toolgen", ""
	if mod, err := os.ReadFile(filepath.Join(abs, "go.mod")); err != nil || !strings.Contains(string(mod), tool) {
		get = "  go get -tool " + tool + "\n" // the module has no line for the tool
	}
	_, err = fmt.Fprintf(a.env.Stdout, "Next, in %s:\n%s  go generate ./...\n  go mod tidy\n  go test ./...\n", dir, get)
	return err
}

func (a *app) initCUE(dir string) error {
	root, err := load.FindRoot(dir)
	if err != nil {
		return err
	}
	module, err := load.ImportPath(root)
	if err != nil {
		return err
	}
	packages, err := load.Packages()
	if err != nil {
		return err
	}
	files := scaffold.Overlay(packages, load.CUEModule(module))
	if err := scaffold.Write(root, files); err != nil {
		return err
	}
	for _, f := range sortedKeys(files) {
		fmt.Fprintf(a.env.Stdout, "  %s\n", f)
	}
	return nil
}

func sortedKeys(m map[string][]byte) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
