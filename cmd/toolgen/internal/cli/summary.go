package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/load"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/lockfile"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/output"
)

// modelSize is how much a model declares.
type modelSize struct{ tools, variants, choices int }

func sizeOf(m *contract.Model) modelSize {
	var s modelSize
	for _, p := range m.Packages {
		s.tools += len(p.Tools)
		for _, t := range p.Tools {
			s.variants += len(t.Variants)
			s.choices += len(t.Combinations)
		}
	}
	return s
}

// treeSize is the number of files and bytes by the top folder, or by the file's name where it is in none.
type treeSize map[string][2]int

func (t treeSize) add(path string, size int) {
	top, _, _ := strings.Cut(path, "/")
	t[top] = [2]int{t[top][0] + 1, t[top][1] + size}
}

func (t treeSize) print(w *strings.Builder) {
	for _, top := range []string{load.GenDir, load.CatalogDir, lockfile.Name} {
		fmt.Fprintf(w, "  %-14s %8s  %s\n", top, count(t[top][0], "file"), bytesText(t[top][1]))
	}
}

// summary says for people what was generated. edited are the outputs that somebody had changed by hand.
func (a *app) summary(b *build, edited map[string]bool) error {
	w := &strings.Builder{}
	s := sizeOf(b.model)
	fmt.Fprintf(w, "%s in %s: %s of %s of options\n", count(s.tools, "tool"), count(len(b.model.Packages), "package"),
		count(s.variants, "distinct variant"), count(s.choices, "choice"))
	sizes := treeSize{}
	for _, f := range b.files {
		sizes.add(f.Path, len(f.Data))
	}
	sizes.print(w)
	changes := 0
	for _, s := range []struct {
		state      output.State
		word, hand string
	}{
		{output.Created, "created", ""},
		{output.Changed, "changed", "replaced, was edited by hand"},
		{output.Mode, "changed", ""},
		{output.Stale, "removed", "removed, was edited by hand"},
		{output.Stray, "not toolgen's, left alone", ""},
	} {
		for _, p := range b.diff.Paths(s.state) {
			word := s.word
			if edited[p] && s.hand != "" {
				word = s.hand
			}
			fmt.Fprintf(w, "  %s: %s\n", word, p)
			changes++
		}
	}
	if changes == 0 {
		fmt.Fprintln(w, "  nothing changed")
	}
	_, err := fmt.Fprint(a.env.Stdout, w.String())
	return err
}

// unchanged is the summary of a run that evaluated nothing: what the lock records, and the sizes of its files.
func (a *app) unchanged(b *build) error {
	w := &strings.Builder{}
	tools := map[[2]string]bool{}
	for _, c := range b.old.Contracts {
		tools[[2]string{c.Package, c.Tool}] = true
	}
	fmt.Fprintf(w, "Nothing changed since %s: %s, %s\n", lockfile.Name, count(len(tools), "tool"),
		count(len(b.old.Contracts), "distinct variant"))
	sizes := treeSize{}
	for _, e := range append(slices.Clip(b.old.Outputs), lockfile.Entry{Path: lockfile.Name}) {
		path := e.Path
		info, err := os.Stat(filepath.Join(b.project.Root, filepath.FromSlash(path)))
		if err != nil {
			return err
		}
		sizes.add(path, int(info.Size()))
	}
	sizes.print(w)
	_, err := fmt.Fprint(a.env.Stdout, w.String())
	return err
}

// edited finds the outputs on disk that are neither what the lock recorded nor what is to be written: what somebody
// changed by hand, and a run is about to replace or remove. Line ends do not count, since a checkout changes them.
func (b *build) edited() (map[string]bool, error) {
	want := map[string][]byte{}
	for _, f := range b.files {
		want[f.Path] = f.Data
	}
	digests := b.old.Digests()
	out := map[string]bool{}
	for _, path := range b.diff.Paths(output.Changed, output.Stale) {
		digest, locked := digests[path]
		if !locked {
			continue
		}
		have, err := os.ReadFile(filepath.Join(b.project.Root, filepath.FromSlash(path)))
		if err != nil {
			return nil, err
		}
		plain := bytes.ReplaceAll(have, []byte("\r\n"), []byte("\n"))
		out[path] = lockfile.Sum(have) != digest && lockfile.Sum(plain) != digest && !bytes.Equal(plain, want[path])
	}
	return out, nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func bytesText(n int) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f KiB", float64(n)/1024)
}
