// Package scaffold writes what `toolgen init` starts a project with: one tool in CUE with a prompt file, a Go program
// that mounts and calls it, a test, and a CI workflow.
//
// It writes new files only. Where one of them exists already, nothing is written.
package scaffold

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed all:files
var files embed.FS

// The words that stand for a project's own in the embedded files.
const (
	moduleWord  = "MODULE"
	toolgenWord = "TOOLGEN"
)

// Project returns the files of a new project by path, slash-separated and relative to its root. module is its Go module
// path, toolgen that of the generator. go.mod is among them only where withMod is set.
func Project(module, toolgen string, withMod bool) (map[string][]byte, error) {
	out := map[string][]byte{}
	err := fs.WalkDir(files, "files", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		// The ending keeps Go and CUE from taking the embedded files for their own.
		target := strings.TrimSuffix(strings.TrimPrefix(name, "files/"), ".txt")
		if target == "go.mod" && !withMod {
			return nil
		}
		text := strings.NewReplacer(moduleWord, module, toolgenWord, toolgen).Replace(string(data))
		out[target] = []byte(text)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("scaffold: %w", err)
	}
	return out, nil
}

// ErrExists says that a file of the new project is there already.
var ErrExists = errors.New("files are in the way")

// Write puts files below a root: all of them, or none where one exists.
func Write(root string, project map[string][]byte) error {
	paths := make([]string, 0, len(project))
	for p := range project {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	var taken []string
	for _, p := range paths {
		if _, err := os.Lstat(filepath.Join(root, filepath.FromSlash(p))); err == nil {
			taken = append(taken, p)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if len(taken) > 0 {
		return fmt.Errorf("%w: %s; nothing was written", ErrExists, strings.Join(taken, ", "))
	}
	var made []string
	for _, p := range paths {
		file := filepath.Join(root, filepath.FromSlash(p))
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		if err == nil {
			err = create(file, project[p])
		}
		if err != nil {
			for _, f := range made {
				err = errors.Join(err, os.Remove(f))
			}
			return err
		}
		made = append(made, file)
	}
	return nil
}

// create writes a file that must not exist.
func create(file string, data []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// Overlay places the CUE sources of toolgen's packages where CUE's own tools look for them: name is the folder of the
// package below cue.mod/pkg.
func Overlay(packages map[string]map[string][]byte, module string) map[string][]byte {
	out := map[string][]byte{"cue.mod/module.cue": fmt.Appendf(nil, "module: %q\nlanguage: version: %q\n", module, "v0.17.0")}
	for importPath, sources := range packages {
		for name, src := range sources {
			out[path.Join("cue.mod/pkg", importPath, name)] = src
		}
	}
	return out
}
