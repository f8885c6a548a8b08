package output

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Names in the project's root that exist while files are written. Both are hidden, so Go and CUE ignore them. One name
// for the stage is enough, since whoever makes it holds the lock; no other name is ever toolgen's, however similar.
const (
	stageName = ".toolgen-stage-0"
	stageLock = ".toolgen-stage.lock"
)

// ErrBusy is what [Apply] returns, wrapped, while another run writes to the same project.
var ErrBusy = errors.New("another toolgen is writing to this project")

// errRace makes the taking of the lock start again: its file was removed between opening and locking it.
var errRace = errors.New("the lock's file was removed")

// Clean removes what a run that was killed left in the project: its stage and its lock's file. [Apply] does so too; Clean
// is for a run that has nothing to apply. It writes nothing, and where there is nothing to remove it does not even take
// the lock. While another run writes, and where the project's folder is read-only, it does nothing and gives no error:
// leftovers are in nobody's way, and the next run that writes removes them.
//
// An error says that something else has one of the two names, so that no run could write; it is not touched.
func Clean(root string) error {
	t, err := openTree(root, hooks{})
	if err != nil {
		return err
	}
	defer t.Close()
	return t.clean()
}

func (t *tree) clean() error {
	left, err := t.leftover()
	if err != nil || !left {
		return err
	}
	unlock, err := t.lock()
	if err == nil {
		err = errors.Join(t.clearStage(), unlock())
	}
	if errors.Is(err, ErrBusy) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

// leftover reports whether the stage or the lock's file is there: another run's, or what a killed one left. The error
// is about something that no run of toolgen makes: a file or a link called like the stage, a folder or a link called
// like the lock. (A link in place of the lock would be opened where it leads.)
func (t *tree) leftover() (bool, error) {
	found := false
	for _, name := range []string{stageName, stageLock} {
		info, err := t.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return false, fmt.Errorf("output: %w", err)
		case name == stageName && !info.IsDir():
			return false, fmt.Errorf("output: nothing was written: %s is no folder, and toolgen makes a folder of that name while it writes; rename it or remove it", name)
		case name == stageLock && !info.Mode().IsRegular():
			return false, fmt.Errorf("output: nothing was written: %s is no plain file, and toolgen makes a file of that name while it writes; rename it or remove it", name)
		}
		found = true
	}
	return found, nil
}

// clearStage removes the stage of a run that was killed. The lock must be held: then no run is at work in it. Such a
// stage holds files with numbers for names and nothing else, so a folder with anything else in it is somebody's own.
func (t *tree) clearStage() error {
	names, err := t.list(stageName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("output: cannot read %s, which a run that was killed left behind: %w", stageName, err)
	}
	for _, name := range names {
		info, err := t.Lstat(stageName + "/" + name)
		if err != nil {
			return fmt.Errorf("output: %w", err)
		}
		if info.IsDir() || len(name) < len("000001") || strings.Trim(name, "0123456789") != "" {
			return fmt.Errorf("output: nothing was written: %s/%s is not toolgen's, and toolgen makes a folder called %s while it writes; rename that folder or remove it", stageName, name, stageName)
		}
	}
	if err := t.RemoveAll(stageName); err != nil {
		return fmt.Errorf("output: cannot remove %s, which a run that was killed left behind: %w", stageName, err)
	}
	return nil
}

// lock takes the project's lock and returns what gives it back, and removes its file.
func (t *tree) lock() (unlock func() error, err error) {
	const tries = 10
	for range tries {
		if unlock, err = lockFile(t.Root, stageLock); !errors.Is(err, errRace) {
			break
		}
		err = ErrBusy
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("output: nothing was written: the project's folder is read-only: %w", err)
	case err != nil:
		return nil, fmt.Errorf("output: nothing was written: %w", err)
	}
	return unlock, nil
}
