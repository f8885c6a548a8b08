// Package scenarios plays conversations on the built example programs, without a key.
package scenarios

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/tests/outside"
)

// TestMain keeps the programs until the last test has run them.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "scenarios")
	if err != nil {
		panic(err)
	}
	programs.dir = dir
	code := m.Run()
	_ = os.RemoveAll(dir) // what is left is in the system's folder for that
	os.Exit(code)
}

// programs are those that were built.
var programs struct {
	sync.Mutex
	dir   string
	built []string
}

// build builds a program of the repository, once for all tests.
func build(t *testing.T, pkg string) string {
	t.Helper()
	programs.Lock()
	defer programs.Unlock()
	program := filepath.Join(programs.dir, filepath.Base(pkg)+".exe")
	if slices.Contains(programs.built, program) {
		return program
	}
	outside.Depend(t, "examples")
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	c := exec.Command("go", "build", "-o", program, "./"+pkg)
	c.Dir = root
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
	programs.built = append(programs.built, program)
	return program
}

// folder is what the tools work in.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("Milk.\n"), 0o600))
	return dir
}

// result is what a run of examples/headless left.
type result struct {
	stdout, stderr, transcript string
	exit                       int
}

// command is a run of examples/headless with JSON lines, in a folder.
func command(t *testing.T, program, dir, script string, args ...string) (c *exec.Cmd, transcript string) {
	t.Helper()
	transcript = filepath.Join(t.TempDir(), "transcript.txt")
	script, err := filepath.Abs(script)
	require.NoError(t, err)
	return exec.Command(program, append([]string{"-script", script, "-folder", dir, "-format", "jsonl", "-transcript", transcript}, args...)...), transcript
}

// run runs it to its end.
func run(t *testing.T, program, dir, script string, args ...string) result {
	t.Helper()
	c, transcript := command(t, program, dir, script, args...)
	r := start(t, c)
	text, err := os.ReadFile(transcript)
	require.NoError(t, err, r.stderr)
	r.transcript = string(text)
	return r
}

// start runs a command to its end, whatever its exit code.
func start(t *testing.T, c *exec.Cmd) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return result{stdout: stdout.String(), stderr: stderr.String(), exit: c.ProcessState.ExitCode()}
}

// line is one of the JSON lines. What it has not is no part of the shape.
type line struct {
	Type, Agent, Parent, Kind, Label, State string
	Author, From                            string
	Call, Name                              string
	Error, Resumed                          bool
	Outcome, Reason, Text                   string
	Calls                                   []struct{ ID, Name, Arguments string }
	Usage                                   *struct{ Input, Output int64 }
	Left                                    []struct{ Agent, Label string }
	Exit                                    *int
}

func decode(t *testing.T, text string) line {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	var l line
	require.NoError(t, d.Decode(&l), text)
	return l
}

// section is a part of a transcript: a request or an answer.
type section struct{ agent, head, body string }

// wire is what went to models and came out of a program, with names in place of random ids.
type wire struct {
	agents     []string // in the order of their start; the first is root
	lines      []line
	raw        []string
	transcript []section
	rename     *strings.Replacer
}

var (
	marks    = regexp.MustCompile(`mark="[0-9a-f]{8}"`)
	headings = regexp.MustCompile(`(?m)^-- (request|answer): (.*), (\S+), (\d+) --\n`)
)

// parse reads what a run left.
func parse(t *testing.T, r result) *wire {
	t.Helper()
	w := parseLines(t, r.stdout)
	text := marks.ReplaceAllString(w.rename.Replace(r.transcript), `mark="MARK"`)
	found := headings.FindAllStringSubmatchIndex(text, -1)
	require.NotEmpty(t, found)
	for i, at := range found {
		end := len(text)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		name := text[at[6]:at[7]]
		w.transcript = append(w.transcript, section{name, fmt.Sprintf("%s %s: %s", name, text[at[8]:at[9]], text[at[2]:at[3]]), text[at[1]:end]})
	}
	return w
}

// parseLines reads JSON lines.
func parseLines(t *testing.T, stdout string) *wire {
	t.Helper()
	w := &wire{}
	var names []string // old and new
	taken := map[string]bool{}
	for text := range strings.Lines(stdout) {
		l := decode(t, text)
		name := ""
		switch {
		case l.Type == "start":
			name = "root"
		case l.Type == "agent" && !slices.Contains(names, l.Agent):
			name = strings.ReplaceAll(l.Label, " ", "-")
		default:
			continue
		}
		require.False(t, taken[name], "two agents are called %s", name)
		taken[name] = true
		w.agents = append(w.agents, name)
		names = append(names, l.Agent, name)
	}
	w.rename = strings.NewReplacer(names...)
	for text := range strings.Lines(w.rename.Replace(stdout)) {
		w.lines = append(w.lines, decode(t, text))
		w.raw = append(w.raw, text)
	}
	return w
}

// sections are those of a golden file, agent by agent: agents run beside each other, so that only the order of each is certain.
func (w *wire) sections(prefix string) string {
	var b strings.Builder
	for _, name := range w.agents {
		for _, s := range w.transcript {
			if s.agent == name {
				fmt.Fprintf(&b, "-- %s%s --\n%s", prefix, s.head, s.body)
			}
		}
	}
	for _, name := range w.agents {
		fmt.Fprintf(&b, "-- %s%s: lines --\n", prefix, name)
		for i, l := range w.lines {
			if l.Agent == name {
				b.WriteString(w.raw[i])
			}
		}
	}
	return b.String()
}

func (w *wire) String() string { return w.sections("") }

// of are the lines of a type about an agent.
func (w *wire) of(agent, kind string) []line {
	return slices.DeleteFunc(slices.Clone(w.lines), func(l line) bool { return l.Agent != agent || l.Type != kind })
}

// end is the last line.
func (w *wire) end() line { return w.lines[len(w.lines)-1] }

// authors are those of the messages that an agent was told.
func (w *wire) authors(agent string) []string {
	var out []string
	for _, l := range w.of(agent, "message") {
		out = append(out, l.Author)
	}
	return out
}

// calls are those of a tool that an agent made.
func (w *wire) calls(agent, tool string) (out []struct{ ID, Name, Arguments string }) {
	for _, l := range w.of(agent, "answer") {
		for _, c := range l.Calls {
			if c.Name == tool {
				out = append(out, c)
			}
		}
	}
	return out
}

// called are the tools that an agent called.
func (w *wire) called(agent string) (out []string) {
	for _, l := range w.of(agent, "answer") {
		for _, c := range l.Calls {
			out = append(out, c.Name)
		}
	}
	return out
}

// result is the text of a call's result.
func (w *wire) result(call string) string {
	for _, l := range w.lines {
		if l.Type == "result" && l.Call == call {
			return l.Text
		}
	}
	return ""
}

// settled is the place of the line that says so.
func (w *wire) settled(agent string) int {
	return slices.IndexFunc(w.lines, func(l line) bool { return l.Type == "agent" && l.Agent == agent && l.State == "settled" })
}

// requests are what the model of an agent was sent.
func (w *wire) requests(agent string) (out []string) {
	for _, s := range w.transcript {
		if s.agent == agent && strings.HasSuffix(s.head, ": request") {
			out = append(out, s.body)
		}
	}
	return out
}

// golden compares with the file of a scenario, a txtar.
func golden(t *testing.T, name, have string) {
	t.Helper()
	file := filepath.Join("testdata", "headless", name+".txtar")
	if os.Getenv("TOOLGEN_UPDATE") != "" {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(have), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), have)
}

func quoted(s string) string { return `"` + s + `"` }
