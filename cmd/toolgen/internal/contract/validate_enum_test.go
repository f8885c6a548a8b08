package contract

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestValidateEnums(t *testing.T) {
	rules := func(s shop) *[]*MappingRule { return &s.status.From.Rules }
	runValidate(t, []validateCase{
		{"retired and a value", func(s shop) { s.status.Retired[0].Word = "open" }, "enum-retired", 53, "enums.status.retired.open", []string{"still a value"}, "drop"},
		{"retired for nothing", func(s shop) { s.status.Retired[0].Use = "shutt" }, "enum-retired", 53, "enums.status.retired.closed", []string{"shutt", "no value"}, `use: "shut"`},
		{"no doc", func(s shop) { s.status.Values[1].Doc = nil }, "param-doc", 52, "enums.status.values.shut", []string{"no doc"}, ""},
		{"missing facts", func(s shop) { *rules(s) = (*rules(s))[:2] }, "enum-from", 54, "enums.status.from.rules",
			[]string{"day=rest, lit=true; day=rest, lit=false"}, `{when: {day: "rest", lit: true}`},
		{"doubled facts", func(s shop) { (*rules(s))[1].When = (*rules(s))[1].When[:1] }, "enum-from", 58, "enums.status.from.rules.1",
			[]string{"rules 1 and 2", "day=work, lit=true"}, "exclude each other"},
		{"useless rule", func(s shop) {
			(*rules(s))[2].When = (*rules(s))[0].When
			*rules(s) = append(*rules(s), &MappingRule{When: []OptionValue{{"day", "rest"}}, Value: "shut", Pos: on(62)})
		},
			"enum-from", 59, "enums.status.from.rules.2", []string{"never decides", "day=work, lit=true"}, "drop"},
		{"unknown fact", func(s shop) { (*rules(s))[0].When[0].Name = "dai" }, "enum-from", 57, "enums.status.from.rules.0.when", []string{"dai"}, "day"},
		{"unknown value of a fact", func(s shop) { (*rules(s))[0].When[0].Value = "wrok" }, "enum-from", 57, "enums.status.from.rules.0.when.day", []string{"day=wrok"}, "day: work"},
		{"no word", func(s shop) { (*rules(s))[0].Value = "opn" }, "enum-from", 57, "enums.status.from.rules.0.value", []string{"opn", "no word"}, "open"},
		{"retired word", func(s shop) { (*rules(s))[0].Value = "closed" }, "enum-from", 57, "enums.status.from.rules.0.value", []string{"closed"}, "shut"},
		{"too many facts", func(s shop) {
			for _, n := range strings.Split("a b c d e f g h i j k l", " ") {
				s.status.From.Facts = append(s.status.From.Facts, &Fact{Name: n, Bool: true, Values: []string{"true", "false"}})
			}
		}, "enum-from", 54, "enums.status.from.facts", []string{"4096"}, "fewer"},
	})
}

// The message shows three combinations and counts the others; the related places are the rules.
func TestMappingMessages(t *testing.T) {
	s := newShop()
	from := s.status.From
	from.Facts[0].Values = []string{"work", "rest", "feast"}
	from.Rules = []*MappingRule{{When: []OptionValue{{"day", "rest"}, {"lit", "true"}}, Value: "open", Pos: on(57)}}
	got := Validate(s.m)
	require.Len(t, got, 1)
	require.Contains(t, got[0].Message, "day=work, lit=true; day=work, lit=false; day=rest, lit=false and 2 more")

	from.Rules = []*MappingRule{{Value: "open", Pos: on(57)}, {When: []OptionValue{{"lit", "true"}}, Value: "shut", Pos: on(58)}}
	got = Validate(s.m)
	require.Len(t, got, 1)
	require.Equal(t, on(58), got[0].Pos)
	require.Equal(t, on(57), got[0].Related[0].Pos)
}

func TestMappingWithoutFacts(t *testing.T) {
	s := newShop()
	s.status.From = &Mapping{Pos: on(54), Rules: []*MappingRule{{Value: "open", Pos: on(55)}}}
	require.Empty(t, Validate(s.m))
	s.status.From.Rules = nil
	got := Validate(s.m)
	require.Len(t, got, 1)
	require.Contains(t, got[0].Message, "the only case")
}
