package gotypes_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/render/gotypes"
)

// TestRooms looks at what has room beside the arguments: small values that a pointer leads to, and lists of plain items,
// eight at most.
func TestRooms(t *testing.T) {
	var big, many []*contract.Param
	for _, n := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"} {
		big = append(big, may(n, str()))
		many = append(many, may(n, enum("x")))
	}
	maybe := null(str())
	p := &contract.Package{Name: "rooms", Tools: []*contract.Tool{
		newTool("some", must("q", str()), may("mode", enum("x", "y")), may("small", object(must("n", integer()), may("in", object(may("m", str()))))),
			must("null", null(object(must("n", integer())))), must("tags", list(str())), may("modes", list(enum("x"))), may("flags", list(&contract.Type{Kind: contract.KindBool}))),
		newTool("none", must("q", str()), must("mode", enum("x")), may("big", object(big...)), may("deep", object(must("in", object(must("n", integer()))))),
			may("maybe", list(maybe)), may("times", list(&contract.Type{Kind: contract.KindString, Format: "date-time"})), may("rows", list(list(str()))), may("pair", tuple(str(), str()))),
		newTool("many", many...),
	}}
	files, err := gotypes.Render(newModel(p))
	require.NoError(t, err)
	rooms := func(tool string) (names []string) {
		for _, m := range regexp.MustCompile(`(?m)^\t+(of\w+) +`).FindAllStringSubmatch(string(files["gen/rooms/"+tool+"_tool_gen.go"]), -1) {
			names = append(names, m[1])
		}
		return names
	}
	require.Equal(t, []string{"ofMode", "ofSmall", "ofNull", "ofTags", "ofModes", "ofFlags"}, rooms("some"))
	require.Empty(t, rooms("none"))
	require.Len(t, rooms("many"), 8)
}

// TestSkipZero looks at which tools let the decoder pass over defaults that are zero: not those that need to see them in an
// Opt, because another variant has none.
func TestSkipZero(t *testing.T) {
	flag := func() *contract.Param { return must("flag", &contract.Type{Kind: contract.KindBool}) }
	mixed := newTool("mixed", withDefault(flag(), "false"))
	mixed.Args[0].Opt = true
	fixed := newTool("fixed", flag())
	fixed.Variants = append(fixed.Variants, &contract.Variant{Clauses: fixed.Variants[0].Clauses, Fixed: []*contract.Fixed{{Name: "flag", Value: []byte("false")}}})
	p := &contract.Package{Name: "zero", Tools: []*contract.Tool{
		newTool("plain", withDefault(flag(), "false")), newTool("other", withDefault(flag(), "true")), newTool("none", flag()), mixed, fixed,
	}}
	files, err := gotypes.Render(newModel(p))
	require.NoError(t, err)
	for tool, want := range map[string]bool{"plain": true, "other": false, "none": false, "mixed": false, "fixed": true} {
		text := string(files["gen/zero/"+tool+"_tool_gen.go"])
		require.NotEmpty(t, text, tool)
		require.Equal(t, want, strings.Contains(text, "d.SkipZero()"), tool)
	}
}
