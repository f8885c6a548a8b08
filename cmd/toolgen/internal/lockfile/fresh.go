package lockfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// PromptFolder is the folder, in the project's root, that holds prose.
const PromptFolder = "prompts"

// OutputFolders returns the folders in the project's root that toolgen writes into and whose files are its own.
func OutputFolders() []string { return []string{"catalog", "gen"} }

// Listing returns the names in a folder that decide what toolgen reads: the .cue files of a spec folder, the .md files
// of a prompt folder (one at or below [PromptFolder]), and the sub folders that hold such a file at some depth, with a
// slash at the end. Hidden names, CUE's own cue.mod and the output folders do not count. Names are sorted.
//
// Version control keeps no empty folders, and the same commit must have one listing everywhere. So an empty sub folder is
// left out, and a folder that does not exist has no names rather than being an error. The writer of a lock and [Fresh]
// both use this function, so they cannot disagree.
func Listing(root, dir string) ([]string, error) {
	if !validPath(dir) {
		return nil, fmt.Errorf("listing %q: no clean path relative to the project's root", dir)
	}
	ext := ".cue"
	if dir == PromptFolder || strings.HasPrefix(dir, PromptFolder+"/") {
		ext = ".md"
	}
	entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(dir)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		name := e.Name()
		switch {
		case hidden(name), dir == "." && slices.Contains(OutputFolders(), name):
		case e.IsDir():
			found, err := holds(filepath.Join(root, filepath.FromSlash(dir), name), ext)
			if err != nil {
				return nil, err
			}
			if found {
				names = append(names, name+"/")
			}
		case strings.HasSuffix(name, ext):
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// holds reports whether a folder has a file with the extension at some depth. It follows no links, as the loader follows
// none: they could lead back here.
func holds(dir, ext string) (bool, error) {
	found := false
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != dir && hidden(e.Name()):
			if e.IsDir() {
				return fs.SkipDir
			}
		case !e.IsDir() && strings.HasSuffix(name, ext):
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found, err
}

// hidden reports whether a listing leaves a name out wherever it stands.
func hidden(name string) bool { return strings.HasPrefix(name, ".") || name == "cue.mod" }

// Fresh reports whether the project at root is as the lock says: the generator is the given one, and every listing,
// input and output on disk has its digest. A file that is missing, or is an output but no plain file, is not fresh; an
// error means that something there could not be read.
//
// Fresh does not look for files that no line of the lock speaks of, such as a stray file in an output folder: it is
// the fast path for people, and a full check finds those. The exception are CUE files above an input, since CUE makes
// them part of a package of the same name.
func Fresh(root string, l *Lock, generator string) (bool, error) {
	if l == nil || l.Generator != generator {
		return false, nil
	}
	for _, e := range l.Listings {
		names, err := Listing(root, e.Path)
		if gone(err) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if ListingSum(names) != e.Sum {
			return false, nil
		}
	}
	if may, err := l.mayAdopt(root); may || err != nil {
		return false, err
	}
	checks := make([]check, 0, len(l.Inputs)+len(l.Outputs))
	for _, e := range l.Inputs {
		checks = append(checks, check{entry: e})
	}
	for _, e := range l.Outputs {
		checks = append(checks, check{entry: e, output: true})
	}
	return all(root, checks)
}

// mayAdopt reports whether a folder above one of the CUE inputs has a CUE file, and no listing that would show one that is
// new.
func (l *Lock) mayAdopt(root string) (bool, error) {
	seen := map[string]bool{}
	for _, e := range l.Listings {
		seen[e.Path] = true
	}
	for _, e := range l.Inputs {
		if path.Ext(e.Path) != ".cue" || strings.HasPrefix(e.Path, "cue.mod/") {
			continue
		}
		for dir := path.Dir(e.Path); dir != "."; {
			dir = path.Dir(dir)
			if seen[dir] {
				continue
			}
			seen[dir] = true
			entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(dir)))
			if err != nil && !gone(err) {
				return false, err
			}
			if slices.ContainsFunc(entries, func(f fs.DirEntry) bool {
				return !f.IsDir() && !hidden(f.Name()) && !strings.HasPrefix(f.Name(), "_") && path.Ext(f.Name()) == ".cue"
			}) {
				return true, nil
			}
		}
	}
	return false, nil
}

// check is one file to compare with its digest.
type check struct {
	entry  Entry
	output bool
}

// all runs the checks, two at a time, and stops at the first that fails.
func all(root string, checks []check) (bool, error) {
	const workers = 2
	var (
		next  atomic.Int64
		stale atomic.Bool
		wg    sync.WaitGroup
		errs  [workers]error
	)
	for w := range workers {
		wg.Go(func() {
			for !stale.Load() {
				i := int(next.Add(1)) - 1
				if i >= len(checks) {
					return
				}
				ok, err := checks[i].fresh(root)
				if !ok || err != nil {
					errs[w] = err
					stale.Store(true)
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return false, err
	}
	return !stale.Load(), nil
}

func (c check) fresh(root string) (bool, error) {
	if !validPath(c.entry.Path) {
		return false, nil
	}
	name := filepath.Join(root, filepath.FromSlash(c.entry.Path))
	stat := os.Stat
	if c.output {
		stat = os.Lstat // a link in place of an output is a fault, whatever it leads to
	}
	info, err := stat(name)
	switch {
	case gone(err):
		return false, nil
	case err != nil:
		return false, err
	case !info.Mode().IsRegular(), c.output && info.Mode()&0o111 != 0:
		return false, nil
	}
	sum, err := sumFile(name)
	if gone(err) {
		return false, nil
	}
	return sum == c.entry.Sum, err
}

// sumFile is [Sum] of a file's content, without holding it.
func sumFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// gone reports whether an error means that there is no such file: also where a folder of its path is a file now.
func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }
