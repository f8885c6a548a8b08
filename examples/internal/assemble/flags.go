package assemble

import (
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

// unknownTools says of an error of the library about a name of -child-tools whose it is, and which tools there are. Another error stays
// as it is.
func unknownTools(err error, names, tools []string) error {
	if slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(tools, n) }) {
		return fmt.Errorf("-child-tools: %w; the tools are %s", err, strings.Join(tools, ", "))
	}
	return err
}
