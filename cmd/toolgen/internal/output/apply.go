package output

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
)

// Apply brings the tree below root to what diff says: it writes what is [Created], [Changed] or [Mode], removes what is
// [Stale] and the folders that this empties, and touches nothing else. After an error the tree is as it was before. A
// diff with [Diff.Blocked] findings is refused. What a run that was killed left behind is removed, see [Clean].
//
// The tree is compared again under the lock, so a run that finished since diff was made does no harm.
func Apply(root string, diff Diff) error { return apply(root, diff, hooks{}) }

func apply(root string, diff Diff, h hooks) (err error) {
	if err := refuse(diff); err != nil {
		return err
	}
	t, err := openTree(root, h)
	if err != nil {
		return err
	}
	defer t.Close()
	if diff.Clean() {
		return t.clean()
	}
	if _, err := t.leftover(); err != nil {
		return err
	}
	unlock, err := t.lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := t.clearStage(); err != nil {
		return err
	}
	if diff, err = t.compare(diff.files, diff.owned); err != nil {
		return err
	}
	if err := refuse(diff); err != nil || diff.Clean() {
		return err
	}
	return t.replaceAll(diff)
}

// refuse gives an error for a diff that cannot be applied as a whole.
func refuse(d Diff) error {
	blocked := d.Blocked()
	if len(blocked) == 0 {
		return nil
	}
	more := ""
	if n := len(blocked) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return fmt.Errorf("output: nothing was written: %s%s", blocked[0], more)
}

// replaceAll does the work of Apply in a fresh stage and clears up behind itself. It leaves the stage only where
// putting things back failed too, since the stage then holds the only copy.
func (t *tree) replaceAll(d Diff) error {
	stage := stageName
	if err := t.do("mkdir", stage, func() error { return t.Mkdir(stage, 0o700) }); err != nil {
		return failed(stage, err)
	}
	x := transaction{tree: t, stage: stage}
	if err := x.run(d); err != nil {
		if undo := x.rollback(); undo != nil {
			return fmt.Errorf("%w; putting the former files back failed too, and %s holds them until the next run: %w", err, stage, undo)
		}
		return errors.Join(fmt.Errorf("%w; everything is as it was", err), t.RemoveAll(stage))
	}
	if err := t.do("clear", stage, func() error { return t.RemoveAll(stage) }); err != nil {
		return fmt.Errorf("output: everything is written, but %s could not be removed: %w", stage, err)
	}
	return nil
}

// transaction is a sequence of changes that can be undone.
type transaction struct {
	*tree
	stage  string
	number int            // of files in the stage
	undo   []func() error // one per change made, to be run from the last to the first
}

// run makes every change of a diff. The order matters to whoever looks, or kills the run, half-way: everything is
// staged before the first visible change, and the lock comes after all it speaks of.
func (x *transaction) run(d Diff) error {
	type staged struct {
		entry Entry
		name  string
	}
	var writes, last []staged
	for _, e := range d.Entries {
		if e.State != Created && e.State != Changed && e.State != Mode {
			continue
		}
		name, err := x.write(e)
		if err != nil {
			return err
		}
		if e.Path == d.owned.Lock {
			last = append(last, staged{e, name})
		} else {
			writes = append(writes, staged{e, name})
		}
	}
	for _, s := range writes {
		if err := x.replace(s.entry, s.name); err != nil {
			return err
		}
	}
	for _, e := range d.Entries {
		if e.State != Stale {
			continue
		}
		if err := x.remove(e); err != nil {
			return err
		}
	}
	if err := x.sweepFormer(d); err != nil {
		return err
	}
	for _, s := range last {
		if err := x.replace(s.entry, s.name); err != nil {
			return err
		}
	}
	return nil
}

// rollback undoes every change made so far, going on where one cannot be undone.
func (x *transaction) rollback() error {
	var errs []error
	for i := len(x.undo) - 1; i >= 0; i-- {
		if err := x.undo[i](); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// fresh gives an unused name in the stage.
func (x *transaction) fresh() string {
	x.number++
	return fmt.Sprintf("%s/%06d", x.stage, x.number)
}

// write puts an entry's content into the stage, with the permission that it is to have.
func (x *transaction) write(e Entry) (string, error) {
	name := x.fresh()
	err := x.do("write", e.Path, func() error {
		if err := x.WriteFile(name, e.data, 0o644); err != nil {
			return err
		}
		if !e.exists || e.link {
			return nil // as the process's umask would have it
		}
		return x.Chmod(name, e.perm&^0o111)
	})
	if err != nil {
		return "", failed(e.Path, err)
	}
	return name, nil
}

// replace renames a staged file to its place, over the former one.
func (x *transaction) replace(e Entry, staged string) error {
	if err := x.folders(e.Path, path.Dir(e.real)); err != nil {
		return err
	}
	if !e.exists {
		x.undo = append(x.undo, func() error {
			if err := x.Remove(e.real); !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return nil
		})
	} else if err := x.backup(e); err != nil {
		return err
	}
	if err := x.do("rename", e.Path, func() error { return x.Rename(staged, e.real) }); err != nil {
		return failed(e.Path, err)
	}
	return nil
}

// backup keeps the file that is there in the stage. A second link to it leaves no moment without a file, so an editor
// or a build that runs meanwhile sees the former or the new content. Where links are not to be had, the file moves.
func (x *transaction) backup(e Entry) error {
	old := x.fresh()
	err := x.do("backup", e.Path, func() error {
		if !e.link && x.Link(e.real, old) == nil {
			return nil
		}
		return x.Rename(e.real, old)
	})
	if err != nil {
		return failed(e.Path, err)
	}
	x.undo = append(x.undo, func() error { return x.Rename(old, e.real) })
	return nil
}

// folders makes the folders that lead to a file.
func (x *transaction) folders(file, dir string) error {
	if dir == "." {
		return nil
	}
	if _, err := x.Lstat(dir); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return failed(file, err)
	}
	if err := x.folders(file, path.Dir(dir)); err != nil {
		return err
	}
	if err := x.do("mkdir", dir, func() error { return x.Mkdir(dir, 0o755) }); err != nil {
		return failed(file, err)
	}
	x.undo = append(x.undo, func() error { return x.Remove(dir) })
	return nil
}

// remove takes a stale file away, then the folders that are empty without it.
func (x *transaction) remove(e Entry) error {
	old := x.fresh()
	if err := x.do("remove", e.Path, func() error { return x.Rename(e.real, old) }); err != nil {
		return failed(e.Path, err)
	}
	x.undo = append(x.undo, func() error { return x.Rename(old, e.real) })
	return x.sweep(e.Path, path.Dir(e.real))
}

// sweep removes a folder if it is empty, then those above it. File is the stale file that was there.
func (x *transaction) sweep(file, dir string) error {
	if dir == "." || x.linked(dir) {
		return nil
	}
	names, err := x.list(dir)
	if err != nil {
		return failed(file, err)
	}
	if len(names) > 0 {
		return nil
	}
	info, err := x.Lstat(dir)
	if err != nil {
		return failed(file, err)
	}
	if err := x.do("rmdir", dir, func() error { return x.Remove(dir) }); err != nil {
		return failed(file, err)
	}
	x.undo = append(x.undo, func() error {
		if err := x.Mkdir(dir, 0o700); err != nil {
			return err
		}
		return x.Chmod(dir, info.Mode().Perm())
	})
	return x.sweep(file, path.Dir(dir))
}

// sweepFormer removes the folders that a run left empty which was killed after it had removed their files. The lock on
// disk, written last, still lists those files.
func (x *transaction) sweepFormer(d Diff) error {
	for _, p := range slices.Sorted(maps.Keys(d.owned.Digests)) {
		if !fs.ValidPath(p) || !d.owned.below(p) {
			continue
		}
		for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
			at, err := x.folder(dir)
			if err != nil {
				return err
			}
			if at.state != "" {
				break
			}
			if _, err := x.Lstat(at.real); errors.Is(err, fs.ErrNotExist) {
				continue // gone already, but the one above may be there
			}
			if err := x.sweep(p, at.real); err != nil {
				return err
			}
			break
		}
	}
	return nil
}

// linked reports whether a symbolic link on the way to some output leads to a folder, which then has to stay.
func (x *transaction) linked(dir string) bool {
	for logical, p := range x.places {
		if p.real == dir && logical != dir {
			return true
		}
	}
	return false
}

// failed words an error of one step for a person: which file, and for a lack of permission what to look at.
func failed(file string, err error) error {
	if !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("output: cannot write %s: %w", file, err)
	}
	dir := path.Dir(file)
	if dir == "." {
		dir = "the project's folder"
	}
	return fmt.Errorf("output: cannot write %s, since %s or the file is read-only: %w", file, dir, err)
}
