package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// unprivileged runs f without root's right to write everywhere. Linux has the user id for file access per thread, so a test that
// runs as root can give it up for a while.
func unprivileged(f func()) {
	if os.Geteuid() != 0 {
		f()
		return
	}
	const nobody = 65534
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		syscall.RawSyscall(syscall.SYS_SETFSUID, nobody, 0, 0)
		f()
	}()
	<-done
}

// TestReadOnlyWithoutRights: whoever may not write to the file leaves nothing beside it that would be in the way of those who may.
func TestReadOnlyWithoutRights(t *testing.T) {
	for name, one := range map[string]struct {
		file, folder fs.FileMode
		beside       []string
		want         string
		fails        error
	}{
		"all rights":                     {file: 0o666, folder: 0o777, want: "&mode=rw"},
		"no right to the file":           {file: 0o444, folder: 0o777, want: "&immutable=1"},
		"no right to the folder":         {file: 0o666, folder: 0o555, want: "&immutable=1"},
		"others use it":                  {file: 0o444, folder: 0o555, beside: []string{"-wal", "-shm"}, want: "&mode=ro"},
		"one died, all rights":           {file: 0o666, folder: 0o777, beside: []string{"-wal"}, want: "&mode=ro"},
		"one died, no right to the file": {file: 0o444, folder: 0o777, beside: []string{"-wal"}, fails: fs.ErrPermission},
		"no right to read":               {file: 0, folder: 0o777, fails: fs.ErrPermission},
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := os.MkdirTemp("", "store")
			require.NoError(t, err)
			defer func() { require.NoError(t, errors.Join(os.Chmod(dir, 0o700), os.RemoveAll(dir))) }()
			path := filepath.Join(dir, "store.db")
			for _, suffix := range append([]string{""}, one.beside...) {
				require.NoError(t, os.WriteFile(path+suffix, []byte("x"), 0o600))
				require.NoError(t, os.Chmod(path+suffix, 0o644))
			}
			require.NoError(t, os.Chmod(path, one.file))
			require.NoError(t, os.Chmod(dir, one.folder))
			var got string
			unprivileged(func() { got, err = existing(path) })
			require.Equal(t, one.want, got)
			require.ErrorIs(t, err, one.fails)
		})
	}
}
