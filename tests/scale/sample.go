package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// cost is what a process and the processes that it waited for needed.
type cost struct {
	wall, cpu time.Duration
	peak      int64 // the largest resident set of one of them, in KiB
}

// size is what a generator wrote.
type size struct {
	lines, bytes int
}

// sample is one run of one generator.
type sample struct {
	generate, compile cost
	size
	tools int
}

// String is the line of a sample in the log.
func (s sample) String() string {
	out := s.generate.String()
	if s.compile.wall > 0 {
		out += "; compile " + s.compile.String()
	}
	return out
}

// String is wall seconds, CPU seconds and MiB.
func (c cost) String() string {
	return fmt.Sprintf("%.2f s wall, %.2f s CPU, %d MiB", c.wall.Seconds(), c.cpu.Seconds(), c.peak/1024)
}

// timed runs a command and measures it. Nothing is fetched meanwhile, and no variable makes toolgen do more than asked.
func timed(dir, name string, args ...string) (cost, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=off", "CI=")
	var text strings.Builder
	cmd.Stdout, cmd.Stderr = &text, &text
	start := time.Now()
	err := cmd.Run()
	c := cost{wall: time.Since(start)}
	if err != nil {
		return c, failed(cmd, err, text.String())
	}
	state := cmd.ProcessState
	c.cpu = state.UserTime() + state.SystemTime()
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return c, fmt.Errorf("this system does not say what a process used: %T", state.SysUsage())
	}
	c.peak = usage.Maxrss
	if runtime.GOOS == "darwin" {
		c.peak /= 1024 // bytes there, KiB elsewhere
	}
	return c, nil
}

// failed is the error of a command, with what it said.
func failed(cmd *exec.Cmd, err error, said string) error {
	const most = 2000
	if len(said) > most {
		said = said[:most] + "..."
	}
	return fmt.Errorf("%s %s: %w\n%s", filepath.Base(cmd.Path), strings.Join(cmd.Args[1:], " "), err, said)
}

// sizeOf counts the Go below a folder.
func sizeOf(dir string) (size, error) {
	var s size
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".go" {
			return err
		}
		data, err := os.ReadFile(file)
		s.bytes += len(data)
		s.lines += bytes.Count(data, []byte("\n"))
		return err
	})
	return s, err
}
