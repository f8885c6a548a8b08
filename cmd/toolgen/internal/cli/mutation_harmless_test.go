package cli

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/load"
)

// harmless is an edit with which toolgen has nothing against, and what it makes of it: pieces of outputs that were not
// there before. Without a piece of the catalog nothing of the catalog may change, without any piece no output at all.
type harmless struct {
	name  string
	edit  edit
	shows shown
}

// shown are pieces of text by output file.
type shown []struct{ file, piece string }

func shows(file, piece string) shown { return shown(nil).and(file, piece) }

func (s shown) and(file, piece string) shown {
	return append(s, struct{ file, piece string }{file, piece})
}

// below reports whether there is a piece of a folder.
func (s shown) below(dir string) bool {
	for _, at := range s {
		if strings.HasPrefix(at.file, dir+"/") {
			return true
		}
	}
	return false
}

// state is what is below a folder of a copy: mode and content, by path.
func (p *copied) state(dir string) map[string]string {
	p.Helper()
	out := map[string]string{}
	require.NoError(p, fs.WalkDir(os.DirFS(p.root), dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(p.path(name))
		out[name] = info.Mode().String() + string(data)
		return err
	}))
	return out
}

// changed gives the paths that two states do not have in common.
func changed(a, b map[string]string) []string {
	var out []string
	for name, s := range a {
		if t, ok := b[name]; !ok || s != t {
			out = append(out, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			out = append(out, name)
		}
	}
	return out
}

// An edit that is none of toolgen's business, or whose outputs follow, gives no finding.
func TestHarmlessEdits(t *testing.T) {
	files := projectFiles(t)
	for _, h := range slices.Concat(harmlessProse(), harmlessSpecs()) {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			p := copyOf(t, files)
			before := p.state(".")
			h.edit(p)
			require.NotEmpty(t, changed(before, p.state(".")))
			catalog, gen := p.state(load.CatalogDir), p.state(load.GenDir)
			p.generate()
			if findings := p.check(); len(findings) > 0 {
				t.Errorf("%v", findings)
			}
			if !h.shows.below(load.CatalogDir) {
				require.Empty(t, changed(catalog, p.state(load.CatalogDir)))
			}
			if len(h.shows) == 0 {
				require.Empty(t, changed(gen, p.state(load.GenDir)))
			}
			for _, at := range h.shows {
				if strings.Contains(string(files[at.file]), at.piece) {
					t.Errorf("%s had %q before", at.file, at.piece)
				}
				if !strings.Contains(p.read(at.file), at.piece) {
					t.Errorf("%s has no %q", at.file, at.piece)
				}
			}
		})
	}
}
