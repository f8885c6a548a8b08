package load

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue/build"
)

// Module is the import path of toolgen itself, under which the shipped contracts are found.
const Module = "github.com/toolgen-dev/toolgen"

// The folders of a project, relative to its root.
const (
	SpecDir    = "spec"
	PromptDir  = "prompts"
	GenDir     = "gen"
	CatalogDir = "catalog"
	LockFile   = "toolgen.lock"
)

// Project is a folder with a go.mod, or a CUE module with specs within a Go module, its specs and its prompts.
type Project struct {
	Root     string   // absolute folder
	Module   string   // Go import path of the folder: the module's path, unless the project lies within a module
	Packages []string // folders of spec packages, slash-separated, relative to Root, sorted
	Inputs   []string // every file that a model depends on, slash-separated, relative to Root, sorted
	Folders  []string // the folders whose listings matter, likewise

	odd []oddFile // what is not read

	// For tests: another order in which a package's files are found, and the edition of the language that users see.
	arrange func(files []string)
	plain   bool
}

// ErrNoProject says that no go.mod was found.
var ErrNoProject = errors.New("no go.mod here or in a folder above; toolgen works inside a Go module")

// FindRoot returns the nearest folder at or above dir that has a go.mod; or, within a Go module, a cue.mod and specs: a
// second project of the same module, such as its examples.
func FindRoot(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(abs); err != nil {
		return "", err
	} else if !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder", dir)
	}
	module, err := moduleRoot(abs)
	if err != nil {
		return "", err
	}
	for d := abs; d != module; d = filepath.Dir(d) {
		if isThere(d, "cue.mod", "module.cue") && isThere(d, SpecDir) {
			return d, nil
		}
	}
	return module, nil
}

// moduleRoot returns the nearest folder at or above dir, which is absolute, that has a go.mod.
func moduleRoot(dir string) (string, error) {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "go.mod")); err == nil {
			return d, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if d == filepath.Dir(d) {
			return "", ErrNoProject
		}
	}
}

// isThere reports whether there is something at a path that can be looked at.
func isThere(elements ...string) bool {
	_, err := os.Stat(filepath.Join(elements...))
	return err == nil
}

// OpenProject lists the specs and prompts below a root.
func OpenProject(root string) (*Project, error) {
	p := &Project{Root: root}
	var err error
	if p.Module, err = ImportPath(root); err != nil {
		return nil, err
	}
	if err := p.walk(SpecDir, ".cue"); err != nil {
		return nil, err
	}
	if err := p.walk(PromptDir, ".md"); err != nil {
		return nil, err
	}
	if err := p.walk("cue.mod", ".cue"); err != nil {
		return nil, err
	}
	for _, f := range p.Inputs {
		if d := path.Dir(f); strings.HasPrefix(f, SpecDir+"/") && !slices.Contains(p.Packages, d) && !p.isLanguage(d) {
			p.Packages = append(p.Packages, d)
		}
	}
	slices.Sort(p.Packages)
	slices.Sort(p.Inputs)
	slices.Sort(p.Folders)
	return p, nil
}

// ImportPath returns the Go import path of a project's folder.
func ImportPath(root string) (string, error) {
	module, err := moduleRoot(root)
	if err != nil {
		return "", err
	}
	mod, err := ModuleOf(module)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(module, root)
	if err != nil {
		return "", err
	}
	return path.Join(mod, filepath.ToSlash(rel)), nil
}

// ModuleOf returns the Go module path of the folder, which must have a go.mod.
func ModuleOf(root string) (string, error) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	if path := modulePath(mod); path != "" {
		return path, nil
	}
	return "", fmt.Errorf("%s has no module line", filepath.Join(root, "go.mod"))
}

// addInputs adds the files that a load really read: specs may import packages of the project from outside of spec/, and
// CUE makes files of parent folders part of a package of the same name.
func (p *Project) addInputs(insts []*build.Instance) {
	add := func(in *build.Instance) {
		for _, f := range in.BuildFiles {
			rel := p.rel(f.Filename)
			if _, err := os.Stat(f.Filename); err != nil || !filepath.IsLocal(filepath.FromSlash(rel)) {
				continue // supplied by overlay, or no part of the project
			}
			if !slices.Contains(p.Inputs, rel) {
				p.Inputs = append(p.Inputs, rel)
			}
			if dir := path.Dir(rel); !slices.Contains(p.Folders, dir) {
				p.Folders = append(p.Folders, dir)
			}
		}
	}
	for _, in := range insts {
		add(in)
		for _, dep := range in.Dependencies() {
			add(dep)
		}
	}
	slices.Sort(p.Inputs)
	slices.Sort(p.Folders)
}

// isLanguage reports whether a folder of toolgen's own repository is the spec language, which declares no tools.
func (p *Project) isLanguage(dir string) bool {
	return p.Module == Module && dir == SpecDir+"/toolspec"
}

// walk collects the files with an ending, and the folders that hold or could hold them. What it does not follow or read
// it notes: links to folders, links that lead out of the project, and whatever is no plain file.
func (p *Project) walk(dir, ext string) error {
	top := filepath.Join(p.Root, dir)
	if info, err := os.Lstat(top); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		p.odd = append(p.odd, oddFile{dir, "the folder is a symbolic link, which is not followed"})
		return nil
	}
	err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(p.Root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		base := path.Base(rel)
		hidden := strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata"
		if d.IsDir() {
			// What toolgen itself wrote for CUE's own tools is supplied by overlay all the same.
			if hidden && rel != dir || rel == "cue.mod/pkg/"+Module {
				return filepath.SkipDir
			}
			p.Folders = append(p.Folders, rel)
			return nil
		}
		if hidden {
			return nil
		}
		if why, isFolder := p.oddness(name, d); why != "" {
			if path.Ext(rel) == ext || isFolder {
				p.odd = append(p.odd, oddFile{rel, why})
			}
			return nil
		}
		if path.Ext(rel) == ext {
			p.Inputs = append(p.Inputs, rel)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// oddFile is something below a folder of inputs that is not read, with the reason.
type oddFile struct{ path, why string }

// oddness says why something is not read as an input; an empty string for a plain file, and for a link to one inside of
// the project.
func (p *Project) oddness(name string, d fs.DirEntry) (why string, folder bool) {
	switch {
	case d.Type().IsRegular():
		return "", false
	case d.Type()&fs.ModeSymlink == 0:
		return "it is no plain file", false
	}
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		return "the symbolic link leads nowhere", false
	}
	root, err := filepath.EvalSymlinks(p.Root)
	if err != nil {
		return "the project's folder cannot be resolved", false
	}
	if rel, err := filepath.Rel(root, target); err != nil || !filepath.IsLocal(rel) {
		return "the symbolic link leads out of the project", true
	}
	info, err := os.Stat(target)
	switch {
	case err != nil:
		return "the symbolic link leads nowhere", false
	case info.IsDir():
		return "the folder is a symbolic link, which is not followed", true
	case !info.Mode().IsRegular():
		return "the symbolic link leads to no plain file", false
	}
	return "", false
}

// modulePath returns the path of the module line of a go.mod, or an empty string.
func modulePath(mod []byte) string {
	s := bufio.NewScanner(bytes.NewReader(mod))
	block := false
	for s.Scan() {
		line, _, _ := strings.Cut(s.Text(), "//")
		f := strings.Fields(line)
		switch {
		case len(f) == 2 && f[0] == "module" && f[1] == "(":
			block = true
		case len(f) == 2 && f[0] == "module":
			return strings.Trim(f[1], "\"`")
		case block && len(f) == 1:
			return strings.Trim(f[0], "\"`")
		}
	}
	return ""
}

// goPath returns the import path of the Go package generated for a spec package.
func (p *Project) goPath(name string) string { return p.Module + "/" + GenDir + "/" + name }
