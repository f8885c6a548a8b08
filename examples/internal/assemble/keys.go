package assemble

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// Keys are the keys of providers. They are written nowhere.
type Keys struct {
	values map[string]string // by the variable's name
}

// The variables that hold keys.
const (
	openAIKey    = "OPENAI_API_KEY"
	anthropicKey = "ANTHROPIC_API_KEY"
)

// TakeKeys reads the keys from the environment, and takes them out of it, so that nothing which the program starts inherits
// them. Where the system can, it also keeps other processes from reading the program's memory.
func TakeKeys() Keys {
	harden()
	k := Keys{map[string]string{}}
	for _, name := range []string{openAIKey, anthropicKey} {
		if v := os.Getenv(name); v != "" {
			k.values[name] = v
		}
		_ = os.Unsetenv(name) // the name is valid
	}
	return k
}

// of returns the key of a variable, or an empty string.
func (k Keys) of(name string) string { return k.values[name] }

// hidden stands for a key.
const hidden = "[key]"

// shortest is how long a key is at least. What is set for servers that need none, such as "none", is a word of other texts too.
const shortest = 8

// secrets are the keys that no text shows. The longest is first: another one may be part of it.
func (k Keys) secrets() []string {
	var out []string
	for _, v := range k.values {
		if len(v) >= shortest {
			out = append(out, v)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return out
}

// Scrub takes the keys out of a text.
func (k Keys) Scrub(text string) string {
	for _, v := range k.secrets() {
		text = strings.ReplaceAll(text, v, hidden)
	}
	return text
}

// String keeps the keys out of whatever prints the value.
func (k Keys) String() string { return hidden }

// GoString is String.
func (k Keys) GoString() string { return hidden }

// middleware takes keys out of what tools return, in case that one finds them in a file or in a command's output.
func (k Keys) middleware() tool.Middleware {
	return tool.After(func(_ context.Context, _ *tool.Invocation, out tool.Output, err error) (tool.Output, error) {
		if err != nil {
			if text := k.Scrub(err.Error()); text != err.Error() {
				err = errors.New(text)
			}
			return out, err
		}
		if out == nil {
			return nil, nil
		}
		text := string(out.AppendText(nil))
		if clean := k.Scrub(text); clean != text {
			return scrubbed{out.ResultName(), clean}, nil
		}
		return out, nil
	})
}

// scrubbed is a result without keys.
type scrubbed struct{ name, text string }

func (s scrubbed) ResultName() string           { return s.name }
func (s scrubbed) AppendText(out []byte) []byte { return append(out, s.text...) }

// Writer takes keys out of what is written to w, where one write has the whole key.
func (k Keys) Writer(w io.Writer) io.Writer { return scrubber{k, w} }

type scrubber struct {
	keys Keys
	w    io.Writer
}

// Write writes p without keys.
func (s scrubber) Write(p []byte) (int, error) {
	clean := p
	for _, v := range s.keys.secrets() {
		clean = bytes.ReplaceAll(clean, []byte(v), []byte(hidden))
	}
	if _, err := s.w.Write(clean); err != nil {
		return 0, err
	}
	return len(p), nil
}
