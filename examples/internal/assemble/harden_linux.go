package assemble

import "syscall"

// harden keeps other processes of the user from reading the program's memory and its first environment, where keys are. It
// does not keep root from it.
func harden() {
	const setDumpable = 4 // PR_SET_DUMPABLE
	// Where it is refused, nothing is lost that was there.
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setDumpable, 0, 0)
}
