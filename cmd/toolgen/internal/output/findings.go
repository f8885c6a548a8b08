package output

import (
	"fmt"
	"path"
	"strings"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// regenerate is the fix for everything that a run of the generator puts right.
const regenerate = "run toolgen generate"

// Findings says what `toolgen check` has against the output on disk: one finding per file that is not as it should be.
func (d Diff) Findings() diag.Findings {
	var out diag.Findings
	for _, e := range d.Entries {
		if f, ok := d.finding(e); ok {
			out.Add(f)
		}
	}
	return out
}

// Regardless says what Findings says but for what a run of the generator mends by itself: what is wrong whether or not
// the specs have to be changed first.
func (d Diff) Regardless() diag.Findings {
	var out diag.Findings
	for _, f := range d.Findings() {
		switch f.Rule {
		case "output-edited", "output-mode", "output-outside", "output-stray":
			out.Add(f)
		}
	}
	return out
}

// Blocked says what keeps [Apply] from writing; without such findings it can start.
func (d Diff) Blocked() diag.Findings {
	var out diag.Findings
	for _, e := range d.Entries {
		if e.State == Blocked || e.State == Outside {
			f, _ := d.finding(e)
			out.Add(f)
		}
	}
	return out
}

// Foreign says which files [Apply] would overwrite although somebody else wrote them. Apply itself does not ask.
func (d Diff) Foreign() diag.Findings {
	var out diag.Findings
	for _, e := range d.Entries {
		if e.State == Changed && !e.Owned && e.Path != d.owned.Lock {
			out.Add(diag.Finding{Rule: "output-stray", Pos: diag.Position{File: e.Path},
				Message: "the file stands where toolgen writes, and toolgen did not write it",
				Fix:     "move it to another folder, or remove it"})
		}
	}
	return out
}

func (d Diff) finding(e Entry) (diag.Finding, bool) {
	f := diag.Finding{Pos: diag.Position{File: e.Path}, Fix: regenerate}
	lock := e.Path == d.owned.Lock
	switch e.State {
	case Created:
		f.Rule, f.Message = "output-missing", "the generated file is missing"
		if lock {
			f.Rule, f.Message = "lock-missing", "the record of what was generated is missing"
		}
	case Changed:
		f.Pos.Line, f.Pos.Column = e.Line, e.Column
		d.changed(&f, e, lock)
	case Mode:
		f.Rule, f.Message = "output-mode", "expected a plain file, but "+e.Reason
	case Blocked:
		f.Rule, f.Message = "output-mode", "the file cannot be written: "+e.Reason
		f.Fix = "move away or remove what is there, then " + regenerate
	case Outside:
		f.Rule, f.Message = "output-outside", "the file cannot be written: "+e.Reason
		f.Fix = "replace the link by a folder, then " + regenerate
	case Stale:
		f.Rule, f.Message = "output-stale", "nothing generates this file any more"
		f.Fix = regenerate + ", which removes it"
	case Stray:
		f.Rule, f.Message = "output-stray", fmt.Sprintf("toolgen did not write this file, and %s is for generated files only", path.Dir(e.Path))
		f.Fix = "move it out of the folder; toolgen leaves it alone"
	default:
		return diag.Finding{}, false
	}
	return f, true
}

// changed words a finding about content. An edit by hand is told from a spec that has moved on, since only the former
// loses somebody's work when the file is generated again.
func (d Diff) changed(f *diag.Finding, e Entry, lock bool) {
	if e.lineEnds {
		f.Fix = fmt.Sprintf("add \"%s text eol=lf\" to .gitattributes, then %s", d.pattern(e.Path), regenerate)
	}
	switch {
	case lock && e.lineEnds:
		f.Rule, f.Message = "lock-stale", "the line ends are CR LF, the generator writes LF"
	case lock:
		f.Rule, f.Message = "lock-stale", "the record of what was generated differs from what would be recorded now"
	case e.lineEnds:
		f.Rule, f.Message = "output-edited", "the line ends are CR LF, the generator writes LF"
	case e.edited && !e.Owned:
		f.Rule, f.Message = "output-edited", "the file differs from what would be generated, and nothing says that toolgen wrote it"
		f.Fix = "move it away if it is yours, then " + regenerate
	case e.edited:
		f.Rule, f.Message = "output-edited", "the file was edited by hand: it is neither what was generated nor what would be now"
		f.Fix = "make the change in the spec or prompt that the file comes from, then " + regenerate
	default:
		f.Rule, f.Message = "output-stale", "the file differs from what would be generated now"
	}
}

// pattern gives what .gitattributes has to name for a file: its output folder as a whole, or the file itself.
func (d Diff) pattern(p string) string {
	for _, dir := range d.owned.Folders {
		if strings.HasPrefix(p, dir+"/") {
			return dir + "/**"
		}
	}
	return p
}
