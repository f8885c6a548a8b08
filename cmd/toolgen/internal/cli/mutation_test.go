package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/load"
)

// The files that most mutations are of.
const (
	controlCue  = "spec/agents/control.cue"
	enumsCue    = "spec/agents/enums.cue"
	jobsCue     = "spec/agents/jobs.cue"
	noticesCue  = "spec/agents/notices.cue"
	subagentCue = "spec/agents/subagent.cue"
	delegation  = "prompts/agents/delegation.md"
	reporting   = "prompts/agents/reporting.md"

	contractsJSON   = "gen/contracts.json"
	catalogJSON     = "catalog/catalog.json"
	catalogMarkdown = "catalog/CATALOG.md"
	sectionsJSON    = "catalog/sections.json"
)

// mutation is one fault put into a copy of the project's own specs, prompts and outputs, and what `toolgen check` must
// say of it:
//
//	{"a tool renamed, but not in a text",
//		sub("spec/agents/jobs.cue", "tools: job_list:", "tools: list_jobs:"),
//		finds("ref-unknown", "spec/agents/subagent.cue", "‸job_list.name")},
type mutation struct {
	name string
	edit edit
	want *wanted
}

// edit changes a copy. One that would change nothing fails the test.
type edit func(p *copied)

// wanted is all that check must say.
type wanted struct {
	places []place
	more   bool // whether there may be further findings of the same rules
}

// place is one finding: its rule, its file and a piece of text of the file as the edit leaves it. The finding is on the
// line where the piece begins, or where the caret ‸ stands in it, and then in that column too. Without a piece it must be
// of the file as a whole.
//
// Pieces of files are given so that somebody may reword a text and break no test: by labels and references, one behind
// the other with … between them. The first must occur once in the file (unless … stands before it), each other one is the
// next after the one before; the last one is what is meant.
type place struct {
	rule, file, piece string
	says              []string // what message and fix must mention
}

// No file of the project has these.
const (
	caret = "‸" // marks a column in the piece of a place
	gap   = "…" // stands for whatever is between two pieces
)

func finds(rule, file, piece string) *wanted { return new(wanted).finds(rule, file, piece) }

// finds adds a finding.
func (w *wanted) finds(rule, file, piece string) *wanted {
	w.places = append(w.places, place{rule: rule, file: file, piece: piece})
	return w
}

// says demands texts in the message or the fix of the finding that was added last.
func (w *wanted) says(text ...string) *wanted {
	last := &w.places[len(w.places)-1]
	last.says = append(last.says, text...)
	return w
}

// others allows further findings of the rules that are wanted: of references, say, of which there may be more.
func (w *wanted) others() *wanted {
	w.more = true
	return w
}

// copied is a copy of the project, in which one test may do what it likes.
type copied struct {
	testing.TB
	files map[string][]byte // what was copied
	root  string
}

// projectFiles reads everything of the project that toolgen reads or writes.
func projectFiles(t testing.TB) map[string][]byte {
	t.Helper()
	root, err := load.FindRoot(".")
	require.NoError(t, err)
	return projectFilesBelow(t, root)
}

func projectFilesBelow(t testing.TB, root string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, top := range []string{"go.mod", "toolgen.lock", "cue.mod", load.SpecDir, load.PromptDir, load.GenDir, load.CatalogDir} {
		if _, err := os.Lstat(filepath.Join(root, top)); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		require.NoError(t, filepath.WalkDir(filepath.Join(root, top), func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || filepath.Ext(name) == ".go" && top == load.SpecDir {
				return err
			}
			rel, err := filepath.Rel(root, name)
			if err != nil {
				return err
			}
			data, err := os.ReadFile(name)
			files[filepath.ToSlash(rel)] = data
			return err
		}))
	}
	return files
}

func copyOf(t testing.TB, files map[string][]byte) *copied {
	t.Helper()
	p := &copied{TB: t, files: files, root: t.TempDir()}
	made := map[string]bool{}
	for name, data := range files {
		if dir := path.Dir(name); !made[dir] {
			require.NoError(t, os.MkdirAll(p.path(dir), 0o755))
			made[dir] = true
		}
		require.NoError(t, os.WriteFile(p.path(name), data, 0o644))
	}
	return p
}

func (p *copied) path(name string) string { return filepath.Join(p.root, filepath.FromSlash(name)) }

func (p *copied) read(name string) string {
	p.Helper()
	data, err := os.ReadFile(p.path(name))
	require.NoError(p, err)
	return string(data)
}

func (p *copied) write(name, text string) {
	p.Helper()
	require.NoError(p, os.MkdirAll(filepath.Dir(p.path(name)), 0o755))
	require.NoError(p, os.WriteFile(p.path(name), []byte(text), 0o644))
}

// toolgen runs a command on the copy and returns its exit code and what it printed. The bounds are those of a process of
// its own, which a test is not.
func (p *copied) toolgen(command ...string) (int, string) {
	p.Helper()
	var out, errs bytes.Buffer
	code := Run(append(command, "--full", "--dir", p.root, "--max-time", "0", "--max-memory", "0"),
		Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }})
	require.Empty(p, errs.String())
	return code, out.String()
}

// check runs `toolgen check`, whose exit code must agree with what it finds.
func (p *copied) check() diag.Findings {
	p.Helper()
	code, out := p.toolgen("check", "--format", "json")
	var report struct{ Findings diag.Findings }
	require.NoError(p, json.Unmarshal([]byte(out), &report), out)
	require.Equal(p, len(report.Findings) > 0, code == exitFindings, "exit code %d with %s", code, out)
	return report.Findings
}

// generate runs `toolgen generate`, which must find nothing.
func (p *copied) generate() {
	p.Helper()
	code, out := p.toolgen("generate")
	require.Equal(p, exitClean, code, out)
}

// matches reports whether a finding is at a place.
func (p *copied) matches(f diag.Finding, at place) bool {
	p.Helper()
	if f.Rule != at.rule || f.Pos.File != at.file {
		return false
	}
	if at.piece == "" {
		return f.Pos.Line == 0 && f.Pos.Column == 0
	}
	line, column := p.find(at.file, at.piece)
	return f.Pos.Line == line && (column == 0 || f.Pos.Column == column)
}

// find gives the line of a piece of a file, and the column where the piece has a caret.
func (p *copied) find(file, piece string) (line, column int) {
	p.Helper()
	text := p.read(file)
	at, _ := p.seek(file, text, strings.Replace(piece, caret, "", 1))
	parts := strings.Split(piece, gap)
	before, _, marked := strings.Cut(parts[len(parts)-1], caret)
	if marked {
		at += len(before)
	}
	line = 1 + strings.Count(text[:at], "\n")
	if marked {
		column = at - strings.LastIndex(text[:at], "\n")
	}
	return line, column
}

// seek gives the range of a piece of a file's text.
func (p *copied) seek(file, text, piece string) (start, end int) {
	p.Helper()
	for i, part := range strings.Split(piece, gap) {
		if i == 0 && part != "" {
			require.Equal(p, 1, strings.Count(text, part), "%s has %q", file, part)
		}
		start = strings.Index(text[end:], part)
		require.GreaterOrEqual(p, start, 0, "%s has %q behind the rest of %q", file, part, piece)
		start += end
		end = start + len(part)
	}
	return start, end
}

// differs says how what check finds differs from what it had to find.
func (p *copied) differs(w *wanted) []string {
	p.Helper()
	found := p.check()
	rest := slices.Clone(found)
	var out []string
	for _, at := range w.places {
		i := slices.IndexFunc(rest, func(f diag.Finding) bool { return p.matches(f, at) })
		if i < 0 {
			out = append(out, fmt.Sprintf("missing: %s in %s at %q", at.rule, at.file, at.piece))
			continue
		}
		said := rest[i].Message + "\n" + rest[i].Fix
		for _, text := range at.says {
			if !strings.Contains(said, text) {
				out = append(out, fmt.Sprintf("%s in %s does not say %q", at.rule, at.file, text))
			}
		}
		rest = slices.Delete(rest, i, i+1)
	}
	for _, f := range rest {
		switch {
		case w.more && slices.ContainsFunc(w.places, func(at place) bool { return at.rule == f.Rule }):
		default:
			out = append(out, "not expected: "+f.String())
		}
	}
	if len(out) > 0 {
		for _, f := range found {
			out = append(out, fmt.Sprintf("found: %s\n    fix: %s", f, f.Fix))
		}
	}
	return out
}

func (p *copied) expect(w *wanted) {
	p.Helper()
	if out := p.differs(w); len(out) > 0 {
		p.Error(strings.Join(out, "\n"))
	}
}

// Each fault is found, at its place, and nothing is said that is not of it.
func TestMutations(t *testing.T) {
	files := projectFiles(t)
	for _, m := range mutations() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			p := copyOf(t, files)
			m.edit(p)
			p.expect(m.want)
		})
	}
}

// Faults of which toolgen does not say yet what it should. Each fails here when it is mended, and moves to its kind.
func TestOpenMutations(t *testing.T) {
	files := projectFiles(t)
	for _, m := range openMutations() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			p := copyOf(t, files)
			m.edit(p)
			if len(p.differs(m.want)) == 0 {
				t.Error("found as it should be: move the mutation to the others of its kind")
			}
		})
	}
}

func mutations() []mutation {
	return slices.Concat(referenceMutations(), toolMutations(), specMutations(), outputMutations(), proseMutations(), reachMutations(), authorMutations())
}

// Rules that no mutation breaks, with the reason.
func unbroken() map[string]string {
	return map[string]string{
		"spec-bounds": "an evaluation that goes on needs a process of its own: script/bounds.txtar",
	}
}

// Each rule is broken by some mutation, and each mutation has a name of its own.
func TestMutationsBreakEveryRule(t *testing.T) {
	broken, names := map[string]bool{}, map[string]bool{}
	for _, m := range slices.Concat(mutations(), openMutations()) {
		require.False(t, names[m.name], "two mutations: %s", m.name)
		names[m.name] = true
		for _, at := range m.want.places {
			broken[at.rule] = true
		}
	}
	excused := unbroken()
	for _, r := range diag.Rules() {
		_, why := excused[r.ID]
		if broken[r.ID] == why {
			t.Errorf("%s: broken by a mutation: %v, named as unbroken: %v", r.ID, broken[r.ID], why)
		}
		delete(excused, r.ID)
	}
	require.Empty(t, excused, "no such rules")
}
