package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// maxFacts bounds the combinations of facts that a mapping is proved over.
const maxFacts = 4096

func (c *checker) enum(e *Enum) {
	path := "enums." + e.Name
	for _, w := range e.Values {
		at := path + ".values." + w.Word
		if w.Doc.blank() && !c.m.Faults.Touch(at) {
			c.findings.Add(diag.Finding{Rule: "param-doc", Pos: w.Pos, Path: at, Message: w.Word + " has no doc", Fix: `add doc: "..."`})
		}
		c.noTools(w.Doc, at+".doc", w.Pos, "ref-foreign", "an enum")
	}
	for _, r := range e.Retired {
		f := diag.Finding{Rule: "enum-retired", Pos: at(r.Pos, e.Pos), Path: path + ".retired." + r.Word}
		if i := slices.Index(e.words(), r.Word); i >= 0 {
			f.Message = fmt.Sprintf("the word %s of %s is retired and still a value", quoteName(r.Word), e.Name)
			f.Fix = "drop the retired word, or the value"
			f.Related = []diag.Related{{Pos: e.Values[i].Pos, Message: "the value is declared here"}}
			c.findings.Add(f)
		}
		if r.Use != "" && !e.has(r.Use) && !c.m.Faults.Lost(path+".values") && !c.m.Faults.Touch(f.Path) {
			f.Related = nil
			f.Message = fmt.Sprintf("the word %s is replaced by %s, which is no value of %s", quoteName(r.Word), quoteName(r.Use), e.Name)
			f.Fix = nearFix(`did you mean use: "%s"?`, r.Use, e.words(), "the words are "+listSome(e.words(), 20))
			c.findings.Add(f)
		}
	}
	if e.From != nil && c.m.Faults.provable(e) {
		(&mappingChecker{checker: c, e: e, m: e.From, path: path + ".from"}).check()
	}
}

// mappingChecker proves that a mapping gives every combination of facts exactly one word.
type mappingChecker struct {
	*checker
	e    *Enum
	m    *Mapping
	path string
}

func (c *mappingChecker) add(pos diag.Position, path, message, fix string, related ...diag.Related) {
	c.findings.Add(diag.Finding{Rule: "enum-from", Pos: at(pos, c.m.Pos, c.e.Pos), Path: path, Message: message, Fix: fix, Related: related})
}

func (c *mappingChecker) check() {
	sound := make([]bool, len(c.m.Rules))
	for i, r := range c.m.Rules {
		sound[i] = c.rule(i, r)
	}
	total := 1
	for _, f := range c.m.Facts {
		if total *= len(f.Values); total > maxFacts {
			c.add(c.m.Pos, c.path+".facts", fmt.Sprintf("the facts have more than %d combinations, too many to prove the mapping", maxFacts),
				"map fewer facts, or facts with fewer values")
			return
		}
	}
	if slices.Contains(sound, false) {
		return // what the rule was meant to cover is not known
	}
	c.cover(total)
}

// rule checks that a rule speaks of facts, values and words that exist.
func (c *mappingChecker) rule(i int, r *MappingRule) bool {
	path := fmt.Sprintf("%s.rules.%d", c.path, i)
	sound := true
	for _, w := range r.When {
		fact := c.fact(w.Name)
		if fact == nil {
			var names []string
			for _, f := range c.m.Facts {
				names = append(names, f.Name)
			}
			sound = false
			c.add(r.Pos, path+".when", fmt.Sprintf("the rule asks for the fact %s, which is not declared", quoteName(w.Name)),
				nearFix("did you mean %s?", w.Name, names, "the facts are "+listSome(names, 20)))
		} else if !slices.Contains(fact.Values, w.Value) {
			sound = false
			c.add(r.Pos, path+".when."+w.Name, fmt.Sprintf("the rule asks for %s=%s, which the fact cannot be", w.Name, quoteName(w.Value)),
				nearFix("did you mean "+strings.ReplaceAll(w.Name, "%", "%%")+": %s?", w.Value, fact.Values, "the values are "+listSome(fact.Values, 20)),
				diag.Related{Pos: fact.Pos, Message: "the fact is declared here"})
		}
	}
	if !c.e.has(r.Value) {
		c.add(r.Pos, path+".value", fmt.Sprintf("the rule gives %s, which is no word of %s", quoteName(r.Value), c.e.Name),
			c.e.nearWord("did you mean %s?", r.Value))
	}
	return sound
}

func (c *mappingChecker) fact(name string) *Fact {
	for _, f := range c.m.Facts {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// cover finds the combinations of facts that no rule covers, and those that two do.
func (c *mappingChecker) cover(total int) {
	var missing []string
	by := make([]int, total) // the rule that covers each combination first
	missed := 0
	for i := range total {
		combo := c.combination(i)
		by[i] = slices.IndexFunc(c.m.Rules, func(r *MappingRule) bool { return matches(r, combo) })
		if by[i] < 0 {
			missed++
			missing = addSome(missing, combo)
		}
	}
	if missed > 0 {
		c.add(c.m.Pos, c.path+".rules", fmt.Sprintf("no rule gives a word for %s%s", strings.Join(missing, "; "), more(missed)),
			"add a rule, such as {when: {"+c.when(by)+"}, value: \"...\"}")
	}
	for j, r := range c.m.Rules {
		c.overlap(j, r, by)
	}
}

// overlap finds what a rule covers that earlier rules cover too.
func (c *mappingChecker) overlap(j int, r *MappingRule, by []int) {
	var doubled []string
	var others []int
	n, fresh := 0, 0
	for i := range by {
		if by[i] >= j {
			if by[i] == j {
				fresh++
			}
			continue
		}
		combo := c.combination(i)
		if by[i] < 0 || !matches(r, combo) {
			continue
		}
		n++
		doubled = addSome(doubled, combo)
		if !slices.Contains(others, by[i]) {
			others = append(others, by[i])
		}
	}
	if n == 0 {
		return
	}
	slices.Sort(others)
	var related []diag.Related
	for _, o := range others[:min(3, len(others))] {
		related = append(related, diag.Related{Pos: c.m.Rules[o].Pos, Message: fmt.Sprintf("rule %d is here", o+1)})
	}
	message := fmt.Sprintf("rules %d and %d both give a word for %s%s", others[0]+1, j+1, strings.Join(doubled, "; "), more(n))
	fix := "make their conditions exclude each other"
	if fresh == 0 {
		message = fmt.Sprintf("rule %d never decides: earlier rules cover %s%s already", j+1, strings.Join(doubled, "; "), more(n))
		fix = "drop the rule, or make the conditions exclude each other"
	}
	c.add(r.Pos, fmt.Sprintf("%s.rules.%d", c.path, j), message, fix, related...)
}

// combination i of the facts; the last fact turns fastest.
func (c *mappingChecker) combination(i int) []OptionValue {
	out := make([]OptionValue, len(c.m.Facts))
	for k := len(out) - 1; k >= 0; k-- {
		f := c.m.Facts[k]
		out[k] = OptionValue{Name: f.Name, Value: f.Values[i%len(f.Values)]}
		i /= len(f.Values)
	}
	return out
}

// when writes the first combination without a rule as CUE.
func (c *mappingChecker) when(by []int) string {
	combo := c.combination(slices.Index(by, -1))
	parts := make([]string, len(combo))
	for i, v := range combo {
		if c.m.Facts[i].Bool {
			parts[i] = v.Name + ": " + v.Value
		} else {
			parts[i] = fmt.Sprintf("%s: %q", v.Name, v.Value)
		}
	}
	return strings.Join(parts, ", ")
}

func matches(r *MappingRule, combo []OptionValue) bool {
	return !slices.ContainsFunc(r.When, func(w OptionValue) bool { return !slices.Contains(combo, w) })
}

// shownCombos is how many combinations of facts a message shows.
const shownCombos = 3

func addSome(list []string, combo []OptionValue) []string {
	if len(list) == shownCombos {
		return list
	}
	parts := make([]string, len(combo))
	for i, v := range combo {
		parts[i] = v.Name + "=" + quoteName(v.Value)
	}
	s := strings.Join(parts, ", ")
	if s == "" {
		s = "the only case"
	}
	return append(list, s)
}

func more(n int) string {
	if n <= shownCombos {
		return ""
	}
	return fmt.Sprintf(" and %d more", n-shownCombos)
}
