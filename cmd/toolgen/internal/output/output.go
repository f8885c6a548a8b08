// Package output puts rendered files into a project: all of them or none.
//
// Renderers give files in memory. [Compare] sets them against what is on disk and changes nothing; its [Diff] answers
// both commands, `toolgen check` by [Diff.Findings] and `toolgen generate` by [Apply]:
//
//	diff, err := output.Compare(root, files, output.OwnedBy(lock))
//	...
//	err = output.Apply(root, diff)
//
// What Apply guarantees:
//
//   - Everything is written beside the project's files first (in a hidden stage folder) and then renamed into place.
//     An error at any step puts back what was there, removed files and folders included.
//   - A run that is killed leaves whole files, some old and some new, and its stage. The next run compares again,
//     writes what is missing and removes the stage; [Clean] does the latter for a run that knows, without a
//     comparison, that nothing is to be written. toolgen.lock is written last, so it never speaks for files that are
//     not there yet.
//   - Of two runs that write at a time one fails with [ErrBusy] before it changes anything.
//   - A file that is as it should be is not touched: its modification time stays, and so do build caches.
//   - Only files that toolgen owns are removed: those of the previous lock, and those that carry toolgen's marker in an
//     output folder. Everything else there is reported as stray and left alone.
//   - Nothing outside the root is read, written or removed, whatever symbolic links say.
package output

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/lockfile"
)

// File is one rendered file.
type File struct {
	Path string // slash-separated, relative to the project's root
	Data []byte
}

// Files makes a list, sorted by path, of files given by path.
func Files(byPath map[string][]byte) []File {
	files := make([]File, 0, len(byPath))
	for _, p := range slices.Sorted(maps.Keys(byPath)) {
		files = append(files, File{Path: p, Data: byPath[p]})
	}
	return files
}

// Owned says which part of a project is toolgen's.
type Owned struct {
	Folders []string          // every output is below one of them
	Lock    string            // the one output that is not; written last
	Digests map[string]string // what the previous lock says of its outputs: path to digest
}

// OwnedBy gives what toolgen owns in a project whose lock is l; nil stands for a project without a readable lock.
func OwnedBy(l *lockfile.Lock) Owned {
	return Owned{Folders: lockfile.OutputFolders(), Lock: lockfile.Name, Digests: l.Digests()}
}

// below reports whether a path is inside one of the owned folders.
func (o Owned) below(p string) bool {
	return slices.ContainsFunc(o.Folders, func(dir string) bool { return strings.HasPrefix(p, dir+"/") })
}

// State says how a file on disk stands to what was rendered.
type State string

// The states of a file.
const (
	Unchanged State = "unchanged" // as it should be
	Created   State = "created"   // is not there yet
	Changed   State = "changed"   // has other content
	Mode      State = "mode"      // is executable, or a symbolic link in place of a file
	Stale     State = "stale"     // toolgen's own, and no longer rendered: to be removed
	Stray     State = "stray"     // in an output folder and not toolgen's: never touched
	Blocked   State = "blocked"   // cannot be written: a folder or the like is in the way
	Outside   State = "outside"   // cannot be written: a symbolic link leads out of the project
)

// Entry is one file of a [Diff].
type Entry struct {
	Path  string
	State State

	// Owned is set where a file that exists is toolgen's, by the previous lock or by its marker. A Changed entry that
	// is not owned would overwrite what somebody else wrote.
	Owned bool

	// Line and Column are the first difference of a Changed file, in the file on disk, counted from 1 and in bytes.
	Line, Column int

	Reason string // of Mode, Blocked and Outside: what is there

	data     []byte // what the file is to hold
	edited   bool   // the content is not what the lock recorded
	lineEnds bool   // the content differs in carriage returns only
	real     string // the path without symbolic links, relative to the root
	exists   bool
	link     bool
	perm     fs.FileMode // of the file on disk
}

// Diff is what [Compare] found: one entry per file, sorted by path.
type Diff struct {
	Entries []Entry

	files []File
	owned Owned
}

// Paths returns the paths of the entries that have one of the states.
func (d Diff) Paths(states ...State) []string {
	var out []string
	for _, e := range d.Entries {
		if slices.Contains(states, e.State) {
			out = append(out, e.Path)
		}
	}
	return out
}

// Clean reports whether there is nothing to write or remove and nothing in the way. Stray files do not count.
func (d Diff) Clean() bool {
	return len(d.Paths(Created, Changed, Mode, Stale, Blocked, Outside)) == 0
}

// validate refuses files that could not be written on every system, or not all of them. Such a list is a fault of the
// renderers, not of the user's input.
func validate(files []File, owned Owned) error {
	folded := make(map[string]string, len(files)) // files and their folders, without case
	isFile := make(map[string]bool, len(files))
	for _, f := range files {
		switch {
		case !fs.ValidPath(f.Path) || strings.ContainsAny(f.Path, "\\\x00") || !filepath.IsLocal(filepath.FromSlash(f.Path)):
			return fmt.Errorf("output: %q is no clean path relative to the project's root", f.Path)
		case f.Path != owned.Lock && !owned.below(f.Path):
			return fmt.Errorf("output: %s is in none of the output folders (%s)", f.Path, strings.Join(owned.Folders, ", "))
		case isFile[f.Path]:
			return fmt.Errorf("output: %s is rendered twice", f.Path)
		}
		isFile[f.Path] = true
	}
	for _, f := range files {
		for p := f.Path; p != "."; p = path.Dir(p) {
			if p != f.Path && isFile[p] {
				return fmt.Errorf("output: %s is both a file and the folder of %s", p, f.Path)
			}
			key := strings.ToLower(p)
			if other, ok := folded[key]; ok && other != p {
				return fmt.Errorf("output: %s and %s are one file where the file system ignores case", other, p)
			}
			folded[key] = p
		}
	}
	return nil
}
