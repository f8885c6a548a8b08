package assemble

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

// TimeVar defines a flag for a time, whose default is what the variable has.
func TimeVar(fs *flag.FlagSet, t *time.Duration, name, usage string) {
	fs.Var((*timeValue)(t), name, usage)
}

// timeValue is a flag that says what a time looks like, where one is not understood.
type timeValue time.Duration

// String is the time in the form that Set takes.
func (t *timeValue) String() string { return time.Duration(*t).String() }

// Set reads a time.
func (t *timeValue) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		return errors.New("a time is a number with its unit, such as 500ms, 5s or 1m30s")
	}
	*t = timeValue(d)
	return nil
}

// maxPersona bounds the system prompt that -system brings, in bytes.
const maxPersona = 1 << 20

// readPersona reads the file of -system, which may be a pipe.
func readPersona(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxPersona+1))
	switch {
	case err != nil:
		return "", err
	case len(text) > maxPersona:
		return "", fmt.Errorf("-system: %s is larger than %d MiB", file, maxPersona>>20)
	}
	return string(text), nil
}

// checkBaseURL says of a server's address what is wrong in the flag's words. It does not repeat what may have a password.
func checkBaseURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("-base-url is a URL of http or https such as http://localhost:11434/v1, with no user and nothing behind the path")
	}
	return nil
}

// knownTools finds a name among those that a flag gives which no tool has, and says which tools there are, the nearest first.
func knownTools(names, tools []string) error {
	for _, n := range names {
		if !slices.Contains(tools, n) {
			near := slices.Clone(tools)
			slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(distance(n, a), distance(n, b)) })
			return fmt.Errorf("-child-tools names %q, and there is no such tool; the tools are %s", OneLine(n, 64), strings.Join(near, ", "))
		}
	}
	return nil
}

// distance counts the bytes that have to be added, removed or replaced.
func distance(a, b string) int {
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := slices.Clone(last)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, last[j]+cost)
		}
		last = row
	}
	return last[len(b)]
}
