package workspace

import (
	"os"
	"syscall"
)

// procfs is the type of the file system that shows processes, as Linux numbers it.
const procfs = 0x9fa0

// special reports whether a file is none of a disk: what shows processes shows their environment.
func special(f *os.File) bool {
	conn, err := f.SyscallConn()
	if err != nil {
		return true
	}
	var s syscall.Statfs_t
	var statErr error
	err = conn.Control(func(fd uintptr) { statErr = syscall.Fstatfs(int(fd), &s) })
	return err != nil || statErr != nil || s.Type == procfs
}
