// Package toolspec carries the spec language, so that the generator needs no registry and users no copied files.
//
// [Source] is the edition that people see. [Extraction] is the edition that the generator evaluates: in it every name of
// a tool or parameter and every word of an enum is a marker in private-use characters, so that each text comes back as
// literals and references. The second is derived from the first, hence the two cannot drift apart.
package toolspec

import (
	_ "embed"
	"fmt"
	"strings"
)

// ImportPath is the CUE import path of the spec language.
const ImportPath = "github.com/toolgen-dev/toolgen/spec/toolspec"

// Open and Close delimit a marker in the extraction edition: Open T Close is a tool's name, Open T "." P Close a
// parameter's, Open E ":" V Close a word of an enum.
const (
	Open  = "\uE000"
	Close = "\uE001"
)

//go:embed toolspec.cue
var source string

// Source returns the edition that users see on disk.
func Source() string { return source }

// Extraction returns the edition in which names and words are markers. An error means that Source no longer has the
// lines that the edition replaces.
func Extraction() (string, error) {
	out := source
	for _, r := range [][2]string{
		{"\tname: T\n", "\tname: \"" + Open + `\(T)` + Close + "\"\n"},
		{"params: [P=string]: name: P\n", "params: [P=string]: name: \"" + Open + `\(T).\(P)` + Close + "\"\n"},
		{"values: [V=string]: word: V}\n", "values: [V=string]: word: \"" + Open + `\(E):\(V)` + Close + "\"}\n"},
	} {
		if strings.Count(out, r[0]) != 1 {
			return "", fmt.Errorf("toolspec: the line %q occurs %d times, want once", strings.TrimSpace(r[0]), strings.Count(out, r[0]))
		}
		out = strings.Replace(out, r[0], r[1], 1)
	}
	return out, nil
}
