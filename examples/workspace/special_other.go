//go:build !linux

package workspace

import "os"

// special reports whether a file is none of a disk: here there are no such files, or they are no plain ones.
func special(*os.File) bool { return false }
