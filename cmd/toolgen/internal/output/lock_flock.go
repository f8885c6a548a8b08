//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package output

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lockFile takes an exclusive lock on a file of the root without waiting. The kernel gives the lock back when a process
// ends, however it ends, so a file that a killed run left behind is in nobody's way.
func lockFile(root *os.Root, name string) (unlock func() error, err error) {
	f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, ErrBusy
		}
		return nil, fmt.Errorf("cannot lock %s: %w", name, err)
	}
	// The former holder may have removed the file after we opened it; then we hold a lock that nobody else will ask for.
	mine, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if there, err := root.Lstat(name); err != nil || !os.SameFile(mine, there) {
		return nil, errors.Join(errRace, f.Close())
	}
	return func() error { return errors.Join(root.Remove(name), f.Close()) }, nil
}
