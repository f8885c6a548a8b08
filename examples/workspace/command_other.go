//go:build !unix

package workspace

import (
	"context"
	"os/exec"
)

// shell is a command line for the system's shell.
func shell(ctx context.Context, line string) *exec.Cmd {
	return exec.CommandContext(ctx, "cmd", "/c", line)
}

// group does nothing: there are no process groups. The command itself is killed when the context ends.
func group(*exec.Cmd) {}

// killGroup does nothing.
func killGroup(*exec.Cmd) {}
