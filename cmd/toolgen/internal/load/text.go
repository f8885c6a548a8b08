package load

import (
	"fmt"
	"strings"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
	"github.com/toolgen-dev/toolgen/spec/toolspec"
)

const (
	markOpen  = toolspec.Open
	markClose = toolspec.Close
)

// segments takes a text of the extraction edition apart into literals and references, which stand at the places of their
// bytes, or all at pos. A marker that is not whole is an error: a text may show a name, it may not compute with one.
func segments(s string, pos diag.Position, places []contract.Place) (contract.Text, error) {
	var out contract.Text
	whole := len(s)
	add := func(seg contract.Segment, from, to int) {
		seg.Pos = pos
		if at := cut(places, from, to); at != nil {
			seg.Pos = at[0].Pos
			if !seg.IsRef() {
				seg.Places = at
			}
		}
		out = append(out, seg)
	}
	for s != "" {
		from := whole - len(s)
		i := strings.IndexAny(s, markOpen+markClose)
		if i < 0 {
			add(contract.Segment{Lit: s}, from, whole)
			break
		}
		if i > 0 {
			add(contract.Segment{Lit: s[:i]}, from, from+i)
		}
		if !strings.HasPrefix(s[i:], markOpen) {
			return nil, fmt.Errorf("a name's marker is closed where none is open, after %q", tail(s[:i]))
		}
		s = s[i+len(markOpen):]
		j := strings.IndexAny(s, markOpen+markClose)
		if j < 0 || !strings.HasPrefix(s[j:], markClose) {
			return nil, fmt.Errorf("a name's marker is not closed, before %q", head(s))
		}
		ref, err := reference(s[:j])
		if err != nil {
			return nil, err
		}
		s = s[j+len(markClose):]
		add(ref, from+i, whole-len(s))
	}
	return out, nil
}

// reference reads what stands between the markers: T, T.P or E:V.
func reference(s string) (contract.Segment, error) {
	if enum, word, ok := strings.Cut(s, ":"); ok && enum != "" && !strings.Contains(enum, ".") {
		return contract.Segment{Enum: enum, Word: word}, nil
	}
	tool, param, has := strings.Cut(s, ".")
	if tool == "" || has && param == "" {
		return contract.Segment{}, fmt.Errorf("a marker holds %q, which names nothing", s)
	}
	return contract.Segment{Tool: tool, Param: param}, nil
}

func head(s string) string {
	if r := []rune(s); len(r) > 20 {
		return string(r[:20])
	}
	return s
}

func tail(s string) string {
	if r := []rune(s); len(r) > 20 {
		return string(r[len(r)-20:])
	}
	return s
}
