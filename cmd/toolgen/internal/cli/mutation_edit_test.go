package cli

import (
	"io/fs"
	"os"
	"strings"

	"github.com/stretchr/testify/require"
)

// sub replaces a piece of a file.
func sub(file, old, new string) edit {
	return func(p *copied) {
		p.Helper()
		text := p.read(file)
		start, end := p.seek(file, text, old)
		require.NotEqual(p, text[start:end], new)
		p.write(file, text[:start]+new+text[end:])
	}
}

// before and behind add a text to a piece of a file.
func before(file, piece, added string) edit { return beside(file, piece, added, false) }
func behind(file, piece, added string) edit { return beside(file, piece, added, true) }

func beside(file, piece, added string, behind bool) edit {
	return func(p *copied) {
		p.Helper()
		text := p.read(file)
		at, end := p.seek(file, text, piece)
		if behind {
			at = end
		}
		require.NotEmpty(p, added)
		p.write(file, text[:at]+added+text[at:])
	}
}

// add puts lines at the end of a file.
func add(file, lines string) edit {
	return func(p *copied) {
		p.Helper()
		p.write(file, p.read(file)+lines+"\n")
	}
}

// subAll replaces a text, which has no gaps, wherever it occurs.
func subAll(file, old, new string) edit {
	return func(p *copied) {
		p.Helper()
		text := p.read(file)
		require.Contains(p, text, old)
		require.NotEqual(p, old, new)
		p.write(file, strings.ReplaceAll(text, old, new))
	}
}

// drop removes the lines of a piece of a file.
func drop(file, piece string) edit {
	return func(p *copied) {
		p.Helper()
		text := p.read(file)
		start, end := p.seek(file, text, piece)
		start = strings.LastIndex(text[:start], "\n") + 1
		end += strings.Index(text[end:]+"\n", "\n") + 1
		p.write(file, text[:start]+text[min(end, len(text)):])
	}
}

// after adds lines behind the line of a piece of a file.
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

// move takes lines out of a file, from the line of a piece to the end of the next other piece, and makes a file of the
// same package of them.
func move(file, from, to, other string) edit {
	return func(p *copied) {
		p.Helper()
		text := p.read(file)
		start, _ := p.seek(file, text, from)
		start = strings.LastIndex(text[:start], "\n") + 1
		_, end := p.seek(file, text, from+gap+to)
		p.write(file, text[:start]+text[end:])
		clause, _, _ := strings.Cut(text, "\n")
		create(other, clause+"\n\n"+text[start:end])(p)
	}
}
