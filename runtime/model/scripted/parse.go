package scripted

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/agent"
)

// section is the part of a script for some agents.
type section struct {
	name   string
	fits   func(agent.Identity) bool
	blocks []block
}

// block is one call of the model.
type block struct {
	line  int
	lines []directive
}

// directive is one line.
type directive struct {
	line      int
	word, arg string
	pattern   *regexp.Regexp // of let
}

// MaxSize is the size of the largest script that [Load] reads, in bytes.
const MaxSize = 16 << 20

// Load reads a script from a file, which may be a pipe, of up to [MaxSize].
func Load(file string) (*Script, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > MaxSize:
		return nil, fmt.Errorf("%s: the script is larger than %d MiB", file, MaxSize>>20)
	}
	return Parse(file, string(data))
}

// Parse reads a script. The name is for errors.
func Parse(name, text string) (*Script, error) {
	s := newScript(name)
	var sec *section
	var open bool // the last block goes on
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		fail := func(format string, args ...any) error {
			return fmt.Errorf("%s:%d: %s", name, i+1, fmt.Sprintf(format, args...))
		}
		if title, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(title, " --") {
			title = strings.TrimSpace(strings.TrimSuffix(title, "--"))
			fits, err := matcher(title)
			if err != nil {
				return nil, fail("%v", err)
			}
			s.sections = append(s.sections, section{name: title, fits: fits})
			sec, open = &s.sections[len(s.sections)-1], false
			continue
		}
		switch {
		case sec == nil:
			continue // a comment
		case strings.TrimSpace(line) == "":
			open = false
			continue
		case line[0] == ' ' || line[0] == '\t':
			if !open {
				return nil, fail("a line that begins with a blank goes on with the line before, and there is none")
			}
			lines := sec.blocks[len(sec.blocks)-1].lines
			last := &lines[len(lines)-1]
			last.arg += "\n" + strings.TrimLeft(line, " \t")
			continue
		}
		if !open {
			sec.blocks = append(sec.blocks, block{line: i + 1})
			open = true
		}
		b := &sec.blocks[len(sec.blocks)-1]
		word, arg, _ := strings.Cut(line, " ")
		b.lines = append(b.lines, directive{line: i + 1, word: word, arg: strings.TrimSpace(arg)})
	}
	for _, sec := range s.sections {
		for _, b := range sec.blocks {
			for i := range b.lines {
				if err := b.lines[i].check(); err != nil {
					return nil, fmt.Errorf("%s:%d: %w", name, b.lines[i].line, err)
				}
			}
		}
	}
	if len(s.sections) == 0 {
		return nil, fmt.Errorf("%s: the script has no section", name)
	}
	return s, nil
}

// matcher reads the name of a section.
func matcher(title string) (func(agent.Identity) bool, error) {
	key, value, has := strings.Cut(title, ":")
	value = strings.TrimSpace(value)
	switch {
	case title == "root":
		return func(id agent.Identity) bool { return id.Parent == "" }, nil
	case title == "any":
		return func(agent.Identity) bool { return true }, nil
	case has && key == "label" && value != "":
		return func(id agent.Identity) bool { return id.Label == value }, nil
	case has && key == "id" && value != "":
		return func(id agent.Identity) bool { return string(id.ID) == value }, nil
	case has && key == "depth":
		if n, err := strconv.Atoi(value); err == nil && n >= 0 {
			return func(id agent.Identity) bool { return id.Depth == n }, nil
		}
	}
	return nil, fmt.Errorf("%q is no section: it is root, any, label: L, id: I or depth: N", title)
}

// authors are the words for who wrote a message.
func author(word string) (agent.Author, bool) {
	switch a := agent.Author(word); a {
	case agent.User, agent.ToolResult, agent.Coordinator, agent.Report, agent.Settlement:
		return a, true
	}
	return "", false
}

// check reports a line that could not be played.
func (d *directive) check() error {
	first, rest, _ := strings.Cut(d.arg, " ")
	switch d.word {
	case "expect", "refuse":
		if _, ok := author(first); !ok {
			return fmt.Errorf("%q is no author: it is user, result, coordinator, report or settlement", first)
		}
	case "tools", "no-tools", "prompt", "no-prompt", "hold", "release", "think", "say", "fail":
		if d.arg == "" {
			return fmt.Errorf("%s needs something after it", d.word)
		}
	case "call":
		if first == "" || strings.TrimSpace(rest) == "" {
			return fmt.Errorf("call needs a tool and its arguments")
		}
	case "let":
		re, err := regexp.Compile(rest)
		if err != nil {
			return fmt.Errorf("let: %w", err)
		}
		if first == "" || re.NumSubexp() != 1 {
			return fmt.Errorf("let needs a name and a regular expression with one group")
		}
		d.pattern = re
	case "usage":
		var in, out int64
		if n, err := fmt.Sscanf(d.arg, "%d %d", &in, &out); n != 2 || err != nil {
			return fmt.Errorf("usage needs two numbers")
		}
	case "stop":
		if s := agent.Stop(d.arg); s != agent.StopTokenLimit && s != agent.StopRefused {
			return fmt.Errorf("stop needs %s or %s", agent.StopTokenLimit, agent.StopRefused)
		}
	case "stall":
		if d.arg != "" {
			return fmt.Errorf("stall has nothing after it")
		}
	default:
		return fmt.Errorf("%q is not known", d.word)
	}
	return nil
}
