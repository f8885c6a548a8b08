package output

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The scene is a project in which every kind of change is due.
var sceneDisk = map[string]string{
	"gen/a/same_gen.go":       "same",
	"gen/a/changed_gen.go":    "old",
	"gen/a/exec_gen.go":       "x:exec",
	"gen/a/link_gen.go":       "-> ../../src/main.go",
	"gen/a/mine.go":           "mine",
	"gen/gone/deep/x_gen.go":  goMarker,
	"gen/gone/deep/y_gen.go":  "y",
	"gen/kept/z_gen.go":       goMarker,
	"gen/kept/notes.txt":      "notes",
	"gen/was-empty/":          "",
	"catalog/catalog.json":    "{}",
	"catalog/old.json":        "old",
	"toolgen.lock":            "lock of old",
	"src/main.go":             "main",
	"src/generated_looks.go":  goMarker,
	".toolgen-stage-notes.md": "a file of the user's, whatever its name",
}

var sceneLocked = map[string]string{"gen/gone/deep/y_gen.go": "y", "catalog/old.json": "old", "gen/a/same_gen.go": "same"}

var sceneRendered = map[string]string{
	"gen/a/same_gen.go":    "same",
	"gen/a/changed_gen.go": "new",
	"gen/a/exec_gen.go":    "exec",
	"gen/a/link_gen.go":    "linked",
	"gen/new/deep/n.go":    "n",
	"gen/new/deep/m.go":    "m",
	"catalog/catalog.json": "{\"a\":1}",
	"toolgen.lock":         "lock of new",
}

var sceneAfter = map[string]string{
	"gen/a/same_gen.go":       "same",
	"gen/a/changed_gen.go":    "new",
	"gen/a/exec_gen.go":       "exec",
	"gen/a/link_gen.go":       "linked",
	"gen/a/mine.go":           "mine",
	"gen/new/deep/n.go":       "n",
	"gen/new/deep/m.go":       "m",
	"gen/kept/notes.txt":      "notes",
	"gen/was-empty/":          "",
	"catalog/catalog.json":    "{\"a\":1}",
	"toolgen.lock":            "lock of new",
	"src/main.go":             "main",
	"src/generated_looks.go":  goMarker,
	".toolgen-stage-notes.md": "a file of the user's, whatever its name",
}

func TestApply(t *testing.T) {
	root := project(t, sceneDisk)
	must(t, Apply(root, compare(t, root, sceneRendered, owned(sceneLocked))))
	same(t, root, sceneAfter)
	if d := compare(t, root, sceneRendered, owned(nil)); !d.Clean() {
		t.Errorf("not clean after Apply: %v", d.Findings())
	}
}

func TestApplyFirstTime(t *testing.T) {
	root := t.TempDir()
	must(t, Apply(root, compare(t, root, sceneRendered, owned(nil))))
	same(t, root, sceneRendered)
}

// steps counts and names the changes that applying the scene makes.
func steps(t *testing.T) []string {
	t.Helper()
	root := project(t, sceneDisk)
	var out []string
	watch := hooks{before: func(op, name string) error {
		out = append(out, op+" "+name)
		return nil
	}}
	must(t, apply(root, compare(t, root, sceneRendered, owned(sceneLocked)), watch))
	return out
}

func TestApplyOrder(t *testing.T) {
	want := []string{
		"mkdir .toolgen-stage-0",
		"write catalog/catalog.json", "write gen/a/changed_gen.go", "write gen/a/exec_gen.go", "write gen/a/link_gen.go",
		"write gen/new/deep/m.go", "write gen/new/deep/n.go", "write toolgen.lock",
		"backup catalog/catalog.json", "rename catalog/catalog.json",
		"backup gen/a/changed_gen.go", "rename gen/a/changed_gen.go",
		"backup gen/a/exec_gen.go", "rename gen/a/exec_gen.go",
		"backup gen/a/link_gen.go", "rename gen/a/link_gen.go",
		"mkdir gen/new", "mkdir gen/new/deep", "rename gen/new/deep/m.go", "rename gen/new/deep/n.go",
		"remove catalog/old.json", "remove gen/gone/deep/x_gen.go", "remove gen/gone/deep/y_gen.go",
		"rmdir gen/gone/deep", "rmdir gen/gone", "remove gen/kept/z_gen.go",
		"backup toolgen.lock", "rename toolgen.lock",
		"clear .toolgen-stage-0",
	}
	if diff := cmp.Diff(want, steps(t)); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

// TestApplyRollsBack fails at every step in turn: all or nothing, whatever the step.
func TestApplyRollsBack(t *testing.T) {
	broken := errors.New("disk on fire")
	all := steps(t)
	for i, step := range all {
		t.Run(step, func(t *testing.T) {
			root := project(t, sceneDisk)
			before := snapshot(t, root)
			n := 0
			fail := hooks{before: func(string, string) error {
				n++
				if n == i+1 {
					return broken
				}
				return nil
			}}
			err := apply(root, compare(t, root, sceneRendered, owned(sceneLocked)), fail)
			if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "output: ") {
				t.Fatalf("error = %v", err)
			}
			if i == len(all)-1 {
				// Too late to go back: only the stage is left, and the next run removes it.
				must(t, Apply(root, compare(t, root, sceneRendered, owned(nil))))
				same(t, root, sceneAfter)
				return
			}
			if diff := cmp.Diff(before, snapshot(t, root)); diff != "" {
				t.Errorf("tree (-before +after):\n%s", diff)
			}
		})
	}
}

// TestApplyAfterKill stops at every step in turn without putting anything back, as a kill does, and runs again.
func TestApplyAfterKill(t *testing.T) {
	for i, step := range steps(t) {
		t.Run(step, func(t *testing.T) {
			root := project(t, sceneDisk)
			d := compare(t, root, sceneRendered, owned(sceneLocked))
			n := 0
			kill := hooks{before: func(string, string) error {
				n++
				if n == i+1 {
					panic("killed")
				}
				return nil
			}}
			func() {
				defer func() {
					if recover() == nil {
						t.Error("the run was not killed")
					}
				}()
				_ = apply(root, d, kill)
			}()
			put(t, root, stageLock, "") // what a kill leaves of the lock
			for name, content := range snapshot(t, root) {
				if !strings.HasPrefix(name, stageName+"/") && !strings.HasSuffix(name, "/") && name != stageLock &&
					content != sceneDisk[name] && content != sceneAfter[name] {
					t.Errorf("%s is half written: %q", name, content)
				}
			}
			// The lock on disk decides what the next run knows to be toolgen's.
			locked := sceneLocked
			if lock, err := os.ReadFile(filepath.Join(root, "toolgen.lock")); err == nil && string(lock) == sceneRendered["toolgen.lock"] {
				locked = sceneRendered
			}
			must(t, Apply(root, compare(t, root, sceneRendered, owned(locked))))
			same(t, root, sceneAfter)
		})
	}
}

// TestApplyRealFaults needs no hook: a folder appears in the place of a file after the comparison.
func TestApplyRealFaults(t *testing.T) {
	for name, obstacle := range map[string]string{
		"folder in place of a file":      "gen/new/deep/n.go/x",
		"file in place of a folder":      "gen/new",
		"folder in place of the lock":    "toolgen.lock/x",
		"file in place of a deep folder": "gen/new/deep",
	} {
		t.Run(name, func(t *testing.T) {
			root := project(t, sceneDisk)
			d := compare(t, root, sceneRendered, owned(sceneLocked))
			if strings.HasPrefix(obstacle, "toolgen.lock") {
				must(t, os.Remove(filepath.Join(root, "toolgen.lock")))
			}
			put(t, root, obstacle, "in the way")
			before := snapshot(t, root)
			if err := Apply(root, d); err == nil || !strings.Contains(err.Error(), "nothing was written") {
				t.Errorf("Apply = %v", err)
			}
			if diff := cmp.Diff(before, snapshot(t, root)); diff != "" {
				t.Errorf("tree (-before +after):\n%s", diff)
			}
		})
	}
}

// TestApplyLateObstacle puts a folder in the way while files are being written.
func TestApplyLateObstacle(t *testing.T) {
	root := project(t, sceneDisk)
	before := snapshot(t, root)
	late := hooks{before: func(op, name string) error {
		if op == "rename" && name == "gen/new/deep/n.go" {
			return os.Mkdir(filepath.Join(root, "gen/new/deep/n.go"), 0o755)
		}
		return nil
	}}
	err := apply(root, compare(t, root, sceneRendered, owned(sceneLocked)), late)
	if err == nil || !strings.Contains(err.Error(), "cannot write gen/new/deep/n.go") {
		t.Fatalf("error = %v", err)
	}
	if diff := cmp.Diff(before, snapshot(t, root)); diff != "" {
		t.Errorf("tree (-before +after):\n%s", diff)
	}
}

// TestApplyWhenPuttingBackFails keeps the former files where a person can find them.
func TestApplyWhenPuttingBackFails(t *testing.T) {
	root := project(t, map[string]string{"gen/a.go": "old", "gen/b.go": "old"})
	fail := hooks{before: func(op, name string) error {
		if op != "rename" || name != "gen/b.go" {
			return nil
		}
		// The file that was replaced already becomes a folder, so that its backup cannot go back.
		at := filepath.Join(root, "gen/a.go")
		return errors.Join(os.Remove(at), os.MkdirAll(filepath.Join(at, "x"), 0o755), errors.New("disk on fire"))
	}}
	err := apply(root, compare(t, root, map[string]string{"gen/a.go": "new", "gen/b.go": "new"}, owned(nil)), fail)
	if err == nil || !strings.Contains(err.Error(), "disk on fire") || !strings.Contains(err.Error(), ".toolgen-stage-0 holds them") {
		t.Fatalf("error = %v", err)
	}
	found := false
	for name, content := range snapshot(t, root) {
		found = found || strings.HasPrefix(name, ".toolgen-stage-0/") && content == "old"
	}
	if !found {
		t.Error("the stage does not hold the former file")
	}
}

func TestApplyKeepsUntouchedFiles(t *testing.T) {
	root := project(t, sceneDisk)
	old := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	for _, name := range []string{"gen/a/same_gen.go", "gen/a/mine.go"} {
		must(t, os.Chtimes(filepath.Join(root, name), old, old))
	}
	must(t, Apply(root, compare(t, root, sceneRendered, owned(sceneLocked))))
	for _, name := range []string{"gen/a/same_gen.go", "gen/a/mine.go"} {
		info, err := os.Stat(filepath.Join(root, name))
		must(t, err)
		if !info.ModTime().Equal(old) {
			t.Errorf("%s was written again", name)
		}
	}
}

func TestApplyKeepsPermissions(t *testing.T) {
	root := project(t, map[string]string{"gen/ro.go": "old", "gen/private.go": "old", "gen/exec.go": "old"})
	for name, perm := range map[string]os.FileMode{"ro.go": 0o444, "private.go": 0o600, "exec.go": 0o775} {
		must(t, os.Chmod(filepath.Join(root, "gen", name), perm))
	}
	must(t, Apply(root, compare(t, root, map[string]string{"gen/ro.go": "new", "gen/private.go": "new", "gen/exec.go": "new"}, owned(nil))))
	same(t, root, map[string]string{"gen/ro.go": "444:new", "gen/private.go": "600:new", "gen/exec.go": "664:new"})
}

func TestApplyFollowsLinksInside(t *testing.T) {
	root := project(t, map[string]string{"gen": "-> real/gen", "real/gen/old_gen.go": goMarker})
	must(t, Apply(root, compare(t, root, nil, owned(nil))))
	same(t, root, map[string]string{"gen": "-> real/gen", "real/gen/": ""}) // the link's target stays, though it is empty
	must(t, Apply(root, compare(t, root, map[string]string{"gen/a/x.go": "x"}, owned(nil))))
	same(t, root, map[string]string{"gen": "-> real/gen", "real/gen/a/x.go": "x"})
}

func TestApplyStaysInside(t *testing.T) {
	outside := project(t, map[string]string{"x.go": goMarker})
	root := project(t, map[string]string{"gen/a": "-> " + outside, "gen/b/b_gen.go": "old"})
	before := snapshot(t, root)
	d := compare(t, root, map[string]string{"gen/a/x.go": "x", "gen/b/b_gen.go": "new"}, owned(nil))
	if err := Apply(root, d); err == nil || !strings.Contains(err.Error(), "[output-outside]") {
		t.Errorf("Apply = %v", err)
	}
	if diff := cmp.Diff(before, snapshot(t, root)); diff != "" {
		t.Errorf("tree (-before +after):\n%s", diff)
	}
	// What a former lock says is below the link is not removed either.
	must(t, Apply(root, compare(t, root, map[string]string{"gen/b/b_gen.go": "new"}, owned(map[string]string{"gen/a/x.go": goMarker}))))
	same(t, outside, map[string]string{"x.go": goMarker})
	same(t, root, map[string]string{"gen/a": "-> " + outside, "gen/b/b_gen.go": "new"})
}

// TestApplyBusy starts a second run while the first is at every one of its steps.
func TestApplyBusy(t *testing.T) {
	root := project(t, sceneDisk)
	d := compare(t, root, sceneRendered, owned(sceneLocked))
	tried := 0
	second := hooks{before: func(string, string) error {
		tried++
		before := snapshot(t, root)
		if err := Apply(root, d); !errors.Is(err, ErrBusy) {
			t.Errorf("second Apply = %v, want ErrBusy", err)
		}
		if diff := cmp.Diff(before, snapshot(t, root)); diff != "" {
			t.Errorf("the second run changed the tree:\n%s", diff)
		}
		return nil
	}}
	must(t, apply(root, d, second))
	if tried == 0 {
		t.Fatal("no second run was tried")
	}
	same(t, root, sceneAfter)
}

// TestApplyTogether lets many runs loose on one project: each succeeds or is busy, and the tree is whole.
func TestApplyTogether(t *testing.T) {
	root := project(t, sceneDisk)
	d := compare(t, root, sceneRendered, owned(sceneLocked))
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() { errs[i] = Apply(root, d) })
	}
	wg.Wait()
	done := 0
	for _, err := range errs {
		if err == nil {
			done++
		} else if !errors.Is(err, ErrBusy) {
			t.Error(err)
		}
	}
	if done == 0 {
		t.Error("no run succeeded")
	}
	same(t, root, sceneAfter)
}

// TestApplyComparesAgain: what another run wrote since the comparison is taken into account.
func TestApplyComparesAgain(t *testing.T) {
	root := project(t, map[string]string{"gen/a.go": "a"})
	d := compare(t, root, map[string]string{"gen/a.go": "a", "gen/b.go": "b"}, owned(nil))
	put(t, root, "gen/a.go", "of another run")
	put(t, root, "gen/c.go", goMarker)
	must(t, Apply(root, d))
	same(t, root, map[string]string{"gen/a.go": "a", "gen/b.go": "b"})
}

func TestApplyNothingToDo(t *testing.T) {
	root := project(t, map[string]string{"gen/a.go": "a", "gen/stray.txt": "s"})
	touched := hooks{before: func(op, name string) error {
		t.Errorf("%s %s", op, name)
		return nil
	}}
	must(t, apply(root, compare(t, root, map[string]string{"gen/a.go": "a"}, owned(nil)), touched))
	same(t, root, map[string]string{"gen/a.go": "a", "gen/stray.txt": "s"})
}
