package main

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestToolgen measures toolgen on three tools, so that neither the inputs nor the table rot.
func TestToolgen(t *testing.T) {
	var out, log strings.Builder
	if err := run(&out, &log, []string{"-n", "3", "-runs", "1", "-peers", "toolgen"}); err != nil {
		t.Fatalf("%v\n%s", err, &log)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines, not a head, a rule and a row:\n%s", len(lines), &out)
	}
	for _, line := range lines {
		if got, want := strings.Count(line, "|"), len(columns)+1; got != want {
			t.Errorf("%d bars, not %d: %s", got, want, line)
		}
	}
	const decimal, whole = `\d+\.\d\d`, `[1-9]\d*`
	want := "^" + strings.Join([]string{
		`\| .toolgen generate.`, "all", "3", "1", decimal, decimal, whole, nothing, whole, whole, decimal, decimal, whole + ` \|`,
	}, ` \| `) + "$"
	if !regexp.MustCompile(want).MatchString(lines[2]) {
		t.Errorf("the row does not match %s:\n%s", want, lines[2])
	}
}

// TestInputs writes every generator's input, and expects the number of the last tool and no verb that was not filled.
func TestInputs(t *testing.T) {
	for _, p := range peers {
		dir := t.TempDir()
		if err := p.input(dir, 12); err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		err := filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(file)
			all.Write(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if s := all.String(); !strings.Contains(s, "archive 11") || strings.Contains(s, "archive 12") || strings.Contains(s, "%") {
			t.Errorf("%s:\n%.2000s", p.name, s)
		}
	}
}

// TestMissing: a generator that cannot be built is an error that names it.
func TestMissing(t *testing.T) {
	set := settings{peers: []peer{{name: "nobody", tool: "example.com/nobody"}}}
	_, err := newBench(t.TempDir(), set, &strings.Builder{})
	if err == nil || !strings.HasPrefix(err.Error(), "nobody is missing") {
		t.Errorf("got %v", err)
	}
}

func TestFlags(t *testing.T) {
	for _, args := range [][]string{
		{"-n", ""}, {"-n", "0"}, {"-n", "ten"}, {"-n", "100,10"}, {"-n", "10,10"}, {"-runs", "0"}, {"-peers", "toolgen,nobody"}, {"more"}, {"-x"},
	} {
		if _, err := parse(&strings.Builder{}, args); err == nil {
			t.Errorf("accepted %q", args)
		}
	}
	set, err := parse(&strings.Builder{}, nil)
	if err != nil || len(set.peers) != len(peers) || len(set.sizes) != 2 || !set.compile {
		t.Errorf("got %v, %v", set, err)
	}
}

func TestTable(t *testing.T) {
	at := func(seconds ...float64) row {
		var r row
		for _, s := range seconds {
			d := time.Duration(s * float64(time.Second))
			r = append(r, sample{generate: cost{wall: d, cpu: d, peak: 2048}, size: size{lines: 55, bytes: 104}, tools: 10})
		}
		return r
	}
	m := measured{peer: peer{label: "x", most: 50}, rows: []row{at(1, 3, 2), at(80, 20, 10, 30)}}
	tab := &table{sizes: []int{10, 100}, peers: []measured{m}}
	want := []string{
		"| x | – | 10 | 3 | 2.00 | 2.00 | 2 | – | 6 | 10 | – | – | – |",
		"| x | – | 100 | 4 | 25.00 | 25.00 | 2 | 1.10 | 6 | 10 | – | – | – |",
	}
	if got := tab.markdown(); !strings.HasSuffix(got, strings.Join(want, "\n")+"\n") {
		t.Error(got)
	}
	if got := at(4, 1, 2, 3).median(func(s sample) float64 { return s.generate.cpu.Seconds() }); math.Abs(got-2.5) > 1e-9 {
		t.Errorf("median %v", got)
	}
	tab.peers[0].rows[1] = nil
	if got := tab.markdown(); !strings.HasSuffix(got, "\nx is left out at N=100: it is run up to N=50, once.\n") {
		t.Error(got)
	}
}
