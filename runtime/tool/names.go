package tool

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxName is how long a tool's name may be, in bytes: what every provider takes.
const maxName = 64

// legalName reports whether a name is accepted by every provider that toolgen knows.
func legalName(s string) bool {
	return s != "" && len(s) <= maxName && strings.IndexFunc(s, illegal) < 0
}

func illegal(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
}

// legalise makes any text a legal name.
func legalise(s string) string {
	if legalName(s) {
		return s
	}
	s = strings.Map(func(r rune) rune {
		if illegal(r) {
			return '_'
		}
		return r
	}, s[:min(len(s), 4*maxName)])
	if s == "" {
		return "_"
	}
	return s[:min(len(s), maxName)]
}

// RepairCallName is the code of the repair of a call's name, beside those of package decode.
const RepairCallName = "call-name"

// bareName is what a name that is not visible must mean: without white space around it, and without one of the prefixes
// that models take from other name spaces. A legal name has neither, so there is one reading at most.
func bareName(name string) string {
	name = strings.TrimSpace(name)
	for _, prefix := range [...]string{"functions.", "default_api.", "tools."} {
		if bare, ok := strings.CutPrefix(name, prefix); ok {
			return strings.TrimSpace(bare)
		}
	}
	return name
}

// unknown is the text for a name that does not exist: what a former name is now, else the visible tools, nearest first.
// A hidden tool is not told from one that never was.
func (s *Scope) unknown(name string) string {
	now, bare := "", bareName(name)
	for _, t := range s.tools {
		if slices.Contains(t.contract.RetiredNames, bare) && (now == "" || t.primary) {
			now = t.name
		}
	}
	if now != "" {
		return fmt.Sprintf("the tool %s is called %s now", preview(name), now)
	}
	if len(s.tools) == 0 {
		return fmt.Sprintf("there is no tool %s, nor any other", preview(name))
	}
	type near struct {
		name string
		far  int
	}
	list := make([]near, len(s.tools))
	folded := fold(name[:min(len(name), 2*maxName)])
	for i, t := range s.tools {
		list[i] = near{t.name, distance(folded, fold(t.name), 2*maxName)}
	}
	slices.SortStableFunc(list, func(a, b near) int { return cmp.Compare(a.far, b.far) })
	names := make([]string, len(list))
	for i, n := range list {
		names[i] = n.name
	}
	return fmt.Sprintf("there is no tool %s; the tools are %s", preview(name), strings.Join(names, ", "))
}

// preview quotes at most 64 bytes of a model's text.
func preview(s string) string {
	const most = 64
	if len(s) > most {
		n := most
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n] + "…"
	}
	return fmt.Sprintf("%q", s)
}

// fold drops case and separators, which readers do not tell names by.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || r == ' ' || r == '/' {
			return -1
		}
		return r
	}, strings.ToLower(s))
}

// sameToReaders reports whether two names are equal after case and separators.
func sameToReaders(a, b string) bool { return fold(a) == fold(b) }

func didYouMean(name string, mounts []*mounted) string {
	best, at := "", 4
	for _, m := range mounts {
		if d := distance(name, m.name, at); d < at {
			best, at = m.name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance is the edit distance of two names in bytes, or limit where it is at least that.
func distance(a, b string, limit int) int {
	if d := len(a) - len(b); d >= limit || -d >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diag
			if a[i] != b[j] {
				cost = 1 + min(diag, row[j], row[j+1])
			}
			diag, row[j+1] = row[j+1], cost
		}
	}
	return min(row[len(b)], limit)
}
