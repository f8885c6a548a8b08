package output

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/lockfile"
)

// Compare sets rendered files against what is on disk below root. It changes nothing. An error means that the files
// cannot be what a renderer meant (a path that leads out, one path twice) or that something could not be read; what
// stands in the way of writing is no error but an entry with the state [Blocked] or [Outside].
func Compare(root string, files []File, owned Owned) (Diff, error) {
	t, err := openTree(root, hooks{})
	if err != nil {
		return Diff{}, err
	}
	defer t.Close()
	return t.compare(files, owned)
}

func (t *tree) compare(files []File, owned Owned) (Diff, error) {
	if err := validate(files, owned); err != nil {
		return Diff{}, err
	}
	clear(t.places)
	t.places["."] = place{real: ".", exists: true}
	c := comparison{tree: t, owned: owned, seen: map[string]string{}, folded: map[string][]string{}}
	for _, f := range files {
		e, err := c.file(f)
		if err != nil {
			return Diff{}, err
		}
		c.entries = append(c.entries, e)
	}
	for _, dir := range owned.Folders {
		if err := c.walk(dir); err != nil {
			return Diff{}, err
		}
	}
	if err := c.rest(); err != nil {
		return Diff{}, err
	}
	slices.SortFunc(c.entries, func(a, b Entry) int { return cmp.Compare(a.Path, b.Path) })
	return Diff{Entries: c.entries, files: files, owned: owned}, nil
}

// comparison is one run of Compare.
type comparison struct {
	*tree
	owned   Owned
	entries []Entry
	seen    map[string]string   // real path to the path that it was reached by
	folded  map[string][]string // real paths of rendered files, by their form without case
}

// file compares one rendered file.
func (c *comparison) file(f File) (Entry, error) {
	e := Entry{Path: f.Path, State: Created, data: f.Data}
	dir, err := c.folder(path.Dir(f.Path))
	if err != nil {
		return e, err
	}
	if dir.state != "" {
		e.State, e.Reason = dir.state, dir.reason
		return e, nil
	}
	e.real = path.Join(dir.real, path.Base(f.Path))
	if other, ok := c.seen[e.real]; ok {
		return e, fmt.Errorf("output: %s and %s are one file, since a folder is a symbolic link", other, f.Path)
	}
	c.seen[e.real] = f.Path
	key := strings.ToLower(e.real)
	c.folded[key] = append(c.folded[key], e.real)
	info, err := c.Lstat(e.real)
	if errors.Is(err, fs.ErrNotExist) {
		return e, nil
	}
	if err != nil {
		return e, fmt.Errorf("output: %w", err)
	}
	digest, locked := c.owned.Digests[f.Path]
	e.exists, e.Owned, e.perm = true, locked || f.Path == c.owned.Lock, info.Mode().Perm()
	switch {
	case info.IsDir():
		e.State, e.Reason = Blocked, "a folder is in its place"
		return e, nil
	case info.Mode().Type() == fs.ModeSymlink:
		// Not read: wherever it leads, it has to go.
		e.State, e.Reason, e.link = Mode, "a symbolic link is in its place", true
		return e, nil
	case !info.Mode().IsRegular():
		e.State, e.Reason = Blocked, "something that is no file is in its place"
		return e, nil
	}
	have, err := c.ReadFile(e.real)
	if err != nil {
		return e, fmt.Errorf("output: %w", err)
	}
	e.Owned = e.Owned || marked(f.Path, have)
	switch {
	case !bytes.Equal(have, f.Data):
		e.State = Changed
		e.Line, e.Column = difference(have, f.Data)
		e.edited = locked && lockfile.Sum(have) != digest || !e.Owned
		e.lineEnds = bytes.Equal(bytes.ReplaceAll(have, []byte("\r\n"), []byte("\n")), f.Data)
	case e.perm&0o111 != 0:
		e.State, e.Reason = Mode, "it is executable"
	default:
		e.State = Unchanged
	}
	return e, nil
}

// difference gives line and column of the first byte of have that is not that of want.
func difference(have, want []byte) (line, column int) {
	n := 0
	for n < len(have) && n < len(want) && have[n] == want[n] {
		n++
	}
	same := have[:n]
	return 1 + bytes.Count(same, []byte("\n")), n - bytes.LastIndexByte(same, '\n')
}

// walk finds what else is in an output folder. Hidden files are nobody's business: .gitattributes may well be there.
func (c *comparison) walk(folder string) error {
	dir, err := c.folder(folder)
	if err != nil || dir.state != "" || !dir.exists {
		return err
	}
	err = fs.WalkDir(c.FS(), dir.real, func(real string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case real == dir.real:
			return nil
		case strings.HasPrefix(path.Base(real), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		}
		logical := folder + strings.TrimPrefix(real, dir.real)
		if d.Type() == fs.ModeSymlink && c.leads(logical) || c.rendered(real) {
			return nil
		}
		if _, ok := c.seen[real]; ok {
			return nil
		}
		return c.other(logical, real, d.Type())
	})
	if err != nil {
		return fmt.Errorf("output: %w", err)
	}
	return nil
}

// leads reports whether a symbolic link is the folder of some rendered file.
func (c *comparison) leads(link string) bool {
	_, ok := c.places[link]
	return ok
}

// rendered reports whether a file is one that was rendered, under a name that differs in case only.
func (c *comparison) rendered(real string) bool {
	for _, other := range c.folded[strings.ToLower(real)] {
		if other == real {
			return true
		}
		a, errA := c.Lstat(real)
		b, errB := c.Lstat(other)
		if errA == nil && errB == nil && os.SameFile(a, b) {
			return true
		}
	}
	return false
}

// other adds a file that is not rendered: toolgen's own is stale, any other one stray.
func (c *comparison) other(logical, real string, kind fs.FileMode) error {
	_, locked := c.owned.Digests[logical]
	e := Entry{Path: logical, State: Stray, real: real, exists: true, link: kind == fs.ModeSymlink}
	if kind.IsRegular() {
		head, err := c.head(real)
		if err != nil {
			return err
		}
		e.Owned = locked || marked(logical, head)
	} else {
		e.Owned = locked && e.link
	}
	if e.Owned {
		e.State = Stale
	}
	c.seen[real] = logical
	c.entries = append(c.entries, e)
	return nil
}

// rest finds outputs of the previous lock that walk does not come by: below a symbolic link, under a hidden name, or in
// a folder that was an output folder once. There a marker is needed besides: a lock alone, which people merge by hand,
// must not be able to name any file of the project for removal.
func (c *comparison) rest() error {
	for _, p := range slices.Sorted(maps.Keys(c.owned.Digests)) {
		if !fs.ValidPath(p) || strings.ContainsAny(p, "\\\x00") || p == "." || p == c.owned.Lock {
			continue
		}
		dir, err := c.folder(path.Dir(p))
		if err != nil {
			return err
		}
		real := path.Join(dir.real, path.Base(p))
		if _, ok := c.seen[real]; ok || dir.state != "" || !dir.exists || c.rendered(real) {
			continue
		}
		info, err := c.Lstat(real)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("output: %w", err)
		}
		if !info.Mode().IsRegular() {
			continue
		}
		if !c.owned.below(p) {
			head, err := c.head(real)
			if err != nil {
				return fmt.Errorf("output: %w", err)
			}
			if !marked(p, head) {
				continue
			}
		}
		if err := c.other(p, real, info.Mode().Type()); err != nil {
			return fmt.Errorf("output: %w", err)
		}
	}
	return nil
}
