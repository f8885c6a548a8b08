//go:build unix

package workspace

import (
	"context"
	"os/exec"
	"syscall"
)

// shell is a command line for the system's shell.
func shell(ctx context.Context, line string) *exec.Cmd {
	return exec.CommandContext(ctx, "/bin/sh", "-c", line)
}

// group gives a command a session of its own, and so a process group, which is killed as a whole when the context ends. It has no
// terminal: else it could write into a question that the user is asked there, or answer it.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// killGroup kills what a command that has ended left running. A group that nothing is in is no error.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
