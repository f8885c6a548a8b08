package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/load"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/lockfile"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/output"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/prose"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/render"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/render/catalog"
)

// revision names the form of what this generator writes. It changes with every change of the output for the same
// input, so that a lock of a former generator is not taken for fresh.
const revision = 3

// build is everything that one evaluation of a project gives.
type build struct {
	project  *load.Project
	old      *lockfile.Lock // nil: none, or not readable
	model    *contract.Model
	files    []output.File
	diff     output.Diff
	findings diag.Findings // of the specs and texts
	sound    bool          // whether the specs are, so that there is something to compare the output with
	fresh    bool          // the digests say that nothing changed, so nothing was evaluated
}

// open finds the project and reads its lock.
func (a *app) open() (*build, error) {
	root, err := load.FindRoot(a.dir)
	if err != nil {
		return nil, err
	}
	b := &build{}
	if b.project, err = load.OpenProject(root); err != nil {
		return nil, err
	}
	info, err := os.Lstat(filepath.Join(root, lockfile.Name))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return b, nil // a link or a pipe is no lock; the output stage says what is in the way
	}
	if err != nil {
		return nil, err
	}
	src, err := os.ReadFile(filepath.Join(root, lockfile.Name))
	if err != nil {
		return nil, err
	}
	if b.old, err = lockfile.Parse(src); err != nil {
		b.old = nil // damaged or of another format: everything is made anew
	}
	return b, nil
}

// run evaluates the project, unless the digests say that nothing changed and full is not set.
func (a *app) run(full bool) (*build, error) {
	b, err := a.open()
	if err != nil {
		return nil, err
	}
	print, err := fingerprint(b.project)
	if err != nil {
		return nil, err
	}
	if !full && !a.ci() {
		if b.fresh, err = lockfile.Fresh(b.project.Root, b.old, print); err != nil || b.fresh {
			return b, err
		}
	}
	if err := b.evaluate(a.bounds()); err != nil || !b.sound {
		return b, err
	}
	rendered, cat, err := render.All(b.model)
	if err != nil {
		return nil, err
	}
	lock, err := b.lock(print, rendered, cat)
	if err != nil {
		return nil, err
	}
	rendered[lockfile.Name] = lock.Bytes()
	b.files = output.Files(rendered)
	b.diff, err = output.Compare(b.project.Root, b.files, output.OwnedBy(b.old))
	return b, err
}

// bounds are those of the flags.
func (a *app) bounds() load.Bounds { return load.Bounds{Time: a.maxTime, Memory: a.maxMemory << 20} }

// evaluate loads and checks the specs. An evaluation beyond its bounds is a finding, and goes on until the process ends.
func (b *build) evaluate(bounds load.Bounds) error {
	res, err := load.LoadWithin(b.project, bounds)
	if err != nil {
		return err
	}
	if b.model, b.findings = res.Model, res.Findings; b.model == nil {
		return nil // it was given up
	}
	contracts := contract.Validate(b.model)
	b.sound = !slices.ContainsFunc(b.findings, unsound) && len(contracts) == 0
	b.findings = slices.Concat(b.findings, contracts, once(b.findings, sound(b.model, prose.Check(b.model))), catalog.Budgets(b.model)).Sorted()
	return nil
}

// fingerprint identifies what the output depends on beside the inputs: what the loader supplies, the revision of the
// renderers, and the module whose import paths are generated.
func fingerprint(p *load.Project) (string, error) {
	supplied, err := load.Supplied()
	if err != nil {
		return "", err
	}
	// A module file may be missing, and appear: no listing shows that.
	mod, err := os.ReadFile(filepath.Join(p.Root, "cue.mod", "module.cue"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return lockfile.Sum(fmt.Appendf(nil, "revision %d\nmodel %d\ncatalog %d\nmodule %s\n%q\n%s", revision, contract.Format, catalog.Format, p.Module, mod, supplied)), nil
}

// lock records the inputs, the outputs and the contracts.
func (b *build) lock(print string, rendered map[string][]byte, cat *catalog.Catalog) (*lockfile.Lock, error) {
	l := &lockfile.Lock{Generator: print}
	for _, f := range b.project.Inputs {
		data, err := os.ReadFile(filepath.Join(b.project.Root, filepath.FromSlash(f)))
		if err != nil {
			return nil, err
		}
		l.Inputs = append(l.Inputs, lockfile.Entry{Path: f, Sum: lockfile.Sum(data)})
	}
	// The two top folders are recorded even when they are missing, so that the first file in one is noticed.
	for _, d := range slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(b.project.Folders), load.SpecDir, load.PromptDir)))) {
		names, err := lockfile.Listing(b.project.Root, d)
		if err != nil {
			return nil, err
		}
		if len(names) > 0 || d == load.SpecDir || d == load.PromptDir {
			l.Listings = append(l.Listings, lockfile.Entry{Path: d, Sum: lockfile.ListingSum(names)})
		}
	}
	for path, data := range rendered {
		l.Outputs = append(l.Outputs, lockfile.Entry{Path: path, Sum: lockfile.Sum(data)})
	}
	i := 0
	for _, p := range b.model.Packages {
		for _, t := range p.Tools {
			for _, v := range cat.Tools[i].Variants {
				selector := ""
				if len(t.Finite()) > 0 {
					selector = v.Options[0].String()
				}
				l.Contracts = append(l.Contracts, lockfile.Contract{Package: p.Path, Tool: t.Name, Selector: selector,
					Meaning: v.Digests.Meaning, Bytes: v.Digests.Bytes})
			}
			i++
		}
	}
	return l, nil
}

// fullFlag adds the flag that forgoes the fast path.
func fullFlag(c *cobra.Command, full *bool) {
	c.Flags().BoolVar(full, "full", false, "evaluate everything, even where the digests say that nothing changed (always so with CI set)")
}

func (a *app) generate() *cobra.Command {
	var full bool
	c := &cobra.Command{
		Use:   "generate",
		Short: "Check the specs, then write gen/, catalog/ and toolgen.lock; write nothing on a finding",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			b, err := a.run(full)
			if err != nil {
				return err
			}
			if b.fresh {
				// A run that was killed may have left its stage behind, and nothing else that shows.
				if err := output.Clean(b.project.Root); err != nil {
					return err
				}
				return a.unchanged(b)
			}
			findings := slices.Concat(b.findings, b.diff.Blocked(), b.diff.Foreign())
			if len(findings) > 0 {
				return a.report(findings)
			}
			edited, err := b.edited()
			if err != nil {
				return err
			}
			if err := output.Apply(b.project.Root, b.diff); err != nil {
				return err
			}
			return a.summary(b, edited)
		},
	}
	fullFlag(c, &full)
	a.formatFlag(c)
	a.boundFlags(c)
	return c
}

func (a *app) check() *cobra.Command {
	var full bool
	c := &cobra.Command{
		Use:   "check",
		Short: "Report what is wrong with the specs and what is stale or edited in the output; write nothing",
		Long: "Reports everything that can be said at once, sorted by file and place.\n\n" +
			"A fault of one tool hides nothing of another, and what follows from a fault is not said. Some things wait:\n" +
			"  - of a file that cannot be parsed, and of a name that is declared nowhere: the rest of the same tool;\n" +
			"  - of options and conditions that are wrong: what depends on them, often the rest of the same tool;\n" +
			"  - of a default, a type or an enum's words that cannot be read: the claims of texts about them;\n" +
			"  - of a package that does not name the language, or a module file that is wrong: all of the package;\n" +
			"  - of specs with faults: what is edited in the output. Edits, strange files and links are said beside findings\n" +
			"    of texts; what is stale or missing is said when nothing else is, since generate mends it.",
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			b, err := a.run(full)
			if err != nil {
				return err
			}
			if b.fresh {
				return a.clean("nothing changed since " + lockfile.Name)
			}
			if len(b.findings) > 0 {
				return a.report(slices.Concat(b.findings, b.diff.Regardless()))
			}
			if findings := b.diff.Findings(); len(findings) > 0 {
				return a.report(findings)
			}
			s := sizeOf(b.model)
			return a.clean(fmt.Sprintf("clean: %s, %s, %s", count(s.tools, "tool"), count(s.variants, "variant"), count(len(b.files), "file")))
		},
	}
	fullFlag(c, &full)
	a.formatFlag(c)
	a.boundFlags(c)
	return c
}
