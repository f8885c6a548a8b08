package lockfile

import (
	"fmt"
	"strconv"
	"strings"
)

// SyntaxError says what is wrong with a toolgen.lock, and where.
type SyntaxError struct {
	Line int // from 1
	Msg  string
}

// Error gives "toolgen.lock:line: what is wrong".
func (e *SyntaxError) Error() string { return fmt.Sprintf("%s:%d: %s", Name, e.Line, e.Msg) }

// Parse reads a toolgen.lock. It accepts exactly what [Lock.Bytes] writes; any other content is a [*SyntaxError] with
// the first line that is wrong.
func Parse(b []byte) (*Lock, error) {
	p := parser{lock: new(Lock)}
	lines := strings.Split(string(b), "\n")
	// The text after the last line feed is no line of its own, but it must be empty.
	for i, text := range lines[:len(lines)-1] {
		p.line = i + 1
		if err := p.read(text); err != nil {
			return nil, err
		}
	}
	p.line = len(lines)
	if last := lines[len(lines)-1]; last != "" {
		return nil, p.errorf("the last line has no line feed")
	}
	if p.line <= 3 {
		return nil, p.errorf("the file ends before its generator line")
	}
	return p.lock, nil
}

// parser holds what reading the next line depends on.
type parser struct {
	lock *Lock
	line int
	rank int    // place of the last line's word in the order of words
	last string // path of the last entry, where the next line may continue its list
}

func (p *parser) errorf(format string, args ...any) error {
	return &SyntaxError{Line: p.line, Msg: fmt.Sprintf(format, args...)}
}

// read takes one line in.
func (p *parser) read(text string) error {
	if strings.HasSuffix(text, "\r") {
		return p.errorf("the line ends with a carriage return; toolgen.lock has LF line ends on every system")
	}
	switch p.line {
	case 1:
		if text != header {
			return p.errorf("expected %q, found %q", header, clip(text))
		}
		return nil
	case 2:
		if text != fmt.Sprintf("format %d", Format) {
			return p.errorf("expected %q, found %q: another version of toolgen wrote the file", fmt.Sprintf("format %d", Format), clip(text))
		}
		return nil
	}
	words, err := split(text)
	if err != nil {
		return p.errorf("%v", err)
	}
	if p.line == 3 {
		if words[0] != "generator" || len(words) != 2 {
			return p.errorf("expected generator and its digest, found %q", clip(text))
		}
		p.lock.Generator = words[1]
		return p.digest(words[1])
	}
	switch words[0] {
	case "input":
		return p.entry(&p.lock.Inputs, 1, words)
	case "listing":
		return p.entry(&p.lock.Listings, 2, words)
	case "output":
		return p.entry(&p.lock.Outputs, 3, words)
	case "contract":
		return p.contract(words)
	}
	return p.errorf("expected input, listing, output or contract, found %q", clip(text))
}

// entry reads a line with a path and a digest into list.
func (p *parser) entry(list *[]Entry, rank int, words []string) error {
	if len(words) != 3 {
		return p.errorf("expected %s, a path and a digest", words[0])
	}
	path, err := p.unquote(words[1], quote)
	if err != nil {
		return err
	}
	if !validPath(path) || path == "." && words[0] != "listing" {
		return p.errorf("%q is no clean path relative to the project's root", path)
	}
	if err := p.order(rank, path); err != nil {
		return err
	}
	*list = append(*list, Entry{Path: path, Sum: words[2]})
	return p.digest(words[2])
}

// contract reads the digests of one variant.
func (p *parser) contract(words []string) error {
	if len(words) != 5 {
		return p.errorf("expected contract, a tool, a selector, meaning= and bytes=")
	}
	id, err := p.unquote(words[1], quote)
	if err != nil {
		return err
	}
	dot := strings.LastIndexByte(id, '.')
	if dot <= 0 || dot == len(id)-1 {
		return p.errorf("%q is no tool: expected <package>.<tool>", id)
	}
	c := Contract{Package: id[:dot], Tool: id[dot+1:]}
	if words[2] != noSelector {
		if c.Selector, err = p.unquote(words[2], quoteSelector); err != nil {
			return err
		}
	}
	var okMeaning, okBytes bool
	c.Meaning, okMeaning = strings.CutPrefix(words[3], "meaning=")
	c.Bytes, okBytes = strings.CutPrefix(words[4], "bytes=")
	if !okMeaning || !okBytes {
		return p.errorf("expected meaning= and bytes=, found %q and %q", clip(words[3]), clip(words[4]))
	}
	if p.rank == 4 {
		last := p.lock.Contracts[len(p.lock.Contracts)-1]
		// Equal but for the digests would be two answers to one question.
		last.Meaning, last.Bytes = c.Meaning, c.Bytes
		if last.compare(c) >= 0 {
			return p.errorf("%s %s is out of order or stands twice", words[1], words[2])
		}
	}
	p.rank = 4
	p.lock.Contracts = append(p.lock.Contracts, c)
	if err := p.digest(c.Meaning); err != nil {
		return err
	}
	return p.digest(c.Bytes)
}

// order refuses what is unsorted or stands twice: both come from merges, and neither can be trusted.
func (p *parser) order(rank int, path string) error {
	if rank < p.rank || rank == p.rank && path <= p.last {
		return p.errorf("%q is out of order or stands twice", path)
	}
	p.rank, p.last = rank, path
	return nil
}

// unquote gives what a word stands for and refuses every spelling but the one that spell gives.
func (p *parser) unquote(word string, spell func(string) string) (string, error) {
	s := word
	if strings.HasPrefix(word, `"`) {
		var err error
		if s, err = strconv.Unquote(word); err != nil {
			return "", p.errorf("%s is no quoted word", clip(word))
		}
	}
	if spell(s) != word {
		return "", p.errorf("%s is not how toolgen writes %q", clip(word), clip(s))
	}
	return s, nil
}

func (p *parser) digest(s string) error {
	ok := len(s) == 64
	for i := 0; ok && i < len(s); i++ {
		ok = s[i] >= '0' && s[i] <= '9' || s[i] >= 'a' && s[i] <= 'f'
	}
	if !ok {
		return p.errorf("%q is no digest: expected 64 lower-case hexadecimal digits", clip(s))
	}
	return nil
}

// split cuts a line at its spaces, one between two words, keeping quoted words whole.
func split(text string) ([]string, error) {
	var words []string
	for {
		word := text
		if strings.HasPrefix(text, `"`) {
			quoted, err := strconv.QuotedPrefix(text)
			if err != nil {
				return nil, fmt.Errorf("%q has no closing quote", clip(text))
			}
			word = quoted
		} else if i := strings.IndexByte(text, ' '); i >= 0 {
			word = text[:i]
		}
		if word == "" {
			return nil, fmt.Errorf("an empty line, or a space too many")
		}
		words = append(words, word)
		text = text[len(word):]
		if text == "" {
			return words, nil
		}
		if text[0] != ' ' {
			return nil, fmt.Errorf("expected a space before %q", clip(text))
		}
		text = text[1:]
	}
}

// clip keeps an error short whatever the file holds.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
