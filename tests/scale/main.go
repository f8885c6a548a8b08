// Command scale measures toolgen and other generators of Go on the same tools: what generating costs, what compiling
// the result costs, and how both grow. It prints a Markdown table of medians.
//
//	go run . -n 100,1000 -runs 3
//
// Each generator runs as a process of its own, built from the versions that go.mod pins; the runs are interleaved, so
// that a slow minute of the machine meets all of them.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// modulePath is this module's path; its go.mod pins the generators.
const modulePath = "github.com/toolgen-dev/toolgen/tests/scale"

// settings are what the flags say.
type settings struct {
	sizes   []int
	runs    int
	peers   []peer
	compile bool
}

func main() {
	err := run(os.Stdout, os.Stderr, os.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

// run measures what the flags ask for, writes the table to out and its progress to log.
func run(out, log io.Writer, args []string) error {
	set, err := parse(log, args)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "scale")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	lab, err := newBench(work, set, log)
	if err != nil {
		return err
	}
	t, err := lab.measure()
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, t.markdown())
	return err
}

func parse(log io.Writer, args []string) (settings, error) {
	flags := flag.NewFlagSet("scale", flag.ContinueOnError)
	flags.SetOutput(log)
	sizes := flags.String("n", "100,1000", "numbers of tools, smallest first")
	runs := flags.Int("runs", 3, "runs of each generator at each size")
	names := flags.String("peers", strings.Join(peerNames(), ","), "generators")
	compile := flags.Bool("compile", true, "compile what was generated")
	if err := flags.Parse(args); err != nil {
		return settings{}, err
	}
	set := settings{runs: *runs, compile: *compile}
	if flags.NArg() > 0 {
		return set, fmt.Errorf("argument %q: there are only flags", flags.Arg(0))
	}
	if set.runs < 1 {
		return set, fmt.Errorf("-runs %d: at least 1", set.runs)
	}
	for s := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return set, fmt.Errorf("-n: %q is no number of tools", s)
		}
		if k := len(set.sizes); k > 0 && n <= set.sizes[k-1] {
			return set, fmt.Errorf("-n: %d does not come after %d", n, set.sizes[k-1])
		}
		set.sizes = append(set.sizes, n)
	}
	for name := range strings.SplitSeq(*names, ",") {
		i := slices.IndexFunc(peers, func(p peer) bool { return p.name == name })
		if i < 0 {
			return set, fmt.Errorf("-peers: there is no %q; there are %s", name, strings.Join(peerNames(), ", "))
		}
		set.peers = append(set.peers, peers[i])
	}
	return set, nil
}

// bench is a session of measurements.
type bench struct {
	settings
	log  io.Writer
	home string // this module's folder
	work string // where everything is written
	next int    // the next project's number
}

// newBench builds the generators. One that cannot be built is an error: a table without it would mislead.
func newBench(work string, set settings, log io.Writer) (*bench, error) {
	home, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if have, err := output(home, "go", "list", "-m"); err != nil {
		return nil, err
	} else if strings.TrimSpace(have) != modulePath {
		return nil, errors.New("it has to be run in tests/scale")
	}
	b := &bench{settings: set, log: log, home: home, work: work}
	built := map[string]bool{}
	for _, p := range set.peers {
		if built[p.tool] {
			continue
		}
		built[p.tool] = true
		fmt.Fprintf(log, "building %s\n", p.tool)
		if _, err := output(home, "go", "build", "-o", b.binary(p), p.tool); err != nil {
			return nil, fmt.Errorf("%s is missing, and the table needs it or -peers without it: %w", p.name, err)
		}
	}
	return b, nil
}

func (b *bench) binary(p peer) string {
	return filepath.Join(b.work, "bin", p.binary())
}

// measure runs every generator at every size, in turns.
func (b *bench) measure() (*table, error) {
	t := &table{sizes: b.sizes}
	for _, p := range b.peers {
		rows := make([]row, len(b.sizes))
		t.peers = append(t.peers, measured{peer: p, rows: rows})
		if p.pkg != "" && b.compile {
			// What the generated code imports is compiled before anything is timed.
			if _, err := b.once(p, 1); err != nil {
				return nil, err
			}
		}
	}
	for turn := range b.runs {
		for i, n := range b.sizes {
			for k, p := range b.peers {
				if !p.takesPart(n, turn) {
					continue
				}
				got, err := b.once(p, n)
				if err != nil {
					return nil, err
				}
				fmt.Fprintf(b.log, "run %d, N=%d, %s: %s\n", turn+1, n, p.name, got)
				t.peers[k].rows[i] = append(t.peers[k].rows[i], got)
			}
		}
	}
	return t, nil
}

// once generates, and compiles, n tools in a fresh module. Its path and folder are new, so that the build cache has
// nothing of it.
func (b *bench) once(p peer, n int) (sample, error) {
	b.next++
	name := fmt.Sprintf("big%d", b.next)
	dir := filepath.Join(b.work, name)
	defer func() { _ = os.RemoveAll(dir) }()
	var s sample
	if err := b.module(dir, fmt.Sprintf("example.com/%s-%d", name, os.Getpid())); err != nil {
		return s, err
	}
	if err := p.input(dir, n); err != nil {
		return s, err
	}
	var err error
	if p.again {
		if _, err := timed(dir, b.binary(p), p.args...); err != nil {
			return s, err
		}
	}
	if s.generate, err = timed(dir, b.binary(p), p.args...); err != nil || p.pkg == "" {
		return s, err
	}
	if s.size, err = sizeOf(filepath.Join(dir, p.pkg)); err != nil {
		return s, err
	}
	if s.lines == 0 {
		return s, fmt.Errorf("%s wrote no Go", p.name)
	}
	s.tools = n
	if b.compile {
		s.compile, err = timed(dir, "go", "build", "-buildvcs=false", "./"+p.pkg+"/...")
	}
	return s, err
}

// module starts a module that has everything that generated code imports, at the versions of this module.
func (b *bench) module(dir, path string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(b.home, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	root := filepath.Join(b.home, "..", "..")
	_, err := output(dir, "go", "mod", "edit", "-module="+path, "-replace=github.com/toolgen-dev/toolgen="+root)
	return err
}

// output runs a command that is not measured.
func output(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", failed(cmd, err, stderr.String())
	}
	return stdout.String(), nil
}
