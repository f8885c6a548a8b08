package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// textKind says what a text of a tool may refer to.
type textKind int

const (
	textClause  textKind = iota
	textSection          // has no conditions of its own
	textDoc              // its own tool only
)

// texts checks the description and the sections of a variant; the docs of parameters are checked with them.
func (c *toolChecker) texts(v *Variant) {
	blank := 0
	for _, cl := range v.Clauses {
		if cl.Text.blank() {
			blank++
		}
	}
	if blank == len(v.Clauses) && !c.m.Faults.In(c.path(), "description", "clauses") {
		c.report(diag.Finding{Rule: "text-missing", Pos: c.t.Pos, Path: c.path(), Message: "the tool has no description",
			Fix: `add description: "..." or clauses: purpose: "..."`})
	}
	for _, cl := range v.Clauses {
		path := c.path("description")
		if cl.ID != "" {
			path = c.path("clauses", cl.ID)
		}
		if cl.Text.blank() && blank < len(v.Clauses) && !c.m.Faults.Touch(path) {
			c.report(diag.Finding{Rule: "text-missing", Pos: at(cl.Pos, c.t.Pos), Path: path, Message: "the clause is empty",
				Fix: "say something in it, or drop it"})
		}
		c.refs(v, cl.Text, path, c.t.Pos, textClause)
	}
	for _, s := range v.Sections {
		path := c.path("sections", s.Label)
		if s.Text.blank() && !c.m.Faults.Touch(path) {
			f := diag.Finding{Rule: "section-text", Pos: at(s.Pos, c.t.Pos), Path: path, Message: "the section has no text", Fix: `add text: "..."`}
			if s.File != "" {
				f.Message, f.Fix = "the section's file "+s.File+" has no text", "write the section into the file, or drop the section"
			}
			c.report(f)
		}
		if !c.m.Faults.Touch(path + ".order") {
			c.sectionOrder(s)
		}
		c.refs(v, s.Text, path, at(s.Pos, c.t.Pos), textSection)
	}
}

// refs checks the references of one text of a variant.
func (c *toolChecker) refs(v *Variant, text Text, path string, pos diag.Position, kind textKind) {
	for _, s := range text.Refs() {
		f := diag.Finding{Pos: at(s.Pos, pos), Path: path}
		bad := false
		switch {
		case s.Tool == "":
			if bad = c.word(s, &f); !bad && kind == textDoc && !slices.Contains(c.t.UsedEnums(v), s.Enum) && !c.m.Faults.In(c.path(), "params", "results") {
				// A doc is part of the schema, which no scope can shorten: it stays when the enum's users are hidden.
				f.Rule, bad = "ref-foreign", true
				f.Message = fmt.Sprintf("the doc uses a word of %s, which none of the tool's own parameters and results uses", s.Enum)
				f.Fix = "say it in a clause of the description, which is left out with the enum"
			}
		case s.Tool == c.t.Name:
			bad = s.Param != "" && c.ownParam(v, s, kind, &f)
		case kind == textDoc:
			f.Rule, bad = "ref-foreign", true
			f.Message = fmt.Sprintf("the doc names the tool %s; a parameter's doc may refer to its own tool only", s.Tool)
			f.Fix = "say it in a clause of the description, which is left out with the tool"
		default:
			bad = c.otherTool(s, &f)
		}
		if bad {
			c.report(f)
		}
	}
}

// ownParam checks a reference to a parameter of the text's own tool.
func (c *toolChecker) ownParam(v *Variant, s Segment, kind textKind, f *diag.Finding) bool {
	if v.Param(s.Param) != nil || c.m.Faults.Lost(c.path("params")) {
		return false
	}
	declared := c.t.declared(s.Param)
	if declared == nil {
		c.unknownParam(c.t, s, f)
		return true
	}
	f.Rule = "ref-absent"
	f.Message = fmt.Sprintf("the text refers to the parameter %s, which is absent here", s.Param)
	f.Related = []diag.Related{{Pos: declared.Pos, Message: "the parameter is declared here"}}
	f.Fix = "put the text under the condition under which the parameter is there"
	if by := c.removedBy(s.Param); len(by) > 0 {
		f.Fix = fmt.Sprintf("put the text under the condition on options.%s under which the parameter is there", strings.Join(by, " and options."))
	}
	if kind == textSection {
		f.Fix += "; a prompt file has no conditions, so give that variant a section with a file of its own"
	}
	return true
}

// removedBy is [Tool.RemovedBy] for the current variant, where the combinations are complete.
func (c *toolChecker) removedBy(param string) []string {
	total := 1
	for _, o := range c.t.Finite() {
		total *= len(o.Values)
	}
	if total == 0 || total != len(c.t.Combinations) {
		return nil
	}
	return c.t.RemovedBy(c.v, param)
}

// otherTool checks a reference to another tool, and to a parameter that its default variant must have.
func (c *toolChecker) otherTool(s Segment, f *diag.Finding) bool {
	other := c.tools[s.Tool]
	if other == nil && c.m.Faults.unnamed() {
		return false
	}
	if other == nil {
		f.Rule = "ref-unknown"
		f.Message = fmt.Sprintf("the text refers to the tool %s, which no loaded package declares", quoteName(s.Tool))
		f.Fix = nearFix("did you mean %s?", s.Tool, sortedKeys(c.tools), "declare the tool, or load the package that does")
		return true
	}
	if s.Param == "" || c.m.Faults.In("tools."+s.Tool, "options") || c.m.Faults.Lost("tools."+s.Tool+".params") {
		return false
	}
	if d := other.Default(); d != nil && d.Param(s.Param) != nil {
		return false
	}
	declared := other.declared(s.Param)
	if declared == nil {
		c.unknownParam(other, s, f)
		return true
	}
	f.Rule = "ref-absent"
	f.Message = fmt.Sprintf("the text refers to the parameter %s of %s, which that tool's default variant lacks", s.Param, s.Tool)
	f.Fix = "name the tool without the parameter"
	f.Related = []diag.Related{{Pos: declared.Pos, Message: "the parameter is declared here"}}
	return true
}

func (c *toolChecker) unknownParam(t *Tool, s Segment, f *diag.Finding) {
	f.Rule = "ref-unknown"
	f.Message = fmt.Sprintf("the text refers to the parameter %s of %s, which no variant has", quoteName(s.Param), s.Tool)
	names := t.names()
	otherwise := "declare the parameter, or drop the reference"
	if len(names) > 0 {
		otherwise = "the parameters are " + listSome(names, 10)
	}
	f.Fix = nearFix("did you mean %s?", s.Param, names, otherwise)
	f.Related = []diag.Related{{Pos: t.Pos, Message: "the tool " + t.Name + " is declared here"}}
}

// word checks a reference to a word of an enum. It fills the finding and reports true where something is wrong.
func (c *checker) word(s Segment, f *diag.Finding) bool {
	e := c.enums[s.Enum]
	if e == nil && c.m.Faults.unnamed() || c.m.Faults.Lost("enums."+s.Enum+".values") {
		return false
	}
	if e == nil {
		f.Rule = "ref-unknown"
		f.Message = fmt.Sprintf("the text refers to the enum %s, which no loaded package declares", quoteName(s.Enum))
		f.Fix = nearFix("did you mean %s?", s.Enum, sortedKeys(c.enums), "declare the enum, or load the package that does")
		return true
	}
	f.Related = []diag.Related{{Pos: e.Pos, Message: "the enum " + e.Name + " is declared here"}}
	if !e.has(s.Word) {
		f.Rule = "ref-unknown"
		f.Message = fmt.Sprintf("the text refers to the word %s of %s, which is none of its words", quoteName(s.Word), e.Name)
		f.Fix = e.nearWord("did you mean %s?", s.Word)
		return true
	}
	if !c.used[c.refs[e]] && !c.m.Faults.mayUse(c.refs[e]) {
		f.Rule = "ref-absent"
		f.Message = fmt.Sprintf("the text refers to the word %s of %s, but no parameter or result of any tool uses that enum", quoteName(s.Word), e.Name)
		f.Fix = "use enums." + e.Name + ".type as the type of a parameter or of a result's field, or drop the reference"
		return true
	}
	return false
}

func (e *Enum) has(word string) bool {
	for _, w := range e.Values {
		if w.Word == word {
			return true
		}
	}
	return false
}

func (e *Enum) words() []string {
	out := make([]string, len(e.Values))
	for i, w := range e.Values {
		out[i] = w.Word
	}
	return out
}

// nearWord suggests what stands for a word that an enum does not have: its replacement, the nearest, or the list.
func (e *Enum) nearWord(form, word string) string {
	for _, r := range e.Retired {
		if r.Word == word && e.has(r.Use) {
			return fmt.Sprintf(form, r.Use) + " " + quoteName(word) + " is retired: " + r.Why
		}
	}
	return nearFix(form, word, e.words(), "the words are "+listSome(e.words(), 20))
}
