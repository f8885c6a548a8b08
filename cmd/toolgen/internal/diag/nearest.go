package diag

import (
	"strings"
	"unicode/utf8"
)

// Nearest returns the name that somebody who wrote name most likely meant, for "did you mean" fixes. It counts letters
// that are missing, wrong, too many or swapped with their neighbour, and takes only a name that is close: one such slip
// for short names, up to three for long ones. Case and the choice between - and _ do not count. Of names that are
// equally near, the first in alphabetical order is it, so that the order of among does not show.
func Nearest(name string, among []string) (string, bool) {
	const longest = 64 // what is longer is no misspelt name, and comparing costs the product of the lengths
	if utf8.RuneCountInString(name) > longest {
		return "", false
	}
	from := foldName(name)
	best, found := "", false
	least := min(3, 1+len(from)/4)
	if len(from) < 3 {
		least = 0 // any two short names are near
	}
	for _, candidate := range among {
		to := foldName(candidate)
		if diff := len(to) - len(from); diff > least || -diff > least {
			continue
		}
		d := distance(from, to)
		if d < least || d == least && (!found || candidate < best) {
			best, least, found = candidate, d, true
		}
	}
	return best, found
}

func foldName(s string) []rune {
	return []rune(strings.ReplaceAll(strings.ToLower(s), "-", "_"))
}

// distance is the number of insertions, deletions, replacements and swaps of neighbours that make a into b.
func distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
