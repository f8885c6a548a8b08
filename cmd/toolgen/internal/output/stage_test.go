package output

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// killed is what a run that was killed leaves, beside folders and files that only look alike.
var killed = map[string]string{
	"gen/a.go": "a", ".toolgen-stage-0/000001": "old", ".toolgen-stage-0/000002": "-> ../gen/a.go", stageLock: "",
	".toolgen-stage-mine/000001": "mine", ".toolgen-stage-99/000001": "mine", ".toolgen-stage-/": "", ".toolgen-stage-file": "mine",
	".toolgen-stage-link": "-> gen", ".toolgen-stage.lock.old": "mine",
}

func TestClean(t *testing.T) {
	for _, name := range []string{"", "stage", "lock"} {
		t.Run("without "+name, func(t *testing.T) {
			files := maps.Clone(killed)
			left := maps.Clone(killed)
			for file := range killed {
				stage := strings.HasPrefix(file, stageName+"/")
				if stage && name == "stage" || file == stageLock && name == "lock" {
					delete(files, file)
				}
				if stage || file == stageLock {
					delete(left, file)
				}
			}
			byClean, byApply := project(t, files), project(t, files)
			must(t, Clean(byClean))
			same(t, byClean, left)
			must(t, Apply(byApply, compare(t, byApply, map[string]string{"gen/a.go": "a"}, owned(nil))))
			same(t, byApply, left)
			must(t, Clean(byClean))
			same(t, byClean, left)
		})
	}
}

// TestCleanBusy leaves alone what belongs to a run that is at work.
func TestCleanBusy(t *testing.T) {
	root := project(t, killed)
	tr, err := openTree(root, hooks{})
	must(t, err)
	defer tr.Close()
	unlock, err := tr.lock()
	must(t, err)
	must(t, Clean(root))
	must(t, Apply(root, compare(t, root, map[string]string{"gen/a.go": "a"}, owned(nil)))) // has nothing to do
	same(t, root, killed)
	must(t, unlock())
	must(t, Clean(root))
	for _, name := range []string{stageName, stageLock} {
		if _, err := os.Lstat(filepath.Join(root, name)); !os.IsNotExist(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestForeignStage: what toolgen did not make stays, and the error says what to do.
func TestForeignStage(t *testing.T) {
	for name, foreign := range map[string]map[string]string{
		"file":           {stageName: "mine"},
		"link":           {stageName: "-> elsewhere"},
		"link to folder": {stageName: "-> gen"},
		"folder":         {stageName + "/notes.md": "mine"},
		"folder below":   {stageName + "/000001/x": "mine"},
		"lock folder":    {stageLock + "/": ""},
		"lock link":      {stageLock: "-> gone"},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"gen/a.go": "a"}
			maps.Copy(files, foreign)
			root := project(t, files)
			for what, err := range map[string]error{
				"Clean":            Clean(root),
				"Apply":            Apply(root, compare(t, root, map[string]string{"gen/a.go": "b"}, owned(nil))),
				"Apply of nothing": Apply(root, compare(t, root, map[string]string{"gen/a.go": "a"}, owned(nil))),
			} {
				if err == nil || !strings.Contains(err.Error(), stageName) && !strings.Contains(err.Error(), stageLock) ||
					!strings.Contains(err.Error(), "or remove it") {
					t.Errorf("%s = %v", what, err)
				}
			}
			same(t, root, files)
		})
	}
}
