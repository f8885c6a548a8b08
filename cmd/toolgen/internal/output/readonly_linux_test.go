package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// unprivileged runs f without root's right to write everywhere. Linux has the user id for file access per thread, so a
// test that runs as root can give it up for a while.
func unprivileged(t *testing.T, f func()) {
	t.Helper()
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

func TestApplyReadOnlyFolder(t *testing.T) {
	for _, folder := range []string{"gen/a", "gen", "."} {
		t.Run(folder, func(t *testing.T) {
			root := project(t, map[string]string{"catalog/c.json": "old", "gen/a/a_gen.go": "old"})
			render := map[string]string{"catalog/c.json": "new", "gen/a/a_gen.go": "new", "gen/b/b_gen.go": "new"}
			must(t, os.Chmod(filepath.Dir(root), 0o755)) // the test's own temporary folder
			must(t, filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
				if err != nil || os.Geteuid() != 0 {
					return err
				}
				return os.Chown(name, 65534, 65534)
			}))
			must(t, os.Chmod(filepath.Join(root, folder), 0o555))
			t.Cleanup(func() { must(t, os.Chmod(filepath.Join(root, folder), 0o755)) })
			before := snapshot(t, root)
			d := compare(t, root, render, owned(nil))
			unprivileged(t, func() {
				err := Apply(root, d)
				if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "read-only") {
					t.Errorf("Apply = %v", err)
				}
			})
			if diff := cmp.Diff(before, snapshot(t, root)); diff != "" {
				t.Errorf("tree (-before +after):\n%s", diff)
			}
			unprivileged(t, func() {
				if err := Apply(root, compare(t, root, map[string]string{"catalog/c.json": "old", "gen/a/a_gen.go": "old"}, owned(nil))); err != nil {
					t.Errorf("with nothing to do: %v", err)
				}
			})
		})
	}
}

// TestCleanReadOnly: leftovers in a checkout that cannot be written to are no reason to fail.
func TestCleanReadOnly(t *testing.T) {
	root := project(t, map[string]string{stageName + "/000001": "old", stageLock: "", "gen/a.go": "a"})
	must(t, os.Chmod(filepath.Dir(root), 0o755))
	must(t, os.Chmod(root, 0o555))
	t.Cleanup(func() { must(t, os.Chmod(root, 0o755)) })
	before := snapshot(t, root)
	d := compare(t, root, map[string]string{"gen/a.go": "a"}, owned(nil))
	unprivileged(t, func() {
		if err := Clean(root); err != nil {
			t.Errorf("Clean = %v", err)
		}
		if err := Apply(root, d); err != nil {
			t.Errorf("Apply = %v", err)
		}
	})
	if diff := cmp.Diff(before, snapshot(t, root)); os.Geteuid() == 0 && diff != "" {
		t.Errorf("tree (-before +after):\n%s", diff)
	}
}
