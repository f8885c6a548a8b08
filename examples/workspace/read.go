package workspace

import (
	"context"
	"fmt"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/tool"

	"github.com/toolgen-dev/toolgen/examples/gen/workspace"
)

// readFile carries out `read_file`.
func (t *Tools) readFile(ctx context.Context, _ tool.Call, args workspace.ReadFileArgs) (_ workspace.ReadFileResult, err error) {
	root, err := t.Folder(ctx)
	if err != nil {
		return nil, err
	}
	f, info, err := open(root, inside(root, args.Path), false)
	if err != nil {
		return nil, refusal(args.Path, err)
	}
	defer f.Close() // it was only read
	l, isText, err := text(slow{ctx, f}, maxLine+1)
	switch {
	case err != nil:
		return nil, unread(ctx, args.Path, err)
	case !isText:
		return workspace.ReadFileBinary{Path: args.Path, Bytes: info.Size()}, nil
	}
	var b strings.Builder
	var shown int64
	var mended bool
	more := false
	for {
		ok, err := l.next()
		if err != nil {
			return nil, unread(ctx, args.Path, err)
		}
		if !ok {
			break
		}
		if l.n < args.FirstLine {
			continue
		}
		line, bad := l.show(maxLine)
		if shown == args.MaxLines || b.Len()+len(line) > maxBytes {
			more = true
			break
		}
		mended = mended || bad
		if shown > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
		shown++
	}
	switch {
	case l.n == 0:
		return workspace.ReadFileNothing{Path: args.Path}, nil
	case shown == 0:
		return workspace.ReadFileBeyond{Path: args.Path, Lines: l.n}, nil
	}
	rest, replaced := "", ""
	if more {
		rest = fmt.Sprintf("The file goes on at line %d.", args.FirstLine+shown)
	}
	if mended {
		replaced = "Bytes that are no UTF-8 are shown as \uFFFD."
	}
	return workspace.ReadFileContent{Text: b.String(), Note: notes(rest, replaced)}, nil
}

// unread is the error of a file that was opened and could not be read to its end.
func unread(ctx context.Context, path string, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return refusal(path, err)
}
