package contract

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// toolChecker checks one tool. A fault of several variants is one finding, which names the first of them unless it is
// all.
type toolChecker struct {
	*checker
	t    *Tool
	defs *Definitions
	v    int // the variant being checked

	faults []*fault
}

type fault struct {
	finding  diag.Finding
	variants []int
}

func (c *checker) tool(t *Tool, defs *Definitions) {
	tc := &toolChecker{checker: c, t: t, defs: defs}
	if c.m.Faults.Lost(tc.path()) {
		return
	}
	for i, v := range t.Variants {
		tc.v = i
		tc.texts(v)
		tc.params(v)
		tc.fixed(v)
		tc.examples(v)
		tc.needs(v)
		tc.limits(v)
	}
	tc.flush()
	for _, m := range t.Results {
		c.message(m, tc.path("results", m.Name), defs)
	}
	tc.retired()
}

func (c *toolChecker) path(more ...string) string {
	return strings.Join(append([]string{"tools", c.t.Name}, more...), ".")
}

// report notes a fault of the current variant.
func (c *toolChecker) report(f diag.Finding) {
	for _, old := range c.faults {
		o := old.finding
		if o.Rule == f.Rule && o.Pos == f.Pos && o.Path == f.Path && o.Message == f.Message {
			if old.variants[len(old.variants)-1] != c.v {
				old.variants = append(old.variants, c.v)
			}
			return
		}
	}
	c.faults = append(c.faults, &fault{f, []int{c.v}})
}

func (c *toolChecker) flush() {
	for _, f := range c.faults {
		if n := len(f.variants); n < len(c.t.Variants) {
			f.finding.Message += " (in the variant " + c.t.Variants[f.variants[0]].choice()
			if n > 1 {
				f.finding.Message += fmt.Sprintf(" and %d more", n-1)
			}
			f.finding.Message += ")"
		}
		c.findings.Add(f.finding)
	}
}

// choice names a variant by the options that select it.
func (v *Variant) choice() string {
	parts := make([]string, len(v.Options))
	for i, o := range v.Options {
		parts[i] = o.Name + "=" + o.Value
	}
	return strings.Join(parts, ", ")
}

// names returns the parameters over all variants, in order.
func (t *Tool) names() []string {
	var out []string
	for _, v := range t.Variants {
		for _, p := range v.Params {
			if !slices.Contains(out, p.Name) {
				out = append(out, p.Name)
			}
		}
	}
	return out
}

// declared returns a parameter of the first variant that has it, or nil.
func (t *Tool) declared(name string) *Param {
	for _, v := range t.Variants {
		if p := v.Param(name); p != nil {
			return p
		}
	}
	return nil
}

func (c *toolChecker) params(v *Variant) {
	pc := &paramChecker{faults: c.m.Faults, defs: c.defs, report: c.report, doc: func(text Text, path string, pos diag.Position) {
		c.refs(v, text, path, pos, textDoc)
	}}
	pc.list(v.Params, c.path("params"), c.t.names(), true)
}

func (c *toolChecker) fixed(v *Variant) {
	for _, x := range v.Fixed {
		f := diag.Finding{Pos: at(x.Pos, c.t.Pos), Path: c.path("fixed", x.Name)}
		declared := c.t.declared(x.Name)
		switch {
		case c.m.Faults.Touch(f.Path) || declared != nil && c.m.Faults.Touch(c.path("params", x.Name)) || declared == nil && c.m.Faults.Lost(c.path("params")):
			continue
		case declared == nil:
			f.Rule = "fixed-unknown"
			f.Message = fmt.Sprintf("fixed names %s, which no variant has as a parameter", quoteName(x.Name))
			f.Fix = "declare the parameter in some variant, or drop the fixed value"
			if near, ok := diag.Nearest(x.Name, c.t.names()); ok {
				f.Fix = "did you mean fixed: " + near + "?"
			}
			c.report(f)
			continue
		case v.Param(x.Name) != nil:
			f.Rule = "fixed-param"
			f.Message = x.Name + " is fixed beside its own parameter, so that a call could not choose it"
			f.Fix = "put the parameter and the fixed value under opposite conditions"
			f.Related = []diag.Related{{Pos: v.Param(x.Name).Pos, Message: "the parameter is declared here"}}
			c.report(f)
		}
		// Bounds may differ from variant to variant; the value has to be one that some variant takes.
		var problems []problem
		for _, other := range c.t.Variants {
			p := other.Param(x.Name)
			if p == nil {
				continue
			}
			found := fits(x.Value, p.Type, c.defs)
			if len(found) == 0 {
				problems = nil
				break
			}
			if problems == nil {
				problems = found
			}
		}
		for _, problem := range problems {
			f.Rule, f.Fix = "fixed-type", valueFix("fixed: "+x.Name, x.Value, declared.Type)
			f.Message = fmt.Sprintf("the fixed value of %s does not fit the parameter's type: %s", x.Name, problem)
			f.Related = []diag.Related{{Pos: declared.Pos, Message: "the parameter is declared here"}}
			c.report(f)
		}
	}
}

func (c *toolChecker) examples(v *Variant) {
	if c.m.Faults.In(c.path(), "params", "examples") {
		return
	}
	args := &Type{Kind: KindObject, Fields: v.Params}
	for i, e := range v.Examples {
		for _, problem := range fits(e.Args, args, c.defs) {
			c.report(diag.Finding{Rule: "example-invalid", Pos: at(e.Pos, c.t.Pos), Path: c.path("examples", strconv.Itoa(i), "args"),
				Message: "the example's args are no valid call: " + problem.String(),
				Fix:     "correct the args, or name the variant that the example shows with options"})
		}
	}
}

func (c *toolChecker) needs(v *Variant) {
	for _, name := range v.Needs {
		f := diag.Finding{Rule: "needs-unknown", Pos: c.t.Pos, Path: c.path("needs")}
		switch {
		case name == c.t.Name:
			f.Message, f.Fix = "the tool needs itself", "drop "+name+" from needs"
		case c.tools[name] == nil && !c.m.Faults.unnamed():
			f.Message = fmt.Sprintf("the tool needs %s, which is no tool of any loaded package", quoteName(name))
			f.Fix = "declare the tool, or drop it from needs"
			if near, ok := diag.Nearest(name, sortedKeys(c.tools)); ok {
				f.Fix = `did you mean \(tools.` + near + `.name)?`
			}
		default:
			continue
		}
		c.report(f)
	}
}

func (c *toolChecker) limits(v *Variant) {
	if v.Limits == nil {
		return
	}
	bad := func(field, message, fix string) {
		c.report(diag.Finding{Rule: "limit-invalid", Pos: c.t.Pos, Path: c.path("limits", field), Message: message, Fix: fix})
	}
	if s := v.Limits.Timeout; s != "" {
		if d, err := time.ParseDuration(s); err != nil || d <= 0 {
			bad("timeout", fmt.Sprintf("the timeout %q is no positive duration", s), `write it with a unit, such as timeout: "30s"`)
		}
	}
	if n := v.Limits.ArgumentBytes; n < 0 {
		bad("argumentBytes", fmt.Sprintf("the limit is %d", n), "give a positive number of bytes")
	}
	if n := v.Limits.ResultBytes; n < 0 {
		bad("resultBytes", fmt.Sprintf("the limit is %d", n), "give a positive number of bytes")
	}
}

// sectionOrder reports an order that is no finite number.
func (c *toolChecker) sectionOrder(s *Section) {
	// The runtime sorts by a 64-bit float.
	if _, err := s.Order.Float64(); err == nil && json.Valid([]byte(s.Order)) {
		return
	}
	c.report(diag.Finding{Rule: "section-text", Pos: at(s.Pos, c.t.Pos), Path: c.path("sections", s.Label, "order"),
		Message: fmt.Sprintf("the order %q is no finite number", s.Order.String()), Fix: "give a number, such as order: 110"})
}

// retired checks former names of the tool and of its parameters.
func (c *toolChecker) retired() {
	r := c.t.Retired
	if r == nil {
		return
	}
	for _, name := range r.Names {
		for _, label := range sortedKeys(c.tools) {
			if other := c.tools[label]; name == label || name == other.Mounted() {
				c.findings.Add(diag.Finding{Rule: "tool-retired", Pos: c.t.Pos, Path: c.path("retired", "names"),
					Message: fmt.Sprintf("%s is a former name of %s and the name of a tool", name, c.t.Name), Fix: "drop the retired name",
					Related: []diag.Related{{Pos: other.Pos, Message: "the tool " + label + " is declared here"}}})
				break
			}
		}
	}
	names := c.t.names()
	for _, old := range r.Params {
		f := diag.Finding{Rule: "tool-retired", Pos: at(old.Pos, c.t.Pos), Path: c.path("retired", "params", old.Word)}
		if p := c.t.declared(old.Word); p != nil {
			f.Message = old.Word + " is retired and still a parameter"
			f.Fix = "drop the retired name, or the parameter"
			f.Related = []diag.Related{{Pos: p.Pos, Message: "the parameter is declared here"}}
			c.findings.Add(f)
		}
		if old.Use != "" && !slices.Contains(names, old.Use) && !c.m.Faults.Lost(c.path("params")) {
			f.Related = nil
			f.Message = fmt.Sprintf("%s is replaced by %s, which is no parameter of %s", old.Word, quoteName(old.Use), c.t.Name)
			f.Fix = nearFix(`did you mean use: "%s"?`, old.Use, names, "name the parameter that replaces it, or leave use out")
			c.findings.Add(f)
		}
	}
}

// nearFix suggests the nearest name, or else what to do. form has one %s.
func nearFix(form, name string, among []string, otherwise string) string {
	if near, ok := diag.Nearest(name, among); ok {
		return fmt.Sprintf(form, near)
	}
	return otherwise
}
