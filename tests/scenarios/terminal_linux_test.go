package scenarios

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// terminal opens a pair of pseudo terminals of a size.
func terminal(t *testing.T, columns, rows uint16) (outside, inside *os.File) {
	t.Helper()
	outside, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = outside.Close() }) // it may be closed already
	control := func(request uintptr, value unsafe.Pointer) {
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, outside.Fd(), request, uintptr(value))
		require.Zero(t, errno)
	}
	var locked, number int32
	control(syscall.TIOCSPTLCK, unsafe.Pointer(&locked))
	control(syscall.TIOCGPTN, unsafe.Pointer(&number))
	size := [4]uint16{rows, columns}
	control(syscall.TIOCSWINSZ, unsafe.Pointer(&size))
	inside, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	return outside, inside
}

// onTerminal runs a command on a terminal, answers what it asks for, and returns all that the terminal got and stdout.
func onTerminal(t *testing.T, c *exec.Cmd, columns, rows uint16, ask, answer string) (shown, stdout string) {
	t.Helper()
	outside, inside := terminal(t, columns, rows)
	var out, all bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = inside, &out, inside
	c.Env = append(os.Environ(), "TERM=xterm")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true} // it is the terminal of all that the program starts
	require.NoError(t, c.Start())
	require.NoError(t, inside.Close())
	buf := make([]byte, 4096)
	for asked := ask == ""; ; {
		n, err := outside.Read(buf)
		all.Write(buf[:n])
		if !asked && strings.Contains(all.String(), ask) {
			asked = true
			_, err := io.WriteString(outside, answer)
			require.NoError(t, err)
		}
		if err != nil {
			break // EIO: the program has closed its side
		}
	}
	require.NoError(t, c.Wait(), all.String())
	return strings.ReplaceAll(all.String(), "\r\n", "\n"), out.String()
}

// screen is what a terminal shows after what it got: of escape sequences, only those of the tree are known.
func screen(t *testing.T, shown string) string {
	t.Helper()
	var lines []string
	up := regexp.MustCompile(`^\x1b\[(\d+)A\x1b\[J`)
	for text := range strings.Lines(shown) {
		for {
			m := up.FindStringSubmatch(text)
			if m == nil {
				break
			}
			n := 0
			_, err := fmt.Sscan(m[1], &n)
			require.NoError(t, err)
			require.LessOrEqual(t, n, len(lines), "the tree goes back no further than what it has drawn")
			lines = lines[:len(lines)-n]
			text = text[len(m[0]):]
		}
		require.NotContains(t, text, "\x1b")
		lines = append(lines, text)
	}
	return strings.Join(lines, "")
}

// On a terminal the agents are a tree that is drawn anew in its place, and nothing that a text says does anything there.
func TestHeadlessTerminal(t *testing.T) {
	program := build(t, "examples/headless")
	s := script(t, "-- root --\ncall subagent {\"description\": \"dig \\u001b[31m deep\", \"prompt\": \"Dig.\"}\ncall subagent {\"description\": \"look\", \"prompt\": \"Look.\"}\n\n"+
		"say They work.\nrelease working\n\nexpect settlement\nsay One.\nrelease one\n\nexpect settlement\nsay A \x1b[2J coin.\n\n"+
		"-- label: look --\nhold one\nsay Nothing.\n\n-- depth: 1 --\nhold working\ncall list_files {\"path\": \"\\u001b[2J\"}\n\nsay A coin.\n")
	shown, stdout := onTerminal(t, exec.Command(program, "-script", s, "-folder", folder(t), "Dig"), 40, 24, "", "")
	require.Equal(t, "A \\x1b[2J coin.\n", stdout)
	require.Regexp(t, `\Aheadless: conversation agent-\w+
Dig: completed
  dig \[31m deep: completed
  look: completed
\z`, screen(t, shown))

	shown, _ = onTerminal(t, exec.Command(program, "-script", s, "-folder", folder(t), "Dig"), 12, 4, "", "")
	require.Regexp(t, `\Aheadless: conversation agent-\w+
Dig: comple
… and 2 more
\z`, screen(t, shown), "what does not fit is cut")
}

// On a terminal the user is asked, is shown the whole command, and "y" alone permits it.
func TestHeadlessPermission(t *testing.T) {
	program := build(t, "examples/headless")
	for answer, runs := range map[string]bool{"y\n": true, "YES\n": true, "n\n": false, "\n": false, "yes please\n": false, "\x04": false} {
		dir := folder(t)
		want := "The user does not permit this command"
		if runs {
			want = "Exit code 0."
		}
		s := script(t, "-- root --\ncall run_command {\"command\": \"touch done # \\u001b[2J\\n# and this\"}\n\nexpect result "+want+"\nsay Over.\n")
		shown, stdout := onTerminal(t, exec.Command(program, "-script", s, "-folder", dir, "Dig"), 80, 24, "Run it? [y/N] ", answer)
		require.Equal(t, "Over.\n", stdout)
		require.Contains(t, shown, "Dig asks to run, in "+dir+":\n  touch done # \\x1b[2J\n  # and this\nRun it? [y/N] ")
		_, err := os.Stat(filepath.Join(dir, "done"))
		require.Equal(t, runs, err == nil, answer)
	}
}

// A command that was permitted has no terminal: it can neither write into a question nor answer one.
func TestHeadlessCommandHasNoTerminal(t *testing.T) {
	program := build(t, "examples/headless")
	s := script(t, "-- root --\ncall run_command {\"command\": \"(printf 'for%s' ged >/dev/tty) 2>/dev/null || echo nobody there\"}\n\nexpect result nobody there\nsay Over.\n")
	shown, stdout := onTerminal(t, exec.Command(program, "-script", s, "-folder", folder(t), "Dig"), 80, 24, "Run it? [y/N] ", "y\n")
	require.Equal(t, "Over.\n", stdout)
	require.NotContains(t, shown, "forged")
}

// An answer that cannot be written is said.
func TestHeadlessFull(t *testing.T) {
	program := build(t, "examples/headless")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer func() { require.NoError(t, full.Close()) }()
	var stderr strings.Builder
	c := exec.Command(program, "-quiet", "-script", script(t, "-- root --\nsay Yes.\n"), "a")
	c.Stdout, c.Stderr = full, &stderr
	var exit *exec.ExitError
	require.ErrorAs(t, c.Run(), &exit)
	require.Equal(t, 1, exit.ExitCode())
	require.Equal(t, "headless: the output cannot be written: write /dev/stdout: no space left on device\n", stderr.String())
}
