package assemble_test

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/examples/internal/assemble"
)

// Where keys were taken, no other process of the user can read the program's memory, or the environment that it was started with.
func TestHardened(t *testing.T) {
	const getDumpable, setDumpable = 3, 4
	t.Cleanup(func() { _, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setDumpable, 1, 0) })
	assemble.TakeKeys()
	dumpable, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, getDumpable, 0, 0)
	require.Zero(t, errno)
	require.Zero(t, dumpable)
}
