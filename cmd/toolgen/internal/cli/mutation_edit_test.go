package cli

import (
	"io/fs"
	"os"
	"strings"

	"github.com/stretchr/testify/require"
)

// sub replaces a text that occurs once.
func sub(file, old, new string) edit { return subEach(file, 1, old, new) }

// subEach replaces a text wherever it occurs, which must be n times.
func subEach(file string, n int, old, new string) edit {
	return func(p *copied) {
		p.Helper()
		text := p.read(file)
		require.Equal(p, n, strings.Count(text, old), "%s has %q", file, old)
		require.NotEqual(p, old, new)
		p.write(file, strings.ReplaceAll(text, old, new))
	}
}

// drop removes a text that occurs once, with the rest of the lines that it is part of.
func drop(file, piece string) edit {
	return func(p *copied) {
		p.Helper()
		text := p.read(file)
		require.Equal(p, 1, strings.Count(text, piece), "%s has %q", file, piece)
		i := strings.Index(text, piece)
		start := strings.LastIndex(text[:i], "\n") + 1
		end := i + len(piece) + strings.Index(text[i+len(piece):]+"\n", "\n") + 1
		p.write(file, text[:start]+text[min(end, len(text)):])
	}
}

// after adds lines behind the line of a text that occurs once.
func after(file, piece, lines string) edit {
	return func(p *copied) {
		p.Helper()
		line, _ := p.find(file, piece)
		all := strings.SplitAfter(p.read(file), "\n")
		p.write(file, strings.Join(all[:line], "")+lines+"\n"+strings.Join(all[line:], ""))
	}
}

// create adds a file.
func create(file, text string) edit {
	return func(p *copied) {
		p.Helper()
		require.NoFileExists(p, p.path(file))
		p.write(file, text)
	}
}

// rewrite replaces a file as a whole.
func rewrite(file, text string) edit {
	return func(p *copied) {
		p.Helper()
		require.NotEqual(p, text, p.read(file))
		p.write(file, text)
	}
}

// remove deletes a file.
func remove(file string) edit {
	return func(p *copied) {
		p.Helper()
		require.NoError(p, os.Remove(p.path(file)))
	}
}

// rename moves a file.
func rename(from, to string) edit {
	return func(p *copied) {
		p.Helper()
		text := p.read(from)
		require.NoError(p, os.Remove(p.path(from)))
		create(to, text)(p)
	}
}

// chmod changes a file's mode.
func chmod(file string, mode fs.FileMode) edit {
	return func(p *copied) {
		p.Helper()
		info, err := os.Lstat(p.path(file))
		require.NoError(p, err)
		require.NotEqual(p, mode, info.Mode().Perm())
		require.NoError(p, os.Chmod(p.path(file), mode))
	}
}

// link puts a symbolic link in place of a file or folder.
func link(file, target string) edit {
	return func(p *copied) {
		p.Helper()
		require.NoError(p, os.RemoveAll(p.path(file)))
		require.NoError(p, os.Symlink(target, p.path(file)))
	}
}

// from takes files as a version of the project had them that differed by an edit.
func from(version edit, files ...string) edit {
	return func(p *copied) {
		p.Helper()
		old := copyOf(p.TB, p.files)
		version(old)
		old.generate()
		for _, f := range files {
			rewrite(f, old.read(f))(p)
		}
	}
}

// each makes several edits, in order.
func each(edits ...edit) edit {
	return func(p *copied) {
		p.Helper()
		for _, e := range edits {
			e(p)
		}
	}
}

// crlf gives a file the line ends of Windows.
func crlf(file string) edit {
	return func(p *copied) {
		p.Helper()
		rewrite(file, strings.ReplaceAll(p.read(file), "\n", "\r\n"))(p)
	}
}
