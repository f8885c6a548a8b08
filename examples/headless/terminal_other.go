//go:build !(linux || darwin || freebsd || netbsd || openbsd)

package main

import "os"

// isTerminal reports whether a file is a terminal: here that is not known.
func isTerminal(*os.File) bool { return false }

// sizeOf is what terminals usually have.
func sizeOf(*os.File) (columns, rows int) { return 80, 24 }

// ignorePipes does nothing: a write to a pipe that nobody reads is an error here.
func ignorePipes() {}
