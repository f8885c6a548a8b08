// Package workspace carries out the tools that spec/workspace declares: to read, list and search what is below one folder, and
// to run a command in it if the user permits that.
//
// No path leaves the folder, whatever it is made of and whatever happens to the files meanwhile: every file is opened below
// an [os.Root]. Only plain files are read and only folders are listed, so that no call waits for a pipe or a device. What a
// call returns, reads and remembers is bounded; a note in the result says what was left out.
//
// A command that was permitted is the user's own: it can do what the user can. It gets no input and an environment without
// keys, and its processes are killed when it has ended or the call is over.
package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/toolgen-dev/toolgen/runtime/tool"

	"github.com/toolgen-dev/toolgen/examples/gen/workspace"
)

//go:generate go run ../../cmd/toolgen -C .. generate --full

// Tools carries out the calls.
type Tools struct {
	// Folder gives the folder that a call is for. Its context is the call's: see agent.CallerOf.
	Folder func(context.Context) (*os.Root, error)
	// Permit asks whether a command may run. Without it, none may.
	Permit Permit
	// Env is the environment of commands; nil is [Environment] of the program's own. It holds what the model may see.
	Env []string
}

// Permit asks the user, or whoever decides in place of the user, whether a command may run. It returns soon after its context
// has ended. An error says that nobody could be asked: the command does not run.
type Permit func(context.Context, Command) (bool, error)

// Command is a command that waits for a permission.
type Command struct {
	Call   tool.Call
	Line   string // as the shell would get it; a model wrote it, so it may hold anything
	Folder string
}

// Within is a Folder for programs that work in one folder.
func Within(root *os.Root) func(context.Context) (*os.Root, error) {
	return func(context.Context) (*os.Root, error) { return root, nil }
}

// Mount mounts the tools.
func (t *Tools) Mount(reg *tool.Registry) error {
	return errors.Join(
		workspace.MountReadFile(reg, workspace.ReadFileOptions{}, t.readFile),
		workspace.MountListFiles(reg, workspace.ListFilesOptions{}, t.listFiles),
		workspace.MountSearchFiles(reg, workspace.SearchFilesOptions{}, t.searchFiles),
		workspace.MountRunCommand(reg, workspace.RunCommandOptions{}, t.runCommand),
	)
}

// inside makes a path of a model's one that os.Root takes: slashes are the system's, and an absolute path counts where it
// names something below the folder. It need not be safe: os.Root is.
func inside(root *os.Root, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		if folder, err := filepath.Abs(root.Name()); err == nil {
			if rel, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(rel) {
				return rel
			}
		}
	}
	return path
}

// open opens a plain file, or a folder. It never waits for another process, as for the other end of a pipe.
func open(root *os.Root, path string, folder bool) (*os.File, fs.FileInfo, error) {
	// What is there already is looked at before it is opened: to open a device may do something.
	info, err := root.Stat(path)
	if err == nil {
		err = wanted(info, folder)
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := root.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	// It may be something else by now.
	if info, err = f.Stat(); err == nil {
		err = wanted(info, folder)
	}
	if err == nil && special(f) {
		err = errSpecial
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// What is wrong with a file that may be looked at, but not so.
var (
	errFolder  = errors.New("it is a folder")
	errFile    = errors.New("it is a file, and no folder")
	errSpecial = errors.New("it is neither a file nor a folder")
)

// wanted says what keeps something from being read, or listed where it is to be a folder.
func wanted(info fs.FileInfo, folder bool) error {
	switch {
	case info.IsDir() && folder, info.Mode().IsRegular() && !folder:
		return nil
	case info.IsDir():
		return errFolder
	case info.Mode().IsRegular():
		return errFile
	}
	return errSpecial
}

// refusal is the text for the model of a path that cannot be used. It has the path as the model wrote it, and nothing of
// where the folder is.
func refusal(path string, err error) error {
	why := "it cannot be read"
	switch {
	case errors.Is(err, errFolder):
		why = errFolder.Error()
	case errors.Is(err, errFile):
		why = errFile.Error()
	case errors.Is(err, errSpecial):
		why = errSpecial.Error()
	case errors.Is(err, fs.ErrNotExist):
		why = "there is no such file or folder"
	case errors.Is(err, fs.ErrPermission):
		why = "it may not be read"
	case errors.Is(err, syscall.ELOOP):
		why = "its symbolic links lead in a circle"
	case escapes(err):
		why = "it is outside of the folder, or leads there"
	}
	if len(path) > maxPath {
		path = path[:maxPath] + "…"
	}
	return fmt.Errorf("%q: %s", path, why)
}

// maxPath is how many bytes of a path an error shows.
const maxPath = 300

// escapes reports whether os.Root refused a path. Its error has no name.
func escapes(err error) bool {
	var at *fs.PathError
	return errors.As(err, &at) && at.Err != nil && strings.Contains(at.Err.Error(), "escapes")
}

// slow is a reader that ends with a context, for files that are long.
type slow struct {
	ctx context.Context
	r   io.Reader
}

// Read reads, unless the context has ended.
func (s slow) Read(p []byte) (int, error) {
	if err := context.Cause(s.ctx); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}

// notes joins what a result has to say beside its content.
func notes(parts ...string) tool.Opt[string] {
	var said []string
	for _, p := range parts {
		if p != "" {
			said = append(said, p)
		}
	}
	if len(said) == 0 {
		return tool.Opt[string]{}
	}
	return tool.Some(strings.Join(said, " "))
}
