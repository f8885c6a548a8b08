package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/tool"

	"github.com/toolgen-dev/toolgen/examples/gen/workspace"
)

const (
	maxEntries = 50_000  // how many names of one folder are read
	maxWalked  = 200_000 // and of all folders of a call
	maxDepth   = 64
	batch      = 1_000
)

// hidden is the folder that no walk enters. It can be named.
const hidden = ".git"

// walk calls visit for what is below a folder, in order: the names of a folder sorted, and what is in a folder after it. It
// follows no symbolic links. It ends early where visit returns false, and says what it left out.
type walk struct {
	ctx   context.Context
	root  *os.Root
	deep  bool
	visit func(path string, d fs.DirEntry) (bool, error)

	most    int // how many names are read and walked; 0 is maxWalked
	read    int
	walked  int
	crowded int // folders with more names than are read
	closed  int // folders that could not be read
	cut     bool
}

// folder walks one folder. It is false where the walk is to end.
func (w *walk) folder(path string, depth int) (bool, error) {
	names, err := w.names(path)
	if err != nil {
		return false, err
	}
	for _, d := range names {
		if err := context.Cause(w.ctx); err != nil {
			return false, err
		}
		if w.walked++; w.walked > cmp.Or(w.most, maxWalked) {
			w.cut = true
			return false, nil
		}
		below := filepath.Join(path, d.Name())
		if on, err := w.visit(below, d); err != nil || !on {
			return false, err
		}
		if !w.deep || !d.IsDir() || d.Name() == hidden {
			continue
		}
		if depth == maxDepth {
			w.closed++
			continue
		}
		switch on, err := w.folder(below, depth+1); {
		case context.Cause(w.ctx) != nil:
			return false, context.Cause(w.ctx)
		case err != nil:
			w.closed++
		case !on:
			return false, nil
		}
	}
	return true, nil
}

// names reads the names of a folder, sorted.
func (w *walk) names(path string) ([]fs.DirEntry, error) {
	f, _, err := open(w.root, path, true)
	if err != nil {
		return nil, err
	}
	defer f.Close() // it was only read
	var all []fs.DirEntry
	for {
		if err := context.Cause(w.ctx); err != nil {
			return nil, err
		}
		some, err := f.ReadDir(batch)
		all = append(all, some...)
		w.read += len(some)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(all) > maxEntries {
			w.crowded++
			break
		}
		if w.read > cmp.Or(w.most, maxWalked) { // folders within each other are in memory together
			w.cut = true
			break
		}
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all, nil
}

// note says what the walk left out.
func (w *walk) note() string {
	var out []string
	if w.cut {
		out = append(out, fmt.Sprintf("Only the first %d files and folders were looked at.", cmp.Or(w.most, maxWalked)))
	}
	if w.crowded > 0 {
		out = append(out, fmt.Sprintf("Of folders with more than %d entries, only a part was looked at.", maxEntries))
	}
	if w.closed > 0 {
		out = append(out, fmt.Sprintf("Folders that could not be read: %d.", w.closed))
	}
	return strings.Join(out, " ")
}

// listFiles carries out `list_files`.
func (t *Tools) listFiles(ctx context.Context, _ tool.Call, args workspace.ListFilesArgs) (workspace.ListFilesResult, error) {
	root, err := t.Folder(ctx)
	if err != nil {
		return nil, err
	}
	var out workspace.ListFilesEntries
	size, more := 0, false
	w := &walk{ctx: ctx, root: root, deep: args.Recursive}
	w.visit = func(name string, d fs.DirEntry) (bool, error) {
		line := shownPath(name) + mark(d)
		if int64(len(out.Paths)) == args.Limit || size+len(line) > maxBytes {
			more = true
			return false, nil
		}
		size += len(line) + 1
		out.Paths = append(out.Paths, line)
		return true, nil
	}
	if _, err := w.folder(inside(root, args.Path), 0); err != nil {
		return nil, unread(ctx, args.Path, err)
	}
	rest := ""
	if more {
		rest = "There is more: list a folder below, or raise the limit."
	}
	out.Note = notes(rest, w.note())
	return out, nil
}

// mark shows what an entry is.
func mark(d fs.DirEntry) string {
	switch {
	case d.IsDir():
		return "/"
	case d.Type()&fs.ModeSymlink != 0:
		return "@"
	}
	return ""
}

// shownPath is a path as a result shows it: with slashes, and on one line. A name that has characters which nobody sees is
// quoted, so that it cannot look like another line.
func shownPath(name string) string {
	name = filepath.ToSlash(name)
	quoted := fmt.Sprintf("%q", name)
	if quoted == `"`+name+`"` {
		return name
	}
	return quoted
}

// fits reports whether a file's name fits a pattern.
func fits(pattern, name string) (bool, error) {
	ok, err := path.Match(pattern, filepath.Base(name))
	if err != nil {
		return false, fmt.Errorf("%q is no pattern for names of files", pattern)
	}
	return ok, nil
}
