package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// tree is a project's folder. Every operation goes through os.Root, which refuses to leave it; tree adds what os.Root
// lacks: links that are absolute but stay inside, and a reason that a person can act on where one does not.
type tree struct {
	*os.Root
	real   string // the folder's own path without symbolic links
	places map[string]place
	hooks  hooks
}

// hooks lets a test fail or watch the steps of [Apply]. The zero value does nothing.
type hooks struct {
	before func(op, name string) error // called before every change of the tree
}

// do runs one change of the tree.
func (t *tree) do(op, name string, change func() error) error {
	if t.hooks.before != nil {
		if err := t.hooks.before(op, name); err != nil {
			return &fs.PathError{Op: op, Path: name, Err: err}
		}
	}
	return change()
}

func openTree(root string, h hooks) (*tree, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("output: %w", err)
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, fmt.Errorf("output: %w", err)
	}
	r, err := os.OpenRoot(real)
	if err != nil {
		return nil, fmt.Errorf("output: %w", err)
	}
	return &tree{Root: r, real: real, places: map[string]place{".": {real: ".", exists: true}}, hooks: h}, nil
}

// place is where a folder really is.
type place struct {
	real   string // relative to the root, without symbolic links
	exists bool
	state  State // Blocked or Outside where nothing can be written there
	reason string
}

// folder resolves a folder of the tree, following symbolic links as long as they stay inside.
func (t *tree) folder(dir string) (place, error) {
	if p, ok := t.places[dir]; ok {
		return p, nil
	}
	parent, err := t.folder(path.Dir(dir))
	if err != nil {
		return place{}, err
	}
	p := place{real: path.Join(parent.real, path.Base(dir))}
	switch {
	case parent.state != "":
		p = parent
	case parent.exists:
		if p, err = t.step(dir, p); err != nil {
			return place{}, err
		}
	}
	t.places[dir] = p
	return p, nil
}

// step finds out what is at p, whose parent exists and is free of links.
func (t *tree) step(dir string, p place) (place, error) {
	info, err := t.Lstat(p.real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p, nil
	case err != nil:
		return place{}, fmt.Errorf("output: %w", err)
	case info.IsDir():
		p.exists = true
		return p, nil
	case info.Mode().Type() != fs.ModeSymlink:
		return place{state: Blocked, reason: dir + " is a file where a folder has to be"}, nil
	}
	target, err := filepath.EvalSymlinks(filepath.Join(t.real, filepath.FromSlash(p.real)))
	if err != nil {
		return place{state: Blocked, reason: dir + " is a symbolic link that leads to no folder"}, nil
	}
	rel, err := filepath.Rel(t.real, target)
	if err != nil || !filepath.IsLocal(rel) {
		return place{state: Outside, reason: dir + " is a symbolic link that leads out of the project"}, nil
	}
	rel = filepath.ToSlash(rel)
	if rel == "." {
		// Everything in the project would count as lying in an output folder.
		return place{state: Blocked, reason: dir + " is a symbolic link to the project itself"}, nil
	}
	if info, err = t.Lstat(rel); err != nil || !info.IsDir() {
		return place{state: Blocked, reason: dir + " is a symbolic link that leads to no folder"}, nil
	}
	return place{real: rel, exists: true}, nil
}

// head reads the beginning of a regular file.
func (t *tree) head(name string) ([]byte, error) {
	f, err := t.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, markerHead))
}

// list gives the names in a folder.
func (t *tree) list(dir string) ([]string, error) {
	f, err := t.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}
