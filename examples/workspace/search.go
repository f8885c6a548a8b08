package workspace

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/toolgen-dev/toolgen/runtime/tool"

	"github.com/toolgen-dev/toolgen/examples/gen/workspace"
)

const (
	maxSearched = 16 << 20  // bytes: a larger file is not searched
	maxTotal    = 512 << 20 // bytes that one call reads
	searchLine  = 64 << 10  // bytes of a line that are searched
	shownLine   = 300       // bytes of a line that are shown
)

// search is one call of `search_files`.
type search struct {
	ctx    context.Context
	root   *os.Root
	args   workspace.SearchFilesArgs
	match  func([]byte) bool
	out    workspace.SearchFilesMatches
	size   int   // of the lines found
	read   int64 // bytes
	large  int   // files that were too large
	closed int   // files that could not be read
	more   bool  // there are more lines
	cut    bool  // not all was read
}

// searchFiles carries out `search_files`.
func (t *Tools) searchFiles(ctx context.Context, _ tool.Call, args workspace.SearchFilesArgs) (workspace.SearchFilesResult, error) {
	root, err := t.Folder(ctx)
	if err != nil {
		return nil, err
	}
	s := &search{ctx: ctx, root: root, args: args, match: func(line []byte) bool { return bytes.Contains(line, []byte(args.Query)) }}
	if args.Regexp {
		re, err := regexp.Compile(args.Query)
		if err != nil {
			return nil, fmt.Errorf("the regular expression cannot be read: %w", err)
		}
		s.match = re.Match
	}
	if _, err := fits(args.Files, "name"); err != nil {
		return nil, err
	}
	path := inside(root, args.Path)
	w := &walk{ctx: ctx, root: root, deep: true, visit: s.visit}
	if info, err := root.Stat(path); err == nil && !info.IsDir() {
		if _, err := s.file(path); err != nil {
			return nil, unread(ctx, args.Path, err)
		}
	} else if _, err := w.folder(path, 0); err != nil {
		return nil, unread(ctx, args.Path, err)
	}
	var more, cut, large, closed string
	if s.more {
		more = "There are more matches: look for something rarer, or in one folder."
	}
	if s.cut {
		cut = fmt.Sprintf("The search ended after %d MiB.", maxTotal>>20)
	}
	if s.large > 0 {
		large = fmt.Sprintf("Files above %d MiB, which were not searched: %d.", maxSearched>>20, s.large)
	}
	if s.closed > 0 {
		closed = fmt.Sprintf("Files that could not be read: %d.", s.closed)
	}
	s.out.Note = notes(more, cut, large, closed, w.note())
	return s.out, nil
}

// visit searches a file on the way. Links are not followed.
func (s *search) visit(name string, d fs.DirEntry) (bool, error) {
	if ok, _ := fits(s.args.Files, name); !ok || !d.Type().IsRegular() {
		return true, nil
	}
	on, err := s.file(name)
	if err != nil {
		if cause := context.Cause(s.ctx); cause != nil {
			return false, cause
		}
		s.closed++
		return true, nil
	}
	return on, nil
}

// file searches a file. It is false where nothing more is to be searched.
func (s *search) file(name string) (bool, error) {
	f, info, err := open(s.root, name, false)
	if err != nil {
		return false, err
	}
	defer f.Close() // it was only read
	if info.Size() > maxSearched {
		s.large++
		return true, nil
	}
	if s.read += info.Size(); s.read > maxTotal {
		s.cut = true
		return false, nil
	}
	l, isText, err := text(slow{s.ctx, f}, searchLine)
	if err != nil || !isText {
		return true, err
	}
	for {
		ok, err := l.next()
		if err != nil || !ok {
			return true, err
		}
		if !s.match(l.line) {
			continue
		}
		line, _ := l.show(shownLine)
		path := shownPath(filepath.Clean(name))
		if int64(len(s.out.Lines)) == s.args.Limit || s.size+len(line)+len(path) > maxBytes {
			s.more = true
			return false, nil
		}
		s.size += len(line) + len(path) + 16
		s.out.Lines = append(s.out.Lines, workspace.SearchFilesMatchesLinesItem{Path: path, Line: l.n, Text: line})
	}
}
