//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"syscall"
)

// lockFile takes a lock by creating a file of the root that names this process. A file whose process is gone is removed
// and the caller tries again.
func lockFile(root *os.Root, name string) (unlock func() error, err error) {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		content, err := root.ReadFile(name)
		if err != nil {
			return nil, errors.Join(errRace, err)
		}
		pid, err := strconv.Atoi(string(content))
		if err != nil || alive(pid) {
			return nil, fmt.Errorf("%w; if none is running, remove %s", ErrBusy, name)
		}
		return nil, errors.Join(errRace, root.Remove(name))
	}
	if err != nil {
		return nil, err
	}
	_, err = f.WriteString(strconv.Itoa(os.Getpid()))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, errors.Join(err, root.Remove(name))
	}
	return func() error { return root.Remove(name) }, nil
}

// alive reports whether a process exists, as far as the system tells.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release()
	if runtime.GOOS == "windows" {
		return true // FindProcess has asked the system
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, fs.ErrPermission)
}
