package output

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// TestFindings pins, for each way in which a file can differ, its state, rule, position and fix.
func TestFindings(t *testing.T) {
	const file = "gen/a/a_gen.go"
	for name, tt := range map[string]struct {
		disk   map[string]string
		render map[string]string
		locked map[string]string
		state  State
		want   *diag.Finding // without its message
		msg    string
	}{
		"unchanged": {
			disk: map[string]string{file: "a"}, render: map[string]string{file: "a"}, state: Unchanged},
		"missing": {
			render: map[string]string{file: "a"}, state: Created, msg: "missing",
			want: &diag.Finding{Rule: "output-missing", Pos: diag.Position{File: file}, Fix: "run toolgen generate"}},
		"spec moved on": {
			disk: map[string]string{file: "one\ntwo\n"}, render: map[string]string{file: "one\ntoo\n"},
			locked: map[string]string{file: "one\ntwo\n"}, state: Changed, msg: "differs from what would be generated now",
			want: &diag.Finding{Rule: "output-stale", Pos: diag.Position{File: file, Line: 2, Column: 2}, Fix: "run toolgen generate"}},
		"edited": {
			disk: map[string]string{file: "one\ntwo\n"}, render: map[string]string{file: "one\ntwo\nthree\n"},
			locked: map[string]string{file: "one\ntwo\nthree\n"}, state: Changed, msg: "edited by hand",
			want: &diag.Finding{Rule: "output-edited", Pos: diag.Position{File: file, Line: 3, Column: 1},
				Fix: "make the change in the spec or prompt that the file comes from, then run toolgen generate"}},
		"edited, no lock, no marker": {
			disk: map[string]string{file: ""}, render: map[string]string{file: "a"}, state: Changed, msg: "nothing says that toolgen wrote it",
			want: &diag.Finding{Rule: "output-edited", Pos: diag.Position{File: file, Line: 1, Column: 1},
				Fix: "move it away if it is yours, then run toolgen generate"}},
		"differs, no lock, marker": {
			disk: map[string]string{file: goMarker + "package b\n"}, render: map[string]string{file: goMarker + "package a\n"}, state: Changed,
			want: &diag.Finding{Rule: "output-stale", Pos: diag.Position{File: file, Line: 2, Column: 9}, Fix: "run toolgen generate"}},
		"columns are bytes": {
			disk: map[string]string{file: "né x"}, render: map[string]string{file: "né y"}, locked: map[string]string{file: "né x"}, state: Changed,
			want: &diag.Finding{Rule: "output-stale", Pos: diag.Position{File: file, Line: 1, Column: 5}, Fix: "run toolgen generate"}},
		"line ends": {
			disk: map[string]string{file: "one\r\ntwo\r\n"}, render: map[string]string{file: "one\ntwo\n"},
			locked: map[string]string{file: "one\ntwo\n"}, state: Changed, msg: "CR LF",
			want: &diag.Finding{Rule: "output-edited", Pos: diag.Position{File: file, Line: 1, Column: 4},
				Fix: `add "gen/** text eol=lf" to .gitattributes, then run toolgen generate`}},
		"no longer generated, by lock": {
			disk: map[string]string{"catalog/x.json": "{}"}, locked: map[string]string{"catalog/x.json": "{}"}, state: Stale, msg: "nothing generates",
			want: &diag.Finding{Rule: "output-stale", Pos: diag.Position{File: "catalog/x.json"}, Fix: "run toolgen generate, which removes it"}},
		"no longer generated, by marker": {
			disk: map[string]string{file: goMarker}, state: Stale,
			want: &diag.Finding{Rule: "output-stale", Pos: diag.Position{File: file}, Fix: "run toolgen generate, which removes it"}},
		"stray": {
			disk: map[string]string{"gen/a/mine.go": "package a\n"}, state: Stray, msg: "gen/a is for generated files only",
			want: &diag.Finding{Rule: "output-stray", Pos: diag.Position{File: "gen/a/mine.go"}, Fix: "move it out of the folder; toolgen leaves it alone"}},
		"executable": {
			disk: map[string]string{file: "x:a"}, render: map[string]string{file: "a"}, state: Mode, msg: "executable",
			want: &diag.Finding{Rule: "output-mode", Pos: diag.Position{File: file}, Fix: "run toolgen generate"}},
		"link in place of a file": {
			disk: map[string]string{file: "-> b.go", "gen/a/b.go": "a"}, render: map[string]string{file: "a", "gen/a/b.go": "a"}, state: Mode, msg: "symbolic link",
			want: &diag.Finding{Rule: "output-mode", Pos: diag.Position{File: file}, Fix: "run toolgen generate"}},
		"folder in place of a file": {
			disk: map[string]string{file + "/": ""}, render: map[string]string{file: "a"}, state: Blocked, msg: "a folder is in its place",
			want: &diag.Finding{Rule: "output-mode", Pos: diag.Position{File: file}, Fix: "move away or remove what is there, then run toolgen generate"}},
		"file in place of a folder": {
			disk: map[string]string{"gen": "mine"}, render: map[string]string{file: "a"}, state: Blocked, msg: "gen is a file where a folder has to be",
			want: &diag.Finding{Rule: "output-mode", Pos: diag.Position{File: file}, Fix: "move away or remove what is there, then run toolgen generate"}},
		"link that leads out": {
			disk: map[string]string{"gen": "-> " + os.TempDir()}, render: map[string]string{file: "a"}, state: Outside, msg: "gen is a symbolic link that leads out",
			want: &diag.Finding{Rule: "output-outside", Pos: diag.Position{File: file}, Fix: "replace the link by a folder, then run toolgen generate"}},
		"link that leads up": {
			disk: map[string]string{"gen/a": "-> ../.."}, render: map[string]string{file: "a"}, state: Outside,
			want: &diag.Finding{Rule: "output-outside", Pos: diag.Position{File: file}, Fix: "replace the link by a folder, then run toolgen generate"}},
		"link to the project": {
			disk: map[string]string{"gen": "-> ."}, render: map[string]string{file: "a"}, state: Blocked, msg: "to the project itself",
			want: &diag.Finding{Rule: "output-mode", Pos: diag.Position{File: file}, Fix: "move away or remove what is there, then run toolgen generate"}},
		"link to nowhere": {
			disk: map[string]string{"gen": "-> nowhere"}, render: map[string]string{file: "a"}, state: Blocked, msg: "leads to no folder",
			want: &diag.Finding{Rule: "output-mode", Pos: diag.Position{File: file}, Fix: "move away or remove what is there, then run toolgen generate"}},
		"link in a circle": {
			disk: map[string]string{"gen": "-> gen"}, render: map[string]string{file: "a"}, state: Blocked, msg: "leads to no folder",
			want: &diag.Finding{Rule: "output-mode", Pos: diag.Position{File: file}, Fix: "move away or remove what is there, then run toolgen generate"}},
		"lock missing": {
			render: map[string]string{"toolgen.lock": "a"}, state: Created,
			want: &diag.Finding{Rule: "lock-missing", Pos: diag.Position{File: "toolgen.lock"}, Fix: "run toolgen generate"}},
		"lock stale": {
			disk: map[string]string{"toolgen.lock": "a\n<<<<<<< HEAD\n"}, render: map[string]string{"toolgen.lock": "a\nb\n"}, state: Changed,
			want: &diag.Finding{Rule: "lock-stale", Pos: diag.Position{File: "toolgen.lock", Line: 2, Column: 1}, Fix: "run toolgen generate"}},
		"lock with other line ends": {
			disk: map[string]string{"toolgen.lock": "a\r\n"}, render: map[string]string{"toolgen.lock": "a\n"}, state: Changed,
			want: &diag.Finding{Rule: "lock-stale", Pos: diag.Position{File: "toolgen.lock", Line: 1, Column: 2},
				Fix: `add "toolgen.lock text eol=lf" to .gitattributes, then run toolgen generate`}},
	} {
		t.Run(name, func(t *testing.T) {
			root := filepath.Join(project(t, map[string]string{"in/": ""}), "in")
			for f, content := range tt.disk {
				put(t, root, f, content)
			}
			before := snapshot(t, root)
			d := compare(t, root, tt.render, owned(tt.locked))
			if got := d.Entries[0].State; got != tt.state {
				t.Errorf("state = %s, want %s", got, tt.state)
			}
			if got := d.Clean(); got != (tt.state == Unchanged || tt.state == Stray) {
				t.Errorf("Clean = %v", got)
			}
			var want diag.Findings
			if tt.want != nil {
				want.Add(*tt.want)
			}
			got := d.Findings()
			for i := range got {
				if !strings.Contains(got[i].Message, tt.msg) {
					t.Errorf("message = %q, want …%s…", got[i].Message, tt.msg)
				}
				if _, ok := diag.Explain(got[i].Rule); !ok {
					t.Errorf("the rule %s has no page", got[i].Rule)
				}
				got[i].Message = ""
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			if blocked := d.Blocked(); (len(blocked) > 0) != (tt.state == Blocked || tt.state == Outside) {
				t.Errorf("Blocked = %v", blocked)
			}
			if diff := cmp.Diff(before, snapshot(t, root)); diff != "" {
				t.Errorf("comparing changed the tree:\n%s", diff)
			}
		})
	}
}

// TestCompareKnowsItsOwn is about what is stale, what is stray, and what is neither.
func TestCompareKnowsItsOwn(t *testing.T) {
	root := project(t, map[string]string{
		"gen/a/a_gen.go":     "a",
		"gen/a/old_gen.go":   goMarker,
		"gen/a/other.go":     "// Code generated by toolgen-like; DO NOT EDIT.\n",
		"gen/a/locked.txt":   "l",
		"gen/.gitattributes": "* linguist-generated\n",
		"gen/.cache/x.go":    goMarker,
		"gen/link":           "-> ../src",
		"src/main.go":        goMarker,
		"src/lib.go":         "package src\n",
		"former/f_gen.go":    goMarker,
		"former/notes.txt":   "n",
		"README.md":          "r",
	})
	d := compare(t, root, map[string]string{"gen/a/a_gen.go": "a"}, owned(map[string]string{
		"gen/a/locked.txt": "l", "gen/a/gone.go": "g",
		// A lock that was tampered with, or one from before the output folder moved.
		"src/lib.go": "package src\n", "README.md": "r", "former/f_gen.go": goMarker, "former/notes.txt": "n",
	}))
	got := map[string]State{}
	for _, e := range d.Entries {
		got[e.Path] = e.State
	}
	want := map[string]State{
		"gen/a/a_gen.go": Unchanged, "gen/a/old_gen.go": Stale, "gen/a/locked.txt": Stale, "former/f_gen.go": Stale,
		"gen/a/other.go": Stray, "gen/link": Stray,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
}

func TestCompareFollowsLinksInside(t *testing.T) {
	root := project(t, map[string]string{
		"gen":               "-> real/gen",
		"real/gen/a/one.go": goMarker,
		"real/gen/a/two.go": goMarker,
		"real/gen/b":        "-> a",
	})
	d := compare(t, root, map[string]string{"gen/a/one.go": goMarker, "gen/b/new.go": "n"}, owned(nil))
	got := map[string]State{}
	for _, e := range d.Entries {
		got[e.Path] = e.State
	}
	want := map[string]State{"gen/a/one.go": Unchanged, "gen/b/new.go": Created, "gen/a/two.go": Stale}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
	if _, err := Compare(root, rendered(map[string]string{"gen/a/x.go": "", "gen/b/x.go": ""}), owned(nil)); err == nil {
		t.Error("two outputs that are one file were accepted")
	}
	abs := project(t, map[string]string{"real/": ""})
	put(t, abs, "gen", "-> "+filepath.Join(abs, "real"))
	if got := compare(t, abs, map[string]string{"gen/x": ""}, owned(nil)).Paths(Created); len(got) != 1 {
		t.Errorf("an absolute link that stays inside: created %q", got)
	}
}

// TestCompareCase uses a second name for a file to stand for a file system that ignores case.
func TestCompareCase(t *testing.T) {
	root := project(t, map[string]string{"gen/find.go": goMarker})
	if err := os.Link(filepath.Join(root, "gen/find.go"), filepath.Join(root, "gen/Find.go")); err != nil {
		t.Fatal(err)
	}
	d := compare(t, root, map[string]string{"gen/find.go": goMarker}, owned(map[string]string{"gen/Find.go": goMarker}))
	if got := d.Paths(Stale, Stray); got != nil {
		t.Errorf("the rendered file itself is to be removed: %q", got)
	}
}

func TestCompareRefuses(t *testing.T) {
	for path, msg := range map[string]string{
		"../gen/a":       "no clean path",
		"/gen/a":         "no clean path",
		"gen/../a":       "no clean path",
		"gen//a":         "no clean path",
		`gen\a`:          "no clean path",
		"gen/a\x00":      "no clean path",
		"":               "no clean path",
		"gen":            "in none of the output folders",
		"main.go":        "in none of the output folders",
		"genuine/a":      "in none of the output folders",
		"gen/a/x/y":      "both a file and the folder",
		"gen/A/x":        "ignores case",
		"catalog/ok.txt": "twice",
	} {
		files := append(rendered(map[string]string{"gen/a/x": "", "catalog/ok.txt": ""}), File{Path: path})
		if _, err := Compare(t.TempDir(), files, owned(nil)); err == nil || !strings.Contains(err.Error(), msg) {
			t.Errorf("Compare with %q: %v, want …%s…", path, err, msg)
		}
	}
	if _, err := Compare(filepath.Join(t.TempDir(), "nowhere"), nil, owned(nil)); err == nil {
		t.Error("a root that does not exist was accepted")
	}
}

func TestMarked(t *testing.T) {
	for _, tt := range []struct {
		name, content string
		want          bool
	}{
		{"a.go", goMarker + "package a\n", true},
		{"a.go", "// Copyright\n\n" + goMarker, true},
		{"a.go", "// Code generated by toolgen; DO NOT EDIT.\r\n", true},
		{"a.go", "package a\n" + goMarker, false},
		{"a.go", "// // Code generated by toolgen\n", false},
		{"a.go", "// Code generated by toolgenerator; DO NOT EDIT.\n", false},
		{"a.go", strings.Repeat("//\n", markerHead) + goMarker, false},
		{"a.md", "<!-- Code generated by toolgen; DO NOT EDIT. -->\n", true},
		{"a.md", "# Title\n<!-- Code generated by toolgen -->\n", false},
		{"a.json", "{\n  \"format\": 1,\n  \"generator\": \"toolgen\"\n}\n", true},
		{"a.json", `{"generator":"toolgen"}`, true},
		{"a.json", `{"generator":"toolgen-like"}`, false},
		{"a.json", `{"generator","toolgen"}`, false},
		{"a.json", strings.Repeat(" ", markerHead) + `{"generator":"toolgen"}`, false},
		{"a.txt", goMarker, false},
		{"a.go", "", false},
	} {
		if got := marked(tt.name, []byte(tt.content)); got != tt.want {
			t.Errorf("marked(%s, %.40q) = %v", tt.name, tt.content, got)
		}
	}
}
