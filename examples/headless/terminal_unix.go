//go:build linux || darwin || freebsd || netbsd || openbsd

package main

import (
	"os"
	"os/signal"
	"syscall"
	"unsafe"
)

// isTerminal reports whether a file is a terminal.
func isTerminal(f *os.File) bool {
	_, ok := window(f)
	return ok
}

// sizeOf is a terminal's size, or what terminals usually have.
func sizeOf(f *os.File) (columns, rows int) {
	w, ok := window(f)
	if !ok || w.columns == 0 || w.rows == 0 {
		return 80, 24
	}
	return int(w.columns), int(w.rows)
}

type winsize struct{ rows, columns, x, y uint16 }

// window asks the system for the size of the terminal's window, which nothing else has.
func window(f *os.File) (w winsize, ok bool) {
	conn, err := f.SyscallConn()
	if err != nil {
		return w, false
	}
	err = conn.Control(func(fd uintptr) {
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&w)))
		ok = errno == 0
	})
	return w, ok && err == nil
}

// ignorePipes makes a write to a pipe that nobody reads an error. What the program starts does not inherit that, as it would
// with signal.Ignore.
func ignorePipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
