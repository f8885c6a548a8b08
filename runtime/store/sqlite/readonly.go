package sqlite

import (
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

// existing says how SQLite opens a file to read it. Where there is a log beside it, others use it, or one of them died: then
// everything stays as it is. Where there is none, SQLite makes one, and removes it at the end. Without the right to write here, what
// it made would be left, and be in the way of those who may: then the file is read as one that does not change, as it does not
// without a log.
func existing(path string) (query string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	if err := f.Close(); err != nil {
		return "", err
	}
	log, err := os.Stat(path + "-wal")
	logged := err == nil && log.Size() > 0
	_, err = os.Stat(path + "-shm")
	indexed := err == nil
	switch mine := writable(path); {
	case logged && !indexed && !mine:
		return "", fmt.Errorf("%w: a process that died has left a log beside the file, and to read that needs the right to write to both", fs.ErrPermission)
	case logged || indexed:
		return "&mode=ro", nil
	case !mine:
		return "&immutable=1", nil
	}
	return "&mode=rw", nil
}

// writable says whether this process may write to a file and to its folder.
func writable(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	_ = f.Close()
	// A name that SQLite knows must not come and go while others look.
	f, err = os.CreateTemp(filepath.Dir(path), ".store-")
	if err != nil {
		return false
	}
	_ = f.Close()
	return os.Remove(f.Name()) == nil
}

// prepareReading refuses what this program cannot read, as prepare does, and changes nothing.
func (c *conn) prepareReading(o options) error {
	version, err := c.versionNow(o)
	switch {
	case err != nil:
		return err
	case version == 0:
		return fmt.Errorf("%w: the file is empty, and no store", store.ErrInvalid)
	case version < len(o.steps):
		return fmt.Errorf("%w: the file has version %d, and has to be opened for writing once, which brings it to %d", store.ErrUnsupported, version, len(o.steps))
	}
	return nil
}
