package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// ReadOnly opens a store to look at it, while other processes may use it: the file has to be there, is not brought up to date,
// and no byte of it changes. Every step that would write is [store.ErrInvalid].
func ReadOnly() Option { return func(o *options) { o.readOnly = true } }

var errReadOnly = fmt.Errorf("%w: the store was opened for reading only", store.ErrInvalid)

// existing says how SQLite opens a file to read it. Where there is a log beside it, others use it, or one of them died:
// then everything stays as it is. Where there is none, SQLite needs to make one, which it removes at the end; without the right
// to do that, there is nobody here who could write, and the file is read as one that does not change.
func existing(path string) (query string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return "", &fs.PathError{Op: "read", Path: path, Err: errors.New("is a directory")}
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	if err := f.Close(); err != nil {
		return "", err
	}
	if _, err := os.Stat(path + "-wal"); err == nil {
		return "&mode=ro", nil
	}
	if !canMake(path + "-wal") {
		return "&immutable=1", nil
	}
	return "&mode=rw", nil
}

// canMake says whether a file can be made beside the store.
func canMake(path string) bool {
	// Another name: one that SQLite gives meaning to must not come and go while others look.
	f, err := os.CreateTemp(filepath.Dir(path), ".store-")
	if err != nil {
		return false
	}
	_ = f.Close()
	return os.Remove(f.Name()) == nil
}

// prepareReading refuses what this program cannot read, as prepare does, and changes nothing.
func (c *conn) prepareReading() error {
	version, err := c.versionNow()
	switch {
	case err != nil:
		return err
	case version == 0:
		return fmt.Errorf("%w: the file is empty, and no store", store.ErrInvalid)
	case version < len(versions):
		return fmt.Errorf("%w: the file has version %d, and has to be opened for writing once, which brings it to %d", store.ErrUnsupported, version, len(versions))
	}
	return nil
}
