package workspace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

const (
	sniffed  = 8 << 10 // how many bytes are looked at to know whether a file is a text
	maxLine  = 4 << 10 // how many bytes of a line are shown
	maxBytes = 80_000  // how many bytes of text a result has, below the limits of the spec
)

// lines reads a file line by line. A line of any length takes no more memory than its part that is kept.
type lines struct {
	r      *bufio.Reader
	keep   int    // how many bytes of a line are kept
	line   []byte // the line, without its end, as far as it is kept
	n      int64  // its number, from 1
	length int64  // how long it is
}

// text begins to read a file. ok is false where it is no text.
func text(r io.Reader, keep int) (l *lines, ok bool, err error) {
	b := bufio.NewReaderSize(r, 64<<10)
	head, err := b.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		_, _ = b.Discard(3) // they were peeked
	}
	return &lines{r: b, keep: keep}, bytes.IndexByte(head, 0) < 0, nil
}

// next reads the next line; it is false at the end.
func (l *lines) next() (bool, error) {
	l.line, l.length = l.line[:0], 0
	for first := true; ; first = false {
		part, err := l.r.ReadSlice('\n')
		l.length += int64(len(part))
		part = bytes.TrimSuffix(part, []byte("\n"))
		l.line = append(l.line, part[:min(len(part), l.keep-len(l.line))]...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && first && len(part) == 0:
			return false, nil
		case err != nil && !errors.Is(err, io.EOF):
			return false, err
		}
		if err == nil {
			l.length--
		}
		if l.length == int64(len(l.line)) {
			l.line = bytes.TrimSuffix(l.line, []byte("\r"))
			l.length = int64(len(l.line))
		}
		l.n++
		return true, nil
	}
}

// show returns the line as text: cut between characters where it is long, and without what is no UTF-8.
func (l *lines) show(limit int) (s string, mended bool) {
	line := l.line
	cut := l.length > int64(limit)
	if cut {
		end := min(limit, len(line))
		for end > 0 && end < len(line) && !utf8.RuneStart(line[end]) {
			end--
		}
		if end == len(line) {
			end -= partial(line)
		}
		line = line[:end]
	}
	s = string(line)
	if mended = !utf8.ValidString(s); mended {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	if cut {
		s += fmt.Sprintf(" […%d bytes more]", l.length-int64(len(line)))
	}
	return s, mended
}

// partial is how many bytes at the end are the beginning of a character.
func partial(line []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(line); n++ {
		if tail := line[len(line)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return n
			}
			return 0
		}
	}
	return 0
}
