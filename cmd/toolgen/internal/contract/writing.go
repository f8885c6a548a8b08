package contract

import "slices"

// Writing is how the source of a literal can refer to something. It serves fixes that can be pasted.
type Writing struct {
	Quote string // what opens the literal, such as `"`, `"""` or `#"`; empty in a comment, which can refer to nothing
	Scope *Scope // nil where only the file's own names are seen
	File  *SourceFile
}

// Hashes are the marks that an escape or an interpolation needs in a raw string.
func (w *Writing) Hashes() string {
	n := 0
	for n < len(w.Quote) && w.Quote[n] == '#' {
		n++
	}
	return w.Quote[:n]
}

// SourceFile is what the names at the top of a file mean.
type SourceFile struct {
	Package string            // import path of the package that the file is of
	Imports map[string]string // import paths, without a major version, and the names that they have in the file
}

// Scope is a struct within a file that declares names which a reference could begin with, so that they mean something else
// in it than at the top of the file.
type Scope struct {
	Outer *Scope
	Path  string // of the struct, joined by dots
	Names []string
}

// Declared returns the path of the innermost struct that declares a name. It is false where the name has the meaning that
// it has at the top of the file.
func (w *Writing) Declared(name string) (path string, ok bool) {
	for s := w.Scope; s != nil; s = s.Outer {
		if slices.Contains(s.Names, name) {
			return s.Path, true
		}
	}
	return "", false
}
